// Adaptation point for nets: a straight-line list of ops that read and write named, re-assignable blobs (a Caffe2
// NetDef, an ONNX graph, a basic block).
//
//   member                       needed for                                 default
//   ops(n)                       everything: input_range of ops that can    member of N (function or data)
//                                be walked again
//   inputs(n, op)                everything: input_range of names           inputs(op) of N, else inputs of the op
//   outputs(n, op)               everything: input_range of names           outputs(op) of N, else outputs of the op
//   external_inputs(n)           what the net is given                      member of N, else none declared
//   external_outputs(n)          what the net promises                      member of N, else none declared
//   type(n, op)                  anything that asks what an op does         type(op) of N, else type of the op
//   op_name(n, op)               messages                                   op_name(op) of N, else name of the op, else
//                                                                           none
//   control_inputs(n, op)        scheduling order without data              control_inputs(op) of N, else none
//   subnets(n, op)               nets inside ops (implicit_operands.hpp)    subnets(op) of N, else none
//   text(n, name)                names that are not strings themselves      text(name) of N, else the name, if it
//                                                                           converts to string_view
//   name_count(n), name_index(n, name), name_at(n, index), find_name(n, text)
//                                names that are numbered already: saves     members of N, else names are hashed once
//                                all hashing; find_name gives name_count    per analysis
//                                for a text the net does not know
//
// type and text return a string_view or a reference: text returned by value would be gone before it is read. Where
// ops(n) makes its ops, and these own their strings, analyses copy what they keep.
//
// An op is whatever ops(n) yields: a reference to a struct, a pointer, an index; a name is any regular, hashable type
// (std::string, std::string_view, an integer, a pointer to a value). A type with these members, or built from structs
// with data members of these names, is adapted already; for any other, specialise net_traits. What transforms need
// beyond this stands in net/mutation.hpp, and what of it own types have already in net/member_hooks.hpp. Algorithms
// call only the functions below, under the concepts below.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <plait/net/member_hooks.hpp>

namespace plait {

namespace detail {
// Where the net answers for its ops, members of the ops are not asked.
template <class N, class Op>
concept net_gives_type = requires(N const& n, Op const& op) { n.type(op); };
}  // namespace detail

template <class N>
struct net_traits : detail::member_hooks<N> {
  static constexpr decltype(auto) ops(N const& n)
    requires requires { n.ops(); }
  {
    return n.ops();
  }
  static constexpr auto const& ops(N const& n)
    requires std::ranges::range<decltype(n.ops)>
  {
    return n.ops;
  }
  static constexpr decltype(auto) ops(N& n)
    requires requires { n.ops(); }
  {
    return n.ops();
  }
  static constexpr auto& ops(N& n)
    requires std::ranges::range<decltype(n.ops)>
  {
    return n.ops;
  }

  template <class Op>
  static constexpr decltype(auto) inputs(N const& n, Op const& op)
    requires detail::net_gives_inputs<N, Op>
  {
    return n.inputs(op);
  }
  template <class Op>
  static constexpr decltype(auto) inputs(N const&, Op const& op)
    requires(!detail::net_gives_inputs<N, Op> && requires(detail::pointee_t<Op> const& o) { o.inputs(); })
  {
    return detail::pointee(op).inputs();
  }
  template <class Op>
  static constexpr auto const& inputs(N const&, Op const& op)
    requires(!detail::net_gives_inputs<N, Op> &&
             requires(detail::pointee_t<Op> const& o) { requires std::ranges::range<decltype(o.inputs)>; })
  {
    return detail::pointee(op).inputs;
  }

  template <class Op>
  static constexpr decltype(auto) outputs(N const& n, Op const& op)
    requires detail::net_gives_outputs<N, Op>
  {
    return n.outputs(op);
  }
  template <class Op>
  static constexpr decltype(auto) outputs(N const&, Op const& op)
    requires(!detail::net_gives_outputs<N, Op> && requires(detail::pointee_t<Op> const& o) { o.outputs(); })
  {
    return detail::pointee(op).outputs();
  }
  template <class Op>
  static constexpr auto const& outputs(N const&, Op const& op)
    requires(!detail::net_gives_outputs<N, Op> &&
             requires(detail::pointee_t<Op> const& o) { requires std::ranges::range<decltype(o.outputs)>; })
  {
    return detail::pointee(op).outputs;
  }

