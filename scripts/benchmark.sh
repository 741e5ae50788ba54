#!/usr/bin/env bash
# Runs every benchmark and updates docs/performance/: the data, pages and plots. Medians of interleaved runs; plait and its
# rivals run in one program.
#
#   scripts/benchmark.sh [FILTER]     FILTER: a regular expression; prints tables and does not change docs/
#
# Takes half an hour on a machine that is otherwise idle.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Transparent huge pages for malloc, for all rivals alike, where the system grants them on request only: in a virtual
# machine a TLB miss on a small page costs more than the measured code.
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1

# OpenBLAS selects its oldest kernels on processors that it does not know: Debian's version on Intel's since Sapphire
# Rapids.
if grep -q 'vendor_id.*GenuineIntel' /proc/cpuinfo && grep -qw avx512f /proc/cpuinfo; then
  export OPENBLAS_CORETYPE=${OPENBLAS_CORETYPE:-SkylakeX}
fi

filter=${1:-}
scripts/bootstrap.sh >&2
cmake --preset release --log-level=WARNING >&2
programs=$(cmake --build build/release --target help | sed -nE 's/^(plait_bench_[a-z_]+): phony$/\1/p' | grep -v -E '_(protos|main)$')
# shellcheck disable=SC2086
cmake --build build/release --target $programs >&2

results=build/benchmarks
rm -rf "$results"
mkdir -p "$results"

# Writes results to a file, so that programs may write to stdout.
for program in $programs; do
  options=(--benchmark_repetitions=5 --benchmark_min_time=0.1 --benchmark_out_format=json
    --benchmark_out="$results/${program#plait_bench_}.json")
  # Benchmarks of exec interleave plait and its rivals themselves, iteration by iteration.
  [ "$program" = plait_bench_exec ] || options+=(--benchmark_enable_random_interleaving=true)
  "$(find build/release/benchmarks -type f -name "$program")" "${options[@]}" ${filter:+--benchmark_filter="$filter"} >/dev/null
done

if [ -n "$filter" ]; then
  scripts/performance-pages.py --print "$results"
else
  {
    benchmarks/compile_time/run.sh
    RUNTIME=build/release benchmarks/compile_time/programs.sh
  } >"$results/compile_time.csv"
  scripts/performance-pages.py --record "$results"
fi
