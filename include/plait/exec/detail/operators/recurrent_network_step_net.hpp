// Step net of a recurrence: its plan, and how its blobs are linked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/engine/engine.hpp>
#include <plait/exec/detail/memory_pool.hpp>
#include <plait/exec/detail/nets_of_op.hpp>
#include <plait/exec/detail/operators/recurrent_links.hpp>
#include <plait/exec/detail/operators/recurrent_network_arguments.hpp>
#include <plait/exec/detail/operators/recurrent_network_links.hpp>
#include <plait/exec/detail/step_values.hpp>
#include <plait/exec/workspace.hpp>

namespace plait::detail {

/// A link that is an op of the step net.
struct link_op {
  recurrent_link link;
  bool is_target;  ///< the net writes the blob again: its last value goes to the place
};

/// Plan of a step net, its links, and the properties of its values in the loop. Without a plan blobs are only passed
/// on.
template <backend B>
class linked_step_net {
 public:
  using named_blobs = std::vector<std::pair<std::string, blob<B>*>>;
  using plan_type = engine<B>;
  using blob_places = typename plan_type::blob_places;

  /// Compiles the net in an argument; `keep` are blobs wanted of it besides those of link ops, all if nullptr.
  void compile(nets_of_op<B> const& nets, std::string argument, std::vector<std::string> const* keep) {
    costs_ = nets.costs();
    passes_ = nets.passes();
    argument_ = std::move(argument);
    std::vector<std::string> all;
    if (keep != nullptr) {
      all = nets.names_made(argument_, "rnn_internal_apply_link");
      all.insert(all.end(), keep->begin(), keep->end());
    }
    plan_ = nets.compile(argument_, blobs_, keep == nullptr ? nullptr : &all);
  }
  plan_type const& plan() const noexcept { return *plan_; }
  std::vector<linked_place>& links() noexcept { return links_; }
  std::vector<linked_place> const& links() const noexcept { return links_; }

  /// Returns the value that a blob has after the net; npos if the net does not write it.
  std::uint32_t written(std::string_view name) const {
    return plan_ == nullptr ? npos : find(plan_->layout().published(), name);
  }
  /// Returns the value that a blob has before the net; npos if the net does not read it.
  std::uint32_t given(std::string_view name) const {
    return plan_ == nullptr ? npos : find(plan_->layout().given(), name);
  }
  /// Returns true if the net reads what the blob holds before it. An op that may leave its output as it was does not.
  bool reads(std::string_view name) const;
  /// Returns the ops rnn_internal_apply_link of the net.
  std::vector<link_op> link_ops() const;
  /// Removes links from the list that are ops of the net, and appends those of them that are targets. Returns how many
  /// are appended. Call before connect.
  std::size_t take_link_ops(std::vector<recurrent_link>& links) const {
    std::vector<recurrent_link> targets;
    for (link_op const& op : link_ops()) {
      std::erase(links, op.link);
      if (op.is_target) targets.push_back(op.link);
    }
    links.insert(links.end(), targets.begin(), targets.end());
    return targets.size();
  }

  /// Sets the links; sequence(link) returns the number of a link's sequence. Forward, a blob comes from its first place
  /// in time, backward from the last, or, with several of them, from their sum. The last `by_ops` of them are targets
  /// only, as take_link_ops says.
  template <class Sequence>
  void connect(std::vector<recurrent_link> const& links, std::size_t by_ops, bool backward, Sequence&& sequence);
  /// Keeps, in all steps, published blobs that are not in the first `count` links. Sequences are numbered from `first`
  /// on. Call after connect.
  void keep_values(std::size_t count, std::size_t first);
  /// Binds names of the net around, after connect and keep_values. Steps change the blobs in `changing`.
  /// own_places(sequence) returns true if only steps write its places, each once.
  template <class OwnPlaces>
  void finish(named_blobs const& around, std::vector<blob<B> const*> const& changing, OwnPlaces own_places);

  /// Makes ops keep what they prepare from constant blobs of the net around, see op_kernel. Call after finish.
  template <class IsConstant>
  void keep_constants(IsConstant is_constant) {
    if (plan_ == nullptr) return;
    std::vector<bool> values = loop_.same;
    for (std::uint32_t const v : plan_->layout().given()) values[v] = values[v] && is_constant(plan_->value_name(v));
    plan_->keep_constants(values);
  }
  /// Makes ops run one by one, as linked values do not overlap in whole places only. Call after finish.
  void forbid_fusion() {
    if (plan_ != nullptr) plan_->forbid_fusion();
  }

