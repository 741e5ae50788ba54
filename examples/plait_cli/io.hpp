// Input and output of nets, and errors with their position.
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

/// Error that ends the command with exit status 1. The message is complete, with the file name.
struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Error in the options: exit status 2.
struct wrong_usage : failure {
  using failure::failure;
};

/// Net, and what its reader reported.
struct source {
  std::string label;  ///< name of the file in messages
  plait::netdef net;
  plait::netdef_format format = plait::netdef_format::text;
  std::vector<plait::diagnostic> diagnostics;
  std::vector<plait::text_position> op_positions;
  bool is_onnx = false;  ///< the graph of an ONNX model: see onnx_graph.hpp
};

/// Returns the content of a file or, for "-", of standard input; somewhat more than `most` bytes at most. Throws
/// failure.
std::string read_file(std::string const& path, std::size_t most = std::string::npos - 1);

/// Reads a net from a file or, for "-", from standard input. Throws failure: "file:line:col: message", for the binary
/// format "file: byte N: message", and for other file formats what the file is.
source load(std::string const& path);
/// Reads a net, or the graph of an ONNX model, for a command that inspects it. Throws failure.
source load_any(std::string const& path);

/// Converts an error about a net: "file:line:col: message" if it names an op, else "file: message".
failure about(source const& in, plait::error const& problem);
/// Converts an error about a file: with the position of a parse_error, else "file: message".
failure about(std::string_view label, plait::error const& problem);

/// Returns "file:line:col: message" or "file: byte N: message".
std::string placed(std::string_view label, plait::text_position at, std::string_view message);

/// Returns the format of that name; nothing for an empty one.
std::optional<plait::netdef_format> format_called(std::string_view name);

/// Destination of a net, from the options of a command.
struct destination {
  std::string path;    ///< empty or "-": standard output
  std::string format;  ///< text, json or binary; empty: by the suffix of the path, else text
  bool to_stdout() const { return path.empty() || path == "-"; }
};

/// Writes a net. Throws failure, also for binary output to a terminal.
void save(destination const& to, plait::netdef const& net);

/// Writes text to a file, or to standard output for an empty path or "-". Throws failure.
void save_text(std::string const& path, std::string_view text);

/// Prints JSON with an indent of two spaces and a newline. Bytes that are not UTF-8 become U+FFFD.
void print_json(nlohmann::ordered_json const& value);

}  // namespace cli
