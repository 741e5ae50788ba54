// Adaptation point for nets: a straight-line list of ops that read and write named, re-assignable blobs (a Caffe2
// NetDef, an ONNX graph, a basic block).
//
//   member                       needed for                                 default
//   ops(n)                       everything: input_range of ops that can    member of N (function or data)
//                                be traversed again
//   inputs(n, op)                everything: input_range of names           inputs(op) of N, else inputs of the op
//   outputs(n, op)               everything: input_range of names           outputs(op) of N, else outputs of the op
//   external_inputs(n)           inputs of the net                          member of N, else none declared
//   external_outputs(n)          outputs of the net                         member of N, else none declared
//   type(n, op)                  analyses of what an op computes            type(op) of N, else type of the op
//   op_name(n, op)               messages                                   op_name(op) of N, else name of the op, else
//                                                                           none
//   control_inputs(n, op)        scheduling order without data              control_inputs(op) of N, else none
//   subnets(n, op)               nets inside ops (implicit_operands.hpp)    subnets(op) of N, else none
//   text(n, name)                names that are not strings themselves      text(name) of N, else the name, if it
//                                                                           converts to string_view
//   name_count(n), name_index(n, name), name_at(n, index), find_name(n, text)
//                                names that are numbered already: saves     members of N, else names are hashed once
//                                all hashing; find_name returns name_count  per analysis
//                                for an unknown text
//
// type and text return a string_view or a reference: a string returned by value would dangle. Where ops(n) yields
// temporaries that own their strings, analyses copy what they keep.
//
// An op is whatever ops(n) yields: a reference to a struct, a pointer, an index; a name is any regular, hashable type
// (std::string, std::string_view, an integer, a pointer to a value). A type with these members, or built from structs
// with data members of these names, is adapted already; for any other, specialise net_traits. net/mutation.hpp lists
// the hooks that transforms need in addition; net/detail/member_hooks.hpp implements those that plain structs allow.
// Algorithms call only the functions below, under the concepts below.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <plait/core/detail/member_faults.hpp>
#include <plait/net/detail/member_accessors.hpp>
#include <plait/net/detail/member_hooks.hpp>

