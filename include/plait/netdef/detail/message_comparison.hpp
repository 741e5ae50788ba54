// Field-by-field comparison of NetDef messages, without recursion.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/core/detail/symbols.hpp>
#include <plait/netdef/detail/field.hpp>
#include <plait/netdef/detail/output_buffer.hpp>
#include <plait/netdef/detail/schema.hpp>
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

/// Returns all values of a field as text, "absent" if a singular field has none.
inline std::string field_text(netdef_schema::field_descriptor const& field, netdef_schema::value_list values,
                              netdef const& net) {
  if (!field.repeated && values.empty()) return "absent";
  std::string text;
  netdef_schema::visit_values(field.kind, values, [&](auto each_of) {
    for (auto const& each : each_of) text += (text.empty() ? "" : ", ") + value_text(each, net);
  });
  return field.repeated ? "[" + text + "]" : text;
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

/// Compares the values of two fields that hold no messages.
inline bool same_values(netdef_schema::value_kind kind, netdef_schema::value_list a, netdef const& net_a,
                        netdef_schema::value_list b, netdef const& net_b, double tolerance) {
  if (a.size != b.size) return false;
  return netdef_schema::visit_values(kind, a, [&]<class T>(std::span<T const> each_of) {
    std::span<T const> const others = b.as<T>();
    for (std::size_t i = 0; i != each_of.size(); ++i)
      if (!same_value(each_of[i], net_a, others[i], net_b, tolerance)) return false;
    return true;
  });
}

/// Returns how many messages a field holds, as text for messages.
inline std::string count_text(netdef_schema::field_descriptor const& field, netdef_schema::value_list values) {
  if (field.repeated) return std::to_string(values.size) + " of them";
  return values.empty() ? "absent" : "present";
}

/// Compares two messages in lockstep, up to the first difference.
class message_comparison {
 public:
  explicit message_comparison(double tolerance) : tolerance_(tolerance) {}

  /// Compares messages of the same type.
  bool run(netdef_schema::message_view a, netdef const& net_a, netdef_schema::message_view b, netdef const& net_b) {
    stack_.assign(1, {a, b, &net_a, &net_b, {}, 0});
    same_ = true;
    while (same_ && !stack_.empty()) compare();
    return same_;
  }

  // The first difference; valid after run() has returned false.
  std::string path;
  std::string left;
  std::string right;

 private:
  struct frame {
    netdef_schema::message_view a;
    netdef_schema::message_view b;
    netdef const* net_a;
    netdef const* net_b;
    std::string_view name;
    std::size_t index;  // in its field, from 1; 0 in a singular field
    std::size_t next_field = 0;
    std::size_t next_element = 0;
  };

  // Compares the fields of the innermost messages up to the next messages in them.
  void compare() {
    frame& here = stack_.back();
    std::span const fields = here.a.type->fields;
    for (; here.next_field != fields.size(); ++here.next_field, here.next_element = 0) {
      netdef_schema::field_descriptor const& field = fields[here.next_field];
      netdef_schema::value_list const a = here.a.values(field);
      netdef_schema::value_list const b = here.b.values(field);
      if (!field.is_message()) {
        if (same_values(field.kind, a, *here.net_a, b, *here.net_b, tolerance_)) continue;
        return differ(field.name, field_text(field, a, *here.net_a), field_text(field, b, *here.net_b));
      }
      if (here.next_element < std::min(a.size, b.size)) return descend(field, a, b, here.next_element++);
      if (a.size == b.size) continue;
      return differ(field.name, count_text(field, a), count_text(field, b));
    }
    std::span const unknown_a = here.a.unknown();
    std::span const unknown_b = here.b.unknown();
    if (!std::equal(unknown_a.begin(), unknown_a.end(), unknown_b.begin(), unknown_b.end()))
      return differ("unknown fields", std::to_string(unknown_a.size()), std::to_string(unknown_b.size()));
    stack_.pop_back();
  }

  void descend(netdef_schema::field_descriptor const& field, netdef_schema::value_list in_a,
               netdef_schema::value_list in_b, std::size_t index) {
    netdef_schema::message_view const a(field, in_a, index);
    netdef_schema::message_view const b(field, in_b, index);
    frame const& here = stack_.back();
    stack_.push_back({a, b, a.net(here.net_a), b.net(here.net_b), field.name, field.repeated ? index + 1 : 0});
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
