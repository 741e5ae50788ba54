// Ops after one another on a single row, each thread running all of them for its columns: the product of a vector, what
// is done to each of its elements, and the units of a recurrent cell. Threads meet once instead of once an op, and what
// one makes is not fetched from another's cache.
//
// For several rows there are row_groups, where a thread needs nothing of what others make, not even from step to step
// of a recurrence; but each reads all weights. With a single row reading them takes most of the time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/cost_model.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/kernels/column_part.hpp>
#include <plait/exec/detail/kernels/standing_team.hpp>
#include <plait/exec/detail/op_groups.hpp>
#include <plait/exec/detail/op_rows.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

namespace detail {

/// Ops on a single row, of which each thread does its columns.
template <backend B>
struct column_group {
  static constexpr std::size_t most_operands = 16;   // of an op by element
  static constexpr std::size_t floats_of_line = 16;  // of memory: no two threads write to one

  struct member {
    op_kernel<B>* kernel;
    op_context<B>* context;
    op_pattern<B> by;  // of columns or elements
  };

  op_index first = 0;
  std::size_t width = 0;  // of a block
  std::size_t step = floats_of_line;
  std::size_t work = 0;
  bool backwards = false;
  std::vector<member> members = {};

  void begin(op_index op) {
    first = op;
    width = work = 0;
    step = floats_of_line;
    backwards = false;
    members.clear();
  }
  bool take(group_candidate<B> const& c);
  bool fits(member const& m, std::size_t block) const;
  bool is_worth_it(cost_model const& costs) const;
  void run();
  void run(member const& m, column_part const& part) const;

  static std::size_t width_of(slot const& s) { return static_cast<std::size_t>(s.type.dims.size()); }
  static bool is_row(tensor_spec const& type) {
    shape const& dims = type.dims;
    return dims.rank() != 0 && dims.size() != 0 && dims.size() == dims[dims.rank() - 1];
  }
};

}  // namespace detail

/// The groups among the ops of a plan, while types and kernels stay as they are. On devices, and for one thread, none
/// are found.
template <backend B>
class column_groups : public op_groups<detail::column_group<B>> {
 public:
  /// Looks for groups of two ops and more; `at(op)` is the candidate of that number. Where operands stand may change
  /// afterwards, but not whether two of them share memory. O(operands of a group, squared).
  template <class At>
  void find(op_index ops, At const& at, cost_model const& costs = {}) {
    this->clear();
    if constexpr (!B::on_device) {
      if (B::concurrency() == 1) return;
      for (op_index op = 0; op < ops;) {
        detail::column_group<B> made = this->make(op);
        op = this->fill(made, ops, at);
        if (made.is_worth_it(costs))
          this->add(std::move(made));
        else
          this->put_back(std::move(made));
      }
    }
  }

  /// Runs the group that begins with `op`, which is left at its last.
  void run(op_index& op) {
    if constexpr (!B::on_device) {
      auto& found = this->at(op);
      found.run();
      op += static_cast<op_index>(found.members.size() - 1);
    }
  }
};

namespace detail {

template <backend B>
bool column_group<B>::take(group_candidate<B> const& c) {
  auto const* pattern = c.find(pattern_kind::columns);
  if (pattern == nullptr) pattern = c.find(pattern_kind::elements);
  if (pattern == nullptr || c.context->output_count() == 0) return false;
  member next{c.kernel, c.context, *pattern};
  if (next.by.kind == pattern_kind::elements) {
    std::size_t const operands = c.context->input_count() + c.context->output_count();
    std::size_t const elements = c.context->output_size(0);
    if (operands > most_operands || elements < 2) return false;
    for (std::size_t i = 0; i != c.context->input_count(); ++i)
      if (c.context->size(i) != elements) next.by.whole_inputs |= std::uint64_t{1} << i;
    next.by.work = elements;
  }
  // The narrowest operand is a block, if no op says what one is.
  std::size_t block = width == 0 ? npos : width;
  if (next.by.width != 0) block = std::min(block, next.by.width);
  for (std::size_t i = 0; i != c.context->input_count(); ++i)
    if (!next.by.is_whole_input(i)) block = std::min(block, width_of(*c.context->inputs()[i]));
  for (slot const* made : c.context->outputs()) block = std::min(block, width_of(*made));
  if (!fits(next, block) || std::ranges::any_of(members, [&](member const& m) { return !fits(m, block); }))
    return false;
  for (member const& before : members)
    if (clashes(*before.context, before.by, *next.context, next.by)) return false;
  if (clashes(*next.context, next.by, *next.context, next.by)) return false;
  width = block;
  step = std::lcm(step, next.by.step);
  work += next.by.work;
  members.push_back(next);
  return true;
}

// Whether a member's operands are rows of whole blocks of this width.
template <backend B>
bool column_group<B>::fits(member const& m, std::size_t block) const {
  auto const is_made_of_blocks = [block](slot const* s) { return is_row(s->type) && width_of(*s) % block == 0; };
  if (m.by.width != 0 && m.by.width != block) return false;
  for (std::size_t i = 0; i != m.context->input_count(); ++i)
    if (!m.by.is_whole_input(i) && !is_made_of_blocks(m.context->inputs()[i])) return false;
  return std::ranges::all_of(m.context->outputs(), is_made_of_blocks);
}

template <backend B>
bool column_group<B>::is_worth_it(cost_model const& costs) const {
  return members.size() > 1 && work >= costs.column_work && width % step == 0 && width / step > 1;
}

template <backend B>
void column_group<B>::run() {
  std::size_t const steps = width / step;
  std::size_t const parts = std::min(steps, detail::threads_here<B>());
  for_each_part<B>(parts, [&](std::size_t p) {
    column_part const part{width, p * steps / parts * step, (p + 1) * steps / parts * step, backwards};
    for (member const& m : members) run(m, part);
  });
  backwards = !backwards;
}

template <backend B>
void column_group<B>::run(member const& m, column_part const& part) const {
  if (m.by.kind == pattern_kind::columns)
    return m.kernel->run_part(*m.context, {.kind = op_part::kinds::columns, .columns = part});
  std::array<void*, most_operands> at;
  for (std::size_t block = part.first; block < m.context->output_size(0); block += width) {
    std::size_t operand = 0;
    for (std::size_t i = 0; i != m.context->input_count(); ++i) {
      slot const& s = *m.context->inputs()[i];
      std::size_t const offset = m.by.is_whole_input(i) ? 0 : block * size_of(s.type.type);
      at[operand++] = static_cast<std::byte*>(s.data) + offset;
    }
    for (slot const* made : m.context->outputs())
      at[operand++] = static_cast<std::byte*>(made->data) + block * size_of(made->type.type);
    m.by.does.run(m.by.does.self, at.data(), part.last - part.first);
  }
}

}  // namespace detail

}  // namespace plait
