// Inspection of recurrences: copies of the blobs of all time steps in the workspace.
//
//   plait::keep_step_blobs(net);
//   auto plan = plait::compile(net, operators, blobs);
//   plan.run();
//   for (std::string const& name : plait::retrieve_step_blobs(net, blobs)) look_at(blobs.view(name));
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/step_values.hpp>
#include <plait/exec/detail/text_blob.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/net/detail/arguments.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

/// Makes every RecurrentNetwork op of a net keep all blobs of all its steps, not only those that a backward pass reads,
/// and copies of linked inputs, which are otherwise left out, as the inputs may be gone. Returns the number of these
/// ops. O(ops).
template <net N>
  requires argument_mutable_net<N> && typed_net<N>
std::size_t keep_step_blobs(N& n) {
  std::size_t count = 0;
  for (auto&& op : detail::net_traits_of<N>::ops(n)) {
    if (op_type(n, op) != "RecurrentNetwork") continue;
    detail::net_traits_of<N>::set_argument(n, op, {"keep_steps", std::int64_t{1}});
    ++count;
  }
  return count;
}

struct step_blob_options {
  std::string prefix = "rnn";
  /// Reproduces Caffe2's retrieve_step_blobs: steps without a backward step net share four workspaces in rotation (two
  /// without the step executor), with the executor each step has a private timestep blob, <timestep>_rnnexec_t<t>, and
  /// blobs recomputed backward are in no step's workspace. Ops are counted from 1.
  bool as_caffe2 = false;
};

namespace detail {

// Blobs to copy from one recurrence.
struct step_blob_choice {
  std::size_t places;                ///< workspaces that steps share in rotation; 0: one per step
  std::string counter;               ///< timestep blob that is private to each step; empty if none
  std::vector<std::string> nowhere;  ///< blobs in no step's workspace
};
template <backend B>
void copy_step_blobs(workspace<B>& blobs, step_values<B> const& kept, step_blob_choice const& choice,
                     std::string const& prefix, std::vector<std::string>& made) {
  std::size_t const places = choice.places;
  std::vector<std::string> const names = kept.names();
  for (std::size_t t = 0; t != kept.length; ++t) {
    bool const overwritten = places != 0 && t + places < kept.length;
    for (std::string const& name : names) {
      bool const counts = name == choice.counter;
      if ((overwritten && !counts) || std::ranges::find(choice.nowhere, name) != choice.nowhere.end()) continue;
      blob<B> const found = kept.at(name, t);
      if (!found.is_set || found.object != nullptr) continue;
      std::string to = prefix + '_' + name;
      if (counts) to += "_rnnexec_t" + std::to_string(t);
      to += std::to_string(places == 0 ? t : t % places);
      blobs.feed(to, found.value.clone());
      made.push_back(std::move(to));
    }
  }
}

}  // namespace detail

/// Copies, after a run, every tensor of a step to `<prefix>_<blob><step>`, for all RecurrentNetwork ops of the net in
/// order, and writes the names of the k-th op's as texts to `<prefix>_<k>`. Returns all names. Throws net_error if an
/// op has not run or has not kept its steps; see keep_step_blobs. Follows Caffe2's retrieve_step_blobs, which is an op
/// of the net.
template <net N, backend B>
  requires argument_readable_net<N> && typed_net<N>
std::vector<std::string> retrieve_step_blobs(N const& n, workspace<B>& blobs, step_blob_options const& options = {}) {
  using traits = detail::net_traits_of<N>;
  std::vector<std::string> all;
  std::size_t at = 0;
  std::size_t count = options.as_caffe2 ? 1 : 0;
  for (auto&& op : ops(n)) {
    std::size_t const index = at++;
    if (op_type(n, op) != "RecurrentNetwork") continue;
    std::string workspaces;
    for (auto&& name : outputs(n, op)) workspaces = std::string(name_text(n, name));
    blob<B> const* const found = blobs.find(workspaces);
    auto const kept =
        found == nullptr || !found->is_set ? nullptr : std::dynamic_pointer_cast<step_values<B>>(found->object);
    if (kept == nullptr)
      throw net_error("plait: '" + workspaces + "' holds no step workspaces: the recurrence has not run", index,
                      workspaces);
    if (!kept->keeps_steps)
      throw net_error("plait: the recurrence of '" + workspaces + "' has not kept its steps", index, workspaces);
    detail::step_blob_choice choice{};
    if (options.as_caffe2) {
      bool const executor = get_argument<std::int64_t>(n, op, index, "enable_rnn_executor", 0) != 0;
      auto const backward = traits::argument(n, op, "backward_step_net");
      bool const is_empty = backward && *backward == argument_value(std::string());
      if (is_empty || !traits::has_argument(n, op, "backward_step_net")) choice.places = executor ? 4 : 2;
      if (executor) choice.counter = get_argument<std::string>(n, op, index, "timestep", "timestep");
      choice.nowhere = get_argument<std::vector<std::string>>(n, op, index, "recompute_blobs_on_backward", {});
    }
    std::vector<std::string> made;
    detail::copy_step_blobs(blobs, *kept, choice, options.prefix, made);
    feed_text(blobs, options.prefix + '_' + std::to_string(count++), made, {static_cast<std::int64_t>(made.size())});
    all.insert(all.end(), made.begin(), made.end());
  }
  return all;
}

}  // namespace plait
