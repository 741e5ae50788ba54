// Dense SSA form of a program: blocks, phis, ops and values as numbers, on which all SSA algorithms run.
//
// Each value has one definition. Built by construction (construction.hpp), by the on-the-fly builder (builder.hpp), or
// from an IR that is in SSA form already (existing_ssa.hpp); not a template.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/graph/detail/dense_graph.hpp>
#include <plait/ssa/detail/op_index.hpp>

namespace plait {

/// A value by number.
using value_index = std::uint32_t;
/// A phi by number, in block order.
using phi_index = std::uint32_t;

/// The site of a definition or use: an op, a phi, or neither for outside the program.
class ssa_site {
 public:
  constexpr ssa_site() = default;
  static constexpr ssa_site of_op(op_index op) { return ssa_site(op, kind::op); }
  static constexpr ssa_site of_phi(phi_index phi) { return ssa_site(phi, kind::phi); }

  constexpr bool is_op() const noexcept { return kind_ == kind::op; }
  constexpr bool is_phi() const noexcept { return kind_ == kind::phi; }
  constexpr op_index op() const {
    PLAIT_ASSERT(is_op(), "ssa_site: the site is no op");
    return number_;
  }
  constexpr phi_index phi() const {
    PLAIT_ASSERT(is_phi(), "ssa_site: the site is no phi");
    return number_;
  }
  friend constexpr bool operator==(ssa_site const&, ssa_site const&) = default;
  friend constexpr auto operator<=>(ssa_site const&, ssa_site const&) = default;

 private:
  enum class kind : std::uint8_t { outside, phi, op };
  constexpr ssa_site(std::uint32_t number, kind k) : kind_(k), number_(number) {}
  kind kind_ = kind::outside;
  std::uint32_t number_ = npos;
};

/// A use of a value: the `slot`-th input of an op or argument of a phi.
struct ssa_use {
  ssa_site site;
  std::uint32_t slot = 0;
  friend constexpr bool operator==(ssa_use const&, ssa_use const&) = default;
  friend constexpr auto operator<=>(ssa_use const&, ssa_use const&) = default;
};

/// Phis, ops and values of a program whose blocks are the nodes of a dense_graph.
///
/// A phi has one argument for each predecessor of its block, in the order of dense_graph::predecessors. A phi of the
/// entry has a last one more: the value on entry.
class dense_ssa {
 public:
  // ---- blocks
  constexpr std::size_t block_count() const noexcept { return first_op.size() - 1; }
  /// Returns the numbers of a block's phis.
  constexpr auto phis(std::uint32_t block) const {
    PLAIT_ASSERT(block < block_count(), "dense_ssa: no such block");
    return std::views::iota(first_phi[block], first_phi[block + 1]);
  }
  /// Returns the numbers of a block's ops.
  constexpr auto ops(std::uint32_t block) const {
    PLAIT_ASSERT(block < block_count(), "dense_ssa: no such block");
    return std::views::iota(first_op[block], first_op[block + 1]);
  }
  /// Returns the program results if the program ends in the block.
  constexpr std::span<value_index const> results(std::uint32_t block) const { return block_results[block]; }

  // ---- phis
  constexpr std::size_t phi_count() const noexcept { return phi_results.size(); }
  constexpr value_index result(phi_index phi) const { return phi_results[phi]; }
  constexpr std::span<value_index const> arguments(phi_index phi) const { return phi_arguments[phi]; }
  constexpr std::uint32_t block_of_phi(phi_index phi) const { return phi_block[phi]; }

  // ---- ops
  constexpr std::size_t op_count() const noexcept { return op_reads.size(); }
  constexpr std::span<value_index const> reads(op_index op) const { return op_reads[op]; }
  constexpr std::span<value_index const> writes(op_index op) const { return op_writes[op]; }
  constexpr std::uint32_t block_of_op(op_index op) const { return op_block[op]; }

  // ---- values
  constexpr std::size_t value_count() const noexcept { return definitions.size(); }
  /// Returns the op or phi that defines a value; neither for a value on entry.
  constexpr ssa_site definition(value_index v) const { return definitions[v]; }
  /// Returns the block that defines a value; the entry for a value on entry.
  constexpr std::uint32_t block_of_value(value_index v) const {
    ssa_site const made = definitions[v];
    return made.is_op() ? op_block[made.op()] : made.is_phi() ? phi_block[made.phi()] : 0;
  }
  /// Returns the uses of a value: phis in order, then ops in order. Program results are not included.
  constexpr std::span<ssa_use const> uses(value_index v) const { return value_uses[v]; }

  /// Rebuilds the uses. O(operands + values).
  constexpr void index_uses() {
    value_uses.start_counting(value_count());
    for (value_index v : phi_arguments.items()) value_uses.count(v);
    for (value_index v : op_reads.items()) value_uses.count(v);
    value_uses.end_counting();
    for (auto op = static_cast<op_index>(op_count()); op-- != 0;) place_uses(ssa_site::of_op(op), op_reads[op]);
    for (auto phi = static_cast<phi_index>(phi_count()); phi-- != 0;)
      place_uses(ssa_site::of_phi(phi), phi_arguments[phi]);
  }

  // ---- representation, for code that builds or transforms a dense_ssa
  std::vector<phi_index> first_phi = {0};  // by block, and one more
  std::vector<op_index> first_op = {0};    // by block, and one more
  std::vector<std::uint32_t> phi_block;
  std::vector<std::uint32_t> op_block;
  std::vector<value_index> phi_results;
  csr<value_index> phi_arguments;
  csr<value_index> op_reads;
  csr<value_index> op_writes;
  csr<value_index> block_results;
  std::vector<ssa_site> definitions;
  csr<ssa_use> value_uses;

 private:
  constexpr void place_uses(ssa_site site, std::span<value_index const> row) {
    for (auto slot = static_cast<std::uint32_t>(row.size()); slot-- != 0;) value_uses.place(row[slot], {site, slot});
  }
};

}  // namespace plait
