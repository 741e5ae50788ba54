// ONNX import: reads models as nets, with the rules of their operators.
#pragma once

#include <plait/interop/onnx/read.hpp>
#include <plait/interop/onnx/rules.hpp>