  template <class Op>
  static constexpr decltype(auto) type(N const& n, Op const& op)
    requires detail::net_gives_type<N, Op>
  {
    return n.type(op);
  }
  template <class Op>
  static constexpr decltype(auto) type(N const&, Op const& op)
    requires(!detail::net_gives_type<N, Op> && requires(detail::pointee_t<Op> const& o) { o.type(); })
  {
    return detail::pointee(op).type();
  }
  template <class Op>
  static constexpr auto const& type(N const&, Op const& op)
    requires(!detail::net_gives_type<N, Op> &&
             requires(detail::pointee_t<Op> const& o) {
               requires std::is_convertible_v<decltype((o.type)), std::string_view>;
             })
  {
    return detail::pointee(op).type;
  }

  static constexpr decltype(auto) external_inputs(N const& n)
    requires requires { n.external_inputs(); }
  {
    return n.external_inputs();
  }
  static constexpr auto const& external_inputs(N const& n)
    requires std::ranges::range<decltype(n.external_inputs)>
  {
    return n.external_inputs;
  }
  static constexpr decltype(auto) external_outputs(N const& n)
    requires requires { n.external_outputs(); }
  {
    return n.external_outputs();
  }
  static constexpr auto const& external_outputs(N const& n)
    requires std::ranges::range<decltype(n.external_outputs)>
  {
    return n.external_outputs;
  }

  template <class Op>
  static constexpr decltype(auto) op_name(N const& n, Op const& op)
    requires requires { n.op_name(op); }
  {
    return n.op_name(op);
  }
  template <class Op>
  static constexpr auto const& op_name(N const&, Op const& op)
    requires(
        !requires(N const& n) { n.op_name(op); } &&
        requires(detail::pointee_t<Op> const& o) {
          { o.name } -> std::convertible_to<std::string_view>;
        })
  {
    return detail::pointee(op).name;
  }

