// How a recurrent layer is made, and what it leaves.
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

struct recurrent_layer_options {
  std::string sequence = {};  ///< T×N×…
  /// N of them, int32 or int64; absent: all sequences are T long. What is more than T counts as T, what is negative as
  /// 0: nothing of that sequence.
  std::optional<std::string> lengths = {};
  /// What the states are before the first step, one blob for each: N×width, 1×N×width or width. None: what the cell
  /// says (cell_state::initial), else zero, which is what the parameters <name>/zero_<state>_state are that nothing
  /// trains.
  std::vector<std::string> initial = {};
  bool learn_initial = false;  ///< instead: they are parameters, <name>/initial_<state>_state, zero at first
  bool drop_states = false;    ///< states are zero, not kept, where a sequence has ended
  /// From the last step to the first, each sequence from its own end. Outputs are in the order of the sequence.
  bool reverse = false;
  /// The outputs whose gradients may be there: 2k is all steps of the k-th state, 2k + 1 its last. None: all steps of
  /// the states that the output is made of. A gradient of another one is refused.
  std::vector<std::size_t> outputs_with_grads = {};
  /// Without a backward pass: what steps make is kept for two of them, or for as many as may be under way, and so are
  /// states of which nobody wants all steps.
  bool forward_only = false;
  /// What the cell says (cell_step::recomputable) is not kept for the backward pass, but made again there: the gates of
  /// lstm_cell, projected_lstm_cell, mi_lstm_cell and of all with LayerNorm, tanh of the cell with peepholes, what a
  /// GRU makes of the state before a product, and what attention adds. The basic cell keeps nothing but its state, and
  /// a GRU that is linear before reset nothing that could be made of the rest.
  bool recompute = false;
  /// The full name of the scope that parameters are in, to share those of another layer; absent: the layer's own.
  std::optional<std::string> parameters = {};
  /// What a step does without its states is done for all steps at once before them, as prepare() of a cell is, where
  /// these descriptions of op types, a table's schemas(), say that it can be: see hoist_time_parallel_ops. None:
  /// nothing.
  std::vector<op_schema const*> hoist = {};
  rnn_executor_config executor = {};
};

/// The blobs of a layer.
struct recurrent_layer {
  blob_handle output;             ///< T×N×output_width
  std::vector<blob_handle> all;   ///< of each state all steps: T×N×width
  std::vector<blob_handle> last;  ///< of each state the last: 1×N×width
  std::int64_t output_width = 0;
};

}  // namespace plait