  // ---- for the loop
  bool has_plan() const noexcept { return plan_ != nullptr; }
  plan_type& plan() noexcept { return *plan_; }
  std::string const& argument() const noexcept { return argument_; }
  cost_model const& costs() const noexcept { return costs_; }
  plan_passes const& passes() const noexcept { return passes_; }
  workspace<B>& blobs() noexcept { return blobs_; }
  /// Returns the blobs that the plan is bound to while steps run.
  blob_places const& places() const noexcept { return places_; }
  loop_values& loop() noexcept { return loop_; }
  /// Returns the number of the first link that keeps values; that of all links if none does.
  std::size_t first_kept() const noexcept { return std::min(first_kept_, links_.size()); }
  /// Returns blobs that are kept step by step, as their types may differ.
  std::vector<std::string> const& kept_each() const noexcept { return each_; }
  /// Returns blobs that the net reads, and that only a previous step may have set.
  std::vector<std::string> const& unbound() const noexcept { return unbound_; }

  /// Memory of the steps, before a run.
  struct step_memory {
    std::vector<std::size_t> kept = {};  ///< bytes for each step, by array
    std::size_t each = 0;                ///< bytes for each step, of values that are no arrays
    std::size_t lane = 0;                ///< bytes for each step that runs at once
    std::size_t once = 0;                ///< bytes for all
    std::vector<step_forecast::blob> blobs = {};
  };
  using given_type = typename plan_type::given_type;
  /// Predicts memory, after finish. `sequences` is by the numbers of connect; type_of(name) returns the given_type of a
  /// blob that is not linked to one of these.
  template <class TypeOf>
  step_memory forecast(std::span<tensor_spec const> sequences, std::size_t steps, bool backward, TypeOf&& type_of);

 private:
  std::uint32_t find(std::span<std::uint32_t const> values, std::string_view name) const {
    for (std::uint32_t const v : values)
      if (plan_->value_name(v) == name) return v;
    return npos;
  }
  bool is_linked(std::string_view name) const {
    return std::ranges::find(links_, name, &linked_place::internal) != links_.end();
  }

