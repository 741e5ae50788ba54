// Validation of the options of recurrent_net against its cell.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/detail/npos.hpp>
#include <plait/core/errors.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/detail/recurrent_options.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait::detail {

/// Checker of options, which must outlive it.
class cell_check {
 public:
  explicit cell_check(recurrent_net_options const& options)
      : o_(options), cell_(options.cell.net()), ssa_(get_ssa(cell_)) {}

  /// Throws net_error for the first violation.
  void run() {
    sequences();
    states();
    outputs();
    direction();
    executor();
    gradients();
    shapes();
    if (!o_.forward_only) recomputed();
  }

 private:
  [[noreturn]] static void fail(std::string const& what, std::string const& blob, std::optional<std::size_t> op = {}) {
    throw net_error("plait: recurrent net: " + what, op, blob);
  }
  static std::string quoted(std::string const& blob) { return '\'' + blob + '\''; }

  // Returns the last version of a blob of the cell, 0 if the cell does not write it.
  std::uint32_t version(std::string_view blob) const {
    blob_index const b = ssa_.find(blob);
    return b == npos ? 0 : ssa_.version(b);
  }

  void sequences() {
    if (o_.inputs.empty()) fail("it has no sequence to run over", {});
    if (o_.inputs.size() != 1 && o_.as_caffe2)
      fail("Caffe2 takes one sequence, not " + std::to_string(o_.inputs.size()), o_.inputs[1].in);
    for (auto const& input : o_.inputs) {
      window(input.in, input.window);
      if (&input == &o_.inputs.front() && input.window != 1)
        fail("the first sequence determines the number of steps, and cannot have a window", input.in);
      inner(input.in, "a slice of the sequence " + quoted(input.sequence));
      if (input.sequence.empty()) fail("the sequence of " + quoted(input.in) + " has no name", input.in);
    }
  }

  void states() {
    if (o_.states.empty()) fail("it has no state, and so no output", {});
    boost::unordered_flat_set<std::string_view> outs;
    for (auto const& state : o_.states) {
      inner(state.in, "a state");
      if (state.initial.empty()) fail("the state " + quoted(state.in) + " has no initial value", state.in);
      window(state.in, state.window);
      if (state.out.empty()) fail("the state " + quoted(state.in) + " has no blob `out` with its next value", state.in);
      if (o_.as_caffe2 && state.window_ends_in_step)
        fail("Caffe2 has no window that ends in the step, as that of " + quoted(state.in) + " does", state.in);
      if (o_.as_caffe2) continue;
      if (version(state.out) == 0)
        fail("no op of the cell writes " + quoted(state.out) + ", which should be the state " + quoted(state.in) +
                 " of the next step",
             state.out);
      if (!outs.insert(state.out).second) fail("two states have " + quoted(state.out) + " as `out`", state.out);
      if (state.window_ends_in_step) own_window(state);
    }
    if (!o_.as_caffe2) timestep(o_.timestep.empty() ? "timestep" : o_.timestep);
  }
  void timestep(std::string const& name) const {
    if (inner_.contains(name)) fail("the index of the step and another blob are both called " + quoted(name), name);
    if (version(name) != 0)
      fail("the cell overwrites " + quoted(name) + ", the index of the step", name,
           ssa_.producing_op({ssa_.find(name), 1}));
  }

  void window(std::string const& blob, std::int64_t steps) {
    if (steps < 1) fail(quoted(blob) + " has a window of " + std::to_string(steps) + " steps", blob);
  }

  // Checks a window that ends in the current step: it is complete only when the step has written its state.
  void own_window(recurrent_state const& state) {
    if (state.window == 1) fail("the window of " + quoted(state.in) + " is the step itself alone", state.in);
    op_index const made = ssa_.producing_op({ssa_.find(state.out), version(state.out)});
    for (operand const reader : ssa_.consumers({ssa_.find(state.in), 0}))
      if (reader.op <= made)
        fail("the window of " + quoted(state.in) + " is read before the step writes its last value, " +
                 quoted(state.out),
             state.in, reader.op);
  }

  void outputs() {
    boost::unordered_flat_set<std::string_view> names;
    for (auto const& output : o_.outputs) {
      bool const is_state = std::ranges::find(o_.states, output.of, &recurrent_state::out) != o_.states.end();
      if (!is_state) own_output(output);
      if (output.name.empty()) fail("an output of " + quoted(output.of) + " has no name", output.of);
      if (!names.insert(output.name).second) fail("two outputs are called " + quoted(output.name), output.name);
    }
  }

  void own_output(recurrent_output const& output) const {
    std::string const what = "the output " + quoted(output.of);
    if (o_.as_caffe2) fail(what + " is not a state", output.of);
    if (version(output.of) == 0) fail(what + " is written by no op of the cell", output.of);
    bool const is_known = std::ranges::any_of(
        o_.outputs, [&](auto const& other) { return other.of == output.of && !other.like.empty(); });
    if (!is_known) fail(what + " is not a state; set `like` to an outer blob of the same width", output.of);
  }

