// Histogram of the op types of a net.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/net/net_traits.hpp>

namespace plait {

struct op_count {
  std::string type;
  std::size_t count = 0;
  friend bool operator==(op_count const&, op_count const&) = default;
};

/// Counts a net's ops by type, the most frequent type first, ties by name (detectron2's _op_stats). O(ops + types · log
/// types).
template <typed_net N>
[[nodiscard]] std::vector<op_count> op_stats(N const& n) {
  boost::unordered_flat_map<detail::op_type_key_t<N>, std::size_t> counts;
  for (auto&& op : ops(n)) ++counts[detail::op_type_key_t<N>(op_type(n, op))];
  std::vector<op_count> made;
  made.reserve(counts.size());
  for (auto const& [type, count] : counts) made.push_back({std::string(type), count});
  std::ranges::sort(made, [](op_count const& a, op_count const& b) {
    return a.count != b.count ? a.count > b.count : a.type < b.type;
  });
  return made;
}

}  // namespace plait
