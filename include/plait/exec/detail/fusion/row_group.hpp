// Row-parallel group: each thread runs all ops of the group for its rows, with one barrier for all of them.
//
// For the time steps of a recurrence, where an op takes hardly longer than a barrier. A sum of an op's output and
// another value is computed by that op itself (op_part::addend).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/cost_model.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/fusion/fused_group.hpp>
#include <plait/exec/detail/kernels/accumulate.hpp>
#include <plait/exec/detail/moving_storage.hpp>
#include <plait/exec/detail/op_rows.hpp>
#include <plait/exec/kernels/for_each.hpp>

namespace plait {

/// Ops on equal numbers of rows. On devices only a pair: an op, and the sum that it computes too.
template <backend B>
class row_group final : public fused_group<B> {
 public:
  row_group(op_index op, cost_model const& costs) : fused_group<B>(op), costs_(costs) {}

  /// Adds the next op; returns false if the group ends before it. O(operands of the group).
  bool take(fusion_candidate<B> const& c);
  /// After the last op: returns true if the group pays, and divides its rows among threads. If not, and sums_alone(),
  /// a group may begin with its second op.
  bool finish();
  /// Returns true if threads divide the first op better than by rows: only a sum may follow it.
  bool is_undivided() const { return !members_.empty() && members_.front().by.undivided && B::concurrency() != 1; }

  group_kind kind() const noexcept override { return group_kind::rows; }
  std::size_t size() const noexcept override { return members_.size(); }
  void run(op_index& op) override;
  bool divides(std::uint32_t storage) const override {
    return detail::divides(std::span<group_member<B> const>(members_), storage);
  }

  // ---- loops over a group
  /// Returns true if each thread may execute several runs of its rows without barriers. The caller ensures that values
  /// shared by all rows are set before and persist, and that different runs access one storage in the same rows only.
  bool may_interchange() const;
  /// Returns true if an op shares a storage between all rows.
  bool has_whole(std::uint32_t storage) const {
    return !detail::divides(std::span<group_member<B> const>(members_), storage);
  }
  /// Executes several runs, rows outside and runs inside, with operands at moving places. Throws what the first failing
  /// op of the first failing run throws; `run` and `op` are that run and op.
  void run_all(std::size_t runs, std::span<moving_storage const> moving, std::span<moving_addend const> addends,
               std::size_t& run, op_index& op);

 private:
  // The rows of one thread.
  struct part {
    std::size_t first = 0;
    std::size_t last = 0;
    op_rows<B> ops = {};
    std::size_t run = 0;   // of several
    std::size_t done = 0;  // members
    std::exception_ptr failure = nullptr;
  };
  bool may_follow(op_pattern<B> const& next) const;
  void find_sums();
  bool pays() const;
  void divide();
  void run_whole_outputs(op_index& op);
  void run_members(part& p);
  void run_rows(part& p);
  void run_runs(part& p, std::size_t runs, std::span<moving_storage const> moving,
                std::span<moving_addend const> addends);
  template <class F>
  void for_each(F const& run_one);
  void throw_first(std::size_t& run, op_index& op);

