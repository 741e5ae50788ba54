#!/usr/bin/env bash
# Front-end time of each public header alone (-fsyntax-only): the least of five runs, as a Markdown table, slowest first.
#
#   benchmarks/compile_time/run.sh [PATTERN]     PATTERN: only headers whose path matches; CXX: the compiler (g++)
set -euo pipefail
cd "$(dirname "$0")/../.."

compiler=${CXX:-g++}
runs=5
# Seconds that a header may take; the others have no budget.
declare -A budget=([graph/dominators.hpp]=0.7 [ssa/versioning.hpp]=1.5)

milliseconds() {
  local start
  start=$(date +%s%N)
  echo "#include <plait/$1>" | "$compiler" -std=c++20 -Iinclude -fsyntax-only -x c++ - || return 1
  echo $((($(date +%s%N) - start) / 1000000))
}

printf '%s, least of %d runs\n\n| header | s | budget |\n|---|---:|---:|\n' "$("$compiler" --version | head -n 1)" "$runs"
find include/plait -name '*.hpp' -printf '%P\n' | grep -E -- "${1:-.}" | while read -r header; do
  if ! least=$(for ((i = 0; i < runs; ++i)); do milliseconds "$header" || exit; done | sort -n | head -n 1); then
    printf '| %s | does not compile | |\n' "$header"
    continue
  fi
  printf '| %s | %d.%02d | %s |\n' "$header" $((least / 1000)) $((least % 1000 / 10)) "${budget[$header]:-}"
done | sort -t '|' -k 3,3nr
