// Generated static cells: random expressions by seed, which are types, so that the compiler traces and differentiates
// each.
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/gradient/static_cell.hpp>

namespace test {

/// A cell of three inputs and two results with about `Ops` ops. Values stay small, so that few are infinite.
template <std::uint32_t Seed, std::size_t Ops>
struct generated_cell {
  constexpr auto operator()(auto x, auto y, auto z) const {
    std::uint32_t state = Seed * 2654435761u + 12345u;
    auto const random = [&](std::uint32_t below) {
      state = state * 1664525u + 1013904223u;
      return (state >> 16) % below;
    };
    plait::cell_value values[6] = {x, y, z, x * 0.5, y - z, z + 1.25};
    for (std::size_t made = 3; made < Ops;) {
      plait::cell_value& a = values[random(6)];
      plait::cell_value const b = values[random(6)];
      plait::cell_value const c = values[random(6)];
      std::size_t ops = 1;
      switch (random(16)) {
        case 0:
        case 1:
          a = a + b;
          break;
        case 2:
        case 3:
          a = tanh(b) * c;
          ops = 2;
          break;
        case 4:
          a = a - b * 0.25;
          ops = 3;
          break;
        case 5:
          a = a / (1.5 + square(b));
          ops = 4;
          break;
        case 6:
          a = select(b > c, a, sigmoid(b));
          ops = 3;
          break;
        case 7:
          a = max(a, b);
          break;
        case 8:
          a = min(a, c);
          break;
        case 9:
          a = relu(b) - a;
          ops = 2;
          break;
        case 10:
          a = exp(tanh(a)) * b;
          ops = 3;
          break;
        case 11:
          a = clip(a, -1.5, 2) + abs(b);
          ops = 3;
          break;
        case 12:
          a = softplus(a);
          break;
        case 13:
          a = (a - mean(a)) * c;
          ops = 3;
          break;
        case 14:
          a = leaky_relu(b, 0.125) + 0 * c;
          ops = 4;
          break;
        default:
          a = select(b < c && !(a > 1), -a, elu(b));
          ops = 6;
          break;
      }
      made += ops;
    }
    return plait::cell_results{tanh(values[0] + values[1]) + values[2] * x,
                               values[3] * values[4] + tanh(values[5]) * y};
  }
};

}  // namespace test
