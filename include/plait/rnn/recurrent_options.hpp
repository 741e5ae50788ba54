// What a recurrent net is made from, and what it leaves behind.
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

/// One time step as a net. Its external inputs are the slice of the sequence, the states as the step before left them,
/// and whatever it takes from around, such as parameters.
class cell_net {
 public:
  cell_net() = default;
  cell_net(netdef net) : net_(std::move(net)) {}
  cell_net(net_builder const& builder) : net_(builder.net()) {}

  netdef const& net() const noexcept { return net_; }

 private:
  netdef net_;
};

/// A blob of the cell that is, in step t, the t-th slice of a blob around it, which is T×N×…
struct recurrent_input {
  std::string in;
  std::string sequence;
};

/// What the cell hands on from step to step: it reads `in`, which is what it wrote to `out` one step before, and
/// `initial`, a blob around the cell, in the first. `initial` may be N×…, 1×N×…, or without N, the same for all.
///
/// With a window k of more than 1, `in` is what it wrote in the last k steps, k×N×…, the latest last, and `initial` is
/// k×N×… too.
struct recurrent_state {
  std::string in;
  std::string out;
  std::string initial;
  std::int64_t window = 1;
};

/// How the steps of a recurrent net are run; what is left out is the operator's choice.
struct rnn_executor_config {
  std::optional<std::int64_t> num_threads = {};
  std::optional<std::int64_t> max_cuda_streams = {};
};

struct recurrent_net_options {
  cell_net cell = {};
  std::vector<recurrent_input> inputs = {};
  std::vector<recurrent_state> states = {};
  /// Blobs of the cell that are not kept for the backward pass, but made again there. For every op all of its outputs
  /// must be listed, or none. States are kept even so.
  std::vector<std::string> recompute_on_backward = {};
  /// The outputs whose gradients will be there: 2k is all steps of the k-th state, 2k + 1 its last.
  std::vector<std::size_t> outputs_with_grads = {0};
  /// The blob of the cell with the number of the step, an int32; empty: "timestep".
  std::string timestep = {};
  /// Names of blobs around begin with it and a '/'; absent: <net>/recurrent, with a number where that is taken.
  std::optional<std::string> scope = {};
  bool forward_only = false;      ///< without a backward pass; needs memory for two steps only
  bool parallel_executor = true;  ///< steps may overlap where they do not depend on each other
  rnn_executor_config executor = {};
  std::optional<device_spec> device = {};
  /// Follow Caffe2's recurrent_net where plait does otherwise by itself. Caffe2 takes nothing from around the cell that
  /// is not declared as its external input; takes the timestep for one such input where it has no name here, and leaves
  /// out an input with the name of an initial state; expects gradients of all external outputs, of states or not, and
  /// adds what the cell itself contributes to them in a pass of its own (`<blob>_grad_accum`), which loses them where
  /// the contribution is passed through; keeps gradient ops whose results nobody needs; numbers initial states by the
  /// first input of their name; and accepts blobs to recompute, and outputs of states, that the cell does not make, ops
  /// to recompute that give something else then, and cells that overwrite the sequence or earlier states.
  bool as_caffe2 = false;
};

/// The blobs a recurrent net leaves: for every state one with all steps, T×N×…, and one with the last, 1×N×…
template <class Name>
struct recurrent_outputs {
  std::vector<std::string> states;  ///< the `out` of each state
  std::vector<Name> blobs;          ///< all steps, last step of each state in turn
  Name workspaces;                  ///< what the backward pass needs of the steps

  /// By the `out` of a state. Throws net_error if no state has it.
  Name const& all(std::string const& out) const { return blobs[2 * index(out)]; }
  Name const& last(std::string const& out) const { return blobs[2 * index(out) + 1]; }

 private:
  std::size_t index(std::string const& out) const {
    for (std::size_t k = 0; k != states.size(); ++k)
      if (states[k] == out) return k;
    throw net_error("plait: '" + out + "' is no state of the recurrent net", {}, out);
  }
};

}  // namespace plait
