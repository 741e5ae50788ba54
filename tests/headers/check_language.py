#!/usr/bin/env python3
"""Checks comments, messages, documents and test names for what the language rules forbid (CONTRIBUTING.md, "Language").

Usage: check_language.py ROOT    checks the source tree at ROOT
       check_language.py --self-test

Prints each violation as "file:line: rule: text" and returns 1 if there are any. Checked by rule, with no exceptions by
name: whole folders are in scope or not.
"""

import os
import re
import sys

SOURCES = (".hpp", ".cpp", ".cu", ".h", ".inc")
HASH_COMMENTS = (".cmake", ".py", ".sh", ".in")
SKIPPED_FOLDERS = {".git", "build", "data", "__pycache__"}
# The runtime's internals are rewritten elsewhere.
UNCHECKED = re.compile(r"^(include/plait/exec/(.*/)?detail/|include/plait/exec/(kernels|operators)/.*/|"
                       r"include/plait/exec/kernels/(?!for_each\.hpp)|tests/exec/|tests/compile_fail/exec/)")

# A first sentence begins with a noun phrase or an imperative, thus never with one of these words.
NO_NOUN_PHRASE = {
    # wh-words and other clause openers
    "what", "how", "which", "when", "where", "whether", "why", "who", "whose", "whom", "that", "because", "since", "although",
    "though", "unless", "until", "once", "so", "but",
    "and", "or", "nor", "not", "as", "than",
    # pronouns
    "it", "its", "they", "them", "their", "this", "these", "those", "he", "she", "his", "her", "we", "us", "our", "you",
    "your", "i", "my", "one", "there", "here", "such", "another", "same", "both", "neither", "either",
    # prepositions
    "of", "for", "from", "to", "with", "without", "in", "into", "on", "by", "at", "between", "after", "before", "behind",
    "like", "about", "over", "under", "through", "among",
    # verbs without a subject
    "is", "are", "was", "were", "has", "have", "had", "does", "can", "may", "must",
}
FRAGMENT = re.compile(r"(of|whether|the same|those|what)\b(?![-:=(])", re.IGNORECASE)

BANNED = [
    (re.compile(r"\b(nobody|somebody)\b", re.I), "say which code: the caller, another thread, no op"),
    (re.compile(r"\bone's own\b", re.I), "say user-defined"),
    (re.compile(r"\b(first|second|third|last)[- ]level caches?\b|\bcaches? of the (first|second|third|last) level\b", re.I),
     "say L1, L2, L3"),
    (re.compile(r"\bkind of (a|an|like)\b", re.I), "say what it is"),
]
TEST_CASE = re.compile(r'^[ \t]*TEST_CASE(?:_TEMPLATE|_TEMPLATE_DEFINE|_FIXTURE)?\s*\(\s*(?:\w+\s*,\s*)?((?:"(?:[^"\\]|\\.)*"\s*)+)',
                       re.MULTILINE)
SUBJECT_AND_FACT = re.compile(r"[^\s:][^:]*(::[^:]+)*: \S")


def comments_and_strings(text):
    """Yields ("//", line, text) for each line comment and ('"', line, text) for each string literal that is not raw."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<![0-9a-fA-F])\'(?:[^\'\\\n]|\\.)+\'', re.DOTALL)
    for match in token.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match[0].startswith("//"):
            yield "//", line, match[0]
        elif match[0].startswith('"'):
            yield '"', line, match[0]


def first_words(sentence):
    """Returns the first words of a sentence in lower case; a hyphenated word is one word."""
    return re.findall(r"[a-z_][\w'-]*", sentence.lower())[:2]


def opening_fault(sentence):
    """Returns why a header's first sentence is refused, or None."""
    words = first_words(sentence)
    if not words:
        return "an opening comment names the concept in words"
    if words[0] in NO_NOUN_PHRASE or (words[0] == "the" and words[1:] == ["same"]):
        return "an opening comment begins with a noun phrase or an imperative"
    return None


def fragment_fault(sentence):
    """Returns why the beginning of a comment is refused, or None."""
    if FRAGMENT.match(sentence):
        return "a comment begins with a verb or a noun phrase"
    return None


def banned_fault(text):
    """Returns the first banned wording and its replacement, or None."""
    for pattern, advice in BANNED:
        found = pattern.search(text)
        if found:
            return f'"{found[0].strip()}": {advice}'
    return None


def test_name_fault(name):
    """Returns why the name of a test case is refused, or None."""
    return None if SUBJECT_AND_FACT.match(name) else "a test case is named \"subject: fact\""


