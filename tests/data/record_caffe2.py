#!/usr/bin/env python3
"""Records what an installed Caffe2 does, as cases for plait_conformance: an oracle for what nobody wrote down.

PyTorch's wheel 1.8.1 has Caffe2 (Python 3.9), with its own tests in caffe2/python. Two ways:

  pytest -p record_caffe2 caffe2/python/operator_test     every net, operator and gradient that the tests make
  record_caffe2.py mutate FOLDER [SEED [COUNT]]           the ops recorded in FOLDER with other shapes, types, arguments

  plait_conformance --allow-unsupported FOLDER

RECORD_TO names the folder (default: recorded). plait follows the Caffe2 of 2018; later ones have other gradients for
Add, Sub, Mul and Div, whose cases are left out, and arguments that plait does not read. The rest of what differs is to
be looked at, one by one. Needs the packages caffe2, numpy, protobuf, and pytest and hypothesis for its tests.
"""
import collections
import copy
import glob
import hashlib
import json
import os
import random
import re
import subprocess
import sys

import numpy
from caffe2.proto import caffe2_pb2
from caffe2.python import core, recurrent, scope as name_scope, workspace
from google.protobuf import text_format

FOLDER = os.environ.get("RECORD_TO", "recorded")
MOST_ELEMENTS = 3000
MOST_CASES = 60  # of one topic
TYPES = {"float32", "float64", "int32", "int64", "bool", "uint8"}
RANDOM = {"Dropout", "GaussianFill", "MSRAFill", "UniformFill", "UniformIntFill", "UniqueUniformFill", "XavierFill"}
LATER = re.compile(r"(Add|Sub|Mul|Div)Gradient")
LATER_MARK = re.compile(r'\n +device_option \{\n +extra_info: "is_auto_[^"]*"\n +\}|\n +extra_info: "is_auto_[^"]*"')

counts = collections.Counter()
running = False  # a net that runs ops is recorded, they are not


# ---- cases


def text(net):
    return LATER_MARK.sub("", text_format.MessageToString(net)).rstrip("\n")


def net_of(ops):
    net = caffe2_pb2.NetDef()
    net.op.extend(ops)
    return net


def number(x):
    return x if abs(x) < float("inf") else str(x)


def tensor(blob):
    """None for what is no tensor, of another type or too large."""
    try:
        array = workspace.FetchBlob(blob)
    except Exception:
        return None
    if not isinstance(array, numpy.ndarray) or str(array.dtype) not in TYPES or array.size > MOST_ELEMENTS:
        return None
    elements = array.ravel().tolist()
    data = [number(x) for x in elements] if array.dtype.kind == "f" else elements
    return {"dtype": str(array.dtype), "shape": list(array.shape), "data": data}


def write(kind, topic, case):
    known = json.dumps(case, sort_keys=True)
    if counts[kind, topic] == MOST_CASES or LATER.search(json.dumps(case.get("expect", ""))):
        return
    counts[kind, topic] += 1
    name = "%s_%s_%s" % (kind, topic.replace("/", "_")[:40], hashlib.sha1(known.encode()).hexdigest()[:12])
    folder = os.path.join(FOLDER, "cases", kind)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + ".json"), "w") as file:
        json.dump({"kind": kind, "name": name, "what": topic, "source": "Caffe2", "topic": topic, **case}, file)


def refusal(error):
    return {"error": True, "message": str(error).split("\n")[0][:200]}


def nested(op):
    for argument in op.arg:
        if argument.HasField("n"):
            yield argument.n
        yield from argument.nets


def all_ops(net):
    for op in net.op:
        yield op
        for inner in nested(op):
            yield from all_ops(inner)


def can_be_repeated(net):
    return not any(op.type in RANDOM or op.type.startswith("Python") or op.engine or op.device_option.device_type
                   for op in all_ops(net))


# ---- runs


