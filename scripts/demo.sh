#!/usr/bin/env bash
# Shows the command line tool end to end on one net, and trains a recurrent network for a minute.
#
#   scripts/demo.sh            on examples/data/demo_net.pbtxt, then the training
#   scripts/demo.sh FILE       on a NetDef as text, JSON or binary; no training
#
# PLAIT_DEMO_SECONDS: duration of the training, default 60; a later run resumes it for 5.
# PLAIT_DEMO_BUILD: the folder of a build that has the programs, instead of build/demo, which is built.
# Leaves its outputs there in out, and the trained model in trained: remove that to begin anew.
set -euo pipefail
net=$(realpath -m -- "${1:-$(dirname "$0")/../examples/data/demo_net.pbtxt}")
cd "$(dirname "$0")/.."

if [ ! -f "$net" ]; then
  echo "demo: there is no file $net" >&2
  exit 1
fi

build=${PLAIT_DEMO_BUILD:-build/demo}

# build FOLDER TARGET...: compiles programs, unless PLAIT_DEMO_BUILD has them.
build() {
  if [ -z "${PLAIT_DEMO_BUILD:-}" ]; then cmake --build "$1" --target "${@:2}"; fi
}

plait=$build/examples/plait_cli/plait-inspect
if [ -z "${PLAIT_DEMO_BUILD:-}" ]; then
  scripts/bootstrap.sh demo
  echo "demo: building what inspects nets (less than a minute, the first time)"
  # Not optimised: it compiles in half the time.
  cmake --preset dev -B "$build/inspect" -DPLAIT_BUILD_TESTS=OFF --log-level=WARNING --no-warn-unused-cli >/dev/null
  build "$build/inspect" plait_inspect
  plait=$build/inspect/examples/plait_cli/plait-inspect
fi

out=$build/out
rm -rf "$out"
mkdir -p "$out"

# step TITLE ARGUMENT...: prints the command as a user would type it, then its output, for a large net the first lines.
lines=40
step() {
  local status=0 total
  printf '\n== %s\n$ plait' "$1"
  shift
  set -- "${@#"$PWD"/}"  # paths below this folder are shown relative to it
  printf ' %q' "$@"
  printf '\n'
  "$plait" "$@" >"$out"/shown 2>&1 || status=$?
  head -n $lines "$out"/shown
  total=$(wc -l <"$out"/shown)
  if [ "$total" -gt $lines ]; then echo "... and $((total - lines)) lines more"; fi
  rm -f "$out"/shown
  return $status
}

# picture NAME: converts NAME.dot to NAME.svg, if Graphviz is installed.
picture() {
  if ! command -v dot >/dev/null; then
    echo "(graphviz is not installed: $1.dot stays text)"
  # Graphviz takes minutes for very large graphs.
  elif timeout 60 dot -Tsvg "$1.dot" -o "$1.svg" 2>"$1.log"; then
    echo "$1.svg"
    rm -f "$1.log"
  else
    echo "(graphviz did not draw it within a minute: $1.dot stays text)"
  fi
}

if [ -z "${COLUMNS:-}" ] && [ -t 1 ]; then COLUMNS=$(tput cols 2>/dev/null || echo 100); fi
export COLUMNS=${COLUMNS:-100}

step "What the net holds" info "$net"
step "SSA form: which version of which blob each op reads and writes" ssa "$net"

step "A picture, one node a version" dot --ssa "$net" -o "$out"/net.dot
picture "$out"/net

if step "Without the ops that no output depends on" prune "$net" -o "$out"/pruned.pbtxt; then
  step "What is left of it" info "$out"/pruned.pbtxt
else
  echo "(such a net is refused, not guessed at)"
fi

if [ -z "${PLAIT_DEMO_BUILD:-}" ]; then
  printf '\ndemo: building the whole tool, with the runtime (minutes, the first time)\n'
  cmake --preset release -B "$build" -DPLAIT_UNITY=ON -DPLAIT_BUILD_TESTS=OFF -DPLAIT_BUILD_BENCHMARKS=OFF \
    --log-level=WARNING --no-warn-unused-cli >/dev/null
fi
build "$build" plait_cli
plait=$build/examples/plait_cli/plait
step "Does anything look wrong?" check "$net"

step "Round trip: to text" convert "$net" -o "$out"/first.pbtxt
step "Text to JSON" convert "$out"/first.pbtxt -o "$out"/net.json
step "JSON to binary" convert "$out"/net.json -o "$out"/net.pb
step "Binary to text" convert "$out"/net.pb -o "$out"/last.pbtxt
if ! cmp "$out"/first.pbtxt "$out"/last.pbtxt; then
  echo "demo: the round trip changed the net" >&2
  exit 1
fi
printf '\nThe round trip text -> JSON -> binary -> text changed nothing: %s bytes as before.\n' "$(wc -c <"$out"/last.pbtxt)"

if [ $# -eq 0 ]; then
  build "$build" plait_char_lstm
  printf '\n== An LSTM learns to write like examples/data/tides.txt, character by character\n'
  trained=$build/trained
  mkdir -p "$trained"
  seconds=60
  if [ -e "$trained"/lstm.pbtxt ]; then
    seconds=5
    printf '(going on from an earlier run; remove %s to begin anew)\n' "$trained"
  fi
  train=(--net "$trained"/lstm.pbtxt --curve "$out"/loss.svg --steps 1000000 --seconds "${PLAIT_DEMO_SECONDS:-$seconds}"
    --prime "The ")
  printf '$ char_lstm'
  printf ' %q' "${train[@]}"
  printf '\n'
  "$build"/examples/char_lstm/char_lstm "${train[@]}"
  cp "$trained"/lstm* "$out"

  step "The net of a step of its training" info "$out"/lstm.pbtxt
  step "The part that says how well it does" subgraph "$out"/lstm.pbtxt --to loss --extract -o "$out"/lstm_loss.pbtxt
  step "Its gradient, and both in one picture" grad "$out"/lstm_loss.pbtxt --y loss -o "$out"/lstm_gradient.pbtxt \
    --dot "$out"/lstm.dot
  picture "$out"/lstm
  for net in lstm_loss lstm_gradient; do
    step "SSA form of $net" ssa "$out"/$net.pbtxt
    step "A picture of it, with the nets of one step of the recurrence" dot --ssa "$out"/$net.pbtxt -o "$out"/$net.dot
    picture "$out"/$net
  done
  step "The net that writes, on its first character" run "$out"/lstm.sample.pbtxt --init "$out"/lstm.init.pbtxt \
    --random symbol=1x1:int32 --random sharpness=1 --fetch probability
  printf '\n'
fi
ls -l "$out" | awk 'NR > 1 { printf "  %8d  %s/%s\n", $5, out, $NF }' out="$out"
