// Constant folding of ONNX nodes: evaluation of small integer, boolean and floating-point tensors when a model is read.
//
// Elements may be known in part: a list of extents has those that the model declares. A node whose outputs follow from
// constants alone becomes constants. One that depends on what the model declares of its inputs is converted by its
// rule, and its value records the elements, since an input may be larger than declared.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/interop/onnx/detail/context.hpp>
#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/folding_arithmetic.hpp>
#include <plait/interop/onnx/detail/model.hpp>
#include <plait/interop/onnx/detail/values.hpp>
#include <plait/net/detail/parameter.hpp>
#include <plait/net/detail/slice_range.hpp>

namespace plait::detail {

/// Evaluator of one node. Its functions return nothing for what they do not fold: then the node's rule decides.
class onnx_constant_folding : public onnx_folding_arithmetic {
 public:
  using result = std::optional<std::vector<folded_tensor>>;
  explicit onnx_constant_folding(onnx_context const& c) : onnx_folding_arithmetic(c) {}

  /// Returns the elements of all outputs, as far as they are known.
  result run() const {
    if (c_.node().outputs.empty()) return std::nullopt;
    for (entry const& each : table())
      if (each.type == c_.node().type) {
        result made = (this->*each.fold)();
        if (!made || made->size() != c_.node().outputs.size()) return std::nullopt;
        for (folded_tensor const& output : *made)
          if (output.cells.size() > max_elements || output.dims.size() > max_rank) return std::nullopt;
        return made;
      }
    return std::nullopt;
  }

  /// Returns a tensor all of whose elements are known.
  static tensor_value value_of(folded_tensor const& from) {
    tensor_value made = onnx_filled(from.type, from.dims, 0);
    std::visit(
        [&]<class T>(std::vector<T>& elements) {
          for (std::size_t k = 0; k != elements.size(); ++k)
            if constexpr (std::is_floating_point_v<T>)
              elements[k] = static_cast<T>(from.cells[k].real);
            else if constexpr (std::is_arithmetic_v<T>)
              elements[k] = static_cast<T>(from.cells[k].integer);
        },
        made.data);
    return made;
  }

 private:
  struct entry {
    std::string_view type;
    result (onnx_constant_folding::*fold)() const;
  };
  static std::span<entry const> table() {
    using self = onnx_constant_folding;
    static constexpr std::array entries{
        entry{"Shape", &self::shape},         entry{"Size", &self::count},
        entry{"Identity", &self::identity},   entry{"Cast", &self::cast},
        entry{"Gather", &self::gather},       entry{"Slice", &self::slice},
        entry{"Concat", &self::concat},       entry{"Split", &self::split},
        entry{"Unsqueeze", &self::unsqueeze}, entry{"Squeeze", &self::squeeze},
        entry{"Reshape", &self::reshape},     entry{"Transpose", &self::transpose},
        entry{"Expand", &self::expand},       entry{"ConstantOfShape", &self::constant_of_shape},
        entry{"Range", &self::range},         entry{"Where", &self::where},
        entry{"Not", &self::unary},           entry{"Neg", &self::unary},
        entry{"Abs", &self::unary},           entry{"Floor", &self::unary},
        entry{"Ceil", &self::unary},          entry{"Sqrt", &self::unary},
        entry{"Sin", &self::unary},           entry{"Cos", &self::unary},
        entry{"Clip", &self::clip},           entry{"Pow", &self::power},
        entry{"Add", &self::binary},          entry{"Sub", &self::binary},
        entry{"Mul", &self::binary},          entry{"Div", &self::binary},
        entry{"Mod", &self::binary},          entry{"Max", &self::binary},
        entry{"Min", &self::binary},          entry{"Equal", &self::binary},
        entry{"Less", &self::binary},         entry{"Greater", &self::binary},
        entry{"LessOrEqual", &self::binary},  entry{"GreaterOrEqual", &self::binary},
        entry{"And", &self::binary},          entry{"Or", &self::binary},
        entry{"Xor", &self::binary},          entry{"ReduceProd", &self::reduce},
        entry{"ReduceSum", &self::reduce},    entry{"ReduceMax", &self::reduce},
        entry{"ReduceMin", &self::reduce},
    };
    return entries;
  }

