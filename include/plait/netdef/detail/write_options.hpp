// How the NetDef writers spell things.
#pragma once

#include <vector>

#include <plait/netdef/detail/read_options.hpp>

namespace plait {

struct write_options {
  /// Text and JSON: call the device's id `cuda_gpu_id`, the only name that Caffe2 before PyTorch 1.0 reads. Off, since
  /// every later one reads `device_id` only. plait reads both; in the binary format they are the same.
  bool legacy_names = false;
  /// JSON: `external_input` rather than `externalInput`. Every reader of protobuf's JSON takes both.
  bool proto_names = false;
  /// JSON: spaces per level; 0 writes one line.
  unsigned indent = 2;
  /// What the format cannot express (unknown fields of another format) is left out and reported here; nullptr: it is a
  /// net_error, thrown before anything is written.
  std::vector<diagnostic>* diagnostics = nullptr;
};

}  // namespace plait
