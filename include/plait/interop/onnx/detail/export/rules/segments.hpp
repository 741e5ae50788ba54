// Export rules of segments and sequences: reductions of rows by lengths or segment ids, packing, masks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/export/context.hpp>
#include <plait/interop/onnx/detail/export/rules/elementwise.hpp>
#include <plait/interop/onnx/detail/export/rules/indexing.hpp>
#include <plait/interop/onnx/detail/export/rules/normalization.hpp>
#include <plait/interop/onnx/detail/export/rules/shapes.hpp>

namespace plait {
namespace detail::onnx_out {

/// Segments of consecutive rows, as values of int64.
struct onnx_segments {
  std::string lengths;
  std::string starts;  ///< the first row of each segment
  std::string ids;     ///< the segment of each row
};

/// Returns a list as a column, or as a row.
inline std::string onnx_column(onnx_export_context const& c, std::string const& list) {
  return c.step("Unsqueeze", {list, onnx_axes(c, {1})});
}
inline std::string onnx_row(onnx_export_context const& c, std::string const& list) {
  return c.step("Unsqueeze", {list, onnx_axes(c, {0})});
}
/// Returns the places 0, 1, … below a count, a list of one element.
inline std::string onnx_places(onnx_export_context const& c, std::string const& count) {
  return c.step("Range", {onnx_int64(c, 0), c.reshape(count, {}), onnx_int64(c, 1)});
}
inline std::string onnx_starts(onnx_export_context const& c, std::string const& lengths) {
  std::string const ends = c.step("CumSum", {lengths, onnx_int64(c, 0)});
  return c.step("Sub", {ends, lengths});
}

/// Returns the segments that lengths describe. The id of a row is the number of segments that end at or before it.
inline onnx_segments onnx_segments_of(onnx_export_context const& c, std::string const& lengths) {
  onnx_segments made{lengths, onnx_starts(c, lengths), {}};
  std::string const rows = onnx_places(c, onnx_reduce(c, "ReduceSum", lengths, {0}, true));
  std::string const ends = c.step("Add", {made.starts, lengths});
  std::string const ended = c.step("LessOrEqual", {onnx_row(c, ends), onnx_column(c, rows)});
  made.ids = onnx_reduce(c, "ReduceSum", onnx_cast(c, ended, onnx_type::int64), {1}, false);
  return made;
}
/// Returns the place of each row in its segment.
inline std::string onnx_places_in(onnx_export_context const& c, onnx_segments const& s) {
  std::string const rows = onnx_places(c, c.step("Shape", {s.ids}));
  return c.step("Sub", {rows, c.step("Gather", {s.starts, s.ids})});
}
/// Returns how many rows have each id below a count.
inline std::string onnx_counts(onnx_export_context const& c, std::string const& ids, std::string const& count) {
  std::string const same = c.step("Equal", {onnx_column(c, onnx_places(c, count)), onnx_row(c, ids)});
  return onnx_reduce(c, "ReduceSum", onnx_cast(c, same, onnx_type::int64), {1}, false);
}

/// Defines output 0 as reductions of rows by their ids, "Sum", "Mean" or "Max", for `count` segments.
inline void onnx_give_segments(onnx_export_context& c, std::string_view kind, std::string const& rows,
                               std::string const& ids, std::string const& count) {
  bool const greatest = kind == "Max";
  double const first = greatest ? -std::numeric_limits<double>::infinity() : 0;
  std::string const made =
      onnx_scattered(c, onnx_filled_rows(c, count, rows, first), onnx_column(c, ids), rows, greatest ? "max" : "add");
  if (kind == "Sum") {
    c.forward(0, made);
  } else {
    std::string const sizes = onnx_aligned(c, onnx_counts(c, ids, count), 0, made);
    std::string const one = c.number(1, sizes);
    if (greatest)
      c.give(0, "Where", {c.step("Less", {sizes, one}), c.number(0, rows), made});
    else
      c.give(0, "Div", {made, onnx_cast(c, c.step("Max", {sizes, one}), c.type_of(rows))});
  }
  if (onnx_shape dims = c.dims(rows); dims && !dims->empty()) {
    dims->front() = c.elements(count) ? c.elements(count)->front() : -1;
    c.set_dims(c.output(0), std::move(dims));
  }
}

/// Reductions by lengths or ids. Inputs: rows, [weights], [indices of the rows], lengths or ids.
inline void onnx_export_segments(onnx_export_context& c) {
  std::string_view const type = c.type();
  bool const sparse = type.starts_with("Sparse");
  bool const weighted = type.find("Weighted") != type.npos;
  std::string rows = c.input(0);
  std::size_t next = weighted ? 2 : 1;
  if (sparse) rows = c.step("Gather", {rows, c.input(next++)}, {onnx_attr("axis", 0)});
  if (weighted) rows = c.step("Mul", {rows, onnx_aligned(c, c.input(1), 0, rows)});
  std::string const list = c.reshape(onnx_as_int64(c, c.input(next)), {-1});
  std::string_view const kind = type.ends_with("Max") ? "Max" : type.ends_with("Mean") ? "Mean" : "Sum";
  if (type.find("Lengths") != type.npos)
    return onnx_give_segments(c, kind, rows, onnx_segments_of(c, list).ids, c.step("Shape", {list}));
  std::int64_t const segments = c.integer("num_segments", -1);
  onnx_give_segments(c, kind, rows, list,
                     segments >= 0 ? c.constant(std::vector<std::int64_t>{segments}) : onnx_count_of(c, list));
}

// ---- lists
/// Defines output 0 as a list of integers of the type of input 0.
inline void onnx_give_list(onnx_export_context& c, std::string const& list, onnx_type type) {
  if (type == onnx_type::int64) return c.forward(0, list);
  c.give(0, "Cast", {list}, {onnx_attr("to", static_cast<std::int64_t>(type))});
}

inline void onnx_export_lengths(onnx_export_context& c) {
  std::string const lengths = onnx_as_int64(c, c.input(0));
  onnx_type const type = c.type_of(c.input(0));
  auto const joined = [&](std::vector<std::string> parts, int axis) {
    return c.step("Concat", std::move(parts), {onnx_attr("axis", axis)});
  };
  if (c.type() == "LengthsToSegmentIds") {
    onnx_give_list(c, onnx_segments_of(c, lengths).ids, type);
  } else if (c.type() == "LengthsRangeFill") {
    onnx_give_list(c, onnx_places_in(c, onnx_segments_of(c, lengths)), type);
  } else if (c.type() == "LengthsToRanges") {
    onnx_give_list(c, joined({onnx_column(c, onnx_starts(c, lengths)), onnx_column(c, lengths)}, 1), type);
  } else if (c.type() == "LengthsToShape") {
    std::string const first = c.step("Gather", {lengths, c.constant(std::vector<std::int64_t>{0})});
    onnx_give_list(c, joined({c.step("Shape", {lengths}), first}, 0), type);
  } else {
    std::string offsets = onnx_starts(c, lengths);
    if (c.integer("include_last_offset", 0) != 0)
      offsets = joined({offsets, onnx_reduce(c, "ReduceSum", lengths, {0}, true)}, 0);
    onnx_give_list(c, offsets, type);
  }
}

/// SegmentIdsToLengths and SegmentIdsToRanges.
inline void onnx_export_segment_ids(onnx_export_context& c) {
  std::string const ids = c.reshape(onnx_as_int64(c, c.input(0)), {-1});
  std::string const count =
      c.input_count() > 1 ? c.step("Gather", {c.step("Shape", {c.input(1)}), c.constant(std::vector<std::int64_t>{0})})
                          : onnx_count_of(c, ids);
  std::string const lengths = onnx_counts(c, ids, count);
  if (c.type() == "SegmentIdsToLengths") return onnx_give_list(c, lengths, onnx_type::int32);
  // Segments behind the last row begin at 0.
  std::string const first = onnx_starts(c, lengths);
  std::string const starts =
      c.step("Where", {c.step("Equal", {first, c.step("Size", {ids})}), onnx_int64(c, 0), first});
  onnx_give_list(c, c.step("Concat", {onnx_column(c, starts), onnx_column(c, lengths)}, {onnx_attr("axis", 1)}),
                 onnx_type::int32);
}

inline void onnx_export_lengths_tile(onnx_export_context& c) {
  std::string const lengths = onnx_as_int64(c, c.input(1));
  c.give(0, "Gather", {c.input(0), onnx_segments_of(c, lengths).ids}, {onnx_attr("axis", 0)});
}

/// LengthsGather: inputs rows, lengths, the segments to take.
inline void onnx_export_lengths_gather(onnx_export_context& c) {
  std::string const lengths = onnx_as_int64(c, c.input(1));
  std::string const taken = c.reshape(onnx_as_int64(c, c.input(2)), {-1});
  onnx_segments const s = onnx_segments_of(c, c.step("Gather", {lengths, taken}));
  std::string const first = c.step("Gather", {c.step("Gather", {onnx_starts(c, lengths), taken}), s.ids});
  c.give(0, "Gather", {c.input(0), c.step("Add", {first, onnx_places_in(c, s)})}, {onnx_attr("axis", 0)});
}

// ---- padded sequences
/// Defines output 0 as rows at `places`, or a row of `filler` where `are_rows` is false.
inline void onnx_give_rows(onnx_export_context& c, std::string const& rows, std::string const& are_rows,
                           std::string const& places, double filler) {
  std::string const one = c.constant(std::vector<std::int64_t>{1}, "one");
  std::string const padded = c.step("Concat", {rows, onnx_filled_rows(c, one, rows, filler)}, {onnx_attr("axis", 0)});
  std::string const behind = c.step("Gather", {c.step("Shape", {rows}), onnx_int64(c, 0)});
  c.give(0, "Gather", {padded, c.step("Where", {are_rows, places, behind})}, {onnx_attr("axis", 0)});
}

/// PackSegments, sequences × steps, and PackRNNSequence, steps × sequences.
inline void onnx_export_pack(onnx_export_context& c) {
  bool const by_steps = c.type() == "PackRNNSequence";
  std::string lengths = onnx_as_int64(c, c.input(by_steps ? 1 : 0));
  std::string const rows = c.input(by_steps ? 0 : 1);
  std::string const starts = onnx_starts(c, lengths);
  std::string steps;
  if (c.input_count() > 2)
    steps = c.step("Gather", {c.step("Shape", {c.input(2)}), c.constant(std::vector<std::int64_t>{by_steps ? 0 : 1})});
  else if (c.integer("max_length", -1) >= 0)
    steps = c.constant(std::vector<std::int64_t>{c.integer("max_length", -1)});
  else
    steps = onnx_reduce(c, "ReduceMax",
                        c.step("Concat", {lengths, c.constant(std::vector<std::int64_t>{0})}, {onnx_attr("axis", 0)}),
                        {0}, true);
  std::string first = starts;
  if (!by_steps && c.input_count() > 2) {  // rows are those of the shortened sequences
    lengths = c.step("Min", {lengths, steps});
    first = onnx_starts(c, lengths);
  }
  std::string const places = onnx_places(c, steps);
  auto const sequences = [&](std::string const& list) { return by_steps ? onnx_row(c, list) : onnx_column(c, list); };
  std::string const across = by_steps ? onnx_column(c, places) : onnx_row(c, places);
  std::string const are_rows = c.step("Less", {across, sequences(lengths)});
  double const filler = c.integer("pad_minf", 0) != 0 ? -std::numeric_limits<double>::infinity() : 0;
  onnx_give_rows(c, rows, are_rows, c.step("Add", {sequences(first), across}), filler);
  if (c.output_count() > 1) c.forward(1, are_rows);
}

/// UnpackSegments and UnpackRNNSequence. A third input of UnpackSegments has the shape of the result.
inline void onnx_export_unpack(onnx_export_context& c) {
  bool const by_steps = c.type() == "UnpackRNNSequence";
  onnx_segments const s = onnx_segments_of(c, onnx_as_int64(c, c.input(by_steps ? 1 : 0)));
  std::string const x = c.input(by_steps ? 0 : 1);
  std::string const shape = c.step("Shape", {x});
  auto const extent = [&](std::int64_t axis) { return c.step("Gather", {shape, onnx_int64(c, axis)}); };
  std::string const rest =
      c.step("Slice", {shape, c.constant(std::vector<std::int64_t>{2}),
                       c.constant(std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max()})});
  std::string const all = c.reshape(c.step("Mul", {extent(0), extent(1)}), {1});
  std::string const rows = c.step("Reshape", {x, c.step("Concat", {all, rest}, {onnx_attr("axis", 0)})});
  std::string const place = onnx_places_in(c, s);
  std::string const at =
      c.step("Add", {c.step("Mul", {by_steps ? place : s.ids, extent(1)}), by_steps ? s.ids : place});
  if (by_steps)
    c.give(0, "Gather", {rows, at}, {onnx_attr("axis", 0)});
  else
    onnx_give_rows(c, rows, c.step("Less", {place, extent(1)}), at, 0);
  if (onnx_shape dims = c.dims(x); dims && dims->size() > 1) {
    dims->erase(dims->begin());
    dims->front() = -1;
    c.set_dims(c.output(0), std::move(dims));
  }
}

inline void onnx_export_reverse_packed_segs(onnx_export_context& c) {
  std::string const lengths =
      c.step("Cast", {c.input(1)}, {onnx_attr("to", static_cast<std::int64_t>(onnx_type::int64))});
  c.give(0, "ReverseSequence", {c.input(0), lengths}, {onnx_attr("time_axis", 0), onnx_attr("batch_axis", 1)});
}

/// SequenceMask: the elements as [masks, rows of a mask, columns of a mask, elements of a column].
inline void onnx_export_sequence_mask(onnx_export_context& c) {
  std::string const x = c.input(0);
  std::string const mode = c.text("mode", "");
  std::string const extents = c.step("Shape", {x});
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  auto const number = [&](std::int64_t each) { return c.constant(std::vector<std::int64_t>{each}, "number"); };
  auto const product = [&](std::int64_t from, std::int64_t to) {
    return onnx_reduce(c, "ReduceProd", c.step("Slice", {extents, number(from), number(to)}), {0}, true);
  };
  std::int64_t const axis = c.integer("axis", 1);
  std::int64_t first = 0;
  if (c.has("batch")) first = c.integer("batch", 0) == -1 ? last : c.integer("batch", 0) + 1;
  bool const repeats = c.has("repeat_from_axis");
  std::int64_t const from = c.integer("repeat_from_axis", 0);
  std::string const rows = product(first, axis);
  std::string const columns = product(axis, repeats ? from : last);
  std::string const shape = c.step(
      "Concat", {first == 0 ? number(1) : product(0, first), rows, columns, repeats ? product(from, last) : number(1)},
      {onnx_attr("axis", 0)});
  auto const places = [&](std::string const& count, std::int64_t added) {
    return c.step("Unsqueeze",
                  {c.step("Range", {onnx_int64(c, 0), c.reshape(count, {}), onnx_int64(c, 1)}), onnx_axes(c, {added})});
  };
  std::string const column = places(columns, 0);
  std::string counts;
  if (mode == "sequence" || mode == "window") {
    std::string const all = onnx_as_int64(c, c.reshape(c.input(1), {-1}));
    std::string const list = c.step("Unsqueeze", {c.step("Slice", {all, number(0), rows}), onnx_axes(c, {1})});
    if (mode == "sequence") {
      counts = c.step("Less", {column, list});
    } else {
      std::string const distance = c.step("Abs", {c.step("Sub", {column, list})});
      counts = c.step("LessOrEqual", {distance, onnx_int64(c, c.integer("radius", 10))});
    }
  } else {
    char const* const compare = mode == "upper"       ? "LessOrEqual"
                                : mode == "lower"     ? "GreaterOrEqual"
                                : mode == "upperdiag" ? "Less"
                                : mode == "lowerdiag" ? "Greater"
                                                      : nullptr;
    if (compare == nullptr) c.unsupported("the mode '" + mode + '\'');
    counts = c.step(compare, {column, places(rows, 1)});
  }
  double const filler = c.integer("grad", 0) != 0 ? 0 : c.real("fill_val", -std::numeric_limits<float>::infinity());
  std::string const mask = c.step("Unsqueeze", {counts, onnx_axes(c, {2})});
  std::string const masked = c.step("Where", {mask, c.step("Reshape", {x, shape}), c.number(filler, x)});
  c.give(0, "Reshape", {masked, c.shape_of(x)});
  c.set_dims(c.output(0), c.dims(x));
}

}  // namespace detail::onnx_out

