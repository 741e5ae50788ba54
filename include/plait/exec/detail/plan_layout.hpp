// Plan layout: storages and live ranges of the SSA values of a net, computed once, before any shape is known.
//
// Each value has a storage. Values share one if an op may work in place or its output is a view, and no later op reads
// what is overwritten. Memory fed to a workspace is overwritten only by ops that write the blob of that name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/net_operands.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Storages of a net's values, which have the numbers of the ssa_form.
class plan_layout {
 public:
  using value_number = std::uint32_t;
  using storage_number = std::uint32_t;

  /// Memory of one or several values.
  struct storage {
    blob_index given = npos;   ///< the blob whose fed tensor it is; npos for memory of the plan
    value_number kept = npos;  ///< its value that a blob has after the run
    op_index last_use = npos;  ///< the last op that reads or writes it; npos for one that is never used
    bool shared = false;       ///< may alias memory unknown to the plan: op_schema::shares_results
  };
  /// Input that is copied before an op, which overwrites the copy.
  struct copy {
    value_number from;
    value_number to;
  };

  /// Version of a fed blob before the last, which the workspace sees only if the run fails.
  struct passing_value {
    value_number value;
    op_index made;      ///< the op that writes it
    op_index followed;  ///< the op that writes the next version
  };

  /// Computes the layout. `keep` marks, by blob, whose last value is kept. Without `share`, values share memory only if
  /// the net gives them one name. With `restores`, passing values live until the next version has been written.
  template <net N>
  void compute(ssa_form<N> const& form, net_operands const& operands, std::vector<bool> const& keep, bool share,
               bool restores);

  std::size_t op_count() const noexcept { return reads_.size(); }
  std::size_t value_count() const noexcept { return storage_of_.size(); }
  std::span<value_number const> reads(op_index op) const { return reads_[op]; }
  std::span<value_number const> writes(op_index op) const { return writes_[op]; }
  std::span<copy const> copies(op_index op) const { return copies_[op]; }
  /// Returns the values in fed memory, and passing ones, that an op overwrites: they must be rolled back if it fails,
  /// or an observer after it.
  std::span<value_number const> needs_rollback(op_index op) const { return needs_rollback_[op]; }

  /// Returns the passing values of kept blobs, in op order; none without `restores`.
  std::span<passing_value const> passing() const noexcept { return passing_; }

  /// Returns true if an op overwrites fed memory, or its output takes the name of a fed blob that is kept.
  bool replaces_given(op_index op) const { return replaces_given_[op]; }

  storage_number storage_of(value_number v) const { return storage_of_[v]; }
  storage const& operator[](storage_number s) const { return storages_[s]; }
  std::size_t storage_count() const noexcept { return storages_.size(); }
  blob_index blob_of(value_number v) const { return blob_of_[v]; }
  /// Returns the input of its op that a value overwrites or is a view of; npos if it has its own memory.
  value_number stands_in(value_number v) const { return stands_in_[v]; }

  /// Returns the last op that reads a value; op_count() if its blob has it after the run, npos if no op reads it.
  op_index last_read(value_number v) const { return last_read_[v]; }

  /// Returns the values that are blobs' last after an op.
  std::span<value_number const> published(op_index op) const { return published_[op]; }
  /// Returns the published values of all ops.
  std::span<value_number const> published() const noexcept { return published_.items(); }
  /// Returns the given values that ops read, ascending.
  std::span<value_number const> given() const noexcept { return given_; }
  /// Returns the first op of each stage, ascending: 0, and ops whose shapes are known only when they are reached. An op
  /// whose results are known after its run ends a stage.
  std::span<op_index const> stages() const noexcept { return stages_; }
  /// Returns true if the types of an op's outputs are known only after its run, and no memory is planned for them.
  bool gives_results(op_index op) const { return gives_results_[op]; }
  /// Returns the value by which an op is ordered (op_schema::in_order); npos if there is none.
  value_number ordered_by(op_index op) const { return ordered_by_[op]; }
  /// Returns true if shapes depend on elements of an op's inputs.
  bool reads_elements(op_index op) const { return reads_elements_[op]; }

