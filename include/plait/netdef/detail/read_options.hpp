// Options and resource limits of the NetDef readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/core/errors.hpp>

namespace plait {

/// Diagnostic that is not an error. Writers, which have no document yet, leave the position empty.
struct diagnostic {
  text_position position;
  std::string message;
  friend bool operator==(diagnostic const&, diagnostic const&) = default;
};

/// Resource limits that hold for any input; exceeding one is a parse_error.
struct read_limits {
  /// Nesting depth of messages, the net itself not counted; a nested net counts three (op, arg, n). Readers use no
  /// stack for depth, but the destructor and the copy constructor of the result do: nothing beyond hard_max_depth is
  /// accepted.
  std::size_t max_depth = 100;
  /// Size of the document.
  std::size_t max_bytes = std::size_t{1} << 30;
  /// Size of the result: messages, strings and numbers, without the overhead of the allocator. Two bytes of binary can
  /// create a message of 256 bytes, so that a bound on the document alone would bound little.
  std::size_t max_memory = std::size_t{4} << 30;

  static constexpr std::size_t hard_max_depth = 1000;
};

/// Handling of fields that the model does not have: kept in `unknown` of their message, or a parse_error.
enum class unknown_fields : std::uint8_t { keep, reject };

struct read_options {
  read_limits limits = {};
  unknown_fields unknown = unknown_fields::keep;
  /// Receives a diagnostic for each unknown field that is kept; may be nullptr.
  std::vector<diagnostic>* diagnostics = nullptr;
  /// Receives the position where each op of the net begins (not those of nested nets), in order; may be nullptr.
  std::vector<text_position>* op_positions = nullptr;
};

}  // namespace plait
