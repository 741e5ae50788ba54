// Blob devices: the device of each blob, from the device options of the ops that write it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <plait/net/detail/blob_table.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>

namespace plait {

/// Device of a blob: that of its last writer, empty where that op names none.
template <net N>
struct blob_device {
  name_key_t<N> blob;
  std::optional<device_spec> device;
};

/// Returns the blobs that ops write, in order of first write (Caffe2's InferBlobDevices). O(operands).
template <device_net N>
[[nodiscard]] std::vector<blob_device<N>> infer_blob_devices(N const& n) {
  blob_table<N> blobs(n);
  std::vector<std::uint32_t> places;  // by blob: its index in `found`
  std::vector<blob_device<N>> found;
  for (auto&& op : plait::ops(n)) {
    std::optional<device_spec> const device = detail::net_traits_of<N>::device(n, op);
    for (auto const& name : plait::outputs(n, op)) {
      blob_index const b = blobs.intern(name);
      if (b >= places.size()) places.resize(b + std::size_t{1}, npos);
      if (places[b] == npos) {
        places[b] = static_cast<std::uint32_t>(found.size());
        found.push_back({blobs.name(b), device});
      } else {
        found[places[b]].device = device;
      }
    }
  }
  return found;
}

}  // namespace plait
