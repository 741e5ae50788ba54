#!/usr/bin/env python3
"""Checks that what documents refer to is there: files they link to, headings, and files they name.

    check_links.py [ROOT]

Reads README.md, CONTRIBUTING.md, CHANGELOG.md and all of docs/. A link may lead to a file or folder of the project, and from
a document on to a heading of it, by the anchor that GitHub makes of the heading. A path in a code span, such as
`tests/docs/check_links.py` or `graph/loops.hpp`, must exist in the project, headers below include/plait with or without the
first folders. Prints one line for each that does not. Links to other sites are not followed.
"""
import pathlib
import re
import sys

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")


FOLDERS = "include|tests|examples|scripts|benchmarks|cmake|docs"


def prose(text):
    """Lines outside of fenced blocks, with their numbers."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and (fence is None or mark[1].startswith(fence)):
            fence = mark[1] if fence is None else None
        elif fence is None:
            yield number, line


def anchors(path):
    """The anchors of a document's headings, as GitHub makes them, and those it names itself."""
    found = set()
    text = path.read_text(encoding="utf-8")
    fence = False
    for line in text.splitlines():
        if re.match(r"\s*(```|~~~)", line):
            fence = not fence
        heading = None if fence else re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if heading is None:
            continue
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])  # of links the text counts
        slug = re.sub(r"[^\w\- ]", "", title.replace("`", "").lower()).replace(" ", "-")
        number = 0
        while (slug if number == 0 else f"{slug}-{number}") in found:
            number += 1
        found.add(slug if number == 0 else f"{slug}-{number}")
    return found | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def project_files(root):
    """The paths of the folders that documents name, below the project."""
    return ["/" + path.relative_to(root).as_posix() for folder in FOLDERS.split("|") for path in (root / folder).rglob("*")]


def names_something(files, name):
    """False for a path of the project, or a header, that is not there."""
    is_path = re.fullmatch(rf"({FOLDERS})/[\w./*-]*[\w/*]", name)
    if not is_path and not re.fullmatch(r"[\w./*-]+\.hpp", name) or name == ".hpp":
        return True
    wanted = re.escape(name.strip("/")).replace(r"\*", "[^/]*")
    pattern = re.compile(f"/{wanted}" if is_path else f"/(include|tests|examples)/(.*/)?{wanted}")
    return any(pattern.fullmatch(path) for path in files)


def broken_links(root):
    """Yields "document:line: link: why"."""
    documents = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    documents += sorted((root / "docs").rglob("*.md"))
    files = project_files(root)
    known = {}
    checked = {}
    for document in documents:
        for number, line in prose(document.read_text(encoding="utf-8")):
            for name in re.findall(r"`([^`]*)`", line):
                if name not in checked:
                    checked[name] = names_something(files, name)
                if not checked[name]:
                    yield f"{document.relative_to(root)}:{number}: `{name}`: there is no such file"
            for target in LINK.findall(re.sub(r"`[^`]*`", "``", line)):
                if re.match(r"[a-z][a-z0-9+.-]*:", target):
                    continue
                place, _, anchor = target.partition("#")
                path = (document.parent / place).resolve() if place else document
                where = f"{document.relative_to(root)}:{number}: {target}"
                if not path.is_relative_to(root):
                    yield f"{where}: leads out of the project"
                elif not path.exists():
                    yield f"{where}: there is no such file"
                elif anchor:
                    if path.suffix != ".md":
                        yield f"{where}: only documents have anchors"
                        continue
                    if path not in known:
                        known[path] = anchors(path)
                    if anchor not in known[path]:
                        yield f"{where}: the document has no such heading"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    broken = list(broken_links(root))
    print("\n".join(broken) if broken else "all links resolve")
    return 1 if broken else 0


sys.exit(main())
