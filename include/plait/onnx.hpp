// ONNX import and export: reads models as nets and writes nets as models, with the rules of their operators.
#pragma once

#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/read.hpp>
#include <plait/interop/onnx/write.hpp>
