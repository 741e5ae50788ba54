// Dropout on the output of a recurrent cell, not on its recurrent state: W. Zaremba, I. Sutskever and O. Vinyals, 2014.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/rnn/detail/any_cell.hpp>
#include <plait/rnn/detail/cell_step.hpp>
#include <plait/rnn/recurrent_cell.hpp>

namespace plait {

/// Cell whose output has dropout with the given ratio in training; the states passed to the next step are unaffected.
/// Nothing is dropped with is_test, nor in forward-only layers. Names and parameters are those of the inner cell.
/// Follows Caffe2's DropoutCell.
struct dropout_cell {
  any_cell inside;
  float ratio;
  bool is_test;

  static constexpr bool masks = true;

  std::vector<cell_state> states() const { return inside.states(); }
  blob_handle prepare(cell_scope& s, blob_handle const& x) const { return inside.prepare(s, x); }
  std::vector<blob_handle> step(cell_step& s) const { return inside.step(s); }
  std::vector<std::size_t> output_states() const { return inside.output_states(); }
  std::int64_t output_width() const { return inside.output_width(); }
  blob_handle output(cell_scope& s, std::vector<blob_handle> const& states) const {
    blob_handle whole = inside.output(s, states);
    if (is_test || s.forward_only()) return whole;
    return s.net.op<2>("Dropout", whole, {}, {{"ratio", ratio}})[0];
  }
};

PLAIT_CHECK_RECURRENT_CELL(dropout_cell);

}  // namespace plait