  // ---- shapes
  result shape() const {
    if (!c_.has_input(0) || !c_.value(0).dims) return std::nullopt;
    numbers const& dims = *c_.value(0).dims;
    auto const rank = static_cast<std::int64_t>(dims.size());
    auto const bound = [&](std::int64_t at) { return std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank); };
    std::int64_t const first = bound(c_.integer("start", 0));
    std::int64_t const last = std::max(first, bound(c_.has("end") ? c_.integer("end", 0) : rank));
    folded_tensor made{onnx_type::int64, {last - first}};
    for (std::int64_t a = first; a != last; ++a) {
      std::int64_t const own = dims[static_cast<std::size_t>(a)];
      made.cells.push_back({own < 0 ? 0 : own, 0, own >= 0});
    }
    return one(std::move(made));
  }
  result count() const {
    if (!c_.has_input(0) || !is_known(c_.value(0).dims)) return std::nullopt;
    auto const elements = element_count(*c_.value(0).dims);
    if (!elements || *elements > std::size_t{1} << 40) return std::nullopt;
    return one({onnx_type::int64, {}, {{static_cast<std::int64_t>(*elements)}}});
  }
  result identity() const {
    auto from = input(0);
    return from ? one(std::move(*from)) : std::nullopt;
  }
  result reshaped(folded_tensor from, numbers dims) const {
    if (size_of(dims) != from.cells.size()) return std::nullopt;
    from.dims = std::move(dims);
    return one(std::move(from));
  }
  result unsqueeze() const {
    auto from = input(0);
    auto const given = list("axes", 1, 13);
    if (!from || !given) return std::nullopt;
    auto const at = axes(given, from->dims.size() + given->size());
    if (!at) return std::nullopt;
    numbers dims = from->dims;
    for (std::int64_t const axis : *at) dims.insert(dims.begin() + axis, 1);
    return reshaped(std::move(*from), std::move(dims));
  }
  result squeeze() const {
    auto from = input(0);
    if (!from) return std::nullopt;
    bool const all = c_.opset() >= 13 ? !c_.has_input(1) : !c_.has("axes");
    std::optional<numbers> at;
    if (!all) {
      at = axes(list("axes", 1, 13), from->dims.size());
      if (!at || at->empty()) return std::nullopt;
    }
    numbers dims;
    for (std::size_t a = 0; a != from->dims.size(); ++a) {
      bool const goes = all ? from->dims[a] == 1 : std::ranges::binary_search(*at, static_cast<std::int64_t>(a));
      if (goes && from->dims[a] != 1) return std::nullopt;
      if (!goes) dims.push_back(from->dims[a]);
    }
    return reshaped(std::move(*from), std::move(dims));
  }
  result reshape() const {
    auto from = input(0);
    auto dims = list("shape", 1, 5);
    if (!from || !dims) return std::nullopt;
    std::size_t open = dims->size();
    for (std::size_t a = 0; a != dims->size(); ++a) {
      std::int64_t& each = (*dims)[a];
      if (each < -1 || (each == -1 && open != dims->size())) return std::nullopt;
      if (each == -1) open = a;
      if (each != 0 || c_.integer("allowzero", 0) != 0) continue;
      if (a >= from->dims.size()) return std::nullopt;
      each = from->dims[a];
    }
    if (open != dims->size()) {
      (*dims)[open] = 1;
      std::size_t const rest = size_of(*dims);
      if (rest == 0 || from->cells.size() % rest != 0) return std::nullopt;
      (*dims)[open] = static_cast<std::int64_t>(from->cells.size() / rest);
    }
    return reshaped(std::move(*from), std::move(*dims));
  }
  result expand() const {
    auto const from = input(0);
    auto const wanted = list(1);
    if (!from || !wanted || std::ranges::any_of(*wanted, [](std::int64_t x) { return x < 0; })) return std::nullopt;
    auto const dims = broadcast_dims(from->dims, *wanted);
    auto made = dims ? expanded(*from, *dims) : std::nullopt;
    return made ? one(std::move(*made)) : std::nullopt;
  }
  result transpose() const {
    auto const from = input(0);
    if (!from) return std::nullopt;
    numbers order = c_.integers("perm");
    if (!c_.has("perm"))
      for (std::size_t a = from->dims.size(); a-- != 0;) order.push_back(static_cast<std::int64_t>(a));
    if (order.size() != from->dims.size() || std::ranges::any_of(order, [](std::int64_t a) { return a < 0; }) ||
        !axes(order, order.size()))
      return std::nullopt;
    auto const steps = strides(from->dims);
    numbers dims;
    for (std::int64_t const a : order) dims.push_back(from->dims[static_cast<std::size_t>(a)]);
    return one(mapped(*from, std::move(dims), [&](std::vector<std::size_t> const& index) {
      std::size_t at = 0;
      for (std::size_t a = 0; a != index.size(); ++a) at += index[a] * steps[static_cast<std::size_t>(order[a])];
      return at;
    }));
  }