def feeds_of(net):
    """What the net reads and does not make, as it is now. None if some of it is no tensor."""
    made, feeds = set(), {}
    for op in net.op:
        for blob in op.input:
            if blob not in made and blob not in feeds and workspace.HasBlob(blob):
                feeds[blob] = tensor(blob)
        made.update(op.output)
    for op in all_ops(net):
        for blob in list(op.input) + list(op.output):
            if blob not in feeds and workspace.HasBlob(blob) and tensor(blob):
                feeds[blob] = tensor(blob)
    return None if None in feeds.values() else feeds


def recorded_run(net, run):
    global running
    if running or not can_be_repeated(net):
        return run()
    feeds = feeds_of(net)
    topic = net.op[0].type if len(net.op) == 1 else "%d ops" % len(net.op)
    case = {"feeds": feeds, "nets": [text(net)]}
    running = True
    try:
        result = run()
    except Exception as error:
        if feeds is not None:
            write("run", topic, {**case, **refusal(error)})
        raise
    finally:
        running = False
    expect = {blob: made for op in net.op for blob in op.output if (made := tensor(blob))}
    if feeds is not None and expect:
        write("run", topic, {**case, "expect": expect, "rtol": 1e-3, "atol": 1e-4})
    return result


# ---- what Caffe2's own tests call


def gradient_name(g):
    return {"indices": str(g.indices), "values": str(g.values)} if isinstance(g, core.GradientSlice) else str(g)


def install():
    run_op, run_net, backward = workspace.RunOperatorOnce, workspace.RunNetOnce, core.GradientRegistry.GetBackwardPass
    ssa, recurrence = core.get_ssa, recurrent.recurrent_net

    def recorded_op(op):
        return recorded_run(net_of([op]), lambda: run_op(op)) if hasattr(op, "type") else run_op(op)

    def recorded_net(net):
        proto = net.Proto() if hasattr(net, "Proto") else net
        return recorded_run(proto, lambda: run_net(net)) if hasattr(proto, "op") else run_net(net)

    def recorded_backward(ops, ys, *rest):
        net = net_of(copy.deepcopy(list(ops)))
        topic = net.op[0].type if len(net.op) == 1 else "%d ops" % len(net.op)
        if isinstance(ys, dict):
            seeds = {str(y): None if g is None else gradient_name(g) for y, g in ys.items()}
        else:
            seeds = [str(y) for y in ys]
        case = {"net": text(net), "ys": seeds, "hash_order": True}
        try:
            made, names = backward(ops, ys, *rest)
        except Exception as error:
            write("gradient", topic, {**case, **refusal(error)})
            raise
        names_of = {str(blob): gradient_name(g) for blob, g in names.items() if g is not None}
        write("gradient", topic, {**case, "expect": {"net": text(net_of(made)), "map": names_of}})
        return made, names

    def recorded_ssa(net, versions=None):
        case = {"net": text(net.Proto() if hasattr(net, "Proto") else net)}
        if versions:
            case["initial_versions"] = dict(versions)
        made, last = ssa(net, versions)
        case["expect"] = {"ssa": made, "versions": dict(last), "undefined": sorted(core.get_undefined_blobs(made))}
        write("ssa", "ssa", case)
        return made, last

    def recorded_recurrence(net, cell_net, inputs, initial_cell_inputs, links, timestep=None, scope=None,
                            outputs_with_grads=(0,), recompute_blobs_on_backward=None, forward_only=False):
        if name_scope.CurrentNameScope():  # of which cases cannot tell
            return recurrence(net, cell_net, inputs, initial_cell_inputs, links, timestep, scope, outputs_with_grads,
                              recompute_blobs_on_backward, forward_only)
        before = len(net.Proto().op)
        recomputed = recompute_blobs_on_backward
        case = {
            "net_name": net.Proto().name,
            "cell_net": text(cell_net.Proto()),
            "inputs": [[str(a), str(b)] for a, b in inputs],
            "initial_cell_inputs": [[str(a), str(b)] for a, b in initial_cell_inputs],
            "links": {str(a): str(b) for a, b in links.items()},
            "timestep": None if timestep is None else str(timestep),
            "scope": scope,
            "outputs_with_grads": list(outputs_with_grads),
            "recompute_blobs_on_backward": None if recomputed is None else sorted(str(b) for b in recomputed),
            "forward_only": forward_only,
            "hash_order": True,
        }
        try:
            outputs = recurrence(net, cell_net, inputs, initial_cell_inputs, links, timestep, scope, outputs_with_grads,
                                 recomputed, forward_only)
        except Exception as error:
            write("recurrent_net", "recurrent_net", {**case, **refusal(error)})
            raise
        made = net_of(net.Proto().op[before:])
        case["expect"] = {"net": text(made), "outputs": [str(blob) for blob in outputs]}
        write("recurrent_net", "recurrent_net", case)
        return outputs

    workspace.RunOperatorOnce = recorded_op
    workspace.RunNetOnce = recorded_net
    core.GradientRegistry.GetBackwardPass = recorded_backward
    core.get_ssa = recorded_ssa
    recurrent.recurrent_net = recorded_recurrence


