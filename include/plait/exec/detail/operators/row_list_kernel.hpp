// Base of ops that gather rows by a list which the host computes from elements of other inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/kernels/move_rows.hpp>
#include <plait/exec/op_kernel.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Copies row source(row) of `from`; if that is negative, the row of `fallbacks` that -1 - source(row) selects, where
/// nullptr stands for zeros.
template <class T, class Source>
struct row_or_fallback {
  T* to;
  T const* from;
  T const* fallbacks[2];
  std::size_t width;
  Source source;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    std::int64_t const at = source(row);
    T* const out = to + row * width;
    T const* const in = at >= 0 ? from + static_cast<std::size_t>(at) * width : at == -1 ? fallbacks[0] : fallbacks[1];
    if (in != nullptr) return copy_elements(out + first, in + first, last - first);
    for (std::size_t i = first; i < last; ++i) out[i] = T(0);
  }
};

}  // namespace detail

/// Base of ops that gather rows of an input by a list, which infer computes from the elements of other inputs.
template <backend B>
class row_list_kernel : public op_kernel<B> {
 public:
  void run(op_context<B>& c) override { move(c, 0); }

 protected:
  // Ends infer, when the list is complete.
  void listed(shape_context& c, std::size_t data, std::size_t width) {
    data_ = data;
    width_ = width;
    if constexpr (B::on_device) c.scratch(rows_.size() * sizeof(std::int64_t));
  }
  // Gathers the listed rows; padding (a negative source) is filled with the bits of `filler`.
  void move(op_context<B>& c, std::uint64_t filler) {
    std::int64_t const* const list = list_of(c);
    if (c.output_size(0) == 0) return;
    visit_word(c.output_spec(0).type, [&]<class T>(T) {
      move_rows<B>(static_cast<T*>(c.raw_output(0)), static_cast<T const*>(c.raw_input(data_)), rows_.size(), width_,
                   listed_row<std::int64_t>{list}, static_cast<T>(filler));
    });
  }
  // Gathers the listed rows; -1 in the list stands for the row in input `first`, -2 for that in `second`, and these
  // inputs may be npos, which stands for zeros.
  void move_or(op_context<B>& c, std::size_t first, std::size_t second = npos) {
    std::int64_t const* const list = list_of(c);
    if (c.output_size(0) == 0) return;
    visit_word(c.output_spec(0).type, [&]<class T>(T) {
      auto const row_in = [&](std::size_t i) { return i == npos ? nullptr : static_cast<T const*>(c.raw_input(i)); };
      for_each_row_part<B>(
          rows_.size(), width_, 1,
          detail::row_or_fallback<T, listed_row<std::int64_t>>{
              static_cast<T*>(c.raw_output(0)), row_in(data_), {row_in(first), row_in(second)}, width_, {list}});
    });
  }

  std::vector<std::int64_t> rows_;  // by row of the output: the row of the input, negative for padding
  std::vector<std::int64_t> lengths_;

 private:
  // Returns the list in the backend's memory.
  std::int64_t const* list_of(op_context<B>& c) const {
    if constexpr (B::on_device) {
      B::copy_from_host(c.scratch(), rows_.data(), rows_.size() * sizeof(std::int64_t));
      return static_cast<std::int64_t const*>(c.scratch());
    } else {
      return rows_.data();
    }
  }

  std::size_t data_ = 0;
  std::size_t width_ = 0;
};

}  // namespace plait

PLAIT_KERNELS_END
