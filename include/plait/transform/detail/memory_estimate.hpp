// Peak memory estimate of a net that runs op by op and holds each blob from its first write until it is freed.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/detail/npos.hpp>
#include <plait/net/detail/blob_table.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/transform/detail/blob_uses.hpp>

namespace plait {

/// Memory of the blobs that ops write, in bytes.
struct memory_estimate {
  std::uint64_t total = 0;                                     ///< sum of all allocations
  std::uint64_t peak = 0;                                      ///< most that is live at once
  op_index peak_op = npos;                                     ///< the first op after which the peak is live
  std::vector<std::pair<std::string, std::uint64_t>> by_type;  ///< allocated by ops of each type, in order of first use
  std::vector<std::string> unknown;                            ///< blobs of unknown size; they count as 0
};

namespace detail {

struct no_visitor {
  constexpr void operator()(auto const&...) const {}
};

/// Simulates the allocations of the ops. Calls size(name) once per blob, and allocated(type, bytes) for each
/// allocation.
template <has_text N, class Size, class Visit = no_visitor>
constexpr auto simulate_memory(N const& n, Size size, Visit allocated = {}) {
  struct result {
    std::uint64_t total = 0;
    std::uint64_t peak = 0;
    op_index peak_op = npos;
  } made;
  struct blob {
    std::uint64_t bytes = 0;
    bool known = false;
    bool held = false;
  };
  blob_table<N> numbers(n);
  std::vector<blob> blobs;
  std::uint64_t now = 0;
  op_index at = 0;
  for (auto&& op : plait::ops(n)) {
    auto const type = op_type(n, op);
    bool const releases = type == "Free" || makes_alias(type);
    for (auto const& output : outputs(n, op)) {
      blob_index const b = numbers.intern(output);
      if (b >= blobs.size()) blobs.resize(b + std::size_t{1});
      blob& of = blobs[b];
      if (!of.known) {
        if (releases) continue;
        of = {size(std::string_view(name_text(n, static_cast<name_t<N> const&>(output)))), true, false};
      }
      if (releases && of.held) now -= of.bytes;
      if (!releases && !of.held) {
        now += of.bytes;
        made.total += of.bytes;
        allocated(type, of.bytes);
      }
      of.held = !releases;
    }
    if (now > made.peak) {
      made.peak = now;
      made.peak_op = at;
    }
    ++at;
  }
  return made;
}

}  // namespace detail

/// Simulates the allocations of the ops in order: an op allocates its outputs unless they are live already, `Free`
/// releases its outputs, and so does `Alias`, whose output from then on shares the memory of another blob. Calls
/// bytes(blob) once per blob. Nested nets are not entered. O(operands).
///
/// Follows Caffe2's memonger.estimate_memory_usage, which removes ops of other devices from its nets.
template <has_text N, class Bytes>
  requires typed_net<N> && std::invocable<Bytes&, std::string_view> &&
           std::convertible_to<std::invoke_result_t<Bytes&, std::string_view>, std::optional<std::uint64_t>>
[[nodiscard]] memory_estimate estimate_memory(N const& n, Bytes bytes) {
  boost::unordered_flat_map<std::string, std::size_t> types;
  memory_estimate made;
  auto const size = [&](std::string_view name) {
    std::optional<std::uint64_t> const known = bytes(name);
    if (!known) made.unknown.emplace_back(name);
    return known.value_or(0);
  };
  auto const of_net = detail::simulate_memory(n, size, [&](std::string_view type, std::uint64_t allocated) {
    auto const [number, is_new] = types.try_emplace(std::string(type), made.by_type.size());
    if (is_new) made.by_type.emplace_back(type, 0);
    made.by_type[number->second].second += allocated;
  });
  made.total = of_net.total;
  made.peak = of_net.peak;
  made.peak_op = of_net.peak_op;
  return made;
}

/// Returns the peak of estimate_memory alone, where all sizes are known. A constant expression for a constexpr net.
template <has_text N, class Bytes>
  requires typed_net<N> && std::invocable<Bytes&, std::string_view> &&
           std::convertible_to<std::invoke_result_t<Bytes&, std::string_view>, std::uint64_t>
[[nodiscard]] constexpr std::uint64_t peak_memory(N const& n, Bytes bytes) {
  return detail::simulate_memory(n, std::move(bytes)).peak;
}

// Overload for any other `bytes`: a static_assert names the required signature.
template <has_text N, class Bytes>
  requires typed_net<N>
memory_estimate estimate_memory(N const&, Bytes) {
  static_assert(std::invocable<Bytes&, std::string_view>,
                "plait: bytes cannot be called as bytes(blob); wanted: std::optional<std::uint64_t> "
                "bytes(std::string_view blob)");
  if constexpr (std::invocable<Bytes&, std::string_view>)
    static_assert(
        std::convertible_to<std::invoke_result_t<Bytes&, std::string_view>, std::optional<std::uint64_t>>,
        "plait: bytes(blob) returns another type than wanted: std::optional<std::uint64_t>, nullopt where the "
        "size is unknown");
  return {};
}

}  // namespace plait
