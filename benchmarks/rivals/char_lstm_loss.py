#!/usr/bin/env python3
"""Trains the model of examples/char_lstm in PyTorch, too, from the same parameters on the same text, and compares the
losses step by step.

    char_lstm_loss.py CHAR_LSTM PLAIT TEXT [--steps N] [--optimizer adam|sgd] [--layers N] [--size N] [--streams N]
                      [--window N] [--rate R] [--clip R] [--seed N] [--backend B] [--double] [--most R]

CHAR_LSTM and PLAIT are the programs, TEXT a file in UTF-8. Says how far the losses are apart, relative to PyTorch's,
and exits with 1 where that is more than --most, 1e-4. --double: PyTorch computes in double precision.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch

ADAM = {"betas": (0.9, 0.999), "epsilon": 1e-8}


def options():
    parser = argparse.ArgumentParser()
    for name in ("char_lstm", "plait", "text"):
        parser.add_argument(name)
    for name, given in (("steps", 200), ("layers", 1), ("size", 128), ("streams", 32), ("window", 50), ("seed", 1)):
        parser.add_argument("--" + name, type=int, default=given)
    parser.add_argument("--optimizer", choices=("adam", "sgd"), default="adam")
    parser.add_argument("--rate", type=float)
    parser.add_argument("--clip", type=float, default=5.0)
    parser.add_argument("--backend", default="serial")
    parser.add_argument("--double", action="store_true")
    parser.add_argument("--most", type=float, default=1e-4)
    made = parser.parse_args()
    if made.rate is None:
        made.rate = {"adam": 0.005, "sgd": 1.0}[made.optimizer]
    return made


def parameter_names(layers):
    """What plait calls the parameters of a layer, and what PyTorch calls them."""
    names = {"logits_w": "logits.weight", "logits_b": "logits.bias"}
    for i in range(layers):
        for ours, theirs in (("i2h_w", "weight_ih"), ("gates_t_w", "weight_hh"), ("i2h_b", "bias_ih"),
                             ("gates_t_b", "bias_hh")):
            names[f"rnn_layer_{i}/{ours}"] = f"lstm.{theirs}_l{i}"
    return names


def train_plait(how, folder):
    """The parameters that it begins with, as arrays, and the losses."""
    net = folder / "net.pb"
    run = [how.char_lstm, how.text, "--net", net, "--backend", how.backend, "--sample", "0"]
    for name in ("layers", "size", "streams", "window", "optimizer", "rate", "clip", "seed"):
        run += ["--" + name, str(getattr(how, name))]
    subprocess.run(run + ["--steps", "0"], check=True, stdout=subprocess.DEVNULL)

    files = {name: folder / f"{i}.npy" for i, name in enumerate(parameter_names(how.layers))}
    fetch = [word for name, file in files.items() for word in ("--fetch", f"{name}={file}")]
    subprocess.run([how.plait, "run", folder / "net.init.pb"] + fetch, check=True, stdout=subprocess.DEVNULL)

    losses = folder / "losses.txt"
    subprocess.run(run + ["--steps", str(how.steps), "--losses", losses], check=True, stdout=subprocess.DEVNULL)
    table = np.loadtxt(losses, ndmin=2)
    assert [int(step) for step in table[:, 0]] == list(range(1, how.steps + 1)), "not a loss for each step"
    return {name: np.load(file) for name, file in files.items()}, table[:, 1]


def windows(text, how):
    """What is read in each step, and what comes next, both window×streams places in the vocabulary."""
    place = {character: i for i, character in enumerate(sorted(set(text)))}
    places = np.array([place[character] for character in text])
    begins = np.arange(how.streams) * len(text) // how.streams
    for step in range(how.steps):
        at = (step * how.window + np.arange(how.window)[:, None] + begins) % len(text)
        yield torch.from_numpy(places[at]), torch.from_numpy(places[(at + 1) % len(text)])


class Model(torch.nn.Module):
    def __init__(self, width, how):
        super().__init__()
        self.lstm = torch.nn.LSTM(width, how.size, how.layers)
        self.logits = torch.nn.Linear(how.size, width)

    def set_parameters(self, given, layers):
        own = dict(self.named_parameters())
        for ours, theirs in parameter_names(layers).items():
            value = torch.from_numpy(given[ours]).to(own[theirs].dtype)
            if "lstm" in theirs:
                i, f, o, g = value.chunk(4)  # Caffe2's gate order, which is plait's
                if "bias_ih" in theirs:
                    f = f + 1  # the argument forget_bias
                value = torch.cat([i, f, g, o])
            assert own[theirs].shape == value.shape
            own[theirs].data.copy_(value)


def train_torch(how, given, text):
    torch.manual_seed(0)
    width = len(set(text))
    model = Model(width, how).to(torch.float64 if how.double else torch.float32)
    model.set_parameters(given, how.layers)
    kind = next(model.parameters()).dtype
    if how.optimizer == "adam":
        optimizer = torch.optim.Adam(model.parameters(), lr=how.rate, betas=ADAM["betas"])
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=how.rate)

    losses, states = [], None
    for step, (read, following) in enumerate(windows(text, how), 1):
        # Caffe2 adds epsilon to the root before the bias correction, PyTorch after it.
        if how.optimizer == "adam":
            optimizer.param_groups[0]["eps"] = ADAM["epsilon"] / (1 - ADAM["betas"][1] ** step) ** 0.5
        optimizer.zero_grad()
        hidden, states = model.lstm(torch.nn.functional.one_hot(read, width).to(kind), states)
        states = tuple(s.detach() for s in states)
        loss = torch.nn.functional.cross_entropy(model.logits(hidden).flatten(0, 1), following.flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), how.clip)
        optimizer.step()
        losses.append(loss.item())
    return np.array(losses)


def main():
    how = options()
    text = pathlib.Path(how.text).read_bytes().decode()
    with tempfile.TemporaryDirectory() as folder:
        given, ours = train_plait(how, pathlib.Path(folder))
    theirs = train_torch(how, given, text)

    apart = np.abs(ours - theirs) / np.abs(theirs)
    for step in sorted({1, 10, 50, 100, how.steps} & set(range(1, how.steps + 1))):
        print(f"step {step}: plait {ours[step - 1]:.7f}, PyTorch {theirs[step - 1]:.7f}")
    worst = int(apart.argmax())
    print(f"largest relative difference of {how.steps} losses: {apart[worst]:.2e}, in step {worst + 1}")
    return 0 if apart[worst] <= how.most else 1


sys.exit(main())