 private:
  // Input numbers of the current op, each with a key. An op may have thousands of inputs: more than few_inputs are
  // sorted, and candidates() returns those with the key, else all.
  using numbered_inputs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  static constexpr std::size_t few_inputs = 8;
  static std::span<numbered_inputs::value_type const> candidates(numbered_inputs const& inputs, std::uint32_t key) {
    if (inputs.size() <= few_inputs) return inputs;
    return std::ranges::equal_range(inputs, key, {}, &numbered_inputs::value_type::first);
  }

  void look_at(op_index op);
  template <net N>
  void find_passing(ssa_form<N> const& form, std::vector<bool> const& keep, bool restores);
  bool is_free_for(storage_number s, op_index op, blob_index written, bool only_view) const;
  bool can_stand_in(op_schema const& schema, op_index op, std::size_t input, std::size_t output) const;
  value_number find_place(op_schema const& schema, op_index op, std::size_t output, bool share) const;

  csr<value_number> reads_;
  csr<value_number> writes_;
  csr<copy> copies_;
  csr<value_number> needs_rollback_;
  csr<value_number> published_;
  std::vector<storage_number> storage_of_;  // by value
  std::vector<blob_index> blob_of_;         // by value
  std::vector<value_number> stands_in_;     // by value
  std::vector<op_index> last_read_;         // by value; the number of ops if it is kept
  std::vector<storage> storages_;
  std::vector<op_index> needed_until_;  // by storage: the last read of any value in it so far
  std::vector<op_index> written_by_;    // by storage: the last op so far that has an output in it
  std::vector<bool> is_listed_twice_;   // by value, among the outputs of its op
  std::vector<bool> is_passing_;        // by value
  numbered_inputs by_blob_;
  numbered_inputs by_storage_;
  std::vector<value_number> given_;
  std::vector<op_index> stages_;
  std::vector<bool> gives_results_;       // by op
  std::vector<bool> reads_elements_;      // by op
  std::vector<value_number> ordered_by_;  // by op
  std::vector<bool> replaces_given_;      // by op
  std::vector<passing_value> passing_;
};

// Returns true if an op may write a storage, which no later op reads, or (only_view) if an output may alias it.
inline bool plan_layout::is_free_for(storage_number s, op_index op, blob_index written, bool only_view) const {
  storage const& at = storages_[s];
  if (only_view) return at.given == npos;
  if (at.given != npos && at.given != written) return false;
  return needed_until_[s] == npos || needed_until_[s] <= op;
}

inline void plan_layout::look_at(op_index op) {
  by_blob_.clear();
  by_storage_.clear();
  for (std::uint32_t i = 0; value_number v : reads_[op]) {
    by_blob_.emplace_back(blob_of_[v], i);
    by_storage_.emplace_back(storage_of_[v], i++);
  }
  if (by_blob_.size() <= few_inputs) return;
  std::ranges::sort(by_blob_);
  std::ranges::sort(by_storage_);
}

inline bool plan_layout::can_stand_in(op_schema const& schema, op_index op, std::size_t input,
                                      std::size_t output) const {
  value_number const from = reads_[op][input];
  value_number const to = writes_[op][output];
  storage_number const s = storage_of_[from];
  bool const view = schema.is_view(input, output);
  // A view writes nothing, but two kept values must not alias.
  bool const kept = last_read_[to] >= op_count();
  if (view && storages_[s].kept == npos && !kept && is_free_for(s, op, blob_of_[to], true))
    return !is_listed_twice_[to];  // else a result would overwrite the input
  // Nested nets overwrite an input in place if it has the name of what they write.
  bool const updated = schema.has_results_after_run() && blob_of_[from] == blob_of_[to];
  if (!view && !updated && !schema.may_be_in_place(input, output) && !schema.updates_in_place(input, output))
    return false;
  // Listed twice: the second would read what the first writes.
  if (!updated && is_listed_twice_[to]) return false;
  if (!view && storages_[s].shared) return false;
  if (!is_free_for(s, op, blob_of_[to], false)) return false;
  // Other operands that alias it would change.
  for (auto const& [held, i] : candidates(by_storage_, s))
    if (held == s && i != input && (reads_[op][i] != from || !schema.may_be_in_place(i, output))) return false;
  return written_by_[s] != op;
}

