// Deferred accumulation of an op's sums over rows: a series of runs is summed from the rows of many runs at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <plait/core/assert.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/collected_rows.hpp>
#include <plait/exec/op_kernel.hpp>

namespace plait {

/// Sums of one op, of pattern_kind::sums: the two inputs that are not whole have the rows. A run only collects their
/// rows; the sums are added to the outputs when many are collected, and at the end. The outputs must be the same memory
/// in all runs, zeroed before the first.
template <backend B>
class row_sums {
 public:
  /// Wraps an op with such a pattern. `lasting`: memory and elements of the inputs of each run persist until end(), so
  /// that they need not be copied. `backward`: those of later runs come before in memory.
  row_sums(op_kernel<B>& kernel, op_pattern<B> const& by, bool lasting, bool backward)
      : kernel_(&kernel), by_(by), lasting_(lasting), backward_(backward) {
    PLAIT_ASSERT(by.kind == pattern_kind::sums, "row_sums: no sums over rows");
  }

  /// Begins a series of runs with the types of a context.
  void begin(op_context<B> const& c) {
    PLAIT_ASSERT(c.input_count() <= most_inputs, "row_sums: too many inputs");
    std::size_t found = 0;
    for (std::size_t i = 0; i != c.input_count(); ++i) {
      inputs_[i] = *c.inputs()[i];
      if (!by_.is_whole_input(i)) with_rows_[found++] = i;
    }
    PLAIT_ASSERT(found == with_rows_.size(), "row_sums: there should be two inputs with rows");
    auto const row_bytes = [&](std::size_t k) {
      return by_.rows == 0 ? 0 : inputs_[with_rows_[k]].type.bytes() / by_.rows;
    };
    rows_.begin({by_.rows, row_bytes(0), row_bytes(1)}, lasting_, backward_);
  }
  /// Ends a series without the sums, if one has begun.
  void drop() { rows_.drop(); }
  bool begun() const noexcept { return rows_.begun(); }
  bool lasting() const noexcept { return lasting_; }

  /// Collects the rows of a run. If they last they need not have been computed yet.
  void add(op_context<B>& c) { rows_.add(c.raw_input(with_rows_[0]), c.raw_input(with_rows_[1]), consumer(c)); }
  /// Computes the other outputs of the op.
  void run_others(op_context<B>& c) const {
    std::uint64_t const all = c.output_count() >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << c.output_count()) - 1;
    std::uint64_t const others = all & ~by_.whole_outputs;
    if (others != 0) kernel_->run_part(c, {.kind = op_part::kinds::outputs, .outputs = others});
  }
  /// Ends a series with the sums.
  void end(op_context<B>& c) {
    rows_.end(consumer(c));
    rows_.drop();
  }

 private:
  static constexpr std::size_t most_inputs = 8;

  auto consumer(op_context<B>& c) {
    return [this, &c](void const* left, void const* right, std::size_t rows) {
      std::array<slot*, most_inputs> inputs;
      for (std::size_t i = 0; i != c.input_count(); ++i) {
        inputs_[i].data = c.inputs()[i]->data;
        inputs[i] = &inputs_[i];
      }
      inputs_[with_rows_[0]].data = const_cast<void*>(left);
      inputs_[with_rows_[1]].data = const_cast<void*>(right);
      op_context<B> all({inputs.data(), c.input_count()}, c.outputs());
      kernel_->run_part(all, {.kind = op_part::kinds::outputs, .outputs = by_.whole_outputs, .adds_rows = rows});
    };
  }

  op_kernel<B>* kernel_;
  op_pattern<B> by_;
  bool lasting_;
  bool backward_;
  std::array<slot, most_inputs> inputs_ = {};  // with the types of the series: others may come before its end
  std::array<std::size_t, 2> with_rows_ = {};
  collected_rows<B> rows_;
};

}  // namespace plait
