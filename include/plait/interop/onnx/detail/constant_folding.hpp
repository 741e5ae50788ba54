// Constant folding of ONNX nodes: evaluation of small integer, boolean and floating-point tensors when a model is read.
//
// Elements may be known in part: a list of extents has those that the model declares. A node whose outputs follow from
// constants alone becomes constants. One that depends on what the model declares of its inputs is converted by its
// rule, and its value records the elements, since an input may be larger than declared.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
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
#include <plait/interop/onnx/detail/model.hpp>
#include <plait/interop/onnx/detail/values.hpp>
#include <plait/net/detail/parameter.hpp>

namespace plait::detail {

/// An element: `real` of floating-point types, `integer` of the others, or unknown.
struct onnx_cell {
  std::int64_t integer = 0;
  double real = 0;
  bool is_known = true;
};

/// Tensor in constant folding.
struct onnx_cells {
  onnx_type type = onnx_type::undefined;
  std::vector<std::int64_t> dims = {};
  std::vector<onnx_cell> cells = {};
};

/// Evaluator of one node. Its functions return nothing for what they do not fold: then the node's rule decides.
class onnx_constant_folding {
 public:
  using result = std::optional<std::vector<onnx_cells>>;
  static constexpr std::size_t max_elements = 4096;
  /// Element types of folded tensors; narrowed() wraps each of these.
  static constexpr onnx_types folded_types{onnx_type::float32, onnx_type::float64, onnx_type::int32,
                                           onnx_type::int64,   onnx_type::uint8,   onnx_type::boolean};

  explicit onnx_constant_folding(onnx_context const& c) : c_(c) {}

  /// Returns the elements of all outputs, as far as they are known.
  result run() const {
    if (c_.node().outputs.empty()) return std::nullopt;
    for (entry const& each : table())
      if (each.type == c_.node().type) {
        result made = (this->*each.fold)();
        if (!made || made->size() != c_.node().outputs.size()) return std::nullopt;
        for (onnx_cells const& output : *made)
          if (output.cells.size() > max_elements || output.dims.size() > max_rank) return std::nullopt;
        return made;
      }
    return std::nullopt;
  }

