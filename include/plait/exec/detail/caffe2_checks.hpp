// Caffe2 restrictions (op_schema::in_caffe2) that several op types share; others are defined next to their op type.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape_context.hpp>
#include <plait/net/detail/operand_pair.hpp>

namespace plait::detail::caffe2 {

// ---- names

/// Throws shape_error if the op has the input and the output does not have its name (OpSchema::EnforceInplace).
inline void expect_in_place(op_arguments const& a, operand_pair pair) {
  if (pair.input < a.input_count() && std::ranges::find(a.in_place(), pair) == a.in_place().end())
    shape_context::fail("output " + std::to_string(pair.output) + " should have the name of input " +
                        std::to_string(pair.input) + ", which ops of this type overwrite");
}

/// Restriction: calls expect_in_place for each number, as input and as output.
template <std::size_t... Places>
shape_check must_be_in_place(op_arguments const& a) {
  (expect_in_place(a, {Places, Places}), ...);
  return {};
}

// ---- numbers of operands

/// Restriction: at most `Most` inputs.
template <std::size_t Most>
shape_check inputs_up_to(op_arguments const& a) {
  if (a.input_count() > Most)
    shape_context::fail("there are " + std::to_string(a.input_count()) + " inputs, which should be at most " +
                        std::to_string(Most));
  return {};
}

/// Restriction: exactly `Count` outputs.
template <std::size_t Count>
shape_check outputs(op_arguments const& a) {
  if (a.output_count() != Count)
    shape_context::fail("there are " + std::to_string(a.output_count()) + " outputs, which should be " +
                        std::to_string(Count));
  return {};
}

// ---- types and ranks

/// Restriction: input 0 has one of these element types.
template <class... Types>
shape_check type_of_first(op_arguments const&) {
  return [](shape_context const& c) { c.expect_type<Types...>(0); };
}

/// Restriction of op_schema::no_doubles_in_caffe2.
inline shape_check no_doubles(op_arguments const&) {
  return [](shape_context const& c) {
    for (std::size_t i = 0; i != c.input_count(); ++i)
      c.expect(c.type(i) != element_type::float64, i, "not hold doubles");
  };
}

/// Restriction: input 0 has this rank.
template <std::size_t Rank>
shape_check rank_of_first(op_arguments const&) {
  return [](shape_context const& c) { c.expect_rank(0, Rank, Rank); };
}

/// Restriction: input 0 has at least this rank.
template <std::size_t Least>
shape_check least_rank_of_first(op_arguments const&) {
  return [](shape_context const& c) { c.expect_rank(0, Least); };
}

}  // namespace plait::detail::caffe2
