// GatherND and ScatterND: slices selected by tuples of indices, one for each of the first axes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <plait/exec/detail/kernels/index_checks.hpp>
#include <plait/exec/detail/kernels/row_parts.hpp>
#include <plait/exec/detail/kernels/scatter_combine.hpp>
#include <plait/exec/detail/kernels/scatter_rows.hpp>
#include <plait/exec/detail/kernels/strided_copy.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

/// Tuples of indices: each has `length` elements, for the axes of the data after the batch axes, and names a slice of
/// `width` elements.
struct index_tuples {
  std::size_t tuples = 0;
  std::size_t length = 0;
  std::size_t width = 0;
  std::size_t per_batch = 1;      ///< tuples of a place of the batch axes
  std::int64_t batch_stride = 0;  ///< of the data
  strides extent = {};
  strides stride = {};

  index_tuples() = default;
  /// Tuples in input 1 for the data, input 0, whose first `batches` axes are batch axes.
  index_tuples(shape_context const& c, std::size_t batches) {
    c.expect_type<std::int32_t, std::int64_t>(1);
    shape const& data = c.dims(0);
    shape const& list = c.dims(1);
    c.expect_rank(0, batches + 1);
    c.expect_rank(1, batches + 1);
    std::int64_t const last = list[list.rank() - 1];
    c.expect(last >= 1 && last <= static_cast<std::int64_t>(data.rank() - batches), 1, "have 1 to ",
             data.rank() - batches, " elements in its last axis, one for each axis that it indexes");
    for (std::size_t axis = 0; axis != batches; ++axis)
      c.expect(list[axis] == data[axis], 1, "have the extents of the data in its first ", batches, " axes");
    length = static_cast<std::size_t>(last);
    tuples = static_cast<std::size_t>(list.size_to(list.rank() - 1));
    width = static_cast<std::size_t>(data.size_from(batches + length));
    per_batch = static_cast<std::size_t>(list.size(batches, list.rank() - 1));
    batch_stride = batches == 0 ? 0 : data.size_from(batches);
    for (std::size_t j = 0; j != length; ++j) {
      extent[j] = data[batches + j];
      stride[j] = data.size_from(batches + j + 1);
    }
  }

  /// Returns the offset in the data of the slice that a tuple names.
  template <class I>
  PLAIT_HOST_DEVICE constexpr std::int64_t offset(I const* list, std::size_t tuple) const {
    std::int64_t at = batch_stride == 0 ? 0 : static_cast<std::int64_t>(tuple / per_batch) * batch_stride;
    // Constant indices only: a device copies arrays that variables index to memory, for each thread.
    for (std::size_t j = 0; j != shape::max_rank; ++j) {
      if (j >= length) continue;
      auto const index = static_cast<std::int64_t>(list[tuple * length + j]);
      at += (index < 0 ? index + extent[j] : index) * stride[j];
    }
    return at;
  }
};

template <class I>
struct is_tuple_out_of_range {
  I const* list;
  std::size_t length;
  std::size_t at;
  std::int64_t extent;
  PLAIT_HOST_DEVICE bool operator()(std::size_t tuple) const {
    auto const index = static_cast<std::int64_t>(list[tuple * length + at]);
    return index < -extent || index >= extent;
  }
};

/// Throws shape_error, which names the first invalid index of an axis, unless all indices are in range.
template <backend B, class I>
void check_tuples(I const* list, index_tuples const& of) {
  for (std::size_t j = 0; j != of.length; ++j) {
    std::size_t const found = find_index<B>(of.tuples, is_tuple_out_of_range<I>{list, of.length, j, of.extent[j]});
    if (found == of.tuples) continue;
    I index = {};
    B::copy_to_host(&index, list + found * of.length + j, sizeof(I));
    shape_context::fail("index " + std::to_string(index) + " at place " + std::to_string(j) + " of tuple " +
                        std::to_string(found) + " is not from " + std::to_string(-of.extent[j]) +
                        " up to, but without, " + std::to_string(of.extent[j]));
  }
}

template <class T, class I>
struct gathered_slice {
  T const* from;
  I const* list;
  T* to;
  index_tuples tuples;
  PLAIT_HOST_DEVICE void operator()(std::size_t tuple, std::size_t first, std::size_t last) const {
    T const* const in = from + tuples.offset(list, tuple);
    T* const out = to + tuple * tuples.width;
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) out[i] = in[i];
  }
};

template <class T, class I, class Combine>
struct scattered_slice {
  T* to;
  I const* list;
  T const* updates;
  index_tuples tuples;
  Combine combine;
  PLAIT_HOST_DEVICE void operator()(std::size_t tuple, std::size_t first, std::size_t last) const {
    T* const out = to + tuples.offset(list, tuple);
    T const* const in = updates + tuple * tuples.width;
    PLAIT_INDEPENDENT
    for (std::size_t i = first; i < last; ++i) out[i] = combine(out[i], in[i]);
  }
};

}  // namespace detail

