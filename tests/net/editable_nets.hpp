// Two IRs with every hook of net/mutation.hpp: structs with string names, and pointers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>

#include <adaptation/pointer_net.hpp>

namespace test {

/// The neutral description of a net, and a net itself without any adaptation.
struct struct_net {
  std::vector<plait::op_spec> ops;
  std::vector<std::string> external_inputs = {};
  std::vector<std::string> external_outputs = {};
  friend bool operator==(struct_net const&, struct_net const&) = default;
};

/// The neutral description with external mutation hooks.
struct edit_net : struct_net {
  std::string name = {};
  friend bool operator==(edit_net const&, edit_net const&) = default;
};

// Common argument hooks: the arguments of an op are a list of argument_spec.
struct argument_hooks {
  static plait::argument_spec const* find(std::vector<plait::argument_spec> const& arguments, std::string_view key) {
    auto const found = std::ranges::find(arguments, key, &plait::argument_spec::name);
    return found == arguments.end() ? nullptr : &*found;
  }
  static std::optional<std::int64_t> integer(std::vector<plait::argument_spec> const& arguments, std::string_view key) {
    if (auto const* found = find(arguments, key))
      if (auto const* value = std::get_if<std::int64_t>(&found->value)) return *value;
    return std::nullopt;
  }
  static std::optional<std::string_view> string(std::vector<plait::argument_spec> const& arguments,
                                                std::string_view key) {
    if (auto const* found = find(arguments, key))
      if (auto const* value = std::get_if<std::string>(&found->value)) return *value;
    return std::nullopt;
  }
  static std::optional<plait::argument_value> value(std::vector<plait::argument_spec> const& arguments,
                                                    std::string_view key) {
    auto const* found = find(arguments, key);
    return found != nullptr ? std::optional(found->value) : std::nullopt;
  }
  static void set(std::vector<plait::argument_spec>& arguments, plait::argument_spec const& spec) {
    if (auto const* found = find(arguments, spec.name))
      arguments[static_cast<std::size_t>(found - arguments.data())] = spec;
    else
      arguments.push_back(spec);
  }
  static void inherit(std::vector<plait::argument_spec>& arguments, std::vector<plait::argument_spec> const& from) {
    for (plait::argument_spec const& a : from)
      if (find(arguments, a.name) == nullptr) arguments.push_back(a);
  }
  static void erase(std::vector<plait::argument_spec>& arguments, std::string_view key) {
    std::erase_if(arguments, [&](plait::argument_spec const& a) { return a.name == key; });
  }
  template <class T>
  static void erase_at(std::vector<T>& items, std::span<std::uint32_t const> ascending) {
    for (std::size_t i = ascending.size(); i-- != 0;) items.erase(items.begin() + ascending[i]);
  }
};

}  // namespace test

template <>
struct plait::net_traits<test::edit_net> {
  using N = test::edit_net;
  using op = plait::op_spec;
  using names = std::vector<std::string>;
  static std::vector<op> const& ops(N const& n) { return n.ops; }
  static std::vector<op>& ops(N& n) { return n.ops; }
  static names const& inputs(N const&, op const& o) { return o.inputs; }
  static names const& outputs(N const&, op const& o) { return o.outputs; }
  static names const& external_inputs(N const& n) { return n.external_inputs; }
  static names const& external_outputs(N const& n) { return n.external_outputs; }
  static std::string const& type(N const&, op const& o) { return o.type; }

