// What the functions must be that tell an analysis about the ops of a program. Each is called with a net, an op as
// ops(net) yields it, and what is listed here.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include <plait/core/npos.hpp>
#include <plait/dataflow/op_handles.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/program_traits.hpp>

namespace plait {

namespace detail {
template <class F, class P, class... More>
concept called_with_op = program<P> && std::invocable<F&, block_t<P> const&, op_ref_t<block_t<P>>, More...>;
template <class F, class P, class... More>
using op_answer_t = std::invoke_result_t<F&, block_t<P> const&, op_ref_t<block_t<P>>, More...>;
}  // namespace detail

/// f(net, op): yes or no.
template <class F, class P>
concept op_predicate_of = program<P> && std::predicate<F&, block_t<P> const&, op_ref_t<block_t<P>>>;

/// f(net, op, output): which input that output hands on, a std::optional of its number.
template <class F, class P>
concept copy_source_of =
    detail::called_with_op<F, P, std::size_t> && requires(detail::op_answer_t<F, P, std::size_t> input) {
      static_cast<bool>(input);
      { *input } -> std::convertible_to<std::size_t>;
    };

namespace detail {
// source for ops by number, npos for what is no copy.
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

/// f(net, op, in, out): fills in the constants of `out`, spans of std::optional<Constant>.
template <class F, class Constant, class P>
concept constant_evaluator_of =
    detail::called_with_op<F, P, std::span<std::optional<Constant> const>, std::span<std::optional<Constant>>>;

/// f(net, op, in, out): the way control goes, a std::optional of the number of a successor.
template <class F, class Constant, class P>
concept branch_decider_of =
    detail::called_with_op<F, P, std::span<std::optional<Constant> const>, std::span<std::optional<Constant> const>> &&
    std::convertible_to<
        detail::op_answer_t<F, P, std::span<std::optional<Constant> const>, std::span<std::optional<Constant> const>>,
        std::optional<std::size_t>>;

}  // namespace plait
