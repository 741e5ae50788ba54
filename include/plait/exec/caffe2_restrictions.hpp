// What the Caffe2 of 2018 refused, though operators of the same names take it here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <plait/exec/backend.hpp>
#include <plait/exec/op_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/op_schema.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/operators/broadcast_arguments.hpp>

namespace plait {

namespace detail {

/// Each as an operators::restriction.
template <backend B>
struct caffe2_restrictions {
  using check = typename operators<B>::shape_check;

  // ---- names: an output may be called what an input is called in some pairs only (OpSchema::AllowInplace)
  static void allow_in_place(op_arguments const& a, std::initializer_list<operand_pair> allowed) {
    for (operand_pair const at : a.in_place())
      if (std::ranges::find(allowed, at) == allowed.end())
        shape_context::fail("output " + std::to_string(at.output) + " has the name of input " +
                            std::to_string(at.input) + ", which ops of this type may not overwrite");
  }
  static check never_in_place(op_arguments const& a) {
    allow_in_place(a, {});
    return {};
  }
  static check first_in_place(op_arguments const& a) {
    allow_in_place(a, {{0, 0}});
    return {};
  }
  // OpSchema::EnforceInplace
  static check must_be_in_place(op_arguments const& a) {
    if (std::ranges::find(a.in_place(), operand_pair{0, 0}) == a.in_place().end())
      shape_context::fail("output 0 should have the name of input 0, which ops of this type overwrite");
    return {};
  }

  // ---- operands
  template <std::size_t Most>
  static check inputs_up_to(op_arguments const& a) {
    if (a.input_count() > Most)
      shape_context::fail("there are " + std::to_string(a.input_count()) + " inputs, which should be at most " +
                          std::to_string(Most));
    return {};
  }

  // ---- shapes
  template <std::size_t Rank>
  static check rank_of_first(op_arguments const&) {
    return [](shape_context const& c) { c.expect_rank(0, Rank, Rank); };
  }
  template <std::size_t Least>
  static check least_rank_of_first(op_arguments const&) {
    return [](shape_context const& c) { c.expect_rank(0, Least); };
  }
  static check accuracy(op_arguments const&) {
    return [](shape_context const& c) {
      c.expect_rank(0, 2, 2);
      c.expect_rank(1, 1, 1);
    };
  }
  static check layer_norm(op_arguments const& a) {
    allow_in_place(a, {});
    inputs_up_to<1>(a);
    return least_rank_of_first<2>(a);
  }
  static check pack_rnn_sequence(op_arguments const& a) {
    inputs_up_to<2>(a);
    return least_rank_of_first<2>(a);
  }
  static check flatten(op_arguments const& a) {
    allow_in_place(a, {});
    if (a.integer("axis") < 0) a.fail("axis", "is " + std::to_string(a.integer("axis")) + ", below 0");
    return {};
  }
  static check flatten_to_vec(op_arguments const& a) {
    allow_in_place(a, {});
    return least_rank_of_first<1>(a);
  }
  static check top_k(op_arguments const& a) {
    std::int64_t const k = a.integer("k");
    std::int64_t const axis = a.integer("axis");
    if (axis < -1) a.fail("axis", "is " + std::to_string(axis) + ", below -1");
    return [k, axis](shape_context const& c) {
      c.expect(k <= c.dims(0)[c.axis(0, axis)], 0, "have k = ", k, " elements along the axis");
    };
  }
  static check tile(op_arguments const& a) {
    if (a.input_count() < 2 && !a.has("tiles")) a.fail("tiles", "is missing, and there is no second input");
    if (a.input_count() < 3 && !a.has("axis")) a.fail("axis", "is missing, and there is no third input");
    return [](shape_context const& c) {
      for (std::size_t i = 1; i < c.input_count(); ++i) c.expect(c.dims(i) == shape{1}, i, "have the shape 1");
    };
  }
  static check transpose(op_arguments const& a) {
    allow_in_place(a, {});
    for (std::int64_t const axis : a.integers("axes"))
      if (axis < 0) a.fail("axes", "has " + std::to_string(axis) + ", below 0");
    return [](shape_context const& c) { c.expect_type<float, double, std::int32_t, std::int64_t>(0); };
  }

