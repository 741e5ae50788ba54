// SSA form of a program that has phis already: reads them into a dense_ssa.
//
//   plait::existing_ssa const ssa(f);
//   for (plait::ssa_violation const& v : plait::verify_ssa(ssa)) …
//
// The values of the dense_ssa are the program's names, so all SSA algorithms run on it. One walk over the program;
// O(operands + edges) time and space beyond the snapshot of the graph; compute() again allocates only what the program
// has grown by. Blocks that the entry does not reach, and phi arguments from them, are not in the result.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/graph/detail/dense_dominators.hpp>
#include <plait/graph/detail/snapshot.hpp>
#include <plait/ssa/detail/dense_ssa.hpp>
#include <plait/ssa/detail/program_snapshot.hpp>
#include <plait/ssa/program_mutation.hpp>
#include <plait/ssa/verify.hpp>

namespace plait {

/// A program with phis, by number. Accepts programs that violate SSA form, whose violations verify_ssa reports. Refers
/// to the program, which must not move.
template <program_with_phis P>
class existing_ssa {
  using traits = detail::program_traits_of<P>;

 public:
  using node = node_t<P>;
  using key_type = program_key_t<P>;

  constexpr existing_ssa() = default;
  constexpr explicit existing_ssa(P const& p) { compute(p); }
  template <class Because = because::it_refers_to_the_program_so_a_temporary_is_refused>
  existing_ssa(P const&&) = delete;

  constexpr void compute(P const& p);
  template <class Because = because::it_refers_to_the_program_so_a_temporary_is_refused>
  void compute(P const&&) = delete;

  constexpr flow_snapshot<P> const& graph() const noexcept { return graph_; }
  constexpr dense_dominators const& dominators() const noexcept { return tree_; }
  /// Returns the form, in which a missing phi argument is npos.
  constexpr dense_ssa const& form() const noexcept { return form_; }

  /// Returns the name of a value.
  constexpr key_type name(value_index v) const { return names_.key(v); }
  /// Returns the value of a name, npos if the program does not have it.
  template <class Key>
  constexpr value_index find(Key const& key) const {
    return names_.find(key);
  }
  /// Returns the external inputs that the program declares.
  constexpr std::span<value_index const> external_inputs() const noexcept { return external_inputs_; }

  /// Returns the number of the `place`-th op of a block.
  constexpr op_index op(node const& n, std::size_t place) const {
    std::uint32_t const block = graph_.number(n);
    PLAIT_ASSERT(block != npos && place < form_.ops(block).size(), "existing_ssa: no such op");
    return form_.first_op[block] + static_cast<op_index>(place);
  }
  /// Returns the position of an op in its block.
  constexpr std::size_t place(op_index op) const { return op - form_.first_op[form_.block_of_op(op)]; }

  /// Returns phi arguments whose block is no predecessor of the phi's block, or a predecessor that has its argument
  /// already, with fault argument_mismatch and their index among the phi's arguments. They are not in form().
  constexpr std::span<ssa_violation const> mismatches() const noexcept { return mismatches_; }

 private:
  constexpr void read_phis(P const& p, std::uint32_t block, block_t<P> const& net);
  // Copies the text, since names of phis may be temporaries and a key would be a view of one.
  constexpr value_index intern_copy(P const& p, block_t<P> const& net, program_name_t<P> const& name) {
    if constexpr (std::is_same_v<key_type, std::string_view> && !has_program_names<P>) {
      if (!std::is_constant_evaluated()) {
        key_type const key = name_key(net, name);
        if (value_index const known = names_.find(key); known != npos) return known;
        return names_.intern_key(*kept_.emplace_back(std::make_shared<std::string const>(key)));
      }
    }
    return names_.intern(p, net, name);
  }
  constexpr void define(value_index v, ssa_site site) {
    if (v >= form_.definitions.size()) form_.definitions.resize(v + std::size_t{1}, ssa_site());
    if (form_.definitions[v] == ssa_site()) form_.definitions[v] = site;
  }

