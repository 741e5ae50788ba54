#!/usr/bin/env python3
"""The cells of benchmarks/rnn/cells.cpp in PyTorch, a step at a time, and JAX (lax.scan, jit).

    cells.py {torch | jax} THREADS [--cell gru | layer_norm_lstm]... [--case T,N,I,H]... [--steps N] [--infer | --train]
             [--results FOLDER] [--device cuda]

A line a case: what, threads, milliseconds (median, then the fastest), the case, GFLOP/s. --results: also says how far
plait's results, which plait_cells has written there for the same case, are from these: the largest difference, relative
to the largest element. What can be done for all steps at once is done before the steps, as plait_cells does it. JAX
takes as many threads as the process has processors: run it under taskset. --device: on a CUDA device.
"""

import pathlib

import numpy as np

import sequences

GATES = {"gru": 3, "layer_norm_lstm": 4}
EPSILON = 1e-4  # epsilon of the layer normalisation


def data(cell, case):
    """x, the parameters, dy; with the numbers of plait_cells, which are by place in its list of blobs."""
    t, n, i, h = case
    width = GATES[cell] * h
    bound = h**-0.5
    shapes = [("wi", (width, i)), ("bi", (width,)), ("wh", (width, h)), ("bh", (width,))]
    if cell == "layer_norm_lstm":
        shapes += [("scale", (width,)), ("bias", (width,))]
    blobs = [("x", (t, n, i), 1)] + [(name, shape, bound) for name, shape in shapes] + [("dy", (t, n, h), 1)]
    made = {name: sequences.spread_numbers(seed, shape, b) for seed, (name, shape, b) in enumerate(blobs, 1)}
    return made.pop("x"), made.pop("dy"), made


def torch_run(cell, numbers, given, trains):
    torch, device = sequences.torch_for(given)
    x, dy, numbers = numbers
    x, dy = torch.from_numpy(x).to(device), torch.from_numpy(dy).to(device)
    n, h = x.shape[1], dy.shape[2]

    class Gru(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.i2h = torch.nn.Linear(x.shape[2], 3 * h)
            self.h2h = torch.nn.Linear(h, 3 * h)
            self.parameters_by_name = {"wi": self.i2h.weight, "bi": self.i2h.bias, "wh": self.h2h.weight,
                                       "bh": self.h2h.bias}

        def forward(self, x):
            state = torch.zeros(n, h, device=device)
            states = []
            for gates in self.i2h(x):
                x_reset, x_update, x_new = gates.chunk(3, 1)
                h_reset, h_update, h_new = self.h2h(state).chunk(3, 1)
                reset = torch.sigmoid(x_reset + h_reset)
                update = torch.sigmoid(x_update + h_update)
                fresh = torch.tanh(x_new + reset * h_new)
                state = fresh + update * (state - fresh)
                states.append(state)
            return torch.stack(states)

    class LayerNormLstm(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.i2h = torch.nn.Linear(x.shape[2], 4 * h)
            self.h2h = torch.nn.Linear(h, 4 * h)
            self.norm = torch.nn.LayerNorm(4 * h, eps=EPSILON)
            self.parameters_by_name = {"wi": self.i2h.weight, "bi": self.i2h.bias, "wh": self.h2h.weight,
                                       "bh": self.h2h.bias, "scale": self.norm.weight, "bias": self.norm.bias}

        def forward(self, x):
            hidden, cell = torch.zeros(n, h, device=device), torch.zeros(n, h, device=device)
            states = []
            for gates in self.i2h(x):
                i, f, o, g = self.norm(gates + self.h2h(hidden)).chunk(4, 1)
                cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
                hidden = torch.sigmoid(o) * torch.tanh(cell)
                states.append(hidden)
            return torch.stack(states)

    net = {"gru": Gru, "layer_norm_lstm": LayerNormLstm}[cell]()
    with torch.no_grad():
        for name, parameter in net.parameters_by_name.items():
            parameter.copy_(torch.from_numpy(numbers[name]))
    net.to(device)

    def infer():
        with torch.inference_mode():
            results = [net(x)]
        sequences.torch_wait(given)
        return results

    def train():
        net.zero_grad()
        y = net(x)
        y.backward(dy)
        sequences.torch_wait(given)
        return [y.detach()] + [net.parameters_by_name[name].grad for name in numbers]

    return train if trains else infer


def jax_run(cell, numbers, given, trains):
    jax = sequences.jax_for(given)
    jnp = jax.numpy
    x, dy, numbers = numbers
    parameters = {name: jnp.asarray(value) for name, value in numbers.items()}
    x, dy = jnp.asarray(x), jnp.asarray(dy)
    zero = jnp.zeros((x.shape[1], dy.shape[2]), jnp.float32)

    def gru(p, state, gates):
        x_reset, x_update, x_new = jnp.split(gates, 3, axis=1)
        h_reset, h_update, h_new = jnp.split(state @ p["wh"].T + p["bh"], 3, axis=1)
        reset = jax.nn.sigmoid(x_reset + h_reset)
        update = jax.nn.sigmoid(x_update + h_update)
        fresh = jnp.tanh(x_new + reset * h_new)
        state = fresh + update * (state - fresh)
        return state, state

    def layer_norm_lstm(p, state, gates):
        hidden, cell = state
        gates = gates + hidden @ p["wh"].T + p["bh"]
        mean = gates.mean(1, keepdims=True)
        deviation = jnp.sqrt(gates.var(1, keepdims=True) + EPSILON)
        i, f, o, g = jnp.split((gates - mean) / deviation * p["scale"] + p["bias"], 4, axis=1)
        cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
        hidden = jax.nn.sigmoid(o) * jnp.tanh(cell)
        return (hidden, cell), hidden

    step, first = {"gru": (gru, zero), "layer_norm_lstm": (layer_norm_lstm, (zero, zero))}[cell]

    def net(p, x):
        return jax.lax.scan(lambda state, gates: step(p, state, gates), first, x @ p["wi"].T + p["bi"])[1]

    def training(p, x, dy):
        y, back = jax.vjp(lambda p: net(p, x), p)
        return y, back(dy)[0]

    if not trains:
        compiled = jax.jit(net)
        return lambda: [jax.block_until_ready(compiled(parameters, x))]
    compiled = jax.jit(training)

    def train():
        y, gradients = jax.block_until_ready(compiled(parameters, x, dy))
        return [y] + [gradients[name] for name in numbers]

    return train


def compare(results, folder):
    """The largest difference, relative to the largest element of the tensor."""
    worst = 0
    for number, theirs in enumerate(results):
        ours = np.load(pathlib.Path(folder) / f"{number}.npy")
        theirs = np.asarray(theirs.cpu() if hasattr(theirs, "cpu") else theirs)
        assert ours.shape == theirs.shape, f"result {number} is {ours.shape} in plait, not {theirs.shape}"
        worst = max(worst, float(np.abs(ours - theirs).max() / np.abs(theirs).max()))
    return worst


RIVALS = {"torch": torch_run, "jax": jax_run}


def main():
    parser = sequences.parser(RIVALS)
    parser.add_argument("--cell", action="append", choices=GATES)
    parser.add_argument("--results")
    given = parser.parse_args()
    for cell in given.cell or GATES:
        for case, trains in sequences.cases(given):
            run = RIVALS[given.name](cell, data(cell, case), given, trains)
            what = f"{cell} {sequences.text(case, trains)}"
            sequences.time_runs(given, run, what, sequences.flops(case, trains, GATES[cell]))
            if given.results:
                print(f"# plait and {given.name}, {what}: {compare(run(), given.results):.1e} apart", flush=True)


main()
