// What the ops of a step net are told of a run's steps: what stays the same, and what is only summed over them.
//
// Decided on the plan's values. An op may then prepare weights once for all steps, and make the gradient of a parameter
// by one product of all steps' rows instead of one a step: see plan::set_loop. No op type is known here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/operators/recurrent_network_links.hpp>
#include <plait/exec/plan.hpp>

namespace plait::detail {

/// Of one plan and its links.
template <backend B>
class step_series {
 public:
  /// `around` are the blobs of the net around while a run is under way, `changing` those given to steps that they write
  /// to by way of others. `own_places(sequence)`: its places are written by steps only, each once. O(values + links²).
  template <class OwnPlaces>
  void compile(plan<B> const& p, std::span<linked_place const> links, std::vector<blob<B> const*> around,
               std::vector<blob<B> const*> changing, OwnPlaces own_places) {
    around_ = std::move(around);
    changing_ = std::move(changing);
    std::ranges::sort(around_, std::less<>());
    std::ranges::sort(changing_, std::less<>());
    plan_layout const& layout = p.layout();
    std::vector<std::uint32_t> in_storage(layout.storage_count(), 0);
    std::vector<std::uint32_t> of_blob;
    for (std::uint32_t v = 0; v != layout.value_count(); ++v) {
      if (layout.storage_of(v) == npos) continue;
      ++in_storage[layout.storage_of(v)];
      if (layout.blob_of(v) >= of_blob.size()) of_blob.resize(layout.blob_of(v) + 1, 0);
      ++of_blob[layout.blob_of(v)];
    }
    std::vector<bool> read(layout.value_count(), false);
    for (op_index op = 0; op != layout.op_count(); ++op)
      for (std::uint32_t const v : layout.reads(op)) read[v] = true;
    auto const alone = [&](std::uint32_t v) { return in_storage[layout.storage_of(v)] == 1; };
    auto const links_of = [&](auto const& name) { return std::ranges::count(links, name, &linked_place::internal); };

    std::span<std::uint32_t const> const given = layout.given();
    for (std::size_t i = 0; i != given.size(); ++i)
      if (alone(given[i]) && of_blob[layout.blob_of(given[i])] == 1 && links_of(p.value_name(given[i])) == 0)
        unchanged_.push_back(i);
    for (linked_place const& link : links) {
      if (!link.may_be_put() || !alone(link.value) || links_of(link.internal) != 1) continue;
      if (link.moves && !link.added && link.window == 1 && own_places(link.sequence)) put_.push_back(link);
      if (!link.moves && link.added && !read[link.value]) summed_.push_back(link.value);
    }
  }

  /// Before the first step's bind().
  void tell(plan<B>& p, std::size_t runs, bool backward) {
    plan_layout const& layout = p.layout();
    told_.runs = runs;
    told_.backward = backward;
    for (std::vector<bool>* of : {&told_.same, &told_.lasting, &told_.summed}) of->assign(layout.value_count(), false);
    same_.clear();
    for (std::size_t const i : unchanged_) {
      std::uint32_t const v = layout.given()[i];
      if (std::ranges::binary_search(changing_, p.source(i), std::less<>())) continue;
      told_.lasting[v] = true;
      if (!std::ranges::binary_search(around_, p.source(i), std::less<>())) continue;
      told_.same[v] = true;
      same_.emplace_back(i, p.source(i));
    }
    for (linked_place const& link : put_) told_.lasting[link.value] = true;
    for (std::uint32_t const v : summed_) told_.summed[v] = true;
    p.set_loop(told_);
    plan_ = &p;
  }
  /// Whether what was told is so in the step that is to be run by the plan, or a twin of it, bound as it is.
  bool holds(plan<B> const& p, std::span<recurrent_sequence const> sequences, std::int64_t t) const {
    return std::ranges::all_of(same_, [&](auto const& s) { return p.source(s.first) == s.second; }) &&
           std::ranges::all_of(put_, [&](linked_place const& link) {
             tensor<B> const* const kept = p.memory().kept(link.value);
             return kept != nullptr && kept->raw() == sequences[link.sequence].at(link.place(t));
           });
  }
  void drop() { plan_ = nullptr; }
  /// Whether an op adds up a value itself.
  bool sums(std::uint32_t value) const { return plan_ != nullptr && plan_->accumulates(value); }

 private:
  std::vector<blob<B> const*> around_;                        // ascending
  std::vector<blob<B> const*> changing_;                      // ascending
  std::vector<std::size_t> unchanged_;                        // of the values given: by steps, and by links
  std::vector<linked_place> put_;                             // into places that nothing else changes
  std::vector<std::uint32_t> summed_;                         // values of which only the sum is wanted
  std::vector<std::pair<std::size_t, blob<B> const*>> same_;  // of this run
  typename plan<B>::loop_values told_;
  plan<B> const* plan_ = nullptr;  // while the loop is as it was told
};

}  // namespace plait::detail
