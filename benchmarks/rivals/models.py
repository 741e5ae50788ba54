#!/usr/bin/env python3
"""The cases of benchmarks/nets/models.cpp in ONNX Runtime, one thread.

    models.py CASE...

A line a case: what, threads, milliseconds (median, then the fastest), the case, and how many megabytes the process grew
by to load and run it.
"""

import pathlib
import resource
import statistics
import sys
import time

import onnx
import onnxruntime
from onnx import numpy_helper


def peak_megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    for case in map(pathlib.Path, sys.argv[1:]):
        inputs = []
        while (file := case / "test_data_set_0" / f"input_{len(inputs)}.pb").exists():
            tensor = onnx.TensorProto()
            tensor.ParseFromString(file.read_bytes())
            inputs.append(numpy_helper.to_array(tensor))
        before = peak_megabytes()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(str(case / "model.onnx"), options, providers=["CPUExecutionProvider"])
        names = [each.name for each in session.get_inputs()]
        fed = dict(zip(names, inputs))
        times = []
        for number in range(-3, 2_000):
            if len(times) >= 5 and sum(times) > 500:
                break
            start = time.perf_counter()
            session.run(None, fed)
            if number >= 0:
                times.append((time.perf_counter() - start) * 1e3)
        print(f"onnxruntime\t1\t{statistics.median(times):.5f}\t{min(times):.5f}\t{case.name}\t"
              f"{peak_megabytes() - before:.1f}", flush=True)


main()
