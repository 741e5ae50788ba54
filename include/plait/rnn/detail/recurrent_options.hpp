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
///
/// With a window k of more than 1 it is the slices t to t + k - 1, k×N×…, of a sequence of T + k - 1. The first input
/// says how many steps there are, and has none.
struct recurrent_input {
  std::string in;
  std::string sequence;
  std::int64_t window = 1;
};

/// What the cell hands on from step to step: it reads `in`, which is what it wrote to `out` one step before, and
/// `initial`, a blob around the cell, in the first. `initial` may be N×…, 1×N×…, or without N, the same for all.
///
/// With a window k of more than 1, `in` is what it wrote in the last k steps, k×N×…, the latest last, and `initial` is
/// k×N×… too. Where the window ends in the step itself, what this step writes is the latest: `initial` is one shorter
/// then, and in the cell the ops that read `in` come after the one that writes `out`.
struct recurrent_state {
  std::string in;
  std::string out;
  std::string initial;
  std::int64_t window = 1;
  bool window_ends_in_step = false;
};

/// An output: what the cell made of a blob in the steps from `first` on, counted from the end if negative.
///
/// It may be any blob that ops of the cell write, of N rows in each step; what is no state gives T×N×width.
struct recurrent_output {
  std::string of;
  std::int64_t first = 0;
  std::string name;
  /// Where `of` is the `out` of no state: a blob around the cell that has the shape of an initial state of such rows, a
  /// vector or N×width or 1×N×width, and its type; the bias that is added to it, say. Its elements do not matter. Said
  /// once for each `of`.
  std::string like = {};
};

/// How the steps of a recurrent net are run; what is left out is the operator's choice.
struct rnn_executor_config {
  std::optional<std::int64_t> num_threads = {};
  std::optional<std::int64_t> max_parallel_timesteps = {};  ///< how many may be under way; Caffe2 passes it over
  std::optional<std::int64_t> max_cuda_streams = {};        ///< for Caffe2; plait passes it over
};

struct recurrent_net_options {
  cell_net cell = {};
  std::vector<recurrent_input> inputs = {};
  std::vector<recurrent_state> states = {};
  /// None: for every state all steps, called <out>_all, and the last, <out>_last.
  std::vector<recurrent_output> outputs = {};
  /// Blobs of the cell that are not kept for the backward pass, but made again there. For every op all of its outputs
  /// must be listed, or none. States are kept even so.
  std::vector<std::string> recompute_on_backward = {};
  /// The numbers of outputs whose gradients may be there (Caffe2: will). By default 2k is all steps of the k-th state,
  /// 2k + 1 its last. A gradient of another one is refused.
  std::vector<std::size_t> outputs_with_grads = {0};
  /// The blob of the cell with the number of the step, an int32; empty: "timestep".
  std::string timestep = {};
  /// Names of blobs around begin with it and a '/'; absent: <net>/recurrent, with a number where that is taken.
  std::optional<std::string> scope = {};
  /// The first step is given the last place of each sequence, and so on; the last output is that of step 0 of them.
  /// Outputs of all steps are in the order of the sequences. Others may be of the last step run, no more (first = -1).
  bool reverse = false;
  /// With `reverse`: a blob with the length of each of N sequences, which begin at their own ends then. What stands
  /// behind an end stays there, and is run over last.
  std::optional<std::string> lengths = {};
  /// Without a backward pass: what steps make besides states is kept for two of them, or for as many as may be under
  /// way.
  bool forward_only = false;
  bool parallel_executor = true;  ///< steps may overlap where they do not depend on each other
  rnn_executor_config executor = {};
  std::optional<device_spec> device = {};
  /// What is known of the shapes of sequences and initial values, -1 for an extent that is not. They are checked, and
  /// names of other blobs refused.
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> shapes = {};
  /// Follow Caffe2's recurrent_net where plait does otherwise by itself. Caffe2 takes nothing from around the cell that
  /// is not declared as its external input; takes the timestep for one such input where it has no name here, and leaves
  /// out an input with the name of an initial state; expects gradients of all external outputs, of states or not, and
  /// adds what the cell itself contributes to them in a pass of its own (`<blob>_grad_accum`), which loses them where
  /// the contribution is passed through; keeps gradient ops whose results nobody needs; numbers initial states by the
  /// first input of their name; takes one sequence, and only states and a sequence that have gradients; and accepts
  /// blobs to recompute, and outputs of states, that the cell does not make, ops to recompute that give something else
  /// then, cells that overwrite the sequence or earlier states, one blob of the cell for several things, a blob that
  /// makes two states, and outputs with gradients that are not there.
  bool as_caffe2 = false;
};

/// The blobs a recurrent net leaves. By default two for every state, one with all steps, T×N×…, and one with the last,
/// 1×N×…
template <class Name>
struct recurrent_outputs {
  std::vector<recurrent_output> outputs;
  std::vector<Name> blobs;  ///< by output
  Name workspaces;          ///< what the backward pass needs of the steps

  /// By the blob of the cell. Throws net_error if there is no such output.
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