/// GatherND: one list of tuples or, with batch_dims, one for each place of the first axes of X.
template <backend B>
class gather_nd_kernel final : public op_kernel<B> {
 public:
  explicit gather_nd_kernel(op_arguments const& a) : batches_(a.integer("batch_dims")) {
    if (batches_ < 0 || batches_ >= static_cast<std::int64_t>(shape::max_rank))
      a.fail("batch_dims", "is " + std::to_string(batches_) + ", which is negative or too large");
  }
  void infer(shape_context& c) override {
    tuples_ = detail::index_tuples(c, static_cast<std::size_t>(batches_));
    shape made = c.dims(1);
    made.erase(made.rank() - 1);
    shape const& data = c.dims(0);
    for (std::size_t axis = static_cast<std::size_t>(batches_) + tuples_.length; axis != data.rank(); ++axis) {
      c.expect(made.rank() != shape::max_rank, 1, "have fewer axes, as the result has more than ", shape::max_rank);
      made.push_back(data[axis]);
    }
    c.output(0, c.type(0), made);
  }
  void run(op_context<B>& c) override {
    visit_type<std::int32_t, std::int64_t>(c.type(1), [&]<class I>(I) {
      I const* const list = c.template input<I>(1);
      detail::check_tuples<B>(list, tuples_);
      visit_word(c.type(0), [&]<class T>(T) {
        for_each_row_part<B>(tuples_.tuples, tuples_.width, 2,
                             detail::gathered_slice<T, I>{static_cast<T const*>(c.raw_input(0)), list,
                                                          static_cast<T*>(c.raw_output(0)), tuples_});
      });
    });
  }

 private:
  std::int64_t batches_;
  detail::index_tuples tuples_;
};

/// ScatterND: updates of slices are applied in the order of the tuples.
template <backend B>
class scatter_nd_kernel final : public op_kernel<B> {
 public:
  explicit scatter_nd_kernel(op_arguments const& a) : mode_(detail::read_scatter_mode(a)) {}

  void infer(shape_context& c) override {
    detail::expect_combinable(c, mode_);
    c.expect_same_type(0, 2);
    tuples_ = detail::index_tuples(c, 0);
    shape wanted = c.dims(1);
    wanted.erase(wanted.rank() - 1);
    for (std::size_t axis = tuples_.length; axis != c.dims(0).rank(); ++axis) {
      c.expect(wanted.rank() != shape::max_rank, 1, "have fewer axes, as the updates have more than ", shape::max_rank);
      wanted.push_back(c.dims(0)[axis]);
    }
    c.expect(c.dims(2) == wanted, 2, "be ", wanted, ", a slice for each tuple of input 1");
    c.output(0, c.type(0), c.dims(0));
  }
  void run(op_context<B>& c) override {
    visit_type<std::int32_t, std::int64_t>(c.type(1), [&]<class I>(I) {
      I const* const list = c.template input<I>(1);
      detail::check_tuples<B>(list, tuples_);
      detail::visit_combine(c.type(0), mode_, [&]<class T, class Combine>(T, Combine combine) {
        for_each_row_in_order<B>(
            tuples_.tuples, tuples_.width,
            detail::scattered_slice<T, I, Combine>{static_cast<T*>(c.raw_output(0)), list,
                                                   static_cast<T const*>(c.raw_input(2)), tuples_, combine});
      });
    });
  }

 private:
  scatter_mode mode_;
  detail::index_tuples tuples_;
};

/// GatherND: any element type; ScatterND: any without a reduction, else float, double, int32, int64 and uint8. Negative
/// indices count from the end.
template <backend B>
void add_gather_nd_operators(operators<B>& table) {
  table.template add<gather_nd_kernel>(
      op_schema("GatherND")
          .inputs(2)
          .outputs(1)
          .checks_first()
          .argument("batch_dims", std::int64_t{0}, "how many first axes X and the indices share")
          .describe("Y[i, …] = X[indices[i, 0], indices[i, 1], …]: the last axis of the indices, int32 or int64, is a "
                    "tuple for the first axes of X"));
  op_schema scatter("ScatterND");
  scatter.inputs(3).outputs(1).updates(0, 0).checks_first().describe(
      "Y = X, but the slice Y[indices[i, 0], indices[i, 1], …] is combined with updates[i, …]");
  table.template add<scatter_nd_kernel>(detail::describe_scatter_mode(scatter));
}

}  // namespace plait

PLAIT_KERNELS_END
