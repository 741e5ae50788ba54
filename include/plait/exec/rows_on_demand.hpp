// What one op makes for another, made as that one goes through it: a few rows are written and read again while they are
// in the cache, where all of them together would leave it in between.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include <plait/exec/backend.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/op_rows.hpp>
#include <plait/exec/row_groups.hpp>

namespace plait {

/// The first output of an op that works by rows, in places of its first axis. Stays where it is: it holds what points
/// to itself.
template <backend B>
class rows_on_demand {
 public:
  /// What is made at a time: with what it is made of, it leaves room for weights in a cache of the second level.
  static constexpr std::size_t piece_bytes = std::size_t{1} << 18;

  /// nullptr if the op cannot be asked for rows, or it is not worth it: all of them find room in the cache, or several
  /// threads would wait for the few. Both must stay where they are. What the op reads must be there, as it is, until
  /// the last rows are made.
  static std::unique_ptr<rows_on_demand> find(op_kernel<B>& maker, op_context<B>& context) {
    if constexpr (B::on_device) {
      return nullptr;
    } else {
      if (B::concurrency() != 1 || context.output_count() != 1) return nullptr;
      row_runs const by = maker.by_rows(context);
      tensor_spec const& made = context.output_spec(0);
      if (by.work == 0 || by.undivided || by.is_whole_output(0) || made.dims.rank() < 2) return nullptr;
      if (made.bytes() < row_groups<B>::large_bytes) return nullptr;
      auto const rows = static_cast<std::size_t>(made.dims.size_to(made.dims.rank() - 1));
      for (std::size_t i = 0; i != context.input_count(); ++i) {
        if (!by.is_whole_input(i) && !divides_into_rows(context.input_spec(i), rows)) return nullptr;
        if (!are_apart(*context.inputs()[i], *context.outputs()[0])) return nullptr;
      }
      return std::unique_ptr<rows_on_demand>(new rows_on_demand(maker, context, by, rows));
    }
  }

  /// In place of the op's run: from now on rows may be asked for.
  void begin() { maker_->begin_rows(*context_); }
  /// How many places there is room for.
  std::size_t at_once() const noexcept { return at_once_; }
  /// Makes places `first` to `last`, excluded, and no more than at_once(), in the memory of the output from its
  /// beginning. In order, each once.
  void make(std::size_t first, std::size_t last) {
    std::size_t const output = rows_.operand_count() - 1;
    rows_.narrow(first * rows_a_place_, last * rows_a_place_, [&](std::size_t operand, std::size_t offset) {
      return static_cast<std::byte*>(rows_.operand(operand).data) + (operand == output ? 0 : offset);
    });
    maker_->run_rows(rows_.context(0));
  }

 private:
  rows_on_demand(op_kernel<B>& maker, op_context<B>& context, row_runs const& by, std::size_t rows)
      : maker_(&maker), context_(&context), rows_(rows, context.input_count() + 1) {
    auto const places = static_cast<std::size_t>(context.output_spec(0).dims[0]);
    rows_a_place_ = rows / places;
    at_once_ = std::clamp<std::size_t>(piece_bytes / (context.output_spec(0).bytes() / places), 1, places);
    rows_.add(context, by);
  }

  op_kernel<B>* maker_;
  op_context<B>* context_;
  op_rows<B> rows_;
  std::size_t rows_a_place_ = 1;
  std::size_t at_once_ = 1;
};

}  // namespace plait
