// Ops that tell of a tensor's shape, never looking at its elements.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <plait/core/npos.hpp>
#include <plait/exec/op_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/op_schema.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/shape.hpp>

namespace plait {

template <backend B>
struct shape_kernel : op_kernel<B> {
  explicit shape_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    std::ranges::copy(c.dims(0), extents.begin());
    c.output(0, element_type::int64, {static_cast<std::int64_t>(c.dims(0).rank())});
  }
  void run(op_context<B>& c) override { B::copy_from_host(c.raw_output(0), extents.data(), c.output_spec(0).bytes()); }
  std::array<std::int64_t, shape::max_rank> extents = {};
};

template <backend B>
struct size_kernel : op_kernel<B> {
  explicit size_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    count = c.dims(0).size();
    c.output(0, element_type::int64, {});
  }
  void run(op_context<B>& c) override { B::copy_from_host(c.raw_output(0), &count, sizeof(count)); }
  std::int64_t count = 0;
};

template <backend B>
struct has_elements_kernel : op_kernel<B> {
  explicit has_elements_kernel(op_arguments const&) {}
  void infer(shape_context& c) override {
    any = false;
    for (std::size_t i = 0; i != c.input_count(); ++i) any = any || c.dims(i).size() != 0;
    c.output(0, element_type::boolean, {});
  }
  void run(op_context<B>& c) override { B::copy_from_host(c.raw_output(0), &any, sizeof(any)); }
  bool any = false;
};

/// Shape, Size, HasElements: any element type. As in the Caffe2 of 2018, Shape tells of all axes.
template <backend B>
void add_shape_value_operators(operators<B>& table) {
  auto const schema = [](std::string_view type) { return op_schema(type).inputs(1).outputs(1).checks_first(); };
  table.template add<shape_kernel>(schema("Shape").describe("the extents of X, as a vector of int64"));
  table.template add<size_kernel>(schema("Size").describe("the number of elements of X, a scalar of int64"));
  table.template add<has_elements_kernel>(
      schema("HasElements").inputs(1, npos).describe("whether any input has elements, a scalar of bool"));
}

}  // namespace plait
