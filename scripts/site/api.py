"""API pages from Doxygen's XML. Doxygen says what is declared where, with which comment; declarations are quoted as written."""
import pathlib
import posixpath
import re
import xml.etree.ElementTree

COMMENT = re.compile(r"\s*///? ?")


class entity:
    """What Doxygen knows of a declaration. `name` is qualified, without plait::."""

    def __init__(self, element, name, kind):
        place = element.find("location")
        self.name, self.kind = name.removeprefix("plait::"), kind
        self.header, self.line = (place.get("file"), int(place.get("line"))) if place is not None else ("", 0)
        self.is_public = element.get("prot", "public") == "public"
        self.text = comment(element)
        self.members, self.nested = [], set()


def comment(element):
    """Returns the text of the /// comment of an element, as written."""
    verbatim = element.find("detaileddescription//verbatim")
    if verbatim is None:
        verbatim = element.find("briefdescription//verbatim")
    if verbatim is None:
        return ""
    lines = (verbatim.text or "").strip().split("\n")
    return "\n".join(line if number == 0 else re.sub(r"^\s*/// ?", "", line).rstrip() for number, line in enumerate(lines))


def escaped(text):
    """Escapes what Markdown would interpret outside of code spans."""
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_\[\]|#])", r"\\\1", part).replace("<", "&lt;")
                   for part in re.split(r"(`[^`]*`)", text))


def markdown(text):
    """Returns a comment as Markdown: indented lines are code, lines that begin with a hyphen are lists."""
    blocks, kind = [], None
    for line in text.split("\n"):
        item = re.match(r" *- ", line)
        if not line.strip():
            now = None if kind != "code" else "code"
        elif item:
            now = "list"
        elif kind == "list" and line.startswith("  "):
            now = "list"
        elif line.startswith("  "):
            now = "code"
        else:
            now = "text"
        if now is None:
            kind = None
            continue
        if now != kind:
            blocks.append((now, []))
        blocks[-1][1].append(line)
        kind = now
    made = []
    for kind, lines in blocks:
        while lines and not lines[-1].strip():
            lines.pop()
        if kind == "code":
            margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
            made.append("```cpp\n" + "\n".join(line[margin:] for line in lines) + "\n```")
        elif kind == "list":
            made.append("\n".join("- " + escaped(line.strip()[2:]) if line.lstrip().startswith("- ") else "    " + escaped(line.strip())
                                  for line in lines))
        else:
            made.append(escaped("\n".join(lines)))
    return "\n\n".join(made)


def opening_comment(source):
    lines = []
    for line in source:
        if not line.startswith("//"):
            break
        lines.append(COMMENT.sub("", line, 1).rstrip())
    return "\n".join(lines)


def code_of(line):
    return re.sub(r"//.*", "", line).rstrip()


def declaration(source, e):
    """Returns the first line and the text of a declaration, without the body of a function or class."""
    first = e.line - 1
    while first > 0:
        before = source[first - 1]
        if not code_of(before).strip() or re.search(r"([;{}]|^\s*(public|private|protected):)$", code_of(before)) or before.lstrip().startswith("#"):
            break
        first -= 1
    keeps_body = e.kind in ("enum", "concept", "variable", "typedef")
    depth, text, inside_requires = 0, "", 0
    done = False
    for line in source[first:first + 60]:
        code = line if keeps_body else code_of(line)
        comment_at = code.find("//")
        for at, c in enumerate(code):
            in_comment = comment_at != -1 and at >= comment_at
            if in_comment:
                text += c
                continue
            if c in "([" or c == "{" and (depth or keeps_body or inside_requires):
                depth += 1
            elif c == "{":
                if re.search(r"\brequires\s*(\([^{}]*\))?\s*$", text):
                    depth += 1
                else:
                    done = True
            elif c in ")]" or c == "}":
                depth -= 1
            elif c == ";" and depth == 0:
                text += c
                done = True
            elif c == ":" and depth == 0 and e.kind == "function" and ":" not in code[at - 1:at] + code[at + 1:at + 2] and ")" in text:
                done = True
            if done:
                break
            text += c
        if done:
            break
        text += "\n"
    lines = text.rstrip().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    text = "\n".join(line[margin:].rstrip() for line in lines)
    return first, text if text.endswith(";") else text + ";"


