#!/usr/bin/env bash
# Makes the files of this folder from the sources in it, with LLVM 14 (CLANG, OPT: other names of its programs).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
clang=${CLANG:-clang-14}
opt=${OPT:-opt-14}

analyses() { # NAME
  "$opt" -S -passes=mem2reg "$1.ll" -o "$1.mem2reg.ll"
  "$opt" -disable-output -passes='print<domtree>' "$1.ll" 2> "$1.domtree.txt"
  "$opt" -disable-output -passes='print<postdomtree>' "$1.ll" 2> "$1.postdomtree.txt"
  "$opt" -disable-output -passes='print<domfrontier>' "$1.ll" 2> "$1.domfrontier.txt"
  "$opt" -disable-output -passes='print<loops>' "$1.ll" 2> "$1.loops.txt"
}

flags='-S -emit-llvm -O0 -Xclang -disable-O0-optnone -w -fno-ident'
"$clang" $flags -fno-discard-value-names hard.c -o hard.ll
"$clang" $flags hard.c -o unnamed.ll
"$clang" $flags -std=c++17 -fno-discard-value-names references.cpp -o references.ll
python3 random_functions.py 1 60 | "$opt" -S -o random.ll -
for name in hard unnamed references by_hand random; do analyses $name; done

# Flow graphs of hard.ll in the readable form; the other modules have theirs in M.ll alone.
awk '
  function finish(  i, j, n, targets, seen, line) {
    print "func " name " " count
    for (i = 0; i < count; ++i) {
      line = i " " labels[i] " :"
      n = split(to[i], targets, " ")
      split("", seen)
      for (j = 1; j <= n; ++j)
        if (!(targets[j] in seen)) { seen[targets[j]]; line = line " " numbers[targets[j]] }
      print line
    }
  }
  /^define / { match($0, /@[^(]*/); name = substr($0, RSTART + 1, RLENGTH - 1); count = 0; split("", numbers); split("", to); next }
  /^}/ { finish(); next }
  /^[-a-zA-Z$._0-9]+:/ { label = $1; sub(/:.*/, "", label); labels[count] = label; numbers[label] = count++; next }
  /^ / && count { gsub(/"[^"]*"/, ""); while (match($0, /label %[-a-zA-Z$._0-9]+/)) {
      to[count - 1] = to[count - 1] " " substr($0, RSTART + 7, RLENGTH - 7); $0 = substr($0, RSTART + RLENGTH) } }
' hard.ll > hard.cfg.txt
