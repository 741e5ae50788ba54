#!/usr/bin/env python3
"""Writes include/plait/interop/onnx/detail/signatures.hpp: operands, element types and attributes of the ONNX operators
that plait has rules for, from the schemas of the package onnx.

A version of an operator whose row would equal that of the version before has no row. Element types from bfloat16 on,
sequences, optionals and maps are left out: plait has none of them.
"""
import os
import re

import onnx.defs
from onnx import TensorProto
from onnx.defs import OpSchema

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
HEADER = os.path.join(ROOT, "include/plait/interop/onnx/detail/signatures.hpp")
KINDS = {"FLOAT": "f", "INT": "i", "STRING": "s", "TENSOR": "t", "GRAPH": "g", "FLOATS": "F", "INTS": "I",
         "STRINGS": "S", "SPARSE_TENSOR": "x"}
NUMBERS = {name.lower(): number for name, number in TensorProto.DataType.items() if number < 16}

HEAD = """// Operands, element types and attributes of ONNX's operators, by version. Written by scripts/onnx-signatures.py from the
// schemas of the package onnx %s.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <plait/core/detail/cxx20.hpp>

namespace plait::detail {

/// One operator since a version.
///
/// `inputs` and `outputs` name the type variable of each operand; `?` marks an optional one, `*` the last one as
/// repeated, and `**` as repeated with a type each. `types` lists what a variable may be, as a set of bits by the
/// numbers of TensorProto.DataType. `attributes` lists names with a kind (f, i, s, t, g, x for a sparse tensor; F, I, S
/// for lists), `!` marks one that is required. `least` is how many inputs a node has at least.
struct onnx_signature {
  std::string_view type;
  std::int64_t since;
  std::size_t least;
  std::string_view inputs;
  std::string_view outputs;
  std::string_view types;
  std::string_view attributes;
};

// clang-format off
inline constexpr onnx_signature onnx_signatures[] = {
"""
TAIL = """};
// clang-format on

}  // namespace plait::detail
"""


def operators():
    with open(os.path.join(ROOT, "docs/reference/onnx-operators.md")) as file:
        page = file.read()
    return re.findall(r"`(\w+)`", page.split("<!-- operators -->")[1].split("<!-- end of operators -->")[0])


def mask(texts):
    numbers = [NUMBERS[text[7:-1]] for text in texts if re.fullmatch(r"tensor\((\w+)\)", text) and text[7:-1] in NUMBERS]
    return sum(1 << number for number in numbers)


def operands(formal, variables):
    words = []
    for each in formal:
        name = re.sub(r"tensor\((\w+)\)", r"\1", each.type_str)
        if name != each.type_str:
            variables[name] = mask([each.type_str])
        if each.option == OpSchema.FormalParameterOption.Optional:
            name += "?"
        elif each.option == OpSchema.FormalParameterOption.Variadic:
            name += "*" if each.is_homogeneous else "**"
        words.append(name)
    return " ".join(words)


def row(schema):
    variables = {each.type_param_str: mask(each.allowed_type_strs) for each in schema.type_constraints}
    inputs = operands(schema.inputs, variables)
    outputs = operands(schema.outputs, variables)
    used = set(re.findall(r"\w+", inputs))
    types = " ".join(f"{name}={bits:x}" for name, bits in sorted(variables.items()) if name in used)
    attributes = " ".join(f"{name}:{KINDS[each.type.name]}{'!' if each.required else ''}"
                          for name, each in sorted(schema.attributes.items()))
    return f'{schema.min_input}, "{inputs}", "{outputs}", "{types}", "{attributes}"'


def main():
    wanted = operators()
    versions = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == "" and schema.name in wanted:
            versions.setdefault(schema.name, {})[schema.since_version] = row(schema)
    with open(HEADER, "w") as file:
        file.write(HEAD % onnx.__version__)
        for name in sorted(versions):
            before = None
            for since in sorted(versions[name]):
                if versions[name][since] != before:
                    file.write(f'    {{"{name}", {since}, {versions[name][since]}}},\n')
                before = versions[name][since]
        file.write(TAIL)


main()