class reference:
    """What the public headers declare. `headers` has their names below include/, sorted."""

    def __init__(self, include, xml):
        self.sources = {path.relative_to(include).as_posix(): path.read_text(encoding="utf-8").split("\n")
                        for path in sorted(include.rglob("*.hpp"))}
        self.headers = [name for name in self.sources if "/detail/" not in name]
        self.includes = {name: [match[1] for line in lines if (match := re.match(r"#include <(plait/[^>]+)>", line))]
                         for name, lines in self.sources.items()}
        self.owner = self.owners()
        self.entities = {}
        self.read(xml)

    def owners(self):
        """Returns for each header in detail/ the public header that documents it: the nearest one that includes it, of its layer if there is one."""
        distances = {}
        for header in self.headers:
            seen, front, distance = {header}, [header], 0
            while front:
                distance += 1
                front = [n for h in front for n in self.includes[h] if "/detail/" in n and n in self.sources and n not in seen]
                seen.update(front)
                for name in dict.fromkeys(front):
                    common = len(posixpath.commonprefix([header, name]))
                    declares_nothing = not any(line.startswith("namespace") for line in self.sources[header])
                    distances.setdefault(name, []).append((distance, -common, not declares_nothing, header))
        return {name: min(found)[-1] for name, found in distances.items()}

    def read(self, xml):
        classes = {}
        for path in sorted(pathlib.Path(xml).glob("*.xml")):
            if path.name.endswith("_8hpp.xml") or not re.match(r"(class|struct|union|concept|namespace)plait", path.name):
                continue
            compound = xml_of(path)
            name, kind = compound.findtext("compoundname"), compound.get("kind")
            if re.search(r"\bdetail\b", name.partition("<")[0]):
                continue
            members = [(m, entity(m, m.findtext("name"), m.get("kind"))) for m in compound.iter("memberdef")]
            if kind == "namespace":
                for m, e in members:
                    e.name = (name + "::" + e.name).removeprefix("plait::")
                    if e.kind != "friend":
                        self.add(e)
                continue
            e = entity(compound, name, kind)
            e.members = [m for _, m in members if m.is_public and not (m.kind == "friend" and re.match(r"(class|struct) ", m.name))]
            e.nested = {inner.text.removeprefix("plait::") for inner in compound.findall("innerclass") if inner.get("prot") == "public"}
            classes[e.name] = e
        nested = {name for e in classes.values() for name in e.nested}
        for e in classes.values():
            outer = e.name.partition("<")[0].rpartition("::")[0]
            if outer not in classes or e.name in nested:
                self.add(e)

    def add(self, e):
        if e.header not in self.sources or not e.is_public:
            return
        header = self.owner.get(e.header, e.header)
        if header in self.headers and (header == e.header or e.text):
            self.entities.setdefault(header, []).append(e)

    def section(self, e):
        """Returns the declaration of an entity and its comment; of a class the public members, too."""
        parts = ["```cpp\n" + declaration(self.sources[e.header], e)[1] + "\n```"]
        if e.text:
            parts.append(markdown(e.text))
        plain, seen = [], set()
        for m in sorted(e.members, key=lambda m: m.line):
            if m.header != e.header:
                continue
            first, text = declaration(self.sources[m.header], m)
            if first in seen or "= delete" in text or re.search(r"\bBecause\b", text):
                continue
            seen.add(first)
            if m.text and plain:
                parts.append("```cpp\n" + "\n".join(plain) + "\n```")
                plain = []
            if m.text:
                parts.append("```cpp\n" + text + "\n```")
                parts.append(markdown(m.text))
            else:
                plain.append(text)
        if plain:
            parts.append("```cpp\n" + "\n".join(plain) + "\n```")
        return "\n\n".join(parts)

    def page(self, header, pages):
        folder = posixpath.dirname(pages[header])
        parts = [f"# {header.removeprefix('plait/')}", f"```cpp\n#include <{header}>\n```",
                 markdown(opening_comment(self.sources[header]))]
        order = {name: number for number, name in enumerate([header, *self.includes[header]])}
        found = sorted(self.entities.get(header, []), key=lambda e: (order.get(e.header, len(order)), e.header, e.line))
        if not found:
            others = [name for name in self.includes[header] if name in pages]
            parts += ["\n".join(f"- [`{name}`]({posixpath.relpath(pages[name], folder)})" for name in others)]
        overloads = {}
        for e in found:
            overloads.setdefault(e.name, []).append(e)
        for name, entities in overloads.items():
            anchor = re.sub(r"[^\w~=+*/%!&|^-]+", "-", name).strip("-")
            anchor = re.sub(r"[^\w-]", lambda c: f"{ord(c[0]):x}", anchor)
            title = re.sub(r"\s*([<>,])\s*", lambda c: c[1] + (" " if c[1] == "," else ""), name) if "operator" not in name else name
            parts.append(f"## `{title}` {{#{anchor}}}")
            seen = set()
            for e in entities:
                key = (e.header, declaration(self.sources[e.header], e)[0])
                if key not in seen:
                    seen.add(key)
                    parts.append(self.section(e))
        return "\n\n".join(part for part in parts if part) + "\n"


def xml_of(path):
    return xml.etree.ElementTree.parse(path).getroot().find("compounddef")
