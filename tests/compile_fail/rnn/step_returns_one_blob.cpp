// expect: plait: step(plait::cell_step&) const of a recurrent cell is there, but returns another type; wanted: a std::vector<plait::blob_handle>
#include <vector>

#include <plait/rnn/recurrent_cell.hpp>

struct cell {
  std::vector<plait::cell_state> states() const { return {{"s", 1}}; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::vector<plait::blob_handle> step(plait::cell_step& s) const { return {s.input}; }
#else
  plait::blob_handle step(plait::cell_step& s) const { return s.input; }
#endif
};
PLAIT_CHECK_RECURRENT_CELL(cell);
