// An IR in arrays: ops are numbers, names are numbers with text, nothing is a reference. It has every hook of
// net/mutation.hpp, each with the weakest guarantees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>

#include <net/editable_nets.hpp>

namespace test {

struct indexed_net {
  enum class name : std::uint32_t {};

  std::deque<std::string> texts;  // stable addresses
  std::vector<std::string> types;
  std::vector<std::vector<name>> read;
  std::vector<std::vector<name>> written;
  std::vector<std::vector<plait::argument_spec>> arguments;
  std::vector<std::optional<plait::device_spec>> devices;
  std::vector<name> given;
  std::vector<name> promised;
  std::string label;

  name called(std::string_view text) {
    for (std::size_t i = 0; i != texts.size(); ++i)
      if (texts[i] == text) return name(i);
    texts.emplace_back(text);
    return name(texts.size() - 1);
  }
};

}  // namespace test

template <>
struct plait::net_traits<test::indexed_net> {
  using N = test::indexed_net;
  using name = N::name;
  using hooks = test::argument_hooks;

  static auto ops(N const& n) { return std::views::iota(std::size_t{0}, n.types.size()); }
  static std::vector<name> inputs(N const& n, std::size_t op) { return n.read[op]; }
  static std::vector<name> outputs(N const& n, std::size_t op) { return n.written[op]; }
  static std::vector<name> external_inputs(N const& n) { return n.given; }
  static std::vector<name> external_outputs(N const& n) { return n.promised; }
  static std::string_view type(N const& n, std::size_t op) { return n.types[op]; }
  static std::string_view text(N const& n, name b) { return n.texts[static_cast<std::size_t>(b)]; }
  static name make_name(N& n, std::string_view text) { return n.called(text); }

  static void set_input(N& n, std::size_t op, std::size_t slot, name b) { n.read[op][slot] = b; }
  static void set_output(N& n, std::size_t op, std::size_t slot, name b) { n.written[op][slot] = b; }
  static void set_external_input(N& n, std::size_t slot, name b) { n.given[slot] = b; }
  static void set_external_output(N& n, std::size_t slot, name b) { n.promised[slot] = b; }
  static void add_external_input(N& n, name b) { n.given.push_back(b); }
  static void add_external_output(N& n, name b) { n.promised.push_back(b); }
  static void erase_external_inputs(N& n, std::span<std::uint32_t const> at) { hooks::erase_at(n.given, at); }
  static void erase_external_outputs(N& n, std::span<std::uint32_t const> at) { hooks::erase_at(n.promised, at); }
  static void erase_ops(N& n, std::span<std::uint32_t const> at) {
    hooks::erase_at(n.types, at);
    hooks::erase_at(n.read, at);
    hooks::erase_at(n.written, at);
    hooks::erase_at(n.arguments, at);
    hooks::erase_at(n.devices, at);
  }
  static void insert_op(N& n, std::size_t position, plait::op_spec const& spec) {
    auto const at = static_cast<std::ptrdiff_t>(position);
    auto const names = [&](std::vector<std::string> const& texts) {
      std::vector<name> made;
      for (std::string const& text : texts) made.push_back(n.called(text));
      return made;
    };
    n.types.insert(n.types.begin() + at, spec.type);
    n.read.insert(n.read.begin() + at, names(spec.inputs));
    n.written.insert(n.written.begin() + at, names(spec.outputs));
    n.arguments.insert(n.arguments.begin() + at, spec.arguments);
    n.devices.insert(n.devices.begin() + at, spec.device);
  }
  static void append_op(N& n, plait::op_spec const& spec) { insert_op(n, n.types.size(), spec); }
  static void adopt_op(N& n, N const& from, std::size_t op) {
    plait::op_spec spec{from.types[op], {}, {}, from.arguments[op], from.devices[op]};
    for (name b : from.read[op]) spec.inputs.emplace_back(text(from, b));
    for (name b : from.written[op]) spec.outputs.emplace_back(text(from, b));
    append_op(n, spec);
  }
  static void set_type(N& n, std::size_t op, std::string_view type) { n.types[op] = type; }

  static auto int_argument(N const& n, std::size_t op, std::string_view key) {
    return hooks::integer(n.arguments[op], key);
  }
  static auto string_argument(N const& n, std::size_t op, std::string_view key) {
    return hooks::string(n.arguments[op], key);
  }
  static bool has_argument(N const& n, std::size_t op, std::string_view key) {
    return hooks::find(n.arguments[op], key) != nullptr;
  }
  static auto argument(N const& n, std::size_t op, std::string_view key) { return hooks::value(n.arguments[op], key); }
  static void set_argument(N& n, std::size_t op, plait::argument_spec const& a) { hooks::set(n.arguments[op], a); }
  static void erase_argument(N& n, std::size_t op, std::string_view key) { hooks::erase(n.arguments[op], key); }
  static std::optional<plait::device_spec> device(N const& n, std::size_t op) { return n.devices[op]; }
  static void set_device(N& n, std::size_t op, std::optional<plait::device_spec> device) { n.devices[op] = device; }
  static void inherit(N& n, std::size_t op, N const& from, std::size_t source, plait::inherited const& what) {
    if (what.placement && from.devices[source]) n.devices[op] = from.devices[source];
    if (what.arguments) hooks::inherit(n.arguments[op], std::vector(from.arguments[source]));
  }
  static std::string_view net_name(N const& n) { return n.label; }
  static void set_net_name(N& n, std::string_view text) { n.label = text; }
};
