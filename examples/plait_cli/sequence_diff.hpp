// Longest common subsequence: the greedy O(ND) algorithm in linear space of E. W. Myers, "An O(ND) Difference Algorithm
// and Its Variations", Algorithmica 1 (1986), pages 251 to 266.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cli {

/// Returns the pairs of positions of a longest common subsequence of two sequences, ascending. Time O((a + b) d) for d
/// positions without a partner, memory O(a + b); no recursion.
std::vector<std::pair<std::size_t, std::size_t>> common_subsequence(std::span<std::uint32_t const> a,
                                                                    std::span<std::uint32_t const> b);

}  // namespace cli