namespace plait {

template <class N>
struct net_traits : detail::member_accessors<N>, detail::member_hooks<N> {
  using adapted_by_members = void;
};

namespace detail {
template <class N>
using net_traits_of = net_traits<std::remove_cvref_t<N>>;
template <class N>
using ops_range_t = decltype(net_traits_of<N>::ops(std::declval<N const&>()));
}  // namespace detail

// ---- concepts: one per leaf, so that a failed constraint names what is missing or wrong --------------------------

namespace detail {
PLAIT_DETAIL_MEMBER(net_traits_of, net, ops, (), ())
}

template <class N>
concept has_ops = !detail::ops_is_there_but_not_for_a_const_net<N> &&
                  !detail::ops_is_there_but_with_other_parameters<N> && requires(N const& n) {
                    { detail::net_traits_of<N>::ops(n) } -> std::ranges::input_range;
                  };

/// Reference type of ops(n), usually a reference or a pointer.
template <has_ops N>
using op_ref_t = std::ranges::range_reference_t<detail::ops_range_t<N>>;

namespace detail {
template <class N>
using mutable_ops_range_t = decltype(net_traits_of<N>::ops(std::declval<std::remove_cvref_t<N>&>()));
}  // namespace detail

/// Reference type of ops(n) of a mutable net.
template <has_ops N>
using mutable_op_ref_t = std::ranges::range_reference_t<detail::mutable_ops_range_t<N>>;

namespace detail {
template <has_ops N>
using op_object_t = std::remove_cvref_t<pointee_t<std::remove_cvref_t<op_ref_t<N>>>>;

PLAIT_DETAIL_OP_MEMBER(net_traits_of, net, inputs)
PLAIT_DETAIL_OP_MEMBER(net_traits_of, net, outputs)
}  // namespace detail

template <class N>
concept has_inputs = has_ops<N> && !detail::inputs_is_there_but_not_for_a_const_net<N> &&
                     !detail::inputs_is_there_but_with_other_parameters<N> && requires(N const& n, op_ref_t<N> op) {
                       { detail::net_traits_of<N>::inputs(n, op) } -> std::ranges::input_range;
                     };

template <class N>
concept has_outputs = has_ops<N> && !detail::outputs_is_there_but_not_for_a_const_net<N> &&
                      !detail::outputs_is_there_but_with_other_parameters<N> && requires(N const& n, op_ref_t<N> op) {
                        { detail::net_traits_of<N>::outputs(n, op) } -> std::ranges::input_range;
                      };

namespace detail {
template <class N>
using inputs_range_t = decltype(net_traits_of<N>::inputs(std::declval<N const&>(), std::declval<op_ref_t<N>>()));
template <class N>
using outputs_range_t = decltype(net_traits_of<N>::outputs(std::declval<N const&>(), std::declval<op_ref_t<N>>()));
template <class T>
concept hashable = requires(T const& t) {
  { std::hash<T>{}(t) } -> std::convertible_to<std::size_t>;
};
}  // namespace detail

/// Name type of blobs: the common type of inputs and outputs.
template <class N>
  requires has_inputs<N> && has_outputs<N>
using name_t = std::remove_cvref_t<std::common_type_t<std::ranges::range_value_t<detail::inputs_range_t<N>>,
                                                      std::ranges::range_value_t<detail::outputs_range_t<N>>>>;

template <class N>
concept has_names = has_inputs<N> && has_outputs<N> && requires { typename name_t<N>; } && std::regular<name_t<N>> &&
                    detail::hashable<name_t<N>>;

/// A net: ops that read and write named blobs; the requirement of every analysis of nets. Semantic requirements:
/// traversing ops, inputs or outputs again yields the same; equal names denote the same blob.
template <class N>
concept net = has_ops<N> && has_inputs<N> && has_outputs<N> && has_names<N>;

namespace detail {
// Text that outlives the expression that returned it, as elements of a borrowed range do.
template <class T>
concept borrowed_text = std::convertible_to<T, std::string_view> &&
                        (std::is_lvalue_reference_v<T> || std::is_pointer_v<T> || std::ranges::borrowed_range<T>);

template <class R, class Name>
concept name_range = std::ranges::input_range<R> && std::convertible_to<std::ranges::range_reference_t<R>, Name>;

template <class N>
concept has_own_text = net<N> && requires(N const& n, name_t<N> const& name) {
  { net_traits_of<N>::text(n, name) } -> borrowed_text;
};
}  // namespace detail

template <class N>
concept has_external_inputs = net<N> && requires(N const& n) {
  { detail::net_traits_of<N>::external_inputs(n) } -> detail::name_range<name_t<N>>;
};

template <class N>
concept has_external_outputs = net<N> && requires(N const& n) {
  { detail::net_traits_of<N>::external_outputs(n) } -> detail::name_range<name_t<N>>;
};

/// A net whose ops have a type, such as "FC".
template <class N>
concept typed_net = net<N> && requires(N const& n, op_ref_t<N> op) {
  { detail::net_traits_of<N>::type(n, op) } -> detail::borrowed_text;
};

template <class N>
concept has_control_inputs = net<N> && requires(N const& n, op_ref_t<N> op) {
  { detail::net_traits_of<N>::control_inputs(n, op) } -> detail::name_range<name_t<N>>;
};

/// A net whose names have text: they are strings, or the traits return their text.
template <class N>
concept has_text = net<N> && (detail::has_own_text<N> || std::convertible_to<name_t<N> const&, std::string_view>);

/// A net whose names are numbered densely, below name_count(n): side tables replace hash maps.
template <class N>
concept has_dense_names =
    detail::has_own_text<N> && requires(N const& n, name_t<N> const& name, std::string_view text) {
      { detail::net_traits_of<N>::name_count(n) } -> std::convertible_to<std::size_t>;
      { detail::net_traits_of<N>::name_index(n, name) } -> std::convertible_to<std::size_t>;
      { detail::net_traits_of<N>::name_at(n, std::size_t{}) } -> std::convertible_to<name_t<N>>;
      { detail::net_traits_of<N>::find_name(n, text) } -> std::convertible_to<std::size_t>;
    };

namespace detail {
// True if strings seen through R outlive the traversal of R: neither the elements nor their container are temporaries.
template <class R>
concept borrowed_elements =
    (std::is_lvalue_reference_v<std::ranges::range_reference_t<R>> ||
     std::same_as<std::ranges::range_value_t<R>, std::string_view>)&&(std::is_lvalue_reference_v<R> ||
                                                                      std::ranges::borrowed_range<R>);

// False if ops are temporaries that may own strings; a trivially copyable handle owns none.
template <class N>
concept borrowed_ops =
    std::is_lvalue_reference_v<op_ref_t<N>> || std::is_trivially_copyable_v<std::remove_cvref_t<op_ref_t<N>>>;

// True if the operands of an op outlive the op object.
template <class R, class N>
concept borrowed_operands =
    borrowed_elements<R> && (borrowed_ops<N> || std::same_as<std::ranges::range_value_t<R>, std::string_view> ||
                             std::ranges::borrowed_range<std::remove_cvref_t<R>>);

template <class N>
constexpr bool has_borrowed_externals() {
  bool lasts = true;
  if constexpr (has_external_inputs<N>)
    lasts = borrowed_elements<decltype(net_traits_of<N>::external_inputs(std::declval<N const&>()))>;
  if constexpr (has_external_outputs<N>)
    lasts = lasts && borrowed_elements<decltype(net_traits_of<N>::external_outputs(std::declval<N const&>()))>;
  return lasts;
}

template <class N>
concept viewable_text = has_own_text<N> || (has_text<N> && borrowed_operands<inputs_range_t<N>, N> &&
                                            borrowed_operands<outputs_range_t<N>, N> && has_borrowed_externals<N>());

// Key type for op types that outlive the traversal of ops.
template <class N>
using op_type_key_t = std::conditional_t<borrowed_ops<N>, std::string_view, std::string>;
}  // namespace detail

/// Key of a name, comparable between nets: its text where it has one, else the name itself. A view into the net where
/// that is safe; a copy where operands or ops are temporaries.
template <net N>
using name_key_t = std::conditional_t<detail::viewable_text<N>, std::string_view, name_t<N>>;

namespace detail {
// An ill-formed optional member must not count as absent: an analysis would silently ignore it.
PLAIT_DETAIL_MEMBER(net_traits_of, net, external_inputs, (), ())
PLAIT_DETAIL_MEMBER(net_traits_of, net, external_outputs, (), ())
PLAIT_DETAIL_MEMBER(net_traits_of, net, control_inputs, (op_ref_t<T> op), (op))
PLAIT_DETAIL_MEMBER(net_traits_of, net, subnets, (op_ref_t<T> op), (op))
PLAIT_DETAIL_MEMBER(net_traits_of, net, text, (name_t<T> const& blob), (blob))
PLAIT_DETAIL_MEMBER(net_traits_of, net, name_count, (), ())
PLAIT_DETAIL_MEMBER(net_traits_of, net, name_index, (name_t<T> const& blob), (blob))
PLAIT_DETAIL_MEMBER(net_traits_of, net, name_at, (std::size_t at), (at))
PLAIT_DETAIL_MEMBER(net_traits_of, net, find_name, (std::string_view text), (text))
PLAIT_DETAIL_OP_MEMBER(net_traits_of, net, type)
PLAIT_DETAIL_OP_MEMBER(net_traits_of, net, op_name)
template <class N>
concept mentions_name_numbers = requires(N const& n, name_t<N> const& name) {
  net_traits_of<N>::name_count(n);
  net_traits_of<N>::name_index(n, name);
};

// Ranges of anything but names are refused by those who look into them (implicit_operands.hpp).
template <class N>
concept returns_subnets = requires(N const& n, op_ref_t<N> op) {
  { net_traits_of<N>::subnets(n, op) } -> std::ranges::input_range;
};
template <class N>
concept returns_op_name = requires(N const& n, op_ref_t<N> op) {
  { net_traits_of<N>::op_name(n, op) } -> borrowed_text;
};

template <class N>
consteval bool check_op_name() {
  PLAIT_DETAIL_CHECK_OPTIONAL_MEMBER(N, returns_op_name<N>, "net_traits<N>", net, op_name, "op_name(n, op)",
                                     "a std::string_view or a reference to a string");
  return true;
}

template <class N>
consteval bool check_optional_members() {
  PLAIT_DETAIL_CHECK_CONST(N, net, external_inputs, "net_traits<N>", "external_inputs(n)");
  PLAIT_DETAIL_CHECK_CALL(N, has_external_inputs<N>, is_there_but_with_other_parameters, "net_traits<N>",
                          external_inputs, "external_inputs(n)", "a range of names");
  PLAIT_DETAIL_CHECK_CONST(N, net, external_outputs, "net_traits<N>", "external_outputs(n)");
  PLAIT_DETAIL_CHECK_CALL(N, has_external_outputs<N>, is_there_but_with_other_parameters, "net_traits<N>",
                          external_outputs, "external_outputs(n)", "a range of names");
  PLAIT_DETAIL_CHECK_OPTIONAL_MEMBER(N, has_control_inputs<N>, "net_traits<N>", net, control_inputs,
                                     "control_inputs(n, op)", "a range of names; n and op are const");
  PLAIT_DETAIL_CHECK_OPTIONAL_MEMBER(N, returns_subnets<N>, "net_traits<N>", net, subnets, "subnets(n, op)",
                                     "a range of the nets inside an op; n and op are const");
  PLAIT_DETAIL_CHECK_CONST(N, net, type, "net_traits<N>", "type(n, op)");
  // A net whose names are texts may have a text() for something else.
  PLAIT_DETAIL_CHECK_CONST(N, net, text, "net_traits<N>", "text(n, name)");
  static_assert(
      has_text<N> || !text_is_a_function_with_other_parameters<N>,
      "plait: net_traits<N>::text(n, name) is there, but cannot be called like this; wanted: text(n, name), a "
      "std::string_view or a reference to a string");
  static_assert(!gives_text<N> || has_own_text<N>,
                "plait: net_traits<N>::text(n, name) is there, but returns another type; wanted: a std::string_view or "
                "a reference to a string");
  PLAIT_DETAIL_CHECK_CONST(N, net, name_count, "net_traits<N>", "name_count(n)");
  PLAIT_DETAIL_CHECK_CONST(N, net, name_index, "net_traits<N>", "name_index(n, name)");
  PLAIT_DETAIL_CHECK_CONST(N, net, name_at, "net_traits<N>", "name_at(n, index)");
  PLAIT_DETAIL_CHECK_CONST(N, net, find_name, "net_traits<N>", "find_name(n, text)");
  static_assert(!mentions_name_numbers<N> || has_dense_names<N>,
                "plait: numbered names need text(n, name), name_at(n, index) -> name and find_name(n, text) -> index "
                "beside name_count(n) and name_index(n, name), which are numbers");
  return true;
}
}  // namespace detail

// ---- functions that algorithms call ------------------------------------------------------------------------------

template <has_ops N>
[[nodiscard]] constexpr decltype(auto) ops(N const& n) {
  return detail::net_traits_of<N>::ops(n);
}

template <has_inputs N, class Op>
[[nodiscard]] constexpr decltype(auto) inputs(N const& n, Op const& op) {
  return detail::net_traits_of<N>::inputs(n, op);
}

template <has_outputs N, class Op>
[[nodiscard]] constexpr decltype(auto) outputs(N const& n, Op const& op) {
  return detail::net_traits_of<N>::outputs(n, op);
}

/// Returns the declared external inputs; an empty range for nets that declare none.
template <net N>
[[nodiscard]] constexpr decltype(auto) external_inputs(N const& n) {
  static_assert(detail::check_optional_members<N>());
  if constexpr (has_external_inputs<N>)
    return detail::net_traits_of<N>::external_inputs(n);
  else
    return std::ranges::empty_view<name_t<N>>();
}

/// Returns the declared external outputs; an empty range for nets that declare none.
template <net N>
[[nodiscard]] constexpr decltype(auto) external_outputs(N const& n) {
  static_assert(detail::check_optional_members<N>());
  if constexpr (has_external_outputs<N>)
    return detail::net_traits_of<N>::external_outputs(n);
  else
    return std::ranges::empty_view<name_t<N>>();
}

/// Returns the blobs an op waits for without reading them; an empty range where the IR has none.
template <net N, class Op>
[[nodiscard]] constexpr decltype(auto) control_inputs(N const& n, Op const& op) {
  static_assert(detail::check_optional_members<N>());
  if constexpr (has_control_inputs<N>)
    return detail::net_traits_of<N>::control_inputs(n, op);
  else
    return std::ranges::empty_view<name_t<N>>();
}

template <typed_net N, class Op>
[[nodiscard]] constexpr std::string_view op_type(N const& n, Op const& op) {
  return detail::net_traits_of<N>::type(n, op);
}

/// Returns the name of an op; empty where ops have none.
template <net N, class Op>
[[nodiscard]] constexpr std::string_view op_name(N const& n, Op const& op) {
  static_assert(detail::check_op_name<N>());
  if constexpr (detail::gives_op_name<N>)
    return detail::net_traits_of<N>::op_name(n, op);
  else
    return {};
}

/// Returns the key of a name. A string_view key refers to the name, or into the net.
template <net N, class Name>
[[nodiscard]] constexpr name_key_t<N> name_key(N const& n, Name const& name) {
  if constexpr (detail::has_own_text<N>)
    return detail::net_traits_of<N>::text(n, name);
  else
    return name_key_t<N>(name);
}

/// Returns the text of a name, for messages and for deriving new names.
template <has_text N>
[[nodiscard]] constexpr std::string_view name_text(N const& n, name_t<N> const& name) {
  if constexpr (detail::has_own_text<N>)
    return detail::net_traits_of<N>::text(n, name);
  else
    return name;
}

/// Checks an adaptation, for PLAIT_CHECK_NET(my::net) next to it; a static_assert names each missing member in a
/// sentence.
template <class N>
consteval bool check_net() {
  PLAIT_DETAIL_CHECK_MEMBER(N, has_ops<N>, "net_traits<N>", net, ops, "ops(n)", "a range of the net's ops");
  if constexpr (has_ops<N>) {
    PLAIT_DETAIL_CHECK_MEMBER(N, has_inputs<N>, "net_traits<N>", net, inputs, "inputs(n, op)",
                              "a range of the names an op reads");
    PLAIT_DETAIL_CHECK_MEMBER(N, has_outputs<N>, "net_traits<N>", net, outputs, "outputs(n, op)",
                              "a range of the names an op writes");
    if constexpr (has_inputs<N> && has_outputs<N>)
      static_assert(has_names<N>,
                    "plait: the names in inputs and outputs need a common type that is regular (default "
                    "constructible, copyable, equality comparable) and has a std::hash");
    if constexpr (net<N>) {
      static_assert(detail::check_optional_members<N>());
      static_assert(detail::check_op_name<N>());
      PLAIT_DETAIL_CHECK_OPTIONAL_MEMBER(N, typed_net<N>, "net_traits<N>", net, type, "type(n, op)",
                                         "a std::string_view or a reference to a string");
    }
  }
  return net<N>;
}

#define PLAIT_CHECK_NET(...) static_assert(::plait::check_net<__VA_ARGS__>())

}  // namespace plait
