#!/usr/bin/env python3
"""Writes recorded/: models of ONNX's recurrent and control flow operators with what ONNX Runtime computes for them.

Each folder is as those of ONNX's own tests: model.onnx, test_data_set_0/input_<i>.pb and output_<i>.pb. Needs the
packages onnx, onnxruntime and numpy; the tests do not.
"""
import os
import shutil

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

random = numpy.random.default_rng(7)
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recorded")


def record(name, model, inputs):
    onnx.checker.check_model(model)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    outputs = session.run(None, inputs)
    folder = os.path.join(ROOT, name)
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data)
    onnx.save(model, os.path.join(folder, "model.onnx"))
    for what, tensors in (("input", inputs.values()), ("output", outputs)):
        for i, tensor in enumerate(tensors):
            with open(os.path.join(data, f"{what}_{i}.pb"), "wb") as file:
                file.write(numpy_helper.from_array(numpy.asarray(tensor)).SerializeToString())


def model_of(graph, opset):
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def declared(name, array):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def floats(*shape):
    return (random.standard_normal(shape) * 0.7).astype(numpy.float32)


def recurrent(name, kind, steps=4, batch=3, width=2, hidden=3, direction="forward", lengths=None, bias=True,
              initial=False, peepholes=False, constants=False, outputs=None, **attributes):
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[kind]
    directions = 2 if direction == "bidirectional" else 1
    tensors = {
        "X": floats(steps, batch, width),
        "W": floats(directions, gates * hidden, width),
        "R": floats(directions, gates * hidden, hidden),
    }
    if bias:
        tensors["B"] = floats(directions, 2 * gates * hidden)
    if lengths:
        tensors["lengths"] = numpy.array(lengths, numpy.int32)
    if initial:
        tensors["h0"] = floats(directions, batch, hidden)
        if kind == "LSTM":
            tensors["c0"] = floats(directions, batch, hidden)
    if peepholes:
        tensors["P"] = floats(directions, 3 * hidden)
    order = ["X", "W", "R", "B", "lengths", "h0", "c0", "P"] if kind == "LSTM" else ["X", "W", "R", "B", "lengths", "h0"]
    operands = [each if each in tensors else "" for each in order]
    while operands[-1] == "":
        operands.pop()
    names = outputs or (["Y", "Y_h", "Y_c"] if kind == "LSTM" else ["Y", "Y_h"])
    node = helper.make_node(kind, operands, names, hidden_size=hidden, direction=direction, **attributes)
    shapes = {"Y": [steps, directions, batch, hidden], "Y_h": [directions, batch, hidden],
              "Y_c": [directions, batch, hidden]}
    fixed = [each for each in tensors if constants and each in ("W", "R", "B", "P")]
    graph = helper.make_graph(
        [node], name, [declared(each, tensors[each]) for each in tensors if each not in fixed],
        [helper.make_tensor_value_info(each, TensorProto.FLOAT, shapes[each]) for each in names if each],
        [numpy_helper.from_array(tensors[each], each) for each in fixed])
    record(name, model_of(graph, 14), {each: tensors[each] for each in tensors if each not in fixed})


shutil.rmtree(ROOT, ignore_errors=True)

for kind in ("RNN", "GRU", "LSTM"):
    small = kind.lower()
    recurrent(small + "_reverse", kind, direction="reverse")
    recurrent(small + "_bidirectional", kind, direction="bidirectional", initial=True)
    recurrent(small + "_lengths", kind, lengths=[4, 1, 2], initial=True)
    recurrent(small + "_reverse_lengths", kind, direction="reverse", lengths=[2, 4, 3])
    recurrent(small + "_bidirectional_lengths", kind, direction="bidirectional", lengths=[3, 1, 4], initial=True,
              constants=True)
    recurrent(small + "_clip", kind, clip=0.3)
    recurrent(small + "_no_bias", kind, bias=False, constants=True)
recurrent("rnn_activations", "RNN", direction="bidirectional", activations=["LeakyRelu", "ScaledTanh"],
          activation_alpha=[0.2, 0.8], activation_beta=[0.5])
recurrent("rnn_affine", "RNN", activations=["Affine"], activation_alpha=[0.5], activation_beta=[0.1])
recurrent("rnn_thresholded", "RNN", activations=["ThresholdedRelu"], activation_alpha=[0.2])
recurrent("rnn_elu", "RNN", activations=["Elu"], activation_alpha=[0.4])
recurrent("rnn_softsign", "RNN", activations=["Softsign"])
recurrent("rnn_softplus", "RNN", activations=["Softplus"])
recurrent("gru_linear_before_reset", "GRU", linear_before_reset=1)
recurrent("gru_linear_before_reset_lengths", "GRU", linear_before_reset=1, direction="bidirectional",
          lengths=[1, 4, 2], initial=True, constants=True)
recurrent("gru_activations", "GRU", activations=["HardSigmoid", "Relu"], activation_alpha=[0.3], activation_beta=[0.4])
recurrent("lstm_peepholes", "LSTM", peepholes=True, initial=True)
recurrent("lstm_peepholes_constant", "LSTM", peepholes=True, direction="bidirectional", lengths=[3, 4, 1],
          constants=True)
