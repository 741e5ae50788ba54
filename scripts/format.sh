#!/usr/bin/env bash
# Formats C++ files with clang-format 16, the only version with the expected output.
#
#   scripts/format.sh [--check] [FILE...]     default: every C++ file that git tracks or does not ignore
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)

mode=(-i)
if [ "${1:-}" = --check ]; then
  mode=(--dry-run --Werror)
  shift
fi

tool=${CLANG_FORMAT:-clang-format-16}
if ! command -v "$tool" >/dev/null; then
  echo "format: $tool is not installed (apt-get install clang-format-16)" >&2
  exit 1
fi

if [ $# -gt 0 ]; then
  for file; do  # other files named by mistake would be formatted as if they were C++
    case $file in
      *.hpp | *.cpp | *.cu) "$tool" "${mode[@]}" "$file" ;;
      *) echo "format: $file is no C++ file" >&2 && exit 1 ;;
    esac
  done
else
  cd "$top"
  git ls-files -z --cached --others --exclude-standard -- '*.hpp' '*.cpp' '*.cu' | xargs -0 -r "$tool" "${mode[@]}"
fi
