// Arguments of RecurrentNetwork and its gradient: states, links, aliases, parameters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>

namespace plait::detail {

/// Link: at step t a blob of the step net is places t + offset to t + offset + window of a sequence.
struct recurrent_link {
  std::string internal;
  std::string external;
  std::int64_t offset;
  std::int64_t window;
  friend bool operator==(recurrent_link const&, recurrent_link const&) = default;
};

/// Alias: an output that is a sequence of states from place `offset` on, counted from the end if negative.
struct recurrent_alias {
  std::size_t state;
  std::string output;
  std::int64_t offset;
};

/// Sequence of states, and the input with its initial value.
struct state_sequence {
  std::string name;
  std::size_t initial;
  std::string gradient;  ///< name of the sequence of its gradients in links
};

/// Maximum of offsets and windows: far more places than a sequence has, and sums of them do not overflow.
inline constexpr std::int64_t most_places = std::numeric_limits<std::int64_t>::max() / 4;

[[noreturn]] inline void refuse_recurrence(std::string const& why) { throw shape_error("plait: " + why); }

inline void expect_same_length(std::string_view names, std::size_t count, std::string_view other,
                               std::size_t other_count) {
  if (count != other_count)
    refuse_recurrence("argument '" + std::string(names) + "' has " + std::to_string(count) + " names, '" +
                      std::string(other) + "' " + std::to_string(other_count) + " values");
}

/// Returns the links in the arguments <prefix>_internal, _external, _offset and _window, which is 1 by default.
inline std::vector<recurrent_link> read_recurrent_links(op_arguments const& a, std::string const& prefix) {
  auto const& internal = a.texts(prefix + "_internal");
  auto const& external = a.texts(prefix + "_external");
  auto const& offset = a.integers(prefix + "_offset");
  auto const& window = a.integers(prefix + "_window");
  expect_same_length(prefix + "_internal", internal.size(), prefix + "_external", external.size());
  expect_same_length(prefix + "_internal", internal.size(), prefix + "_offset", offset.size());
  if (!window.empty()) expect_same_length(prefix + "_internal", internal.size(), prefix + "_window", window.size());
  std::vector<recurrent_link> links;
  for (std::size_t i = 0; i != internal.size(); ++i) {
    links.push_back({a.renamed(internal[i]), a.renamed(external[i]), offset[i], window.empty() ? 1 : window[i]});
    if (offset[i] < 0 || offset[i] > most_places || links.back().window < 1 || links.back().window > most_places)
      refuse_recurrence("the link of '" + internal[i] + "' to '" + external[i] + "' has offset " +
                        std::to_string(offset[i]) + " and window " + std::to_string(links.back().window));
  }
  return links;
}

/// Arguments of both ops. Inputs are numbered as in RecurrentNetwork.
struct recurrent_arguments {
  std::vector<state_sequence> states;
  std::vector<recurrent_alias> aliases;
  std::vector<recurrent_link> links;
  std::vector<std::size_t> sequences;  ///< inputs that have gradients step by step
  std::string timestep;

  explicit recurrent_arguments(op_arguments const& a) : timestep(a.text("timestep")) {
    for (std::int64_t const id : a.integers("sequences")) {
      if (id < 0 || static_cast<std::size_t>(id) >= a.input_count())
        refuse_recurrence("sequences has " + std::to_string(id) + ", but there are " + std::to_string(a.input_count()) +
                          " inputs");
      sequences.push_back(static_cast<std::size_t>(id));
    }
    auto const& names = a.texts("recurrent_states");
    auto const& initial = a.integers("initial_recurrent_state_ids");
    expect_same_length("recurrent_states", names.size(), "initial_recurrent_state_ids", initial.size());
    for (std::size_t i = 0; i != names.size(); ++i) {
      if (initial[i] < 0 || static_cast<std::size_t>(initial[i]) >= a.input_count())
        refuse_recurrence("initial_recurrent_state_ids has " + std::to_string(initial[i]) + " for '" + names[i] +
                          "', but there are " + std::to_string(a.input_count()) + " inputs");
      if (find_state(a.renamed(names[i])) != npos) refuse_recurrence("recurrent_states has '" + names[i] + "' twice");
      states.push_back({a.renamed(names[i]), static_cast<std::size_t>(initial[i]), a.renamed(names[i] + "_grad")});
    }
    auto const& source = a.texts("alias_src");
    auto const& output = a.texts("alias_dst");
    auto const& offset = a.integers("alias_offset");
    expect_same_length("alias_src", source.size(), "alias_dst", output.size());
    expect_same_length("alias_src", source.size(), "alias_offset", offset.size());
    for (std::size_t i = 0; i != source.size(); ++i) {
      std::size_t const state = find_state(a.renamed(source[i]));
      if (state == npos) refuse_recurrence("alias_src has '" + source[i] + "', which is not in recurrent_states");
      if (offset[i] < -most_places || offset[i] > most_places)
        refuse_recurrence("alias_offset has " + std::to_string(offset[i]) + " for '" + output[i] +
                          "', more than a sequence has places");
      if (std::ranges::find(aliases, a.renamed(output[i]), &recurrent_alias::output) != aliases.end())
        refuse_recurrence("alias_dst has '" + output[i] + "' twice");
      aliases.push_back({state, a.renamed(output[i]), offset[i]});
    }
    links = read_recurrent_links(a, "link");
  }

