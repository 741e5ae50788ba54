// Tensors in options of plait run: files, constants and random tensors.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/random.hpp>
#include <plait/exec/tensor.hpp>

namespace cli {

using tensor = plait::tensor<plait::serial>;

/// Splits "NAME=VALUE". Throws wrong_usage, "--feed expects FORM".
std::pair<std::string, std::string> split_pair(std::string const& text, char const* option, char const* form);

/// Forms of the values of --feed and --random.
inline constexpr char const* feed_form = "NAME=FILE.npy or NAME=CONSTANT[:TYPE]";
inline constexpr char const* random_form = "NAME=SHAPE[:TYPE[[LOW,HIGH)]]";

/// Returns the tensor of a feed: a constant if the value is a JSON number, boolean or array of these, with ":TYPE" or
/// without, else the content of a .npy file. Numbers are float32 unless a type is given, booleans bool. Throws
/// wrong_usage for a constant that is no tensor of its type, and failure for a file that cannot be read.
tensor fed_tensor(std::string const& value);

/// Returns a tensor of random elements from a half-open range: "2x3", "scalar", "2x3:uint8", "2x3:int64[0,100)".
/// Without a range, floating-point elements are from [-1, 1) and others from [0, 2). Throws wrong_usage.
tensor random_tensor(std::string const& spec, plait::random_stream from);

}  // namespace cli
