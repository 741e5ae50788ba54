// Ops after one another whose rows need nothing but the same rows of each other: each thread runs all of them for its
// rows, and threads meet once instead of once an op. A sum of what the op before has made and of something else may be
// made by that op on its way.
//
// Small steps of recurrences are one reason: what an op of 16 sequences takes is not much more than what a meeting
// takes. Where a whole step is such a group, threads need not even meet after each step. Large operands are the other:
// ops that are run for a few rows at a time find in the cache what the op before has made there (element_chains is for
// those that need no rows).
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/cost_model.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/kernels/accumulate.hpp>
#include <plait/exec/detail/op_groups.hpp>
#include <plait/exec/detail/op_rows.hpp>
#include <plait/exec/detail/row_sums.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

namespace detail {

/// Ops on the same rows, of which each thread does some.
template <backend B>
struct row_group {
  struct member {
    op_kernel<B>* kernel;
    op_context<B>* context;
    op_pattern<B> rows;
    bool by_element = false;
    row_sums<B>* sums = nullptr;  // what whole outputs are added to
    std::size_t addend = npos;    // the input of the next member that is added here; that member is done then
  };
  // The rows of one thread, so many of them at a time.
  struct part {
    std::size_t first = 0;
    std::size_t last = 0;
    op_rows<B> ops = {};
    std::size_t run = 0;   // of several
    std::size_t done = 0;  // members
    std::exception_ptr failure = nullptr;
  };

  // Elements for what a run has made.
  struct addition {
    std::size_t run;
    element_type type;
    std::size_t row_elements;
    void* to;
    void const* from;
  };

  void begin(op_index op, bool is_large, cost_model const& from);
  bool take(group_candidate<B> const& c);
  bool is_undivided() const;
  bool may_follow(op_pattern<B> const& next) const;
  void find_sums();
  bool is_worth_it() const;
  void divide();
  void run(op_index& op);
  void run_pair() {
    members[0].kernel->run_part(*members[0].context, {.addend = members[1].context->raw_input(members[0].addend)});
  }
  void run_whole_outputs(op_index& op);
  bool is_safe_with_itself() const;
  bool has_whole(slot const& s) const;
  void defer(op_index& op);
  void add_deferred(slot const& to, void const* elements);
  void run_deferred(std::size_t& run, op_index& op);

  static bool clashes(member const& a, member const& b) {
    return plait::clashes(*a.context, a.rows, *b.context, b.rows);
  }
  bool clashes() const;
  void run_members(part& p);
  void run_rows(part& p);
  void run_all(part& p);
  template <class F>
  void for_each(F const& run_one);
  void throw_first(std::size_t& run, op_index& op);

  op_index first = 0;
  bool large = false;
  cost_model costs = {};
  std::size_t rows = 0;
  std::size_t at_once = 0;  // rows
  std::size_t work = 0;
  std::vector<member> members = {};
  std::vector<part> parts = {};
  std::vector<void*> deferred = {};  // where the operands of a part are in runs that were put off
  std::size_t runs = 0;              // these
  std::vector<addition> added = {};  // when they have run, in their order
};

}  // namespace detail

/// The groups among the ops of a plan, while types and kernels stay as they are. On devices only pairs are found: an op
/// and the sum that it makes on its way.
template <backend B>
class row_groups : public op_groups<detail::row_group<B>> {
 public:
  /// Ops of a group of large operands at most: whether it may be run so is asked anew each time.
  static constexpr std::size_t most_large = 32;

  /// Looks for groups of small steps: for one thread those in which a sum is made on the way. Where operands stand may
  /// change afterwards, but not whether two of them share memory. `at(op)` is the candidate of that number. O(operands
  /// of a group, squared).
  template <class At>
  void find(op_index ops, At const& at, cost_model const& costs = {}) {
    this->clear();
    if constexpr (B::on_device)
      find_pairs(ops, at);
    else
      find(ops, at, false, costs);
  }
  /// Looks for groups of large operands, on which whatever can be run in pieces is. What changes afterwards is no
  /// matter: a group that shares memory as it must not when it is run is run one op after the other.
  template <class At>
  void find_large(op_index ops, At const& at, cost_model const& costs = {}) {
    this->clear();
    if constexpr (!B::on_device) find(ops, at, true, costs);
  }