  // ---- arguments
  static check concat(op_arguments const& a) {
    if (a.has("axis") && a.has("order")) a.fail("order", "cannot be given beside axis");
    return {};
  }
  static check dropout(op_arguments const& a) {
    if (!a.flag("is_test") && a.output_count() < 2) shape_context::fail("there is no output for the mask");
    return {};
  }

  /// With broadcast=1: B without 1s at either end has the extents of A that it faces, instead of being repeated along
  /// axes between. `A B -> B` is only for ops that do not broadcast.
  static check legacy_broadcast(op_arguments const& a) {
    if (!a.flag("broadcast")) return {};
    allow_in_place(a, {{0, 0}});
    return [places = broadcast_arguments(a)](shape_context const& c) {
      shape const& whole = c.dims(0);
      shape const b = places.match(whole, c.dims(1)).right;
      std::size_t first = 0;
      while (first != b.rank() && b[first] == 1) ++first;
      std::size_t last = b.rank();
      while (last != first && b[last - 1] == 1) --last;
      for (std::size_t axis = first; axis != last; ++axis)
        c.expect(b[axis] == whole[axis + whole.rank() - b.rank()], 1, "not be repeated along axes between others");
    };
  }
  static check division(op_arguments const& a) {
    allow_in_place(a, {{0, 0}});
    return legacy_broadcast(a);
  }
  static check comparison(op_arguments const& a) {
    allow_in_place(a, {});
    return legacy_broadcast(a);
  }
};

}  // namespace detail

/// Has a table refuse, with an error, what the Caffe2 of 2018 refused by its schemas and checks. Precondition: the
/// table has the operators of standard_operators.
template <backend B>
void restrict_as_caffe2(operators<B>& table) {
  using asks = detail::caffe2_restrictions<B>;
  struct rule {
    std::string_view type;
    typename operators<B>::restriction restriction;
  };
  rule const rules[] = {
      {"Abs", asks::never_in_place},
      {"Accuracy", asks::accuracy},
      {"Add", asks::legacy_broadcast},
      {"Alias", asks::never_in_place},
      {"Concat", asks::concat},
      {"Copy", asks::never_in_place},
      {"CopyOnDeviceLike", asks::never_in_place},
      {"Cos", asks::never_in_place},
      {"Div", asks::division},
      {"Dropout", asks::dropout},
      {"EQ", asks::comparison},
      {"EnsureDense", asks::template least_rank_of_first<1>},
      {"Flatten", asks::flatten},
      {"FlattenToVec", asks::flatten_to_vec},
      {"GE", asks::comparison},
      {"GT", asks::comparison},
      {"HasElements", asks::template inputs_up_to<1>},
      {"LE", asks::comparison},
      {"LT", asks::comparison},
      {"LayerNorm", asks::layer_norm},
      {"Mul", asks::legacy_broadcast},
      {"Not", asks::never_in_place},
      {"PackRNNSequence", asks::pack_rnn_sequence},
      {"PackSegments", asks::template inputs_up_to<2>},
      {"Range", asks::template rank_of_first<0>},
      {"ResizeLike", asks::never_in_place},
      {"ReversePackedSegs", asks::template rank_of_first<3>},
      {"ScatterAssign", asks::must_be_in_place},
      {"ScatterWeightedSum", asks::must_be_in_place},
      {"Softmax", asks::never_in_place},
      {"Sub", asks::legacy_broadcast},
      {"Sum", asks::first_in_place},
      {"Tile", asks::tile},
      {"TopK", asks::top_k},
      {"Transpose", asks::transpose},
      {"UnpackRNNSequence", asks::template least_rank_of_first<3>},
      {"UnpackSegments", asks::template inputs_up_to<2>},
      {"WeightedSum", asks::first_in_place},
  };
  for (auto const& [type, restriction] : rules) table.restrict(type, restriction);
}

}  // namespace plait
