#!/usr/bin/env python3
"""Updates the C++ blocks of the documents after comments or layout of the files that contain them have changed.

A block is found again by its code without comments and white space. Prints the blocks whose code is no longer in their file:
these are to be changed by hand. tests/docs/snippets.cpp checks the result.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- file: (\S+) -->\n```cpp\n)(.*?)(^```$)", re.S | re.M)


def code(line):
    """Returns a line without its comment and white space."""
    return re.sub(r"\s+", "", re.sub(r"//.*", "", line))


def is_comment(line):
    return line.strip().startswith("//")


def current(text, old):
    """Returns the lines of a file with the code of a block, and the comments before it if the block begins with one; or None."""
    lines = text.splitlines()
    known = [(number, code(line)) for number, line in enumerate(lines) if code(line)]
    whole = "".join(part for _, part in known)
    wanted = "".join(code(line) for line in old.splitlines())
    place = -1
    while (place := whole.find(wanted, place + 1)) != -1:
        length, first, last = 0, None, None
        for number, part in known:  # whole lines only
            if length == place:
                first = number
            length += len(part)
            if length == place + len(wanted):
                last = number
                break
        if first is None or last is None:
            continue
        if is_comment(old.splitlines()[0]):
            while first > 0 and is_comment(lines[first - 1]):
                first -= 1
        return "\n".join(lines[first:last + 1]) + "\n"
    return None


def main():
    lost = []
    for document in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        def update(block):
            path = ROOT / block[2]
            found = current(path.read_text(encoding="utf-8"), block[3]) if path.exists() else None
            if found is None:
                lost.append(f"{document.relative_to(ROOT)}: not in {block[2]}:\n{block[3]}")
                return block[0]
            return block[1] + found + block[4]

        before = document.read_text(encoding="utf-8")
        after = BLOCK.sub(update, before)
        if after != before:
            document.write_text(after, encoding="utf-8")
            print(f"{document.relative_to(ROOT)}: updated")
    print("\n".join(lost), end="")
    return 1 if lost else 0


sys.exit(main())
