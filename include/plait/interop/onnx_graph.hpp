// ONNX adapter: the generated class GraphProto as a net, by duck typing. Includes no header of ONNX and works with
// every version and namespace of its classes: get_ssa(model.graph()) and all transforms work. Transforms change the
// graph in place; names are its strings. To run a model, see interop/onnx/read.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/interop/detail/protobuf_messages.hpp>
#include <plait/net/detail/implicit_operands.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

/// A generated message with the accessors of GraphProto.
template <class M>
concept onnx_graph = requires(M const& g, M& changed) {
  { g.node_size() } -> std::convertible_to<int>;
  { g.node(0).op_type() } -> std::convertible_to<std::string const&>;
  { g.node(0).input(0) } -> std::convertible_to<std::string const&>;
  { g.node(0).output(0) } -> std::convertible_to<std::string const&>;
  { g.node(0).attribute(0).g() } -> std::same_as<M const&>;
  { g.input(0).name() } -> std::convertible_to<std::string const&>;
  { g.output(0).name() } -> std::convertible_to<std::string const&>;
  { g.initializer(0).name() } -> std::convertible_to<std::string const&>;
  changed.mutable_node()->SwapElements(0, 1);
};

namespace detail {

// Range of the operands of a node; skips empty names, which are omitted optional operands.
template <class Repeated>
class onnx_operands {
 public:
  class iterator {
   public:
    using value_type = std::string;
    using difference_type = std::ptrdiff_t;

    iterator() = default;
    iterator(Repeated const& names, int at) : names_(&names), at_(at) { skip(); }
    std::string const& operator*() const { return names_->Get(at_); }
    iterator& operator++() {
      ++at_;
      skip();
      return *this;
    }
    iterator operator++(int) {
      iterator const before = *this;
      ++*this;
      return before;
    }
    int position() const noexcept { return at_; }
    friend bool operator==(iterator const& a, iterator const& b) noexcept { return a.at_ == b.at_; }

   private:
    void skip() {
      while (at_ != names_->size() && names_->Get(at_).empty()) ++at_;
    }
    Repeated const* names_ = nullptr;
    int at_ = 0;
  };

  explicit onnx_operands(Repeated const& names) : names_(&names) {}
  iterator begin() const { return {*names_, 0}; }
  iterator end() const { return {*names_, names_->size()}; }

 private:
  Repeated const* names_;
};

// Range of the names of messages: those of one list, then those of another.
template <class First, class Second = First>
class onnx_names {
 public:
  class iterator {
   public:
    using value_type = std::string;
    using difference_type = std::ptrdiff_t;

    iterator() = default;
    iterator(onnx_names const& all, int at) : first_(all.first_), second_(all.second_), at_(at) {}
    std::string const& operator*() const {
      return at_ < first_->size() ? first_->Get(at_).name() : second_->Get(at_ - first_->size()).name();
    }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    iterator operator++(int) {
      iterator const before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(iterator const& a, iterator const& b) noexcept { return a.at_ == b.at_; }

   private:
    First const* first_ = nullptr;
    Second const* second_ = nullptr;
    int at_ = 0;
  };

  explicit onnx_names(First const& first) : first_(&first) {}
  onnx_names(First const& first, Second const& second) : first_(&first), second_(&second) {}
  iterator begin() const { return {*this, 0}; }
  iterator end() const { return {*this, first_->size() + (second_ == nullptr ? 0 : second_->size())}; }

 private:
  First const* first_;
  Second const* second_ = nullptr;
};

}  // namespace detail
}  // namespace plait

template <class Repeated>
inline constexpr bool std::ranges::enable_borrowed_range<plait::detail::onnx_operands<Repeated>> = true;
template <class First, class Second>
inline constexpr bool std::ranges::enable_borrowed_range<plait::detail::onnx_names<First, Second>> = true;

