// Archetype of a differentiable net: only the members that gradients require.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>

namespace test {

/// A net with op handles and interned names. Has no arguments, no devices, and no inherited fields.
class bare_net {
 public:
  struct name {
    std::uint32_t id = 0;
    [[maybe_unused]] friend bool operator==(name, name) = default;
  };
  struct op {
    std::string type;
    std::vector<name> in;
    std::vector<name> out;
  };
  std::vector<op> all;
  std::vector<std::string> texts;

  name known(std::string_view text) {
    for (std::uint32_t i = 0; i != texts.size(); ++i)
      if (texts[i] == text) return {i};
    texts.emplace_back(text);
    return {static_cast<std::uint32_t>(texts.size() - 1)};
  }
  op made(plait::op_spec const& spec) {
    op o{spec.type, {}, {}};
    for (std::string const& text : spec.inputs) o.in.push_back(known(text));
    for (std::string const& text : spec.outputs) o.out.push_back(known(text));
    return o;
  }
};

}  // namespace test

template <>
struct std::hash<test::bare_net::name> {
  std::size_t operator()(test::bare_net::name n) const { return n.id; }
};

template <>
struct plait::net_traits<test::bare_net> {
  using N = test::bare_net;
  using name = N::name;
  static std::vector<N::op> const& ops(N const& n) { return n.all; }
  static std::vector<N::op>& ops(N& n) { return n.all; }
  static std::span<name const> inputs(N const&, N::op const& o) { return o.in; }
  static std::span<name const> outputs(N const&, N::op const& o) { return o.out; }
  static std::string_view type(N const&, N::op const& o) { return o.type; }
  static std::string_view text(N const& n, name b) { return n.texts[b.id]; }
  static name make_name(N& n, std::string_view text) { return n.known(text); }
  static void append_op(N& n, plait::op_spec const& spec) { n.all.push_back(n.made(spec)); }
  static void insert_op(N& n, std::size_t at, plait::op_spec const& spec) {
    n.all.insert(n.all.begin() + static_cast<std::ptrdiff_t>(at), n.made(spec));
  }
};
