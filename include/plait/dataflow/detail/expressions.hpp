// Lexical expressions of a program, numbered: pairs of an op kind (op_kinds.hpp) and the operand blobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/row_table.hpp>
#include <plait/net/detail/blob_table.hpp>
#include <plait/ssa/detail/dense_program.hpp>

namespace plait {

/// An expression by number, in order of first occurrence.
using expression_index = std::uint32_t;

/// Maps ops to the expressions that they compute, and blobs to the expressions that a write of them kills.
/// Self-contained. compute() again reuses the memory. O(operands).
class dense_expressions {
 public:
  constexpr dense_expressions() = default;
  constexpr dense_expressions(dense_program const& p, std::span<std::uint32_t const> kinds) { compute(p, kinds); }

  /// Numbers the expressions. `kinds` is by op number: npos for ops that compute no expression.
  constexpr void compute(dense_program const& p, std::span<std::uint32_t const> kinds) {
    PLAIT_ASSERT(kinds.size() == p.op_count(), "expressions: kinds and program have different numbers of ops");
    table_.clear();
    by_op_.clear();
    for (op_index op = 0; op != p.op_count(); ++op) {
      row_.assign(1, kinds[op]);
      row_.insert(row_.end(), p.reads(op).begin(), p.reads(op).end());
      by_op_.push_back(kinds[op] == npos ? npos : table_.intern(row_));
    }
    readers_.start_counting(p.blob_count());
    for (expression_index e = 0; e != size(); ++e)
      for (blob_index const b : operands(e)) readers_.count(b);
    readers_.end_counting();
    for (auto e = static_cast<expression_index>(size()); e-- != 0;)
      for (blob_index const b : operands(e)) readers_.place(b, e);
  }

  constexpr std::size_t size() const noexcept { return table_.size(); }
  /// Returns the expression that an op computes, or npos.
  constexpr expression_index of(op_index op) const { return by_op_[op]; }
  constexpr std::uint32_t kind(expression_index e) const { return table_[e].front(); }
  constexpr std::span<blob_index const> operands(expression_index e) const { return table_[e].subspan(1); }
  /// Returns the expressions that read a blob, ascending; one that reads it twice is listed twice.
  constexpr std::span<expression_index const> readers(blob_index b) const { return readers_[b]; }

 private:
  row_table table_;
  std::vector<expression_index> by_op_;
  csr<expression_index> readers_;
  std::vector<std::uint32_t> row_;
};

}  // namespace plait
