// Mutation hooks of nets: the members of net_traits that transforms need beyond reading. Each transform requires only
// the hooks it uses.
//
//   net_traits<N> member                                    concept
//   set_input(n, op, slot, name)                            renamable_net
//   set_output(n, op, slot, name)
//   make_name(n, text) -> name                              default: name_t<N>(text)
//   set_control_input(n, op, slot, name)                    renamable_controls, where ops have control inputs
//   new_name(n, name) -> name                               naming_net: returns an unused name for a version of this
//                                                           blob; changes nothing else. For names without text
//   set_external_input(n, slot, name)                       renamable_externals, where externals are declared
//   set_external_output(n, slot, name)
//   erase_ops(n, indices)                                   op_erasable_net: indices ascending, without repeats
//   select_ops(n, indices) -> N                             optional with erase_ops: returns a copy with only these ops
//   erase_external_inputs(n, slots)                         input_erasable_net: ascending, without repeats
//   erase_external_outputs(n, slots)                        output_erasable_net: ascending, without repeats
//   add_external_input(n, name), add_external_output(n, name)    external_extensible_net
//   append_op(n, op_spec)                                   extensible_net
//   insert_op(n, position, op_spec)
//   append_op(n, op_spec, inputs, outputs)                  optional with append_op: operands by name, not in op_spec
//   reserve(n, ops, names)                                  optional with append_op: capacity for so many more
//   prefetch_name(n, text)                                  optional with make_name: prefetches its look-up
//   symbols(n) -> symbol_table&                             optional with make_name: names are symbols of that table
//   adopt_op(n, from, op)                                   adopting_net: appends a copy of an op of another net
//   int_argument(n, op, key) -> optional<int64>             attributed_net
//   string_argument(n, op, key) -> optional<string_view>
//   has_argument(n, op, key) -> bool                        argument_readable_net
//   argument(n, op, key) -> optional<argument_value>        empty where the argument is of another kind (a net, say)
//   set_argument(n, op, argument_spec)                      argument_mutable_net
//   erase_argument(n, op, key)
//   set_type(n, op, type)                                   retypable_net
//   device(n, op) -> optional<device_spec>                  device_net
//   set_device(n, op, optional<device_spec>)                device_mutable_net
//   net_name(n), set_net_name(n, text)                      named_net
//   inherit(n, op, from, from_op, inherited)                inheriting_net: copies properties of another op to op
//   insert_ops(n, positions, op_specs)                      optional with insert_op: many at once, in linear time
//   add_subnet(n, op, argument, net)                        subnet_extensible_net: a netdef as an argument of an op
//   mutable_subnets(n, op), store_subnet(n, op, subnet)     nested_editable_net (mutable_nested_nets.hpp of netdef)
//   argument_blobs(n, op), rename_arguments(n, op, names)   optional with it: blobs that arguments name
//
// `op` is what iterating ops(n) of the non-const net yields. Hooks must not throw for valid indices, except
// std::bad_alloc: a transform keeps the strong guarantee by checking everything before it applies any change.
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

#include <plait/core/detail/symbols.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

struct netdef;

/// Value of an op's argument: a number, a string (bytes), or a list of either.
using argument_value = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>,
                                    std::vector<std::string>>;

/// Name and value of an argument to set.
struct argument_spec {
  std::string name;
  argument_value value;
  friend bool operator==(argument_spec const&, argument_spec const&) = default;
};

/// Device kinds by Caffe2's numbers (caffe2.proto, DeviceTypeProto).
enum class device_kind : std::int32_t { cpu = 0, cuda = 1, mkldnn = 2, opengl = 3, opencl = 4, ideep = 5, hip = 6 };

/// Device on which an op runs.
struct device_spec {
  device_kind kind = device_kind::cpu;
  std::optional<std::int32_t> id;  ///< index among the devices of this kind; absent: unspecified
  friend bool operator==(device_spec const&, device_spec const&) = default;
};

/// Description of an op to insert. Blobs are named by text.
struct op_spec {
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<argument_spec> arguments = {};
  std::optional<device_spec> device = {};
  std::string name = {};
  friend bool operator==(op_spec const&, op_spec const&) = default;
};

/// Properties that a new op inherits from the op it was created for.
struct inherited {
  bool placement = true;  ///< device and engine
  bool arguments = true;  ///< all arguments that the new op lacks
  bool gradient = true;   ///< marks it as a gradient op, where the IR has such a mark
};

