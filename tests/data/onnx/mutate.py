#!/usr/bin/env python3
"""Writes mutated ONNX models with what ONNX Runtime makes of them, for tests/onnx/mutated.cpp.

    mutate.py FILE [--count N] [--seed S] [--largest BYTES] [--operator TYPE] [--opset N] [--shard I/N] [--data FOLDER]

Takes ONNX's node tests of the operators that plait has rules for, changes one attribute or operand of each (see
`mutations`), and runs the model with ONNX Runtime. A case is `right` with outputs, `refused` with a reason, or, where
ONNX Runtime has no kernel, what ONNX's reference evaluator computes. Needs onnx, onnxruntime and numpy; the test does
not.

FILE: for each case a line `case NAME`, a line with the verdict and a reason, a line with the numbers of bytes of the
model, each input `>` each output, and these bytes: a ModelProto and TensorProtos.
"""
import argparse
import copy
import glob
import os
import pickle
import random
import re
import select
import signal
import zlib

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = [numpy.float32, numpy.float64, numpy.int32, numpy.int64, numpy.uint8, numpy.bool_]
numpy.seterr(all="ignore")
ANY_SHAPE = "any shape"


def operators():
    with open(os.path.join(HERE, "../../../docs/reference/onnx-operators.md")) as file:
        page = file.read()
    return set(re.findall(r"`(\w+)`", page.split("<!-- operators -->")[1].split("<!-- end of operators -->")[0]))


class Case:
    """A model of one node: its inputs as arrays, each fed or a constant, with declared shapes or without."""

    def __init__(self, name, node, opset, arrays):
        self.name = name
        self.node = node
        self.opset = opset
        self.arrays = arrays  # by name, in the order of the inputs
        self.constant = set()
        self.shapes = True

    def changed(self, what):
        made = copy.deepcopy(self)
        made.name = self.name + " " + what
        return made

    def model(self):
        def declared(name, array):
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            if kind == TensorProto.STRING or array.dtype == object:
                raise ValueError("strings")
            return helper.make_tensor_value_info(name, kind, array.shape if self.shapes else None)

        fed = [name for name in self.arrays if name not in self.constant]
        outputs = [onnx.ValueInfoProto(name=name) for name in self.node.output if name]
        graph = helper.make_graph([self.node], "g", [declared(name, self.arrays[name]) for name in fed], outputs,
                                  [numpy_helper.from_array(self.arrays[name], name) for name in self.constant])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)

    def inputs(self):
        return {name: array for name, array in self.arrays.items() if name not in self.constant}


def load(folder):
    model = onnx.load(os.path.join(folder, "model.onnx"))
    if len(model.graph.node) != 1 or model.graph.initializer:
        return None
    arrays = {}
    for i, info in enumerate(model.graph.input):
        path = os.path.join(folder, "test_data_set_0", f"input_{i}.pb")
        if info.type.WhichOneof("value") != "tensor_type" or not os.path.exists(path):
            return None
        tensor = TensorProto()
        with open(path, "rb") as file:
            tensor.ParseFromString(file.read())
        arrays[info.name] = numpy_helper.to_array(tensor)
        if arrays[info.name].dtype == object:  # texts
            return None
    opset = [each.version for each in model.opset_import if each.domain in ("", "ai.onnx")]
    return Case(os.path.basename(folder)[5:], model.graph.node[0], opset[0], arrays) if opset else None


# ---- what is changed
def set_attribute(case, name, value, what):
    made = case.changed(what)
    kept = [each for each in made.node.attribute if each.name != name]
    del made.node.attribute[:]
    made.node.attribute.extend(kept)
    if value is not None:
        made.node.attribute.append(helper.make_attribute(name, value))
    return made


def mutate_attributes(case):
    schema = onnx.defs.get_schema(case.node.op_type, case.opset)
    present = {each.name: helper.get_attribute_value(each) for each in case.node.attribute}
    yield set_attribute(case, "bogus", 1, "attribute bogus")
    for name in present:
        yield set_attribute(case, name, None, f"without {name}")
    for name, info in schema.attributes.items():
        kind = info.type.name
        value = present.get(name)
        if kind == "INT":
            for new in (-1000, -3, -2, -1, 0, 1, 2, 3, 7, 1000, 2**40):
                if new != value:
                    yield set_attribute(case, name, new, f"{name}={new}")
            yield set_attribute(case, name, 0.5, f"{name} is a float")
        elif kind == "INTS":
            base = list(value) if value else [1, 1]
            news = [base[:-1], base + [base[-1]], [base[0]] * len(base), [-each for each in base], base[::-1],
                    [0] + base[1:], [-1] + base[1:], [100] + base[1:], [base[0] + 1] + base[1:], [1], [2], [0, 0],
                    [2**40] + base[1:], [1] * len(base), [2] * len(base)]
            for new in news:
                if new and new != value:
                    yield set_attribute(case, name, new, f"{name}={new}".replace(" ", ""))
            yield set_attribute(case, name, 1, f"{name} is one number")
        elif kind == "FLOAT":
            for new in (-1.0, 0.0, 0.5, 3.0):
                if new != value:
                    yield set_attribute(case, name, new, f"{name}={new}")
            yield set_attribute(case, name, "text", f"{name} is a text")
        elif kind == "STRING":
            for new in ("BOGUS", "SAME_UPPER", "VALID", "constant", "reflect", "edge", "reverse", "bidirectional"):
                if value is None or new.encode() != value:
                    yield set_attribute(case, name, new, f"{name}={new}")


