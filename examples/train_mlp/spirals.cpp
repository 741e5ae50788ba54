#include "spirals.hpp"

#include <cmath>
#include <numbers>

namespace mlp {

points make_spirals(std::size_t count, std::int64_t arms, plait::random_stream numbers) {
  constexpr float turn = 2 * std::numbers::pi_v<float>;
  points made;
  for (std::size_t i = 0; i != count; ++i) {
    auto const arm = static_cast<std::int32_t>(i % static_cast<std::size_t>(arms));
    float const radius = 0.05f + 0.95f * numbers.uniform<float>(2 * i);
    float const stray = 0.7f * (numbers.uniform<float>(2 * i + 1) - 0.5f);
    float const angle = turn * (1.5f * radius + (static_cast<float>(arm) + stray) / static_cast<float>(arms));
    made.x.push_back(radius * std::cos(angle));
    made.x.push_back(radius * std::sin(angle));
    made.label.push_back(arm);
  }
  return made;
}

points draw(points const& all, std::size_t count, plait::random_stream numbers) {
  points made;
  for (std::size_t i = 0; i != count; ++i) {
    std::size_t const at = numbers.below(all.label.size(), i);
    made.x.insert(made.x.end(), {all.x[2 * at], all.x[2 * at + 1]});
    made.label.push_back(all.label[at]);
  }
  return made;
}

}  // namespace mlp
