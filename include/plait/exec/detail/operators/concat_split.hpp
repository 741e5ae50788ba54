// Concat and Split: tensors joined along an axis, and cut into pieces.
//
// The axis is the argument `axis`, or without it the channel axis: 1 for the order NCHW, 3 for NHWC. With add_axis the
// pieces do not have it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/caffe2_checks.hpp>
#include <plait/exec/detail/kernels/move_rows.hpp>
#include <plait/exec/detail/kernels/upload_scalars.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

namespace detail {

/// Axis along which pieces are joined.
struct part_axis {
  explicit part_axis(op_arguments const& a) : at(a.integer("axis")), added(a.has("axis") && a.flag("add_axis")) {
    if (a.has("axis")) return;
    if (a.text("order") == "NHWC")
      at = 3;
    else if (a.text("order") != "NCHW")
      a.fail("order", "must be NCHW or NHWC");
  }
  std::int64_t at;
  bool added;
};

/// Predicates for op_schema::rows_independent. The extents that Concat lists are the same for all rows.
inline bool concat_rows_independent(op_arguments const& a, std::size_t rows) {
  return rows == a.input_count() && is_inner_axis(part_axis(a).at);
}
inline bool split_rows_independent(op_arguments const& a, std::size_t rows) {
  return rows == 1 && is_inner_axis(part_axis(a).at);
}

/// Returns true if `pitch` is the extent of the last axis, so that the op has pattern_kind::rows.
inline bool is_last_extent(std::size_t pitch, shape const& dims) {
  return dims.rank() >= 2 && pitch != 0 && static_cast<std::int64_t>(pitch) == dims[dims.rank() - 1];
}

/// Returns the common width of all pieces; 0 if they differ.
inline std::size_t equal_width(std::vector<part_place> const& places) {
  std::size_t const width = places.empty() ? 0 : places[0].width;
  auto const is_other = [width](part_place const& p) { return p.width != width; };
  return std::ranges::any_of(places, is_other) ? 0 : width;
}

inline op_schema part_schema(std::string_view type, row_claim rows) {
  return op_schema(type)
      .rows_independent(rows)
      .checks_first()
      .argument("axis", std::int64_t{1}, "the axis of the parts; from the end if negative")
      .argument("add_axis", std::int64_t{0}, "whether parts do not have the axis")
      .argument("order", std::string("NCHW"), "where there is no axis: NCHW for axis 1, NHWC for axis 3");
}

}  // namespace detail

template <backend B>
struct concat_kernel : op_kernel<B> {
  explicit concat_kernel(op_arguments const& a) : where(a), places(a.input_count()), extents(a.input_count()) {}

  void infer(shape_context& c) override {
    std::size_t const axis = joint(c);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i != c.input_count(); ++i) {
      shape const& dims = c.dims(i);
      c.expect_same_type(0, i);
      bool fits = dims.rank() == c.dims(0).rank();
      for (std::size_t a = 0; fits && a != dims.rank(); ++a)
        fits = dims[a] == c.dims(0)[a] || (a == axis && !where.added);
      if (!fits) c.fail(c.pair_text(0, i) + ", which cannot be joined along axis " + std::to_string(axis));
      std::int64_t const extent = where.added ? 1 : dims[axis];
      if (c.output_count() == 2 && extent != static_cast<std::int32_t>(extent))
        c.fail("an extent of " + std::to_string(extent) + " does not fit an int32");
      extents[i] = static_cast<std::int32_t>(extent);
      places[i] = {static_cast<std::size_t>(sum * dims.size_from(axis + (where.added ? 0 : 1))),
                   static_cast<std::size_t>(dims.size_from(axis))};
      if (extent > std::numeric_limits<std::int64_t>::max() - sum)
        c.fail("the extents of axis " + std::to_string(axis) + " add up to more than there is a number for");
      sum += extent;
    }
    shape whole = c.dims(0);
    if (where.added)
      whole.insert(axis, sum);
    else
      whole.set(axis, sum);
    outer = static_cast<std::size_t>(whole.size_to(axis));
    pitch = static_cast<std::size_t>(whole.size_from(axis));
    c.output(0, c.type(0), whole);
    if (c.output_count() == 2) {
      c.output(1, element_type::int32, {static_cast<std::int64_t>(c.input_count())});
      c.elements_of_output(1, extents);
    }
  }

  void run(op_context<B>& c) override {
    if (c.output_size(0) != 0) join(c, outer);
    set_extents(c);
  }

  void patterns(op_context<B> const& c, std::vector<op_pattern<B>>& to) const override {
    if (!where.added && detail::is_last_extent(pitch, c.output_spec(0).dims))
      to.push_back({.kind = pattern_kind::rows, .work = c.output_size(0), .whole_outputs = 0b10});
    if (std::size_t const width = detail::equal_width(places); B::on_device && width != 0)
      to.push_back({.kind = pattern_kind::concatenated, .whole_outputs = 0b10, .width = width});
  }
  void run_part(op_context<B>& c, op_part const& part) override {
    if (part.kind == op_part::kinds::outputs)
      set_extents(c);
    else
      join(c, c.output_size(0) / pitch);
  }

  void set_extents(op_context<B>& c) const {
    if (c.output_count() == 2) upload_scalars<B>(c.template output<std::int32_t>(1), extents.data(), extents.size());
  }

  void join(op_context<B>& c, std::size_t rows) const {
    visit_word(c.type(0), [&]<class T>(T) {
      copy_parts<B>(static_cast<T*>(c.raw_output(0)), pitch, rows, places,
                    [&c](std::size_t i) { return static_cast<T const*>(c.raw_input(i)); });
    });
  }

  // Returns the axis of the result along which pieces are joined.
  std::size_t joint(shape_context const& c) const {
    std::int64_t at = where.at;
    if (where.added && at < 0) {
      at += static_cast<std::int64_t>(c.dims(0).rank()) + 1;
      c.expect(at >= 0, 0, "have enough dimensions for a new axis ", where.at);
    }
    return c.axis(0, at, where.added);
  }

  detail::part_axis where;
  std::vector<part_place> places;     // by input
  std::vector<std::int32_t> extents;  // by input
  std::size_t outer = 0;
  std::size_t pitch = 0;
};

