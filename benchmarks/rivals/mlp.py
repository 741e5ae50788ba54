#!/usr/bin/env python3
"""The training step of benchmarks/training/step.cpp in PyTorch (eager) and JAX (jit).

    mlp.py {torch | jax} THREADS [STEPS]

A line: name, threads, milliseconds a step (median, then the fastest). JAX takes as many threads as the process has
processors: run it under taskset.
"""

import statistics
import sys
import time

import numpy as np

BATCH = 64
WIDTHS = [784, 1024, 1024, 10]
RATE, MOMENTUM = 0.01, 0.9


def data():
    random = np.random.default_rng(1)
    x = random.standard_normal((BATCH, WIDTHS[0]), dtype=np.float32)
    return x, (np.arange(BATCH) % 10).astype(np.int64)


def torch_step(threads):
    import torch
    import torch.nn as nn

    torch.set_num_threads(threads)
    model = nn.Sequential(
        nn.Linear(WIDTHS[0], WIDTHS[1]), nn.ReLU(inplace=True),
        nn.Linear(WIDTHS[1], WIDTHS[2]), nn.ReLU(inplace=True),
        nn.Linear(WIDTHS[2], WIDTHS[3]))
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE, momentum=MOMENTUM)
    loss_of = nn.CrossEntropyLoss()
    x, label = map(torch.from_numpy, data())

    def step():
        optimizer.zero_grad()
        loss_of(model(x), label).backward()
        optimizer.step()

    return step


def jax_step():
    import jax
    import jax.numpy as jnp

    random = np.random.default_rng(2)
    parameters = [
        (jnp.asarray(random.uniform(-1, 1, (n, m)).astype(np.float32) * (3 / m) ** 0.5), jnp.zeros(n))
        for m, n in zip(WIDTHS, WIDTHS[1:])]
    momenta = jax.tree.map(jnp.zeros_like, parameters)
    x, label = data()
    x, label = jnp.asarray(x), jnp.asarray(label.astype(np.int32))

    def loss_of(parameters):
        layer = x
        for i, (w, b) in enumerate(parameters):
            layer = layer @ w.T + b
            if i + 1 != len(parameters):
                layer = jax.nn.relu(layer)
        return -jnp.mean(jax.nn.log_softmax(layer)[jnp.arange(BATCH), label])

    def update(parameters, momenta):
        gradients = jax.grad(loss_of)(parameters)
        momenta = jax.tree.map(lambda m, g: MOMENTUM * m + RATE * g, momenta, gradients)
        return jax.tree.map(jnp.subtract, parameters, momenta), momenta

    update = jax.jit(update, donate_argnums=(0, 1))
    state = [parameters, momenta]

    def step():
        state[:] = update(*state)
        jax.block_until_ready(state)

    return step


def main():
    name, threads = sys.argv[1], int(sys.argv[2])
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    step = torch_step(threads) if name == "torch" else jax_step()
    for _ in range(5):
        step()
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        step()
        times.append((time.perf_counter() - start) * 1e3)
    print(f"{name}\t{threads}\t{statistics.median(times):.3f}\t{min(times):.3f}")


main()