# ---- mutations


def mutated(pick, case):
    case = copy.deepcopy(case)
    net = case["nets"][0]
    change = pick.random()
    if change < 0.6 and case["feeds"]:
        fed = case["feeds"][pick.choice(sorted(case["feeds"]))]
        shape = fed["shape"]
        at = pick.randrange(len(shape) + 1)
        if change < 0.1:
            fed["dtype"] = pick.choice(sorted(TYPES))
            fed["data"] = [abs(int(float(x))) % 128 for x in fed["data"] if str(x) not in ("inf", "-inf", "nan")]
        elif at == len(shape) or change < 0.2:
            shape.insert(at, pick.choice([1, 2]))
        elif change < 0.3:
            del shape[at]
        else:
            shape[at] = max(0, shape[at] + pick.choice([-shape[at], -1, 1]))
        size = int(numpy.prod(shape))
        fed["data"] = [(fed["data"] or [0])[i % max(1, len(fed["data"]))] for i in range(min(size, MOST_ELEMENTS))]
    elif change < 0.9:
        numbers = list(re.finditer(r"\b(i|ints|f): (-?[\d.e+-]+)", net))
        if numbers:
            found = pick.choice(numbers)
            case["nets"] = [net[:found.start(2)] + str(pick.choice([-2, -1, 0, 1, 2, 3])) + net[found.end(2):]]
    else:
        arguments = list(re.finditer(r"arg \{[^{}]*\}", net))
        if arguments:
            found = pick.choice(arguments)
            case["nets"] = [net[:found.start()] + net[found.end():]]
    return case


def run_case(case):
    workspace.ResetWorkspace()
    for blob, fed in case["feeds"].items():
        data = numpy.array([float(x) if isinstance(x, str) else x for x in fed["data"]], dtype=fed["dtype"])
        workspace.FeedBlob(blob, data.reshape(fed["shape"]))
    net = text_format.Parse(case["nets"][0], caffe2_pb2.NetDef())
    recorded_run(net, lambda: workspace.RunNetOnce(net))


def mutate(folder, seed, count):
    """In a child process, since Caffe2 does not survive all of them: those are left out."""
    pick = random.Random(seed)
    cases = [json.load(open(name)) for name in sorted(glob.glob(os.path.join(folder, "cases", "run", "*.json")))]
    cases = [case for case in cases if len(case["nets"]) == 1 and case["nets"][0].count("op {") == 1]
    child = None
    for _ in range(count):
        if child is None or child.poll() is not None:
            child = subprocess.Popen([sys.executable, __file__, "child"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL, text=True)
        try:
            child.stdin.write(json.dumps(mutated(pick, pick.choice(cases))) + "\n")
            child.stdin.flush()
            child.stdout.readline()
        except BrokenPipeError:
            child.wait()


def child():
    for line in sys.stdin:
        try:
            run_case(json.loads(line))
        except Exception:
            pass  # recorded, or no case
        print("done", flush=True)


def main(command="", folder="", seed=0, count=10_000):
    if command == "child":
        child()
    elif command == "mutate" and folder:
        mutate(folder, int(seed), int(count))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    MOST_CASES = 10**9
    main(*sys.argv[1:5])
else:
    install()
