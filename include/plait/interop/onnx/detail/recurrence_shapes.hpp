// Shape inference and checks for the operands of ONNX's RNN, GRU and LSTM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/interop/onnx/detail/context.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait::detail {

/// Upper bound of hidden_size without weights of a known shape, since zeros are allocated for it before the net runs.
inline constexpr std::int64_t most_unconfirmed_units = std::int64_t{1} << 16;

/// Returns an extent of an operand of rank 3, -1 if it is unknown.
inline std::int64_t extent_of_three(onnx_context const& c, std::size_t i, std::size_t axis) {
  return c.dims(i) && c.dims(i)->size() == 3 ? (*c.dims(i))[axis] : -1;
}

/// Returns hidden_size: the node's attribute, else inferred from the weights, whose rows are `blocks` gates of
/// hidden_size units. Reports an attribute that contradicts the weights.
inline std::int64_t onnx_hidden_size(onnx_context const& c, std::int64_t blocks) {
  std::int64_t const rows = extent_of_three(c, 1, 1);
  std::int64_t const columns = extent_of_three(c, 2, 2);
  std::int64_t const known = columns >= 0 ? columns : rows >= 0 ? rows / blocks : -1;
  if (known < 0 && !c.has("hidden_size")) c.unsupported("hidden_size must be known before the model is run");
  std::int64_t const made = c.integer("hidden_size", known);
  std::string const is = "hidden_size is " + std::to_string(made);
  if (made < 1) c.unsupported(is);
  if (known >= 0 && made != known)
    c.unsupported(is + ", where the weights are of " + std::to_string(known) + " hidden units");
  if (made > (known < 0 ? most_unconfirmed_units : std::int64_t{1} << 24))
    c.unsupported(is + (known < 0 ? ", which no weights of a known shape confirm" : ", more than 2^24"));
  return made;
}

/// Extents of the weights of a recurrent operator.
struct onnx_recurrence_shapes {
  std::int64_t directions = 1;
  std::int64_t rows = 0;  ///< gates times units of a direction
  std::int64_t hidden = 0;

  /// Returns the shape of input 1, 2, 3 or 7, with -1 for the input width.
  std::vector<std::int64_t> of_weights(std::size_t i) const {
    if (i == 3) return {directions, 2 * rows};
    if (i == 7) return {directions, 3 * hidden};
    return {directions, rows, i == 1 ? -1 : hidden};
  }
};

/// Reports constant sequence lengths, input i, that are negative or above the number of steps (-1: unknown).
inline void check_lengths(onnx_context const& c, std::size_t i, std::int64_t steps) {
  if (c.constant(i) == nullptr) return;
  for (std::int64_t const length : c.known_integers(i, "the lengths"))
    if (length < 0 || (steps >= 0 && length > steps))
      c.unsupported("a sequence has the length " + std::to_string(length) +
                    (length < 0 ? "" : ", where there are " + std::to_string(steps) + " steps"));
}

/// Reports operands of wrong known types or shapes, and constant lengths out of range.
inline void check_recurrence_shapes(onnx_context const& c, onnx_recurrence_shapes const& s, bool batch_first) {
  for (std::size_t i = 0; i != c.input_count(); ++i)
    if (c.has_input(i) && i != 4) require_type(c, i, onnx_floats);
  require_rank(c, 0, 3, 3);
  std::vector<std::int64_t> w = s.of_weights(1);
  w.back() = extent_of_three(c, 0, 2);
  require_dims(c, 1, w, "directions, gates and width of the input");
  require_dims(c, 2, s.of_weights(2), "directions, gates and hidden units");
  if (c.has_input(3)) require_dims(c, 3, s.of_weights(3), "directions and biases");
  std::int64_t const batch = extent_of_three(c, 0, batch_first ? 0 : 1);
  if (c.has_input(4)) {
    require_dims(c, 4, {batch}, "a length for each sequence");
    check_lengths(c, 4, extent_of_three(c, 0, batch_first ? 1 : 0));
  }
  std::vector<std::int64_t> const state =
      batch_first ? std::vector{batch, s.directions, s.hidden} : std::vector{s.directions, batch, s.hidden};
  for (std::size_t const i : {5U, 6U})
    if (c.has_input(i)) require_dims(c, i, state, "the state of each sequence");
  if (c.has_input(7)) require_dims(c, 7, s.of_weights(7), "directions and peepholes");
}

}  // namespace plait::detail