  flow_snapshot<P> graph_;
  dense_dominators tree_;
  dense_ssa form_;
  detail::program_blobs<P> names_;
  std::vector<std::shared_ptr<std::string const>> kept_;  // shared, so that copies of this object can share the views
  std::vector<value_index> external_inputs_;
  std::vector<ssa_violation> mismatches_;
  std::vector<std::uint32_t> argument_count_;  // by slot of the first edge from a predecessor: its arguments so far
};

/// Returns all violations: mismatched phi arguments first. A use of a name that nothing defines and that is no external
/// input is a violation.
template <program_with_phis P>
[[nodiscard]] constexpr std::vector<ssa_violation> verify_ssa(existing_ssa<P> const& ssa) {
  std::vector<ssa_violation> found(ssa.mismatches().begin(), ssa.mismatches().end());
  auto const others = verify_ssa(ssa.graph(), ssa.dominators(), ssa.form(), ssa.external_inputs());
  found.insert(found.end(), others.begin(), others.end());
  return found;
}

template <program_with_phis P>
constexpr void existing_ssa<P>::read_phis(P const& p, std::uint32_t block, block_t<P> const& net) {
  std::span<std::uint32_t const> const predecessors = graph_.predecessors(block);
  for (auto&& phi : traits::phis(p, graph_.node(block))) {
    ssa_site const site = ssa_site::of_phi(static_cast<phi_index>(form_.phi_results.size()));
    program_name_t<P> const& result = traits::phi_result(p, phi);
    form_.phi_results.push_back(intern_copy(p, net, result));
    define(form_.phi_results.back(), site);
    form_.phi_block.push_back(block);
    form_.phi_arguments.push_row(predecessors.size() + (block == 0 ? 1 : 0), npos);
    std::span<value_index> const row = form_.phi_arguments[form_.phi_arguments.size() - 1];
    argument_count_.assign(row.size(), 0);
    std::uint32_t listed = 0;
    for (auto&& each : traits::phi_arguments(p, phi)) {
      phi_argument_t<P> const& argument = each;
      std::uint32_t const place = listed++;
      value_index const v = intern_copy(p, net, argument.name);
      std::uint32_t first = block == 0 ? static_cast<std::uint32_t>(predecessors.size()) : npos;
      std::uint32_t edges = block == 0 ? 1 : 0;
      if (argument.predecessor) {
        std::uint32_t const from = graph_.number(*argument.predecessor);
        if (from == npos) continue;
        auto const [begin, end] = std::ranges::equal_range(predecessors, from);
        first = static_cast<std::uint32_t>(begin - predecessors.begin());
        edges = static_cast<std::uint32_t>(end - begin);
      }
      if (edges == 0 || argument_count_[first] == edges) {
        mismatches_.push_back({ssa_fault::argument_mismatch, block, site, place, v});
        continue;
      }
      row[first + argument_count_[first]++] = v;
    }
    // A single argument from a predecessor with parallel edges applies to all of them.
    for (std::uint32_t slot = 1; slot < predecessors.size(); ++slot) {
      bool const same = predecessors[slot] == predecessors[slot - 1];
      if (same) argument_count_[slot] = argument_count_[slot - 1];
      if (same && argument_count_[slot] == 1) row[slot] = row[slot - 1];
    }
  }
}

template <program_with_phis P>
constexpr void existing_ssa<P>::compute(P const& p) {
  graph_.compute(p);
  tree_.compute(graph_);
  names_.reset(p);
  kept_.clear();
  external_inputs_.clear();
  mismatches_.clear();
  form_.first_phi.clear();
  form_.first_op.clear();
  form_.phi_block.clear();
  form_.op_block.clear();
  form_.phi_results.clear();
  form_.phi_arguments.clear();
  form_.op_reads.clear();
  form_.op_writes.clear();
  form_.block_results.clear();
  form_.definitions.clear();
  for (std::uint32_t b = 0; b != graph_.size(); ++b) {
    block_t<P> const& net = plait::block(p, graph_.node(b));
    if (b == 0)
      for (auto const& name : plait::external_inputs(net)) external_inputs_.push_back(names_.intern(p, net, name));
    form_.first_phi.push_back(static_cast<phi_index>(form_.phi_count()));
    form_.first_op.push_back(static_cast<op_index>(form_.op_count()));
    read_phis(p, b, net);
    for (auto&& op : ops(net)) {
      ssa_site const site = ssa_site::of_op(static_cast<op_index>(form_.op_count()));
      for (auto const& name : inputs(net, op)) form_.op_reads.push(names_.intern(p, net, name));
      for (auto const& name : outputs(net, op)) {
        form_.op_writes.push(names_.intern(p, net, name));
        define(form_.op_writes.open_row().back(), site);
      }
      form_.op_reads.end_row();
      form_.op_writes.end_row();
      form_.op_block.push_back(b);
    }
    if (graph_.successors(b).empty())
      for (auto const& name : external_outputs(net)) form_.block_results.push(names_.intern(p, net, name));
    form_.block_results.end_row();
  }
  form_.first_phi.push_back(static_cast<phi_index>(form_.phi_count()));
  form_.first_op.push_back(static_cast<op_index>(form_.op_count()));
  form_.definitions.resize(names_.size(), ssa_site());
  if (std::ranges::find(form_.phi_arguments.items(), npos) == form_.phi_arguments.items().end()) form_.index_uses();
}

}  // namespace plait
