// RecurrentNetwork op of a cell: step net, links, aliases, backward step net; planned before any net is changed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/gradient/detail/saved_values.hpp>
#include <plait/gradient/gradient_rules.hpp>
#include <plait/net/detail/name_generator.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/detail/built_op.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/detail/backward_step.hpp>
#include <plait/rnn/detail/recurrent_options.hpp>
#include <plait/transform/detail/external_blobs.hpp>

namespace plait::detail {

/// Returns the outputs of a recurrence; by default all steps and the last step of each state.
inline std::vector<recurrent_output> outputs_of(recurrent_net_options const& options) {
  if (!options.outputs.empty()) return options.outputs;
  std::vector<recurrent_output> made;
  for (auto const& state : options.states) {
    made.push_back({state.out, 0, state.out + "_all"});
    made.push_back({state.out, -1, state.out + "_last"});
  }
  return made;
}

/// Links: blobs of a cell that are views of outer blobs, at step t the slices [t + offset, t + offset + window).
struct recurrent_links {
  std::vector<std::string> internal;
  std::vector<std::string> external;
  std::vector<std::int64_t> offset;
  std::vector<std::int64_t> window;

  void add(std::string inside, std::string around, std::int64_t first, std::int64_t steps = 1) {
    internal.push_back(std::move(inside));
    external.push_back(std::move(around));
    offset.push_back(first);
    window.push_back(steps);
  }

  /// Appends the links as the arguments `<prefix>_internal` and so on; windows only if one is not 1.
  void append_to(std::vector<net_argument>& arguments, std::string const& prefix) const {
    arguments.emplace_back(prefix + "_internal", internal);
    arguments.emplace_back(prefix + "_external", external);
    arguments.emplace_back(prefix + "_offset", offset);
    if (std::ranges::any_of(window, [](std::int64_t steps) { return steps != 1; }))
      arguments.emplace_back(prefix + "_window", window);
  }
};

/// Plan of a RecurrentNetwork op. Follows Caffe2's recurrent_net (recurrent.py) in names and arguments and their order.
/// A state with an empty `in` is one that no step reads.
class recurrent_op {
 public:
  /// Plans the op for options that cell_check has accepted. Throws as recurrent_net does. `rules` is unused if the net
  /// is forward only.
  recurrent_op(recurrent_net_options const& options, std::string scope, gradient_rules const& rules)
      : o_(options), scope_(std::move(scope)) {
    step_ = o_.cell.net();
    step_.type = step_.intern("simple");
    for (auto const& state : o_.states) linked_.push_back(state.window_ends_in_step ? join(state) : state.in);
    refer();
    link();
    if (!o_.forward_only) differentiate(rules);
  }

  std::string workspaces() const { return scoped("step_workspaces"); }

  /// Returns the op; moves the nested nets out.
  built_op take() {
    arguments_.emplace_back("enable_rnn_executor", o_.parallel_executor);
    if (o_.executor.num_threads) arguments_.emplace_back("rnn_executor.num_threads", *o_.executor.num_threads);
    if (o_.executor.max_parallel_timesteps)
      arguments_.emplace_back("rnn_executor.max_parallel_timesteps", *o_.executor.max_parallel_timesteps);
    if (o_.executor.max_cuda_streams)
      arguments_.emplace_back("rnn_executor.max_cuda_streams", *o_.executor.max_cuda_streams);
    arguments_.emplace_back("step_net", std::move(step_));
    arguments_.emplace_back("timestep", timestep());
    std::vector<std::string> made;
    for (auto const& output : outputs_of(o_)) made.push_back(output.name);
    made.push_back(workspaces());
    return {"RecurrentNetwork", inputs_, std::move(made), std::move(arguments_), o_.device};
  }

