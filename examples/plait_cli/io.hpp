// Nets in and out, and what goes wrong on the way.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <plait/core/errors.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/read.hpp>

namespace cli {

/// Something that ends the command; the message is complete, with the file it is about.
struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The same of options: `plait` ends with 2.
struct wrong_usage : failure {
  using failure::failure;
};

/// A net that was read.
struct source {
  std::string label;  ///< what messages call the file
  plait::netdef net;
  plait::netdef_format format = plait::netdef_format::text;
  std::vector<plait::diagnostic> diagnostics;
  std::vector<plait::text_position> op_positions;
};

/// Reads a net from a file or, for "-", from standard input. Throws failure: "file:line:col: message", for the binary
/// format "file: byte N: message".
source load(std::string const& path);

/// The failure that an error of plait about a net is: "file:line:col: message" where it names an op, else "file:
/// message".
failure about(source const& in, plait::error const& problem);
/// The same about a file that holds no net, or not yet.
failure about(std::string_view label, plait::error const& problem);

/// "file:line:col: message" or "file: byte N: message".
std::string placed(std::string_view label, plait::text_position at, std::string_view message);

/// The format of that name; nothing for an empty one.
std::optional<plait::netdef_format> format_called(std::string_view name);

/// Where a net goes, as options of a command.
struct destination {
  std::string path;    ///< empty or "-": standard output
  std::string format;  ///< text, json or binary; empty: by the suffix of the path, else text
  bool to_stdout() const { return path.empty() || path == "-"; }
};

/// Writes a net. Throws failure; also where binary would go to a terminal.
void save(destination const& to, plait::netdef const& net);

/// Writes text to a file, or to standard output for an empty path or "-". Throws failure.
void save_text(std::string const& path, std::string_view text);

/// Prints JSON with two spaces and a newline. Bytes that are no UTF-8 become U+FFFD.
void print_json(nlohmann::ordered_json const& value);

}  // namespace cli
