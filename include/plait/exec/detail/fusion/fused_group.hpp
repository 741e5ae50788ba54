// Fusion group: consecutive ops of a plan that run together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/row_sums.hpp>
#include <plait/exec/detail/schedule.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Op of a plan that may join a fusion group, with its patterns; `kernel` is nullptr if it must run alone.
template <backend B>
struct fusion_candidate {
  op_kernel<B>* kernel = nullptr;
  op_context<B>* context = nullptr;
  std::span<op_pattern<B> const> patterns = {};
  row_sums<B>* sums = nullptr;  ///< if they are accumulated
  bool replaces_given =
      false;  ///< no op that may throw can run in parts with it: memory that was fed would be half-written

  /// Returns the first pattern of a kind; nullptr if there is none.
  op_pattern<B> const* find(pattern_kind kind) const {
    auto const at = std::ranges::find(patterns, kind, &op_pattern<B>::kind);
    return at == patterns.end() ? nullptr : &*at;
  }
};

/// Op of a fusion group, with the pattern by which it joined.
template <backend B>
struct group_member {
  op_kernel<B>* kernel;
  op_context<B>* context;
  op_pattern<B> by;
};

/// Ops `first` to `first + size() - 1`, run in parts. Decided on storages (slot::storage), before memory is placed:
/// values of different storages never overlap, and those of one storage have the same address and size.
template <backend B>
class fused_group {
 public:
  explicit fused_group(op_index op) : first(op) {}
  fused_group(fused_group const&) = delete;
  fused_group& operator=(fused_group const&) = delete;
  virtual ~fused_group() = default;

  virtual group_kind kind() const noexcept = 0;
  virtual std::size_t size() const noexcept = 0;
  /// Runs all ops with the bits of one op after the other. `op` is left at the last, or, if a kernel throws, at the op
  /// that a run in order would have stopped at.
  virtual void run(op_index& op) = 0;
  /// The same, if no operand has moved since the last run.
  virtual void run_again(op_index& op) { run(op); }
  /// Returns true if all ops access a storage in parts of equal size. Another value of that size, accessed likewise by
  /// later ops of the group, may take over its memory.
  virtual bool divides(std::uint32_t /*storage*/) const { return false; }

  op_index first;
  std::string label = {};  ///< for events: the types of its ops; empty until one is needed
};

namespace detail {

/// Returns true if fusing two ops would violate a dependence: one writes a storage that the other accesses, unless both
/// access it in equal parts. O(operands²).
template <backend B>
bool clashes(group_member<B> const& before, group_member<B> const& next) {
  auto const meet = [](slot const* a, bool a_whole, slot const* b, bool b_whole) {
    return a->storage == b->storage &&
           (a_whole || b_whole || a->type.bytes() != b->type.bytes() || size_of(a->type.type) != size_of(b->type.type));
  };
  auto const inputs_meet = [&](group_member<B> const& reader, slot const* written, bool whole) {
    for (std::size_t i = 0; i != reader.context->input_count(); ++i)
      if (meet(reader.context->inputs()[i], reader.by.is_whole_input(i), written, whole)) return true;
    return false;
  };
  for (std::size_t o = 0; o != before.context->output_count(); ++o) {
    slot const* const written = before.context->outputs()[o];
    bool const whole = before.by.is_whole_output(o);
    if (inputs_meet(next, written, whole)) return true;
    for (std::size_t p = 0; p != next.context->output_count(); ++p) {
      if (whole && next.by.is_whole_output(p)) continue;  // parts leave both alone
      if (meet(next.context->outputs()[p], next.by.is_whole_output(p), written, whole)) return true;
    }
  }
  for (std::size_t o = 0; o != next.context->output_count(); ++o)
    if (inputs_meet(before, next.context->outputs()[o], next.by.is_whole_output(o))) return true;
  return false;
}

/// See fused_group::divides.
template <backend B>
bool divides(std::span<group_member<B> const> members, std::uint32_t storage) {
  return std::ranges::all_of(members, [&](group_member<B> const& m) {
    for (std::size_t i = 0; i != m.context->input_count(); ++i)
      if (m.context->inputs()[i]->storage == storage && m.by.is_whole_input(i)) return false;
    for (std::size_t o = 0; o != m.context->output_count(); ++o)
      if (m.context->outputs()[o]->storage == storage && m.by.is_whole_output(o)) return false;
    return true;
  });
}

}  // namespace detail

}  // namespace plait