def check_source(path, text, faults):
    lines = text.split("\n")
    if path.startswith("include/") and lines[0].startswith("//"):
        fault = opening_fault(lines[0].lstrip("/ "))
        if fault:
            faults.append((path, 1, fault, lines[0]))
    last_comment = -1  # the line of the last comment that a comment on the next line goes on with
    for mark, line, token in comments_and_strings(text):
        if mark == "//":
            alone = lines[line - 1].lstrip().startswith("//")
            if not alone or line != last_comment + 1:
                words = token.lstrip("/< ")
                fault = fragment_fault(words) if token.startswith("///") or alone and words[:3] != "Of " else None
                if fault:
                    faults.append((path, line, fault, token))
            last_comment = line
        if mark == '"' and " " not in token:  # a name, not a message
            continue
        fault = banned_fault(token)
        if fault:
            faults.append((path, line, fault, token))
    if path.startswith("tests/"):
        for match in TEST_CASE.finditer(text):
            name = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', match[1]))
            fault = test_name_fault(name)
            if fault:
                faults.append((path, text.count("\n", 0, match.start()) + 1, fault, name))


def check_lines(path, text, comment, faults):
    for number, line in enumerate(text.split("\n"), 1):
        if comment and not (comment in line):
            continue
        fault = banned_fault(line[line.index(comment):] if comment else line)
        if fault:
            faults.append((path, number, fault, line.strip()))


def check_tree(root):
    """Returns the violations in the source tree as (path, line, rule, text)."""
    faults = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS and not f.startswith("build"))
        for name in sorted(files):
            path = os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
            extension = os.path.splitext(name)[1]
            if UNCHECKED.match(path) or name == os.path.basename(__file__):
                continue
            is_cmake = name == "CMakeLists.txt"
            if extension not in SOURCES + HASH_COMMENTS + (".md",) and not is_cmake:
                continue
            with open(os.path.join(root, path), encoding="utf-8") as file:
                text = file.read()
            if extension in SOURCES:
                check_source(path, text, faults)
            else:
                check_lines(path, text, "" if extension == ".md" else "#", faults)
    return faults


def self_test():
    cases = [
        (opening_fault, "Dominator tree: semi-NCA (Georgiadis et al. 2006), O(m log n).", False),
        (opening_fault, "On-the-fly SSA construction (Braun et al. 2013).", False),
        (opening_fault, "npos: the sentinel for \"no index\".", False),
        (opening_fault, "Where tensors live and kernels run: what a backend has to offer.", True),
        (opening_fault, "The same for programs.", True),
        (opening_fault, "It numbers values.", True),
        (opening_fault, "With blobs by name.", True),
        (fragment_fault, "Returns true if the graph is reducible.", False),
        (fragment_fault, "The sameness of two nets.", False),
        (fragment_fault, "what() is a complete sentence.", False),
        (fragment_fault, "Whether the graph is reducible.", True),
        (fragment_fault, "the same by number", True),
        (fragment_fault, "Of a single row.", True),
        (banned_fault, "Each op kind has a number: a kind of op and its operands.", False),
        (banned_fault, "exceeds L2", False),
        (banned_fault, "\"nobody writes 'x'\"", True),
        (banned_fault, "an op type of one's own", True),
        (banned_fault, "fits a second-level cache", True),
        (banned_fault, "finds no place in a cache of the second level", True),
        (banned_fault, "This is kind of a queue.", True),
        (test_name_fault, "dominators: an unreachable node has no immediate dominator", False),
        (test_name_fault, "plait::onnx: reads models", False),
        (test_name_fault, "an unreachable node has no immediate dominator", True),
    ]
    failed = 0
    for check, text, expected in cases:
        if bool(check(text)) != expected:
            print(f"self-test: {check.__name__}({text!r}) is {check(text)!r}")
            failed += 1
    source = '// What a thing does.\n\n/// The same.\n/// Of two.\nint f();  ///< whether it is\nauto s = "nobody writes";\n'
    faults = []
    check_source("include/plait/x.hpp", source, faults)
    if sorted({line for _, line, _, _ in faults}) != [1, 3, 5, 6]:
        print(f"self-test: check_source finds {faults}")
        failed += 1
    return failed


def main(arguments):
    if arguments == ["--self-test"]:
        return 1 if self_test() else 0
    if len(arguments) != 1:
        print(__doc__)
        return 2
    faults = check_tree(arguments[0])
    for path, line, rule, text in faults:
        print(f"{path}:{line}: {rule}: {text.strip()[:100]}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
