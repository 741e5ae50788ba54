// Options and result of a recurrent layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plait/exec/detail/op_schema.hpp>
#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/rnn/detail/recurrent_options.hpp>

namespace plait {

/// Options of add_recurrent_layer.
struct recurrent_layer_options {
  std::string sequence = {};  ///< T×N×…
  /// N sequence lengths, int32 or int64, clamped to 0 … T; absent: all are T.
  std::optional<std::string> lengths = {};
  /// Initial values of the states, one blob each: N×width, 1×N×width or width. None: the cell's (cell_state::initial),
  /// else zero, by untrained parameters <name>/zero_<state>_state.
  std::vector<std::string> initial = {};
  bool learn_initial = false;  ///< trains the initial values: parameters <name>/initial_<state>_state, initially zero
  bool drop_states = false;    ///< zeroes, not keeps, the states of a sequence that has ended
  /// Runs from the last step to the first, each sequence from its own end. Outputs are in the order of the sequence.
  bool reverse = false;
  /// Outputs that may have gradients: 2k is all steps of the k-th state, 2k + 1 its last. None: all steps of the
  /// output's states. A gradient of another output is refused.
  std::vector<std::size_t> outputs_with_grads = {};
  /// Omits the backward pass: intermediate blobs are kept in a ring buffer of two steps, or of as many as run
  /// concurrently, and so are states of which no op reads all steps.
  bool forward_only = false;
  /// Recomputes in the backward pass, instead of keeping, what the cell marks (cell_step::recomputable): the gates of
  /// lstm_cell, projected_lstm_cell, mi_lstm_cell and all cells with LayerNorm, the tanh of the cell state with
  /// peepholes, the reset state of a GRU, and the intermediate results of attention. The basic cell keeps only its
  /// state, and a GRU with linear_before_reset only what cannot be recomputed from the rest.
  bool recompute = false;
  /// Full name of the parameters' scope, to share those of another layer; absent: the layer's own scope.
  std::optional<std::string> parameters = {};
  /// Schemas of ops to hoist, a table's schemas(): ops of a step that do not depend on its states run once over all
  /// time steps, as prepare() of a cell does; see hoist_time_parallel_ops. None: nothing is hoisted.
  std::vector<op_schema const*> hoist = {};
  rnn_executor_config executor = {};
};

/// Blobs of a layer.
struct recurrent_layer {
  blob_handle output;             ///< T×N×output_width
  std::vector<blob_handle> all;   ///< all steps of each state: T×N×width
  std::vector<blob_handle> last;  ///< last step of each state: 1×N×width
  std::int64_t output_width = 0;
};

}  // namespace plait
