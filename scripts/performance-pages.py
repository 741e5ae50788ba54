#!/usr/bin/env python3
"""Generates docs/performance/<subject>.md and its plot from docs/performance/data/<subject>.json.

    performance-pages.py                      writes the pages and plots
    performance-pages.py --check              compares them instead; exit status 1 if one is out of date
    performance-pages.py --record FOLDER      updates the data from FOLDER, then writes the pages: <program>.json of Google
                                              Benchmark and compile_time.csv (of headers, then of programs)
    performance-pages.py --print FOLDER       prints the tables of FOLDER instead

A data file has a title, a summary, notes, the machine, the plot and the tables. A table has keys (what a row measures),
columns, units (one for all columns, or one per column) and rows: the values of the keys, then those of the columns, null
where nothing was measured, [low, high] where a range was. --record replaces the tables of a program that ran, but keeps
those that name a machine of their own: they come from elsewhere. Where several pages share a program, the one without
"rest": false also gets the tables that are new.
"""
import csv
import html
import json
import math
import os
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs/performance"

# Headings of columns, by counters of the benchmarks.
HEADINGS = {
    "GBPS": "GB/s", "GFLOPS": "GFLOP/s", "PEAK": "share of peak", "RIVAL": "OpenBLAS / plait", "LOOP": "loops / plait",
    "FUSED": "fused loop / plait", "BOUND": "fused loop / bound plan", "ALIGNED": "aligned fused loop / plait",
    "TWO": "1 thread / 2 threads", "TEAM": "1 thread / 2 spinning", "APART": "1 thread / 2 independent",
    "OF_APART": "share of independent", "NS_A_ROW": "time per row", "ns_per_element": "time per element",
    "ns_per_op": "time per op", "std_function": "std::function, per op",
}
COUNTER_UNITS = {"time": "ns", "NS_A_ROW": "ns", "ns_per_element": "ns", "ns_per_op": "ns", "std_function": "ns"}


# Data