  /// Runs the group that begins with `op`, which is left at its last. Throws what a kernel throws, and leaves it there.
  void run(op_index& op) {
    auto& found = this->at(op);
    if constexpr (B::on_device)
      found.run_pair();
    else
      found.run(op);
    op = found.first + static_cast<op_index>(found.members.size() - 1);
  }

  // ---- several runs at once, of groups of small steps
  /// Whether all ops up to `ops` are one group, of which several runs may be put off and then be made by each thread
  /// for its rows, without meeting in between. That takes more of the caller: what is the same for all rows must be
  /// there already, and stay; what else an operand of one run shares memory with in another must be the same rows.
  bool may_defer(op_index ops) const {
    if (this->groups().size() != 1) return false;
    auto const& all = this->groups().front();
    return all.parts.size() > 1 && all.members.size() == ops && all.is_safe_with_itself();
  }
  /// Whether an op of a group takes a value to be the same for all rows.
  bool has_whole(slot const& s) const {
    return std::ranges::any_of(this->groups(), [&](auto const& g) { return g.has_whole(s); });
  }
  /// In place of a run: notes where the operands are. Throws what preparing one throws, and leaves `op` there.
  void defer(op_index& op) {
    if constexpr (!B::on_device) this->only().defer(op);
  }
  /// When the ops of the run that was put off last have run, elements are added to what one of them has made by rows:
  /// as many, of float or double. Nothing is copied.
  void add_deferred(slot const& to, void const* elements) {
    if constexpr (!B::on_device) this->only().add_deferred(to, elements);
  }
  /// Makes the runs that were put off. Throws what the first failing kernel of the first failing run throws; `run` and
  /// `op` are left at that.
  void run_deferred(std::size_t& run, op_index& op) {
    if constexpr (!B::on_device) this->only().run_deferred(run, op);
  }

 private:
  template <class At>
  void find_pairs(op_index ops, At const& at) {
    for (op_index op = 0; op + 1 < ops; ++op) {
      detail::row_group<B> made = this->make(op, false, cost_model());
      for (group_candidate<B> const& c : {at(op), at(op + 1)})
        if (auto const* const rows = c.find(pattern_kind::rows)) made.members.push_back({c.kernel, c.context, *rows});
      made.find_sums();
      if (made.members.size() != 2 || made.members[0].addend == npos) {
        this->put_back(std::move(made));
        continue;
      }
      this->add(std::move(made));
      ++op;
    }
  }
  template <class At>
  void find(op_index ops, At const& at, bool large, cost_model const& costs) {
    for (op_index op = 0; op < ops;) {
      detail::row_group<B> made = this->make(op, large, costs);
      op_index const end = this->fill(made, ops, at);
      made.find_sums();
      bool const is_worth_it = made.is_worth_it();
      op = made.is_undivided() && !is_worth_it ? op + 1 : end;
      if (is_worth_it) {
        made.divide();
        this->add(std::move(made));
      } else {
        this->put_back(std::move(made));
      }
    }
  }
};