  cost_model costs_;
  std::size_t rows_ = 0;
  std::size_t work_ = 0;
  std::vector<group_member<B>> members_;
  std::vector<row_sums<B>*> sums_;    // by member: to which whole outputs are added
  std::vector<std::size_t> addends_;  // by member: the input of the next member that is added, which is done then
  std::vector<part> parts_;
  std::vector<std::size_t> moved_;  // by operand of a part: which of the moving storages; npos: none
};

template <backend B>
bool row_group<B>::take(fusion_candidate<B> const& c) {
  auto const* const pattern = c.find(pattern_kind::rows);
  if (pattern == nullptr || c.replaces_given) return false;
  group_member<B> const next{c.kernel, c.context, *pattern};
  if (next.by.whole_outputs_are_sums && (c.sums == nullptr || !c.sums->lasting())) return false;
  if (!may_follow(next.by)) return false;
  if constexpr (!B::on_device) {
    if (members_.empty()) {  // as many rows as the first output that is not whole
      std::size_t o = 0;
      while (o != c.context->output_count() && next.by.is_whole_output(o)) ++o;
      if (o == c.context->output_count()) return false;
      tensor_spec const& made = c.context->output_spec(o);
      rows_ = static_cast<std::size_t>(made.dims.rank() == 0 ? 1 : made.dims.size_to(made.dims.rank() - 1));
      if (rows_ < 2) return false;
    }
    for (std::size_t i = 0; i != c.context->input_count(); ++i)
      if (!next.by.is_whole_input(i) && !divides_into_rows(c.context->input_spec(i), rows_)) return false;
    for (std::size_t o = 0; o != c.context->output_count(); ++o)
      if (!next.by.is_whole_output(o) && !divides_into_rows(c.context->output_spec(o), rows_)) return false;
    for (group_member<B> const& before : members_)
      if (detail::clashes(before, next)) return false;
  }
  work_ += next.by.work;
  members_.push_back(next);
  sums_.push_back(c.sums);
  return true;
}

template <backend B>
bool row_group<B>::may_follow(op_pattern<B> const& next) const {
  if constexpr (B::on_device) return members_.empty() || (members_.size() == 1 && next.is_sum);
  bool const only_sums = is_undivided() || B::concurrency() == 1;
  if (only_sums && !members_.empty()) return members_.size() == 1 && next.is_sum;
  return members_.empty() || !next.undivided || B::concurrency() == 1;
}

template <backend B>
bool row_group<B>::finish() {
  find_sums();
  if (!pays()) return false;
  if constexpr (!B::on_device) divide();
  return true;
}

template <backend B>
bool row_group<B>::pays() const {
  if (members_.size() < 2) return false;
  bool const adds = std::ranges::any_of(addends_, [](std::size_t a) { return a != npos; });
  if (B::on_device || B::concurrency() == 1 || is_undivided()) return adds;
  return work_ >= costs_.row_work;
}

// A sum must be in place: no other op can read one of its summands then.
template <backend B>
void row_group<B>::find_sums() {
  addends_.assign(members_.size(), npos);
  for (std::size_t k = 0; k + 1 < members_.size(); ++k) {
    group_member<B> const& sum = members_[k + 1];
    if (!members_[k].by.can_add || !sum.by.is_sum) continue;
    slot const* const made = members_[k].context->outputs()[0];
    slot const* const out = sum.context->outputs()[0];
    if (out->storage != made->storage || out->type.bytes() != made->type.bytes()) continue;
    for (std::size_t i = 0; i != 2; ++i)
      if (sum.context->inputs()[1 - i]->storage == made->storage && sum.context->inputs()[i]->storage != made->storage)
        addends_[k] = i;
  }
}

template <backend B>
void row_group<B>::divide() {
  std::size_t const count = is_undivided() ? 1 : std::min<std::size_t>(rows_, B::concurrency());
  std::size_t operands = 0;
  for (group_member<B> const& m : members_) operands += m.context->input_count() + m.context->output_count();
  parts_.resize(count);
  for (std::size_t k = 0; k != count; ++k) {
    part& p = parts_[k];
    p.first = k * rows_ / count;
    p.last = (k + 1) * rows_ / count;
    p.ops.begin(rows_, operands);
    for (group_member<B> const& m : members_) p.ops.add(*m.context, m.by);
  }
}

template <backend B>
void row_group<B>::run(op_index& op) {
  op = this->first;
  if constexpr (B::on_device) {
    members_[0].kernel->run_part(*members_[0].context, {.addend = members_[1].context->raw_input(addends_[0])});
    op += 1;
  } else {
    run_whole_outputs(op);
    for_each([this](part& p) { run_rows(p); });
    std::size_t only = 0;
    throw_first(only, op);
    op = this->first + static_cast<op_index>(members_.size() - 1);
  }
}

template <backend B>
void row_group<B>::run_whole_outputs(op_index& op) {
  for (std::size_t k = 0; k != members_.size(); ++k, ++op) {
    group_member<B> const& m = members_[k];
    if (m.by.whole_outputs_are_sums)
      sums_[k]->add(*m.context);
    else if (m.by.whole_outputs != 0)
      m.kernel->run_part(*m.context, {.kind = op_part::kinds::outputs, .outputs = m.by.whole_outputs});
  }
}

template <backend B>
void row_group<B>::run_members(part& p) {
  for (p.done = 0; p.done != members_.size(); ++p.done) {
    group_member<B> const& m = members_[p.done];
    std::size_t const addend = addends_[p.done];
    if (addend == npos) {
      m.kernel->run_part(p.ops.context(p.done), {});
    } else {
      m.kernel->run_part(p.ops.context(p.done), {.addend = p.ops.context(p.done + 1).raw_input(addend)});
      ++p.done;
    }
  }
}

template <backend B>
void row_group<B>::run_rows(part& p) {
  if (p.first == p.last) return;
  p.ops.narrow(p.first, p.last, [&](std::size_t operand, std::size_t offset) {
    return static_cast<std::byte*>(p.ops.operand(operand).data) + offset;
  });
  run_members(p);
}

// Each part in a thread of its own.
template <backend B>
template <class F>
void row_group<B>::for_each(F const& run_one) {
  auto const run_part = [&](std::size_t k) {
    try {
      run_one(parts_[k]);
    } catch (...) {
      parts_[k].failure = std::current_exception();
    }
  };
  if constexpr (!B::on_device) {
    if (parts_.size() == 1)
      run_part(0);
    else
      for_each_part<B>(parts_.size(), run_part);
  }
}

// Rethrows the first failure in the order of a sequential run.
template <backend B>
void row_group<B>::throw_first(std::size_t& run, op_index& op) {
  part* failed = nullptr;
  for (part& p : parts_)
    if (p.failure && (failed == nullptr || std::pair(p.run, p.done) < std::pair(failed->run, failed->done)))
      failed = &p;
  if (failed == nullptr) return;
  run = failed->run;
  op = this->first + static_cast<op_index>(failed->done);
  std::exception_ptr const failure = failed->failure;
  for (part& p : parts_) p.failure = nullptr;
  std::rethrow_exception(failure);
}

// Two members that share a storage share the same rows of it; each must do so with itself, too.
template <backend B>
bool row_group<B>::may_interchange() const {
  return parts_.size() > 1 &&
         std::ranges::none_of(members_, [](group_member<B> const& m) { return detail::clashes(m, m); });
}

template <backend B>
void row_group<B>::run_all(std::size_t runs, std::span<moving_storage const> moving,
                           std::span<moving_addend const> addends, std::size_t& run, op_index& op) {
  auto const find = [&](slot const& s) {
    auto const at = std::ranges::find(moving, s.storage, &moving_storage::storage);
    return at == moving.end() ? static_cast<std::size_t>(npos) : static_cast<std::size_t>(at - moving.begin());
  };
  bool const has_whole_outputs =
      std::ranges::any_of(members_, [](group_member<B> const& m) { return m.by.whole_outputs != 0; });
  for (run = 0; has_whole_outputs && run != runs; ++run) {
    for (group_member<B> const& m : members_)
      for (auto const operands : {m.context->inputs(), m.context->outputs()})
        for (slot* const s : operands)
          if (std::size_t const k = find(*s); k != npos) s->data = moving[k].at(run);
    op = this->first;
    run_whole_outputs(op);
  }
  moved_.clear();
  op_rows<B> const& ops = parts_.front().ops;
  for (std::size_t operand = 0; operand != ops.operand_count(); ++operand) moved_.push_back(find(ops.operand(operand)));
  for_each([&](part& p) { run_runs(p, runs, moving, addends); });
  throw_first(run, op);
}

template <backend B>
void row_group<B>::run_runs(part& p, std::size_t runs, std::span<moving_storage const> moving,
                            std::span<moving_addend const> addends) {
  for (p.run = 0; p.run != runs; ++p.run) {
    p.ops.narrow(p.first, p.last, [&](std::size_t operand, std::size_t offset) {
      std::size_t const k = moved_[operand];
      return (k == npos ? static_cast<std::byte*>(p.ops.operand(operand).data) : moving[k].at(p.run)) + offset;
    });
    run_members(p);
    for (moving_addend const& a : addends) {
      std::byte const* const from = a.at(moving[a.to].place(p.run));
      std::size_t const width = a.elements / rows_;
      std::size_t const offset = p.first * width * size_of(a.type);
      if (from != nullptr)
        accumulate<B>(a.type, moving[a.to].at(p.run) + offset, from + offset, (p.last - p.first) * width);
    }
  }
}

}  // namespace plait
