#!/usr/bin/env python3
"""The cases of benchmarks/operators/operators.cpp in PyTorch (eager) and JAX (jit).

    operators.py {torch | jax} THREADS [--what NAME]...

A line a case: what, threads, milliseconds (median, then the fastest), the case, GB/s of what has to be read and written
once. JAX takes as many threads as the process has processors: run it under taskset.
"""

import argparse
import time

import numpy as np

SIZES = [10**k for k in range(3, 9)]
MATRICES = [(64, 1000), (4096, 1000), (64, 32768)]
# Number of tensors read and written, in sizes of a.
FLOATS = {"chain": 4, "long_chain": 4, "sigmoid": 2, "tanh": 2, "sine": 2, "power": 2, "softmax": 2, "layer_norm": 2,
          "sum_of_rows": 1, "sum_of_columns": 1}


def cases():
    for size in SIZES:
        yield "chain", (size,)
        if size <= 10**7:
            for what in ("long_chain", "sigmoid", "tanh", "sine", "power"):
                yield what, (size,)
    for dims in MATRICES:
        for what in ("softmax", "layer_norm", "sum_of_rows", "sum_of_columns"):
            yield what, dims


def torch_functions(threads):
    import torch

    torch.set_num_threads(threads)
    functions = {
        "chain": lambda a, b, c: (a + b) * c,
        "long_chain": lambda a, b, c: torch.sigmoid(torch.tanh(a + b) * c - a) * b,
        "sigmoid": lambda a, b, c: torch.sigmoid(a),
        "tanh": lambda a, b, c: torch.tanh(a),
        "sine": lambda a, b, c: torch.sin(a),
        "power": lambda a, b, c: torch.pow(b, 1.7),
        "softmax": lambda a, b, c: torch.softmax(a, 1),
        "layer_norm": lambda a, b, c: torch.nn.functional.layer_norm(a, a.shape[1:]),
        "sum_of_rows": lambda a, b, c: a.sum(1),
        "sum_of_columns": lambda a, b, c: a.sum(0),
    }

    def prepare(what, numbers):
        f = functions[what]
        a, b, c = (torch.from_numpy(numbers.copy()) for _ in range(3))

        def run():
            with torch.inference_mode():
                return f(a, b, c)

        return run

    return prepare


def jax_functions(threads):
    import jax
    import jax.numpy as jnp

    def layer_norm(a, b, c):
        mean = a.mean(1, keepdims=True)
        return (a - mean) * jax.lax.rsqrt(a.var(1, keepdims=True) + 1e-5)

    functions = {
        "chain": lambda a, b, c: (a + b) * c,
        "long_chain": lambda a, b, c: jax.nn.sigmoid(jnp.tanh(a + b) * c - a) * b,
        "sigmoid": lambda a, b, c: jax.nn.sigmoid(a),
        "tanh": lambda a, b, c: jnp.tanh(a),
        "sine": lambda a, b, c: jnp.sin(a),
        "power": lambda a, b, c: b ** jnp.float32(1.7),
        "softmax": lambda a, b, c: jax.nn.softmax(a, axis=1),
        "layer_norm": layer_norm,
        "sum_of_rows": lambda a, b, c: a.sum(1),
        "sum_of_columns": lambda a, b, c: a.sum(0),
    }

    def prepare(what, numbers):
        compiled = jax.jit(functions[what])
        a, b, c = (jnp.asarray(numbers) for _ in range(3))
        return lambda: compiled(a, b, c).block_until_ready()

    return prepare


RIVALS = {"torch": torch_functions, "jax": jax_functions}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=RIVALS)
    parser.add_argument("threads", type=int)
    parser.add_argument("--what", action="append", choices=FLOATS)
    given = parser.parse_args()
    prepare = RIVALS[given.name](given.threads)
    for what, dims in cases():
        if given.what and what not in given.what:
            continue
        count = int(np.prod(dims))
        numbers = ((np.arange(count) % 1000).astype(np.float32) * np.float32(0.01) - np.float32(5)).reshape(dims)
        run = prepare(what, numbers + np.float32(5) if what == "power" else numbers)
        for _ in range(3):
            run()
        times = []
        while len(times) < 5 or (sum(times) < 333 and len(times) < 20000):
            start = time.perf_counter()
            run()
            times.append((time.perf_counter() - start) * 1e3)
        times.sort()
        print(f"{given.name}\t{given.threads}\t{times[len(times) // 2]:.5f}\t{times[0]:.5f}\t"
              f"{what} {'x'.join(map(str, dims))}\t{4 * FLOATS[what] * count / times[0] / 1e6:.1f}", flush=True)


main()