namespace detail {
// Iterators of ops(n) remain valid after the range is destroyed.
template <class N>
concept ops_stay =
    std::is_lvalue_reference_v<mutable_ops_range_t<N>> || std::ranges::borrowed_range<mutable_ops_range_t<N>>;
}  // namespace detail

template <class N>
concept renamable_net = net<N> && requires(std::remove_cvref_t<N>& n, mutable_op_ref_t<N> op, name_t<N> const& name) {
  detail::net_traits_of<N>::set_input(n, op, std::size_t{}, name);
  detail::net_traits_of<N>::set_output(n, op, std::size_t{}, name);
};

template <class N>
concept renamable_externals =
    (!has_external_inputs<N> || requires(std::remove_cvref_t<N>& n, name_t<N> const& name) {
      detail::net_traits_of<N>::set_external_input(n, std::size_t{}, name);
    }) && (!has_external_outputs<N> || requires(std::remove_cvref_t<N>& n, name_t<N> const& name) {
      detail::net_traits_of<N>::set_external_output(n, std::size_t{}, name);
    });

template <class N>
concept renamable_controls =
    !has_control_inputs<N> || requires(std::remove_cvref_t<N>& n, mutable_op_ref_t<N> op, name_t<N> const& name) {
      detail::net_traits_of<N>::set_control_input(n, op, std::size_t{}, name);
    };

template <class N>
concept op_erasable_net = net<N> && requires(std::remove_cvref_t<N>& n, std::span<std::uint32_t const> indices) {
  detail::net_traits_of<N>::erase_ops(n, indices);
};

template <class N>
concept input_erasable_net = net<N> && requires(std::remove_cvref_t<N>& n, std::span<std::uint32_t const> slots) {
  detail::net_traits_of<N>::erase_external_inputs(n, slots);
};

template <class N>
concept output_erasable_net = net<N> && requires(std::remove_cvref_t<N>& n, std::span<std::uint32_t const> slots) {
  detail::net_traits_of<N>::erase_external_outputs(n, slots);
};

template <class N>
concept external_extensible_net = net<N> && requires(std::remove_cvref_t<N>& n, name_t<N> const& name) {
  detail::net_traits_of<N>::add_external_input(n, name);
  detail::net_traits_of<N>::add_external_output(n, name);
};

template <class N>
concept extensible_net = net<N> && requires(std::remove_cvref_t<N>& n, op_spec const& op) {
  detail::net_traits_of<N>::append_op(n, op);
  detail::net_traits_of<N>::insert_op(n, std::size_t{}, op);
};

template <class N>
concept adopting_net = net<N> && requires(std::remove_cvref_t<N>& n, std::remove_cvref_t<N> const& from,
                                          op_ref_t<N> op) { detail::net_traits_of<N>::adopt_op(n, from, op); };

namespace detail {
// Not of a string that is gone before it is read.
template <class R>
concept optional_borrowed_text =
    std::convertible_to<R, std::optional<std::string_view>> &&
    (std::is_lvalue_reference_v<R> || borrowed_text<typename std::remove_cvref_t<R>::value_type>);
}  // namespace detail

template <class N>
concept attributed_net = typed_net<N> && requires(N const& n, op_ref_t<N> op, std::string_view key) {
  { detail::net_traits_of<N>::int_argument(n, op, key) } -> std::convertible_to<std::optional<std::int64_t>>;
  { detail::net_traits_of<N>::string_argument(n, op, key) } -> detail::optional_borrowed_text;
};

template <class N>
concept argument_readable_net = attributed_net<N> && requires(N const& n, op_ref_t<N> op, std::string_view key) {
  { detail::net_traits_of<N>::has_argument(n, op, key) } -> std::convertible_to<bool>;
  { detail::net_traits_of<N>::argument(n, op, key) } -> std::convertible_to<std::optional<argument_value>>;
};

template <class N>
concept argument_mutable_net = attributed_net<N> && requires(std::remove_cvref_t<N>& n, mutable_op_ref_t<N> op,
                                                             argument_spec const& a, std::string_view key) {
  detail::net_traits_of<N>::set_argument(n, op, a);
  detail::net_traits_of<N>::erase_argument(n, op, key);
};

/// A net whose ops can inherit properties of another op. `from` may be the same net.
template <class N>
concept inheriting_net =
    net<N> && requires(std::remove_cvref_t<N>& n, mutable_op_ref_t<N> op, N const& from, op_ref_t<N> from_op,
                       inherited const& what) { detail::net_traits_of<N>::inherit(n, op, from, from_op, what); };

