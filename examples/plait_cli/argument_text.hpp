// Arguments of ops as text, for pictures.
#pragma once

#include <cstddef>
#include <sstream>
#include <string>

#include <plait/netdef/model.hpp>

#include "terminal.hpp"

namespace cli {

template <class Values, class Write>
std::string listed_elements(Values const& values, Write write) {
  constexpr std::size_t shown = 8;
  std::string text = "[";
  for (std::size_t i = 0; i != values.size() && i != shown; ++i) text += (i == 0 ? "" : ", ") + write(values[i]);
  if (values.size() > shown) text += ", \u2026 " + std::to_string(values.size()) + " in all";
  return text + ']';
}

/// Returns the value of an argument in one line; of a list or a string, the beginning.
inline std::string argument_text(plait::arg_def const& argument) {
  auto const number = [](auto value) {
    std::ostringstream text;
    text << value;
    return text.str();
  };
  auto const quoted = [](std::string const& text) { return '"' + cut(visible(text.substr(0, 800)), 120) + '"'; };
  if (argument.i) return number(*argument.i);
  if (argument.f) return number(*argument.f);
  if (argument.s) return quoted(*argument.s);
  if (argument.n || !argument.nets.empty()) return "net";
  if (argument.t) return "tensor " + listed_elements(argument.t->dims, number);
  if (!argument.floats.empty()) return listed_elements(argument.floats, number);
  if (!argument.ints.empty()) return listed_elements(argument.ints, number);
  if (!argument.strings.empty()) return listed_elements(argument.strings, quoted);
  std::size_t const tensors = argument.tensors.size() + argument.qtensors.size();
  return tensors == 0 ? "[]" : number(tensors) + " tensors";
}

}  // namespace cli