  static void set_input(N&, op& o, std::size_t slot, std::string const& name) { o.inputs[slot] = name; }
  static void set_output(N&, op& o, std::size_t slot, std::string const& name) { o.outputs[slot] = name; }
  static void set_external_input(N& n, std::size_t slot, std::string const& name) { n.external_inputs[slot] = name; }
  static void set_external_output(N& n, std::size_t slot, std::string const& name) { n.external_outputs[slot] = name; }
  static void erase_ops(N& n, std::span<std::uint32_t const> at) { test::argument_hooks::erase_at(n.ops, at); }
  static void erase_external_inputs(N& n, std::span<std::uint32_t const> at) {
    test::argument_hooks::erase_at(n.external_inputs, at);
  }
  static void erase_external_outputs(N& n, std::span<std::uint32_t const> at) {
    test::argument_hooks::erase_at(n.external_outputs, at);
  }
  static void adopt_op(N& n, N const&, op const& o) { n.ops.push_back(o); }
  static void add_external_input(N& n, std::string const& name) { n.external_inputs.push_back(name); }
  static void add_external_output(N& n, std::string const& name) { n.external_outputs.push_back(name); }
  static void append_op(N& n, op const& o) { n.ops.push_back(o); }
  static void insert_op(N& n, std::size_t position, op const& o) {
    n.ops.insert(n.ops.begin() + static_cast<std::ptrdiff_t>(position), o);
  }
  static auto int_argument(N const&, op const& o, std::string_view key) {
    return test::argument_hooks::integer(o.arguments, key);
  }
  static auto string_argument(N const&, op const& o, std::string_view key) {
    return test::argument_hooks::string(o.arguments, key);
  }
  static bool has_argument(N const&, op const& o, std::string_view key) {
    return test::argument_hooks::find(o.arguments, key) != nullptr;
  }
  static auto argument(N const&, op const& o, std::string_view key) {
    return test::argument_hooks::value(o.arguments, key);
  }
  static void set_argument(N&, op& o, plait::argument_spec const& a) { test::argument_hooks::set(o.arguments, a); }
  static void erase_argument(N&, op& o, std::string_view key) { test::argument_hooks::erase(o.arguments, key); }
  static void set_type(N&, op& o, std::string_view type) { o.type = type; }
  static std::optional<plait::device_spec> device(N const&, op const& o) { return o.device; }
  static void set_device(N&, op& o, std::optional<plait::device_spec> device) { o.device = device; }
  static void inherit(N&, op& o, N const&, op const& from, plait::inherited const& what) {
    if (what.placement && from.device) o.device = from.device;
    if (what.arguments) test::argument_hooks::inherit(o.arguments, from.arguments);
  }
  static std::string const& op_name(N const&, op const& o) { return o.name; }
  static std::string const& net_name(N const& n) { return n.name; }
  static void set_net_name(N& n, std::string_view text) { n.name = text; }
};

namespace ir {

/// Properties of an instruction that Editable keeps beside it.
struct Notes {
  std::vector<plait::argument_spec> attributes;
  std::optional<plait::device_spec> place;
  std::string label;
};

/// A Function with such properties in a side table, as analyses of real compilers have.
struct Editable : Function {
  std::unordered_map<Instr const*, Notes> notes;
  std::string label;
};

/// Returns the value called `text`, or nullptr.
inline Value* find_value(Function const& f, std::string_view text) {
  for (auto const& value : f.value_pool)
    if (value->label == text) return value.get();
  return nullptr;
}
inline Value* value_called(Function& f, std::string_view text) {
  if (Value* known = find_value(f, text)) return known;
  f.value_pool.push_back(std::make_unique<Value>(Value{std::string(text)}));
  return f.value_pool.back().get();
}

}  // namespace ir

template <>
struct plait::net_traits<ir::Editable> : plait::net_traits<ir::Function> {
  using N = ir::Editable;
  using net_traits<ir::Function>::ops;
  static std::forward_list<ir::Instr*>& ops(N& n) { return n.code; }
  static std::string const& type(N const&, ir::Instr const* i) { return i->opcode; }
  static std::string const& text(N const&, ir::Value const* v) { return v->label; }
  static ir::Value* make_name(N& n, std::string_view text) { return ir::value_called(n, text); }