def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def dumps(data):
    """Returns JSON with one line per row, so that differences are readable."""
    flat = lambda value: json.dumps(value, ensure_ascii=False)

    def table(t):
        head = ",\n".join(f"      {flat(k)}: {flat(v)}" for k, v in t.items() if k != "rows")
        rows = ",\n".join("        " + flat(row) for row in t["rows"])
        return "    {\n" + head + ',\n      "rows": [\n' + rows + "\n      ]\n    }"

    parts = []
    for key, value in data.items():
        if key == "tables":
            text = "[\n" + ",\n".join(map(table, value)) + "\n  ]"
        elif key == "notes":
            text = "[\n" + ",\n".join("    " + flat(note) for note in value) + "\n  ]" if value else "[]"
        else:
            text = json.dumps(value, ensure_ascii=False, indent=2).replace("\n", "\n  ")
        parts.append(f"  {flat(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def unit_of(table, column):
    units = table["units"]
    return units if isinstance(units, str) else units[column]


# Numbers

def digits(value):
    """Returns three significant digits without an exponent; all digits of larger numbers."""
    if value == 0:
        return "0"
    text = f"{value:.3g}"
    if "e" in text:
        value = float(text)
        return f"{value:.0f}" if abs(value) >= 1 else f"{value:.6f}".rstrip("0")
    return text


def time_text(ns):
    for limit, factor, unit in ((1e3, 1, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms")):
        if float(f"{ns:.3g}") < limit:
            return f"{digits(ns / factor)} {unit}"
    return f"{digits(ns / 1e9)} s"


def cell_text(value, unit):
    if value is None:
        return ""
    if isinstance(value, list):
        return " to ".join(cell_text(v, unit) for v in value)
    if unit == "ns":
        return time_text(value)
    if unit == "s":
        return f"{value:.2f}"
    if unit == "share":
        return f"{value * 100:.0f} %"
    return digits(value)


def thousands(text):
    return f"{int(text):,}" if re.fullmatch(r"[0-9]{4,}", str(text)) else str(text)


# Pages

def escape(text):
    return str(text).replace("|", "\\|").replace("<", "&lt;")


def key_text(text):
    return f"`{text}`" if re.fullmatch(r"[\w/]+\.hpp", str(text)) else escape(thousands(text))


def row_line(cells):
    return ("| " + " | ".join(cells) + " |").replace("|  |", "| |").replace("|  |", "| |")


def table_lines(t):
    keys = len(t["keys"])
    columns = t["columns"]
    each = t.get("each")  # the key that counts the ops or nodes, or a number

    def cell(row, column):
        value = row[keys + column]
        text = cell_text(value, unit_of(t, column))
        count = each if isinstance(each, int) else row[t["keys"].index(each)] if each else None
        if value is not None and unit_of(t, column) == "ns" and count and str(count).isdigit():
            text += f" ({time_text(value / int(count))} each)"
        return text

    if t.get("transpose"):
        header = [t["heading"]] + [f"{thousands(row[0])} {t['keys'][0]}" for row in t["rows"]]
        rows = [[escape(name)] + [cell(row, i) for row in t["rows"]] for i, name in enumerate(columns)]
        left = 1
    else:
        header = t["keys"] + [HEADINGS.get(name, name) for name in columns]
        rows = []
        for row in t["rows"]:
            rows.append([key_text(k) for k in row[:keys]] + [cell(row, i) for i in range(len(columns))])
        left = keys
    lines = [row_line([escape(name) for name in header])]
    lines.append("|" + "---|" * left + "---:|" * (len(header) - left))
    return lines + [row_line(row) for row in rows]


def machine_lines(machine):
    return [f"- {name[0].upper() + name[1:]}: {value}" for name, value in machine.items()]


def page(name, data):
    lines = [f"<!-- Generated by scripts/performance-pages.py from data/{name}.json. -->", f"# {data['title']}", ""]
    lines += [data["summary"] + " [Method](method.md) explains how these figures were measured.", ""]
    lines += [f"![{data['plot']['title']}]({name}.svg)", ""]
    lines += machine_lines(data["machine"]) + [""]
    if data["notes"]:
        lines += ["## Notes", ""] + [f"- {note}" for note in data["notes"]] + [""]
    lines += ["## Figures", ""]
    for t in data["tables"]:
        if len(data["tables"]) > 1:
            lines += [f"### {escape(t['name'])}", ""]
        about = [t["about"]] if "about" in t else []
        if "machine" in t:
            about.append(f"Measured on {t['machine']}.")
        if about:
            lines += [" ".join(about), ""]
        lines += table_lines(t) + [""]
    return "\n".join(lines)


# Plots

STYLE = """<style>
svg { font: 12px sans-serif; }
.back { fill: #ffffff; } .ink { fill: #1f2328; } .soft { fill: #59636e; } .grid { stroke: #d1d9e0; } .axis { stroke: #59636e; }
.title { font-size: 15px; font-weight: bold; } .panel { font-weight: bold; } .small { font-size: 11px; }
.s0 { fill: #0969da; stroke: #0969da; } .s1 { fill: #bc4c00; stroke: #bc4c00; } .s2 { fill: #1a7f37; stroke: #1a7f37; }
.s3 { fill: #8250df; stroke: #8250df; } .s4 { fill: #bf3989; stroke: #bf3989; } .s5 { fill: #7d6608; stroke: #7d6608; }
polyline { fill: none !important; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
.back { fill: #0d1117; } .ink { fill: #f0f6fc; } .soft { fill: #9198a1; } .grid { stroke: #3d444d; } .axis { stroke: #9198a1; }
.s0 { fill: #58a6ff; stroke: #58a6ff; } .s1 { fill: #f0883e; stroke: #f0883e; } .s2 { fill: #56d364; stroke: #56d364; }
.s3 { fill: #bc8cff; stroke: #bc8cff; } .s4 { fill: #ff7bc5; stroke: #ff7bc5; } .s5 { fill: #e3c04b; stroke: #e3c04b; }
}
</style>"""


def number(value):
    return f"{value:.1f}".removesuffix(".0")


def text_at(x, y, text, kind="ink", anchor="start", extra=""):
    return (f'<text x="{number(x)}" y="{number(y)}" class="{kind}" text-anchor="{anchor}"{extra}>'
            f"{html.escape(str(text), quote=False)}</text>")


def line_at(x1, y1, x2, y2, kind, extra=""):
    return (f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" class="{kind}"{extra}/>')


def marker(x, y, series):
    kind, shape, r = f"s{series % 6}", series % 4, 4.5
    if shape == 0:
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="{r}" class="{kind}"/>'
    points = {1: [(-r, -r), (r, -r), (r, r), (-r, r)], 2: [(0, -r - 1), (r + 1, r), (-r - 1, r)],
              3: [(0, -r - 1.5), (r + 1.5, 0), (0, r + 1.5), (-r - 1.5, 0)]}[shape]
    return f'<polygon points="{" ".join(f"{number(x + a)},{number(y + b)}" for a, b in points)}" class="{kind}"/>'


def legend(names, x, y, width):
    """Returns the legend and its height."""
    out, at, top = [], x, y
    for i, name in enumerate(names):
        step = 36 + 7 * len(name)
        if at > x and at + step > x + width:
            at, top = x, top + 20
        out += [marker(at + 6, top - 4, i), text_at(at + 16, top, name)]
        at += step
    return out, top - y + 24


def log_ticks(low, high):
    ticks = [10.0 ** e for e in range(math.floor(low), math.ceil(high) + 1)]
    if high - low <= 2.5:
        ticks = [t * m for t in ticks for m in ((1, 2, 5) if high - low > 0.75 else (1, 1.2, 1.5, 2, 3, 4, 5, 7))]
    return [t for t in ticks if low - 1e-9 <= math.log10(t) <= high + 1e-9]


def log_range(values):
    """Returns a range of decades, or of 1, 2 and 5 times these if the values span little."""
    low, high = math.log10(min(values)), math.log10(max(values))
    steps = [e + math.log10(m) for e in range(math.floor(low) - 1, math.ceil(high) + 2) for m in (1, 2, 5)]
    if high - low > 2.5:
        steps = range(math.floor(low), math.ceil(high) + 1)
    return max(s for s in steps if s <= low + 1e-9), min(s for s in steps if s >= high - 1e-9)


def find_table(data, name):
    return next(t for t in data["tables"] if t["name"] == name)


def rows_of(t, where):
    """Returns the rows whose keys have the values of `where`."""
    index = {k: t["keys"].index(k) for k in where}
    return [row for row in t["rows"] if all(str(row[index[k]]) == str(v) for k, v in where.items())]


def value_of(t, row, column):
    value = row[len(t["keys"]) + t["columns"].index(column)]
    return math.sqrt(value[0] * value[1]) if isinstance(value, list) else value


def document(title, width, height, body):
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {number(height)}" width="{width}" '
        f'height="{number(height)}" role="img">', f"<title>{html.escape(title, quote=False)}</title>", STYLE,
        f'<rect width="{width}" height="{number(height)}" class="back"/>', text_at(16, 26, title, "ink title")] + body +
        ["</svg>", ""])


def plot_lines(data):
    """Plots the time per op or node over their number, both on log axes; one panel per table."""
    spec = data["plot"]
    names = spec["series"]
    width, panel_width, panel_height = 900, 420, 230
    out, top = legend(names, 16, 50, width - 32)
    top += 50
    for p, panel in enumerate(spec["panels"]):
        t = find_table(data, panel["table"])
        rows = [row for row in rows_of(t, panel.get("where", {})) if str(row[t["keys"].index(spec["x"])]).isdigit()]
        columns = panel.get("columns", {name: name for name in names})
        lines = []
        for name, column in columns.items():
            points = [(int(row[t["keys"].index(spec["x"])]), value_of(t, row, column)) for row in rows]
            lines.append((names.index(name), [(x, y / x) for x, y in points if y is not None]))
        xs = [x for _, points in lines for x, _ in points]
        ys = [y for _, points in lines for _, y in points]
        (x0, x1), (y0, y1) = log_range(xs), log_range(ys)
        left, upper = 16 + 60 + (p % 2) * (panel_width + 24), top + 30 + (p // 2) * (panel_height + 90)
        w, h = panel_width - 70, panel_height
        at = lambda x, y: (left + w * (math.log10(x) - x0) / (x1 - x0), upper + h * (y1 - math.log10(y)) / (y1 - y0))
        out.append(text_at(left, upper - 10, panel["title"], "ink panel"))
        for tick in log_ticks(x0, x1):
            x = at(tick, 10 ** y0)[0]
            out += [line_at(x, upper, x, upper + h, "grid"), text_at(x, upper + h + 16, f"{tick:,.0f}", "soft small", "middle")]
        for tick in log_ticks(y0, y1):
            y = at(10 ** x0, tick)[1]
            out += [line_at(left, y, left + w, y, "grid"), text_at(left - 8, y + 4, time_text(tick), "soft small", "end")]
        out += [line_at(left, upper + h, left + w, upper + h, "axis"), line_at(left, upper, left, upper + h, "axis"),
                text_at(left + w / 2, upper + h + 34, spec["x"], "soft", "middle"),
                text_at(left - 54, upper + h / 2, spec["y"], "soft", "middle",
                        f' transform="rotate(-90 {number(left - 54)} {number(upper + h / 2)})"')]
        for series, points in lines:
            path = " ".join(f"{number(at(x, y)[0])},{number(at(x, y)[1])}" for x, y in points)
            out.append(f'<polyline points="{path}" class="s{series % 6}"/>')
            out += [marker(*at(x, y), series) for x, y in points]
    rows = (len(spec["panels"]) + 1) // 2
    return document(spec["title"], width, top + rows * (panel_height + 90) + 10, out)


def plot_ratios(data):
    """Plots times of rivals divided by plait's: points on a log axis, one line per row."""
    spec = data["plot"]
    names = spec["series"]
    found = {}  # label -> [(series, ratio)], in order
    for part in spec["points"]:
        t = find_table(data, part["table"])
        for row in rows_of(t, part.get("where", {})):
            keys = {k: thousands(v) for k, v in zip(t["keys"], row)}
            label = part.get("label", " ".join("{" + k + "}" for k in t["keys"])).format_map(keys)
            for name, column in part["columns"].items():
                value = value_of(t, row, column)
                base = value_of(t, row, part["base"]) if "base" in part else 1
                if value is not None and "over" in part:
                    value, base = value_of(t, row, part["over"]), value
                if value is not None and base is not None:
                    found.setdefault(label, []).append((names.index(name), value / base))
    width = 900
    left = 40 + max(7 * len(label) for label in found)
    w = width - left - 40
    out, height = legend(names, 16, 50, width - 32)
    top, step = 50 + height, 22
    bottom = top + step * len(found)
    low, high = log_range([r for points in found.values() for _, r in points] + [1])
    at = lambda ratio: left + w * (math.log10(ratio) - low) / (high - low)
    for tick in log_ticks(low, high):
        x = at(tick)
        out += [line_at(x, top, x, bottom, "axis" if tick == 1 else "grid", ' stroke-width="2"' if tick == 1 else ""),
                text_at(x, bottom + 18, digits(tick), "soft small", "middle")]
    out.append(text_at(left + w / 2, bottom + 38, spec["x"], "soft", "middle"))
    for i, (label, points) in enumerate(found.items()):
        y = top + step * (i + 0.5)
        out += [line_at(left, y, left + w, y, "grid", ' stroke-dasharray="1 4"'),
                text_at(left - 10, y + 4, label, "ink", "end")]
        out += [marker(at(ratio), y, series) for series, ratio in points]
    return document(spec["title"], width, bottom + 56, out)


def plot_bars(data):
    """Plots values as horizontal bars from zero."""
    spec = data["plot"]
    t = find_table(data, spec["table"])
    if t.get("transpose"):
        row = rows_of(t, spec["where"])[0]
        bars = [(name, value_of(t, row, name) / int(row[0])) for name in t["columns"]]
    else:
        bars = [(row[0], value_of(t, row, spec["column"])) for row in t["rows"]]
    bars = sorted(((name, value) for name, value in bars if value is not None), key=lambda b: -b[1])[:spec.get("most", 1000)]
    width, step, top = 900, 20, 50
    left = 30 + max(7 * len(name) for name, _ in bars)
    w = width - left - 80
    bottom = top + step * len(bars)
    most = max(value for _, value in bars)
    unit = 10.0 ** math.floor(math.log10(most))
    unit = next(u for u in (unit / 5, unit / 2, unit, unit * 2) if most / u <= 8)
    out = []
    for i in range(math.floor(most / unit) + 1):
        x = left + w * i * unit / most
        out += [line_at(x, top, x, bottom, "grid"), text_at(x, bottom + 18, digits(i * unit), "soft small", "middle")]
    out.append(text_at(left + w / 2, bottom + 38, spec["x"], "soft", "middle"))
    for i, (name, value) in enumerate(bars):
        y = top + step * i
        out += [f'<rect x="{left}" y="{y + 3}" width="{number(w * value / most)}" height="{step - 6}" class="s0"/>',
                text_at(left - 8, y + 14, name, "ink", "end"),
                text_at(left + w * value / most + 6, y + 14, digits(value), "soft small")]
    out.append(line_at(left, top, left, bottom, "axis"))
    return document(spec["title"], width, bottom + 56, out)


def results():
    """Yields each generated file with its text."""
    for path in sorted((PAGES / "data").glob("*.json")):
        data = load(path)
        yield PAGES / f"{path.stem}.md", page(path.stem, data)
        plot = {"lines": plot_lines, "ratios": plot_ratios, "bars": plot_bars}[data["plot"]["kind"]]
        yield PAGES / f"{path.stem}.svg", plot(data)


def write():
    for path, text in results():
        path.write_text(text, encoding="utf-8")


def check():
    wrong = []
    method = (PAGES / "method.md").read_text(encoding="utf-8")
    generated = dict(results())
    for path, text in generated.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            wrong.append(f"{path.relative_to(ROOT)} is out of date: run scripts/performance-pages.py")
        if path.suffix == ".md" and f"({path.name})" not in method:
            wrong.append(f"docs/performance/method.md does not link to {path.name}")
    for path in sorted(PAGES.iterdir()):
        if path.is_file() and path.name != "method.md" and path not in generated:
            wrong.append(f"{path.relative_to(ROOT)} has no data file")
    print("\n".join(wrong) if wrong else "all pages are up to date")
    return 1 if wrong else 0


# Recording

def plain(name):
    """Returns Google Benchmark's name of a run without its suffixes."""
    return re.sub(r"/(iterations:[0-9]+|repeats:[0-9]+|manual_time|real_time|process_time)", "", name)


def medians(path):
    """Yields name, nanoseconds and counters of each benchmark in a JSON file of Google Benchmark."""
    standard = {"name", "run_name", "run_type", "family_index", "per_family_instance_index", "repetitions", "repetition_index",
                "threads", "iterations", "aggregate_name", "aggregate_unit", "real_time", "cpu_time", "time_unit", "label"}
    for run in load(path)["benchmarks"]:
        if run.get("aggregate_name") != "median":
            continue
        factor = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[run["time_unit"]]
        counters = {k: v for k, v in run.items() if k not in standard}
        yield plain(run["run_name"]), run["real_time"] * factor, run["cpu_time"] * factor, counters


def rounded(value):
    return float(f"{value:.9g}") if isinstance(value, float) else value


def in_order(rows, keys):
    """Sorts numbers; names stay in the order of the first column's values."""
    if keys == 1:
        numeric = all(str(row[0]).isdigit() for row in rows)
        return sorted(rows, key=lambda r: int(r[0]) if numeric else (r[1] is None, r[1] or 0))
    number_or_text = lambda k: (0, int(k), "") if str(k).isdigit() else (1, 0, str(k))
    return sorted(rows, key=lambda r: [number_or_text(k) for k in r[:keys]])


def pivot(path, known, program):
    """Returns tables of names what/.../variant/input: one row per input, one column per variant."""
    cells, columns = {}, {}
    for name, _, cpu, _ in medians(path):
        parts = name.split("/")
        what = ", ".join(parts[:-2]) or program
        keys = (parts[-1],)
        if what not in known and ", " in what and len(known.get(what.rsplit(", ", 1)[0], {}).get("keys", [])) == 2:
            what, family = what.rsplit(", ", 1)
            keys = (family, parts[-1])
        cells.setdefault(what, {}).setdefault(keys, {})[parts[-2]] = rounded(cpu)
        if parts[-2] not in columns.setdefault(what, []):
            columns[what].append(parts[-2])
    for what, rows in cells.items():
        t = dict(known.get(what, {"name": what, "keys": ["input"], "units": "ns"}))
        t["columns"] = sorted(columns[what], key=lambda c: (not c.startswith("plait"), c))
        t["rows"] = in_order([list(k) + [row.get(c) for c in t["columns"]] for k, row in rows.items()], len(t["keys"]))
        yield t


def counters(path, known, _):
    """Returns tables of names what/keys with counters: one row per keys, one column per counter."""
    found = {}
    for name, real, _, values in medians(path):
        what, *rest = name.split("/")
        keys = [re.sub(r"^[a-z]+:", "", k) for k in rest] or [what]
        columns = ["time"] + list(values)
        t = found.setdefault(what, {"columns": columns, "rows": []})
        t["names"] = [re.match(r"([a-z]+):|", k)[1] or f"input {i + 1}" for i, k in enumerate(rest)] or ["benchmark"]
        t["rows"].append(keys + [rounded(v) for v in [real] + list(values.values())])
    for what, t in found.items():
        old = dict(known.get(what, {"name": what, "keys": t["names"]}))
        old.update(columns=t["columns"], units=[COUNTER_UNITS.get(c, "") for c in t["columns"]], rows=t["rows"])
        yield old


def functions(path, known, _):
    """Returns tables of names function/type/implementation: one table per type, one row per function."""
    cells, columns = {}, {}
    for name, real, _, _ in medians(path):
        function, _, rest = name.partition("/")
        element, _, variant = rest.partition("/")
        if element in known:
            variant = variant.replace("/", " ")
            cells.setdefault(element, {}).setdefault(function, {})[variant] = rounded(real)
            if variant not in columns.setdefault(element, []):
                columns[element].append(variant)
    for element, rows in cells.items():
        t = dict(known[element])
        t["columns"] = sorted(columns[element], key=lambda c: (not c.startswith("plait"), c))
        t["rows"] = [[f] + [row.get(c) for c in t["columns"]] for f, row in rows.items()]
        yield t


def headers(path, known, _):
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    t = dict(known["headers"])
    t["rows"] = sorted(([header, float(s), float(budget) if budget else None]
                        for header, s, budget in (row for row in rows if len(row) == 3)), key=lambda r: (-r[1], r[0]))
    yield t
    t = dict(known["programs"])
    t["rows"] = [[row[0]] + [float(cell) if cell else None for cell in row[1:]] for row in rows if len(row) == 5]
    yield t


def this_machine():
    run = lambda *command: subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[0]
    cpus = pathlib.Path("/proc/cpuinfo")
    models = re.findall(r"^model name[^:]*: (.*)$", cpus.read_text(), re.M) if cpus.exists() else []
    return {"processor": f"{models[0] if models else platform.processor()}, {os.cpu_count()} cores",
            "compiler": run("c++", "--version") + ", the `release` preset",
            "memory": f"large pages (`GLIBC_TUNABLES={os.environ.get('GLIBC_TUNABLES', '')}`)",
            "load while measuring": f"{os.getloadavg()[0]:.2f}"}


def elsewhere(path, program):
    """Returns the names of the tables that other pages of a program show."""
    names = set()
    for other in (PAGES / "data").glob("*.json"):
        data = load(other)
        if other != path and data.get("program") == program:
            names |= {row[0] if data["form"] == "functions" else t["name"] for t in data["tables"] for row in t["rows"]}
    return names


def recorded(folder):
    """Yields the data files of the results in `folder`, with their new tables."""
    forms = {"pivot": pivot, "counters": counters, "functions": functions, "headers": headers}
    for path in sorted((PAGES / "data").glob("*.json")):
        data = load(path)
        program, form = data.get("program"), data.get("form")
        result = folder / f"{program}.{'csv' if form == 'headers' else 'json'}"
        if program is None or not result.exists() or result.stat().st_size == 0:
            continue
        known = {t["name"]: t for t in data["tables"] if "machine" not in t}
        tables = list(forms[form](result, known, program))
        if "rest" in data and not data["rest"]:
            tables = [t for t in tables if t["name"] in known]
        else:
            tables = [t for t in tables if t["name"] not in elsewhere(path, program)]
        names = [t["name"] for t in tables]
        order = list(known)
        tables.sort(key=lambda t: order.index(t["name"]) if t["name"] in order else len(order) + names.index(t["name"]))
        yield path, data, tables


def record(folder):
    programs = {load(path).get("program") for path in (PAGES / "data").glob("*.json")}
    for path in sorted(folder.iterdir()):
        if path.stem not in programs:
            print(f"no data file names the program {path.stem}: its results are left out", file=sys.stderr)
    for path, data, tables in recorded(folder):
        if not tables:
            continue
        data["machine"] = this_machine()
        data["tables"] = tables + [t for t in data["tables"] if "machine" in t]
        path.write_text(dumps(data), encoding="utf-8")
        print(f"{path.relative_to(ROOT)} is new")


def main():
    words = sys.argv[1:]
    if not words:
        write()
    elif words == ["--check"]:
        return check()
    elif len(words) == 2 and words[0] == "--record":
        record(pathlib.Path(words[1]))
        write()
    elif len(words) == 2 and words[0] == "--print":
        for _, _, tables in recorded(pathlib.Path(words[1])):
            for t in tables:
                print("\n".join([f"### {t['name']}", ""] + table_lines(t) + [""]))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
