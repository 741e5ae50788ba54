#!/usr/bin/env bash
# Prints what it takes to compile small programs, plait's and those of other libraries, as CSV: program, processor seconds
# at -O0 and at -O2 (the least of three runs, or one run above 20 s), peak memory at -O2 in MB, and kB of the stripped
# program at -O2 where it can be linked.
#
#   benchmarks/compile_time/programs.sh [PATTERN]    PATTERN: only programs whose name matches
#
# CXX: the compiler (g++). RUNTIME: folder of libplait.a, to link with. ONNXRUNTIME: folder of onnxruntime_cxx_api.h.
set -euo pipefail
cd "$(dirname "$0")/../.."

compiler=${CXX:-g++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-std=c++20 -Iinclude -isystem /usr/include/eigen3 ${ONNXRUNTIME:+-isystem "$ONNXRUNTIME"})

# The least processor time of three runs in seconds, and their peak memory in kB.
measure() {
  for _ in 1 2 3; do
    /usr/bin/time -o "$work/time" -f "%U %S %M" "$compiler" "${flags[@]}" "$@" -o "$work/object" || return 1
    awk '{ printf "%.2f %d\n", $1 + $2, $3; exit $1 > 20 }' "$work/time" || break
  done | sort -n | head -n 1
}

for source in benchmarks/compile_time/programs/*.cpp; do
  name=$(basename "$source" .cpp)
  [[ $name =~ ${1:-.} ]] || continue
  [[ $name != *_onnxruntime || -n ${ONNXRUNTIME:-} ]] || continue
  extra=()
  libraries=()
  if [[ $name == session || $name == compile_linked ]]; then
    extra=(-DPLAIT_RUNTIME_SERIAL)
    [ -z "${RUNTIME:-}" ] || libraries=("$RUNTIME/libplait.a" -ltbb -fopenmp)
  fi
  plain=$(measure ${extra[@]+"${extra[@]}"} -O0 -c "$source") || { echo "$name does not compile" >&2; continue; }
  optimised=$(measure ${extra[@]+"${extra[@]}"} -O2 -c "$source")
  size=
  if [[ $name != *_onnxruntime ]] && "$compiler" "$work/object" ${libraries[@]+"${libraries[@]}"} -s -o "$work/program" 2>/dev/null; then
    size=$(($(stat -c %s "$work/program") / 1000))
  fi
  printf '%s,%s,%s,%d,%s\n' "$name" "${plain% *}" "${optimised% *}" $((${optimised#* } / 1000)) "$size"
done
