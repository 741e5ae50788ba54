// Concepts of the callbacks that describe ops to an analysis. Each is called with a net, an op as ops(net) yields it,
// and the arguments listed here.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include <plait/core/detail/npos.hpp>
#include <plait/dataflow/detail/op_handles.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/program_traits.hpp>

namespace plait {

namespace detail {
template <class F, class P, class... More>
concept called_with_op = program<P> && std::invocable<F&, block_t<P> const&, op_ref_t<block_t<P>>, More...>;
template <class F, class P, class... More>
using op_answer_t = std::invoke_result_t<F&, block_t<P> const&, op_ref_t<block_t<P>>, More...>;
}  // namespace detail

/// f(net, op) returns a bool.
template <class F, class P>
concept op_predicate_of = program<P> && std::predicate<F&, block_t<P> const&, op_ref_t<block_t<P>>>;

/// f(net, op, output) returns the number of the input that the output copies, as a std::optional.
template <class F, class P>
concept copy_source_of =
    detail::called_with_op<F, P, std::size_t> && requires(detail::op_answer_t<F, P, std::size_t> input) {
      static_cast<bool>(input);
      { *input } -> std::convertible_to<std::size_t>;
    };

namespace detail {
// Wraps a source callback for ops by number; npos for an output that is no copy.
template <program P, copy_source_of<P> Source>
constexpr auto copied_inputs(op_handles<P> const& handles, Source& source) {
  return [&](op_index op, std::size_t output) {
    return handles.call(op, [&](auto const& net, auto const& handle) -> std::size_t {
      auto const input = source(net, handle, output);
      return input ? static_cast<std::size_t>(*input) : npos;
    });
  };
}
}  // namespace detail

/// f(net, op, in, out) sets the constants of `out`; both are spans of std::optional<Constant>.
template <class F, class Constant, class P>
concept constant_evaluator_of =
    detail::called_with_op<F, P, std::span<std::optional<Constant> const>, std::span<std::optional<Constant>>>;

/// f(net, op, in, out) returns the number of the successor that control goes to, as a std::optional.
template <class F, class Constant, class P>
concept branch_decider_of =
    detail::called_with_op<F, P, std::span<std::optional<Constant> const>, std::span<std::optional<Constant> const>> &&
    std::convertible_to<
        detail::op_answer_t<F, P, std::span<std::optional<Constant> const>, std::span<std::optional<Constant> const>>,
        std::optional<std::size_t>>;

// ---- diagnostics for callbacks that do not satisfy their concept ---------------------------------------------------
// Unconstrained overloads call them; overload resolution selects these where the constrained ones do not apply.

namespace detail {
template <class F, class P, class... More>
concept op_function = std::invocable<F&, block_t<P> const&, op_ref_t<block_t<P>>, More...>;

template <class Essential, class P>
consteval bool check_essential() {
  static_assert(
      op_function<Essential, P>,
      "plait: essential cannot be called as essential(net, op); wanted: bool essential(block_t<P> const& net, "
      "op_ref_t<block_t<P>> op)");
  if constexpr (op_function<Essential, P>)
    static_assert(op_predicate_of<Essential, P>,
                  "plait: essential(net, op) returns another type than wanted: bool, whether the op must stay");
  return true;
}

template <class Source, class P>
consteval bool check_copy_source() {
  static_assert(op_function<Source, P, std::size_t>,
                "plait: source cannot be called as source(net, op, output); wanted: std::optional<std::size_t> "
                "source(block_t<P> const& net, op_ref_t<block_t<P>> op, std::size_t output)");
  if constexpr (op_function<Source, P, std::size_t>)
    static_assert(copy_source_of<Source, P>,
                  "plait: source(net, op, output) returns another type than wanted: std::optional<std::size_t>, the "
                  "number of the input that the output is a copy of");
  return true;
}

template <class Evaluate, class Constant, class P>
consteval bool check_constant_evaluator() {
  using in = std::span<std::optional<Constant> const>;
  using out = std::span<std::optional<Constant>>;
  static_assert(
      op_function<Evaluate, P, in, out>,
      "plait: evaluate cannot be called as evaluate(net, op, in, out); wanted: void evaluate(block_t<P> const& "
      "net, op_ref_t<block_t<P>> op, std::span<std::optional<Constant> const> in, "
      "std::span<std::optional<Constant>> out)");
  return true;
}

template <class Decide, class Constant, class P>
consteval bool check_branch_decider() {
  using cells = std::span<std::optional<Constant> const>;
  static_assert(op_function<Decide, P, cells, cells>,
                "plait: decide cannot be called as decide(net, op, in, out); wanted: std::optional<std::size_t> "
                "decide(block_t<P> const& net, op_ref_t<block_t<P>> op, std::span<std::optional<Constant> const> in, "
                "std::span<std::optional<Constant> const> out)");
  if constexpr (op_function<Decide, P, cells, cells>)
    static_assert(branch_decider_of<Decide, Constant, P>,
                  "plait: decide(net, op, in, out) returns another type than wanted: std::optional<std::size_t>, the "
                  "number of the successor that control goes to");
  return true;
}
}  // namespace detail

}  // namespace plait
