// Outer-net ops of a recurrence: RecurrentNetwork, and ops for reversal and non-state outputs around it.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <plait/gradient/gradient_rules.hpp>
#include <plait/netdef/detail/built_op.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/detail/cell_check.hpp>
#include <plait/rnn/detail/recurrent_op.hpp>
#include <plait/rnn/detail/recurrent_options.hpp>
#include <plait/rnn/detail/sequence_lengths.hpp>

namespace plait::detail {

/// Plan of the ops that recurrent_net adds. Blobs that the caller did not name are in the scope.
class recurrence_plan {
 public:
  /// Validates and plans. Throws as recurrent_net does.
  recurrence_plan(recurrent_net_options const& options, std::string scope, gradient_rules const& rules)
      : o_(options), scope_(std::move(scope)), net_(scope_) {
    cell_check(o_).run();
    made.outputs = outputs_of(o_);
    for (recurrent_output const& output : made.outputs) made.blobs.push_back(output.name);
    {
      auto const device = net_.device(o_.device);
      add_output_states();
      if (o_.reverse) reverse_sequences();
    }
    recurrent_op op(o_, scope_, rules);
    made.workspaces = op.workspaces();
    net_.edit([&](netdef& n) { append_op(n, op.take()); });
    auto const device = net_.device(o_.device);
    for (auto const& [from, to] : reversed_outputs_) net_.op("ReversePackedSegs", {net_.blob(from), ends_}, to);
    ops = net_.take();
  }

  netdef ops;
  recurrent_outputs<std::string> made;

 private:
  // Represents an output that is not a state as a state that no step reads.
  void add_output_states() {
    for (recurrent_output const& output : o_.outputs) {
      bool const is_state = std::ranges::find(o_.states, output.of, &recurrent_state::out) != o_.states.end();
      if (is_state || output.like.empty()) continue;
      auto const zeros =
          net_.op("ConstantFill", net_.blob_or_input(output.like), scoped(output.of, "_zeros"), {{"value", 0.0f}});
      o_.states.push_back({.in = {}, .out = output.of, .initial = zeros.name()});
    }
  }
  void reverse_sequences() {
    if (o_.lengths) net_.blob_or_input(*o_.lengths);
    auto const ends_of = [&](recurrent_input const& input) {
      return net_.blob(clamped_lengths(net_, net_.blob_or_input(input.sequence), o_.lengths));
    };
    ends_ = ends_of(o_.inputs.front());
    for (recurrent_input& input : o_.inputs) {
      std::string turned = scoped(input.sequence, "_reversed");
      if (!net_.visible(turned)) {
        blob_handle const ends = input.window == 1 ? ends_ : ends_of(input);
        net_.op("ReversePackedSegs", {net_.blob_or_input(input.sequence), ends}, turned);
      }
      input.sequence = std::move(turned);
    }
    o_.outputs = made.outputs;
    for (recurrent_output& output : o_.outputs) {
      if (output.first != 0) continue;
      std::string made_back = std::exchange(output.name, scoped(output.name, "_reversed"));
      reversed_outputs_.emplace_back(output.name, std::move(made_back));
    }
  }
  std::string scoped(std::string const& name, char const* what) const { return scope_ + '/' + name + what; }

  recurrent_net_options o_;
  std::string scope_;
  net_builder net_;
  blob_handle ends_;                                                   // lengths of the sequences, if they are reversed
  std::vector<std::pair<std::string, std::string>> reversed_outputs_;  // outputs, and their names in sequence order
};

}  // namespace plait::detail