  // ---- selections
  result gather() const {
    auto const from = input(0);
    auto const at = list(1);
    if (!from || !at) return std::nullopt;
    auto const along = axis(c_.integer("axis", 0), from->dims.size());
    if (!along) return std::nullopt;
    auto const [before, own, behind] = around(from->dims, *along);
    numbers dims = from->dims;
    numbers const& listed = c_.value(1).constant ? c_.value(1).constant->shape : *c_.value(1).dims;
    auto const place = dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(*along));
    dims.insert(place, listed.begin(), listed.end());
    if (size_of(dims) > max_elements) return std::nullopt;
    folded_tensor made{from->type, std::move(dims)};
    for (std::size_t a = 0; a != before; ++a)
      for (std::int64_t index : *at) {
        if (index < 0) index += static_cast<std::int64_t>(own);
        if (index < 0 || index >= static_cast<std::int64_t>(own)) return std::nullopt;
        for (std::size_t b = 0; b != behind; ++b)
          made.cells.push_back(from->cells[(a * own + static_cast<std::size_t>(index)) * behind + b]);
      }
    return one(std::move(made));
  }
  result slice() const {
    auto const from = input(0);
    auto const starts = list("starts", 1, 10);
    auto const ends = list("ends", 2, 10);
    if (!from || !starts || !ends || starts->size() != ends->size()) return std::nullopt;
    std::size_t const rank = from->dims.size();
    numbers at(starts->size());
    std::iota(at.begin(), at.end(), std::int64_t{0});
    if (c_.opset() >= 10 ? c_.has_input(3) : c_.has("axes")) {
      auto const given = list("axes", 3, 10);
      if (!given) return std::nullopt;
      at = from_front(*given, rank);
    }
    numbers steps(starts->size(), 1);
    if (c_.opset() >= 10 && c_.has_input(4)) {
      auto const given = list(4);
      if (!given) return std::nullopt;
      steps = *given;
    }
    if (at.size() != starts->size() || steps.size() != starts->size() || !axes(at, rank)) return std::nullopt;
    numbers dims = from->dims;
    numbers first(rank, 0);
    numbers step(rank, 1);
    for (std::size_t k = 0; k != at.size(); ++k) {
      auto const a = static_cast<std::size_t>(at[k]);
      std::int64_t const own = dims[a];
      std::int64_t const by = steps[k];
      if (by == 0) return std::nullopt;
      slice_range const range = slice_places((*starts)[k], (*ends)[k], by, own);
      first[a] = range.first;
      dims[a] = range.count;
      if (range.count > 1) step[a] = by;
    }
    auto const places = strides(from->dims);
    return one(mapped(*from, std::move(dims), [&](std::vector<std::size_t> const& index) {
      std::size_t found = 0;
      for (std::size_t a = 0; a != rank; ++a)
        found += static_cast<std::size_t>(first[a] + static_cast<std::int64_t>(index[a]) * step[a]) * places[a];
      return found;
    }));
  }
  result concat() const {
    std::vector<folded_tensor> parts;
    for (std::size_t i = 0; i != c_.input_count(); ++i) {
      auto part = input(i);
      if (!part || (i != 0 && part->type != parts[0].type)) return std::nullopt;
      parts.push_back(std::move(*part));
    }
    if (parts.empty()) return std::nullopt;
    auto const along = axis(c_.integer("axis", 1), parts[0].dims.size());
    if (!along) return std::nullopt;
    folded_tensor made{parts[0].type, parts[0].dims};
    made.dims[*along] = 0;
    for (folded_tensor const& part : parts) {
      numbers rest = part.dims;
      if (rest.size() != made.dims.size()) return std::nullopt;
      rest[*along] = made.dims[*along];
      if (rest != made.dims) return std::nullopt;
      made.dims[*along] += part.dims[*along];
    }
    if (size_of(made.dims) > max_elements) return std::nullopt;
    std::size_t const before = around(made.dims, *along)[0];
    for (std::size_t a = 0; a != before; ++a)
      for (folded_tensor const& part : parts) {
        auto const row = static_cast<std::ptrdiff_t>(part.cells.size() / before);
        auto const first = part.cells.begin() + static_cast<std::ptrdiff_t>(a) * row;
        made.cells.insert(made.cells.end(), first, first + row);
      }
    return one(std::move(made));
  }
  result split() const {
    auto const from = input(0);
    std::size_t const count = c_.node().outputs.size();
    if (!from) return std::nullopt;
    auto const along = axis(c_.integer("axis", 0), from->dims.size());
    if (!along) return std::nullopt;
    auto const [before, own, behind] = around(from->dims, *along);
    numbers lengths;
    if (c_.opset() >= 13 ? c_.has_input(1) : c_.has("split")) {
      auto const given = list("split", 1, 13);
      if (!given || given->size() != count) return std::nullopt;
      lengths = *given;
    } else {
      if (own % count != 0) return std::nullopt;
      lengths.assign(count, static_cast<std::int64_t>(own / count));
    }
    std::int64_t sum = 0;
    for (std::int64_t const each : lengths) {
      if (each < 0 || each > static_cast<std::int64_t>(own)) return std::nullopt;
      sum += each;
    }
    if (sum != static_cast<std::int64_t>(own)) return std::nullopt;
    std::vector<folded_tensor> made;
    std::size_t first = 0;
    for (std::int64_t const each : lengths) {
      folded_tensor part{from->type, from->dims};
      part.dims[*along] = each;
      auto const length = static_cast<std::size_t>(each);
      for (std::size_t a = 0; a != before; ++a)
        for (std::size_t k = 0; k != length * behind; ++k)
          part.cells.push_back(from->cells[(a * own + first) * behind + k]);
      first += length;
      made.push_back(std::move(part));
    }
    return made;
  }

  // ---- fills
  result constant_of_shape() const {
    auto const dims = list(0);
    if (!dims || c_.value(0).dims->size() != 1 || c_.training()) return std::nullopt;
    if (std::ranges::any_of(*dims, [](std::int64_t x) { return x < 0; }) || size_of(*dims) > max_elements)
      return std::nullopt;
    folded_tensor made{onnx_type::float32, *dims};
    folded_element fill;
    if (onnx_tensor const* const t = c_.tensor("value")) {
      if (!folded_types.has(t->type)) return std::nullopt;
      tensor_value const value = plait::value_of(*t);
      if (value.size() != 1 || value.shape.size() > 1) return std::nullopt;
      made.type = t->type;
      std::visit(
          [&]<class T>(std::vector<T> const& elements) {
            if constexpr (std::is_floating_point_v<T>)
              fill.real = static_cast<double>(elements[0]);
            else if constexpr (std::is_arithmetic_v<T>)
              fill.integer = static_cast<std::int64_t>(elements[0]);
          },
          value.data);
    }
    made.cells.assign(size_of(*dims), fill);
    return one(std::move(made));
  }
  result range() const {
    numbers at;
    for (std::size_t i = 0; i != 3; ++i) {
      auto const given = list(i);
      if (!given || given->size() != 1) return std::nullopt;
      if (given->front() > std::int64_t{1} << 40 || given->front() < -(std::int64_t{1} << 40)) return std::nullopt;
      at.push_back(given->front());
    }
    if (at[2] == 0) return std::nullopt;
    std::int64_t const distance = at[2] > 0 ? at[1] - at[0] : at[0] - at[1];
    std::int64_t const step = at[2] > 0 ? at[2] : -at[2];
    std::int64_t const count = distance > 0 ? (distance - 1) / step + 1 : 0;
    if (count > static_cast<std::int64_t>(max_elements)) return std::nullopt;
    folded_tensor made{c_.value(0).type, {count}};
    for (std::int64_t k = 0; k != count; ++k) made.cells.push_back({at[0] + k * at[2]});
    return one(std::move(made));
  }
};

