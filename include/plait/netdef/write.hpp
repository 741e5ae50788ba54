// NetDef writer for files, streams and strings in text, JSON or binary format.
#pragma once

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <string_view>

#include <plait/core/errors.hpp>
#include <plait/netdef/detail/binary_writer.hpp>
#include <plait/netdef/detail/format.hpp>
#include <plait/netdef/detail/json_writer.hpp>
#include <plait/netdef/detail/text_writer.hpp>
#include <plait/netdef/detail/write_options.hpp>
#include <plait/netdef/model.hpp>

namespace plait {

/// Returns a net in a format, as a string of bytes. Throws net_error if the format cannot express the net.
[[nodiscard]] inline std::string to_bytes(netdef const& net, netdef_format format, write_options const& options = {}) {
  switch (format) {
    case netdef_format::json:
      return to_json(net, options);
    case netdef_format::binary:
      return to_binary(net, options);
    case netdef_format::text:
      break;
  }
  return to_text(net, options);
}

/// Writes a net to a stream; failures of the stream are left in its state. Throws net_error before anything is written
/// if the format cannot express the net.
inline void write_netdef(std::ostream& out, netdef const& net, netdef_format format,
                         write_options const& options = {}) {
  switch (format) {
    case netdef_format::json:
      return write_netdef_json(out, net, options);
    case netdef_format::binary:
      return write_netdef_binary(out, net, options);
    case netdef_format::text:
      break;
  }
  write_netdef_text(out, net, options);
}

namespace detail {
inline void write_file(std::filesystem::path const& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) throw io_error("cannot open for writing", path.string());
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw io_error("cannot write", path.string());
}
}  // namespace detail

/// Writes a net to a file, replacing it. Throws net_error, with the file untouched, if the format cannot express the
/// net, and io_error if the file cannot be written.
inline void write_netdef(std::filesystem::path const& path, netdef const& net, netdef_format format,
                         write_options const& options = {}) {
  detail::write_file(path, to_bytes(net, format, options));
}

/// Writes a net to a stream in the named format.
inline void write_text(std::ostream& out, netdef const& net, write_options const& options = {}) {
  write_netdef_text(out, net, options);
}
inline void write_json(std::ostream& out, netdef const& net, write_options const& options = {}) {
  write_netdef_json(out, net, options);
}
inline void write_binary(std::ostream& out, netdef const& net, write_options const& options = {}) {
  write_netdef_binary(out, net, options);
}

}  // namespace plait