  /// Returns a tensor all of whose elements are known.
  static tensor_value value_of(onnx_cells const& from) {
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
  using numbers = std::vector<std::int64_t>;
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

  // ---- operands
  static bool is_real(onnx_type type) { return type == onnx_type::float32 || type == onnx_type::float64; }
  std::string_view op() const { return c_.node().type; }
  // Returns an input; nothing if its type or shape is unknown, or it is too large. Constants of a trained model stay
  // parameters.
  std::optional<onnx_cells> input(std::size_t i) const {
    if (!c_.has_input(i)) return std::nullopt;
    onnx_value const& from = c_.value(i);
    if (!folded_types.has(from.type) || (is_real(from.type) && c_.training())) return std::nullopt;
    onnx_cells made{from.type};
    if (from.constant) {
      if (from.constant->size() > max_elements) return std::nullopt;
      made.dims = from.constant->shape;
      std::visit(
          [&]<class T>(std::vector<T> const& elements) {
            if constexpr (std::is_floating_point_v<T>)
              for (T const each : elements) made.cells.push_back({0, static_cast<double>(each)});
            else if constexpr (std::is_arithmetic_v<T>)
              for (T const each : elements) made.cells.push_back({static_cast<std::int64_t>(each)});
          },
          from.constant->data);
      if (made.cells.size() != from.constant->size()) return std::nullopt;
      return made;
    }
    if (is_real(from.type)) return std::nullopt;
    if (from.known_elements) {
      made.dims = *from.dims;
      for (auto const& each : *from.known_elements) made.cells.push_back({each.value_or(0), 0, each.has_value()});
      return made;
    }
    constexpr std::size_t most_unknown = 64;
    if (!is_known(from.dims)) return std::nullopt;
    auto const count = element_count(*from.dims);
    if (!count || *count > most_unknown) return std::nullopt;
    made.dims = *from.dims;
    made.cells.assign(*count, {0, 0, false});
    return made;
  }
  // Returns the elements of an integer input all of which are known.
  std::optional<numbers> list(std::size_t i) const {
    auto const from = input(i);
    if (!from || !is_integer(from->type)) return std::nullopt;
    numbers made;
    for (onnx_cell const& each : from->cells) {
      if (!each.is_known) return std::nullopt;
      made.push_back(each.integer);
    }
    return made;
  }
  // Returns a list that is an attribute before version `since`, then input i; nothing if it is not known.
  std::optional<numbers> list(std::string_view name, std::size_t i, std::int64_t since) const {
    if (c_.opset() >= since) return list(i);
    return c_.has(name) ? std::optional(c_.integers(name)) : std::nullopt;
  }
  static std::optional<numbers> axes(std::optional<numbers> const& list, std::size_t rank) {
    if (!list) return std::nullopt;
    numbers made = from_front(*list, rank);
    for (std::int64_t const axis : made)
      if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) return std::nullopt;
    std::ranges::sort(made);
    if (std::ranges::adjacent_find(made) != made.end()) return std::nullopt;
    return made;
  }
  static std::optional<std::size_t> axis(std::int64_t at, std::size_t rank) {
    auto const found = axes(numbers{at}, rank);
    return found ? std::optional(static_cast<std::size_t>(found->front())) : std::nullopt;
  }
  static result one(onnx_cells made) {
    std::vector<onnx_cells> all;
    all.push_back(std::move(made));
    return all;
  }
  static std::size_t size_of(numbers const& dims) { return element_count(dims).value_or(max_elements + 1); }
  static std::size_t extent(numbers const& dims, std::size_t axis) { return static_cast<std::size_t>(dims[axis]); }
  // Returns the numbers of elements before, along and behind an axis.
  static std::array<std::size_t, 3> around(numbers const& dims, std::size_t axis) {
    auto const at = dims.begin() + static_cast<std::ptrdiff_t>(axis);
    return {size_of({dims.begin(), at}), extent(dims, axis), size_of({at + 1, dims.end()})};
  }
  // Returns the elements of `from` at the places that `place` maps each index of `dims` to.
  template <class Place>
  static onnx_cells mapped(onnx_cells const& from, numbers dims, Place const& place) {
    onnx_cells made{from.type, std::move(dims)};
    std::size_t const count = size_of(made.dims);
    if (count > max_elements) return {from.type, made.dims, std::vector<onnx_cell>(count)};  // refused by run()
    std::vector<std::size_t> index(made.dims.size());
    for (std::size_t k = 0; k != count; ++k) {
      for (std::size_t a = made.dims.size(), rest = k; a-- != 0; rest /= extent(made.dims, a))
        index[a] = rest % extent(made.dims, a);
      made.cells.push_back(from.cells[place(index)]);
    }
    return made;
  }
  static std::vector<std::size_t> strides(numbers const& dims) {
    std::vector<std::size_t> made(dims.size(), 1);
    for (std::size_t a = dims.size(); a-- > 1;) made[a - 1] = made[a] * extent(dims, a);
    return made;
  }
  static std::optional<onnx_cells> expanded(onnx_cells const& from, numbers const& dims) {
    if (from.dims.size() > dims.size() || size_of(dims) > max_elements) return std::nullopt;
    std::size_t const missing = dims.size() - from.dims.size();
    for (std::size_t a = 0; a != from.dims.size(); ++a)
      if (from.dims[a] != 1 && from.dims[a] != dims[a + missing]) return std::nullopt;
    auto const steps = strides(from.dims);
    return mapped(from, dims, [&](std::vector<std::size_t> const& index) {
      std::size_t at = 0;
      for (std::size_t a = 0; a != steps.size(); ++a)
        if (from.dims[a] != 1) at += index[a + missing] * steps[a];
      return at;
    });
  }
  static std::optional<numbers> broadcast_dims(numbers const& a, numbers const& b) {
    numbers made(std::max(a.size(), b.size()), 1);
    for (numbers const* each : {&a, &b})
      for (std::size_t k = 1; k <= each->size(); ++k) {
        std::int64_t& to = made[made.size() - k];
        std::int64_t const own = (*each)[each->size() - k];
        if (to != 1 && own != 1 && to != own) return std::nullopt;
        if (own != 1) to = own;
      }
    return made;
  }
  // Wraps an integer to its type, and rounds a number to float.
  static onnx_cell narrowed(onnx_type type, onnx_cell cell) {
    switch (type) {
      case onnx_type::int32:
        cell.integer = static_cast<std::int32_t>(cell.integer);
        break;
      case onnx_type::uint8:
        cell.integer = static_cast<std::uint8_t>(cell.integer);
        break;
      case onnx_type::boolean:
        cell.integer = cell.integer != 0;
        break;
      case onnx_type::float32:
        cell.real = static_cast<double>(static_cast<float>(cell.real));
        break;
      default:
        break;
    }
    return cell;
  }