namespace detail {

template <backend B>
void row_group<B>::begin(op_index op, bool is_large, cost_model const& from) {
  first = op;
  costs = from;
  large = is_large;
  rows = at_once = work = runs = 0;
  members.clear();
  deferred.clear();
  added.clear();
}

template <backend B>
bool row_group<B>::take(group_candidate<B> const& c) {
  auto const* const pattern = c.find(pattern_kind::rows);
  if (pattern == nullptr || (large && members.size() == row_groups<B>::most_large)) return false;
  member const next{c.kernel, c.context, *pattern, c.find(pattern_kind::elements) != nullptr, c.sums};
  if (next.rows.whole_outputs_are_sums && (c.sums == nullptr || !c.sums->lasting())) return false;
  if (!may_follow(next.rows) || (large && (!next.rows.in_pieces || next.rows.work < costs.large_op_work))) return false;
  if (members.empty()) {  // as many rows as the first op's first output has
    std::size_t o = 0;
    while (o != c.context->output_count() && next.rows.is_whole_output(o)) ++o;
    if (o == c.context->output_count()) return false;
    tensor_spec const& made = c.context->output_spec(o);
    shape const& dims = made.dims;
    rows = static_cast<std::size_t>(dims.rank() == 0 ? 1 : dims.size_to(dims.rank() - 1));
    if (rows < 2 || (large && (rows < B::concurrency() || made.bytes() / rows > costs.piece_bytes))) return false;
  }
  for (std::size_t i = 0; i != c.context->input_count(); ++i)
    if (!next.rows.is_whole_input(i) && !divides_into_rows(c.context->input_spec(i), rows)) return false;
  for (std::size_t o = 0; o != c.context->output_count(); ++o)
    if (!next.rows.is_whole_output(o) && !divides_into_rows(c.context->output_spec(o), rows)) return false;
  for (member const& before : members)
    if (clashes(before, next)) return false;
  work += next.rows.work;
  members.push_back(next);
  return true;
}

// Whether all rows are one part, as threads are for the ops to use.
template <backend B>
bool row_group<B>::is_undivided() const {
  return !members.empty() && members.front().rows.undivided && B::concurrency() != 1;
}

// Then nothing is gained but that a sum is made on the way.
template <backend B>
bool row_group<B>::may_follow(op_pattern<B> const& next) const {
  if (is_undivided()) return members.size() == 1 && next.is_sum;
  return members.empty() || !next.undivided || B::concurrency() == 1;
}

template <backend B>
bool row_group<B>::is_worth_it() const {
  if (members.size() < 2) return false;
  if (!large && B::concurrency() != 1 && !is_undivided()) return work >= costs.row_work;
  if (!large) return std::ranges::any_of(members, [](member const& m) { return m.addend != npos; });
  if (std::ranges::all_of(members, &member::by_element)) return false;  // element_chains is for these
  std::size_t bytes = 0;
  for (member const& m : members)
    for (slot const* made : m.context->outputs()) bytes += made->type.bytes();
  return bytes >= costs.large_bytes;
}

// The sums must be in place: of what they add up nobody else can see anything then.
template <backend B>
void row_group<B>::find_sums() {
  for (std::size_t k = 0; k + 1 < members.size(); ++k) {
    member const& sum = members[k + 1];
    if (!members[k].rows.can_add || !sum.rows.is_sum) continue;
    slot const* const made = members[k].context->outputs()[0];
    slot const* const out = sum.context->outputs()[0];
    if (out->data != made->data || out->type.bytes() != made->type.bytes()) continue;
    for (std::size_t i = 0; i != 2; ++i)
      if (sum.context->inputs()[1 - i]->data == made->data && are_apart(*sum.context->inputs()[i], *made))
        members[k].addend = i;
  }
}

template <backend B>
bool row_group<B>::clashes() const {
  for (auto next = members.begin(); next != members.end(); ++next)
    for (auto before = members.begin(); before != next; ++before)
      if (clashes(*before, *next)) return true;
  return false;
}

template <backend B>
void row_group<B>::divide() {
  std::size_t const count = is_undivided() ? 1 : std::min<std::size_t>(rows, B::concurrency());
  std::size_t operands = 0;
  std::size_t widest = 1;
  for (member const& m : members) {
    operands += m.context->input_count() + m.context->output_count();
    for (slot const* made : m.context->outputs()) widest = std::max(widest, made->type.bytes() / rows);
    for (std::size_t i = 0; i != m.context->input_count(); ++i)
      if (!m.rows.is_whole_input(i)) widest = std::max(widest, m.context->input_spec(i).bytes() / rows);
  }
  at_once = large ? std::max<std::size_t>(1, costs.piece_bytes / widest) : rows;
  parts.resize(count);
  for (std::size_t k = 0; k != count; ++k) {
    part& p = parts[k];
    p.first = k * rows / count;
    p.last = (k + 1) * rows / count;
    p.ops.begin(rows, operands);
    for (member const& m : members) p.ops.add(*m.context, m.rows);
  }
}

template <backend B>
void row_group<B>::run_members(part& p) {
  for (p.done = 0; p.done != members.size(); ++p.done) {
    member const& m = members[p.done];
    if (m.addend == npos) {
      m.kernel->run_part(p.ops.context(p.done), {});
    } else {
      m.kernel->run_part(p.ops.context(p.done), {.addend = p.ops.context(p.done + 1).raw_input(m.addend)});
      ++p.done;
    }
  }
}

template <backend B>
void row_group<B>::run_rows(part& p) {
  for (std::size_t row = p.first; row != p.last;) {
    std::size_t const end = std::min(p.last, row + at_once);
    p.ops.narrow(row, end, [&](std::size_t operand, std::size_t offset) {
      return static_cast<std::byte*>(p.ops.operand(operand).data) + offset;
    });
    run_members(p);
    row = end;
  }
}

template <backend B>
void row_group<B>::run_all(part& p) {
  auto next = added.begin();
  for (p.run = 0; p.run != runs; ++p.run) {
    void* const* const addresses = deferred.data() + p.run * p.ops.operand_count();
    p.ops.narrow(p.first, p.last, [&](std::size_t operand, std::size_t offset) {
      return static_cast<std::byte*>(addresses[operand]) + offset;
    });
    run_members(p);
    for (; next != added.end() && next->run == p.run; ++next) {
      std::size_t const offset = p.first * next->row_elements * size_of(next->type);
      accumulate<B>(next->type, static_cast<std::byte*>(next->to) + offset,
                    static_cast<std::byte const*>(next->from) + offset, (p.last - p.first) * next->row_elements);
    }
  }
}

// Each part in a thread of its own.
template <backend B>
template <class F>
void row_group<B>::for_each(F const& run_one) {
  auto const run_part = [&](std::size_t k) {
    try {
      run_one(parts[k]);
    } catch (...) {
      parts[k].failure = std::current_exception();
    }
  };
  if (parts.size() == 1)
    run_part(0);
  else
    for_each_part<B>(parts.size(), run_part);
}

// Of several failures, what one op after the other would have met.
template <backend B>
void row_group<B>::throw_first(std::size_t& run, op_index& op) {
  part* failed = nullptr;
  for (part& p : parts)
    if (p.failure && (failed == nullptr || std::pair(p.run, p.done) < std::pair(failed->run, failed->done)))
      failed = &p;
  if (failed == nullptr) return;
  run = failed->run;
  op = first + static_cast<op_index>(failed->done);
  std::exception_ptr const failure = failed->failure;
  for (part& p : parts) p.failure = nullptr;
  std::rethrow_exception(failure);
}

template <backend B>
void row_group<B>::run_whole_outputs(op_index& op) {
  for (member const& m : members) {
    if (m.rows.whole_outputs_are_sums)
      m.sums->add(*m.context);
    else if (m.rows.whole_outputs != 0)
      m.kernel->run_part(*m.context, {.kind = op_part::kinds::outputs, .outputs = m.rows.whole_outputs});
    ++op;
  }
}

template <backend B>
void row_group<B>::run(op_index& op) {
  if (large && clashes()) {
    for (member const& m : members) {
      m.kernel->run(*m.context);
      ++op;
    }
    return;
  }
  run_whole_outputs(op);
  for_each([this](part& p) { run_rows(p); });
  std::size_t only = 0;
  throw_first(only, op);
}

// Two members that share memory share the same rows of it; each must do so with itself, too.
template <backend B>
bool row_group<B>::is_safe_with_itself() const {
  return std::ranges::none_of(members, [](member const& m) { return clashes(m, m); });
}

template <backend B>
bool row_group<B>::has_whole(slot const& s) const {
  for (member const& m : members) {
    for (std::size_t i = 0; i != m.context->input_count(); ++i)
      if (m.context->inputs()[i] == &s && m.rows.is_whole_input(i)) return true;
    for (std::size_t o = 0; o != m.context->output_count(); ++o)
      if (m.context->outputs()[o] == &s && m.rows.is_whole_output(o)) return true;
  }
  return false;
}

template <backend B>
void row_group<B>::defer(op_index& op) {
  op = first;
  run_whole_outputs(op);
  op_rows<B> const& ops = parts.front().ops;
  for (std::size_t operand = 0; operand != ops.operand_count(); ++operand)
    deferred.push_back(ops.operand(operand).data);
  ++runs;
}

template <backend B>
void row_group<B>::add_deferred(slot const& to, void const* elements) {
  PLAIT_ASSERT(runs != 0 && divides_into_rows(to.type, rows), "row_groups: no run, or no rows, to add to");
  added.push_back({runs - 1, to.type.type, static_cast<std::size_t>(to.type.dims.size()) / rows, to.data, elements});
}

template <backend B>
void row_group<B>::run_deferred(std::size_t& run, op_index& op) {
  for_each([this](part& p) { run_all(p); });
  runs = 0;
  deferred.clear();
  added.clear();
  throw_first(run, op);
}

}  // namespace detail

}  // namespace plait
