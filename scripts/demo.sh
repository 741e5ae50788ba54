#!/usr/bin/env bash
# Shows the command line tool end to end on one net.
#
#   scripts/demo.sh [FILE]     FILE: a NetDef as text, JSON or binary; default examples/data/demo_net.pbtxt
#
# What it makes is left in build/demo/out.
set -euo pipefail
net=$(realpath -m -- "${1:-$(dirname "$0")/../examples/data/demo_net.pbtxt}")
cd "$(dirname "$0")/.."

if [ ! -e "$net" ]; then
  echo "demo: there is no $net" >&2
  exit 1
fi

scripts/bootstrap.sh
cmake --preset release -B build/demo -DPLAIT_BUILD_TESTS=OFF -DPLAIT_BUILD_BENCHMARKS=OFF --log-level=WARNING >/dev/null
cmake --build build/demo --target plait_cli
plait=$PWD/build/demo/examples/plait_cli/plait

out=build/demo/out
mkdir -p $out

# step TITLE COMMAND...: shows the command as a user would type it, then its output.
step() {
  printf '\n== %s\n$ plait' "$1"
  shift
  printf ' %q' "${@/#"$PWD"\//}"
  printf '\n'
  "$plait" "$@"
}

step "What the net holds" info "$net"
step "Is it well formed?" check "$net"
step "Every value: versions, writer and readers" ssa "$net"

step "A picture" dot "$net" -o $out/net.dot
if command -v dot >/dev/null; then
  dot -Tsvg $out/net.dot -o $out/net.svg
  echo "$out/net.svg"
else
  echo "(graphviz is not installed: $out/net.dot stays text)"
fi

step "Without the ops nobody reads" prune "$net" -o $out/pruned.pbtxt
step "What is left of it" info $out/pruned.pbtxt

step "Text to binary" convert "$net" -o $out/net.pb
step "Binary to JSON" convert $out/net.pb -o $out/net.json
step "JSON to text" convert $out/net.json -o $out/net.pbtxt
step "Text to text, for comparison" convert "$net" -o $out/direct.pbtxt
if cmp $out/net.pbtxt $out/direct.pbtxt; then
  printf '\nThe round trip text -> binary -> JSON -> text changed nothing.\n'
else
  exit 1
fi
