// Random NetDefs with every field of the schema, for round-trip tests.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>

#include <plait/netdef/detail/field_traits.hpp>
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
    fill(net, net, 0);
    return net;
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }

  template <class Message>
  void fill(Message& message, plait::netdef& net, unsigned depth) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (field<Message, I>(message, net, depth), ...);
    }(std::make_index_sequence<plait::detail::field_count<Message>>());
  }

  template <class Message, std::size_t I>
  void field(Message& message, plait::netdef& net, unsigned depth) {
    using type = plait::detail::field_value_t<Message, I>;
    constexpr bool repeated = plait::detail::member_traits<plait::detail::member_t<Message, I>>::repeated;
    if (below(options_.density) != 0) return;
    auto& member = plait::detail::field_at<Message, I>.in(message);
    if constexpr (plait::detail::netdef_message<type>) {
      if (depth == options_.max_depth) return;
      for (std::size_t left = repeated ? 1 + below(2) : 1; left != 0; --left) {
        type* made;
        if constexpr (repeated)
          made = &member.emplace_back();
        else
          made = &member.emplace();
        if constexpr (std::is_same_v<type, plait::netdef>)
          fill(*made, *made, depth + 1);
        else
          fill(*made, net, depth + 1);
      }
    } else if constexpr (repeated) {
      for (std::size_t left = 1 + below(4); left != 0; --left) member.push_back(value<Message, I>(net));
    } else {
      member = value<Message, I>(net);
    }
  }

  template <class Message, std::size_t I>
  plait::detail::field_value_t<Message, I> value(plait::netdef& net) {
    using type = plait::detail::field_value_t<Message, I>;
    constexpr bool bytes = plait::detail::field_at<Message, I>.holds == plait::netdef_schema::content::bytes;
    if constexpr (std::is_same_v<type, plait::symbol>) {
      return net.intern(text(false));
    } else if constexpr (std::is_same_v<type, std::string>) {
      return text(bytes);
    } else if constexpr (std::is_same_v<type, bool>) {
      return below(2) != 0;
    } else if constexpr (std::is_same_v<type, float>) {
      return below(2) != 0 ? std::bit_cast<float>(static_cast<std::uint32_t>(random_()))
                           : static_cast<float>(below(100)) / 8;
    } else if constexpr (std::is_same_v<type, double>) {
      return below(2) != 0 ? std::bit_cast<double>(random_()) : static_cast<double>(below(100)) / 8;
    } else if constexpr (std::is_same_v<type, plait::tensor_type>) {
      if (options_.unnamed_types && below(4) == 0) return static_cast<type>(static_cast<std::int32_t>(random_()));
      return plait::netdef_schema::tensor_type_names[below(plait::netdef_schema::tensor_type_names.size())].first;
    } else {
      // All encoded lengths: a random number of random bits.
      return static_cast<type>(random_() >> below(64));
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