def mutate_operands(case):
    names = [name for name in case.node.input if name]
    if not names:
        return
    made = case.changed("without the last input")
    del made.node.input[-1]
    yield made
    made = case.changed("without input 0")
    made.node.input[0] = ""
    yield made
    made = case.changed("one input more")
    made.node.input.append(made.node.input[0])
    yield made
    made = case.changed("one output more")
    made.node.output.append("more")
    yield made
    if len(case.node.output) > 1:
        made = case.changed("one output less")
        del made.node.output[-1]
        yield made
    for kind in TYPES:
        made = case.changed(f"all {kind.__name__}")
        made.arrays = {name: array.astype(kind) for name, array in made.arrays.items()}
        yield made
        data = case.arrays[names[0]].dtype
        made = case.changed(f"like input 0 {kind.__name__}")
        made.arrays = {name: array.astype(kind) if array.dtype == data else array for name, array in made.arrays.items()}
        yield made
        for name in names:
            if case.arrays[name].dtype != kind:
                made = case.changed(f"{name} {kind.__name__}")
                made.arrays[name] = made.arrays[name].astype(kind)
                yield made
    for name in names:
        array = case.arrays[name]
        for what, new in arrays_like(array):
            made = case.changed(f"{name} {what}")
            made.arrays[name] = numpy.ascontiguousarray(new)
            yield made


def arrays_like(array):
    yield "one axis more", array[None]
    yield "one axis behind", array[..., None]
    if array.ndim:
        yield "one axis less", array[0] if array.shape[0] else numpy.zeros(array.shape[1:], array.dtype)
        yield "empty", array[:0]
        for axis in range(array.ndim):
            yield f"one place more on {axis}", numpy.concatenate([array, array.take([-1] if array.shape[axis] else [], axis)], axis)
            yield f"one place less on {axis}", array.take(range(max(array.shape[axis] - 1, 0)), axis)
            yield f"one place on {axis}", array.take([0] if array.shape[axis] else [], axis)
        yield "transposed", array.T
        yield "a scalar", array.reshape(-1)[0] if array.size else numpy.zeros((), array.dtype)
    if array.dtype in (numpy.int32, numpy.int64) and array.size:
        yield "negated", -array
        yield "zeros", array * 0
        yield "ones more", array + 1
        yield "nine more", array + 9
        yield "all like the first", numpy.full_like(array, array.reshape(-1)[0])
        yield "one of -1", numpy.concatenate([[-1], array.reshape(-1)[1:]]).astype(array.dtype).reshape(array.shape)
        yield "back to front", array.reshape(-1)[::-1].reshape(array.shape)
    if array.dtype in (numpy.float32, numpy.float64) and array.size:
        yield "fine", array + array.dtype.type(0.1)


def settings(case):
    """The same with small integer inputs as constants, and with shapes that are not declared."""
    small = [name for name in case.node.input if name in case.arrays and case.arrays[name].size < 10 and
             case.arrays[name].ndim < 2 and name != case.node.input[0]]
    yield case
    if small:
        made = case.changed("(constants)")
        made.constant = set(small)
        yield made
        made = copy.deepcopy(made)
        made.name = case.name + " (constants, " + ANY_SHAPE + ")"
        made.shapes = False
        yield made
    made = case.changed("(" + ANY_SHAPE + ")")
    made.shapes = False
    yield made


def casts_beyond(case):
    """Whether floats become integers that may be out of range, which is undefined."""
    if case.node.op_type not in ("Cast", "CastLike"):
        return False
    data = case.arrays[case.node.input[0]]
    return data.dtype.kind == "f" and data.size > 0 and bool(not numpy.isfinite(data).all() or data.min() < 0 or data.max() > 127)