namespace plait {

/// Net traits of an ONNX graph. Ops are nodes, arguments their attributes. External inputs are the graph's inputs and
/// then its initializers; one that is both, as all are in older models, is listed twice. Operands that a node omits
/// (empty names) are skipped. Nested graphs read the blobs of the enclosing graph and write their own. ONNX has no
/// devices: those of added ops are dropped. Not adapted: sparse initializers, and the functions of a model.
template <onnx_graph M>
struct net_traits<M> {
  using op_message = std::remove_cvref_t<decltype(std::declval<M const&>().node(0))>;
  using arg_message = std::remove_cvref_t<decltype(std::declval<op_message const&>().attribute(0))>;

  // ---- reading
  static auto const& ops(M const& g) { return g.node(); }
  static auto& ops(M& g) { return *g.mutable_node(); }
  static auto inputs(M const&, op_message const& op) { return detail::onnx_operands(op.input()); }
  static auto outputs(M const&, op_message const& op) { return detail::onnx_operands(op.output()); }
  static auto external_inputs(M const& g) { return detail::onnx_names(g.input(), g.initializer()); }
  static auto external_outputs(M const& g) { return detail::onnx_names(g.output()); }
  static std::string const& type(M const&, op_message const& op) { return op.op_type(); }
  static std::string const& op_name(M const&, op_message const& op) { return op.name(); }
  static std::string const& net_name(M const& g) { return g.name(); }

  /// Graph in an attribute. The message owns it.
  struct nested {
    M const* net;
    subnet_scope scope;
    std::vector<std::string> locals;
    std::string argument;
  };
  static std::vector<nested> subnets(M const&, op_message const& op) {
    std::vector<nested> found;
    auto const add = [&](arg_message const& a, M const& g) {
      auto const bound = external_inputs(g);
      found.push_back({&g, subnet_scope::child, {bound.begin(), bound.end()}, a.name()});
    };
    for (arg_message const& a : op.attribute()) {
      if (a.has_g()) add(a, a.g());
      for (M const& g : a.graphs()) add(a, g);
    }
    return found;
  }

  // ---- changing blobs and ops
  static void set_input(M&, op_message& op, std::size_t slot, std::string const& name) {
    op.set_input(position(op.input(), slot), name);
  }
  static void set_output(M&, op_message& op, std::size_t slot, std::string const& name) {
    op.set_output(position(op.output(), slot), name);
  }
  static void set_external_input(M& g, std::size_t slot, std::string const& name) {
    int const at = static_cast<int>(slot);
    if (at < g.input_size())
      g.mutable_input(at)->set_name(name);
    else
      g.mutable_initializer(at - g.input_size())->set_name(name);
  }
  static void set_external_output(M& g, std::size_t slot, std::string const& name) {
    g.mutable_output(static_cast<int>(slot))->set_name(name);
  }
  static void add_external_input(M& g, std::string const& name) { g.add_input()->set_name(name); }
  static void add_external_output(M& g, std::string const& name) { g.add_output()->set_name(name); }
  static void erase_ops(M& g, std::span<std::uint32_t const> indices) { detail::erase_at(*g.mutable_node(), indices); }
  static void erase_external_inputs(M& g, std::span<std::uint32_t const> slots) {
    std::vector<std::uint32_t> inputs;
    std::vector<std::uint32_t> initializers;
    auto const count = static_cast<std::uint32_t>(g.input_size());
    for (std::uint32_t const slot : slots)
      if (slot < count)
        inputs.push_back(slot);
      else
        initializers.push_back(slot - count);
    detail::erase_at(*g.mutable_input(), inputs);
    detail::erase_at(*g.mutable_initializer(), initializers);
  }
  static void erase_external_outputs(M& g, std::span<std::uint32_t const> slots) {
    detail::erase_at(*g.mutable_output(), slots);
  }
  static void append_op(M& g, op_spec const& spec) {
    op_message& op = *g.add_node();
    op.set_op_type(spec.type);
    if (!spec.name.empty()) op.set_name(spec.name);
    for (std::string const& blob : spec.inputs) op.add_input(blob);
    for (std::string const& blob : spec.outputs) op.add_output(blob);
    for (argument_spec const& argument : spec.arguments) fill(*op.add_attribute(), argument);
  }
  static void insert_op(M& g, std::size_t position, op_spec const& spec) {
    append_op(g, spec);
    detail::move_last_to(*g.mutable_node(), position);
  }
  static void adopt_op(M& g, M const&, op_message const& op) {
    op_message copy = op;  // it may be of the same graph, whose nodes move
    *g.add_node() = std::move(copy);
  }
  static void set_type(M&, op_message& op, std::string_view type) { op.set_op_type(std::string(type)); }
  static void set_net_name(M& g, std::string_view text) { g.set_name(std::string(text)); }

