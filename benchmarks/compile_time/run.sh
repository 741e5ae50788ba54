#!/usr/bin/env bash
# Prints the front-end time of each public header alone (-fsyntax-only) as CSV, slowest first: header, seconds, budget. One
# run, or the minimum of five where a header has a budget. Takes some ten minutes.
#
#   benchmarks/compile_time/run.sh [PATTERN]     PATTERN: only headers whose path matches; CXX: the compiler (g++)
set -euo pipefail
cd "$(dirname "$0")/../.."

export compiler=${CXX:-g++}
includes=(-Iinclude)
for config in llvm-config-14 llvm-config; do
  if command -v "$config" >/dev/null; then
    includes+=(-isystem "$("$config" --includedir)")
    break
  fi
done

# Time limit of a header in seconds; most have none.
budget() {
  case $1 in
    core/* | graph/*) echo 0.7 ;;
    ssa/versioning.hpp) echo 1.5 ;;
  esac
}

milliseconds() {
  local start
  start=$(date +%s%N)
  echo "#include <plait/$1>" | "$compiler" -std=c++20 "${includes[@]}" -fsyntax-only -x c++ - || return 1
  echo $((($(date +%s%N) - start) / 1000000))
}

row() {
  local limit least runs=1
  limit=$(budget "$1")
  [ -z "$limit" ] || runs=5
  if least=$(for ((i = 0; i < runs; ++i)); do milliseconds "$1" || exit; done | sort -n | head -n 1) && [ -n "$least" ]; then
    printf '%s,%d.%02d,%s\n' "$1" $((least / 1000)) $((least % 1000 / 10)) "$limit"
  else
    echo "$1 does not compile" >&2
  fi
}

find include/plait -name '*.hpp' -not -path '*/detail/*' -printf '%P\n' | grep -E -- "${1:-.}" | while read -r header; do row "$header"; done |
  sort -t , -k 2,2nr
