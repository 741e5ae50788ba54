// Shape, Size, HasElements, IsEmpty: shape queries, which read no elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/kernels/upload_scalars.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

template <backend B>
struct shape_kernel : op_kernel<B> {
  explicit shape_kernel(op_arguments const& a) : axes(a.integers("axes")) {}
  void infer(shape_context& c) override {
    shape const& dims = c.dims(0);
    extents.assign(dims.begin(), dims.end());
    if (!axes.empty()) {
      extents.clear();
      for (std::int64_t const axis : axes) extents.push_back(dims[c.axis(0, axis)]);
    }
    c.output(0, element_type::int64, {static_cast<std::int64_t>(extents.size())});
    c.elements_of_output(0, extents);
  }
  void run(op_context<B>& c) override {
    upload_scalars<B>(c.template output<std::int64_t>(0), extents.data(), extents.size());
  }
  std::vector<std::int64_t> axes;
  std::vector<std::int64_t> extents;
};

template <backend B>
struct size_kernel : op_kernel<B> {
  explicit size_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    count = c.dims(0).size();
    c.output(0, element_type::int64, {});
  }
  void run(op_context<B>& c) override { upload_scalars<B>(c.template output<std::int64_t>(0), &count, 1); }
  std::int64_t count = 0;
};

/// HasElements, and IsEmpty if not Wanted.
template <backend B, bool Wanted>
struct has_elements_kernel : op_kernel<B> {
  explicit has_elements_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    bool any = false;
    for (std::size_t i = 0; i != c.input_count(); ++i) any = any || c.dims(i).size() != 0;
    answer = any == Wanted;
    c.output(0, element_type::boolean, {});
  }
  void run(op_context<B>& c) override { upload_scalars<B>(c.template output<bool>(0), &answer, 1); }
  bool answer = false;
};

/// Shape, Size, HasElements, IsEmpty: any element type.
template <backend B>
void add_shape_value_operators(operators<B>& table) {
  auto const schema = [](std::string_view type) { return op_schema(type).inputs(1).outputs(1).checks_first(); };
  table.template add<shape_kernel>(
      schema("Shape")
          .argument("axes", std::vector<std::int64_t>(), "those asked for, counted from the end if negative; all")
          .ignored_in_caffe2("axes")
          .describe("the extents of X, as a vector of int64"));
  table.template add<size_kernel>(schema("Size").describe("the number of elements of X, a scalar of int64"));
  table.template add<has_elements_kernel<B, true>>(schema("HasElements")
                                                       .inputs(1, npos)
                                                       .in_caffe2(detail::caffe2::inputs_up_to<1>)
                                                       .describe("whether any input has elements, a scalar of bool"));
  table.template add<has_elements_kernel<B, false>>(
      schema("IsEmpty").describe("whether X has no elements, a scalar of bool"));
}

}  // namespace plait
