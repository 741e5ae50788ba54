// Random NetDefs with every field of the schema, for round-trip tests.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include <plait/netdef/detail/enumeration_names.hpp>
#include <plait/netdef/detail/field.hpp>
#include <plait/netdef/detail/schema.hpp>
#include <plait/netdef/model.hpp>

namespace plait_test {

struct random_netdef_options {
  bool unnamed_types = true;  // tensor types without a name; protobuf's enumerations are closed
  unsigned density = 4;       // a field is filled with probability 1 / density
  unsigned max_depth = 5;     // nesting of messages
};

class random_netdef {
 public:
  explicit random_netdef(std::uint64_t seed, random_netdef_options options = {}) : random_(seed), options_(options) {}

  plait::netdef operator()() {
    plait::netdef net;
    fill(plait::netdef_schema::mutable_message(net), net, 0);
    return net;
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }

  void fill(plait::netdef_schema::mutable_message message, plait::netdef& net, unsigned depth) {
    for (plait::netdef_schema::field_descriptor const& field : message.type->fields) {
      if (below(options_.density) != 0) continue;
      if (!field.is_message()) {
        for (std::size_t left = field.repeated ? 1 + below(4) : 1; left != 0; --left) value(field, message.at, net);
      } else if (depth != options_.max_depth) {
        for (std::size_t left = field.repeated ? 1 + below(2) : 1; left != 0; --left) {
          plait::netdef_schema::mutable_message const made(field, message.at);
          fill(made, *made.net(&net), depth + 1);
        }
      }
    }
  }

  void value(plait::netdef_schema::field_descriptor const& field, void* message, plait::netdef& net) {
    using plait::netdef_schema::value_kind;
    switch (field.kind) {
      case value_kind::symbol:
        return field.store(message, net.intern(text(false)));
      case value_kind::string:
        return field.store(message, text(field.format.bytes));
      case value_kind::boolean:
        return field.store(message, below(2) != 0);
      case value_kind::float32:
        return field.store(message, below(2) != 0 ? std::bit_cast<float>(static_cast<std::uint32_t>(random_()))
                                                  : static_cast<float>(below(100)) / 8);
      case value_kind::float64:
        return field.store(message,
                           below(2) != 0 ? std::bit_cast<double>(random_()) : static_cast<double>(below(100)) / 8);
      case value_kind::tensor_type:
        return field.store(
            message,
            options_.unnamed_types && below(4) == 0
                ? static_cast<plait::tensor_type>(static_cast<std::int32_t>(random_()))
                : plait::netdef_schema::tensor_type_names[below(plait::netdef_schema::tensor_type_names.size())].first);
      // All encoded lengths: a random number of random bits.
      case value_kind::int32:
        return field.store(message, static_cast<std::int32_t>(random_() >> below(64)));
      case value_kind::uint32:
        return field.store(message, static_cast<std::uint32_t>(random_() >> below(64)));
      case value_kind::int64:
        return field.store(message, static_cast<std::int64_t>(random_() >> below(64)));
      case value_kind::message:
      case value_kind::unknown:
        break;
    }
  }

  std::string text(bool bytes) {
    static constexpr char const* pieces[] = {"x",    "conv1_w", "\"", "'",  "\\", "\n", "\t", "\r", "\x01",
                                             "\x7F", "ü",       "層", "😀", "#",  "/*", "{",  "0"};
    std::string made;
    for (std::size_t left = below(6); left != 0; --left) {
      if (bytes && below(2) != 0)
        made.push_back(static_cast<char>(random_()));
      else
        made += pieces[below(std::size(pieces))];
    }
    return made;
  }

  std::mt19937_64 random_;
  random_netdef_options options_;
};

}  // namespace plait_test
