// What the NetDef readers accept and how much they may spend on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plait/core/errors.hpp>

namespace plait {

/// Something worth telling the user that is no error. Writers, which have no document yet, leave the position empty.
struct diagnostic {
  text_position position;
  std::string message;
  friend bool operator==(diagnostic const&, diagnostic const&) = default;
};

/// Bounds that a reader keeps whatever its input says; passing one is a parse_error.
struct read_limits {
  /// Messages within messages, the net itself not counted; one nested net is three (op, arg, n). Readers use no stack
  /// for depth, but the destructor and the copy constructor of the result do: above hard_max_depth nothing is accepted.
  std::size_t max_depth = 100;
  /// Size of the document.
  std::size_t max_bytes = std::size_t{1} << 30;
  /// Size of the result: messages, strings and numbers, without what the allocator adds. Two bytes of binary can ask
  /// for a message of 256, so that a bound on the document alone would bound little.
  std::size_t max_memory = std::size_t{4} << 30;

  static constexpr std::size_t hard_max_depth = 1000;
};

/// What becomes of fields that the model does not have: kept in the `unknown` of their message, or a parse_error.
enum class unknown_fields : std::uint8_t { keep, reject };

struct read_options {
  read_limits limits = {};
  unknown_fields unknown = unknown_fields::keep;
  /// Where unknown fields that are kept are reported; nullptr: nowhere.
  std::vector<diagnostic>* diagnostics = nullptr;
  /// Where the ops of the net begin (not those of nets inside them) is written to it, in their order; nullptr: nowhere.
  std::vector<text_position>* op_positions = nullptr;
};

}  // namespace plait
