#!/usr/bin/env python3
"""Writes the Markdown pages of the site: the documents with their links rewritten, and one API page per public header.

    pages.py --root PROJECT --xml DOXYGEN_XML --pages OUTPUT_FOLDER --config OUTPUT_FILE --site SITE_FOLDER

README.md becomes the start page, and its section "Documents" the navigation. Headers that documents name in code spans become
links to their API pages. The configuration is for MkDocs and inherits from mkdocs.yml.
"""
import argparse
import json
import os
import pathlib
import posixpath
import re
import shutil

import api

LAYERS = "core graph net ssa dataflow transform netdef gradient exec rnn interop".split()
TOP = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "LICENSE": "license.md"}


def fenced(text):
    """Yields the text in pieces, each with true for a fenced block."""
    piece, fence = [], None
    for line in text.splitlines(keepends=True):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and fence is None:
            yield "".join(piece), False
            piece, fence = [line], mark[1]
        elif mark and mark[1].startswith(fence):
            yield "".join([*piece, line]), True
            piece, fence = [], None
        else:
            piece.append(line)
    yield "".join(piece), fence is not None


def is_in_link(text, end):
    """Returns true if a code span that ends here belongs to the text of a link."""
    following = re.search(r"\[|\]\(|\n\n", text[end:])
    return following is not None and following[0] == "]("


def as_python_markdown(text):
    """Adapts lists to Python-Markdown: an empty line before each, four spaces per level."""
    lines = []
    for line in text.split("\n"):
        item = re.match(r"( *)([-*]|\d+\.) ", line)
        if item and lines and lines[-1].strip() and not re.match(r" *([-*]|\d+\.) |  ", lines[-1]):
            lines.append("")
        lines.append(re.sub(r"^(?: {2,3})(?=\S)", "    ", line))
    return "\n".join(lines)


class site:
    def __init__(self, root, pages, headers):
        self.root, self.pages, self.headers = root, pages, headers

    def page_of(self, path):
        """Returns the place in the site of a file of the project."""
        if path in TOP:
            return TOP[path]
        if path.startswith("docs/"):
            return path.removeprefix("docs/")
        if path.removeprefix("include/") in self.headers:
            return self.headers[path.removeprefix("include/")]
        raise SystemExit(f"pages.py: the site has no place for {path}")

    def header_page(self, name):
        for candidate in (name, "plait/" + name, name.removeprefix("include/"), name.strip("<>")):
            if candidate in self.headers:
                return self.headers[candidate]
        return None

    def convert(self, text, source):
        """Returns the text of a page made from a document."""
        folder = posixpath.dirname(self.page_of(source))

        def link(match):
            whole = match[0]
            if whole.startswith("`"):
                page = self.header_page(whole.strip("`"))
                in_heading = match.string[match.string.rfind("\n", 0, match.start()) + 1:].startswith("#")
                if page is None or in_heading or is_in_link(match.string, match.end()):
                    return whole
                return f"[{whole}]({posixpath.relpath(page, folder or '.')})"
            target, _, anchor = match[1].partition("#")
            if not target or re.match(r"[a-z][a-z0-9+.-]*:", target):
                return whole
            path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
            page = posixpath.relpath(self.page_of(path), folder or ".")
            return f"]({page}{'#' + anchor if anchor else ''})"

        return "".join(piece if is_code else as_python_markdown(re.sub(r"`+[^`]+`+|\]\(([^)\s]+)\)", link, piece))
                       for piece, is_code in fenced(text))

    def write(self, page, text):
        path = self.pages / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def navigation(readme, api_pages):
    """Returns the pages in the groups and the order of the README's section "Documents", then those of the API."""
    section = re.search(r"^## Documents\n(.*?)^## ", readme, re.S | re.M)[1]
    nav = [{"plait": "index.md"}]
    for title, text in re.findall(r"^- \*\*(.*?)\*\*:(.*?)(?=^- |\Z)", section, re.S | re.M):
        pages = [TOP.get(path, path.removeprefix("docs/")) for path in re.findall(r"\]\(([^)#]+)\)", text)]
        nav.append({title: [page for page in pages if page != "reference/headers.md"]})
    nav[-1][next(iter(nav[-1]))].append("license.md")
    reference = ["reference/headers.md", *(page for page in api_pages if page.count("/") == 1)]
    reference += [{layer: [page for page in api_pages if page.startswith(f"api/{layer}/")]} for layer in LAYERS]
    nav.append({"API": reference})
    return nav


def main():
    parser = argparse.ArgumentParser()
    for name in ("root", "xml", "pages", "config", "site"):
        parser.add_argument("--" + name, type=pathlib.Path, required=True)
    options = parser.parse_args()
    root = options.root.resolve()

    reference = api.reference(root / "include", options.xml)
    headers = {header: f"api/{header.removeprefix('plait/').removesuffix('.hpp')}.md" for header in reference.headers}
    made = site(root, options.pages, headers)
    for header, page in headers.items():
        made.write(page, reference.page(header, headers))
    for source in ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", *sorted(p.relative_to(root).as_posix() for p in (root / "docs").rglob("*.md"))]:
        made.write(made.page_of(source), made.convert((root / source).read_text(encoding="utf-8"), source))
    made.write("license.md", f"# Licence\n\n```text\n{(root / 'LICENSE').read_text(encoding='utf-8')}```\n")
    for picture in sorted((root / "docs").rglob("*.svg")):
        path = options.pages / picture.relative_to(root / "docs")
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, path)
    here = pathlib.Path(__file__).resolve().parent
    shutil.copytree(here / "assets", options.pages / "assets")

    options.config.write_text(json.dumps({
        "INHERIT": os.path.relpath(here / "mkdocs.yml", options.config.parent),
        "docs_dir": str(options.pages.resolve()),
        "site_dir": str(options.site.resolve()),
        "nav": navigation((root / "README.md").read_text(encoding="utf-8"), sorted(headers.values())),
    }, indent=1), encoding="utf-8")


main()