  // ---- arguments
  static bool has_argument(M const&, op_message const& op, std::string_view key) { return find(op, key) != nullptr; }
  static std::optional<std::int64_t> int_argument(M const&, op_message const& op, std::string_view key) {
    arg_message const* a = find(op, key);
    return a != nullptr && kind(*a) == kinds::integer ? std::optional<std::int64_t>(a->i()) : std::nullopt;
  }
  static std::optional<std::string_view> string_argument(M const&, op_message const& op, std::string_view key) {
    arg_message const* a = find(op, key);
    return a != nullptr && kind(*a) == kinds::text ? std::optional<std::string_view>(a->s()) : std::nullopt;
  }
  static std::optional<argument_value> argument(M const&, op_message const& op, std::string_view key) {
    arg_message const* a = find(op, key);
    if (a == nullptr) return std::nullopt;
    switch (kind(*a)) {
      case kinds::real:
        return argument_value(a->f());
      case kinds::integer:
        return argument_value(static_cast<std::int64_t>(a->i()));
      case kinds::text:
        return argument_value(a->s());
      case kinds::reals:
        return argument_value(std::vector<float>(a->floats().begin(), a->floats().end()));
      case kinds::integers:
        return argument_value(std::vector<std::int64_t>(a->ints().begin(), a->ints().end()));
      case kinds::texts:
        return argument_value(std::vector<std::string>(a->strings().begin(), a->strings().end()));
      default:
        return std::nullopt;
    }
  }
  static void set_argument(M&, op_message& op, argument_spec const& spec) {
    fill(detail::find_or_add_named(*op.mutable_attribute(), spec.name), spec);
  }
  static void erase_argument(M&, op_message& op, std::string_view key) {
    detail::erase_named(*op.mutable_attribute(), key);
  }

 private:
  // AttributeProto.AttributeType, restricted to the types of arguments.
  enum class kinds { real = 1, integer = 2, text = 3, reals = 6, integers = 7, texts = 8 };
  static kinds kind(arg_message const& a) { return static_cast<kinds>(static_cast<int>(a.type())); }

  template <class Repeated>
  static int position(Repeated const& names, std::size_t slot) {
    return std::ranges::next(detail::onnx_operands(names).begin(), static_cast<std::ptrdiff_t>(slot)).position();
  }

  static arg_message const* find(op_message const& op, std::string_view key) {
    return detail::find_named(op.attribute(), key);
  }

  struct kind_of {
    kinds operator()(std::int64_t) const { return kinds::integer; }
    kinds operator()(float) const { return kinds::real; }
    kinds operator()(std::string const&) const { return kinds::text; }
    kinds operator()(std::vector<std::int64_t> const&) const { return kinds::integers; }
    kinds operator()(std::vector<float> const&) const { return kinds::reals; }
    kinds operator()(std::vector<std::string> const&) const { return kinds::texts; }
  };
  static void fill(arg_message& a, argument_spec const& spec) {
    detail::store_argument(a, spec);
    a.set_type(static_cast<decltype(a.type())>(std::visit(kind_of{}, spec.value)));
  }
};

}  // namespace plait
