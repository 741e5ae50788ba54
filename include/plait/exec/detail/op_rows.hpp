// Row-parallel ops on ranges of rows of their operands: see pattern_kind::rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/tensor.hpp>

namespace plait {

namespace detail {
/// Returns the width of a row; the rows of a vector are its elements.
inline std::int64_t columns_of(shape const& dims) { return dims.rank() < 2 ? 1 : dims[dims.rank() - 1]; }
}  // namespace detail

/// Returns true if a tensor divides into so many equal rows, each of whole lines of its last axis.
inline bool divides_into_rows(tensor_spec const& type, std::size_t rows) {
  auto const size = static_cast<std::size_t>(type.dims.size());
  return size != 0 && size % (rows * static_cast<std::size_t>(detail::columns_of(type.dims))) == 0;
}

/// Contexts of several ops for the same rows. Move-only.
template <backend B>
class op_rows {
 public:
  op_rows() = default;
  op_rows(op_rows&&) noexcept = default;
  op_rows& operator=(op_rows&&) noexcept = default;

  op_rows(std::size_t rows, std::size_t operands) { begin(rows, operands); }
  /// Removes all ops and reserves room for others with `operands` operands in total, of `rows` rows each.
  void begin(std::size_t rows, std::size_t operands) {
    rows_ = rows;
    narrowed_to_ = 0;
    operands_.clear();
    pointers_.clear();
    contexts_.clear();
    operands_.reserve(operands);
    pointers_.reserve(operands);
    most_ = operands;
  }

  /// Appends an op; `c` and its operands' slots must keep their addresses.
  void add(op_context<B> const& c, op_pattern<B> const& by) {
    std::size_t const begin = pointers_.size();
    for (std::size_t i = 0; i != c.input_count(); ++i) add_operand(*c.inputs()[i], by.is_whole_input(i));
    for (std::size_t o = 0; o != c.output_count(); ++o) add_operand(*c.outputs()[o], by.is_whole_output(o));
    slot* const* const at = pointers_.data() + begin;
    contexts_.push_back(op_context<B>({at, c.input_count()}, {at + c.input_count(), c.output_count()}));
    contexts_.back().set_resources(c.resources());
  }

  /// Returns the number of operands of all ops, numbered op by op, inputs before outputs.
  std::size_t operand_count() const noexcept { return operands_.size(); }
  slot const& operand(std::size_t number) const { return *operands_[number].from; }

  /// Narrows the operands to rows `row` to `end`, excluded: address(number, offset) returns the address of an operand's
  /// rows, which are `offset` bytes behind its first.
  template <class Address>
  void narrow(std::size_t row, std::size_t end, Address const& address) {
    bool const other_count = std::exchange(narrowed_to_, end - row) != end - row;
    std::size_t number = 0;
    for (narrowed& o : operands_) {
      o.here.data = address(number++, row * o.row_bytes);
      if (!other_count || o.row_bytes == 0) continue;
      shape const& dims = o.from->type.dims;
      auto const size = static_cast<std::int64_t>(static_cast<std::size_t>(dims.size()) / rows_ * (end - row));
      std::int64_t const columns = detail::columns_of(dims);
      o.here.type.dims = dims.rank() < 2 ? shape{size} : shape{size / columns, columns};
    }
  }
  /// Returns the context of an op, numbered in the order of add().
  op_context<B>& context(std::size_t op) { return contexts_[op]; }

 private:
  struct narrowed {
    slot here;
    slot const* from;
    std::size_t row_bytes;  // 0: shared by all rows
  };

  void add_operand(slot const& from, bool whole) {
    PLAIT_ASSERT(operands_.size() != most_, "op_rows: more operands than were told of");
    operands_.push_back({from, &from, whole ? 0 : from.type.bytes() / rows_});
    pointers_.push_back(&operands_.back().here);
  }

  std::size_t rows_ = 0;
  std::size_t narrowed_to_ = 0;  // rows in the operands' shapes
  std::size_t most_ = 0;         // operands
  std::vector<narrowed> operands_;
  std::vector<slot*> pointers_;
  std::vector<op_context<B>> contexts_;
};

}  // namespace plait
