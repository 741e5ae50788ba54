// Field-by-field comparison of NetDef messages, without recursion.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/netdef/detail/field_traits.hpp>
#include <plait/netdef/detail/output_buffer.hpp>
#include <plait/netdef/model.hpp>

namespace plait::detail {

/// Returns a value as text for messages; strings are in quotes.
template <class T>
std::string value_text(T const& value, netdef const& net) {
  output_buffer text;
  if constexpr (std::is_same_v<T, bool>)
    text << std::string_view(value ? "true" : "false");
  else if constexpr (std::is_enum_v<T>)
    text << static_cast<std::int64_t>(value);
  else if constexpr (std::is_arithmetic_v<T>)
    text << value;
  else
    text << '"' << text_of(value, net) << '"';
  return text.take();
}

/// Returns all values of a member as text, "absent" if there are none.
template <class Member>
std::string member_text(Member const& member, netdef const& net) {
  if constexpr (!member_traits<Member>::repeated)
    if (!has_value(member)) return "absent";
  std::string text;
  for_each_value(member, [&](auto const& value) { text += (text.empty() ? "" : ", ") + value_text(value, net); });
  return member_traits<Member>::repeated ? "[" + text + "]" : text;
}

/// Returns true if two floats have the same bits or, given a tolerance, differ by no more than that fraction of the
/// larger magnitude. Any NaN equals any other.
template <std::floating_point T>
bool same_number(T a, T b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  if (std::bit_cast<bits>(a) == std::bit_cast<bits>(b)) return true;
  if (tolerance == 0 || std::isinf(a) || std::isinf(b)) return false;
  double const wide_a = a, wide_b = b;
  return std::abs(wide_a - wide_b) <= tolerance * std::max(std::abs(wide_a), std::abs(wide_b));
}

template <class T>
bool same_value(T const& a, netdef const& net_a, T const& b, netdef const& net_b, double tolerance) {
  if constexpr (std::is_floating_point_v<T>)
    return same_number(a, b, tolerance);
  else if constexpr (std::is_same_v<T, symbol>)
    return net_a.text(a) == net_b.text(b);
  else
    return a == b;
}

/// Compares two members whose values are not messages.
template <class Member>
bool same_member(Member const& a, netdef const& net_a, Member const& b, netdef const& net_b, double tolerance) {
  if constexpr (member_traits<Member>::repeated) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](auto const& x, auto const& y) { return same_value(x, net_a, y, net_b, tolerance); });
  } else {
    if (has_value(a) != has_value(b) || !has_value(a)) return has_value(a) == has_value(b);
    if constexpr (std::is_same_v<Member, symbol>)
      return same_value(a, net_a, b, net_b, tolerance);
    else
      return same_value(*a, net_a, *b, net_b, tolerance);
  }
}

/// Compares two messages in lockstep, up to the first difference.
class message_comparison {
 public:
  explicit message_comparison(double tolerance) : tolerance_(tolerance) {}

  template <class Message>
  bool run(Message const& a, netdef const& net_a, Message const& b, netdef const& net_b) {
    stack_.assign(1, {&a, &b, &net_a, &net_b, 0, 0, {}, 0});
    same_ = true;
    while (same_ && !stack_.empty())
      std::visit([this](auto const* message) { this->compare(*message); }, stack_.back().a);
    return same_;
  }

  // The first difference; valid after run() has returned false.
  std::string path;
  std::string left;
  std::string right;

 private:
  struct frame {
    const_message_pointer a;
    const_message_pointer b;
    netdef const* net_a;
    netdef const* net_b;
    std::size_t field;
    std::size_t element;
    std::string_view name;
    std::size_t index;  // in its field, from 1; 0 in a singular field
  };

  template <class Message>
  void compare(Message const& a) {
    Message const& b = *std::get<Message const*>(stack_.back().b);
    std::size_t const from = stack_.back().field;
    bool const stopped = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return ((I >= from && this->field<Message, I>(a, b)) || ...);
    }(std::make_index_sequence<field_count<Message>>());
    if (stopped) return;
    auto const& unknown_a = netdef_schema::unknown_fields_of(a);
    auto const& unknown_b = netdef_schema::unknown_fields_of(b);
    if (unknown_a != unknown_b)
      return differ("unknown fields", std::to_string(unknown_a.size()), std::to_string(unknown_b.size()));
    stack_.pop_back();
  }

  // Returns true to leave this message: for a nested one, or because of a difference.
  template <class Message, std::size_t I>
  bool field(Message const& a, Message const& b) {
    using traits = member_traits<member_t<Message, I>>;
    constexpr std::string_view name = field_at<Message, I>.name;
    frame& here = stack_.back();
    auto const& in_a = field_at<Message, I>.in(a);
    auto const& in_b = field_at<Message, I>.in(b);
    here.field = I;
    if constexpr (!netdef_message<typename traits::value_type>) {
      if (same_member(in_a, *here.net_a, in_b, *here.net_b, tolerance_)) return false;
      differ(name, member_text(in_a, *here.net_a), member_text(in_b, *here.net_b));
      return true;
    } else {
      std::size_t count_a, count_b;
      if constexpr (traits::repeated)
        count_a = in_a.size(), count_b = in_b.size();
      else
        count_a = has_value(in_a), count_b = has_value(in_b);
      std::size_t const element = here.element++;
      if (element < std::min(count_a, count_b)) {
        if constexpr (traits::repeated)
          descend(in_a[element], in_b[element], name, element + 1);
        else
          descend(*in_a, *in_b, name, 0);
        return true;
      }
      here.element = 0;
      if (count_a == count_b) return false;
      if (traits::repeated)
        differ(name, std::to_string(count_a) + " of them", std::to_string(count_b) + " of them");
      else
        differ(name, count_a != 0 ? "present" : "absent", count_b != 0 ? "present" : "absent");
      return true;
    }
  }

  template <class Child>
  void descend(Child const& a, Child const& b, std::string_view name, std::size_t index) {
    netdef const* net_a = stack_.back().net_a;
    netdef const* net_b = stack_.back().net_b;
    if constexpr (std::is_same_v<Child, netdef>) net_a = &a, net_b = &b;
    stack_.push_back({&a, &b, net_a, net_b, 0, 0, name, index});
  }

  void differ(std::string_view name, std::string in_a, std::string in_b) {
    same_ = false;
    path.clear();
    for (std::size_t i = 1; i < stack_.size(); ++i) {
      path += std::string(stack_[i].name);
      if (stack_[i].index != 0) path += '[' + std::to_string(stack_[i].index - 1) + ']';
      path += '.';
    }
    path += name;
    left = std::move(in_a);
    right = std::move(in_b);
  }

  double tolerance_;
  bool same_ = true;
  std::vector<frame> stack_;
};

}  // namespace plait::detail
