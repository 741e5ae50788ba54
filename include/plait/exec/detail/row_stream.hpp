// Streamed value: rows that an op computes when their consumer needs them, in a block of memory that stays in the
// cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/cost_model.hpp>
#include <plait/exec/detail/memory_pool.hpp>
#include <plait/exec/detail/op_rows.hpp>
#include <plait/exec/op_kernel.hpp>

namespace plait {

/// The first output of a row-wise op, in blocks of places of its first axis. Owns the memory of that output.
template <backend B>
class row_stream {
 public:
  /// Returns nullptr if the op has no such pattern, or if all its rows fit in one block. The consumer takes at least
  /// `least` places. Uses types only. Keeps references to the op and its context. O(operands).
  static std::unique_ptr<row_stream> find(op_kernel<B>& maker, op_context<B>& context,
                                          std::span<op_pattern<B> const> patterns, std::size_t least,
                                          cost_model const& costs) {
    if constexpr (B::on_device) {
      return nullptr;
    } else {
      if (context.output_count() != 1) return nullptr;
      auto at = std::ranges::find(patterns, pattern_kind::streamed_rows, &op_pattern<B>::kind);
      if (at == patterns.end()) at = std::ranges::find(patterns, pattern_kind::rows, &op_pattern<B>::kind);
      if (at == patterns.end()) return nullptr;
      op_pattern<B> const& by = *at;
      tensor_spec const& made = context.output_spec(0);
      if (by.undivided || by.whole_outputs_are_sums || by.is_whole_output(0) || made.dims.rank() < 2 ||
          made.bytes() == 0)
        return nullptr;
      auto const rows = static_cast<std::size_t>(made.dims.size_to(made.dims.rank() - 1));
      for (std::size_t i = 0; i != context.input_count(); ++i)
        if (!by.is_whole_input(i) && !divides_into_rows(context.input_spec(i), rows)) return nullptr;
      auto const places = static_cast<std::size_t>(made.dims[0]);
      std::size_t const piece =
          B::concurrency() * std::max(costs.streamed_bytes, by.least_rows * (made.bytes() / rows));
      std::size_t const at_once = std::max({least, piece / (made.bytes() / places), std::size_t{1}});
      if (at_once >= places) return nullptr;
      return std::unique_ptr<row_stream>(new row_stream(maker, context, by, rows, at_once));
    }
  }

  /// Returns true if an input of the op should be packed until end().
  bool packs(std::size_t input) const { return by_.kind == pattern_kind::streamed_rows && by_.is_whole_input(input); }
  /// Begins streaming, in place of the op's run: until end(), make() may be called, and the op's inputs must persist.
  void begin() {
    if (block_ == nullptr) block_ = pooled_memory<B>(block_bytes());
    made().data = block_.get();
    if (by_.whole_outputs != 0)
      maker_->run_part(*context_, {.kind = op_part::kinds::outputs, .outputs = by_.whole_outputs});
  }
  /// Allocates memory for all rows, until end(), before the op runs as a whole for an observer.
  void make_room() {
    all_ = pooled_memory<B>(made().type.bytes());
    made().data = all_.get();
  }
  void end() {
    if (std::exchange(all_, nullptr) != nullptr) made().data = block_.get();
  }

  /// Returns the number of places in a block.
  std::size_t at_once() const noexcept { return at_once_; }
  /// Returns the bytes of a block.
  std::size_t block_bytes() const { return made().type.bytes() / places() * at_once_; }
  /// Computes places `first` to `last`, excluded, at most at_once(), at the beginning of the output's memory. Call in
  /// order, once for each place.
  void make(std::size_t first, std::size_t last) {
    std::size_t const output = rows_.operand_count() - 1;
    rows_.narrow(first * rows_a_place_, last * rows_a_place_, [&](std::size_t operand, std::size_t offset) {
      return static_cast<std::byte*>(rows_.operand(operand).data) + (operand == output ? 0 : offset);
    });
    maker_->run_part(rows_.context(0), {});
  }

 private:
  row_stream(op_kernel<B>& maker, op_context<B>& context, op_pattern<B> const& by, std::size_t rows,
             std::size_t at_once)
      : maker_(&maker), context_(&context), by_(by), rows_(rows, context.input_count() + 1), at_once_(at_once) {
    rows_a_place_ = rows / places();
    rows_.add(context, by);
  }
  slot& made() const { return *context_->outputs()[0]; }
  std::size_t places() const { return static_cast<std::size_t>(made().type.dims[0]); }

  op_kernel<B>* maker_;
  op_context<B>* context_;
  op_pattern<B> by_;
  op_rows<B> rows_;
  std::size_t rows_a_place_ = 1;
  std::size_t at_once_;
  std::shared_ptr<void> block_;
  std::shared_ptr<void> all_;
};

}  // namespace plait