 private:
  std::string scoped(std::string const& name) const { return scope_ + '/' + name; }
  std::string states_of(plait::recurrent_state const& state) const {
    return scoped((state.in.empty() ? state.out : state.in) + "_states");
  }
  static std::int64_t steps_before(plait::recurrent_state const& state) {
    return state.window - (state.window_ends_in_step ? 1 : 0);
  }
  std::string timestep() const { return o_.timestep.empty() ? "timestep" : o_.timestep; }

  // Adds the Concat of a window that ends in the step, from the previous steps and this one. Returns the name of the
  // previous steps, which are linked.
  std::string join(plait::recurrent_state const& state) {
    name_generator names("", step_);
    std::string before = names.next_blob(state.in + "_before");
    op_def op;
    op.type = step_.intern("Concat");
    op.input = {step_.intern(before), step_.intern(state.out)};
    op.output = {step_.intern(state.in), step_.intern(names.next_blob(state.in + "_dims"))};
    op.arg.push_back(make_argument(step_, {"axis", std::int64_t{0}}));
    symbol const made = step_.intern(state.out);
    auto const writer = std::find_if(step_.op.rbegin(), step_.op.rend(), [&](op_def const& each) {
      return std::ranges::find(each.output, made) != each.output.end();
    });
    step_.op.insert(writer.base(), std::move(op));
    for (symbol& given : step_.external_input)
      if (given == step_.intern(state.in)) given = step_.intern(before);
    return before;
  }

  // Collects the captures of the cell besides sequences and states, and declares them in the step net.
  void refer() {
    boost::unordered_flat_set<std::string> known;
    for (auto const& input : o_.inputs) known.insert(input.in);
    for (std::size_t s = 0; s != o_.states.size(); ++s) {
      auto const& state = o_.states[s];
      known.insert(linked_[s]);
      if (o_.as_caffe2) known.insert(state.initial);
    }
    if (!o_.as_caffe2 || !o_.timestep.empty()) known.insert(timestep());
    boost::unordered_flat_set<symbol, symbol_hash> declared;
    for (symbol const s : step_.external_input) declared.insert(s);
    if (!o_.as_caffe2) {
      for (std::string const& blob : external_blob_names(step_).inputs)
        if (symbol const s = step_.intern(blob); declared.insert(s).second) step_.external_input.push_back(s);
      for (auto const& state : o_.states)
        if (symbol const s = step_.intern(state.out);
            std::ranges::find(step_.external_output, s) == step_.external_output.end())
          step_.external_output.push_back(s);
    }
    for (symbol const s : step_.external_input) {
      std::string blob(step_.text(s));
      if (known.contains(blob)) continue;
      if (!o_.as_caffe2) known.insert(blob);
      references_.push_back(std::move(blob));
    }
    for (auto const& input : o_.inputs)
      if (std::ranges::find(sequences_, input.sequence) == sequences_.end()) sequences_.push_back(input.sequence);
    inputs_ = sequences_;
    for (auto const& state : o_.states) inputs_.push_back(state.initial);
    inputs_.insert(inputs_.end(), references_.begin(), references_.end());
  }

  // Returns the index of an input of the op; Caffe2 uses the first input of that name.
  std::int64_t input_index(std::size_t position) const {
    if (!o_.as_caffe2) return static_cast<std::int64_t>(position);
    return std::ranges::find(inputs_, inputs_[position]) - inputs_.begin();
  }

