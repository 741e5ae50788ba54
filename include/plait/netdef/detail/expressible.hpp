// Check that a format can express a net, before anything is written.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/detail/symbols.hpp>
#include <plait/core/detail/utf8.hpp>
#include <plait/core/errors.hpp>
#include <plait/netdef/detail/field.hpp>
#include <plait/netdef/detail/message_walk.hpp>
#include <plait/netdef/detail/schema.hpp>
#include <plait/netdef/detail/write_options.hpp>
#include <plait/netdef/model.hpp>

namespace plait::detail {

/// Restrictions of a format: predicates that return true if it can express a text or an unknown field.
struct format_rules {
  char const* name;
  bool distinct_names;                            ///< no two unknown fields of a message have the same name
  bool (*can_write_text)(std::string_view text);  ///< nullptr: any text
  bool (*can_write_field)(netdef_schema::message_descriptor const& type, unknown_field const& field);
};

/// Returns for each unknown field of a message whether a format can express it. In a format without repeated names,
/// that is the first of each name.
inline std::vector<bool> expressible(format_rules const& format, netdef_schema::message_descriptor const& type,
                                     std::span<unknown_field const> fields) {
  std::vector<bool> made;
  symbol_table names;
  for (unknown_field const& field : fields) {
    bool can = format.can_write_field(type, field);
    if (can && format.distinct_names) {
      std::size_t const before = names.size();
      names.intern(field.name);
      can = names.size() != before;
    }
    made.push_back(can);
  }
  return made;
}

/// Visitor that reports what a format cannot express, before anything is written.
class expressible_check {
 public:
  expressible_check(format_rules const& format, write_options const& options) : format_(format), options_(options) {}

  void value(netdef_schema::field_descriptor const& field, netdef_schema::value_list values, netdef const& net) {
    if (field.format.bytes) return;
    if (field.kind == netdef_schema::value_kind::symbol)
      for (symbol const each : values.as<symbol>()) check(field, net.text(each));
    if (field.kind == netdef_schema::value_kind::string)
      for (std::string const& each : values.as<std::string>()) check(field, each);
  }

  void begin(netdef_schema::field_descriptor const& field, std::size_t index, std::size_t) {
    if (field.child == netdef_schema::message_kind::op && open_.empty()) op_ = index;
    open_.push_back(&netdef_schema::message_of(field));
  }
  void end(netdef_schema::field_descriptor const&, std::size_t, std::size_t) {
    open_.pop_back();
    if (open_.empty()) op_.reset();
  }

  void unknown(netdef_schema::message_descriptor const& type, std::span<unknown_field const> fields) {
    std::vector<bool> const can = expressible(format_, type, fields);
    for (std::size_t i = 0; i != fields.size(); ++i) {
      if (can[i]) continue;
      unknown_field const& field = fields[i];
      std::string message = in_op() + "unknown field " +
                            (field.number != 0 ? std::to_string(field.number) : "'" + field.name + "'") + " of " +
                            std::string(type.name) + " cannot be written as " + format_.name;
      if (options_.diagnostics == nullptr) throw net_error(message, op_);
      options_.diagnostics->push_back({{}, printable(message)});
    }
  }

 private:
  void check(netdef_schema::field_descriptor const& field, std::string_view text) const {
    if (format_.can_write_text(text)) return;
    netdef_schema::message_descriptor const& type =
        open_.empty() ? netdef_schema::message_of(netdef_schema::message_kind::net) : *open_.back();
    throw net_error(in_op() + "field '" + std::string(field.name) + "' of " + std::string(type.name) +
                        " holds a text that cannot be written as " + format_.name,
                    op_);
  }
  std::string in_op() const { return op_ ? "plait: op " + std::to_string(*op_) + ": " : std::string("plait: "); }

  format_rules const& format_;
  write_options const& options_;
  std::vector<netdef_schema::message_descriptor const*> open_;
  std::optional<std::size_t> op_;
};

inline void check_expressible(format_rules const& format, netdef const& net, write_options const& options) {
  expressible_check check(format, options);
  message_walk(check, format.can_write_text != nullptr).run(net);
}

}  // namespace plait::detail
