// Constraints of static nets, as concepts: for static_assert, and for requires of what takes a net as a template
// argument. Nets are constexpr variables at namespace scope, or static.
//
//   static_assert(plait::without_dead_ops<net> && plait::without_overwrites<net>);
//   static_assert(plait::peak_memory_below<net, bytes_of_blob, 4096>);
#pragma once

#include <cstddef>
#include <cstdint>

#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/dead_code_elimination.hpp>
#include <plait/transform/detail/memory_estimate.hpp>

namespace plait {

/// Number of ops that no external output depends on.
template <auto const& Net>
inline constexpr std::size_t dead_op_count = [] { return find_dead_ops(Net).ops.size(); }();
/// Number of writes to blobs that have a value already.
template <auto const& Net>
inline constexpr std::size_t overwrite_count = [] {
  auto const ssa = get_ssa(Net);
  std::size_t writes = 0;
  for (op_index op = 0; op != ssa.op_count(); ++op)
    for (value const v : ssa.writes(op))
      if (v.version != 1 || !ssa.consumers({v.blob, 0}).empty()) ++writes;
  for (value const v : ssa.external_inputs())
    if (ssa.version(v.blob) != 0 && ssa.consumers(v).empty()) ++writes;
  return writes;
}();
/// Number of blobs that are read, or promised, but neither written nor external inputs.
template <auto const& Net>
inline constexpr std::size_t unset_blob_count = [] {
  auto const ssa = get_ssa(Net);
  std::size_t count = ssa.unwritten_outputs().size();
  for (blob_index const b : ssa.undefined()) {
    bool is_given = false;
    for (value const v : ssa.external_inputs()) is_given = is_given || v.blob == b;
    if (!is_given) ++count;
  }
  return count;
}();
/// Most bytes that are live at once: peak_memory of a callable that returns the bytes of a blob.
template <auto const& Net, auto Bytes>
inline constexpr std::uint64_t peak_bytes = peak_memory(Net, Bytes);

/// A net each op of which an external output depends on.
template <auto const& Net>
concept without_dead_ops = dead_op_count<Net> == 0;

/// A net that writes each blob once, and no external input.
template <auto const& Net>
concept without_overwrites = overwrite_count<Net> == 0;

/// A net that declares what it reads and writes what it promises.
template <auto const& Net>
concept self_contained = unset_blob_count<Net> == 0;

/// A net that needs fewer than so many bytes for what its ops write.
template <auto const& Net, auto Bytes, std::uint64_t Limit>
concept peak_memory_below = peak_bytes<Net, Bytes> < Limit;

}  // namespace plait
