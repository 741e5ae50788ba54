#!/usr/bin/env python3
"""The cases of benchmarks/nets/nets.cpp in Caffe2: that of PyTorch 1.0, with the Python that benchmarks/rivals/setup.sh
has made an environment of.

    nets.py caffe2 [--what NAME]...

A line a case: what, threads, milliseconds (median, then the fastest), the case, ns an op. SSA and gradients are
functions of Caffe2's Python; to make a net and to run it, of its C++.
"""

import argparse
import statistics
import time

import numpy as np
from caffe2.python import core, workspace


def additions(ops):
    net = core.Net("additions")
    x = "x0"
    for op in range(ops):
        x = net.Add([x, "b"], f"x{op + 1}")
    return net, x


def layers(ops):
    net = core.Net("layers")
    x = "x0"
    for op in range(ops):
        inputs = [x] if op % 2 else [x, f"{op}_w", f"{op}_b"]
        x = getattr(net, "Tanh" if op % 2 else "FC")(inputs, f"x{op + 1}")
    return net, x


def report(what, ops, prepare, run):
    times = []
    for number in range(-1, 100):
        made = prepare()
        start = time.perf_counter()
        run(made)
        if number >= 0:
            times.append((time.perf_counter() - start) * 1e3)
        if len(times) >= 5 and sum(times) > 333:
            break
    print(f"caffe2\t1\t{statistics.median(times):.5f}\t{min(times):.5f}\t{what} {ops}\t{min(times) / ops * 1e6:.1f}",
          flush=True)


def ssa(ops):
    proto = layers(ops)[0].Proto()
    report("ssa", ops, lambda: None, lambda _: core.get_ssa(proto))


def gradients(ops):
    def prepare():
        return layers(ops)

    report("gradients", ops, prepare, lambda made: made[0].AddGradientOperators([made[1]]))


def fed_additions(ops):
    for name in ("x0", "b"):
        workspace.FeedBlob(name, np.full(1, 0.5, np.float32))
    return additions(ops)[0]


def compile(ops):
    net = fed_additions(ops)
    report("compile", ops, lambda: None, lambda _: workspace.CreateNet(net, True))


def run(ops):
    """Many times in one call, as Python takes longer than a small net."""
    net = fed_additions(ops)
    net.Proto().type = "simple"
    name = net.Proto().name
    workspace.CreateNet(net, True)
    times = []
    repeats = max(1, 100_000 // ops)
    for _ in range(7):
        start = time.perf_counter()
        workspace.RunNet(name, repeats)
        times.append((time.perf_counter() - start) / repeats * 1e3)
    times = times[1:]
    print(f"caffe2\t1\t{statistics.median(times):.5f}\t{min(times):.5f}\trun {ops}\t{min(times) / ops * 1e6:.1f}",
          flush=True)


SUBJECTS = {"ssa": ssa, "gradients": gradients, "compile": compile, "run": run}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=["caffe2"])
    parser.add_argument("--what", action="append", choices=SUBJECTS)
    for what in parser.parse_args().what or SUBJECTS:
        for ops in (100, 1_000, 10_000):
            SUBJECTS[what](ops)


main()
