// net_traits of netdef: names are its symbols, which are dense ids already, so that analyses touch integers only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/detail/mutable_nested_nets.hpp>
#include <plait/netdef/detail/nested_nets.hpp>
#include <plait/netdef/model.hpp>

namespace plait {

template <>
struct net_traits<netdef> {
  // ---- reading
  static std::vector<op_def> const& ops(netdef const& n) { return n.op; }
  static std::vector<op_def>& ops(netdef& n) { return n.op; }
  static auto const& inputs(netdef const&, op_def const& op) { return op.input; }
  static auto const& outputs(netdef const&, op_def const& op) { return op.output; }
  static auto const& control_inputs(netdef const&, op_def const& op) { return op.extras().control_input; }
  static std::vector<symbol> const& external_inputs(netdef const& n) { return n.external_input; }
  static std::vector<symbol> const& external_outputs(netdef const& n) { return n.external_output; }
  static std::string_view type(netdef const& n, op_def const& op) { return n.text(op.type); }
  static std::string_view op_name(netdef const& n, op_def const& op) { return n.text(op.name); }
  static bool is_gradient(netdef const&, op_def const& op) { return op.extras().is_gradient_op.value_or(false); }
  static std::vector<nested_net> subnets(netdef const& n, op_def const& op) { return nested_nets(n, op); }

  // ---- names
  static std::string_view text(netdef const& n, symbol name) { return n.text(name); }
  static symbol make_name(netdef& n, std::string_view text) { return n.intern(text); }
  static void prefetch_name(netdef const& n, std::string_view text) { n.symbols.prefetch(text); }
  static symbol_table const& symbols(netdef const& n) { return n.symbols; }
  static symbol_table& symbols(netdef& n) { return n.symbols; }
  static std::size_t name_count(netdef const& n) { return n.symbols.size(); }
  static std::size_t name_index(netdef const&, symbol name) { return name.id; }
  static symbol name_at(netdef const&, std::size_t index) { return symbol{static_cast<std::uint32_t>(index)}; }
  static std::size_t find_name(netdef const& n, std::string_view text) {
    symbol const found = n.find(text);
    return found ? found.id : n.symbols.size();
  }

  // ---- changing blobs and ops
  static void set_input(netdef&, op_def& op, std::size_t slot, symbol name) { op.input[slot] = name; }
  static void set_output(netdef&, op_def& op, std::size_t slot, symbol name) { op.output[slot] = name; }
  static void set_control_input(netdef&, op_def& op, std::size_t slot, symbol name) {
    op.edit_extras().control_input[slot] = name;
  }
  static void set_external_input(netdef& n, std::size_t slot, symbol name) { n.external_input[slot] = name; }
  static void set_external_output(netdef& n, std::size_t slot, symbol name) { n.external_output[slot] = name; }
  static void add_external_input(netdef& n, symbol name) { n.external_input.push_back(name); }
  static void add_external_output(netdef& n, symbol name) { n.external_output.push_back(name); }
  static void erase_ops(netdef& n, std::span<std::uint32_t const> indices) { erase_at(n.op, indices); }
  static netdef select_ops(netdef const& n, std::span<std::uint32_t const> indices) {
    auto const& [name, type, num_workers, device, ops, arg, inputs, outputs, partition_info, unknown, symbols] = n;
    netdef made{name, type, num_workers, device, {}, arg, inputs, outputs, partition_info, unknown, symbols};
    made.op.reserve(indices.size());
    for (std::uint32_t const i : indices) made.op.push_back(ops[i]);
    return made;
  }
  static void erase_external_inputs(netdef& n, std::span<std::uint32_t const> slots) {
    erase_at(n.external_input, slots);
  }
  static void adopt_op(netdef& n, netdef const& from, op_def const& op) { n.op.push_back(n.adopt(op, from)); }
  static void erase_external_outputs(netdef& n, std::span<std::uint32_t const> slots) {
    erase_at(n.external_output, slots);
  }
  static void append_op(netdef& n, op_spec const& spec) { n.op.push_back(make_op(n, spec)); }
  static void append_op(netdef& n, op_spec const& spec, std::span<symbol const> inputs,
                        std::span<symbol const> outputs) {
    op_def& op = n.op.emplace_back(make_op(n, spec));
    for (symbol const blob : inputs) op.input.push_back(blob);
    for (symbol const blob : outputs) op.output.push_back(blob);
  }
  static void reserve(netdef& n, std::size_t ops, std::size_t names) {
    n.op.reserve(n.op.size() + ops);
    n.symbols.reserve(n.symbols.size() + names);
  }
  static void insert_op(netdef& n, std::size_t position, op_spec const& spec) {
    n.op.insert(n.op.begin() + static_cast<std::ptrdiff_t>(position), make_op(n, spec));
  }
  static void set_type(netdef& n, op_def& op, std::string_view type) { op.type = n.intern(type); }
  static void insert_ops(netdef& n, std::span<std::uint32_t const> positions, std::span<op_spec const> specs) {
    std::vector<op_def> all;
    all.reserve(n.op.size() + specs.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i <= n.op.size(); ++i) {
      for (; next != positions.size() && positions[next] == i; ++next) all.push_back(make_op(n, specs[next]));
      if (i != n.op.size()) all.push_back(std::move(n.op[i]));
    }
    n.op = std::move(all);
  }
  static void inherit(netdef& n, op_def& op, netdef const& from, op_def const& from_op, inherited const& what) {
    if (what.placement) {
      if (from_op.device_option) op.device_option = from_op.device_option;
      if (from_op.extras().engine) op.edit_extras().engine = n.intern(from.text(from_op.extras().engine));
    }
    if (what.arguments)
      for (arg_def const& argument : from_op.arg)
        if (find_argument(n, op, from.text(argument.name)) == nullptr) op.arg.push_back(n.adopt(argument, from));
    if (what.gradient) op.rare.mark_gradient();
  }
  static void add_subnet(netdef& n, op_def& op, std::string_view argument, netdef const& inner) {
    arg_def& added = op.arg.emplace_back();
    added.name = n.intern(argument);
    added.n = inner;
  }