recurrent("lstm_activations", "LSTM", activations=["HardSigmoid", "Relu", "Softsign"])
recurrent("lstm_input_forget", "LSTM", input_forget=1)
recurrent("lstm_last_only", "LSTM", lengths=[2, 3, 4], outputs=["", "", "Y_c"])
recurrent("lstm_constants", "LSTM", constants=True, initial=True)


def tensor(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def constant(name, array):
    return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array))


def loop(name, body_nodes, states, stacks, inputs, operands, shapes=True, opset=14):
    """Body: iteration `i`, condition `go_in`, states s<k>_in → `go`, s<k>_out, t<k>."""
    body = helper.make_graph(
        body_nodes, "body",
        [tensor("i", INT64, []), tensor("go_in", BOOL, [])] + [tensor(f"s{k}_in", FLOAT, [2]) for k in range(states)],
        [tensor("go", BOOL, [])] + [tensor(f"s{k}_out", FLOAT, [2]) for k in range(states)] +
        [tensor(f"t{k}", FLOAT, [2] if shapes else ["n"]) for k in range(stacks)])
    outputs = [f"s{k}" for k in range(states)] + [f"all{k}" for k in range(stacks)]
    node = helper.make_node("Loop", operands, outputs, body=body)
    graph = helper.make_graph([node], name, [declared(each, inputs[each]) for each in inputs],
                              [tensor(f"s{k}", FLOAT, [2]) for k in range(states)] +
                              [tensor(f"all{k}", FLOAT, ["n", 2]) for k in range(stacks)])
    record(name, model_of(graph, opset), inputs)


v = numpy.array([1, -2], numpy.float32)
w = numpy.array([0.5, 3], numpy.float32)
half = [helper.make_node("Add", ["s0_in", "w"], ["s0_out"]), helper.make_node("Identity", ["s0_out"], ["t0"])]
keep = [helper.make_node("Identity", ["go_in"], ["go"])]
below = [constant("most", numpy.array(10, numpy.float32)),
         helper.make_node("ReduceMax", ["s0_out"], ["top"], keepdims=0),
         helper.make_node("Less", ["top", "most"], ["go"])]
for trips in (0, 1, 5):
    loop(f"loop_for_{trips}", half + keep, 1, 1, {"n": numpy.array(trips), "v": v, "w": w}, ["n", "", "v"])
loop("loop_unknown_shapes", half + keep, 1, 1, {"n": numpy.array(3), "v": v, "w": w}, ["n", "", "v"], shapes=False)
loop("loop_while", half + below, 1, 1, {"go0": numpy.array(True), "v": v, "w": w}, ["", "go0", "v"])
loop("loop_while_false", half + below, 1, 1, {"go0": numpy.array(False), "v": v, "w": w}, ["", "go0", "v"])
loop("loop_for_while", half + below, 1, 1, {"n": numpy.array(2), "go0": numpy.array(True), "v": v, "w": w},
     ["n", "go0", "v"])
# The states change places: all of them are read before one is written.
loop("loop_swap", keep + [helper.make_node("Identity", ["s1_in"], ["s0_out"]),
                          helper.make_node("Identity", ["s0_in"], ["s1_out"])],
     2, 0, {"n": numpy.array(3), "v": v, "w": w}, ["n", "", "v", "w"])
# A branch in a loop, which reads a state and a blob of the graph around the loop.
branches = {
    name: helper.make_graph([helper.make_node(op, ["s0_in", "w"], [name + "_made"])], name, [],
                            [tensor(name + "_made", FLOAT, [2])])
    for name, op in (("doubles", "Mul"), ("adds", "Add"))
}
loop("loop_if", keep + [constant("two", numpy.array(2)),
                        helper.make_node("Less", ["i", "two"], ["early"]),
                        helper.make_node("If", ["early"], ["s0_out"], then_branch=branches["doubles"],
                                         else_branch=branches["adds"]),
                        helper.make_node("Neg", ["s0_out"], ["t0"])],
     1, 1, {"n": numpy.array(4), "v": v, "w": w}, ["n", "", "v"])
inner_body = helper.make_graph(
    [helper.make_node("Identity", ["inner_go_in"], ["inner_go"]), helper.make_node("Add", ["u_in", "w"], ["u_out"])],
    "inner_body", [tensor("j", INT64, []), tensor("inner_go_in", BOOL, []), tensor("u_in", FLOAT, [2])],
    [tensor("inner_go", BOOL, []), tensor("u_out", FLOAT, [2])])
loop("loop_in_loop", keep + [helper.make_node("Loop", ["i", "", "s0_in"], ["s0_out"], body=inner_body),
                             helper.make_node("Identity", ["s0_out"], ["t0"])],
     1, 1, {"n": numpy.array(4), "v": v, "w": w}, ["n", "", "v"])