  template <class Op>
  static constexpr decltype(auto) control_inputs(N const& n, Op const& op)
    requires requires { n.control_inputs(op); }
  {
    return n.control_inputs(op);
  }
  template <class Op>
  static constexpr decltype(auto) subnets(N const& n, Op const& op)
    requires requires { n.subnets(op); }
  {
    return n.subnets(op);
  }
  template <class Name>
  static constexpr decltype(auto) text(N const& n, Name const& name)
    requires requires { n.text(name); }
  {
    return n.text(name);
  }
  static constexpr auto name_count(N const& n)
    requires requires { n.name_count(); }
  {
    return n.name_count();
  }
  template <class Name>
  static constexpr auto name_index(N const& n, Name const& name)
    requires requires { n.name_index(name); }
  {
    return n.name_index(name);
  }
  static constexpr decltype(auto) name_at(N const& n, std::size_t index)
    requires requires { n.name_at(index); }
  {
    return n.name_at(index);
  }
  static constexpr auto find_name(N const& n, std::string_view text)
    requires requires { n.find_name(text); }
  {
    return n.find_name(text);
  }
};

namespace detail {
template <class N>
using net_traits_of = net_traits<std::remove_cvref_t<N>>;
template <class N>
using ops_range_t = decltype(net_traits_of<N>::ops(std::declval<N const&>()));
}  // namespace detail

// ---- concepts: one per leaf --------------------------------------------------------------------------------------

template <class N>
concept has_ops = requires(N const& n) {
  { detail::net_traits_of<N>::ops(n) } -> std::ranges::input_range;
};

/// What iterating ops(n) yields, usually a reference or a pointer.
template <has_ops N>
using op_ref_t = std::ranges::range_reference_t<detail::ops_range_t<N>>;

template <class N>
concept has_inputs = has_ops<N> && requires(N const& n, op_ref_t<N> op) {
  { detail::net_traits_of<N>::inputs(n, op) } -> std::ranges::input_range;
};

template <class N>
concept has_outputs = has_ops<N> && requires(N const& n, op_ref_t<N> op) {
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

/// The name of a blob: what inputs and outputs have in common.
template <class N>
  requires has_inputs<N> && has_outputs<N>
using name_t = std::remove_cvref_t<std::common_type_t<std::ranges::range_value_t<detail::inputs_range_t<N>>,
                                                      std::ranges::range_value_t<detail::outputs_range_t<N>>>>;

template <class N>
concept has_names = has_inputs<N> && has_outputs<N> && requires { typename name_t<N>; } && std::regular<name_t<N>> &&
                    detail::hashable<name_t<N>>;

/// What every analysis of nets asks for. Semantic requirements: walking ops, inputs or outputs again yields the same;
/// equal names are the same blob.
template <class N>
concept net = has_ops<N> && has_inputs<N> && has_outputs<N> && has_names<N>;

namespace detail {
// Text that outlives the expression it came from.
template <class T>
concept lasting_text = std::convertible_to<T, std::string_view> &&
                       (std::is_lvalue_reference_v<T> || std::is_pointer_v<T> || std::ranges::borrowed_range<T>);

template <class R, class Name>
concept name_range = std::ranges::input_range<R> && std::convertible_to<std::ranges::range_reference_t<R>, Name>;

template <class N>
concept has_own_text = net<N> && requires(N const& n, name_t<N> const& name) {
  { net_traits_of<N>::text(n, name) } -> lasting_text;
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

/// Ops have a type, such as "FC".
template <class N>
concept typed_net = net<N> && requires(N const& n, op_ref_t<N> op) {
  { detail::net_traits_of<N>::type(n, op) } -> detail::lasting_text;
};

template <class N>
concept has_control_inputs = net<N> && requires(N const& n, op_ref_t<N> op) {
  { detail::net_traits_of<N>::control_inputs(n, op) } -> detail::name_range<name_t<N>>;
};

/// Names can be shown: they are strings, or the traits give their text.
template <class N>
concept has_text = net<N> && (detail::has_own_text<N> || std::convertible_to<name_t<N> const&, std::string_view>);

/// Names are numbered below name_count(n): side tables replace hash maps.
template <class N>
concept has_dense_names =
    detail::has_own_text<N> && requires(N const& n, name_t<N> const& name, std::string_view text) {
      { detail::net_traits_of<N>::name_count(n) } -> std::convertible_to<std::size_t>;
      { detail::net_traits_of<N>::name_index(n, name) } -> std::convertible_to<std::size_t>;
      { detail::net_traits_of<N>::name_at(n, std::size_t{}) } -> std::convertible_to<name_t<N>>;
      { detail::net_traits_of<N>::find_name(n, text) } -> std::convertible_to<std::size_t>;
    };

namespace detail {
// Whether strings seen through R outlive the walk over R: no temporaries, neither the elements nor their container.
template <class R>
concept lasting = (std::is_lvalue_reference_v<std::ranges::range_reference_t<R>> ||
                   std::same_as<std::ranges::range_value_t<R>, std::string_view>)&&(std::is_lvalue_reference_v<R> ||
                                                                                    std::ranges::borrowed_range<R>);

// False where a walk makes ops that may own strings, as a handle that is copied byte by byte does not.
template <class N>
concept lasting_ops =
    std::is_lvalue_reference_v<op_ref_t<N>> || std::is_trivially_copyable_v<std::remove_cvref_t<op_ref_t<N>>>;

// Whether the operands of an op outlive it.
template <class R, class N>
concept lasting_operands =
    lasting<R> && (lasting_ops<N> || std::same_as<std::ranges::range_value_t<R>, std::string_view> ||
                   std::ranges::borrowed_range<std::remove_cvref_t<R>>);

template <class N>
constexpr bool lasting_externals() {
  bool lasts = true;
  if constexpr (has_external_inputs<N>)
    lasts = lasting<decltype(net_traits_of<N>::external_inputs(std::declval<N const&>()))>;
  if constexpr (has_external_outputs<N>)
    lasts = lasts && lasting<decltype(net_traits_of<N>::external_outputs(std::declval<N const&>()))>;
  return lasts;
}

template <class N>
concept viewable_text = has_own_text<N> || (has_text<N> && lasting_operands<inputs_range_t<N>, N> &&
                                            lasting_operands<outputs_range_t<N>, N> && lasting_externals<N>());

// The type of an op, for what outlives a walk over ops.
template <class N>
using op_type_key_t = std::conditional_t<lasting_ops<N>, std::string_view, std::string>;
}  // namespace detail

/// How a name is known outside its net, so that names of different nets can be compared: its text where it has one,
/// else the name itself. A view into the net where that is safe; a copy where operands, or the ops, are temporaries.
template <net N>
using name_key_t = std::conditional_t<detail::viewable_text<N>, std::string_view, name_t<N>>;

namespace detail {
// An optional member that is there but not as it should be must not count as absent: that would be a guess.
template <class N>
concept mentions_external_inputs = requires(N const& n) { net_traits_of<N>::external_inputs(n); };
template <class N>
concept mentions_external_outputs = requires(N const& n) { net_traits_of<N>::external_outputs(n); };
template <class N>
concept mentions_control_inputs = requires(N const& n, op_ref_t<N> op) { net_traits_of<N>::control_inputs(n, op); };
template <class N>
concept mentions_type = requires(N const& n, op_ref_t<N> op) { net_traits_of<N>::type(n, op); };
template <class N>
concept mentions_text = requires(N const& n, name_t<N> const& name) { net_traits_of<N>::text(n, name); };
template <class N>
concept mentions_subnets = requires(N const& n, op_ref_t<N> op) { net_traits_of<N>::subnets(n, op); };
template <class N>
concept mentions_name_numbers = requires(N const& n, name_t<N> const& name) {
  net_traits_of<N>::name_count(n);
  net_traits_of<N>::name_index(n, name);
};

template <class N>
consteval bool check_optional_members() {
  static_assert(!mentions_external_inputs<N> || has_external_inputs<N>,
                "plait: net_traits<N>::external_inputs(n) must be a range of names");
  static_assert(!mentions_external_outputs<N> || has_external_outputs<N>,
                "plait: net_traits<N>::external_outputs(n) must be a range of names");
  static_assert(!mentions_control_inputs<N> || has_control_inputs<N>,
                "plait: net_traits<N>::control_inputs(n, op) must be a range of names");
  static_assert(!mentions_text<N> || has_own_text<N>,
                "plait: net_traits<N>::text(n, name) must return a std::string_view or a reference to a string");
  static_assert(!mentions_name_numbers<N> || has_dense_names<N>,
                "plait: numbered names need text(n, name), name_at(n, index) -> name and find_name(n, text) -> index "
                "beside name_count(n) and name_index(n, name), which are numbers");
  return true;
}
}  // namespace detail

// ---- what algorithms call ----------------------------------------------------------------------------------------

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

/// Declared external inputs; an empty range for nets that declare none.
template <net N>
[[nodiscard]] constexpr decltype(auto) external_inputs(N const& n) {
  static_assert(detail::check_optional_members<N>());
  if constexpr (has_external_inputs<N>)
    return detail::net_traits_of<N>::external_inputs(n);
  else
    return std::ranges::empty_view<name_t<N>>();
}

/// Declared external outputs; an empty range for nets that declare none.
template <net N>
[[nodiscard]] constexpr decltype(auto) external_outputs(N const& n) {
  static_assert(detail::check_optional_members<N>());
  if constexpr (has_external_outputs<N>)
    return detail::net_traits_of<N>::external_outputs(n);
  else
    return std::ranges::empty_view<name_t<N>>();
}

/// Blobs an op waits for without reading them; an empty range where the IR has no such thing.
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

/// Empty where ops have no names.
template <net N, class Op>
[[nodiscard]] constexpr std::string_view op_name(N const& n, Op const& op) {
  if constexpr (requires { detail::net_traits_of<N>::op_name(n, op); })
    return detail::net_traits_of<N>::op_name(n, op);
  else
    return {};
}

/// The key of a name; refers to the name, or into the net, where it is a string_view.
template <net N, class Name>
[[nodiscard]] constexpr name_key_t<N> name_key(N const& n, Name const& name) {
  if constexpr (detail::has_own_text<N>)
    return detail::net_traits_of<N>::text(n, name);
  else
    return name_key_t<N>(name);
}

/// The text of a name, for messages and for making new names from old ones.
template <has_text N>
[[nodiscard]] constexpr std::string_view name_text(N const& n, name_t<N> const& name) {
  if constexpr (detail::has_own_text<N>)
    return detail::net_traits_of<N>::text(n, name);
  else
    return name;
}

/// Put next to an adaptation: PLAIT_CHECK_NET(my::net); names each missing piece in a sentence.
template <class N>
consteval bool check_net() {
  static_assert(has_ops<N>, "plait: net_traits<N> lacks ops(n), a range of the net's ops");
  if constexpr (has_ops<N>) {
    static_assert(has_inputs<N>, "plait: net_traits<N> lacks inputs(n, op), a range of the names an op reads");
    static_assert(has_outputs<N>, "plait: net_traits<N> lacks outputs(n, op), a range of the names an op writes");
    if constexpr (has_inputs<N> && has_outputs<N>)
      static_assert(has_names<N>,
                    "plait: the names in inputs and outputs need a common type that is regular (default "
                    "constructible, copyable, equality comparable) and has a std::hash");
    if constexpr (net<N>) {
      static_assert(detail::check_optional_members<N>());
      static_assert(!detail::mentions_type<N> || typed_net<N>,
                    "plait: net_traits<N>::type(n, op) must return a std::string_view or a reference to a string");
    }
  }
  return net<N>;
}

#define PLAIT_CHECK_NET(...) static_assert(::plait::check_net<__VA_ARGS__>())

}  // namespace plait
