// Exception hierarchy for bad input. Each exception carries its facts as members, so that a tool can word its own
// message; what() is a complete sentence: one line of UTF-8, whatever bytes the names in a file have. Members hold the
// names unchanged.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <plait/core/detail/cxx20.hpp>
#include <plait/core/detail/utf8.hpp>

namespace plait {

/// Base class of all errors about input. precondition_error, a bug in the calling program, does not derive from it.
struct error : std::runtime_error {
  explicit error(std::string_view message) : std::runtime_error(printable(message)) {}
};

namespace detail {
/// Returns the message without "plait: ", for use inside another message.
inline std::string_view without_prefix(std::string_view message) {
  return message.starts_with("plait: ") ? message.substr(7) : message;
}
}  // namespace detail

/// A position in a document. Lines and columns count from 1, columns in bytes; both are 0 for binary formats, which
/// have an offset only.
struct text_position {
  std::size_t offset = 0;
  std::size_t line = 0;
  std::size_t column = 0;
  friend bool operator==(text_position const&, text_position const&) = default;
};

/// Malformed document. what() is "line:column: message" or "byte offset: message"; the message is printable.
struct parse_error : error {
  parse_error(text_position at, std::string_view text)
      : error(place(at) + ": " + std::string(text)), position(at), message(printable(text)) {}

  text_position position;
  std::string message;

 private:
  static std::string place(text_position at) {
    if (at.line == 0) return "byte " + std::to_string(at.offset);
    return std::to_string(at.line) + ':' + std::to_string(at.column);
  }
};

/// A net that violates a rule of the operation applied to it. `op` is the index of the op in question, `blob` the name
/// of the blob (empty: none in particular).
struct net_error : error {
  explicit net_error(std::string const& message, std::optional<std::size_t> op_index = {}, std::string blob_name = {})
      : error(message), op(op_index), blob(std::move(blob_name)) {}

  std::optional<std::size_t> op;
  std::string blob;
};

/// Operands, arguments or elements for which an operation is not defined. `input` is the input at fault, if it is
/// known.
struct shape_error : error {
  explicit shape_error(std::string_view text, std::optional<std::size_t> at_fault = {})
      : error(text), input(at_fault) {}

  std::optional<std::size_t> input;
};

/// Failed allocation: more than the backend's memory holds, or than is left of it.
struct memory_error : error {
  explicit memory_error(std::size_t asked_for)
      : error("plait: no memory for " + std::to_string(asked_for) + " bytes"), bytes(asked_for) {}

  std::size_t bytes;
};

/// An op that could not be compiled or run. what() names the op, its blobs and the cause; the underlying exception, if
/// any, is nested (std::rethrow_if_nested). `blob` is empty if no particular blob is at fault, `name` if the op has
/// none.
struct exec_error : error {
  exec_error(std::string const& message, std::size_t op_index, std::string op_type, std::string blob_name = {},
             std::string op_name = {})
      : error(message), op(op_index), type(std::move(op_type)), name(std::move(op_name)), blob(std::move(blob_name)) {}

  std::size_t op;
  std::string type;
  std::string name;
  std::string blob;
};

/// A run that its stop token, or the cancellation of an enclosing task group, has ended. `op` is the first op that has
/// not completed.
struct run_cancelled : error {
  explicit run_cancelled(std::size_t at) : error("plait: the run was cancelled"), op(at) {}

  std::size_t op;
};

/// A file that could not be read or written. what() is "path: message".
struct io_error : error {
  io_error(std::string_view message, std::string file)
      : error(file + ": " + std::string(message)), path(std::move(file)) {}

  std::string path;
};

}  // namespace plait
