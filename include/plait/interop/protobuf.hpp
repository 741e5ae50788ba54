// Protobuf adapter: classes that protoc generated from NetDef (Caffe2's own, or any message with its accessors) as
// nets, by duck typing. Includes no header of protobuf and works with every version: get_ssa(proto) and all transforms
// work. Transforms change the messages in place; names are their strings.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/interop/detail/protobuf_messages.hpp>
#include <plait/net/detail/implicit_operands.hpp>
#include <plait/net/detail/name_map.hpp>
#include <plait/net/detail/nested_arguments.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

/// A generated message with the accessors of NetDef.
template <class M>
concept protobuf_netdef = requires(M const& n, M& changed) {
  { n.op_size() } -> std::convertible_to<int>;
  { n.external_input_size() } -> std::convertible_to<int>;
  { n.external_output_size() } -> std::convertible_to<int>;
  { n.op(0).input(0) } -> std::convertible_to<std::string const&>;
  { n.op(0).output(0) } -> std::convertible_to<std::string const&>;
  { n.op(0).type() } -> std::convertible_to<std::string const&>;
  { n.op(0).arg(0).name() } -> std::convertible_to<std::string const&>;
  changed.mutable_op()->SwapElements(0, 1);
};

namespace detail {

/// View of an OperatorDef with the interface of net/detail/nested_arguments.hpp; Op may be const.
template <class Op>
struct message_op_view {
  Op& op;

  std::size_t argument_count() const { return static_cast<std::size_t>(op.arg_size()); }
  std::string_view argument_name(std::size_t i) const { return op.arg(static_cast<int>(i)).name(); }
  auto* argument_string(std::size_t i) const {
    auto const at = static_cast<int>(i);
    if constexpr (std::is_const_v<Op>)
      return op.arg(at).has_s() ? &op.arg(at).s() : nullptr;
    else
      return op.arg(at).has_s() ? op.mutable_arg(at)->mutable_s() : nullptr;
  }
  auto& argument_strings(std::size_t i) const {
    if constexpr (std::is_const_v<Op>)
      return op.arg(static_cast<int>(i)).strings();
    else
      return *op.mutable_arg(static_cast<int>(i))->mutable_strings();
  }
  auto const& argument_integers(std::size_t i) const { return op.arg(static_cast<int>(i)).ints(); }
  void rename_argument(std::size_t i, std::string_view text) const {
    op.mutable_arg(static_cast<int>(i))->set_name(std::string(text));
  }
  std::size_t input_count() const { return static_cast<std::size_t>(op.input_size()); }
  std::size_t output_count() const { return static_cast<std::size_t>(op.output_size()); }
  std::string_view input(std::size_t i) const { return op.input(static_cast<int>(i)); }
  std::string_view output(std::size_t i) const { return op.output(static_cast<int>(i)); }
};

/// Returns true if an argument holds a net, a tensor or an unknown field.
template <class Argument>
[[nodiscard]] bool holds_other(Argument const& a) {
  bool other = a.has_n() || a.nets_size() != 0;
  if constexpr (requires { a.has_t(); }) other = other || a.has_t();
  if constexpr (requires { a.tensors_size(); }) other = other || a.tensors_size() != 0;
  if constexpr (requires { a.qtensors_size(); }) other = other || a.qtensors_size() != 0;
  if constexpr (requires { a.unknown_fields().empty(); }) other = other || !a.unknown_fields().empty();
  return other;
}

}  // namespace detail

template <protobuf_netdef M>
struct net_traits<M> {
  using op_message = std::remove_cvref_t<decltype(std::declval<M const&>().op(0))>;
  using arg_message = std::remove_cvref_t<decltype(std::declval<op_message const&>().arg(0))>;

  // ---- reading
  static auto const& ops(M const& n) { return n.op(); }
  static auto& ops(M& n) { return *n.mutable_op(); }
  static auto const& inputs(M const&, op_message const& op) { return op.input(); }
  static auto const& outputs(M const&, op_message const& op) { return op.output(); }
  static auto const& control_inputs(M const&, op_message const& op) { return op.control_input(); }
  static auto const& external_inputs(M const& n) { return n.external_input(); }
  static auto const& external_outputs(M const& n) { return n.external_output(); }
  static std::string const& type(M const&, op_message const& op) { return op.type(); }
  static std::string const& net_name(M const& n) { return n.name(); }

