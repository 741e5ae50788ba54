// Oracle for pooling and convolution ops: images with any number of axes, element by element, from the definitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <plait/exec/detail/shape.hpp>

#include <support/op_oracle.hpp>

namespace test {

/// Window parameters of an image op, by axis.
struct window_case {
  plait::shape x;
  index kernel;
  index stride;
  index dilation;
  index head;
  index tail;
  bool last = false;

  std::size_t rank() const { return kernel.size(); }
  std::int64_t extent(std::size_t axis) const { return x[axis + (last ? 1 : 2)]; }
  std::int64_t channels() const { return last ? x[x.rank() - 1] : x[1]; }
  std::int64_t windows(std::size_t axis) const {
    return (extent(axis) + head[axis] + tail[axis] - dilation[axis] * (kernel[axis] - 1) - 1) / stride[axis] + 1;
  }
  plait::shape output(std::int64_t units) const {
    plait::shape made = {x[0]};
    if (!last) made.push_back(units);
    for (std::size_t axis = 0; axis != rank(); ++axis) made.push_back(windows(axis));
    if (last) made.push_back(units);
    return made;
  }
  /// Returns the index of an element: image, channel and place.
  index at(std::int64_t image, std::int64_t channel, index const& place) const {
    index made = {image};
    if (!last) made.push_back(channel);
    made.insert(made.end(), place.begin(), place.end());
    if (last) made.push_back(channel);
    return made;
  }
  index place_of(index const& y) const { return {y.begin() + (last ? 1 : 2), y.end() - (last ? 1 : 0)}; }
  std::int64_t channel_of(index const& y) const { return last ? y.back() : y[1]; }

  /// Calls f(tap, place) for each tap of a window, in order; place is empty in the padding.
  void for_taps(index const& window, std::function<void(index const&, index const&)> const& f) const {
    for (index const& tap : indices(plait::shape(kernel))) {
      index place;
      bool inside = true;
      for (std::size_t axis = 0; axis != rank(); ++axis) {
        place.push_back(window[axis] * stride[axis] - head[axis] + tap[axis] * dilation[axis]);
        inside = inside && place.back() >= 0 && place.back() < extent(axis);
      }
      f(tap, inside ? place : index());
    }
  }

  /// Returns the op's arguments, as lists.
  std::string arguments() const {
    auto const list = [](char const* name, index const& numbers) {
      std::string text = std::string("arg { name: '") + name + "'";
      for (std::int64_t const number : numbers) text += " ints: " + std::to_string(number);
      return text + " } ";
    };
    index pads = head;
    pads.insert(pads.end(), tail.begin(), tail.end());
    return list("kernels", kernel) + list("strides", stride) + list("dilations", dilation) + list("pads", pads) +
           (last ? "arg { name: 'order' s: 'NHWC' } " : "");
  }
};

/// Returns window cases over images of one to three axes, in both orders; channels are a multiple of six.
inline std::vector<window_case> window_cases() {
  std::vector<window_case> made = {
      {{2, 6, 5}, {3}, {1}, {1}, {0}, {0}},
      {{1, 6, 9}, {2}, {3}, {2}, {1}, {0}},
      {{1, 6, 4, 4}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{2, 6, 5, 7}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{2, 12, 6, 5}, {2, 3}, {2, 1}, {1, 1}, {0, 1}, {1, 0}},
      {{1, 6, 8, 9}, {3, 2}, {2, 3}, {2, 3}, {2, 1}, {0, 2}},
      {{1, 6, 4, 5}, {1, 1}, {2, 2}, {1, 1}, {0, 0}, {0, 0}},
      {{1, 6, 3, 4}, {3, 4}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
      {{1, 6, 3, 4, 3}, {2, 2, 3}, {1, 2, 1}, {1, 1, 1}, {0, 1, 1}, {1, 0, 1}},
      {{0, 6, 4, 4}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
      {{1, 6, 3}, {7}, {2}, {1}, {4}, {5}},  // windows larger than the image
      {{1, 6, 3}, {4}, {1}, {3}, {5}, {4}},
      {{2, 6, 2, 3}, {5, 8}, {3, 4}, {1, 1}, {3, 6}, {4, 7}},
  };
  std::size_t const count = made.size();
  for (std::size_t i = 0; i != count; ++i) {
    window_case other = made[i];
    std::int64_t const channels = other.x[1];
    other.x.erase(1);
    other.x.push_back(channels);
    other.last = true;
    made.push_back(other);
  }
  return made;
}

}  // namespace test
