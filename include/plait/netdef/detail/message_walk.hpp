// Visitor walk over all messages of a net and their fields, in the order of the schema, without recursion.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/netdef/detail/field_traits.hpp>
#include <plait/netdef/model.hpp>

namespace plait::detail {

/// Calls, for the net and then for every message in it, in document order:
///   visitor.template value<Message, I>(member, net)         a field that has a value and holds no messages
///   visitor.template begin<Message, I>(child, index, count) before a message of a field, the index-th of count
///   visitor.template end<Message, I>(index, count)          after it
///   visitor.template unknown<Message>(fields)               after the known fields, if there are unknown ones
/// `net` is the net whose symbol table the message uses.
template <class Visitor>
class message_walk {
 public:
  explicit message_walk(Visitor& visitor) : visitor_(visitor) {}

  void run(netdef const& net) {
    stack_.push_back({&net, &net, 0, 0, 0, 0, nullptr});
    while (!stack_.empty()) std::visit([this](auto const* message) { this->fields(*message); }, stack_.back().message);
  }

 private:
  struct frame {
    const_message_pointer message;
    netdef const* net;
    std::size_t field;    // next field
    std::size_t element;  // next element in it
    std::size_t index;    // which of count in its field
    std::size_t count;
    void (*end)(Visitor&, std::size_t index, std::size_t count);
  };

  template <class Message>
  void fields(Message const& message) {
    std::size_t const from = stack_.back().field;
    bool const descended = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return ((I >= from && this->field<Message, I>(message)) || ...);
    }(std::make_index_sequence<field_count<Message>>());
    if (descended) return;
    auto const& unknown = netdef_schema::unknown_fields_of(message);
    if (!unknown.empty()) visitor_.template unknown<Message>(unknown);
    frame const ended = stack_.back();
    stack_.pop_back();
    if (ended.end != nullptr) ended.end(visitor_, ended.index, ended.count);
  }

  // Visits a field; returns true if it descended into a message.
  template <class Message, std::size_t I>
  bool field(Message const& message) {
    using traits = member_traits<member_t<Message, I>>;
    frame& here = stack_.back();
    auto const& member = field_at<Message, I>.in(message);
    here.field = I;
    if constexpr (!netdef_message<typename traits::value_type>) {
      bool given;
      if constexpr (traits::repeated)
        given = !member.empty();
      else
        given = has_value(member);
      if (given) visitor_.template value<Message, I>(member, *here.net);
      return false;
    } else {
      std::size_t const element = here.element++;
      if constexpr (traits::repeated) {
        if (element < member.size()) return descend<Message, I>(member[element], element, member.size());
      } else {
        if (element == 0 && has_value(member)) return descend<Message, I>(*member, 0, 1);
      }
      here.element = 0;
      return false;
    }
  }

  template <class Message, std::size_t I, class Child>
  bool descend(Child const& child, std::size_t index, std::size_t count) {
    visitor_.template begin<Message, I>(child, index, count);
    netdef const* net = stack_.back().net;
    if constexpr (std::is_same_v<Child, netdef>) net = &child;
    stack_.push_back({&child, net, 0, 0, index, count,
                      [](Visitor& visitor, std::size_t i, std::size_t n) { visitor.template end<Message, I>(i, n); }});
    return true;
  }

  Visitor& visitor_;
  std::vector<frame> stack_;
};

/// Base class of visitors; does nothing.
struct null_visitor {
  template <class Message, std::size_t I, class Member>
  void value(Member const&, netdef const&) {}
  template <class Message, std::size_t I, class Child>
  void begin(Child const&, std::size_t, std::size_t) {}
  template <class Message, std::size_t I>
  void end(std::size_t, std::size_t) {}
  template <class Message>
  void unknown(std::vector<unknown_field> const&) {}
};

}  // namespace plait::detail
