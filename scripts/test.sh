#!/usr/bin/env bash
# Installs required packages, configures, builds and tests, starting from a bare machine. Ends with ctest's summary.
#
#   scripts/test.sh [PRESET [CTEST-ARGUMENT...]]     PRESET: dev (default), release, asan, tsan, clang, fuzz
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-dev}
shift $(($# > 0 ? 1 : 0))
jobs=$(nproc 2>/dev/null || echo 2)

scripts/bootstrap.sh
# Clang compiles the tests in two thirds of GCC's time; headers/other_compiler compiles every header and operator with GCC.
if [ "$preset" = dev ] && command -v clang++-16 >/dev/null; then export CXX=${CXX:-clang++-16}; fi
cmake --preset "$preset"
# -k 0: a run reports every file that does not compile.
cmake --build --preset "$preset" --parallel "$jobs" -- -k 0
ctest --preset "$preset" --parallel "$jobs" "$@"