# ---- what ONNX Runtime makes of it
def run(case):
    model = case.model()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # What a runtime makes of a node, not of constants that it has folded.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        if casts_beyond(case):
            return "unknown", "undefined", []
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return "right", "", session.run(None, case.inputs())
    except Exception as problem:  # its exceptions have no common base
        reason = str(problem)
        if re.search("bad_?alloc|allocate|at least one output", reason, re.I):
            return "unknown", reason, []  # no matter of the model
        if not re.search("not_?implemented|not (currently )?support", reason + type(problem).__name__, re.I):
            return "refused", reason, []
    try:
        onnx.checker.check_model(model, full_check=True)
        outputs = ReferenceEvaluator(model).run(None, case.inputs())
        if all(isinstance(each, (numpy.ndarray, numpy.generic)) for each in outputs):
            return "right", "by the reference evaluator", [numpy.asarray(each) for each in outputs]
        return "unknown", "no array", []
    except Exception as problem:
        return "unknown", type(problem).__name__ + " " + str(problem), []


def run_apart(case):
    """In a process of its own: ONNX Runtime may crash, or take all memory there is."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        try:
            answer = run(case)
        except BaseException as problem:
            answer = ("unknown", str(problem), [])
        with os.fdopen(write, "wb") as file:
            pickle.dump(answer, file)
        os._exit(0)
    os.close(write)
    received = b""
    answer = ("unknown", "no answer", [])
    while select.select([read], [], [], 20)[0]:
        some = os.read(read, 1 << 16)
        if not some:
            break
        received += some
    else:
        os.kill(child, signal.SIGKILL)
    os.close(read)
    os.waitpid(child, 0)
    try:
        answer = pickle.loads(received)
    except Exception:
        pass
    return answer


def message(array):
    return numpy_helper.from_array(numpy.asarray(array)).SerializeToString()


def record(case, largest):
    try:
        model = case.model().SerializeToString()
        inputs = [message(array) for array in case.inputs().values()]
    except Exception:
        return None  # a type that there are no tensors of
    verdict, reason, outputs = run_apart(case)
    if verdict == "unknown" or any(getattr(each, "dtype", None) == object for each in outputs):
        return None
    reason = " ".join(reason.split())[:160]
    try:
        outputs = [message(each) for each in outputs]
    except Exception:
        return None
    sizes = " ".join(map(str, [len(model)] + [len(each) for each in inputs] + [">"] + [len(each) for each in outputs]))
    if largest and len(model) + sum(map(len, inputs)) + sum(map(len, outputs)) > largest:
        return None
    head = f"case {case.node.op_type} {case.opset}: {case.name}\n{verdict} {reason}\n{sizes}\n"
    return head.encode() + model + b"".join(inputs) + b"".join(outputs)


def mutations(case):
    yield case
    for made in list(mutate_attributes(case)) + list(mutate_operands(case)):
        yield made


def every(bases):
    for kind in sorted(bases):
        for base in bases[kind]:
            for mutated in mutations(base):
                yield from settings(mutated)


def sampled(bases, dice):
    """One of each operator in turn, without end."""
    lists = {}
    while True:
        for kind in sorted(bases):
            base = dice.randrange(len(bases[kind]))
            if (kind, base) not in lists:
                lists[kind, base] = list(mutations(bases[kind][base]))
            yield dice.choice(list(settings(dice.choice(lists[kind, base]))))


def has_version(case):
    try:
        onnx.defs.get_schema(case.node.op_type, case.opset)
        return True
    except onnx.defs.SchemaError:
        return False


def main():
    options = argparse.ArgumentParser()
    options.add_argument("file")
    options.add_argument("--count", type=int, default=0, help="how many cases, chosen at random; 0: all")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--largest", type=int, default=0, help="bytes of a case at most")
    options.add_argument("--operator", default="")
    options.add_argument("--opset", type=int, default=0, help="the version of the operators; 0: as the test has it")
    options.add_argument("--shard", default="0/1")
    options.add_argument("--data", default="/usr/share/libonnx-testdata/data/node")
    chosen = options.parse_args()
    wanted = {chosen.operator} if chosen.operator else operators()
    dice = random.Random(chosen.seed)
    bases = {}
    for folder in sorted(glob.glob(os.path.join(chosen.data, "test_*"))):
        base = load(folder)
        if base is not None and base.node.op_type in wanted and not base.node.domain:
            base.opset = chosen.opset or base.opset
            if not has_version(base):
                continue
            if sum(array.size for array in base.arrays.values()) <= 4000:
                bases.setdefault(base.node.op_type, []).append(base)
    shard, shards = map(int, chosen.shard.split("/"))
    written = 0
    with open(chosen.file, "wb") as file:
        for case in sampled(bases, dice) if chosen.count else every(bases):
            if zlib.crc32(case.name.encode()) % shards != shard:
                continue
            made = record(case, chosen.largest)
            if made is not None:
                file.write(made)
                written += 1
            if chosen.count and written == chosen.count:
                break
    print(written, "cases")


main()
