// Link ops of a recurrence: reads of places of sequences, and accumulation of gradients in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/kernels/accumulate.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/recurrent_network_arguments.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

namespace detail {

inline std::int64_t read_offset(op_arguments const& a, std::string_view name) {
  std::int64_t const value = a.integer(name);
  if (value < 0 || value > most_places)
    a.fail(name, "is " + std::to_string(value) + ", which should be 0 or more, and places that a sequence can have");
  return value;
}

inline void expect_step(shape_context& c) {
  c.expect_type<std::int32_t>(0);
  c.expect(c.dims(0).size() == 1, 0, "be the number of a step");
}

template <backend B>
std::int64_t step_number(op_context<B> const& c) {
  std::int32_t step = 0;
  B::copy_to_host(&step, c.raw_input(0), sizeof step);
  return step;
}

/// Returns the byte offset of a place in an operand whose first axis is time. Throws shape_error if one is missing.
template <backend B>
std::size_t place_of(op_context<B> const& c, std::size_t input, std::int64_t first, std::int64_t count) {
  shape const& dims = c.dims(input);
  if (first < 0 || first + count > dims[0])
    c.fail("places " + std::to_string(first) + " to " + std::to_string(first + count - 1) + " are not in " +
           to_string(c.input_spec(input)));
  return static_cast<std::size_t>(first * dims.size_from(1)) * size_of(c.type(input));
}

}  // namespace detail

/// Copies places t + offset to t + offset + window of a sequence. If the step net of a recurrence writes the output
/// again, the recurrence copies the new value to these places.
template <backend B>
struct apply_link_kernel : op_kernel<B> {
  std::int64_t offset;
  std::int64_t window;

  explicit apply_link_kernel(op_arguments const& a)
      : offset(detail::read_offset(a, "offset")), window(detail::read_offset(a, "window")) {}
  void infer(shape_context& c) override {
    detail::expect_step(c);
    c.expect_rank(1, 1);
    shape dims = c.dims(1);
    dims.set(0, window);
    c.output(0, c.type(1), dims);
    c.output(1, c.type(1), c.dims(1));
  }
  void run(op_context<B>& c) override {
    std::size_t const place = detail::place_of(c, 1, detail::step_number(c) + offset, window);
    B::copy(c.raw_output(0), static_cast<std::byte const*>(c.raw_input(1)) + place, c.output_spec(0).bytes());
    if (c.raw_output(1) != c.raw_input(1)) B::copy(c.raw_output(1), c.raw_input(1), c.output_spec(1).bytes());
  }
};

/// Adds place t of a sequence to place t + offset of another.
template <backend B>
struct accumulate_gradient_input_kernel : op_kernel<B> {
  std::int64_t offset;

  explicit accumulate_gradient_input_kernel(op_arguments const& a) : offset(detail::read_offset(a, "offset")) {}
  void infer(shape_context& c) override {
    detail::expect_step(c);
    c.expect_type<float, double>(1);
    c.expect_same_type(1, 2);
    c.expect_rank(1, 1);
    c.expect(c.dims(2).rank() >= 1 && c.dims(1).size_from(1) == c.dims(2).size_from(1), 2,
             "have places as large as those of input 1");
    c.output(0, c.type(2), c.dims(2));
  }
  void run(op_context<B>& c) override {
    std::int64_t const step = detail::step_number(c);
    std::size_t const from = detail::place_of(c, 1, step, 1);
    std::size_t const to = detail::place_of(c, 2, step + offset, 1);
    auto const count = static_cast<std::size_t>(c.dims(1).size_from(1));
    accumulate<B>(c.type(1), static_cast<std::byte*>(c.raw_output(0)) + to,
                  static_cast<std::byte const*>(c.raw_input(1)) + from, count);
  }
};

/// rnn_internal_apply_link, rnn_internal_accumulate_gradient_input.
template <backend B>
void add_recurrent_link_operators(operators<B>& table) {
  table.template add<apply_link_kernel>(
      op_schema("rnn_internal_apply_link")
          .inputs(2)
          .outputs(2)
          .in_place(1, 1)
          .checks_first()
          .required_argument<std::int64_t>("offset", "the place at step 0")
          .required_argument<std::int64_t>("window", "how many places")
          .describe("Y = places of the sequence X from step + offset on, and X; inputs are the step, X"));
  table.template add<accumulate_gradient_input_kernel>(
      op_schema("rnn_internal_accumulate_gradient_input")
          .inputs(3)
          .outputs(1)
          .updates(2, 0)
          .checks_first()
          .required_argument<std::int64_t>("offset", "the place in Y at step 0")
          .describe("adds place `step` of the sequence X to Y at step + offset; inputs are the step, X, Y"));
}

}  // namespace plait
