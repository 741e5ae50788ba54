// The nets that typed tests run over, each built from one neutral description and read back into it.
//
//   test::struct_net        structs with data members, std::string names; the neutral description itself
//   ir::Function            pointers in a foreign namespace, forward-only ops, names are pointers without text
//   test::dense_net         names are ints, numbered by the net
//   test::temporary_net     ops, their inputs and externals are returned by value
//   test::archetype_net     only the requirements of the concept
//   plait::netdef
//   test::edit_net, ir::Editable, test::indexed_net, plait::netdef    have every hook of net/mutation.hpp
//   plait_test::NetDef      so does the class that protoc generates, in the layers net and transform, if protobuf is
//   found
//
//   TEST_CASE_TEMPLATE("…", N, PLAIT_ALL_NETS) {
//     auto const n = test::make_net<N>({{{"Relu", {"x"}, {"y"}}}, {"x"}, {"y"}});
//     plait::get_ssa(n).version(test::key_of(n, "y"));       // name → key
//     test::text_of(n, ssa.name(v));                          // key → name
//     test::describe(n).ops                                   // the net as it is now
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/traits.hpp>

#include <adaptation/pointer_net.hpp>
#include <net/archetype_net.hpp>
#include <net/editable_nets.hpp>
#include <net/indexed_net.hpp>

#if __has_include(<netdef.pb.h>)
#include <netdef.pb.h>

#include <plait/interop/protobuf.hpp>
#endif

#define PLAIT_READ_ONLY_NETS \
  ::test::struct_net, ::ir::Function, ::test::dense_net, ::test::temporary_net, ::test::archetype_net
#if __has_include(<netdef.pb.h>)
/// Copyable nets with all properties of a net.
#define PLAIT_COPYABLE_NETS ::plait::netdef, ::test::edit_net, ::plait_test::NetDef
#else
#define PLAIT_COPYABLE_NETS ::plait::netdef, ::test::edit_net
#endif
#define PLAIT_MUTABLE_NETS PLAIT_COPYABLE_NETS, ::ir::Editable, ::test::indexed_net
#define PLAIT_ALL_NETS PLAIT_READ_ONLY_NETS, PLAIT_MUTABLE_NETS
/// Nets whose blobs and op types have text (ir::Function and archetype_net have neither).
#define PLAIT_TEXT_NETS ::test::struct_net, ::test::dense_net, ::test::temporary_net, PLAIT_MUTABLE_NETS

namespace test {

/// Integer names, sparsely numbered: every second number is unused, as in a larger IR.
struct dense_net {
  struct op {
    std::string type;
    std::vector<int> inputs;
    std::vector<int> outputs;
  };
  std::vector<op> ops;
  std::vector<int> external_inputs;
  std::vector<int> external_outputs;
  std::vector<std::string> names;  // of name 2i

  int name(std::string_view text) {
    for (std::size_t i = 0; i != names.size(); ++i)
      if (names[i] == text) return static_cast<int>(2 * i);
    names.emplace_back(text);
    return static_cast<int>(2 * (names.size() - 1));
  }
};

/// Returns everything by value: ops, which own their type and outputs, and inputs and externals.
struct temporary_net {
  struct_net held;

  auto ops() const {
    return held.ops | std::views::transform([](plait::op_spec const& op) { return plait::op_spec(op); });
  }
  std::vector<std::string> inputs(plait::op_spec const& op) const { return op.inputs; }
  std::vector<std::string> external_inputs() const { return held.external_inputs; }
  std::vector<std::string> external_outputs() const { return held.external_outputs; }
};

}  // namespace test

template <>
struct plait::net_traits<test::dense_net> {
  using N = test::dense_net;
  static auto const& ops(N const& n) { return n.ops; }
  static auto const& inputs(N const&, N::op const& op) { return op.inputs; }
  static auto const& outputs(N const&, N::op const& op) { return op.outputs; }
  static auto const& external_inputs(N const& n) { return n.external_inputs; }
  static auto const& external_outputs(N const& n) { return n.external_outputs; }
  static std::string_view type(N const&, N::op const& op) { return op.type; }
  static std::string_view text(N const& n, int name) {
    return name % 2 == 0 ? std::string_view(n.names[static_cast<std::size_t>(name / 2)]) : std::string_view();
  }
  static std::size_t name_count(N const& n) { return 2 * n.names.size(); }
  static std::size_t name_index(N const&, int name) { return static_cast<std::size_t>(name); }
  static int name_at(N const&, std::size_t index) { return static_cast<int>(index); }
  static std::size_t find_name(N const& n, std::string_view text) {
    for (std::size_t i = 0; i != n.names.size(); ++i)
      if (n.names[i] == text) return 2 * i;
    return name_count(n);
  }
};