  std::string argument_;
  workspace<B> blobs_;
  blob_places places_;
  std::unique_ptr<plan_type> plan_;
  std::vector<linked_place> links_;
  std::size_t first_kept_ = npos;
  std::vector<std::string> each_;
  std::vector<std::string> unbound_;
  loop_values loop_;
  cost_model costs_;
  plan_passes passes_;
};

template <backend B>
bool linked_step_net<B>::reads(std::string_view name) const {
  std::uint32_t const value = given(name);
  if (value == npos) return false;
  plan_layout const& layout = plan_->layout();
  for (op_index op = 0; op != plan_->op_count(); ++op) {
    auto const row = layout.reads(op);
    auto const at = static_cast<std::size_t>(std::ranges::find(row, value) - row.begin());
    if (at == row.size()) continue;
    bool const leaves = std::ranges::any_of(
        layout.writes(op), [&](std::uint32_t v) { return layout.blob_of(v) == layout.blob_of(value); });
    if (!leaves || at < plan_->listed_inputs(op)) return true;
  }
  return false;
}

template <backend B>
std::vector<link_op> linked_step_net<B>::link_ops() const {
  std::vector<link_op> found;
  if (plan_ == nullptr) return found;
  plan_layout const& layout = plan_->layout();
  for (op_index op = 0; op != plan_->op_count(); ++op) {
    auto const* const kernel = dynamic_cast<apply_link_kernel<B> const*>(&plan_->kernel(op));
    if (kernel == nullptr) continue;
    blob_index const made = layout.blob_of(layout.writes(op)[0]);
    bool written_again = false;
    for (op_index later = op + 1; later != plan_->op_count(); ++later)
      for (std::uint32_t const v : layout.writes(later)) written_again = written_again || layout.blob_of(v) == made;
    found.push_back({{std::string(plan_->blob_name(made)), std::string(plan_->value_name(layout.reads(op)[1])),
                      kernel->offset, kernel->window},
                     written_again});
  }
  return found;
}

template <backend B>
template <class Sequence>
void linked_step_net<B>::connect(std::vector<recurrent_link> const& links, std::size_t by_ops, bool backward,
                                 Sequence&& sequence) {
  for (recurrent_link const& link : links)
    links_.push_back({.internal = link.internal,
                      .sequence = sequence(link),
                      .offset = link.offset,
                      .window = link.window,
                      .value = written(link.internal)});
  for (std::size_t i = 0; i != links_.size(); ++i) {
    linked_place& link = links_[i];
    if (i + by_ops >= links_.size()) {
      link.target = true;
      continue;
    }
    std::size_t count = 0;
    bool first = true;  // in time, then in the list
    bool last = true;
    for (std::size_t k = 0; k != links_.size(); ++k) {
      linked_place const& other = links_[k];
      if (other.internal != link.internal || k + by_ops >= links_.size()) continue;
      ++count;
      first = first && (link.offset < other.offset || (link.offset == other.offset && i <= k));
      last = last && link.offset >= other.offset;
    }
    bool const read = reads(link.internal);
    bool const made = link.value != npos;
    bool const comes = backward ? last : first;
    link.source = comes && (read || !made) && (read || !backward || count > 1);
    // A blob that the net reads and overwrites is a state again, but not the gradient of the place that it had.
    link.target = (made && (!read || (count == 1 && !backward))) || (count > 1 && !link.source);
    // A value with several places belongs to the others; in place it would overwrite the first.
    link.copied = link.source && made && count > 1 && !backward;
  }
}

template <backend B>
void linked_step_net<B>::keep_values(std::size_t count, std::size_t first) {
  if (plan_ == nullptr) return;
  auto const around = link_ops();
  for (std::uint32_t const v : plan_->layout().published()) {
    std::string const name(plan_->value_name(v));
    auto const is_around = [&](link_op const& op) { return op.link.external == name; };
    auto const linked = std::span(links_).first(count);
    if (std::ranges::count(linked, name, &linked_place::internal) != 0 || std::ranges::any_of(around, is_around))
      continue;
    if (!plan_->is_static()) {
      each_.push_back(name);
      continue;
    }
    first_kept_ = std::min(first_kept_, links_.size());
    links_.push_back({.internal = name, .sequence = first++, .target = true, .value = v});
  }
}

template <backend B>
template <class OwnPlaces>
void linked_step_net<B>::finish(named_blobs const& around, std::vector<blob<B> const*> const& changing,
                                OwnPlaces own_places) {
  for (linked_place& link : links_) link.given = given(link.internal);
  find_filled(links_);
  if (!link_ops().empty()) forbid_fusion();
  if (plan_ == nullptr) return;
  plan_layout const& layout = plan_->layout();
  for (linked_place& link : links_) {
    auto const is_source = [&](linked_place const& other) { return other.source && other.internal == link.internal; };
    link.leftover = link.given != npos && std::ranges::none_of(links_, is_source);
    link.owns = link.value != npos && layout[layout.storage_of(link.value)].given == npos;
  }
  // A value with several places is written to the first, and copied to the others.
  for (std::size_t i = first_kept(); i != links_.size(); ++i)
    for (std::size_t k = 0; k != i; ++k)
      if (links_[k].may_be_put() && links_[k].value == links_[i].value) links_[i].owns = false;
  auto const ops = link_ops();
  std::vector<std::uint32_t> in_storage(layout.storage_count(), 0);
  std::vector<std::uint32_t> of_blob;
  std::vector<bool> read(layout.value_count(), false);
  for (std::uint32_t v = 0; v != layout.value_count(); ++v) {
    if (layout.storage_of(v) == npos) continue;
    ++in_storage[layout.storage_of(v)];
    if (layout.blob_of(v) >= of_blob.size()) of_blob.resize(layout.blob_of(v) + 1, 0);
    ++of_blob[layout.blob_of(v)];
  }
  for (op_index op = 0; op != layout.op_count(); ++op)
    for (std::uint32_t const v : layout.reads(op)) read[v] = true;
  auto const alone = [&](std::uint32_t v) { return in_storage[layout.storage_of(v)] == 1; };
  auto const find_around = [&](std::string_view name) -> blob<B>* {
    auto const is_external = [&](link_op const& op) { return op.link.external == name; };
    bool const own = is_linked(name) || (written(name) != npos && std::ranges::none_of(ops, is_external));
    auto const at = std::ranges::find(around, name, &named_blobs::value_type::first);
    return own || at == around.end() ? nullptr : at->second;
  };

  loop_.same.assign(layout.value_count(), false);
  loop_.lasting = loop_.summed = loop_.same;
  places_ = plan_->find_blobs(blobs_);
  auto const given_values = layout.given();
  for (std::size_t i = 0; i != given_values.size(); ++i) {
    std::uint32_t const v = given_values[i];
    std::string_view const name = plan_->value_name(v);
    blob<B>* const found = find_around(name);
    if (found != nullptr) places_.given[i] = found;
    if (is_linked(name)) continue;
    if (found == nullptr) unbound_.emplace_back(name);
    bool const stays =
        alone(v) && of_blob[layout.blob_of(v)] == 1 && std::ranges::find(changing, places_.given[i]) == changing.end();
    loop_.lasting[v] = stays;
    loop_.same[v] = stays && found != nullptr;
  }
  auto const published = layout.published();
  for (std::size_t i = 0; i != published.size(); ++i)
    if (blob<B>* const found = find_around(plan_->value_name(published[i]))) places_.published[i] = found;
  for (linked_place const& link : links_) {
    if (std::ranges::count(links_, link.internal, &linked_place::internal) != 1) continue;
    if (link.source && link.lasting && link.given != npos && alone(link.given)) loop_.lasting[link.given] = true;
    if (!link.may_be_put() || !alone(link.value)) continue;
    if (link.moves && !link.added && link.window == 1 && own_places(link.sequence)) loop_.lasting[link.value] = true;
    if (!link.moves && link.added && !read[link.value]) loop_.summed[link.value] = true;
  }
}

template <backend B>
template <class TypeOf>
auto linked_step_net<B>::forecast(std::span<tensor_spec const> sequences, std::size_t steps, bool backward,
                                  TypeOf&& type_of) -> step_memory {
  step_memory made;
  auto const kept = std::span(links_).subspan(first_kept());
  auto const linked = std::span(links_).first(links_.size() - kept.size());
  auto const places = [&](linked_place const& link) {
    tensor_spec type = sequences[link.sequence];
    type.dims.set(0, link.window);
    return type;
  };
  for (linked_place const& link : linked) {
    if (link.sequence >= sequences.size()) continue;
    if (link.filled && link.first_source) made.lane += memory_pool<B>::block_size(places(link).bytes());
    made.blobs.push_back({link.internal, places(link)});
  }
  if (plan_ == nullptr) return made;
  typename plan_type::given_types given_types;
  for (std::uint32_t const v : plan_->layout().given()) {
    std::string_view const name = plan_->value_name(v);
    auto const link = std::ranges::find_if(
        linked, [&](linked_place const& l) { return l.source && l.internal == name && l.sequence < sequences.size(); });
    given_types.push_back(link != linked.end() ? given_type{places(*link)} : type_of(name));
  }
  loop_.runs = steps;
  loop_.backward = backward;
  plan_->set_loop(loop_);
  typename plan_type::value_forecast plan = plan_->forecast_run(given_types);
  for (linked_place const& link : links_)  // what is written at its place has no memory of its own
    if (link.may_be_put() && !link.added)
      if (std::uint32_t const home = plan.homes[link.value]; home != npos) plan.kept[home] = 0;
  for (linked_place const& link : kept) made.kept.push_back(plan.types[link.value].bytes());
  for (std::string const& name : each_) made.each += memory_pool<B>::block_size(plan.types[written(name)].bytes());
  for (std::string const& name : each_)
    if (std::uint32_t const home = plan.homes[written(name)]; home != npos) plan.kept[home] = 0;
  for (std::size_t const bytes : plan.kept) made.lane += bytes;
  made.once = plan.blocks + plan.packed + plan.inside;
  for (std::uint32_t const v : plan_->layout().published())
    made.blobs.push_back({std::string(plan_->value_name(v)), plan.types[v], std::move(plan.elements[v])});
  return made;
}

/// Returns the blobs of pairs of something and a blob.
template <backend B, class Pairs>
std::vector<blob<B> const*> blobs_of(Pairs const& pairs) {
  std::vector<blob<B> const*> made;
  for (auto const& [other, at] : pairs) made.push_back(at);
  return made;
}

/// Throws shape_error if a link leaves its sequence within `steps` steps.
inline void expect_room(linked_place const& link, std::string_view external, recurrent_sequence const& s,
                        std::int64_t steps) {
  if (s.type.dims.rank() == 0)
    refuse_recurrence("'" + std::string(external) + "' is " + to_string(s.type) + ", which has no steps");
  if (steps != 0 && steps - 1 + link.offset + link.window > s.type.dims[0])
    refuse_recurrence("the link of '" + link.internal + "' leaves '" + std::string(external) + "' of " +
                      std::to_string(s.type.dims[0]) + " places at step " + std::to_string(steps - 1) + ": offset " +
                      std::to_string(link.offset) + ", window " + std::to_string(link.window));
}

}  // namespace plait::detail