/// A net that accepts a netdef as an argument of an op.
template <class N>
concept subnet_extensible_net =
    net<N> && requires(std::remove_cvref_t<N>& n, mutable_op_ref_t<N> op, std::string_view argument,
                       netdef const& inner) { detail::net_traits_of<N>::add_subnet(n, op, argument, inner); };

template <class N>
concept retypable_net = typed_net<N> && requires(std::remove_cvref_t<N>& n, mutable_op_ref_t<N> op,
                                                 std::string_view t) { detail::net_traits_of<N>::set_type(n, op, t); };

template <class N>
concept device_net = net<N> && requires(N const& n, op_ref_t<N> op) {
  { detail::net_traits_of<N>::device(n, op) } -> std::convertible_to<std::optional<device_spec>>;
};

template <class N>
concept device_mutable_net =
    device_net<N> && requires(std::remove_cvref_t<N>& n, mutable_op_ref_t<N> op, std::optional<device_spec> d) {
      detail::net_traits_of<N>::set_device(n, op, d);
    };

template <class N>
concept named_net = net<N> && requires(std::remove_cvref_t<N>& n, std::string_view text) {
  { detail::net_traits_of<N>::net_name(std::as_const(n)) } -> std::convertible_to<std::string_view>;
  detail::net_traits_of<N>::set_net_name(n, text);
};

namespace detail {
template <class N>
concept has_make_name = requires(std::remove_cvref_t<N>& n, std::string_view text) {
  { net_traits_of<N>::make_name(n, text) } -> std::convertible_to<name_t<N>>;
};
}  // namespace detail

/// A net whose names can be created from text: by make_name, or because names are strings.
template <class N>
concept nameable_net =
    has_text<N> && (detail::has_make_name<N> || std::constructible_from<name_t<N>, std::string_view>);

/// A net that generates new names, whatever their type: numbers, pointers.
template <class N>
concept naming_net = net<N> && requires(std::remove_cvref_t<N>& n, name_t<N> const& name) {
  { detail::net_traits_of<N>::new_name(n, name) } -> std::convertible_to<name_t<N>>;
};

/// A net whose names are symbols of a table that the net owns: a copy of the net has the same symbols, and an object
/// that takes over the table has them all.
template <class N>
concept symbol_named_net = std::same_as<name_t<N>, symbol> && has_dense_names<N> && requires(N& n, N const& c) {
  { detail::net_traits_of<N>::symbols(n) } -> std::same_as<symbol_table&>;
  { detail::net_traits_of<N>::symbols(c) } -> std::same_as<symbol_table const&>;
};

/// Returns the name of the blob called `text`; the net knows it from then on.
template <nameable_net N>
[[nodiscard]] constexpr name_t<N> make_name(N& n, std::string_view text) {
  if constexpr (detail::has_make_name<N>)
    return detail::net_traits_of<N>::make_name(n, text);
  else
    return name_t<N>(text);
}

/// Inserts specs[i] before the op at positions[i]; positions ascend. Linear where the net has insert_ops.
template <extensible_net N>
void insert_ops(N& n, std::span<std::uint32_t const> positions, std::span<op_spec const> specs) {
  using traits = detail::net_traits_of<N>;
  if constexpr (requires { traits::insert_ops(n, positions, specs); }) {
    traits::insert_ops(n, positions, specs);
  } else {
    for (std::size_t i = specs.size(); i-- != 0;) traits::insert_op(n, positions[i], specs[i]);
  }
}

/// Random access to a net's ops by position. Stores iterators, since ops may be references.
template <has_ops N>
class op_list {
  using range = detail::mutable_ops_range_t<N>;
  static_assert(detail::ops_stay<N>,
                "plait: transforms need ops(n) to be a reference to the net's ops or a view of them");

 public:
  explicit op_list(N& n) {
    auto&& all = detail::net_traits_of<N>::ops(n);
    for (auto it = std::ranges::begin(all); it != std::ranges::end(all); ++it) at_.push_back(it);
  }
  std::size_t size() const noexcept { return at_.size(); }
  mutable_op_ref_t<N> operator[](std::size_t i) const { return *at_[i]; }

 private:
  std::vector<std::ranges::iterator_t<std::remove_reference_t<range>>> at_;
};

}  // namespace plait
