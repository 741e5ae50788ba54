// Gradient checks of small nets, which are given as text with their inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/check_gradient.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>

#include <support/gradient_of_op.hpp>

namespace test {

using tensor64 = plait::tensor<plait::serial>;

inline tensor64 int64s(std::vector<std::int64_t> const& elements, plait::shape const& dims) {
  return tensor64::from(elements, dims);
}
inline tensor64 int32s(std::vector<std::int32_t> const& elements, plait::shape const& dims) {
  return tensor64::from(elements, dims);
}
inline tensor64 doubles(std::vector<double> const& elements, plait::shape const& dims) {
  return tensor64::from(elements, dims);
}

/// Returns a net from text, one op or several, with its operands as lists: "Add a b > y [broadcast 1]" and so on, ops
/// separated by ';'. Arguments: an integer, a number with a point, 'text', or a list in parentheses.
plait::netdef tiny_net(std::string_view text);

struct gradient_of {
  std::string net;
  std::vector<std::pair<std::string, tensor64>> given;
  std::vector<std::string> inputs;  ///< inputs whose gradients are checked
  std::vector<std::string> ys = {"y"};
  plait::gradient_check_options options = {};
};

/// Checks the gradients of a net with the standard rules and operators.
inline void check_gradient_of(gradient_of const& c) {
  CAPTURE(c.net);
  plait::workspace<plait::serial> blobs;
  for (auto const& [name, value] : c.given) blobs.feed(name, value);
  auto const check = plait::check_gradient(tiny_net(c.net), c.ys, c.inputs, blobs, c.options);
  CAPTURE(check.text());
  CHECK(check.ok());
}

// ---- details

namespace tiny {

inline std::string_view word(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  std::size_t const end = std::min(text.find(' '), text.size());
  std::string_view const found = text.substr(0, end);
  text.remove_prefix(end);
  return found;
}

inline void scalar(std::string_view value, std::string& text, bool list) {
  bool const real = value.find('.') != std::string_view::npos;
  bool const quoted = value.starts_with('\'');
  text += std::string(quoted ? (list ? "strings: " : "s: ")
                      : real ? (list ? "floats: " : "f: ")
                      : list ? "ints: "
                             : "i: ");
  text += std::string(value) + ' ';
}

}  // namespace tiny

inline plait::netdef tiny_net(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(';'), text.size());
    std::string_view op = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::string_view arguments;
    if (std::size_t const open = op.find('['); open != std::string_view::npos) {
      arguments = op.substr(open);
      op = op.substr(0, open);
    }
    made += "op { type: '" + std::string(tiny::word(op)) + "' ";
    std::string_view kind = "input";
    for (std::string_view name = tiny::word(op); !name.empty(); name = tiny::word(op))
      if (name == ">")
        kind = "output";
      else
        made += std::string(kind) + ": '" + std::string(name) + "' ";
    while (!arguments.empty()) {
      std::size_t const open = arguments.find('[');
      if (open == std::string_view::npos) break;
      std::size_t const close = arguments.find(']');
      std::string_view inside = arguments.substr(open + 1, close - open - 1);
      arguments.remove_prefix(close + 1);
      made += "arg { name: '" + std::string(tiny::word(inside)) + "' ";
      while (inside.starts_with(' ')) inside.remove_prefix(1);
      if (inside.starts_with('(')) {
        inside.remove_prefix(1);
        inside.remove_suffix(1);
        for (std::string_view value = tiny::word(inside); !value.empty(); value = tiny::word(inside))
          tiny::scalar(value, made, true);
      } else {
        tiny::scalar(tiny::word(inside), made, false);
      }
      made += "} ";
    }
    made += "}\n";
  }
  return plait::read_netdef_text(made);
}

}  // namespace test