  /// Returns the place that an output begins with, in a sequence of so many places.
  std::int64_t first_place(recurrent_alias const& alias, std::int64_t places) const {
    std::int64_t const first = alias.offset >= 0 ? alias.offset : places + alias.offset;
    if (first < 0 || first > places)
      refuse_recurrence("output '" + alias.output + "' begins at " + std::to_string(alias.offset) + " of " +
                        std::to_string(places) + " places of '" + states[alias.state].name + '\'');
    return first;
  }

  std::size_t find_state(std::string_view name) const {
    auto const at = std::ranges::find(states, name, &state_sequence::name);
    return at == states.end() ? npos : static_cast<std::size_t>(at - states.begin());
  }
};

/// Returns the blob names in a list of texts, renamed.
inline std::vector<std::string> renamed_texts(op_arguments const& a, std::string_view argument) {
  std::vector<std::string> made;
  for (std::string const& blob : a.texts(argument)) made.push_back(a.renamed(blob));
  return made;
}

/// Returns true if a link's `name` means the gradient of an input: by the name of the output, by that of the input, or
/// by the name that the input had when the links were made.
inline bool names_gradient(op_arguments const& a, std::string_view name, std::string const& input,
                           std::string_view output) {
  if (name == output || name == input + "_grad") return true;
  return std::ranges::any_of(a.texts("link_external"), [&](std::string const& linked) {
    return a.renamed(linked) == input && name == a.renamed(linked + "_grad");
  });
}

/// Adds the arguments of both ops to a schema.
inline op_schema with_recurrent_arguments(op_schema schema) {
  using texts = std::vector<std::string>;
  using integers = std::vector<std::int64_t>;
  schema.argument("recurrent_states", texts(), "names of the sequences of states")
      .argument("initial_recurrent_state_ids", integers(), "for each of these the input that holds its first values")
      .argument("alias_src", texts(), "sequences of states that outputs are views of")
      .argument("alias_dst", texts(), "these outputs")
      .argument("alias_offset", integers(), "where they begin in the sequence, from its end if negative")
      .argument("link_internal", texts(), "blobs of the step net that are places of sequences")
      .argument("link_external", texts(), "these sequences: input 0, other inputs or states")
      .argument("link_offset", integers(), "the place at step 0; it is one further at each step")
      .argument("link_window", integers(), "how many places it is, 1 if not given")
      .argument("timestep", std::string("timestep"), "blob of the step net that holds the number of the step")
      .argument("outputs_with_grads", integers{0}, "outputs whose gradients the gradient op is given first")
      .argument("sequences", integers{0}, "inputs that the gradient op gives gradients of first, place by place")
      .argument("param", integers(), "inputs that have gradients summed over the steps")
      .argument("param_grads", texts(), "their gradients in the backward step net, <name>_grad if not given")
      .argument("backward_link_internal", texts(), "links of the backward step net, to gradients of sequences")
      .argument("backward_link_external", texts(), "<name>_grad of a state or of a listed sequence")
      .argument("backward_link_offset", integers(), "as link_offset")
      .argument("backward_link_window", integers(), "as link_window")
      .argument("recompute_blobs_on_backward", texts(), "blobs that are not kept, as the backward step net makes them")
      .argument("keep_steps", std::int64_t{0}, "all that steps make is kept, not only what their gradients need")
      .argument("enable_rnn_executor", std::int64_t{1}, "0: one step after the other, also with tasks")
      .argument("rnn_executor.num_threads", std::int64_t{0},
                "how many run ops of steps that are under way at once; if not given, only where steps are large and "
                "overlap enough")
      .argument("rnn_executor.max_parallel_timesteps", std::int64_t{4}, "how many steps may be under way")
      .required_net_argument("step_net", "one step, as a message or as text")
      .net_argument("backward_step_net", "the gradient of a step; without it only the last steps are kept")
      .renames_blobs()
      .results_after_run()
      .side_effects();
  for (std::string_view argument :
       {"scratch_sizes", "recurrent_sizes", "backward_alias_src", "recurrent_input_ids", "param_gradient"})
    schema.refused_argument(
        argument,
        "is of the form that RecurrentNetwork had in 2016, with tensors for what steps keep; that of "
        "2017-01 and later ones are run");
  return schema;
}

}  // namespace plait::detail
