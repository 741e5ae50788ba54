// Output buffer of the NetDef writers.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <plait/core/detail/symbols.hpp>
#include <plait/netdef/model.hpp>

namespace plait::detail {

/// Buffers bytes for a stream or, without one, in a string.
class output_buffer {
 public:
  output_buffer() = default;
  output_buffer(output_buffer const&) = delete;
  output_buffer& operator=(output_buffer const&) = delete;
  explicit output_buffer(std::ostream& out) : out_(&out) {}

  output_buffer& operator<<(std::string_view text) {
    if (!text.empty()) std::memcpy(room(text.size()), text.data(), text.size());
    return *this;
  }
  output_buffer& operator<<(char c) {
    *room(1) = c;
    return *this;
  }
  template <std::integral T>
  output_buffer& operator<<(T value) {
    char digits[24];
    auto const [end, problem] = std::to_chars(digits, digits + sizeof digits, value);
    static_cast<void>(problem);
    return *this << std::string_view(digits, end);
  }
  /// Appends the shortest decimal that round-trips. Not for infinities and NaN.
  template <std::floating_point T>
  output_buffer& operator<<(T value) {
    char digits[32];
    auto const [end, problem] = std::to_chars(digits, digits + sizeof digits, value);
    static_cast<void>(problem);
    return *this << std::string_view(digits, end);
  }

  void fill(std::size_t count, char c) {
    if (count != 0) std::memset(room(count), c, count);
  }

  void flush() {
    if (out_ == nullptr) return;
    out_->write(buffer_.data(), at_ - buffer_.data());
    at_ = buffer_.data();
  }
  std::string take() {
    buffer_.resize(static_cast<std::size_t>(at_ - buffer_.data()));
    return std::move(buffer_);
  }

 private:
  // Returns where `count` more bytes are stored, which then belong to the output.
  char* room(std::size_t count) {
    if (static_cast<std::size_t>(end_ - at_) < count) [[unlikely]]
      grow(count);
    return std::exchange(at_, at_ + count);
  }
  // Not inlined, so that room() is.
  [[gnu::noinline]] void grow(std::size_t count) {
    constexpr std::size_t chunk = std::size_t{1} << 16;
    if (at_ - buffer_.data() >= static_cast<std::ptrdiff_t>(chunk)) flush();
    auto const size = static_cast<std::size_t>(at_ - buffer_.data());
    if (buffer_.size() - size < count) buffer_.resize(2 * size + count);
    at_ = buffer_.data() + size;
    end_ = buffer_.data() + buffer_.size();
  }

  std::ostream* out_ = nullptr;
  std::string buffer_;  // the output up to at_
  char* at_ = buffer_.data();
  char* end_ = at_;
};

/// Returns the text of a string field, interned or stored as a string.
inline std::string_view text_of(symbol value, netdef const& net) { return net.text(value); }
inline std::string_view text_of(std::string const& value, netdef const&) { return value; }

}  // namespace plait::detail