  // ---- shapes
  result shape() const {
    if (!c_.has_input(0) || !c_.value(0).dims) return std::nullopt;
    numbers const& dims = *c_.value(0).dims;
    auto const rank = static_cast<std::int64_t>(dims.size());
    auto const bound = [&](std::int64_t at) { return std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank); };
    std::int64_t const first = bound(c_.integer("start", 0));
    std::int64_t const last = std::max(first, bound(c_.has("end") ? c_.integer("end", 0) : rank));
    onnx_cells made{onnx_type::int64, {last - first}};
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
  result reshaped(onnx_cells from, numbers dims) const {
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
    onnx_cells made{from->type, std::move(dims)};
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
      if (by == 0 || by == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
      auto const place = [&](std::int64_t x) {
        if (x < 0) x = x < -own ? -1 : x + own;
        return by > 0 ? std::clamp(x, std::int64_t{0}, own) : std::clamp(x, std::int64_t{-1}, own - 1);
      };
      std::int64_t const lowest = by > 0 ? (*starts)[k] : std::max((*starts)[k], -own);  // a start before 0 is 0
      first[a] = place(lowest);
      std::int64_t const distance = by > 0 ? place((*ends)[k]) - first[a] : first[a] - place((*ends)[k]);
      std::int64_t const stride = by > 0 ? by : -by;
      dims[a] = distance > 0 ? (distance - 1) / stride + 1 : 0;
      step[a] = by;
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
    std::vector<onnx_cells> parts;
    for (std::size_t i = 0; i != c_.input_count(); ++i) {
      auto part = input(i);
      if (!part || (i != 0 && part->type != parts[0].type)) return std::nullopt;
      parts.push_back(std::move(*part));
    }
    if (parts.empty()) return std::nullopt;
    auto const along = axis(c_.integer("axis", 1), parts[0].dims.size());
    if (!along) return std::nullopt;
    onnx_cells made{parts[0].type, parts[0].dims};
    made.dims[*along] = 0;
    for (onnx_cells const& part : parts) {
      numbers rest = part.dims;
      if (rest.size() != made.dims.size()) return std::nullopt;
      rest[*along] = made.dims[*along];
      if (rest != made.dims) return std::nullopt;
      made.dims[*along] += part.dims[*along];
    }
    if (size_of(made.dims) > max_elements) return std::nullopt;
    std::size_t const before = around(made.dims, *along)[0];
    for (std::size_t a = 0; a != before; ++a)
      for (onnx_cells const& part : parts) {
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
    std::vector<onnx_cells> made;
    std::size_t first = 0;
    for (std::int64_t const each : lengths) {
      onnx_cells part{from->type, from->dims};
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
    onnx_cells made{onnx_type::float32, *dims};
    onnx_cell fill;
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
    onnx_cells made{c_.value(0).type, {count}};
    for (std::int64_t k = 0; k != count; ++k) made.cells.push_back({at[0] + k * at[2]});
    return one(std::move(made));
  }

  // ---- element-wise
  result cast() const {
    auto made = input(0);
    auto const to = static_cast<onnx_type>(c_.integer("to", 0));
    if (!made || !folded_types.has(to) || (is_real(to) && c_.training())) return std::nullopt;
    for (onnx_cell& each : made->cells) {
      if (is_real(made->type) && !is_real(to)) {
        double const limit = to == onnx_type::int64   ? 9007199254740992.0
                             : to == onnx_type::uint8 ? 255.0
                                                      : 2147483647.0;
        if (to == onnx_type::boolean) {
          each.integer = each.real != 0;
        } else {
          if (!(std::abs(each.real) <= limit) || (to == onnx_type::uint8 && each.real < 0)) return std::nullopt;
          each.integer = static_cast<std::int64_t>(each.real);
        }
      } else if (!is_real(made->type) && is_real(to)) {
        each.real = to == onnx_type::float32 ? static_cast<double>(static_cast<float>(each.integer))
                                             : static_cast<double>(each.integer);
      }
      each = narrowed(to, each);
    }
    made->type = to;
    return one(std::move(*made));
  }
  result unary() const {
    auto made = input(0);
    if (!made || (op() == "Not") != (made->type == onnx_type::boolean)) return std::nullopt;
    bool const needs_real = op() == "Floor" || op() == "Ceil" || op() == "Sqrt";
    if (needs_real && !is_real(made->type)) return std::nullopt;
    for (onnx_cell& each : made->cells) {
      auto const negated = static_cast<std::int64_t>(std::uint64_t{0} - static_cast<std::uint64_t>(each.integer));
      if (op() == "Not") {
        each.integer = each.integer == 0;
      } else if (op() == "Floor") {
        each.real = std::floor(each.real);
      } else if (op() == "Ceil") {
        each.real = std::ceil(each.real);
      } else if (op() == "Sqrt") {
        each.real = std::sqrt(each.real);
      } else if (op() == "Neg") {
        each.real = -each.real;
        each.integer = negated;
      } else {
        each.real = std::abs(each.real);
        if (each.integer < 0) each.integer = negated;
      }
      each = narrowed(made->type, each);
    }
    return one(std::move(*made));
  }
  // Returns false for what is not folded, such as a division by zero.
  bool combine(onnx_type type, onnx_cell const& a, onnx_cell const& b, onnx_cell& to) const {
    bool const real = is_real(type);
    auto const x = static_cast<std::uint64_t>(a.integer);
    auto const y = static_cast<std::uint64_t>(b.integer);
    bool const less = real ? a.real < b.real : a.integer < b.integer;
    bool const equal = real ? a.real == b.real : a.integer == b.integer;
    bool const greater = real ? a.real > b.real : a.integer > b.integer;
    if (op() == "Add") {
      to = {static_cast<std::int64_t>(x + y), a.real + b.real};
    } else if (op() == "Sub") {
      to = {static_cast<std::int64_t>(x - y), a.real - b.real};
    } else if (op() == "Mul") {
      to = {static_cast<std::int64_t>(x * y), a.real * b.real};
    } else if (op() == "Div" || op() == "Mod") {
      if (real && (op() == "Mod" || b.real == 0)) return false;
      if (!real && (b.integer == 0 || b.integer == -1)) return false;
      to = {0, real ? a.real / b.real : 0};
      if (real) return true;
      std::int64_t const rest = a.integer % b.integer;
      bool const follows_dividend = c_.integer("fmod", 0) != 0;
      to.integer = op() == "Div"                                                     ? a.integer / b.integer
                   : rest != 0 && !follows_dividend && (rest < 0) != (b.integer < 0) ? rest + b.integer
                                                                                     : rest;
    } else if (op() == "Max" || op() == "Min") {
      if (real && (a.real != a.real || b.real != b.real)) return false;
      if (real && a.real == 0 && b.real == 0) return false;  // zeros of different signs
      to = (op() == "Max") == less ? b : a;
    } else if (op() == "Equal") {
      to = {equal};
    } else if (op() == "Less") {
      to = {less};
    } else if (op() == "Greater") {
      to = {greater};
    } else if (op() == "LessOrEqual") {
      to = {less || equal};
    } else if (op() == "GreaterOrEqual") {
      to = {greater || equal};
    } else {
      to = {op() == "And" ? a.integer & b.integer : op() == "Or" ? a.integer | b.integer : a.integer ^ b.integer};
    }
    return true;
  }
  result binary() const {
    bool const variadic = op() == "Max" || op() == "Min";
    if (c_.opset() < (variadic ? 8 : 7)) return std::nullopt;
    auto a = input(0);
    if (!a || (!variadic && c_.input_count() != 2)) return std::nullopt;
    bool const compares = op() == "Equal" || op().starts_with("Less") || op().starts_with("Greater");
    bool const logical = op() == "And" || op() == "Or" || op() == "Xor";
    if (!compares && logical != (a->type == onnx_type::boolean)) return std::nullopt;
    for (std::size_t i = 1; i != c_.input_count(); ++i) {
      auto const b = input(i);
      if (!b || b->type != a->type) return std::nullopt;
      auto const dims = broadcast_dims(a->dims, b->dims);
      auto left = dims ? expanded(*a, *dims) : std::nullopt;
      auto const right = dims ? expanded(*b, *dims) : std::nullopt;
      if (!left || !right) return std::nullopt;
      if (compares) left->type = onnx_type::boolean;
      for (std::size_t k = 0; k != left->cells.size(); ++k) {
        onnx_cell made{0, 0, false};
        onnx_cell const& x = left->cells[k];
        onnx_cell const& y = right->cells[k];
        if (x.is_known && y.is_known && !combine(a->type, x, y, made)) return std::nullopt;
        left->cells[k] = narrowed(left->type, made);
      }
      a = std::move(left);
    }
    return one(std::move(*a));
  }
  result where() const {
    auto condition = input(0);
    auto a = input(1);
    auto b = input(2);
    if (!condition || !a || !b || condition->type != onnx_type::boolean || a->type != b->type) return std::nullopt;
    auto dims = broadcast_dims(a->dims, b->dims);
    if (dims) dims = broadcast_dims(condition->dims, *dims);
    if (!dims) return std::nullopt;
    condition = expanded(*condition, *dims);
    a = expanded(*a, *dims);
    b = expanded(*b, *dims);
    if (!condition || !a || !b) return std::nullopt;
    for (std::size_t k = 0; k != a->cells.size(); ++k) {
      onnx_cell const& chosen = condition->cells[k];
      if (!chosen.is_known)
        a->cells[k] = {0, 0, false};
      else if (chosen.integer == 0)
        a->cells[k] = b->cells[k];
    }
    return one(std::move(*a));
  }

  // ---- reductions of integers
  result reduce() const {
    auto const from = input(0);
    if (!from || !is_integer(from->type)) return std::nullopt;
    std::int64_t const since = op() == "ReduceSum" ? 13 : 18;
    std::vector<bool> goes(from->dims.size(), true);
    bool const is_listed = c_.opset() >= since ? c_.has_input(1) : c_.has("axes");
    if (is_listed) {
      auto const at = axes(list("axes", 1, since), from->dims.size());
      if (!at) return std::nullopt;
      if (!at->empty()) goes.assign(from->dims.size(), false);
      for (std::int64_t const a : *at) goes[static_cast<std::size_t>(a)] = true;
      if (at->empty() && c_.integer("noop_with_empty_axes", 0) != 0) return std::nullopt;
    } else if (c_.integer("noop_with_empty_axes", 0) != 0) {
      return std::nullopt;
    }
    numbers kept = from->dims;
    numbers dims;
    for (std::size_t a = 0; a != kept.size(); ++a) {
      if (goes[a]) kept[a] = 1;
      if (!goes[a] || c_.integer("keepdims", 1) != 0) dims.push_back(kept[a]);
    }
    onnx_cells made{from->type, std::move(dims)};
    std::size_t const count = size_of(kept);
    bool const adds = op() == "ReduceSum";
    bool const multiplies = op() == "ReduceProd";
    if (count > max_elements || (from->cells.empty() && !adds && !multiplies)) return std::nullopt;
    made.cells.assign(count, {multiplies ? 1 : 0});
    std::vector<bool> has_first(count, false);
    auto const steps = strides(kept);
    auto const own = strides(from->dims);
    for (std::size_t k = 0; k != from->cells.size(); ++k) {
      std::size_t at = 0;
      for (std::size_t a = 0; a != kept.size(); ++a)
        if (!goes[a]) at += k / own[a] % extent(from->dims, a) * steps[a];
      onnx_cell& to = made.cells[at];
      onnx_cell const& next = from->cells[k];
      auto const x = static_cast<std::uint64_t>(to.integer);
      auto const y = static_cast<std::uint64_t>(next.integer);
      bool const known = to.is_known && next.is_known;
      if (adds)
        to.integer = static_cast<std::int64_t>(x + y);
      else if (multiplies)
        to.integer = static_cast<std::int64_t>(x * y);
      else if (!has_first[at] || (op() == "ReduceMax") == (next.integer > to.integer))
        to.integer = next.integer;
      has_first[at] = true;
      to = narrowed(from->type, to);
      to.is_known = known;
    }
    return one(std::move(made));
  }

  onnx_context const& c_;
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
  bool const is_constant = folded && !is_declared && std::ranges::all_of(*folded, [](onnx_cells const& made) {
                             return std::ranges::all_of(made.cells, &onnx_cell::is_known);
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
    onnx_cells const& from = (*folded)[o];
    context.set_type(o, from.type);
    context.set_dims(o, from.dims);
    if (node.type != "Shape") made->is_declared = made->is_declared || is_declared;
    bool const is_listed = is_integer(from.type) || from.type == onnx_type::boolean;
    if (!is_listed || std::ranges::none_of(from.cells, &onnx_cell::is_known)) continue;
    made->known_elements.emplace();
    for (onnx_cell const& each : from.cells)
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
  onnx_cells known{from.type, *from.dims};
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
