// What must hold of a cell and its options before a recurrent net is made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/errors.hpp>
#include <plait/core/npos.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/recurrent_options.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait::detail {

/// The checks of recurrent_net, for a cell that lives as long.
class cell_check {
 public:
  explicit cell_check(recurrent_net_options const& options)
      : o_(options), cell_(options.cell.net()), ssa_(get_ssa(cell_)) {}

  /// Throws net_error with the first thing that is wrong.
  void run() {
    sequences();
    states();
    gradients();
    if (!o_.forward_only) recomputed();
  }

 private:
  [[noreturn]] static void fail(std::string const& what, std::string const& blob, std::optional<std::size_t> op = {}) {
    throw net_error("plait: recurrent net: " + what, op, blob);
  }
  static std::string quoted(std::string const& blob) { return '\'' + blob + '\''; }

  // The last version of a blob of the cell; 0 if it is not written.
  std::uint32_t version(std::string_view blob) const {
    blob_index const b = ssa_.find(blob);
    return b == npos ? 0 : ssa_.version(b);
  }

  void sequences() {
    if (o_.inputs.empty()) fail("it needs a sequence to run over, and has none", {});
    if (o_.inputs.size() != 1 && (o_.as_caffe2 || !o_.forward_only))
      fail("gradients go to one sequence, and it has " + std::to_string(o_.inputs.size()), o_.inputs[1].in);
    for (auto const& input : o_.inputs) {
      inner(input.in, "a slice of the sequence " + quoted(input.sequence));
      if (input.sequence.empty()) fail("the sequence behind " + quoted(input.in) + " has no name", input.in);
    }
  }

  void states() {
    if (o_.states.empty()) fail("it has no state, and so no output", {});
    boost::unordered_flat_set<std::string_view> outs;
    for (auto const& state : o_.states) {
      inner(state.in, "a state");
      if (state.initial.empty()) fail("the state " + quoted(state.in) + " has no initial value", state.in);
      if (state.window < 1)
        fail("the state " + quoted(state.in) + " has a window of " + std::to_string(state.window) + " steps", state.in);
      if (state.out.empty())
        fail("the state " + quoted(state.in) + " has no blob that makes it for the next step", state.in);
      if (o_.as_caffe2) continue;
      if (version(state.out) == 0)
        fail("no op of the cell writes " + quoted(state.out) + ", which should be the state " + quoted(state.in) +
                 " of the next step",
             state.out);
      if (!outs.insert(state.out).second) fail("two states are made by " + quoted(state.out), state.out);
    }
    if (!o_.timestep.empty() && inner_.contains(o_.timestep))
      fail("the number of the step and something else are both called " + quoted(o_.timestep), o_.timestep);
  }

  // Blobs of the cell that are views of blobs around it.
  void inner(std::string const& blob, std::string const& what) {
    if (blob.empty()) fail("a blob of the cell, " + what + ", has no name", {});
    if (!inner_.insert(blob).second) fail("the blob " + quoted(blob) + " of the cell stands for two things", blob);
    if (o_.as_caffe2) return;
    if (!ssa_.contains(std::string_view(blob))) fail("the cell has no blob " + quoted(blob) + ", " + what, blob);
    if (version(blob) == 0) return;
    fail("the cell overwrites " + quoted(blob) + ", " + what, blob, ssa_.producing_op({ssa_.find(blob), 1}));
  }

  void gradients() {
    std::vector<bool> seen(2 * o_.states.size());
    for (std::size_t const output : o_.outputs_with_grads) {
      if (output >= seen.size())
        fail("output " + std::to_string(output) + " is to have a gradient, and it has " + std::to_string(seen.size()) +
                 " outputs",
             {});
      if (seen[output] && !o_.as_caffe2) fail("output " + std::to_string(output) + " is listed twice", {});
      seen[output] = true;
    }
  }

  // What is recomputed must come out as it was: from values that are still there.
  void recomputed() const {
    boost::unordered_flat_set<std::string_view> const listed(o_.recompute_on_backward.begin(),
                                                             o_.recompute_on_backward.end());
    for (std::string const& blob : o_.recompute_on_backward)
      if (!o_.as_caffe2 && version(blob) == 0)
        fail(quoted(blob) + " is to be recomputed, and no op of the cell writes it", blob);
    for (op_index op = 0; op != ssa_.op_count(); ++op) {
      std::string missing;
      bool any = false;
      for (value const v : ssa_.writes(op)) {
        std::string const blob(ssa_.name(v));
        if (listed.contains(blob))
          any = true;
        else
          missing = blob;
      }
      if (!any) continue;
      if (!missing.empty())
        fail("an op that is to be recomputed also writes " + quoted(missing) + ", which is not", missing, op);
      for (value const v : ssa_.reads(op)) {
        std::string const blob(ssa_.name(v));
        bool const lost = listed.contains(blob) ? v.version == 0 && version(blob) != 0 : v.version != version(blob);
        if (lost) fail("an op that is to be recomputed reads " + quoted(blob) + ", which is overwritten", blob, op);
      }
    }
  }

  recurrent_net_options const& o_;
  netdef const& cell_;
  ssa_form<netdef> ssa_;
  boost::unordered_flat_set<std::string_view> inner_;
};

}  // namespace plait::detail
