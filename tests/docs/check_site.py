#!/usr/bin/env python3
"""Makes the site with scripts/docs.sh and checks it as a reader sees it.

    check_site.py SCRIPT OUTPUT CHROMIUM

Every internal link, anchor, image, style and script of the pages must be there, and no page may load anything from elsewhere.
Then three pages are opened in headless Chromium, from the file system, and a word is typed into the search.
"""
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse

DEADLINE = 120  # seconds for a page to show what is expected, on a busy machine


class page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(values[name] for name in ("id", "name") if values.get(name))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag == "link" and values.get("href") and values.get("rel") != "canonical":
            self.loads.append(values["href"])
        if tag in ("img", "script", "iframe") and values.get("src"):
            self.loads.append(values["src"])


def broken(site):
    """Yields "page: link: why"."""
    pages = {path: page(path) for path in sorted(site.rglob("*.html"))}
    for path, content in pages.items():
        if path.name == "404.html":  # its links are those of a site at the root of a server
            continue
        where = path.relative_to(site)
        for link in content.loads + content.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme in ("http", "https") or link.startswith("//"):
                if link in content.loads:
                    yield f"{where}: {link}: is loaded from elsewhere"
                continue
            if parts.scheme:
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.is_relative_to(site) or not target.exists():
                yield f"{where}: {link}: there is no such file"
            elif parts.fragment and target in pages:
                anchor = urllib.parse.unquote(parts.fragment)
                if anchor not in pages[target].anchors and not anchor.startswith("__"):
                    yield f"{where}: {link}: the page has no such anchor"


class browser:
    """Chromium, driven by its debugging protocol over pipes."""

    def __init__(self, program, profile):
        to_browser, self.to = os.pipe()
        self.back, from_browser = os.pipe()

        def descriptors():  # the protocol reads from 3 and writes to 4
            one, two = os.dup(to_browser), os.dup(from_browser)
            os.dup2(one, 3)
            os.dup2(two, 4)

        # No shell: descriptors 3 and 4 are set between fork and exec.
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--allow-file-access-from-files", f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=descriptors, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.buffer, self.session = 0, b"", None
        target = next(t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.buffer:
                received = os.read(self.back, 1 << 16)
                if not received:
                    raise SystemExit("Chromium has ended")
                self.buffer += received
            answer, self.buffer = self.buffer.split(b"\0", 1)
            answer = json.loads(answer)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"Chromium: {method}: {answer['error']}")
                return answer["result"]

    def value(self, expression):
        return self.ask("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def open(self, path):
        url = path.resolve().as_uri()
        self.ask("Page.navigate", url=url)
        self.wait_for(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")

    def wait_for(self, condition):
        end = time.monotonic() + DEADLINE
        while self.value(condition) is not True:
            if time.monotonic() > end:
                raise SystemExit(f"{self.value('location.href')}: never true: {condition}")
            time.sleep(0.1)

    def close(self):
        self.ask("Browser.close")
        self.process.wait(30)


def has_text(selector, text):
    return (f"[...document.querySelectorAll({json.dumps(selector)})]"
            f".some((found) => found.innerText.includes({json.dumps(text)}))")


def main():
    script, output, chromium = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    subprocess.run([script, str(output)], check=True)
    found = list(broken(output))
    print("\n".join(found) if found else "all links of the site resolve")
    if found:
        return 1

    with tempfile.TemporaryDirectory(dir=output.parent) as profile:
        reader = browser(chromium, profile)
        reader.open(output / "index.html")
        reader.wait_for(has_text("article h1", "plait"))
        reader.wait_for(has_text("article code", "plait::get_ssa(function)"))
        reader.wait_for("document.querySelector('article img[src$=\"ssa.svg\"]').naturalWidth > 0")

        reader.open(output / "guide" / "gradients.html")
        reader.wait_for(has_text("article h1", "Gradients"))
        reader.wait_for("document.querySelector('.md-nav--primary a[href$=\"recurrence.html\"]') !== null")
        reader.wait_for("getComputedStyle(document.querySelector('.md-header')).position === 'sticky'")  # has its style

        reader.open(output / "api" / "graph" / "dominators.html")
        reader.wait_for(has_text("article h1", "graph/dominators.hpp"))
        reader.wait_for(has_text("article h2", "dominator_tree"))
        reader.wait_for(has_text("article code", "idom(node const& n) const;"))
        reader.wait_for(has_text("article p", "Returns the immediate dominator"))

        # Types into the search until its worker is there: keys before that are lost.
        reader.value("document.querySelector('[data-md-toggle=search]').click()")
        reader.wait_for("""(() => {
            const query = document.querySelector('[data-md-component=search-query]');
            if (query.value !== 'dead code') {
              query.focus();
              query.value = 'dead code';
            }
            query.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true}));
            return document.querySelector('.md-search-result__list a[href*="dead_code"]') !== null;
          })()""")
        reader.close()
    print("Chromium shows the pages, and the search finds an API page")
    return 0


sys.exit(main())