  static std::string const& op_name(M const&, op_message const& op) { return op.name(); }
  static bool is_gradient(M const&, op_message const& op) {
    if constexpr (requires { op.is_gradient_op(); })
      return op.is_gradient_op();
    else
      return false;
  }

  /// Nested net of an op. The message owns it.
  template <class Net>
  struct nested_in {
    Net* net;
    subnet_scope scope;
    std::string argument;
    std::vector<std::string> locals = {};
    std::vector<std::pair<std::string, std::string>> bound = {};
  };
  /// Returns the nested nets stored as messages. Throws net_error for a step net in text form, which needs a parser for
  /// M.
  static std::vector<nested_in<M const>> subnets(M const& n, op_message const& op) {
    std::vector<nested_in<M const>> found;
    subnet_scope const scope = detail::nested_scope(op.type());
    for (arg_message const& a : op.arg()) {
      if (a.has_n()) found.push_back({&a.n(), scope, a.name()});
      for (M const& net : a.nets()) found.push_back({&net, scope, a.name()});
      if (detail::holds_text_net(op.type(), a.name()) && !a.s().empty()) refuse_text_net(n, op, a);
    }
    detail::bind_nested(detail::message_op_view<op_message const>{op}, found, [](M const& net, auto visit) {
      for (op_message const& step : net.op())
        for (std::string const& blob : step.output()) visit(blob);
    });
    return found;
  }

  // ---- changing blobs and ops
  static void set_input(M&, op_message& op, std::size_t slot, std::string const& name) {
    op.set_input(static_cast<int>(slot), name);
  }
  static void set_output(M&, op_message& op, std::size_t slot, std::string const& name) {
    op.set_output(static_cast<int>(slot), name);
  }
  static void set_control_input(M&, op_message& op, std::size_t slot, std::string const& name) {
    op.set_control_input(static_cast<int>(slot), name);
  }
  static void set_external_input(M& n, std::size_t slot, std::string const& name) {
    n.set_external_input(static_cast<int>(slot), name);
  }
  static void set_external_output(M& n, std::size_t slot, std::string const& name) {
    n.set_external_output(static_cast<int>(slot), name);
  }
  static void add_external_input(M& n, std::string const& name) { n.add_external_input(name); }
  static void add_external_output(M& n, std::string const& name) { n.add_external_output(name); }
  static void erase_ops(M& n, std::span<std::uint32_t const> indices) { detail::erase_at(*n.mutable_op(), indices); }
  static void erase_external_inputs(M& n, std::span<std::uint32_t const> slots) {
    detail::erase_at(*n.mutable_external_input(), slots);
  }
  static void erase_external_outputs(M& n, std::span<std::uint32_t const> slots) {
    detail::erase_at(*n.mutable_external_output(), slots);
  }
  static void append_op(M& n, op_spec const& spec) { fill(*n.add_op(), spec); }
  static void insert_op(M& n, std::size_t position, op_spec const& spec) {
    append_op(n, spec);
    detail::move_last_to(*n.mutable_op(), position);
  }
  static void adopt_op(M& n, M const&, op_message const& op) { *n.add_op() = op; }
  static void set_type(M&, op_message& op, std::string_view type) { op.set_type(std::string(type)); }
  static void set_net_name(M& n, std::string_view text) { n.set_name(std::string(text)); }
  static void insert_ops(M& n, std::span<std::uint32_t const> positions, std::span<op_spec const> specs) {
    auto const before = static_cast<std::size_t>(n.op_size());
    for (op_spec const& spec : specs) append_op(n, spec);
    detail::merge_tail(*n.mutable_op(), before, positions);
  }
  static void inherit(M&, op_message& op, M const&, op_message const& from, inherited const& what) {
    if (what.placement) {
      if (from.has_device_option()) *op.mutable_device_option() = from.device_option();
      if (!from.engine().empty()) op.set_engine(from.engine());
    }
    if (what.arguments)
      for (arg_message const& a : from.arg())
        if (find(op, a.name()) == nullptr) *op.add_arg() = a;
    if constexpr (requires { op.set_is_gradient_op(true); })
      if (what.gradient) op.set_is_gradient_op(true);
  }