/// Kernel of Split. The argument `split` or the second input lists the lengths; without them all are equal.
template <backend B>
struct split_kernel : op_kernel<B> {
  explicit split_kernel(op_arguments const& a) : where(a), lengths(a.integers("split")), places(a.output_count()) {
    if (a.has("axis") && a.has("order")) a.fail("order", "is given besides the axis");
    if (a.has("split") && a.input_count() == 2) a.fail("split", "is given besides the input that says it");
  }

  void infer(shape_context& c) override {
    std::size_t const axis = c.axis(0, where.at);
    std::size_t const parts = c.output_count();
    std::int64_t const extent = c.dims(0)[axis];
    if (c.input_count() == 2) {
      c.expect_type<std::int32_t, std::int64_t>(1);
      c.integers(1, lengths);
    } else if (lengths.empty()) {
      even = true;
    }
    if (even) {
      c.expect(extent % static_cast<std::int64_t>(parts) == 0, 0, "be cut into ", parts, " equal parts along axis ",
               axis);
      lengths.assign(parts, extent / static_cast<std::int64_t>(parts));
    }
    if (lengths.size() != parts)
      c.fail(std::to_string(lengths.size()) + " lengths are given for " + std::to_string(parts) + " parts");
    std::int64_t sum = 0;
    std::int64_t const inner = c.dims(0).size_from(axis + 1);
    for (std::size_t o = 0; o != parts; ++o) {
      std::int64_t const length = lengths[o];
      if (length < 0 || length > extent - sum || (where.added && length != 1))
        c.fail("a part of length " + std::to_string(length) + " cannot be cut from " + to_string(c.input(0)) +
               " along axis " + std::to_string(axis) + (where.added ? ", which parts are to lose" : ""));
      places[o] = {static_cast<std::size_t>(sum * inner), static_cast<std::size_t>(length * inner)};
      sum += length;
      shape part = c.dims(0);
      if (where.added)
        part.erase(axis);
      else
        part.set(axis, length);
      c.output(o, c.type(0), part);
    }
    if (sum != extent)
      c.expect(false, 0, "have an extent of ", sum, " in axis ", axis, ", as the lengths of the parts add up to");
    outer = static_cast<std::size_t>(c.dims(0).size_to(axis));
    pitch = static_cast<std::size_t>(c.dims(0).size_from(axis));
  }

  void run(op_context<B>& c) override {
    if (c.size(0) != 0) cut(c, outer);
  }

  void patterns(op_context<B> const& c, std::vector<op_pattern<B>>& to) const override {
    if (!where.added && detail::is_last_extent(pitch, c.dims(0)))
      to.push_back({.kind = pattern_kind::rows, .work = c.size(0), .whole_inputs = 0b10});
    if (std::size_t const width = detail::equal_width(places); B::on_device && width != 0)
      to.push_back({.kind = pattern_kind::split, .width = width});
  }
  void run_part(op_context<B>& c, op_part const&) override { cut(c, c.size(0) / pitch); }

  void cut(op_context<B>& c, std::size_t rows) const {
    visit_word(c.type(0), [&]<class T>(T) {
      copy_parts<B>(static_cast<T const*>(c.raw_input(0)), pitch, rows, places,
                    [&c](std::size_t o) { return static_cast<T*>(c.raw_output(o)); });
    });
  }

  detail::part_axis where;
  std::vector<std::int64_t> lengths;  // by output
  std::vector<part_place> places;     // by output
  std::size_t outer = 0;
  std::size_t pitch = 0;
  bool even = false;
};

namespace detail::caffe2 {

/// Checks Caffe2's restrictions of Concat.
inline shape_check concat(op_arguments const& a) {
  outputs<2>(a);
  if (a.has("axis") && a.has("order")) a.fail("order", "cannot be given beside axis");
  return {};
}

}  // namespace detail::caffe2

/// Adds Concat, Split: any element type.
template <backend B>
void add_concat_split_operators(operators<B>& table) {
  table.template add<concat_kernel>(
      detail::part_schema("Concat", &detail::concat_rows_independent)
          .inputs(1, npos)
          .outputs(1, 2)
          .in_caffe2(detail::caffe2::concat)
          .describe(
              "Y = inputs one after the other along an axis; the second output lists their extents there, int32"));
  table.template add<split_kernel>(
      detail::part_schema("Split", &detail::split_rows_independent)
          .inputs(1, 2)
          .outputs(1, npos)
          .shape_from(1)
          .argument("split", std::vector<std::int64_t>(), "extents of the outputs along the axis")
          .describe(
              "outputs = X cut along an axis, into equal parts unless `split` or the second input says how long"));
}

}  // namespace plait
