// Conversion rules for ONNX's selections: Concat, Split, Slice, Gather, ReverseSequence, TopK.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/composition.hpp>
#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/recurrence_shapes.hpp>
#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/rules/elementwise.hpp>
#include <plait/interop/onnx/detail/values.hpp>
#include <plait/net/detail/slice_range.hpp>

namespace plait {
namespace detail {

inline void onnx_concat(onnx_context const& c) {
  std::int64_t const axis = c.integer("axis", 1);
  onnx_dims dims = c.dims(0);
  for (std::size_t i = 1; i != c.input_count(); ++i) {
    if (!dims) break;
    std::size_t const at = c.axis(0, axis);
    std::vector<std::int64_t> wanted = *c.dims(0);
    wanted[at] = -1;
    require_dims(c, i, wanted, "as input 0 is but for axis " + std::to_string(axis));
    bool const known = c.dims(i) && (*c.dims(i))[at] >= 0 && (*dims)[at] >= 0;
    (*dims)[at] = known ? known_extents({(*dims)[at] + (*c.dims(i))[at]})[0] : -1;
  }
  if (dims) static_cast<void>(c.axis(0, axis));
  c.add("Concat", c.inputs(), {c.output(0), c.temporary("extents")}, {{"axis", axis}});
  c.set_type(0, c.type(0));
  c.set_dims(0, std::move(dims));
}

// Returns the lengths of `count` chunks of an axis whose extent is known at run time.
inline std::string split_lengths(onnx_context const& c, std::int64_t axis, std::int64_t count) {
  onnx_composition const g(c);
  std::string const extent = g("Gather", {g("Shape", {g.input(0)}), g.list({axis})});
  std::string const length = g("Div", {g("Add", {extent, g.list({count - 1})}), g.list({count})});
  std::vector<std::string> lengths(static_cast<std::size_t>(count - 1), length);
  lengths.push_back(g("Sub", {extent, g("Mul", {length, g.list({count - 1})})}));
  return c.converter().blob(g.concat(lengths, 0));
}

// Split: since version 18 num_outputs asks for equal chunks, of which the last is smaller if the extent is not a
// multiple.
inline void onnx_split(onnx_context const& c) {
  std::int64_t const axis = c.integer("axis", 0);
  std::size_t const at = c.dims(0) ? c.axis(0, axis) : 0;
  std::int64_t const extent = c.dims(0) ? (*c.dims(0))[at] : -1;
  auto const count = static_cast<std::int64_t>(c.node().outputs.size());
  bool const listed_there = c.opset() >= 13 ? c.has_input(1) : c.has("split");
  if (c.opset() >= 18 && listed_there == c.has("num_outputs"))
    c.unsupported("it must have either the lengths of its outputs or num_outputs");
  if (c.has("num_outputs") && c.integer("num_outputs", 0) != count)
    c.unsupported("num_outputs is " + std::to_string(c.integer("num_outputs", 0)) + ", where it has " +
                  std::to_string(count) + " outputs");
  std::vector<net_argument> arguments{{"axis", axis}};
  std::vector<std::string> inputs{c.input(0)};
  std::vector<std::int64_t> lengths;
  if (listed_there && c.opset() >= 13) require_dims(c, 1, {count}, "a length for each output");
  if (listed_there && c.opset() >= 13 && c.constant(1) == nullptr) {
    inputs.push_back(c.input(1));
  } else if (listed_there) {
    lengths = c.opset() >= 13 ? c.known_integers(1, "the lengths") : c.integers("split");
    std::int64_t sum = 0;
    for (std::int64_t const length : lengths) {
      if (length < 0 || length > std::int64_t{1} << 40) c.unsupported("a length of an output is negative or too large");
      sum += length;
    }
    if (static_cast<std::int64_t>(lengths.size()) != count || (extent >= 0 && sum != extent))
      c.unsupported("the lengths do not split axis " + std::to_string(axis) + " of " + input_text(c, 0) + " into " +
                    std::to_string(count) + " outputs");
  } else if (extent >= 0) {
    std::int64_t const length = (extent + count - 1) / count;
    if (!c.has("num_outputs") && extent % count != 0)
      c.unsupported("axis " + std::to_string(axis) + " of " + input_text(c, 0) + " does not split into " +
                    std::to_string(count) + " equal chunks");
    if (extent - length * (count - 1) < 0) c.unsupported("there are more outputs than chunks of equal length");
    lengths.assign(static_cast<std::size_t>(count - 1), length);
    lengths.push_back(extent - length * (count - 1));
  } else if (c.has("num_outputs")) {
    inputs.push_back(split_lengths(c, axis, count));
  }
  // Equal chunks carry no lengths, so that they stay equal for an input larger than the model declares.
  bool const even = !listed_there && !lengths.empty() && lengths.back() == lengths.front();
  if (!lengths.empty() && !even) arguments.emplace_back("split", lengths);
  c.add("Split", inputs, c.outputs(), std::move(arguments));
  for (std::size_t o = 0; o != c.node().outputs.size(); ++o) {
    c.set_type(o, c.type(0));
    if (!c.dims(0)) continue;
    std::vector<std::int64_t> dims = *c.dims(0);
    dims[at] = lengths.empty() ? -1 : lengths[o];
    c.set_dims(o, std::move(dims));
  }
}

// Slice whose bounds, axes or steps are known only at run time. Axes and steps that are missing precede given ones.
inline void onnx_slice_at_run_time(onnx_context const& c) {
  std::vector<std::string> inputs{c.input(0), c.input(1), c.input(2)};
  onnx_dims dims = c.dims(0);
  if (c.has_input(3)) {
    inputs.push_back(c.input(3));
  } else if (c.has_input(4)) {
    onnx_dims const& lengths = c.dims(1) && is_known(c.dims(1)) ? c.dims(1) : c.dims(4);
    if (!is_known(lengths)) c.unsupported("the number of axes must be known before the model is run");
    std::vector<std::int64_t> first(static_cast<std::size_t>(lengths->front()));
    std::iota(first.begin(), first.end(), std::int64_t{0});
    inputs.push_back(c.constant_blob(onnx_list(std::move(first)), "axes"));
  }
  if (c.has_input(4)) inputs.push_back(c.input(4));
  c.add("StridedSlice", inputs, {c.output(0)});
  if (dims) {
    bool const known = c.has_input(3) && c.constant(3) != nullptr;
    std::vector<std::int64_t> const axes =
        known ? axes_of(c, c.known_integers(3, "the axes"), dims->size(), true) : std::vector<std::int64_t>();
    for (std::size_t axis = 0; axis != dims->size(); ++axis)
      if (!known || std::ranges::find(axes, static_cast<std::int64_t>(axis)) != axes.end()) (*dims)[axis] = -1;
  }
  c.set_type(0, c.type(0));
  c.set_dims(0, std::move(dims));
}

inline void onnx_slice(onnx_context const& c) {
  bool const old = c.opset() < 10;
  for (std::size_t i = 1; !old && i != 5; ++i)
    if (i < 3 || c.has_input(i)) require_rank(c, i, 1, 1);
  for (std::size_t i = 1; !old && i != 5; ++i)
    if (c.has_input(i) && c.constant(i) == nullptr) return onnx_slice_at_run_time(c);
  auto axes = old              ? (c.has("axes") ? std::optional(c.integers("axes")) : std::nullopt)
              : c.has_input(3) ? std::optional(c.known_integers(3, "the axes"))
                               : std::nullopt;
  std::vector<std::int64_t> const starts = old ? c.integers("starts") : c.known_integers(1, "the starts");
  std::vector<std::int64_t> const ends = old ? c.integers("ends") : c.known_integers(2, "the ends");
  std::size_t const count = starts.size();
  if (ends.size() != count) c.unsupported("starts and ends differ in length");
  std::vector<std::int64_t> const steps =
      !old && c.has_input(4) ? c.known_integers(4, "the steps") : std::vector<std::int64_t>(count, 1);
  if (steps.size() != count) c.unsupported("steps and starts differ in length");
  if (std::ranges::find(steps, 0) != steps.end()) c.unsupported("a step is 0");
  if (!axes) {
    axes.emplace(count);
    std::iota(axes->begin(), axes->end(), std::int64_t{0});
  }
  if (axes->size() != count) c.unsupported("axes and starts differ in length");
  onnx_dims dims = c.dims(0);
  axes = distinct_axes(c, *axes, dims ? std::optional(dims->size()) : std::nullopt);
  for (std::size_t k = 0; dims && k != count; ++k)
    if (std::int64_t& extent = (*dims)[static_cast<std::size_t>((*axes)[k])]; extent >= 0)
      extent = slice_places(starts[k], ends[k], steps[k], extent).count;
  c.add("StridedSlice", {c.input(0)}, {c.output(0)},
        {{"starts", starts}, {"ends", ends}, {"axes", *axes}, {"steps", steps}});
  c.set_type(0, c.type(0));
  c.set_dims(0, std::move(dims));
}

// Gather: indices wrap (count from the end) unless they are known to be non-negative.
inline void onnx_gather(onnx_context const& c) {
  std::size_t const axis = c.axis(0, c.integer("axis", 0));
  std::vector<net_argument> arguments;
  if (axis != 0) arguments.emplace_back("axis", static_cast<std::int64_t>(axis));
  if (c.constant(1) == nullptr ||
      std::ranges::any_of(c.known_integers(1, "the indices"), [](std::int64_t at) { return at < 0; }))
    arguments.emplace_back("wrap_indices", 1);
  require_rank(c, 0, 1);
  if (c.constant(1) != nullptr && c.dims(0) && (*c.dims(0))[axis] >= 0) {
    std::int64_t const extent = (*c.dims(0))[axis];
    for (std::int64_t const at : c.known_integers(1, "the indices"))
      if (at < -extent || at >= extent)
        c.unsupported("axis " + std::to_string(axis) + " of " + input_text(c, 0) + " has no index " +
                      std::to_string(at));
  }
  c.add("Gather", {c.input(0), c.input(1)}, {c.output(0)}, std::move(arguments));
  c.set_type(0, c.type(0));
  if (!c.dims(0) || !c.dims(1)) return;
  std::vector<std::int64_t> dims = *c.dims(0);
  auto const at = dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  dims.insert(at, c.dims(1)->begin(), c.dims(1)->end());
  c.set_dims(0, std::move(dims));
}

inline void onnx_reverse_sequence(onnx_context const& c) {
  std::int64_t const time = c.integer("time_axis", 0);
  std::int64_t const batch = c.integer("batch_axis", 1);
  if (std::min(time, batch) != 0 || std::max(time, batch) != 1)
    c.unsupported("the axes of time and batch must be the first two");
  require_rank(c, 0, 2);
  auto const extent = [&](std::int64_t axis) { return c.dims(0) ? (*c.dims(0))[static_cast<std::size_t>(axis)] : -1; };
  require_dims(c, 1, {extent(batch)}, "a length for each sequence");
  check_lengths(c, 1, extent(time));
  if (time == 0) {
    c.add("ReversePackedSegs", {c.input(0), c.input(1)}, {c.output(0)});
  } else {
    std::vector<std::int64_t> swapped(c.rank(0));
    std::iota(swapped.begin(), swapped.end(), std::int64_t{0});
    std::swap(swapped[0], swapped[1]);
    std::string const turned = c.step("Transpose", {c.input(0)}, {{"axes", swapped}});
    c.add("Transpose", {c.step("ReversePackedSegs", {turned, c.input(1)})}, {c.output(0)}, {{"axes", swapped}});
  }
  c.as_input(0, 0);
}

// TopK: the op pads if the axis has fewer than k elements, which ONNX refuses. If the extent is known only at run time,
// Gather checks it, by reading index k - 1. The smallest elements are the largest in a type's reversed order: -x, or
// -1 - x for integers, which does not overflow.
inline void onnx_top_k(onnx_context const& c) {
  require_type(c, 0, onnx_numbers_and_bytes);
  bool const smallest = c.integer("largest", 1) == 0;
  if (smallest) static_cast<void>(require_runtime_type(c, c.type(0)));
  auto const reversed = [&](std::string const& from, std::string const& to) {
    if (onnx_floats.has(c.type(0))) return c.add("Negative", {from}, {to});
    c.add("Sub", {c.constant_blob(onnx_filled(onnx_widened_type(c.type(0)), {}, -1), "ones"), from}, {to});
  };
  std::int64_t k = c.integer("k", 0);
  bool const is_known = c.opset() < 10 || c.constant(1) != nullptr || c.converter().declared_elements(c, 1);
  if (c.opset() >= 10) {
    require_dims(c, 1, {1}, "a list of one number");
    if (is_known) k = c.known_integers(1, "k").front();
  }
  std::int64_t const axis = c.integer("axis", -1);
  onnx_dims dims = c.dims(0);
  std::size_t const at = dims ? c.axis(0, axis) : 0;
  std::int64_t const extent = dims ? (*dims)[at] : -1;
  if (is_known && k < 1) c.unsupported("k is " + std::to_string(k) + ", which should be at least 1");
  if (extent >= 0 && k > extent)
    c.unsupported("k is " + std::to_string(k) + ", where axis " + std::to_string(axis) + " of " + input_text(c, 0) +
                  " has " + std::to_string(extent) + " elements");
  std::string x = onnx_widened(c, 0);
  if (extent < 0 || !is_known) {
    std::string const shape = c.step("Shape", {x});
    std::string const place = c.constant_blob(onnx_list({axis}), "axis");
    std::string const have = c.step("Gather", {shape, place}, {{"wrap_indices", 1}});
    std::string const most = c.step("Max", {have, is_known ? c.constant_blob(onnx_list({k}), "k") : c.input(1)});
    x = c.step("Gather", {x, c.step("Range", {most})}, {{"axis", axis}});
  }
  if (smallest) {
    std::string const turned = c.temporary("turned");
    reversed(x, turned);
    x = turned;
  }
  onnx_narrowed(c, [&](std::string const& made) {
    std::string const top = smallest ? c.temporary("top") : made;
    std::vector<std::string> operands{x};
    std::vector<net_argument> arguments{{"axis", axis}};
    if (is_known)
      arguments.emplace_back("k", k);
    else
      operands.push_back(c.input(1));
    c.add("TopK", operands, {top, c.output(1)}, std::move(arguments));
    if (smallest) reversed(top, made);
  });
  if (dims) (*dims)[at] = is_known ? k : -1;
  for (std::size_t const o : {0U, 1U}) {
    c.set_type(o, o == 0 ? c.type(0) : onnx_type::int64);
    c.set_dims(o, dims);
  }
}

}  // namespace detail

inline void add_onnx_selection_rules(onnx_rules& rules) {
  rules.set("Concat", detail::onnx_concat);
  rules.set("Split", detail::onnx_split);
  rules.set("Slice", detail::onnx_slice);
  rules.set("Gather", detail::onnx_gather);
  rules.set("ReverseSequence", detail::onnx_reverse_sequence);
  rules.set("TopK", detail::onnx_top_k);
}

}  // namespace plait
