// NetDef reader for files, streams and bytes in text, JSON or binary format, with format detection.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include <plait/core/errors.hpp>
#include <plait/netdef/detail/binary_reader.hpp>
#include <plait/netdef/detail/format.hpp>
#include <plait/netdef/detail/json_reader.hpp>
#include <plait/netdef/detail/read_options.hpp>
#include <plait/netdef/detail/schema.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/model.hpp>

namespace plait {

/// Reads a net from a document of a known format. An empty document is an empty net.
[[nodiscard]] inline netdef read_netdef_bytes(std::string_view document, netdef_format format,
                                              read_options const& options = {}) {
  if (document.empty()) return {};
  switch (format) {
    case netdef_format::json:
      return read_netdef_json(document, options);
    case netdef_format::binary:
      return read_netdef_binary(document, options);
    case netdef_format::text:
      break;
  }
  return read_netdef_text(document, options);
}

/// Reads a net from a document in the format that detect_format() finds. If that format's reader refuses it, tries the
/// others (a binary net may begin like text); if all refuse it, throws the parse_error of the most plausible format.
/// Stores the format in `found`.
[[nodiscard]] inline netdef read_netdef_bytes(std::string_view document, read_options const& options = {},
                                              netdef_format* found = nullptr) {
  netdef_format const likely = detect_format(document);
  std::optional<parse_error> first;
  std::size_t const diagnostics = options.diagnostics != nullptr ? options.diagnostics->size() : 0;
  std::size_t const positions = options.op_positions != nullptr ? options.op_positions->size() : 0;
  for (netdef_format format : {likely, netdef_format::text, netdef_format::binary, netdef_format::json}) {
    if (first && format == likely) continue;
    // Almost any short byte sequence parses as unknown binary fields; rejecting these keeps a mistyped text from being
    // read as a binary net.
    read_options tried = options;
    if (first && format == netdef_format::binary) tried.unknown = unknown_fields::reject;
    try {
      netdef net = read_netdef_bytes(document, format, tried);
      // A short binary net whose name begins with '#' looks like a text of comments only.
      if (format == netdef_format::text && document.find('#') != document.npos &&
          netdef_schema::message_view(net).is_empty()) {
        tried.unknown = unknown_fields::reject;
        try {
          net = read_netdef_binary(document, tried);
          format = netdef_format::binary;
        } catch (parse_error const&) {
          // It is a comment.
        }
      }
      if (found != nullptr) *found = format;
      return net;
    } catch (parse_error const& problem) {
      if (!first) first = problem;
      if (options.diagnostics != nullptr) options.diagnostics->resize(diagnostics);
      if (options.op_positions != nullptr) options.op_positions->resize(positions);
    }
  }
  throw parse_error(*first);
}

/// Reads a net from the rest of a stream. Throws parse_error, and io_error if the stream fails.
[[nodiscard]] inline netdef read_netdef(std::istream& in, read_options const& options = {},
                                        netdef_format* found = nullptr) {
  std::string document;
  constexpr std::size_t chunk = std::size_t{1} << 16;
  while (in && document.size() <= options.limits.max_bytes) {
    std::size_t const size = document.size();
    document.resize(size + chunk);
    in.read(document.data() + size, static_cast<std::streamsize>(chunk));
    document.resize(size + static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) throw io_error("cannot read", "input");
  return read_netdef_bytes(document, options, found);
}

/// Reads a net from a file. Throws parse_error, and io_error if the file cannot be read.
[[nodiscard]] inline netdef read_netdef(std::filesystem::path const& path, read_options const& options = {},
                                        netdef_format* found = nullptr) {
  if (std::error_code problem; std::filesystem::is_directory(path, problem))
    throw io_error("is a folder", path.string());
  std::ifstream in(path, std::ios::binary);
  if (!in) throw io_error("cannot open", path.string());
  try {
    return read_netdef(in, options, found);
  } catch (io_error const&) {
    throw io_error("cannot read", path.string());
  }
}

}  // namespace plait