  // ---- nested nets
  static std::vector<mutable_nested_net> mutable_subnets(netdef& n, op_def& op) { return mutable_nested_nets(n, op); }
  static void store_subnet(netdef& n, op_def& op, mutable_nested_net const& s) { store_nested_net(n, op, s); }
  static std::vector<std::string_view> argument_blobs(netdef const& n, op_def const& op) {
    return plait::argument_blobs(n, op);
  }
  static void rename_arguments(netdef& n, op_def& op, name_map const& names) { rename_argument_blobs(n, op, names); }

  static std::string_view net_name(netdef const& n) { return n.text(n.name); }
  static void set_net_name(netdef& n, std::string_view text) { n.name = n.intern(text); }

  // ---- arguments and devices
  static std::optional<std::int64_t> int_argument(netdef const& n, op_def const& op, std::string_view key) {
    arg_def const* found = find_argument(n, op, key);
    return found != nullptr ? found->i : std::nullopt;
  }
  static std::optional<std::string_view> string_argument(netdef const& n, op_def const& op, std::string_view key) {
    arg_def const* found = find_argument(n, op, key);
    if (found == nullptr || !found->s) return std::nullopt;
    return *found->s;
  }
  static bool has_argument(netdef const& n, op_def const& op, std::string_view key) {
    return find_argument(n, op, key) != nullptr;
  }
  static std::optional<argument_value> argument(netdef const& n, op_def const& op, std::string_view key) {
    arg_def const* found = find_argument(n, op, key);
    return found != nullptr ? read_argument(*found) : std::nullopt;
  }
  static void set_argument(netdef& n, op_def& op, argument_spec const& spec) {
    arg_def made = make_argument(n, spec);
    if (arg_def* found = find_argument(n, op, spec.name))
      *found = std::move(made);
    else
      op.arg.push_back(std::move(made));
  }
  static void erase_argument(netdef& n, op_def& op, std::string_view key) {
    erase_if(op.arg, [&](arg_def const& a) { return n.text(a.name) == key; });
  }
  static std::optional<device_spec> device(netdef const&, op_def const& op) {
    if (!op.device_option) return std::nullopt;
    return device_spec{static_cast<device_kind>(op.device_option->device_type.value_or(0)),
                       op.device_option->device_id};
  }
  static void set_device(netdef&, op_def& op, std::optional<device_spec> device) {
    if (!device) {
      op.device_option.reset();
      return;
    }
    device_def& option = op.device_option ? *op.device_option : op.device_option.emplace();
    option.device_type = static_cast<std::int32_t>(device->kind);
    option.device_id = device->id;
  }

 private:
  template <class T>
  static void erase_at(std::vector<T>& items, std::span<std::uint32_t const> ascending) {
    if (ascending.empty()) return;
    std::size_t kept = ascending.front();
    auto gone = ascending.begin();
    for (std::size_t i = kept; i != items.size(); ++i) {
      if (gone != ascending.end() && *gone == i)
        ++gone;
      else
        items[kept++] = std::move(items[i]);
    }
    items.resize(kept);
  }
  static op_def make_op(netdef& n, op_spec const& spec) {
    op_def op;
    op.type = n.intern(spec.type);
    if (!spec.name.empty()) op.name = n.intern(spec.name);
    for (std::string const& blob : spec.inputs) op.input.push_back(n.intern(blob));
    for (std::string const& blob : spec.outputs) op.output.push_back(n.intern(blob));
    for (argument_spec const& argument : spec.arguments) op.arg.push_back(make_argument(n, argument));
    set_device(n, op, spec.device);
    return op;
  }
};

}  // namespace plait
