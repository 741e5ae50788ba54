// expect: plait: prepare(plait::cell_scope&, plait::blob_handle const&) const of a recurrent cell is there, but returns another type; wanted: a plait::blob_handle
#include <string>
#include <vector>

#include <plait/rnn/recurrent_cell.hpp>

struct cell {
  std::vector<plait::cell_state> states() const { return {{"s", 1}}; }
  std::vector<plait::blob_handle> step(plait::cell_step& s) const { return {s.input}; }
#ifdef PLAIT_COMPILE_FAIL_CONTROL
  plait::blob_handle prepare(plait::cell_scope&, plait::blob_handle const& x) const { return x; }
#else
  std::string prepare(plait::cell_scope&, plait::blob_handle const& x) const { return x.name(); }
#endif
};
PLAIT_CHECK_RECURRENT_CELL(cell);