// Returns the input whose memory an output can take; npos if it needs its own.
inline plan_layout::value_number plan_layout::find_place(op_schema const& schema, op_index op, std::size_t output,
                                                         bool share) const {
  std::span<value_number const> const row = reads(op);
  blob_index const name = blob_of_[writes_[op][output]];
  for (auto const& [blob, i] : candidates(by_blob_, name))  // in-place ops of the net come first
    if (blob == name && can_stand_in(schema, op, i, output)) return row[i];
  if (!share || schema.has_results_after_run()) return npos;
  for (std::size_t i = 0; i != row.size(); ++i)
    if (can_stand_in(schema, op, i, output)) return row[i];
  return npos;
}

template <net N>
void plan_layout::compute(ssa_form<N> const& form, net_operands const& operands, std::vector<bool> const& keep,
                          bool share, bool restores) {
  auto const ops = static_cast<op_index>(form.op_count());
  std::size_t const values = form.value_count();
  reads_.clear();
  writes_.clear();
  reads_.reserve(ops, form.read_count() + operands.more.item_count());
  writes_.reserve(ops, values);
  for (op_index op = 0; op != ops; ++op) {
    for (value v : form.reads(op).first(operands.listed[op])) reads_.push(form.index(v));
    for (value v : operands.more[op]) reads_.push(form.index(v));
    reads_.end_row();
    for (value v : operands.written[op]) writes_.push(form.index(v));
    writes_.end_row();
  }

  is_listed_twice_.assign(values, false);
  std::vector<bool> is_listed(values, false);
  for (value_number v : writes_.items()) {
    if (is_listed[v]) is_listed_twice_[v] = true;
    is_listed[v] = true;
  }
  written_by_.clear();
  blob_of_.assign(values, npos);
  last_read_.assign(values, npos);
  stands_in_.assign(values, npos);
  storage_of_.assign(values, npos);
  storages_.clear();
  needed_until_.clear();
  given_.clear();
  for (blob_index b : form.blobs()) {
    for (std::uint32_t version = form.first_version(b); version <= form.version(b); ++version)
      blob_of_[form.index({b, version})] = b;
    value const last{b, form.version(b)};
    bool const only_given = form.producing_op(last) == npos;
    if (keep[b] || only_given) last_read_[form.index(last)] = ops;
  }
  for (op_index op = 0; op != ops; ++op)
    for (value_number v : reads_[op])
      if (last_read_[v] == npos || last_read_[v] < op) last_read_[v] = op;
  find_passing(form, keep, restores);

  copies_.clear();
  needs_rollback_.clear();
  published_.clear();
  stages_.assign(ops == 0 ? 0 : 1, 0);
  gives_results_.assign(ops, false);
  reads_elements_ = operands.elements;
  ordered_by_.assign(ops, npos);
  for (op_index op = 0; op != ops; ++op) {
    op_schema const& schema = *operands.schemas[op];
    gives_results_[op] = schema.has_results_after_run();
    if (auto const i = schema.ordered_input(); i && *i < reads_[op].size()) ordered_by_[op] = reads_[op][*i];
    if (op != 0 && (reads_elements_[op] || gives_results_[op - 1])) stages_.push_back(op);
    for (value_number v : reads_[op])
      if (storage_of_[v] == npos) {
        storage_of_[v] = static_cast<storage_number>(storages_.size());
        storages_.push_back({blob_of_[v], npos, op});
        needed_until_.push_back(last_read_[v]);
        written_by_.push_back(npos);
        given_.push_back(v);
      }
    for (value_number v : reads_[op]) storages_[storage_of_[v]].last_use = op;
    look_at(op);

    for (std::size_t output = 0; output != writes_[op].size(); ++output) {
      value_number const v = writes_[op][output];
      if (storage_of_[v] != npos) continue;  // an output listed twice
      stands_in_[v] = find_place(schema, op, output, share);
      if (stands_in_[v] == npos) {
        storages_.push_back({npos, npos, op});
        needed_until_.push_back(npos);
        written_by_.push_back(npos);
      }
      storage_number const s =
          stands_in_[v] == npos ? static_cast<storage_number>(storages_.size() - 1) : storage_of_[stands_in_[v]];
      storage_of_[v] = s;
      written_by_[s] = op;
      storages_[s].last_use = op;
      storages_[s].shared = storages_[s].shared || operands.sharing[op];
      if (last_read_[v] != npos && (needed_until_[s] == npos || needed_until_[s] < last_read_[v]))
        needed_until_[s] = last_read_[v];
      if (last_read_[v] >= ops && last_read_[v] != npos) {
        storages_[s].kept = v;
        published_.push(v);
      }
      // Shared results have their own memory, and leave the previous values of their blobs unchanged.
      bool const restored = storages_[s].given != npos || (stands_in_[v] != npos && is_passing_[stands_in_[v]]);
      if (restored && !schema.has_shared_results()) needs_rollback_.push(stands_in_[v]);
      for (operand_pair const pair : schema.updates())
        if (pair.output == output && pair.input < reads_[op].size() && storage_of_[reads_[op][pair.input]] != s)
          copies_.push({reads_[op][pair.input], v});
    }
    published_.end_row();
    needs_rollback_.end_row();
    copies_.end_row();
  }
  for (passing_value const& p : passing_) {
    op_index& last_use = storages_[storage_of_[p.value]].last_use;
    last_use = std::max(last_use, p.followed);
  }
  std::ranges::sort(given_);
  std::vector<bool> is_given(form.blob_bound(), false);
  for (value_number v : given_) is_given[blob_of_[v]] = true;
  replaces_given_.clear();
  for (op_index op = 0; op != ops; ++op)
    replaces_given_.push_back(!needs_rollback_[op].empty() || std::ranges::any_of(published_[op], [&](value_number v) {
      return is_given[blob_of_[v]];
    }) || std::ranges::any_of(writes_[op], [&](value_number v) { return is_passing_[v]; }));
}

