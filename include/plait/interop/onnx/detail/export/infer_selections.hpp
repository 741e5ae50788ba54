// Shape inference over nodes that select, join and repeat elements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/export/infer.hpp>
#include <plait/net/detail/slice_range.hpp>

namespace plait::detail::onnx_out {

inline bool onnx_inference::selections(std::string_view type) {
  if (type == "Concat") {
    onnx_shape made = dims(0);
    std::optional<std::vector<std::int64_t>> elements = list(0);
    for (std::size_t i = 1; i < node_.inputs.size(); ++i) {
      if (!elements || !list(i))
        elements.reset();
      else
        elements->insert(elements->end(), list(i)->begin(), list(i)->end());
      if (!made || !dims(i) || dims(i)->size() != made->size() || made->empty()) {
        if (!made) made = ranked(dims(i) ? std::optional(std::ssize(*dims(i))) : std::nullopt);
        if (made && !made->empty())
          (*made)[static_cast<std::size_t>(
              std::min(known_axis(integer("axis", 0), made->size()), std::ssize(*made) - 1))] = -1;
        continue;
      }
      for (std::size_t a = 0; a != made->size(); ++a) {
        std::int64_t& extent = (*made)[a];
        std::int64_t const other = (*dims(i))[a];
        if (static_cast<std::int64_t>(a) == known_axis(integer("axis", 0), made->size()))
          extent = extent < 0 || other < 0 ? -1 : extent + other;
        else
          extent = std::max(extent, other);
      }
    }
    give(std::move(made));
    if (elements) types_.set_integers(node_.outputs[0], std::move(*elements));
  } else if (type == "Split") {
    for (std::size_t o = 0; o != node_.outputs.size(); ++o) {
      if (!dims(0) || node_.outputs[o].empty()) continue;
      std::vector<std::int64_t> made = *dims(0);
      std::size_t const axis = static_cast<std::size_t>(known_axis(integer("axis", 0), made.size()));
      if (axis == made.size()) continue;
      bool const listed = node_.inputs.size() > 1 && list(1) && o < list(1)->size();
      made[axis] = listed                                      ? (*list(1))[o]
                   : node_.inputs.size() > 1 || made[axis] < 0 ? -1
                                                               : made[axis] / std::ssize(node_.outputs);
      types_.set_dims(node_.outputs[o], std::move(made));
    }
  } else if (type == "Gather") {
    if (!dims(0) || !dims(1)) return true;
    std::vector<std::int64_t> made = *dims(0);
    auto const axis = known_axis(integer("axis", 0), made.size());
    if (axis == std::ssize(made)) return true;
    made.erase(made.begin() + axis);
    made.insert(made.begin() + axis, dims(1)->begin(), dims(1)->end());
    give(std::move(made));
    if (list(0) && list(1) && dims(0)->size() == 1 && dims(1)->size() == 1) {
      std::vector<std::int64_t> elements;
      for (std::int64_t const at : *list(1))
        if (at >= -std::ssize(*list(0)) && at < std::ssize(*list(0)))
          elements.push_back((*list(0))[static_cast<std::size_t>(at < 0 ? at + std::ssize(*list(0)) : at)]);
      if (elements.size() == list(1)->size()) types_.set_integers(node_.outputs[0], std::move(elements));
    }
  } else if (type == "GatherElements" || type == "Expand") {
    give(type == "GatherElements" ? dims(1) : list(1) ? onnx_broadcast_shape(dims(0), *list(1)) : ranked(length(1)));
  } else if (type == "Slice") {
    slice();
  } else if (type == "Pad" || type == "Resize" || type == "Tile") {
    ranked_like_input();
  } else if (type == "TopK") {
    for (std::size_t o = 0; o != node_.outputs.size(); ++o) {
      if (node_.outputs[o].empty()) continue;
      onnx_shape made = dims(0);
      if (made) {
        auto const axis = known_axis(integer("axis", -1), made->size());
        if (axis < std::ssize(*made)) (*made)[static_cast<std::size_t>(axis)] = list(1) ? list(1)->front() : -1;
      }
      types_.set(node_.outputs[o], o == 0 ? types_.type(node_.inputs[0]) : onnx_type::int64, std::move(made));
    }
  } else if (type == "OneHot") {
    onnx_shape made = dims(0);
    if (made) made->push_back(list(1) && list(1)->size() == 1 ? list(1)->front() : -1);
    give(std::move(made), types_.type(node_.inputs[2]));
  } else if (type == "GatherND") {
    if (!dims(0) || !dims(1) || dims(1)->empty() || dims(1)->back() < 0) return true;
    auto const taken = static_cast<std::size_t>(dims(1)->back() + integer("batch_dims", 0));
    if (taken > dims(0)->size()) return true;
    std::vector<std::int64_t> made(dims(1)->begin(), dims(1)->end() - 1);
    made.insert(made.end(), dims(0)->begin() + static_cast<std::ptrdiff_t>(taken), dims(0)->end());
    give(std::move(made));
  } else if (type == "Compress") {
    onnx_shape made = dims(0);
    if (made) (*made)[static_cast<std::size_t>(known_axis(integer("axis", 0), made->size() - 1))] = -1;
    give(std::move(made));
  } else if (type == "NonZero") {
    give(std::vector<std::int64_t>{dims(0) ? std::ssize(*dims(0)) : -1, -1}, onnx_type::int64);
  } else if (type == "Unique") {
    give(std::vector<std::int64_t>{-1});
  } else if (type == "Range") {
    give(std::vector<std::int64_t>{-1});
  } else {
    return false;
  }
  return true;
}

inline void onnx_inference::slice() {
  if (!dims(0)) return;
  std::vector<std::int64_t> made = *dims(0);
  bool const has_steps = node_.inputs.size() > 4;
  bool const listed = node_.inputs.size() > 3 && list(1) && list(2) && list(3) && (!has_steps || list(4));
  std::size_t const count = listed ? list(3)->size() : 0;
  if (!listed || list(1)->size() != count || list(2)->size() != count || (has_steps && list(4)->size() != count)) {
    std::ranges::fill(made, -1);
    return give(std::move(made));
  }
  for (std::size_t i = 0; i != count; ++i) {
    auto const axis = known_axis((*list(3))[i], made.size());
    std::int64_t const step = has_steps ? (*list(4))[i] : 1;
    if (axis == std::ssize(made) || step == 0) continue;
    std::int64_t& extent = made[static_cast<std::size_t>(axis)];
    if (extent >= 0) extent = slice_places((*list(1))[i], (*list(2))[i], step, extent).count;
  }
  give(std::move(made));
}

}  // namespace plait::detail::onnx_out
