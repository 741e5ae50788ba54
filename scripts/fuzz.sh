#!/usr/bin/env bash
# Runs the fuzzers in sequence, each from its seeds and the corpus of earlier runs.
#
#   scripts/fuzz.sh [SECONDS] [NAME...]     SECONDS: for each, default 600; NAME: of a file in tests/fuzz, default the readers
#
# Prints one line for each: number of inputs, coverage (edges), findings. Fails if there are findings.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-600}
shift || true
[ $# -ne 0 ] || set -- text_reader json_reader binary_reader npy_reader onnx_reader

scripts/bootstrap.sh
cmake --preset fuzz --log-level=WARNING >/dev/null
cmake --build build/fuzz --target plait_fuzz_json_seeds "${@/#/plait_fuzz_}"
ctest --test-dir build/fuzz -R '^fuzz/json_seeds$' --no-tests=ignore >/dev/null

found=0
lines=()
for name in "$@"; do
  work=build/fuzz/tests/fuzz/$name
  mkdir -p "$work/corpus"
  status=0
  program=$(find build/fuzz -name "plait_fuzz_$name" -type f -perm -u+x | head -n 1)
  seeds=()
  for folder in "tests/data/fuzz_seeds/$name" "$work/seeds"; do
    if [ -d "$folder" ]; then seeds+=("$folder"); fi
  done
  printf 'fuzz: %s for %d seconds\n' "$name" "$seconds"
  "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$work/" \
    "$work/corpus" "${seeds[@]}" >"$work/log" 2>&1 || status=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log")
  edges=$(sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$work/log" | tail -n 1)
  if [ $status -eq 0 ]; then
    result="nothing found"
  else
    result="FOUND: see $work/log"
    found=1
  fi
  lines+=("$(printf '%-14s %12s inputs  %6s edges  %s' "$name" "${runs:-?}" "${edges:-?}" "$result")")
done
printf '%s\n' "${lines[@]}"
exit $found
