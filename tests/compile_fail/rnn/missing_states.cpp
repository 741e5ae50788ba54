// expect: plait: a recurrent cell lacks states() const, a std::vector<plait::cell_state> of names and widths
#include <vector>

#include <plait/rnn/recurrent_cell.hpp>

struct cell {
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  std::vector<plait::cell_state> states() const { return {{"s", 1}}; }
#endif
  std::vector<plait::blob_handle> step(plait::cell_step& s) const { return {s.input}; }
};
PLAIT_CHECK_RECURRENT_CELL(cell);
