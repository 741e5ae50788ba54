#!/usr/bin/env bash
# Writes the README's table of headers: each public header with the first sentence of its opening comment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

table() {
  echo '| header | what |'
  echo '|---|---|'
  for layer in "" core graph net ssa dataflow transform netdef gradient exec rnn interop; do
    for header in include/plait/${layer:+$layer/}*.hpp ${layer:+include/plait/$layer/*/*.hpp include/plait/$layer/*/*/*.hpp}; do
      [ -e "$header" ] && [ "${header%/detail/*}" = "$header" ] || continue
      # The first sentence of the opening comment, on one line.
      what=$(sed -n '/^\/\//!q; s/^\/\/ \{0,1\}//p' "$header" | sed '/^$/q' | tr '\n' ' ' |
        awk '{
          # Initials, "et al." and "p." end no sentence.
          for (end = 0; match(substr($0, end + 1), /\.( |$)/);) {
            end += RSTART
            if (substr($0, 1, end - 1) !~ /(^|[ -])([A-Z]|al|pp?)$/) { print substr($0, 1, end - 1); next }
          }
          print
        }')
      echo "| \`${header#include/}\` | $what |"
    done
  done
}

table > README.table.tmp
awk '
  /<!-- headers -->/ { print; while ((getline line < "README.table.tmp") > 0) print line; skip = 1; next }
  skip && /^## / { print ""; skip = 0 }
  !skip { print }
' README.md > README.md.tmp
mv README.md.tmp README.md
rm README.table.tmp
