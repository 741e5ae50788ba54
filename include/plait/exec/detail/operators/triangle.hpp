// Trilu: the upper or lower triangle of matrices.
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

// Row of a matrix of `rows` rows. `listed`, if any, replaces `k`, so that the host does not read it.
template <class T>
struct triangle_row {
  T const* from;
  T* to;
  std::size_t rows;
  std::size_t columns;
  std::int64_t k;
  std::int64_t const* listed;
  bool upper;
  PLAIT_HOST_DEVICE void operator()(std::size_t row, std::size_t first, std::size_t last) const {
    std::int64_t const diagonal = listed == nullptr ? k : *listed;
    auto const i = static_cast<std::int64_t>(row % rows);
    bool const above = upper;
    T const* const in = from + row * columns;
    T* const out = to + row * columns;
    for (std::size_t j = first; j < last; ++j) {
      std::int64_t const beside = static_cast<std::int64_t>(j) - i;
      bool const stays = above ? beside >= diagonal : beside <= diagonal;
      out[j] = stays ? in[j] : T(0);
    }
  }
};

}  // namespace detail

template <backend B>
class trilu_kernel final : public op_kernel<B> {
 public:
  explicit trilu_kernel(op_arguments const& a) : upper_(a.flag("upper")), k_(a.integer("k")) {}

  void infer(shape_context& c) override {
    c.expect_rank(0, 2);
    if (c.input_count() == 2) {
      c.template expect_type<std::int64_t>(1);
      c.expect(c.dims(1).size() == 1, 1, "have one element, the diagonal");
    }
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    shape const& dims = c.dims(0);
    if (dims.size() == 0) return;
    auto const rows = static_cast<std::size_t>(dims[dims.rank() - 2]);
    auto const columns = static_cast<std::size_t>(dims[dims.rank() - 1]);
    std::int64_t const* const listed = c.input_count() == 2 ? c.template input<std::int64_t>(1) : nullptr;
    visit_word(c.type(0), [&]<class T>(T) {
      for_each_row_part<B>(
          c.size(0) / columns, columns, 1,
          detail::triangle_row<T>{static_cast<T const*>(c.raw_input(0)), static_cast<T*>(c.raw_output(0)), rows,
                                  columns, k_, listed, upper_});
    });
  }

 private:
  bool upper_;
  std::int64_t k_;
};

/// Trilu: any element type.
template <backend B>
void add_triangle_operators(operators<B>& table) {
  table.template add<trilu_kernel>(
      op_schema("Trilu")
          .inputs(1, 2)
          .outputs(1)
          .in_place(0, 0)
          .checks_first()
          .argument("upper", std::int64_t{1}, "whether elements on and above the diagonal stay, or on and below it")
          .argument("k", std::int64_t{0},
                    "the diagonal, above the main one if positive, unless the second input says it")
          .describe(
              "Y = X, matrices of the last two axes, with 0 outside of a triangle; the second input, int64, has the "
              "diagonal"));
}

}  // namespace plait

PLAIT_KERNELS_END