// Finds the versions of kept fed blobs between the first and the last.
template <net N>
void plan_layout::find_passing(ssa_form<N> const& form, std::vector<bool> const& keep, bool restores) {
  passing_.clear();
  is_passing_.assign(form.value_count(), false);
  if (!restores) return;
  std::vector<bool> is_given(form.blob_bound(), false);
  for (value_number v : reads_.items())
    if (value const first{blob_of_[v], form.first_version(blob_of_[v])};
        v == form.index(first) && form.producing_op(first) == npos)
      is_given[blob_of_[v]] = true;
  for (op_index op = 0; op != reads_.size(); ++op)
    for (value_number v : writes_[op]) {
      blob_index const b = blob_of_[v];
      std::uint32_t const version = form.first_version(b) + (v - form.index({b, form.first_version(b)}));
      if (!keep[b] || !is_given[b] || version == form.version(b) || is_passing_[v]) continue;
      // No op produces the first of the two versions that an output listed twice has.
      std::uint32_t next = version + 1;
      while (form.producing_op({b, next}) == npos) ++next;
      op_index const followed = form.producing_op({b, next});
      is_passing_[v] = true;
      passing_.push_back({v, op, followed});
      if (last_read_[v] == npos || last_read_[v] < followed) last_read_[v] = followed;
    }
}

}  // namespace plait
