// Options of the NetDef writers.
#pragma once

#include <vector>

#include <plait/netdef/detail/read_options.hpp>

namespace plait {

struct write_options {
  /// Text and JSON: write the id of a device as `cuda_gpu_id`, the only name that Caffe2 before PyTorch 1.0 reads. Off
  /// by default, since every later version only reads `device_id`. plait reads both; in the binary format they are the
  /// same.
  bool legacy_names = false;
  /// JSON: `external_input` rather than `externalInput`. Every reader of protobuf's JSON accepts both.
  bool proto_names = false;
  /// JSON: spaces per level; 0 writes one line.
  unsigned indent = 2;
  /// Receives a diagnostic for what the format cannot express (unknown fields of another format), which is left out.
  /// With nullptr, such a net is a net_error, thrown before anything is written.
  std::vector<diagnostic>* diagnostics = nullptr;
};

}  // namespace plait