inline void onnx_converter::convert(onnx_context const& context, onnx_rule const& rule) {
  onnx_node const& node = context.node();
  if (!node.domain.empty()) return rule(context);
  bool const has_graph = std::ranges::any_of(node.attributes, [](onnx_attribute const& a) { return bool(a.g); });
  bool is_declared = has_graph;  // depends on what the model declares of its inputs
  for (std::string const& name : node.inputs)
    if (!name.empty()) {
      onnx_value const& read = value(name);
      is_declared = is_declared || read.is_declared || read.known_elements;
    }
  auto const folded = onnx_constant_folding(context).run();
  bool const is_constant = folded && !is_declared && std::ranges::all_of(*folded, [](folded_tensor const& made) {
                             return std::ranges::all_of(made.cells, &folded_element::is_known);
                           });
  if (is_constant) {
    for (std::size_t o = 0; o != folded->size(); ++o)
      context.set_constant(o, onnx_constant_folding::value_of((*folded)[o]));
    return;
  }
  rule(context);
  for (std::size_t o = 0; o != node.outputs.size(); ++o) {
    onnx_value* const made = context.wants(o) ? known(node.outputs[o]) : nullptr;
    if (made == nullptr || made->constant) continue;
    if (node.type != "Shape") made->is_declared = made->is_declared || is_declared;
    if (!folded) continue;
    folded_tensor const& from = (*folded)[o];
    context.set_type(o, from.type);
    context.set_dims(o, from.dims);
    if (node.type != "Shape") made->is_declared = made->is_declared || is_declared;
    bool const is_listed = is_integer(from.type) || from.type == onnx_type::boolean;
    if (!is_listed || std::ranges::none_of(from.cells, &folded_element::is_known)) continue;
    made->known_elements.emplace();
    for (folded_element const& each : from.cells)
      made->known_elements->push_back(each.is_known ? std::optional(each.integer) : std::nullopt);
  }
}

