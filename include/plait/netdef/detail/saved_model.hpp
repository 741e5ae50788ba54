// Saved models: a folder with the predict net and the init net that creates its parameters.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include <plait/core/errors.hpp>
#include <plait/netdef/detail/format.hpp>
#include <plait/netdef/detail/read_options.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/write.hpp>

namespace plait {

/// Nets of a folder that save_model() wrote.
struct saved_model {
  netdef predict;
  netdef init;
};

/// Writes model.pb, model_init.pb and, for human readers, model.pbtxt (the predict net again), like detectron2's
/// save_protobuf. Creates the folder if need be, and replaces existing files. Throws net_error before anything is
/// written if the binary format cannot express a net, and io_error if a file cannot be written.
inline void save_model(std::filesystem::path const& folder, netdef const& predict, netdef const& init) {
  std::string const predict_bytes = to_bytes(predict, netdef_format::binary);
  std::string const init_bytes = to_bytes(init, netdef_format::binary);
  std::string const predict_text = to_bytes(predict, netdef_format::text);
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw io_error("cannot be created: " + failed.message(), folder.string());
  detail::write_file(folder / "model.pb", predict_bytes);
  detail::write_file(folder / "model_init.pb", init_bytes);
  detail::write_file(folder / "model.pbtxt", predict_text);
}

/// Reads model.pb and model_init.pb, like detectron2's load_protobuf. Throws what read_netdef() throws.
[[nodiscard]] inline saved_model load_model(std::filesystem::path const& folder, read_options const& options = {}) {
  return {read_netdef(folder / "model.pb", options), read_netdef(folder / "model_init.pb", options)};
}

}  // namespace plait