inline void add_onnx_segments_export(onnx_export_rules& rules) {
  for (char const* type :
       {"Lengths", "SparseLengths", "SortedSegment", "SparseSortedSegment", "UnsortedSegment", "SparseUnsortedSegment"})
    for (char const* kind : {"Sum", "Mean", "WeightedSum"})
      rules.set(std::string(type) + kind, detail::onnx_out::onnx_export_segments);
  rules.set("LengthsMax", detail::onnx_out::onnx_export_segments);
  for (char const* type :
       {"LengthsToSegmentIds", "LengthsRangeFill", "LengthsToRanges", "LengthsToShape", "LengthsToOffsets"})
    rules.set(type, detail::onnx_out::onnx_export_lengths);
  rules.set("SegmentIdsToLengths", detail::onnx_out::onnx_export_segment_ids);
  rules.set("SegmentIdsToRanges", detail::onnx_out::onnx_export_segment_ids);
  rules.set("LengthsTile", detail::onnx_out::onnx_export_lengths_tile);
  rules.set("LengthsGather", detail::onnx_out::onnx_export_lengths_gather);
  rules.set("PackSegments", detail::onnx_out::onnx_export_pack);
  rules.set("PackRNNSequence", detail::onnx_out::onnx_export_pack);
  rules.set("UnpackSegments", detail::onnx_out::onnx_export_unpack);
  rules.set("UnpackRNNSequence", detail::onnx_out::onnx_export_unpack);
  rules.set("ReversePackedSegs", detail::onnx_out::onnx_export_reverse_packed_segs);
  rules.set("SequenceMask", detail::onnx_out::onnx_export_sequence_mask);
}

}  // namespace plait
