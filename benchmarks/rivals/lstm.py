#!/usr/bin/env python3
"""The LSTM of benchmarks/rnn/lstm.cpp in PyTorch, JAX (lax.scan, jit), ONNX Runtime and OpenVINO (both inference only)
and Caffe2 (with the Python of build/rivals/caffe2).

    lstm.py {torch | jax | onnxruntime | openvino | caffe2} THREADS [--case T,N,I,H]... [--steps N] [--infer | --train]
            [--device cuda]

A line a case: what, threads, milliseconds (median, then the fastest), the case, GFLOP/s. JAX takes as many threads as
the process has processors: run it under taskset. --device: PyTorch and JAX on a CUDA device.
"""

import numpy as np

import sequences


def data(t, n, i, h):
    random = np.random.default_rng(1)
    bound = h ** -0.5

    def some(*shape, bound=bound):
        return random.uniform(-bound, bound, shape).astype(np.float32)

    return {"x": some(t, n, i, bound=1), "dy": some(t, n, h, bound=1), "wi": some(4 * h, i), "wh": some(4 * h, h),
            "bi": some(4 * h), "bh": some(4 * h)}


def torch_run(d, given, trains):
    torch, device = sequences.torch_for(given)
    i, h = d["wi"].shape[1], d["wh"].shape[1]
    net = torch.nn.LSTM(i, h)
    with torch.no_grad():
        for name, key in (("weight_ih_l0", "wi"), ("weight_hh_l0", "wh"), ("bias_ih_l0", "bi"), ("bias_hh_l0", "bh")):
            getattr(net, name).copy_(torch.from_numpy(d[key]))
    net.to(device)
    x, dy = torch.from_numpy(d["x"]).to(device), torch.from_numpy(d["dy"]).to(device)

    def infer():
        with torch.inference_mode():
            net(x)
        sequences.torch_wait(given)

    def train():
        net.zero_grad()
        net(x)[0].backward(dy)
        sequences.torch_wait(given)

    return train if trains else infer


def jax_run(d, given, trains):
    jax = sequences.jax_for(given)
    jnp = jax.numpy

    parameters = {name: jnp.asarray(d[name]) for name in ("wi", "wh", "bi", "bh")}
    x, dy = jnp.asarray(d["x"]), jnp.asarray(d["dy"])
    n, h = x.shape[1], dy.shape[2]

    def net(p, x):
        gates = x @ p["wi"].T + p["bi"] + p["bh"]

        def step(state, gates_t):
            hidden, cell = state
            i, f, g, o = jnp.split(gates_t + hidden @ p["wh"].T, 4, axis=1)
            cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
            hidden = jax.nn.sigmoid(o) * jnp.tanh(cell)
            return (hidden, cell), hidden

        zero = jnp.zeros((n, h), jnp.float32)
        return jax.lax.scan(step, (zero, zero), gates)[1]

    if trains:
        compiled = jax.jit(lambda p, x, dy: jax.vjp(lambda p: net(p, x), p)[1](dy)[0])
        return lambda: jax.block_until_ready(compiled(parameters, x, dy))
    compiled = jax.jit(net)
    return lambda: jax.block_until_ready(compiled(parameters, x))


def onnx_gates(w):
    """From PyTorch's order of gates, i f g o, to ONNX's, i o f c."""
    i, f, g, o = np.split(w, 4)
    return np.concatenate([i, o, f, g])


def onnxruntime_run(d, given, trains):
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    t, n, i = d["x"].shape
    h = d["dy"].shape[2]
    bias = np.concatenate([onnx_gates(d["bi"]), onnx_gates(d["bh"])])
    weights = [numpy_helper.from_array(v[None], name)
               for name, v in (("W", onnx_gates(d["wi"])), ("R", onnx_gates(d["wh"])), ("B", bias))]
    node = helper.make_node("LSTM", ["X", "W", "R", "B"], ["Y", "Y_h", "Y_c"], hidden_size=h)
    graph = helper.make_graph(
        [node], "lstm", [helper.make_tensor_value_info("X", TensorProto.FLOAT, [t, n, i])],
        [helper.make_tensor_value_info("Y", TensorProto.FLOAT, [t, 1, n, h])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = given.threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(["Y"], {"X": d["x"]})


def openvino_run(d, given, trains):
    import openvino
    from openvino import opset8 as ops

    t, n, i = d["x"].shape
    h = d["dy"].shape[2]

    def gates(w):  # i f g o to f i c o
        a, b, c, e = np.split(w, 4)
        return np.concatenate([b, a, c, e])[None]

    x = ops.parameter([n, t, i], np.float32)
    zero = ops.constant(np.zeros((n, 1, h), np.float32))
    lengths = ops.constant(np.full((n,), t, np.int32))
    net = ops.lstm_sequence(x, zero, zero, lengths, ops.constant(gates(d["wi"])), ops.constant(gates(d["wh"])),
                            ops.constant(gates(d["bi"] + d["bh"])), h, "forward")
    model = openvino.Model([ops.result(net.output(0))], [x], "lstm")
    compiled = openvino.Core().compile_model(
        model, "CPU", {"INFERENCE_NUM_THREADS": given.threads, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()
    request.set_input_tensor(openvino.Tensor(np.ascontiguousarray(d["x"].transpose(1, 0, 2))))
    return request.infer


def caffe2_run(d, given, trains):
    from caffe2.python import model_helper, rnn_cell, workspace

    workspace.GlobalInit(["caffe2", f"--caffe2_omp_num_threads={given.threads}",
                          f"--caffe2_mkl_num_threads={given.threads}"])
    workspace.ResetWorkspace()
    t, n, i = d["x"].shape
    h = d["dy"].shape[2]

    def gates(w):  # i f g o to i f o g
        a, b, c, e = np.split(w, 4)
        return np.concatenate([a, b, e, c])

    state = np.zeros((1, n, h), np.float32)
    fed = {"x": d["x"], "y_gradient": d["dy"], "hidden": state, "cell": state,
           "lengths": np.full(n, t, np.int32), "lstm/i2h_w": gates(d["wi"]), "lstm/i2h_b": gates(d["bi"]),
           "lstm/gates_t_w": gates(d["wh"]), "lstm/gates_t_b": gates(d["bh"])}
    for name, numbers in fed.items():
        workspace.FeedBlob(name, numbers)
    model = model_helper.ModelHelper(name="lstm_net")
    model.net.AddExternalInput("y_gradient")
    y = rnn_cell.LSTM(model, "x", "lengths", ("hidden", "cell"), i, h, "lstm", outputs_with_grads=[0],
                      forward_only=not trains)[0]
    if trains:
        model.AddGradientOperators({y: "y_gradient"})
    workspace.CreateNet(model.net, True)
    return lambda: workspace.RunNet(model.net.Proto().name)


RIVALS = {"torch": torch_run, "jax": jax_run, "onnxruntime": onnxruntime_run, "openvino": openvino_run,
          "caffe2": caffe2_run}


def main():
    given = sequences.parser(RIVALS).parse_args()
    for case, trains in sequences.cases(given):
        if not (trains and given.name in ("onnxruntime", "openvino")):
            run = RIVALS[given.name](data(*case), given, trains)
            sequences.time_runs(given, run, sequences.text(case, trains), sequences.flops(case, trains, gates=4))


main()