def scan(name, in_axes=None, out_axes=None, in_directions=None, out_directions=None):
    body = helper.make_graph(
        [helper.make_node("Add", ["s_in", "x"], ["s_out"]), helper.make_node("Mul", ["s_out", "y"], ["z"])], "body",
        [tensor("s_in", FLOAT, [2]), tensor("x", FLOAT, [2]), tensor("y", FLOAT, [2])],
        [tensor("s_out", FLOAT, [2]), tensor("z", FLOAT, [2])])
    given = {"s": v, "xs": floats(3, 2), "ys": floats(2, 3) if in_axes else floats(3, 2)}
    attributes = {}
    for key, value in (("scan_input_axes", in_axes), ("scan_output_axes", out_axes),
                       ("scan_input_directions", in_directions), ("scan_output_directions", out_directions)):
        if value:
            attributes[key] = value
    node = helper.make_node("Scan", ["s", "xs", "ys"], ["last", "zs"], body=body, num_scan_inputs=2, **attributes)
    graph = helper.make_graph([node], name, [declared(each, given[each]) for each in given],
                              [tensor("last", FLOAT, [2]), tensor("zs", FLOAT, [2, 3] if out_axes else [3, 2])])
    record(name, model_of(graph, 14), given)


scan("scan_plain")
scan("scan_axes", in_axes=[0, 1], out_axes=[1])
scan("scan_directions", in_directions=[0, 1], out_directions=[1])
scan("scan_all", in_axes=[0, -1], out_axes=[-1], in_directions=[1, 0], out_directions=[1])


def branch_names():
    """Both branches use the same names, and one of them a name of the graph behind the If."""
    then_branch = helper.make_graph([helper.make_node("Add", ["x", "x"], ["later"]),
                                     helper.make_node("Neg", ["later"], ["out"])], "then", [],
                                    [tensor("out", FLOAT, [2])])
    else_branch = helper.make_graph([helper.make_node("Identity", ["x"], ["out"])], "else", [],
                                    [tensor("out", FLOAT, [2])])
    nodes = [helper.make_node("If", ["c"], ["chosen"], then_branch=then_branch, else_branch=else_branch),
             helper.make_node("Mul", ["chosen", "x"], ["last"])]
    for value in (True, False):
        given = {"c": numpy.array(value), "x": v}
        graph = helper.make_graph(nodes, "branches", [declared(each, given[each]) for each in given],
                                  [tensor("last", FLOAT, [2])])
        record(f"if_{str(value).lower()}", model_of(graph, 14), given)


branch_names()


def plain(name, nodes, inputs, shape, opset=17):
    """Operators of which much is left to the rules: what they are of infinities, of older versions, of no axes."""
    graph = helper.make_graph(nodes, name, [declared(each, inputs[each]) for each in inputs],
                              [tensor("y", FLOAT, shape)])
    record(name, model_of(graph, opset), inputs)


infinite = numpy.array([[-numpy.inf, -numpy.inf], [numpy.inf, 1], [2, 3]], numpy.float32)
signs = numpy.array([1, -2, 3, -4], numpy.float32)
plain("log_sum_exp_infinite", [helper.make_node("ReduceLogSumExp", ["x"], ["y"], axes=[1])], {"x": infinite}, [3, 1])
plain("prelu_infinite", [helper.make_node("PRelu", ["x", "s"], ["y"])],
      {"x": infinite, "s": numpy.array([0.5], numpy.float32)}, [3, 2])
for kind in ("L1", "L2", "SumSquare", "LogSumExp"):
    plain("reduce_none_" + kind.lower(),
          [helper.make_node("Reduce" + kind, ["x", ""], ["y"], noop_with_empty_axes=1)], {"x": signs}, [4], opset=18)
plain("vectors_product", [helper.make_node("MatMul", ["a", "b"], ["p"]), constant("front", numpy.array([0])),
                          helper.make_node("Unsqueeze", ["p", "front"], ["y"])],
      {"a": signs, "b": signs + 1}, [1])
plain("mean_of_unlike", [helper.make_node("Mean", ["a", "b", "a"], ["y"])],
      {"a": signs, "b": numpy.array([[1], [2]], numpy.float32)}, [2, 4])


def condition_is_state(value):
    """What says whether to go on is a state, which is written when it is asked for."""
    body = helper.make_graph(
        [helper.make_node("Not", ["b_in"], ["b_out"]), helper.make_node("Add", ["s_in", "w"], ["s_out"])], "body",
        [tensor("i", INT64, []), tensor("go_in", BOOL, []), tensor("b_in", BOOL, []), tensor("s_in", FLOAT, [2])],
        [tensor("b_in", BOOL, []), tensor("b_out", BOOL, []), tensor("s_out", FLOAT, [2])])
    given = {"n": numpy.array(5), "go": numpy.array(True), "b": numpy.array(value), "s": v, "w": w}
    node = helper.make_node("Loop", ["n", "go", "b", "s"], ["b_last", "s_last"], body=body)
    name = f"loop_condition_is_state_{str(value).lower()}"
    graph = helper.make_graph([node], name, [declared(each, given[each]) for each in given],
                              [tensor("b_last", BOOL, []), tensor("s_last", FLOAT, [2])])
    record(name, model_of(graph, 14), given)


condition_is_state(True)
condition_is_state(False)
