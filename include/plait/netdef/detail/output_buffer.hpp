// Output buffer of the NetDef writers, and the check that a format can express a net.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/core/detail/utf8.hpp>
#include <plait/netdef/detail/message_walk.hpp>
#include <plait/netdef/detail/write_options.hpp>
#include <plait/netdef/model.hpp>

namespace plait::detail {

/// Buffers bytes for a stream or, without one, in a string.
class output_buffer {
 public:
  output_buffer() = default;
  explicit output_buffer(std::ostream& out) : out_(&out) { buffer_.reserve(chunk + chunk / 4); }

  output_buffer& operator<<(std::string_view text) {
    buffer_.append(text);
    if (out_ != nullptr && buffer_.size() >= chunk) flush();
    return *this;
  }
  output_buffer& operator<<(char c) {
    buffer_.push_back(c);
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

  void fill(std::size_t count, char c) { buffer_.append(count, c); }

  void flush() {
    if (out_ == nullptr) return;
    out_->write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
  }
  std::string take() { return std::move(buffer_); }

 private:
  static constexpr std::size_t chunk = std::size_t{1} << 16;
  std::ostream* out_ = nullptr;
  std::string buffer_;
};

/// Returns the text of a string field, interned or stored as a string.
inline std::string_view text_of(symbol value, netdef const& net) { return net.text(value); }
inline std::string_view text_of(std::string const& value, netdef const&) { return value; }

/// Calls f with each value of a member.
template <class Member, class F>
void for_each_value(Member const& member, F&& f) {
  if constexpr (member_traits<Member>::repeated) {
    for (auto const& value : member) f(value);
  } else if constexpr (std::is_same_v<Member, symbol>) {
    f(member);
  } else {
    f(*member);
  }
}

/// Returns for each unknown field of a message whether a format can express it: Format::can_write<Message>(field) holds
/// and, in a format without repeated names (Format::distinct_names), it is the first of its name.
template <class Format, class Message>
std::vector<bool> expressible(std::vector<unknown_field> const& fields) {
  std::vector<bool> made;
  std::unordered_set<std::string_view> names;
  for (unknown_field const& field : fields)
    made.push_back(Format::template can_write<Message>(field) &&
                   (!Format::distinct_names || names.insert(field.name).second));
  return made;
}

/// Visitor that reports what a format cannot express, before anything is written. `Format` has a name and the
/// predicates can_write(text) and, for unknown fields, can_write<Message>(field); see expressible().
template <class Format>
class expressible_check : public null_visitor {
 public:
  explicit expressible_check(write_options const& options) : options_(options) {}

  template <class Message, std::size_t I, class Member>
  void value(Member const& member, netdef const& net) {
    using type = field_value_t<Message, I>;
    if constexpr ((std::is_same_v<type, symbol> || std::is_same_v<type, std::string>)&&field_at<Message, I>.holds ==
                  netdef_schema::content::text)
      for_each_value(member, [&](auto const& value) {
        if (!Format::can_write(text_of(value, net)))
          throw net_error(in_op() + "field '" + std::string(field_at<Message, I>.name) + "' of " +
                              std::string(message_name<Message>) + " holds a text that cannot be written as " +
                              Format::name,
                          op_);
      });
  }

  template <class Message, std::size_t I, class Child>
  void begin(Child const&, std::size_t index, std::size_t) {
    if (std::is_same_v<Child, op_def> && depth_ == 0) op_ = index;
    ++depth_;
  }
  template <class Message, std::size_t I>
  void end(std::size_t, std::size_t) {
    if (--depth_ == 0) op_.reset();
  }

  template <class Message>
  void unknown(std::vector<unknown_field> const& fields) {
    std::vector<bool> const can = expressible<Format, Message>(fields);
    for (std::size_t i = 0; i != fields.size(); ++i) {
      if (can[i]) continue;
      unknown_field const& field = fields[i];
      std::string message = in_op() + "unknown field " +
                            (field.number != 0 ? std::to_string(field.number) : "'" + field.name + "'") + " of " +
                            std::string(message_name<Message>) + " cannot be written as " + Format::name;
      if (options_.diagnostics == nullptr) throw net_error(message, op_);
      options_.diagnostics->push_back({{}, printable(message)});
    }
  }

 private:
  std::string in_op() const { return op_ ? "plait: op " + std::to_string(*op_) + ": " : std::string("plait: "); }

  write_options const& options_;
  std::size_t depth_ = 0;
  std::optional<std::size_t> op_;
};

template <class Format>
void check_expressible(netdef const& net, write_options const& options) {
  expressible_check<Format> check(options);
  message_walk(check).run(net);
}

}  // namespace plait::detail
