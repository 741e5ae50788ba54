"""What scripts that time cells over sequences share: cases, numbers, options, how they are timed."""

import argparse
import statistics
import time

import numpy as np

CASES = ["100,1,256,256", "50,32,512,512", "20,64,1024,1024", "200,16,128,128"]


def spread_numbers(seed, shape, bound):
    """The numbers of spread_numbers in benchmarks/rnn/running_net.hpp."""
    count = int(np.prod(shape))
    x = np.arange(count, dtype=np.uint32) + np.uint32(seed * 0x9E3779B9 & 0xFFFFFFFF)
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    x = (x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    x ^= x >> np.uint32(16)
    unit = (x >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-23) - np.float32(1)
    return (unit * np.float32(bound)).reshape(shape)


def parser(rivals):
    made = argparse.ArgumentParser()
    made.add_argument("name", choices=rivals)
    made.add_argument("threads", type=int)
    made.add_argument("--case", action="append")
    made.add_argument("--steps", type=int, default=0)
    made.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    made.add_argument("--infer", action="store_true")
    made.add_argument("--train", action="store_true")
    return made


def cases(given):
    """(t, n, i, h), and whether to train."""
    for case in given.case or CASES:
        for trains in (False, True):
            if not (given.infer if trains else given.train):
                yield tuple(map(int, case.split(","))), trains


def torch_for(given):
    """PyTorch, and what it is to compute on. On a device products are those of float, as everywhere, not TF32."""
    import torch

    torch.set_num_threads(given.threads)
    torch.backends.cudnn.allow_tf32 = False
    return torch, torch.device(given.device)


def torch_wait(given):
    """Until the device has done what it was asked for."""
    if given.device == "cuda":
        import torch

        torch.cuda.synchronize()


def jax_for(given):
    """JAX, on what it finds: a device if there is one and its plugin. Products there are those of float, too."""
    import jax

    if given.device == "cuda":
        jax.config.update("jax_default_matmul_precision", "highest")
    assert jax.default_backend() == ("gpu" if given.device == "cuda" else "cpu"), jax.default_backend()
    return jax


def time_runs(given, run, what, flops):
    """Runs a few times first, then --steps times, or for about a second, and prints a line: the name, threads,
    milliseconds (median, then the fastest), `what`, GFLOP/s."""
    for _ in range(3):
        run()
    times = []
    while len(times) < given.steps if given.steps else sum(times) < 1000 or len(times) < 5:
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    print(f"{given.name}\t{given.threads}\t{statistics.median(times):.3f}\t{min(times):.3f}\t{what}\t"
          f"{flops / min(times) / 1e6:.1f}", flush=True)


def text(case, trains):
    return ",".join(map(str, case)) + (" train" if trains else " infer")


def flops(case, trains, gates):
    """Of the matrix products; those of a training step, without the gradient of x, which nobody asks for."""
    t, n, i, h = case
    return 2 * gates * t * n * h * (2 * i + 3 * h if trains else i + h)
