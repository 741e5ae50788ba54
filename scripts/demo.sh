#!/usr/bin/env bash
# Shows the command line tool end to end on one net.
#
#   scripts/demo.sh [FILE]     FILE: a NetDef as text, JSON or binary; default examples/data/demo_net.pbtxt
#
# What it makes is left in build/demo/out.
set -euo pipefail
net=$(realpath -m -- "${1:-$(dirname "$0")/../examples/data/demo_net.pbtxt}")
cd "$(dirname "$0")/.."

if [ ! -f "$net" ]; then
  echo "demo: there is no file $net" >&2
  exit 1
fi

scripts/bootstrap.sh
echo "demo: building the tool (some minutes the first time)"
cmake --preset release -B build/demo -DPLAIT_BUILD_TESTS=OFF -DPLAIT_BUILD_BENCHMARKS=OFF --log-level=WARNING >/dev/null
cmake --build build/demo --target plait_cli
plait=build/demo/examples/plait_cli/plait

out=build/demo/out
rm -rf $out
mkdir -p $out

# step TITLE ARGUMENT...: shows the command as a user would type it, then its output, of a large net the first lines.
lines=40
step() {
  local status=0 total
  printf '\n== %s\n$ plait' "$1"
  shift
  set -- "${@#"$PWD"/}"  # what lies in this folder is named from here
  printf ' %q' "$@"
  printf '\n'
  "$plait" "$@" >$out/shown 2>&1 || status=$?
  head -n $lines $out/shown
  total=$(wc -l <$out/shown)
  if [ "$total" -gt $lines ]; then echo "... and $((total - lines)) lines more"; fi
  rm -f $out/shown
  return $status
}

if [ -z "${COLUMNS:-}" ] && [ -t 1 ]; then COLUMNS=$(tput cols 2>/dev/null || echo 100); fi
export COLUMNS=${COLUMNS:-100}

step "What the net holds" info "$net"
step "Does anything look wrong?" check "$net"
step "SSA form: which version of which blob each op reads and writes" ssa "$net"

step "A picture, one node a version" dot --ssa "$net" -o $out/net.dot
if command -v dot >/dev/null; then
  # Graphviz needs minutes for very large pictures.
  if timeout 60 dot -Tsvg $out/net.dot -o $out/net.svg 2>$out/dot.log; then
    echo "$out/net.svg"
    rm -f $out/dot.log
  else
    echo "(graphviz did not draw it within a minute: $out/net.dot stays text)"
  fi
else
  echo "(graphviz is not installed: $out/net.dot stays text)"
fi

if step "Without the ops that no output depends on" prune "$net" -o $out/pruned.pbtxt; then
  step "What is left of it" info $out/pruned.pbtxt
else
  echo "(such a net is refused, not guessed at)"
fi

step "Round trip: to text" convert "$net" -o $out/first.pbtxt
step "Text to JSON" convert $out/first.pbtxt -o $out/net.json
step "JSON to binary" convert $out/net.json -o $out/net.pb
step "Binary to text" convert $out/net.pb -o $out/last.pbtxt
if ! cmp $out/first.pbtxt $out/last.pbtxt; then
  echo "demo: the round trip changed the net" >&2
  exit 1
fi
printf '\nThe round trip text -> JSON -> binary -> text changed nothing: %s bytes as before.\n' "$(wc -c <$out/last.pbtxt)"
ls -l $out | awk 'NR > 1 { printf "  %8d  %s/%s\n", $5, out, $NF }' out=$out
