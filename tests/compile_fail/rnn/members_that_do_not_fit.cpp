// expect: plait: states() const of a recurrent cell is there, but returns another type; wanted: a std::vector<plait::cell_state> of names and widths
// expect: plait: step(plait::cell_step&) const of a recurrent cell is there, but cannot be called on a const recurrent cell
// expect: plait: a recurrent cell with an output lacks output_width() const, a std::int64_t
// expect: plait: output_states() const of a recurrent cell is there, but cannot be called like this; wanted: output_states() const, a std::vector<std::size_t>
// expect: plait: masks of a recurrent cell is there, but is no static constexpr bool
#include <cstddef>
#include <string>
#include <vector>

#include <plait/rnn/recurrent_cell.hpp>

struct cell {
  plait::blob_handle output(plait::cell_scope&, std::vector<plait::blob_handle> const& s) const { return s[0]; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  static constexpr bool masks = true;
  std::vector<plait::cell_state> states() const { return {{"s", 1}}; }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const { return {s.input}; }
  std::vector<std::size_t> output_states() const { return {0}; }
  std::int64_t output_width() const { return 1; }
#else
  bool masks = true;
  std::vector<std::string> states() const { return {"s"}; }
  std::vector<plait::blob_handle> step(plait::cell_step& s) { return {s.input}; }
  std::vector<std::size_t> output_states(int) const { return {0}; }
#endif
};
PLAIT_CHECK_RECURRENT_CELL(cell);
