# GDB pretty-printers for plait: nets, ops, SSA forms, values, shapes and tensors in a line each, with their contents as
# children.
#
#   (gdb) source <prefix>/share/plait/gdb/plait_printers.py
#
# They read memory only, call no function of the program, and show "<uninitialised>" for an object whose members
# contradict each other, so that they work on core dumps and before a constructor has run. Containers are those of
# libstdc++ or libc++.
import re

import gdb
import gdb.printing

MOST = 8  # elements and operands that are shown
TYPES = ["float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "bool", "string", "float16",
         "bfloat16", "object", "nothing", "uint32", "uint64"]
ELEMENTS = {"float32": "float", "float64": "double", "int8": "signed char", "int16": "short", "int32": "int",
            "int64": "long", "uint8": "unsigned char", "uint16": "unsigned short", "bool": "bool",
            "uint32": "unsigned int", "uint64": "unsigned long"}


class Uninitialised(Exception):
    pass


def vector(v):
    """Returns the begin and the size of a std::vector."""
    fields = {f.name for f in v.type.strip_typedefs().fields()}
    if "__begin_" in fields:
        begin, end = v["__begin_"], v["__end_"]
    else:
        begin, end = v["_M_impl"]["_M_start"], v["_M_impl"]["_M_finish"]
    size = int(end - begin)
    if size < 0 or size > 1 << 40 or (size != 0 and int(begin) == 0):
        raise Uninitialised
    return begin, size


def items(v, most=None):
    begin, size = vector(v)
    return [(begin + i).dereference() for i in range(size if most is None else min(size, most))]


def text(v):
    """Returns the text of a std::string_view or std::string, without using their printers."""
    fields = {f.name for f in v.type.strip_typedefs().fields()}
    if "_M_str" in fields:
        data, size = v["_M_str"], int(v["_M_len"])
    elif "_M_dataplus" in fields:
        data, size = v["_M_dataplus"]["_M_p"], int(v["_M_string_length"])
    elif "__data_" in fields:
        data, size = v["__data_"], int(v["__size_"])
    else:
        return v.format_string()
    if size < 0 or size > 1 << 20:
        raise Uninitialised
    return data.string("utf-8", "backslashreplace", length=size) if size else ""


def boxed(v):
    """Returns the object in a plait::box, or None."""
    held = v["held_"]
    for name in ("_M_t", "__ptr_"):  # std::unique_ptr
        try:
            held = held[name]
        except gdb.error:
            continue
        break
    target = v.type.strip_typedefs().template_argument(0).pointer()
    address = int.from_bytes(bytes(gdb.selected_inferior().read_memory(int(held.address), target.sizeof)), "little")
    return gdb.Value(address).cast(target).dereference() if address else None


def small_items(v):
    """Returns the items of a plait::small_vector."""
    size = int(v["size_"])
    kind = v.type.strip_typedefs()
    item, inline = kind.template_argument(0), int(kind.template_argument(1))
    if size > 1 << 24:
        raise Uninitialised
    first = int(v["bytes_"].address)
    if size > inline:
        block = gdb.Value(first).cast(gdb.lookup_type("char").pointer().pointer()).dereference()
        first = int(block) + 4  # behind the capacity
    begin = gdb.Value(first).cast(item.pointer())
    return [(begin + i).dereference() for i in range(size)]


def sequence(v):
    kind = v.type.strip_typedefs().name or ""
    if kind.startswith("plait::small_vector<"):
        return small_items(v)
    if kind.startswith("plait::compact_vector<"):
        inner = boxed(v["items_"])
        return [] if inner is None else items(inner)
    return items(v)


def listed(words, most=MOST):
    words = list(words)
    return ", ".join(words[:most]) + (", … %d in all" % len(words) if len(words) > most else "")


def count(number, noun):
    return "%d %s%s" % (number, noun, "" if number == 1 else "s")


class Symbols:
    """Texts of a plait::symbol_table; without one, symbols are numbers."""

    def __init__(self, table=None):
        self.texts, self.size = (None, 0) if table is None else vector(table["texts_"])

    def __call__(self, symbol):
        number = int(symbol["id"])
        if number == 0:
            return ""
        if self.texts is None or number > self.size:
            return "#%d" % number
        return text((self.texts + (number - 1)).dereference())


def op_line(op, symbols):
    line = symbols(op["type"]) + " " + listed(symbols(s) for s in sequence(op["input"]))
    line = line.rstrip() + " -> " + listed(symbols(s) for s in sequence(op["output"]))
    return line.rstrip()


class Printer:
    def __init__(self, v):
        self.v = v

    def to_string(self):
        try:
            return self.line()
        except (Uninitialised, gdb.MemoryError, OverflowError, ValueError):
            return "<uninitialised>"

    def children(self):
        try:
            return iter(list(self.contents()))
        except (Uninitialised, gdb.MemoryError, OverflowError, ValueError):
            return iter(())

    def contents(self):
        return ()


class Symbol(Printer):
    def line(self):
        return "#%d" % int(self.v["id"]) if int(self.v["id"]) else "(no symbol)"