namespace test {

// ---- building -----------------------------------------------------------------------------------------------------

namespace detail {

template <class Name, class Make>
std::vector<Name> names(std::vector<std::string> const& texts, Make make) {
  std::vector<Name> made;
  for (std::string const& text : texts) made.push_back(make(text));
  return made;
}

inline void build(struct_net& n, struct_net const& from) { n = from; }
inline void build(temporary_net& n, struct_net const& from) { n.held = from; }

inline void build(dense_net& n, struct_net const& from) {
  auto const name = [&](std::string const& text) { return n.name(text); };
  n.external_inputs = names<int>(from.external_inputs, name);
  for (plait::op_spec const& op : from.ops)
    n.ops.push_back({op.type, names<int>(op.inputs, name), names<int>(op.outputs, name)});
  n.external_outputs = names<int>(from.external_outputs, name);
}

inline void build(archetype_net& n, struct_net const& from) {
  auto const name = [&](std::string const& text) { return n.name(text); };
  n.given_ = names<archetype_name>(from.external_inputs, name);
  for (plait::op_spec const& op : from.ops)
    n.ops_.push_back({names<archetype_name>(op.inputs, name), names<archetype_name>(op.outputs, name)});
  n.promised_ = names<archetype_name>(from.external_outputs, name);
}

inline void build(ir::Function& n, struct_net const& from) {
  auto const name = [&](std::string const& text) { return ir::value_called(n, text); };
  n.parameters = names<ir::Value*>(from.external_inputs, name);
  auto last = n.code.before_begin();
  for (plait::op_spec const& op : from.ops) {
    ir::Instr made;
    made.opcode = op.type;
    made.operands = names<ir::Value*>(op.inputs, name);
    made.results = names<ir::Value*>(op.outputs, name);
    n.instr_pool.push_back(std::make_unique<ir::Instr>(std::move(made)));
    last = n.code.insert_after(last, n.instr_pool.back().get());
  }
  n.returned = names<ir::Value*>(from.external_outputs, name);
}

template <plait::extensible_net N>
void build(N& n, struct_net const& from) {
  using traits = plait::net_traits<N>;
  for (std::string const& text : from.external_inputs) traits::add_external_input(n, plait::make_name(n, text));
  for (plait::op_spec const& op : from.ops) traits::append_op(n, op);
  for (std::string const& text : from.external_outputs) traits::add_external_output(n, plait::make_name(n, text));
}

}  // namespace detail

template <class N>
[[nodiscard]] N make_net(struct_net const& from) {
  N n;
  detail::build(n, from);
  return n;
}

// ---- names --------------------------------------------------------------------------------------------------------

/// Returns the key of the blob called `text`. `text` must live as long as the key. For nets whose names are no strings,
/// an unknown blob gets a key that equals no other.
template <plait::net N>
[[nodiscard]] plait::name_key_t<N> key_of(N const& n, std::string_view text) {
  using key = plait::name_key_t<N>;
  if constexpr (std::is_same_v<key, ir::Value*>)
    return ir::find_value(n, text);
  else if constexpr (std::is_same_v<key, archetype_name>)
    return n.find(text);
  else
    return key(text);
}

/// Returns the text of a key.
template <plait::net N, class Key>
[[nodiscard]] std::string text_of(N const& n, Key const& key) {
  if constexpr (std::is_same_v<Key, ir::Value*>)
    return key->label;
  else if constexpr (std::is_same_v<Key, archetype_name>)
    return n.text_of(key);
  else
    return std::string(std::string_view(key));
}

// ---- reading back -------------------------------------------------------------------------------------------------

/// Returns the net as its traits describe it, in neutral form: ops with type (where there is one), operands and device;
/// externals. Excludes arguments: the traits read these by key only.
template <plait::net N>
[[nodiscard]] struct_net describe(N const& n) {
  auto const texts = [&](auto&& range) {
    std::vector<std::string> found;
    for (auto&& name : range) found.push_back(text_of(n, plait::name_key(n, name)));
    return found;
  };
  struct_net made;
  made.external_inputs = texts(plait::external_inputs(n));
  made.external_outputs = texts(plait::external_outputs(n));
  for (auto&& op : plait::ops(n)) {
    plait::op_spec spec;
    if constexpr (plait::typed_net<N>) spec.type = std::string(plait::op_type(n, op));
    spec.inputs = texts(plait::inputs(n, op));
    spec.outputs = texts(plait::outputs(n, op));
    if constexpr (plait::device_net<N>) spec.device = plait::net_traits<N>::device(n, op);
    made.ops.push_back(std::move(spec));
  }
  return made;
}

}  // namespace test
