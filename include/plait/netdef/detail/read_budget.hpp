// Resource limits and text positions, shared by the NetDef readers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include <plait/core/detail/symbols.hpp>
#include <plait/core/errors.hpp>
#include <plait/netdef/detail/field.hpp>
#include <plait/netdef/detail/read_options.hpp>
#include <plait/netdef/model.hpp>

namespace plait::detail {

/// Converts offsets to line and column. Linear in total for ascending offsets, as those of diagnostics are.
class text_locator {
 public:
  explicit text_locator(std::string_view source) : source_(source) {}

  text_position operator()(std::size_t offset) {
    if (offset < line_start_) line_ = 1, line_start_ = 0, seen_ = 0;
    while (seen_ < offset) {
      void const* newline = std::memchr(source_.data() + seen_, '\n', offset - seen_);
      if (newline == nullptr) break;
      ++line_;
      seen_ = line_start_ = static_cast<std::size_t>(static_cast<char const*>(newline) - source_.data()) + 1;
    }
    seen_ = std::max(seen_, offset);
    return {offset, line_, offset - line_start_ + 1};
  }

 private:
  std::string_view source_;
  std::size_t line_ = 1;
  std::size_t line_start_ = 0;
  std::size_t seen_ = 0;
};

/// Charges what a reader allocates against its limits. Functions that return bool return false if a limit is exceeded.
class read_budget {
 public:
  explicit read_budget(read_limits const& limits)
      : depth_(std::min(limits.max_depth, read_limits::hard_max_depth)), left_(limits.max_memory) {}

  std::size_t max_depth() const noexcept { return depth_; }

  [[nodiscard]] bool charge(std::size_t bytes) noexcept {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

  /// Charges a message that is added to a field.
  [[nodiscard]] bool charge_message(netdef_schema::field_descriptor const& field) noexcept {
    // A net that interns anything allocates a symbol table.
    return charge(field.size_of + (field.child == netdef_schema::message_kind::net ? 1024 : 0));
  }

  /// Charges the cold fields of an op, which setting the first of them allocates.
  [[nodiscard]] bool charge_extras(netdef_schema::field_descriptor const& field, void const* message) noexcept {
    return !field.rare || static_cast<op_def const*>(message)->rare || charge(sizeof(op_extras));
  }

  /// Interns a text; charges a new one its length and its table entry.
  [[nodiscard]] bool intern(netdef& net, std::string_view text, symbol& made) {
    std::size_t const before = net.symbols.size();
    made = net.symbols.intern(text);
    return net.symbols.size() == before || charge(text.size() + 96);
  }

 private:
  std::size_t depth_;
  std::size_t left_;
};

inline constexpr char const* memory_message = "the net needs more memory than the limit allows";
inline constexpr char const* depth_message = "messages are nested deeper than the limit allows";
inline constexpr char const* size_message = "the document is larger than the limit allows";

}  // namespace plait::detail