class Op(Printer):
    """An op by itself: its symbols are numbers, as only its net has their texts."""

    def line(self):
        return "op_def " + op_line(self.v, Symbols())


class Netdef(Printer):
    def line(self):
        symbols = Symbols(self.v["symbols"])
        if int(self.v["name"]["id"]) > symbols.size:
            raise Uninitialised
        return 'netdef "%s", %s' % (symbols(self.v["name"]), count(vector(self.v["op"])[1], "op"))

    def contents(self):
        symbols = Symbols(self.v["symbols"])
        for name in ("external_input", "external_output"):
            if blobs := sequence(self.v[name]):
                yield name, listed(symbols(s) for s in blobs)
        begin, size = vector(self.v["op"])
        for i in range(min(size, 200)):  # GDB's own limit of elements
            yield "[%d]" % i, op_line((begin + i).dereference(), symbols)


class Value(Printer):
    def line(self):
        blob = int(self.v["blob"])
        return "(no value)" if blob == 0xFFFFFFFF else "%%%d.%d" % (blob, int(self.v["version"]))


class SsaForm(Printer):
    def rows(self, name):
        offsets, count = vector(self.v[name]["offsets_"])
        values, size = vector(self.v[name]["items_"])
        if count == 0 or int(offsets[count - 1]) > size:
            raise Uninitialised
        return offsets, count - 1, values

    def line(self):
        return "ssa_form, " + count(self.rows("reads_")[1], "op")

    def name_of(self):
        """Returns a function from blob numbers to names: those of the net's symbols, or the keys of the table."""
        table = self.v["blobs_"]
        fields = {f.name for f in table.type.strip_typedefs().fields()}
        if "keys_" in fields:
            begin, size = vector(table["keys_"]["keys_"])
            return lambda blob: text((begin + blob).dereference()) if blob < size else "%%%d" % blob
        net = table["net_"].dereference()
        if net.type.strip_typedefs().unqualified().name == "plait::netdef":
            begin, size = vector(net["symbols"]["texts_"])
            return lambda blob: text((begin + (blob - 1)).dereference()) if 0 < blob <= size else "%%%d" % blob
        return lambda blob: "%%%d" % blob

    def contents(self):
        name = self.name_of()
        reads, writes = self.rows("reads_"), self.rows("writes_")

        def row(of, op):
            offsets, _, values = of
            found = (values[i] for i in range(int(offsets[op]), int(offsets[op + 1])))
            return listed("%s.%d" % (name(int(v["blob"])), int(v["version"])) for v in found)

        for op in range(min(reads[1], 200)):
            yield "[%d]" % op, (row(reads, op) + " -> " + row(writes, op)).strip()


def extents(v):
    rank = int(v["rank_"])
    if rank > 8:
        raise Uninitialised
    values = v["extents_"]["_M_elems" if "_M_elems" in {f.name for f in v["extents_"].type.fields()} else "__elems_"]
    found = [int(values[i]) for i in range(rank)]
    if any(extent < 0 for extent in found):
        raise Uninitialised
    return found


class Shape(Printer):
    def line(self):
        return str(extents(self.v))


class Tensor(Printer):
    def line(self):
        kind = int(self.v["type_"]["type"])
        if kind >= len(TYPES):
            raise Uninitialised
        shape = extents(self.v["type_"]["dims"])
        line = "tensor %s %s" % (TYPES[kind], shape)
        size = 1
        for extent in shape:
            size *= extent
        if int(self.v["data_"]) == 0:
            return line + (" without memory" if size else "")
        backend = self.v.type.strip_typedefs().template_argument(0).name
        if backend == "plait::cuda" or TYPES[kind] not in ELEMENTS:
            return line + " at %#x" % int(self.v["data_"])
        strides = self.v["strides_"]
        steps = [int(strides["_M_elems" if "_M_elems" in {f.name for f in strides.type.strip_typedefs().fields()}
                             else "__elems_"][i]) for i in range(len(shape))]
        begin = self.v["data_"].cast(gdb.lookup_type(ELEMENTS[TYPES[kind]]).pointer())
        shown = []
        for i in range(min(size, MOST)):
            at, rest = 0, i
            for extent, step in reversed(list(zip(shape, steps))):
                at += rest % extent * step
                rest //= extent
            element = (begin + at).dereference()
            shown.append(str(int(element)) if "int" in TYPES[kind] else str(element))
        return line + " {" + ", ".join(shown) + (", …" if size > MOST else "") + "}"


def collection():
    made = gdb.printing.RegexpCollectionPrettyPrinter("plait")
    for name, kind in (("symbol", Symbol), ("op_def", Op), ("netdef", Netdef), ("value", Value), ("shape", Shape)):
        made.add_printer(name, "^plait::%s$" % re.escape(name), kind)
    made.add_printer("ssa_form", "^plait::ssa_form<.*>$", SsaForm)
    made.add_printer("tensor", "^plait::tensor<.*>$", Tensor)
    return made


gdb.printing.register_pretty_printer(gdb.current_objfile(), collection(), replace=True)
