// Options and result of recurrent_net: cell, sequences, states, outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/net/mutation.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/net_builder.hpp>

namespace plait {

/// Step net: the net of one time step. Its external inputs are the slice of the sequence, the states of the previous
/// step, and captures, such as parameters.
class cell_net {
 public:
  cell_net() = default;
  cell_net(netdef net) : net_(std::move(net)) {}
  cell_net(net_builder const& builder) : net_(builder.net()) {}

  netdef const& net() const noexcept { return net_; }

 private:
  netdef net_;
};

/// Sequence input: a blob of the cell that is, in step t, the t-th slice of an outer blob T×N×…
///
/// With a window k > 1 it is the slices t to t + k - 1, k×N×…, of a sequence of length T + k - 1. The first input
/// determines the number of steps, and has no window.
struct recurrent_input {
  std::string in;
  std::string sequence;
  std::int64_t window = 1;
};

/// Loop-carried state: `in` is the value that the previous step wrote to `out`, and in the first step `initial`, an
/// outer blob. `initial` may be N×…, 1×N×…, or without N, the same for all rows.
///
/// With a window k > 1, `in` is the values of the last k steps, k×N×…, in order, and `initial` is k×N×…, too. If the
/// window ends in the step itself, its last value is that of this step: then `initial` has k - 1 values, and in the
/// cell the ops that read `in` come after the one that writes `out`.
struct recurrent_state {
  std::string in;
  std::string out;
  std::string initial;
  std::int64_t window = 1;
  bool window_ends_in_step = false;
};

/// Output: the values of a blob of the cell in the steps from `first` on, counted from the end if negative.
///
/// `of` may be any blob that ops of the cell write, with N rows in each step; one that is not a state gives T×N×width.
struct recurrent_output {
  std::string of;
  std::int64_t first = 0;
  std::string name;
  /// If `of` is not the `out` of a state: an outer blob with the type and the shape of an initial value of `of`, width,
  /// N×width or 1×N×width, such as the bias that is added to it. Its elements do not matter. Set it once for each `of`.
  std::string like = {};
};

/// Configuration of the executor of time steps; the operator chooses absent values.
struct rnn_executor_config {
  std::optional<std::int64_t> num_threads = {};
  std::optional<std::int64_t> max_parallel_timesteps = {};  ///< steps that run concurrently; Caffe2 ignores it
  std::optional<std::int64_t> max_cuda_streams = {};        ///< for Caffe2; plait ignores it
};

/// Options of recurrent_net.
struct recurrent_net_options {
  cell_net cell = {};
  std::vector<recurrent_input> inputs = {};
  std::vector<recurrent_state> states = {};
  /// None: all steps of every state, called <out>_all, and its last step, <out>_last.
  std::vector<recurrent_output> outputs = {};
  /// Blobs of the cell that the backward pass recomputes instead of keeping them. List all outputs of an op or none.
  /// States are kept even if they are listed.
  std::vector<std::string> recompute_on_backward = {};
  /// Indices of outputs that may have gradients (in Caffe2: have). By default 2k is all steps of the k-th state, 2k + 1
  /// its last. A gradient of another output is refused.
  std::vector<std::size_t> outputs_with_grads = {0};
  /// The blob of the cell with the index of the step, an int32; empty: "timestep".
  std::string timestep = {};
  /// Prefix, before a '/', of the names of outer blobs; absent: <net>/recurrent, with a number if that is taken.
  std::optional<std::string> scope = {};
  /// Runs sequences in reverse: the first step reads the last slice, and so on; the last output is that of slice 0.
  /// Outputs of all steps are in the order of the sequences. Others may only be of the last step run (first = -1).
  bool reverse = false;
  /// With `reverse`: a blob of N sequence lengths, so that each sequence is reversed from its own end. Slices after an
  /// end stay in place, and are run last.
  std::optional<std::string> lengths = {};
  /// Omits the backward pass: blobs other than states are kept in a ring buffer of two steps, or of as many as run
  /// concurrently.
  bool forward_only = false;
  bool parallel_executor = true;  ///< independent steps may overlap (wavefront)
  rnn_executor_config executor = {};
  std::optional<device_spec> device = {};
  /// Known shapes of sequences and initial values, with -1 for an unknown extent. They are checked; names of other
  /// blobs are refused.
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> shapes = {};
  /// Follows Caffe2's recurrent_net where plait differs. Caffe2
  ///   - captures only what the cell declares as external inputs; treats the timestep as one of them if it is unnamed
  ///     here, and omits an input with the name of an initial state;
  ///   - expects gradients of all external outputs, of states or not, and accumulates the cell's own contributions in a
  ///     separate pass (`<blob>_grad_accum`), which loses them where a contribution is passed through;
  ///   - keeps dead gradient ops;
  ///   - numbers initial states by the first input of their name;
  ///   - supports one sequence, and only states and a sequence that have gradients;
  ///   - accepts blobs to recompute, and outputs of states, that the cell does not write; ops to recompute whose result
  ///     differs then; cells that overwrite the sequence or earlier states; a blob of the cell with several roles; one
  ///     `out` of two states; and missing outputs with gradients.
  bool as_caffe2 = false;
};

/// Output blobs of a recurrent net. By default two for every state: all steps, T×N×…, and the last step, 1×N×…
template <class Name>
struct recurrent_outputs {
  std::vector<recurrent_output> outputs;
  std::vector<Name> blobs;  ///< by output
  Name workspaces;          ///< step workspaces, saved for the backward pass

  /// Returns all steps, or with last() the last step, of a blob of the cell. Throws net_error if there is no such
  /// output.
  Name const& all(std::string const& out) const { return from(out, 0, "all steps"); }
  Name const& last(std::string const& out) const { return from(out, -1, "the last step"); }

 private:
  Name const& from(std::string const& out, std::int64_t first, char const* what) const {
    for (std::size_t k = 0; k != outputs.size(); ++k)
      if (outputs[k].of == out && outputs[k].first == first) return blobs[k];
    throw net_error("plait: the recurrent net has no output with " + std::string(what) + " of '" + out + '\'', {}, out);
  }
};

}  // namespace plait
