// Column-parallel group: each thread runs all ops of the group, on operands of one row, for its columns.
//
// With one row, reading the weights takes most of the time, and each thread reads only its own columns of them, where
// each part of a row-parallel group would read all. What a thread computes stays in its cache for the next op.
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
#include <plait/exec/detail/fusion/fused_group.hpp>
#include <plait/exec/detail/kernels/column_part.hpp>
#include <plait/exec/detail/kernels/spinning_pool.hpp>
#include <plait/exec/kernels/for_each.hpp>

namespace plait {

/// Ops on operands of one row, made of blocks of one width. On hosts.
template <backend B>
class column_group final : public fused_group<B> {
 public:
  static constexpr std::size_t most_operands = 16;   ///< of an element-wise op
  static constexpr std::size_t floats_of_line = 16;  ///< of memory: no two threads write to one

  explicit column_group(op_index op) : fused_group<B>(op) {}

  /// Adds the next op; returns false if the group ends before it. O(operands of the group).
  bool take(fusion_candidate<B> const& c);
  /// Returns true if the group pays.
  bool pays(cost_model const& costs) const {
    return members_.size() > 1 && work_ >= costs.column_work && width_ % step_ == 0 && width_ / step_ > 1;
  }

  group_kind kind() const noexcept override { return group_kind::columns; }
  std::size_t size() const noexcept override { return members_.size(); }
  void run(op_index& op) override;

 private:
  bool fits(group_member<B> const& m, std::size_t block) const;
  void run_part(group_member<B> const& m, column_part const& part) const;

  static std::size_t width_of(slot const& s) { return static_cast<std::size_t>(s.type.dims.size()); }
  static bool is_row(tensor_spec const& type) {
    shape const& dims = type.dims;
    return dims.rank() != 0 && dims.size() != 0 && dims.size() == dims[dims.rank() - 1];
  }

  std::size_t width_ = 0;  // of a block
  std::size_t step_ = floats_of_line;
  std::size_t work_ = 0;
  bool backwards_ = false;
  std::vector<group_member<B>> members_;  // by columns or elements
};

template <backend B>
bool column_group<B>::take(fusion_candidate<B> const& c) {
  auto const* pattern = c.find(pattern_kind::columns);
  if (pattern == nullptr) pattern = c.find(pattern_kind::elements);
  if (pattern == nullptr || c.context->output_count() == 0) return false;
  group_member<B> next{c.kernel, c.context, *pattern};
  if (next.by.kind == pattern_kind::elements) {
    std::size_t const operands = c.context->input_count() + c.context->output_count();
    std::size_t const elements = c.context->output_size(0);
    if (operands > most_operands || elements < 2) return false;
    for (std::size_t i = 0; i != c.context->input_count(); ++i)
      if (c.context->size(i) != elements) next.by.whole_inputs |= std::uint64_t{1} << i;
    next.by.work = elements;
  }
  // The narrowest operand is a block, if no op has a width of its own.
  std::size_t block = width_ == 0 ? npos : width_;
  if (next.by.width != 0) block = std::min(block, next.by.width);
  for (std::size_t i = 0; i != c.context->input_count(); ++i)
    if (!next.by.is_whole_input(i)) block = std::min(block, width_of(*c.context->inputs()[i]));
  for (slot const* made : c.context->outputs()) block = std::min(block, width_of(*made));
  if (!fits(next, block) || std::ranges::any_of(members_, [&](auto const& m) { return !fits(m, block); })) return false;
  if (std::ranges::any_of(members_, [&](auto const& m) { return detail::clashes(m, next); })) return false;
  if (detail::clashes(next, next)) return false;
  width_ = block;
  step_ = std::lcm(step_, next.by.step);
  work_ += next.by.work;
  members_.push_back(next);
  return true;
}

// Returns true if a member's operands are rows of whole blocks of this width.
template <backend B>
bool column_group<B>::fits(group_member<B> const& m, std::size_t block) const {
  auto const is_made_of_blocks = [block](slot const* s) { return is_row(s->type) && width_of(*s) % block == 0; };
  if (m.by.width != 0 && m.by.width != block) return false;
  for (std::size_t i = 0; i != m.context->input_count(); ++i)
    if (!m.by.is_whole_input(i) && !is_made_of_blocks(m.context->inputs()[i])) return false;
  return std::ranges::all_of(m.context->outputs(), is_made_of_blocks);
}

template <backend B>
void column_group<B>::run(op_index& op) {
  std::size_t const steps = width_ / step_;
  std::size_t const parts = std::min(steps, detail::threads_here<B>());
  for_each_part<B>(parts, [&](std::size_t p) {
    column_part const part{width_, p * steps / parts * step_, (p + 1) * steps / parts * step_, backwards_};
    for (group_member<B> const& m : members_) run_part(m, part);
  });
  backwards_ = !backwards_;
  op = this->first + static_cast<op_index>(members_.size() - 1);
}

template <backend B>
void column_group<B>::run_part(group_member<B> const& m, column_part const& part) const {
  if (m.by.kind == pattern_kind::columns)
    return m.kernel->run_part(*m.context, {.kind = op_part::kinds::columns, .columns = part});
  std::array<void*, most_operands> at;
  for (std::size_t block = part.first; block < m.context->output_size(0); block += width_) {
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

}  // namespace plait
