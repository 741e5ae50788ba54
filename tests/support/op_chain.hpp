// A chain of ops without a plan, for tests of fusion groups.
#pragma once

#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

#include <plait/exec/detail/op_groups.hpp>
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
    slots[value] = {memory[value].data(), {plait::element_type::float64, dims}};
  }
  plait::op_index size() const { return static_cast<plait::op_index>(kernels.size()); }
  plait::group_candidate<B> at(plait::op_index op) {
    patterns[op].clear();
    kernels[op]->patterns(contexts[op], patterns[op]);
    return {kernels[op].get(), &contexts[op], patterns[op]};
  }
  void run_in_order() {
    for (std::size_t op = 0; op != kernels.size(); ++op) kernels[op]->run(contexts[op]);
  }
};

/// Runs the groups once and returns their sizes in order.
template <class Groups>
std::vector<std::size_t> run_groups(Groups& groups) {
  std::vector<std::size_t> made;
  for (plait::op_index const first : groups.firsts()) {
    plait::op_index op = first;
    groups.run(op);
    made.push_back(op - first + 1);
  }
  return made;
}

}  // namespace test