  void direction() const {
    if (!o_.reverse && o_.lengths) fail("it has lengths, but does not run in reverse", *o_.lengths);
    if (!o_.reverse) return;
    if (o_.as_caffe2) fail("Caffe2 does not run in reverse", {});
    for (auto const& output : o_.outputs)
      if (output.first != 0 && output.first != -1)
        fail("it runs in reverse, so its outputs must be of all steps or the last, not from " +
                 std::to_string(output.first) + " on",
             output.of);
    for (auto const& input : o_.inputs)
      if (o_.lengths && input.window != 1)
        fail("it runs in reverse with lengths, so sequences cannot have windows", input.in);
  }

  void executor() const {
    auto const expect = [](char const* name, std::optional<std::int64_t> value, std::int64_t least) {
      if (value && *value < least)
        fail("its executor has " + std::string(name) + " = " + std::to_string(*value) + ", which should be " +
                 std::to_string(least) + " or more",
             {});
    };
    expect("num_threads", o_.executor.num_threads, 0);
    expect("max_parallel_timesteps", o_.executor.max_parallel_timesteps, 1);
    expect("max_cuda_streams", o_.executor.max_cuda_streams, 0);
  }

  // An extent that several outer blobs must share.
  struct extent {
    std::int64_t value = -1;
    std::string of = {};
  };
  static void same(extent& known, std::int64_t value, std::string const& blob, char const* what) {
    if (value < 0) return;
    if (known.value < 0) known = {value, blob};
    if (known.value != value)
      fail(quoted(blob) + " has " + std::to_string(value) + ' ' + what + ", " + quoted(known.of) + " has " +
               std::to_string(known.value),
           blob);
  }

  void shapes() {
    for (auto const& [name, dims] : o_.shapes)
      if (std::ranges::find(o_.inputs, name, &recurrent_input::sequence) == o_.inputs.end() &&
          std::ranges::find(o_.states, name, &recurrent_state::initial) == o_.states.end())
        fail("a shape is set for " + quoted(name) + ", which is neither a sequence nor an initial value", name);
    extent steps, rows;
    for (auto const& input : o_.inputs)
      for (auto const& [name, dims] : o_.shapes) {
        if (name != input.sequence) continue;
        if (dims.size() < 2)
          fail("the sequence " + quoted(name) + " has " + std::to_string(dims.size()) +
                   " dimensions, and needs steps and rows",
               name);
        same(steps, dims[0] < 0 ? -1 : dims[0] - input.window + 1, name, "steps");
        same(rows, dims[1], name, "rows");
      }
    for (auto const& state : o_.states)
      for (auto const& [name, dims] : o_.shapes) {
        if (name != state.initial) continue;
        std::int64_t const given = state.window - (state.window_ends_in_step ? 1 : 0);
        if (dims.empty() || dims.size() > 3)
          fail("the initial value " + quoted(name) + " has " + std::to_string(dims.size()) + " dimensions, not 1 to 3",
               name);
        if (dims.size() > 1) same(rows, dims[dims.size() - 2], name, "rows");
        std::int64_t const held = dims.size() == 3 ? dims[0] : 1;
        if (held >= 0 && held != given)
          fail("the initial value " + quoted(name) + " is for " + std::to_string(held) + " steps, not for " +
                   std::to_string(given),
               name);
      }
  }

  // Checks a blob of the cell that is a view of an outer blob.
  void inner(std::string const& blob, std::string const& what) {
    if (blob.empty()) fail("a blob of the cell, " + what + ", has no name", {});
    if (!inner_.insert(blob).second && !o_.as_caffe2)
      fail("the blob " + quoted(blob) + " of the cell has two roles", blob);
    if (o_.as_caffe2) return;
    if (!ssa_.contains(std::string_view(blob))) fail("the cell has no blob " + quoted(blob) + ", " + what, blob);
    if (version(blob) == 0) return;
    fail("the cell overwrites " + quoted(blob) + ", " + what, blob, ssa_.producing_op({ssa_.find(blob), 1}));
  }

  void gradients() {
    if (o_.as_caffe2) return;
    std::vector<bool> seen(o_.outputs.empty() ? 2 * o_.states.size() : o_.outputs.size());
    for (std::size_t const output : o_.outputs_with_grads) {
      if (output >= seen.size())
        fail("output " + std::to_string(output) + " is to have a gradient, but there are " +
                 std::to_string(seen.size()) + " outputs",
             {});
      if (seen[output]) fail("output " + std::to_string(output) + " is listed twice", {});
      seen[output] = true;
    }
  }

  // Checks that recomputed ops read the same values as in the forward step.
  void recomputed() const {
    boost::unordered_flat_set<std::string_view> const listed(o_.recompute_on_backward.begin(),
                                                             o_.recompute_on_backward.end());
    for (std::string const& blob : o_.recompute_on_backward)
      if (!o_.as_caffe2 && version(blob) == 0)
        fail(quoted(blob) + " is to be recomputed, but no op of the cell writes it", blob);
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
      if (o_.as_caffe2) continue;
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