  // ---- nested nets
  static std::vector<nested_in<M>> mutable_subnets(M& n, op_message& op) {
    std::vector<nested_in<M>> found;
    for (nested_in<M const>& nested : subnets(n, op))
      found.push_back({const_cast<M*>(nested.net), nested.scope, std::move(nested.argument)});
    return found;
  }
  static void store_subnet(M&, op_message&, nested_in<M> const&) {}  // it was changed in place
  static std::vector<std::string_view> argument_blobs(M const&, op_message const& op) {
    if (!detail::is_recurrence(op.type())) return {};
    return detail::recurrence_argument_blobs(detail::message_op_view<op_message const>{op});
  }
  static void rename_arguments(M&, op_message& op, name_map const& names) {
    if (!detail::is_recurrence(op.type())) return;
    detail::rename_recurrence_arguments(detail::message_op_view<op_message>{op}, names);
  }

  // ---- arguments and devices
  static bool has_argument(M const&, op_message const& op, std::string_view key) { return find(op, key) != nullptr; }
  static std::optional<std::int64_t> int_argument(M const&, op_message const& op, std::string_view key) {
    arg_message const* a = find(op, key);
    return a != nullptr && a->has_i() ? std::optional<std::int64_t>(a->i()) : std::nullopt;
  }
  static std::optional<std::string_view> string_argument(M const&, op_message const& op, std::string_view key) {
    arg_message const* a = find(op, key);
    return a != nullptr && a->has_s() ? std::optional<std::string_view>(a->s()) : std::nullopt;
  }
  static std::optional<argument_value> argument(M const&, op_message const& op, std::string_view key) {
    arg_message const* a = find(op, key);
    if (a == nullptr) return std::nullopt;
    if (a->has_f()) return argument_value(a->f());
    if (a->has_i()) return argument_value(static_cast<std::int64_t>(a->i()));
    if (a->has_s()) return argument_value(a->s());
    if (a->floats_size() != 0) return argument_value(std::vector<float>(a->floats().begin(), a->floats().end()));
    if (a->strings_size() != 0)
      return argument_value(std::vector<std::string>(a->strings().begin(), a->strings().end()));
    // An argument without any content is an empty list, since NetDef writes empty lists that way.
    if (a->ints_size() == 0 && detail::holds_other(*a)) return std::nullopt;
    return argument_value(std::vector<std::int64_t>(a->ints().begin(), a->ints().end()));
  }
  static void set_argument(M&, op_message& op, argument_spec const& spec) {
    detail::store_argument(detail::find_or_add_named(*op.mutable_arg(), spec.name), spec);
  }
  static void erase_argument(M&, op_message& op, std::string_view key) { detail::erase_named(*op.mutable_arg(), key); }
  static std::optional<device_spec> device(M const&, op_message const& op) {
    if (!op.has_device_option()) return std::nullopt;
    auto const& option = op.device_option();
    device_spec found{static_cast<device_kind>(option.device_type()), std::nullopt};
    if constexpr (requires { option.has_device_id(); }) {
      if (option.has_device_id()) found.id = option.device_id();
    } else {
      if (option.has_cuda_gpu_id()) found.id = option.cuda_gpu_id();
    }
    return found;
  }
  static void set_device(M&, op_message& op, std::optional<device_spec> device) { store_device(op, device); }

 private:
  [[noreturn]] static void refuse_text_net(M const& n, op_message const& op, arg_message const& a) {
    std::optional<std::size_t> at;
    for (int i = 0; i != n.op_size() && !at; ++i)
      if (&n.op(i) == &op) at = static_cast<std::size_t>(i);
    throw net_error("plait: argument '" + a.name() + "' of op" + (at ? ' ' + std::to_string(*at) : "") + " (" +
                        op.type() + ") holds a net as text; store it as a message first",
                    at);
  }

  static void store_device(op_message& op, std::optional<device_spec> const& device) {
    if (!device) return op.clear_device_option();
    auto& option = *op.mutable_device_option();
    option.set_device_type(static_cast<std::int32_t>(device->kind));
    if constexpr (requires { option.clear_device_id(); }) {
      option.clear_device_id();
      if (device->id) option.set_device_id(*device->id);
    } else {
      option.clear_cuda_gpu_id();
      if (device->id) option.set_cuda_gpu_id(*device->id);
    }
  }

  static arg_message const* find(op_message const& op, std::string_view key) {
    return detail::find_named(op.arg(), key);
  }

  static void fill(op_message& op, op_spec const& spec) {
    op.set_type(spec.type);
    if (!spec.name.empty()) op.set_name(spec.name);
    for (std::string const& blob : spec.inputs) op.add_input(blob);
    for (std::string const& blob : spec.outputs) op.add_output(blob);
    for (argument_spec const& argument : spec.arguments) detail::store_argument(*op.add_arg(), argument);
    store_device(op, spec.device);
  }
};

}  // namespace plait