  void link() {
    recurrent_links links, aliases;
    std::vector<std::string> states;
    std::vector<std::int64_t> initial;
    for (std::size_t s = 0; s != o_.states.size(); ++s) {
      auto const& state = o_.states[s];
      std::string const all = states_of(state);
      if (!linked_[s].empty()) links.add(linked_[s], all, 0, steps_before(state));
      links.add(state.out, all, steps_before(state));
      initial.push_back(input_index(sequences_.size() + states.size()));
      states.push_back(all);
    }
    auto const alias = [&](recurrent_output const& output, plait::recurrent_state const& state) {
      aliases.add(states_of(state), output.name, output.first < 0 ? output.first : output.first + steps_before(state));
    };
    std::vector<recurrent_output> const made = outputs_of(o_);
    for (std::size_t i = 0; i != made.size(); ++i) {
      if (o_.outputs.empty()) {  // the defaults: two of each state
        alias(made[i], o_.states[i / 2]);
        continue;
      }
      for (auto const& state : o_.states)
        if (state.out == made[i].of) alias(made[i], state);
    }
    for (auto const& input : o_.inputs) links.add(input.in, input.sequence, 0, input.window);
    arguments_.emplace_back("alias_src", aliases.internal);
    arguments_.emplace_back("alias_dst", aliases.external);
    arguments_.emplace_back("alias_offset", aliases.offset);
    arguments_.emplace_back("recurrent_states", states);
    arguments_.emplace_back("initial_recurrent_state_ids", initial);
    links.append_to(arguments_, "link");
  }

  // Returns the gradient of a linked input of the cell. Caffe2 requires one.
  std::string step_gradient(backward_step const& back, std::string const& blob) const {
    return o_.as_caffe2 ? back.needed_gradient(blob) : back.gradient(blob);
  }

  void differentiate(gradient_rules const& rules) {
    std::vector<std::string> wanted = references_;
    for (auto const& input : o_.inputs) wanted.push_back(input.in);
    for (std::string const& blob : linked_)
      if (!blob.empty()) wanted.push_back(blob);
    backward_step back(step_, o_, rules, wanted);
    insert_saved_values(step_, back.saved);

    recurrent_links links;
    auto const add = [&](std::string const& blob, std::string const& around, std::int64_t window) {
      std::string gradient = step_gradient(back, blob);
      bool const found = !gradient.empty();
      if (found) links.add(std::move(gradient), around + "_grad", 0, window);
      return found;
    };
    for (std::size_t s = 0; s != o_.states.size(); ++s) {
      auto const& state = o_.states[s];
      links.add(state.out + "_grad", states_of(state) + "_grad", steps_before(state));
      if (!linked_[s].empty()) add(linked_[s], states_of(state), steps_before(state));
    }
    std::vector<bool> reached(sequences_.size());
    for (auto const& input : o_.inputs)
      if (add(input.in, input.sequence, input.window))
        reached[static_cast<std::size_t>(std::ranges::find(sequences_, input.sequence) - sequences_.begin())] = true;
    std::vector<std::int64_t> sequences;
    for (std::size_t k = 0; k != reached.size(); ++k)
      if (reached[k]) sequences.push_back(static_cast<std::int64_t>(k));

    std::vector<std::int64_t> parameters;
    std::vector<std::string> gradients;
    std::size_t const first = sequences_.size() + o_.states.size();
    for (std::size_t i = 0; i != references_.size(); ++i)
      if (std::string name = back.gradient(references_[i]); !name.empty()) {
        parameters.push_back(input_index(first + i));
        gradients.push_back(std::move(name));
      }
    if (sequences != std::vector<std::int64_t>{0}) arguments_.emplace_back("sequences", sequences);
    arguments_.emplace_back("param", parameters);
    links.append_to(arguments_, "backward_link");
    arguments_.emplace_back("outputs_with_grads", o_.outputs_with_grads);
    arguments_.emplace_back("recompute_blobs_on_backward", recomputed_blobs(o_));
    arguments_.emplace_back("param_grads", gradients);
    if (!back.net.op.empty()) arguments_.emplace_back("backward_step_net", std::move(back.net));
  }

  struct symbol_hash {
    std::size_t operator()(symbol s) const noexcept { return s.id; }
  };

  recurrent_net_options const& o_;
  std::string scope_;
  netdef step_;
  std::vector<std::string> linked_;     // by state: the blob of the cell that is its previous value
  std::vector<std::string> sequences_;  // without duplicates
  std::vector<std::string> references_;
  std::vector<std::string> inputs_;
  std::vector<net_argument> arguments_;
};

}  // namespace plait::detail