  static void set_input(N&, ir::Instr* i, std::size_t slot, ir::Value* v) { i->operands[slot] = v; }
  static void set_output(N&, ir::Instr* i, std::size_t slot, ir::Value* v) { i->results[slot] = v; }
  static void set_external_input(N& n, std::size_t slot, ir::Value* v) { n.parameters[slot] = v; }
  static void set_external_output(N& n, std::size_t slot, ir::Value* v) { n.returned[slot] = v; }
  static void erase_ops(N& n, std::span<std::uint32_t const> at) {
    std::uint32_t position = 0;
    auto gone = at.begin();
    for (auto before = n.code.before_begin(); std::next(before) != n.code.end() && gone != at.end(); ++position) {
      if (position == *gone) {
        n.code.erase_after(before);
        ++gone;
      } else {
        ++before;
      }
    }
  }
  static void erase_external_inputs(N& n, std::span<std::uint32_t const> at) {
    test::argument_hooks::erase_at(n.parameters, at);
  }
  static void erase_external_outputs(N& n, std::span<std::uint32_t const> at) {
    test::argument_hooks::erase_at(n.returned, at);
  }
  static void adopt_op(N& n, N const& from, ir::Instr const* i) {
    plait::op_spec spec{i->opcode, {}, {}, from.notes.at(i).attributes, from.notes.at(i).place, from.notes.at(i).label};
    for (ir::Value const* v : i->operands) spec.inputs.push_back(v->label);
    for (ir::Value const* v : i->results) spec.outputs.push_back(v->label);
    append_op(n, spec);
  }
  static void add_external_input(N& n, ir::Value* v) { n.parameters.push_back(v); }
  static void add_external_output(N& n, ir::Value* v) { n.returned.push_back(v); }
  static void append_op(N& n, plait::op_spec const& spec) {
    insert_op(n, static_cast<std::size_t>(std::distance(n.code.begin(), n.code.end())), spec);
  }
  static void insert_op(N& n, std::size_t position, plait::op_spec const& spec) {
    auto made = std::make_unique<ir::Instr>();
    made->opcode = spec.type;
    for (std::string const& text : spec.inputs) made->operands.push_back(ir::value_called(n, text));
    for (std::string const& text : spec.outputs) made->results.push_back(ir::value_called(n, text));
    n.notes[made.get()] = {spec.arguments, spec.device, spec.name};
    auto before = n.code.before_begin();
    std::advance(before, position);
    n.code.insert_after(before, made.get());
    n.instr_pool.push_back(std::move(made));
  }
  static auto int_argument(N const& n, ir::Instr const* i, std::string_view key) {
    return test::argument_hooks::integer(n.notes.at(i).attributes, key);
  }
  static auto string_argument(N const& n, ir::Instr const* i, std::string_view key) {
    return test::argument_hooks::string(n.notes.at(i).attributes, key);
  }
  static bool has_argument(N const& n, ir::Instr const* i, std::string_view key) {
    return test::argument_hooks::find(n.notes.at(i).attributes, key) != nullptr;
  }
  static auto argument(N const& n, ir::Instr const* i, std::string_view key) {
    return test::argument_hooks::value(n.notes.at(i).attributes, key);
  }
  static void set_argument(N& n, ir::Instr const* i, plait::argument_spec const& a) {
    test::argument_hooks::set(n.notes[i].attributes, a);
  }
  static void erase_argument(N& n, ir::Instr const* i, std::string_view key) {
    test::argument_hooks::erase(n.notes[i].attributes, key);
  }
  static void set_type(N&, ir::Instr* i, std::string_view type) { i->opcode = type; }
  static std::optional<plait::device_spec> device(N const& n, ir::Instr const* i) { return n.notes.at(i).place; }
  static void set_device(N& n, ir::Instr const* i, std::optional<plait::device_spec> device) {
    n.notes[i].place = device;
  }
  static void inherit(N& n, ir::Instr const* i, N const& from, ir::Instr const* source, plait::inherited const& what) {
    ir::Notes const noted = from.notes.at(source);
    if (what.placement && noted.place) n.notes[i].place = noted.place;
    if (what.arguments) test::argument_hooks::inherit(n.notes[i].attributes, noted.attributes);
  }
  static std::string const& net_name(N const& n) { return n.label; }
  static void set_net_name(N& n, std::string_view text) { n.label = text; }
};
