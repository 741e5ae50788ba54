// expect: plait: a recurrent cell needs step(plait::cell_step&) const, which returns a std::vector<blob_handle>
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
