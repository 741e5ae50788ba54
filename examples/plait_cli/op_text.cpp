#include "op_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

#include <nlohmann/json.hpp>

#include <plait/netdef/traits.hpp>
#include <plait/transform/devices.hpp>

#include "report.hpp"

namespace cli {

namespace {

using nlohmann::ordered_json;

std::string number(float value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string in_quotes(std::string const& text) { return '"' + text + '"'; }

template <class T, class F>
std::string listed(std::vector<T> const& items, F const& text) {
  constexpr std::size_t shown = 8;
  std::string all;
  for (std::size_t i = 0; i != std::min(items.size(), shown); ++i) all += (i == 0 ? "" : ", ") + text(items[i]);
  if (items.size() > shown) all += ", … " + std::to_string(items.size()) + " in all";
  return '[' + all + ']';
}

std::string tensor_text(plait::tensor_def const& tensor) {
  std::string dims;
  for (std::int64_t const extent : tensor.dims) dims += (dims.empty() ? "" : "x") + std::to_string(extent);
  return "a tensor of " + (dims.empty() ? "no dimensions" : dims);
}

std::string net_text(plait::netdef const& net) { return "a net of " + counted(net.op.size(), "op"); }

}  // namespace

std::string argument_text(plait::arg_def const& a) {
  std::string text;
  auto const add = [&](std::string const& value) { text += (text.empty() ? "" : " ") + value; };
  if (a.f) add(number(*a.f));
  if (a.i) add(std::to_string(*a.i));
  if (a.s) add(in_quotes(*a.s));
  if (a.t) add(tensor_text(*a.t));
  if (a.n) add(net_text(*a.n));
  if (!a.floats.empty()) add(listed(a.floats, number));
  if (!a.ints.empty()) add(listed(a.ints, [](std::int64_t i) { return std::to_string(i); }));
  if (!a.strings.empty()) add(listed(a.strings, in_quotes));
  if (!a.tensors.empty()) add(listed(a.tensors, tensor_text));
  if (!a.nets.empty()) add(listed(a.nets, net_text));
  if (!a.qtensors.empty()) add(counted(a.qtensors.size(), "quantised tensor"));
  return text.empty() ? "[]" : text;
}

ordered_json argument_json(plait::arg_def const& a) {
  bool const several = a.t || a.n || !a.tensors.empty() || !a.nets.empty() || !a.qtensors.empty();
  if (!several) {
    if (a.f) return *a.f;
    if (a.i) return *a.i;
    if (a.s) return *a.s;
    if (!a.floats.empty()) return a.floats;
    if (!a.ints.empty()) return a.ints;
    if (!a.strings.empty()) return a.strings;
  }
  return argument_text(a);
}

std::string device_text(plait::netdef const& net, plait::op_def const& op) {
  auto const device = plait::net_traits<plait::netdef>::device(net, op);
  if (!device) return {};
  std::string name(plait::device_name(device->kind));
  if (device->id) name += ':' + std::to_string(*device->id);
  return name;
}

std::string joined(std::vector<std::string> const& names, char const* separator) {
  std::string text;
  for (std::string const& name : names) text += (text.empty() ? "" : separator) + name;
  return text;
}

}  // namespace cli
