// The data: points on spirals that wind around each other, each arm a class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plait/exec/random.hpp>

namespace mlp {

struct points {
  std::vector<float> x;             ///< two coordinates a point
  std::vector<std::int32_t> label;  ///< the arm of each
};

/// A function of the stream alone: the same numbers, the same points.
points make_spirals(std::size_t count, std::int64_t arms, plait::random_stream numbers);

/// Some of the points, chosen by the stream.
points draw(points const& all, std::size_t count, plait::random_stream numbers);

}  // namespace mlp