inline std::optional<std::vector<std::int64_t>> onnx_converter::declared_elements(onnx_context const& c,
                                                                                  std::size_t i) {
  onnx_value const& from = value(c.node().inputs[i]);
  if (!from.known_elements || (!is_integer(from.type) && from.type != onnx_type::boolean)) return std::nullopt;
  std::vector<std::int64_t> made;
  for (auto const& each : *from.known_elements) {
    if (!each) return std::nullopt;
    made.push_back(*each);
  }
  return made;
}

// Gather from one element refuses any index but 0, so any difference from what is expected.
inline void onnx_converter::check_declared_elements(onnx_context const& c, std::size_t i) {
  onnx_value& from = value(c.node().inputs[i]);
  if (std::exchange(from.checked_in, &net()) == &net()) return;
  folded_tensor known{from.type, *from.dims};
  for (auto const& each : *from.known_elements) known.cells.push_back({each.value_or(0)});
  std::string const expected = c.constant_blob(onnx_constant_folding::value_of(known), "declared");
  std::string off;
  if (from.type == onnx_type::boolean)
    off = c.step("Cast", {c.step("Xor", {c.input(i), expected})}, {{"to", require_runtime_type(c, onnx_type::int64)}});
  else
    off = c.step("Sub", {c.input(i), expected});
  static_cast<void>(c.step("Gather", {c.constant_blob(onnx_list({0}), "zero"), off}));
}

}  // namespace plait::detail
