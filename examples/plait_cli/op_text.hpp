// Ops as text: operands, arguments and devices.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <plait/core/detail/small_vector.hpp>
#include <plait/netdef/model.hpp>

namespace cli {

/// Returns the value of an argument in one line: 3, 0.5, "NCHW", [1, 2], "a tensor of 2x3 float32", "a net of 4 ops".
std::string argument_text(plait::arg_def const& argument);

/// Returns the value of an argument as JSON; a tensor or net as argument_text().
nlohmann::ordered_json argument_json(plait::arg_def const& argument);

/// Returns the device of an op, such as "cpu" or "cuda:1"; empty without one.
std::string device_text(plait::netdef const& net, plait::op_def const& op);

/// Returns names of symbols of a net.
template <class Symbols>
std::vector<std::string> texts(plait::netdef const& net, Symbols const& symbols) {
  std::vector<std::string> names;
  for (plait::symbol const s : symbols) names.emplace_back(net.text(s));
  return names;
}

/// Returns names separated by a text, ", " by default.
std::string joined(std::vector<std::string> const& names, char const* separator = ", ");

}  // namespace cli
