#!/usr/bin/env bash
# Runs clang-tidy 16, configured by .clang-tidy, over the public headers, the examples and the tools.
#
#   scripts/tidy.sh [PATTERN]     PATTERN: a regular expression; only headers and sources whose path matches
set -euo pipefail
cd "$(dirname "$0")/.."

tool=${CLANG_TIDY:-clang-tidy-16}
if ! command -v "$tool" >/dev/null; then
  echo "tidy: $tool is not installed (apt-get install clang-tidy-16)" >&2
  exit 1
fi

build=build/dev
cmake --preset dev >/dev/null

# Headers are checked through the files that compile each of them alone. Unit tests are not checked: their precompiled
# header belongs to another compiler.
sources=$(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' $build/compile_commands.json |
  grep -E '/tests/headers/|/examples/|/tests/(cfg_)?conformance/' | grep -E -- "${1:-.}" || true)
if [ -z "$sources" ]; then
  echo "tidy: nothing matches" >&2
  exit 1
fi
echo "$sources" | tr '\n' '\0' | xargs -0 -n 1 -P "$(nproc 2>/dev/null || echo 2)" "$tool" -p $build --quiet \
  --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-unused-command-line-argument # g++ understands these
