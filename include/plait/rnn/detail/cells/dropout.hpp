// A recurrent cell with dropout on its output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/rnn/detail/any_cell.hpp>
#include <plait/rnn/detail/cell_step.hpp>
#include <plait/rnn/recurrent_cell.hpp>

namespace plait {

/// The cell inside, of whose output elements are dropped, at the given ratio, in training; what goes on to the next
/// step is whole (W. Zaremba, I. Sutskever and O. Vinyals, 2014). Nothing is dropped where is_test says so, nor in
/// layers that are forward only. Names and parameters are those of the cell inside. Follows Caffe2's DropoutCell.
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
