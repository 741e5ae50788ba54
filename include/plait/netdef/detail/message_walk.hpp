// Visitor walk over all messages of a net and their fields, in the order of the schema, without recursion.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <plait/netdef/detail/field.hpp>
#include <plait/netdef/detail/schema.hpp>
#include <plait/netdef/model.hpp>

namespace plait::detail {

/// Message whose fields a walk visits. Not a member of the walk, so that all walks share one stack type.
struct walk_frame {
  netdef_schema::message_view message;
  netdef const* net;
  netdef_schema::field_descriptor const* in;  // the field that holds the message; nullptr for the net itself
  std::size_t index;                          // which of count in its field
  std::size_t count;
  std::size_t fields;  // how many of its fields have values
  std::size_t next_field = 0;
  std::size_t next_element = 0;
};

/// Calls, for the net and then for every message in it, in document order:
///   visitor.value(field, values, net)    a field that has values and holds no messages
///   visitor.begin(field, index, count)   before a message of a field, the index-th of count
///   visitor.end(field, index, count)     after it
///   visitor.unknown(type, fields)        after the known fields, if there are unknown ones
/// `net` is the net whose symbol table the message uses.
template <class Visitor>
class message_walk {
 public:
  /// `with_values` is false if the visitor ignores value().
  explicit message_walk(Visitor& visitor, bool with_values = true) : visitor_(visitor), with_values_(with_values) {}

  void run(netdef const& net) {
    enter(netdef_schema::message_view(net), &net, nullptr, 0, 0);
    while (!stack_.empty()) visit();
  }

 private:
  static constexpr std::size_t room = netdef_schema::max_fields + 1;  // with the unknown ones

  void enter(netdef_schema::message_view message, netdef const* net, netdef_schema::field_descriptor const* in,
             std::size_t index, std::size_t count) {
    std::size_t const first = stack_.size() * room;
    if (present_.size() == first) present_.resize(first + room);
    stack_.push_back({message, net, in, index, count, find_fields(message, &present_[first])});
  }

  std::size_t find_fields(netdef_schema::message_view message, netdef_schema::present_field* found) const {
    return (with_values_ ? message.type->find_present : message.type->find_messages)(message.at, found);
  }

  // Visits the fields of the innermost message up to the next message in it.
  void visit() {
    walk_frame& here = stack_.back();
    netdef_schema::present_field const* const present = &present_[(stack_.size() - 1) * room];
    for (; here.next_field != here.fields; ++here.next_field, here.next_element = 0) {
      auto const [field, values] = present[here.next_field];
      if (field == nullptr) {
        visitor_.unknown(*here.message.type, values.template as<unknown_field>());
      } else if (!field->is_message()) {
        visitor_.value(*field, values, *here.net);
      } else if (here.next_element != values.size) {
        std::size_t const index = here.next_element++;
        visitor_.begin(*field, index, values.size);
        netdef_schema::message_view const child(*field, values, index);
        return enter(child, child.net(here.net), field, index, values.size);
      }
    }
    walk_frame const ended = here;
    stack_.pop_back();
    if (ended.in != nullptr) visitor_.end(*ended.in, ended.index, ended.count);
  }

  Visitor& visitor_;
  bool with_values_;
  std::vector<walk_frame> stack_;
  std::vector<netdef_schema::present_field> present_;  // of each message of the stack
};

}  // namespace plait::detail
