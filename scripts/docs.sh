#!/usr/bin/env bash
# Makes a web site of the documents and of an API reference from the headers' comments. Open index.html; needs no server.
#
#   scripts/docs.sh [OUTPUT]     OUTPUT: a folder that is written anew, default build/site
#
# Installs what is missing; offline from then on. Fails if a page links to something that is not there.
set -euo pipefail
output=$(realpath -m -- "${1:-$(dirname "$0")/../build/site}")
cd "$(dirname "$0")/.."

python=build/docs-venv/bin/python
if ! command -v doxygen >/dev/null || ! cmp -s scripts/site/requirements.txt build/docs-venv/requirements.txt; then
  scripts/bootstrap.sh
fi
if ! command -v doxygen >/dev/null || [ ! -x $python ]; then
  echo "docs: Doxygen, and MkDocs in build/docs-venv, are needed" >&2
  exit 1
fi

work=$output.work
rm -rf "$work"
mkdir -p "$work"
cat scripts/site/Doxyfile - >"$work/Doxyfile" <<END
INPUT            = include/plait
OUTPUT_DIRECTORY = "$work"
STRIP_FROM_PATH  = include
INPUT_FILTER     = "awk -f scripts/site/comments.awk"
END
doxygen "$work/Doxyfile"
$python scripts/site/pages.py --root . --xml "$work/xml" --pages "$work/pages" --config "$work/mkdocs.json" --site "$output"
NO_MKDOCS_2_WARNING=1 $python -m mkdocs --quiet build --strict --clean --config-file "$work/mkdocs.json"
rm -rf "$work"
echo "docs: $output/index.html"
