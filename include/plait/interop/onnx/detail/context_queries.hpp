// Queries of a conversion rule about its node and operands: members of onnx_context, included by converter.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/interop/onnx/detail/context.hpp>
#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/model.hpp>
#include <plait/interop/onnx/detail/tensors.hpp>
#include <plait/net/detail/parameter.hpp>

namespace plait {

inline bool onnx_context::training() const { return converter_->training(); }

inline std::string onnx_context::input(std::size_t i) const {
  if (!has_input(i)) unsupported("input " + std::to_string(i) + " is missing");
  return converter_->blob(node_->inputs[i]);
}

inline onnx_context::names onnx_context::inputs() const {
  std::size_t count = input_count();
  while (count != 0 && !has_input(count - 1)) --count;
  names made;
  for (std::size_t i = 0; i != count; ++i) made.push_back(input(i));
  return made;
}

inline onnx_value const& onnx_context::value(std::size_t i) const {
  if (!has_input(i)) unsupported("input " + std::to_string(i) + " is missing");
  return converter_->value(node_->inputs[i]);
}

inline tensor_value const* onnx_context::constant(std::size_t i) const {
  onnx_value const& known = value(i);
  if (known.constant) return &*known.constant;
  converter_->note_unknown(known.is_poisoned && known.may_be_constant);
  return nullptr;
}

inline onnx_context::dims_type const& onnx_context::dims(std::size_t i) const {
  onnx_value const& known = value(i);
  if (!known.dims || std::ranges::find(*known.dims, -1) != known.dims->end())
    converter_->note_unknown(known.is_poisoned);
  return known.dims;
}

inline onnx_type onnx_context::type(std::size_t i) const {
  onnx_value const& known = value(i);
  if (known.type == onnx_type::undefined) converter_->note_unknown(known.is_poisoned);
  return known.type;
}

inline std::vector<std::int64_t> onnx_context::known_integers(std::size_t i, std::string_view what) const {
  tensor_value const* const known = constant(i);
  if (known == nullptr) {
    if (auto const declared = converter_->declared_elements(*this, i)) {
      converter_->check_declared_elements(*this, i);
      return *declared;
    }
    unsupported(std::string(what) + ' ' + std::string(detail::onnx_must_be_known));
  }
  if (auto const* wide = std::get_if<std::vector<std::int64_t>>(&known->data)) return *wide;
  if (auto const* narrow = std::get_if<std::vector<std::int32_t>>(&known->data))
    return {narrow->begin(), narrow->end()};
  unsupported(std::string(what) + " must be int32 or int64");
}

inline std::optional<double> onnx_context::known_number(std::size_t i) const {
  tensor_value const* const known = constant(i);
  if (known == nullptr || known->size() != 1) return std::nullopt;
  return std::visit(
      []<class T>(std::vector<T> const& elements) -> std::optional<double> {
        if constexpr (std::is_arithmetic_v<T>)
          return static_cast<double>(elements[0]);
        else
          return std::nullopt;
      },
      known->data);
}

inline onnx_context::dims_type onnx_context::listed_dims(std::size_t i) const {
  onnx_value const& known = value(i);
  std::vector<std::int64_t> made;
  if (known.constant) {
    made = known_integers(i, "the shape");
  } else if (known.known_elements) {
    for (auto const& each : *known.known_elements) made.push_back(each.value_or(-1));
  } else if (dims(i) && dims(i)->size() == 1 && dims(i)->front() >= 0 &&
             dims(i)->front() <= static_cast<std::int64_t>(detail::max_rank)) {
    made.assign(static_cast<std::size_t>(dims(i)->front()), -1);
  } else {
    return std::nullopt;
  }
  if (made.size() > detail::max_rank) return std::nullopt;
  for (std::int64_t& extent : made) extent = std::max(extent, std::int64_t{-1});
  return detail::known_extents(std::move(made));
}

inline std::size_t onnx_context::rank(std::size_t i) const {
  dims_type const& known = dims(i);
  if (!known)
    unsupported("the number of axes of '" + node_->inputs[i] + "' " + std::string(detail::onnx_must_be_known));
  return known->size();
}

inline std::size_t onnx_context::axis(std::size_t i, std::int64_t at) const {
  auto const count = static_cast<std::int64_t>(at < 0 || dims(i) ? rank(i) : detail::max_rank);
  if (at < -count || at >= count) unsupported("its input has no axis " + std::to_string(at));
  return static_cast<std::size_t>(at < 0 ? at + count : at);
}

inline std::int64_t onnx_context::integer(std::string_view name, std::int64_t fallback) const {
  onnx_attribute const* const a = find(name, &onnx_attribute::i, "an integer");
  return a == nullptr ? fallback : a->i.value_or(0);
}
inline float onnx_context::real(std::string_view name, float fallback) const {
  onnx_attribute const* const a = find(name, &onnx_attribute::f, "a float");
  return a == nullptr ? fallback : a->f.value_or(0.0f);
}
inline std::string onnx_context::text(std::string_view name, std::string_view fallback) const {
  onnx_attribute const* const a = find(name, &onnx_attribute::s, "a string");
  return a == nullptr ? std::string(fallback) : a->s.value_or("");
}
inline std::vector<std::int64_t> onnx_context::integers(std::string_view name) const {
  onnx_attribute const* const a = find(name, &onnx_attribute::ints, "a list of integers");
  return a == nullptr ? std::vector<std::int64_t>() : a->ints;
}
inline std::vector<float> onnx_context::reals(std::string_view name) const {
  onnx_attribute const* const a = find(name, &onnx_attribute::floats, "a list of floats");
  return a == nullptr ? std::vector<float>() : a->floats;
}
inline std::vector<std::string> onnx_context::texts(std::string_view name) const {
  onnx_attribute const* const a = find(name, &onnx_attribute::strings, "a list of strings");
  return a == nullptr ? std::vector<std::string>() : a->strings;
}
inline onnx_tensor const* onnx_context::tensor(std::string_view name) const {
  onnx_attribute const* const a = find(name);
  return a == nullptr || !a->t ? nullptr : &*a->t;
}
inline onnx_graph_def const& onnx_context::graph(std::string_view name) const {
  onnx_attribute const* const a = find(name);
  if (a == nullptr || !a->g) unsupported("the graph '" + std::string(name) + "' is missing");
  return *a->g;
}

inline std::string onnx_context::output(std::size_t o) const {
  if (!wants(o)) return temporary("unused");
  return converter_->define(node_->outputs[o]);
}
inline onnx_context::names onnx_context::outputs() const {
  names made;
  for (std::size_t o = 0; o != node_->outputs.size(); ++o) made.push_back(output(o));
  return made;
}
inline void onnx_context::set_type(std::size_t o, onnx_type type) const {
  if (!wants(o)) return;
  if (type == onnx_type::undefined) return;
  if (onnx_value* const made = converter_->known(node_->outputs[o])) made->type = detail::computed_type(type);
}
inline void onnx_context::set_dims(std::size_t o, dims_type dims) const {
  if (!wants(o)) return;
  onnx_value* const made = converter_->known(node_->outputs[o]);
  if (made == nullptr || !dims) return;
  made->is_declared = false;
  if (made->dims && made->dims->size() == dims->size())
    for (std::size_t axis = 0; axis != dims->size(); ++axis) {
      std::int64_t& extent = (*dims)[axis];
      if (extent >= 0 || (*made->dims)[axis] < 0) continue;
      extent = (*made->dims)[axis];
      made->is_declared = true;
    }
  made->dims = std::move(dims);
}
inline void onnx_context::as_input(std::size_t o, std::size_t i) const {
  set_type(o, type(i));
  set_dims(o, dims(i));
}
inline void onnx_context::set_constant(std::size_t o, tensor_value constant) const {
  if (!wants(o)) return;
  onnx_value made;
  made.type = onnx_type_of(constant.type());
  made.dims = detail::known_extents(constant.shape);
  made.constant = std::move(constant);
  converter_->set(node_->outputs[o], std::move(made));
}
inline void onnx_context::forward(std::size_t o, std::size_t i) const {
  if (!wants(o)) return;
  if (constant(i) != nullptr) return set_constant(o, *constant(i));
  add("Copy", {input(i)}, {output(o)});
  as_input(o, i);
}

inline net_builder& onnx_context::net() const { return converter_->net(); }
inline std::string onnx_context::temporary(std::string_view ending) const {
  std::string base = node_->name;
  for (std::string const& name : node_->outputs)
    if (base.empty()) base = name;
  return converter_->claim(base + '/' + std::string(ending));
}
inline std::string onnx_context::constant_blob(tensor_value constant, std::string_view ending) const {
  return converter_->constant_blob(std::move(constant), temporary(ending));
}

}  // namespace plait
