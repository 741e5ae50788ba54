// A chain of ops without a plan, for tests of fusion groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include <plait/exec/detail/fusion/find_groups.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/ssa/versioning.hpp>

namespace test {

/// Op i computes value i + 1 from value i and from its own second input, which is stored behind the values of the
/// chain. Value i contains the numbers i, i + 1, ...
template <class B, class Kernel>
struct op_chain {
  std::vector<std::vector<double>> memory;
  std::vector<plait::slot> slots;
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<std::vector<plait::slot*>> operands;
  std::vector<plait::op_context<B>> contexts;
  std::vector<std::vector<plait::op_pattern<B>>> patterns;

  op_chain(std::size_t ops, plait::shape const& dims, plait::shape const& own_dims)
      : memory(2 * ops + 1), slots(2 * ops + 1), operands(ops), patterns(ops) {
    for (std::size_t i = 0; i != slots.size(); ++i) {
      resize(i, i <= ops ? dims : own_dims);
      std::iota(memory[i].begin(), memory[i].end(), static_cast<double>(i));
    }
    for (std::size_t op = 0; op != ops; ++op) {
      kernels.push_back(std::make_unique<Kernel>());
      operands[op] = {&slots[op], &slots[ops + 1 + op], &slots[op + 1]};
      contexts.push_back(plait::op_context<B>({operands[op].data(), 2}, {operands[op].data() + 2, 1}));
    }
  }

  /// Changes the shape of a value; new elements are `more`.
  void resize(std::size_t value, plait::shape const& dims, double more = 0) {
    memory[value].resize(static_cast<std::size_t>(dims.size()), more);
    slots[value] = {memory[value].data(), {plait::element_type::float64, dims}, static_cast<std::uint32_t>(value)};
  }
  /// Places a value in the storage of another.
  void share(std::size_t value, std::size_t with) {
    slots[value].data = slots[with].data;
    slots[value].storage = slots[with].storage;
  }
  plait::op_index size() const { return static_cast<plait::op_index>(kernels.size()); }
  plait::fusion_candidate<B> at(plait::op_index op) {
    patterns[op].clear();
    kernels[op]->patterns(contexts[op], patterns[op]);
    return {.kernel = kernels[op].get(), .context = &contexts[op], .patterns = patterns[op]};
  }
  /// Finds the groups of ops with one pass of the fuser, in a time step or of large operands; `last_use` as
  /// element_group::finish.
  template <class LastUse>
  plait::fused_groups<B> find(bool plait::plan_passes::*pass, bool step, LastUse const& last_use) {
    plait::plan_passes only = plait::plan_passes::none();
    only.*pass = true;
    plait::fused_groups<B> made;
    plait::find_groups<B>(
        0, size(), [this](plait::op_index op) { return at(op); }, last_use, step, only, {}, made);
    return made;
  }
  plait::fused_groups<B> find(bool plait::plan_passes::*pass, bool step) {
    return find(pass, step, [](plait::slot const&) { return static_cast<plait::op_index>(plait::npos); });
  }
  void run_in_order() {
    for (std::size_t op = 0; op != kernels.size(); ++op) kernels[op]->run(contexts[op]);
  }
};

/// Runs the groups once and returns their sizes in order.
template <class B>
std::vector<std::size_t> run_groups(plait::fused_groups<B> const& groups) {
  std::vector<std::size_t> made;
  for (auto const& group : groups) {
    plait::op_index op = group->first;
    group->run(op);
    made.push_back(op - group->first + 1);
  }
  return made;
}
/// Returns the first op of each group, in order.
template <class B>
std::vector<plait::op_index> first_ops(plait::fused_groups<B> const& groups) {
  std::vector<plait::op_index> made;
  for (auto const& group : groups) made.push_back(group->first);
  return made;
}

}  // namespace test
