#include <plait/ssa/rewrite.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <plait/ssa/versioning.hpp>

namespace {

// A net whose names are consecutive numbers.
struct numbered {
  struct op {
    std::vector<unsigned> inputs;
    std::vector<unsigned> outputs;
    friend bool operator==(op const&, op const&) = default;
  };
  using name = unsigned;
  std::vector<op> ops;
  std::vector<unsigned> external_inputs;
  std::vector<unsigned> external_outputs;
  unsigned used = 0;
  std::optional<unsigned> fixed = {};  // the name that a faulty new_name returns

  unsigned new_name(unsigned) { return fixed ? *fixed : used++; }
  unsigned known(unsigned i) {
    used = std::max(used, i + 1);
    return i;
  }
  friend bool operator==(numbered const&, numbered const&) = default;
};

// A net whose names are pointers to values that it owns, without text.
struct pointed {
  struct op {
    std::vector<int const*> inputs;
    std::vector<int const*> outputs;
  };
  using name = int const*;
  std::vector<op> ops;
  std::vector<int const*> external_inputs;
  std::vector<int const*> external_outputs;
  std::vector<std::unique_ptr<int>> values;

  int const* new_name(int const* from) { return values.emplace_back(std::make_unique<int>(*from)).get(); }
  int const* known(unsigned i) {
    while (values.size() <= i) values.push_back(std::make_unique<int>(static_cast<int>(values.size())));
    return values[i].get();
  }
};

static_assert(plait::ssa_renumberable_net<numbered> && plait::ssa_renumberable_net<pointed>);
static_assert(!plait::nameable_net<numbered> && !plait::ssa_renumberable_net<int>);

// Returns a random net of some ops over five blobs, with two or three external inputs and valid external outputs.
template <class N>
N random_net(unsigned seed) {
  std::mt19937 random(seed);
  auto const below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  N n;
  unsigned const given = 2 + below(2);
  for (unsigned i = 0; i != given; ++i) n.external_inputs.push_back(n.known(i));
  for (unsigned count = below(12); count != 0; --count) {
    auto& op = n.ops.emplace_back();
    for (unsigned in = below(3); in != 0; --in) op.inputs.push_back(n.known(below(5)));
    for (unsigned out = below(3); out != 0; --out) op.outputs.push_back(n.known(below(5)));
  }
  n.external_outputs = {n.external_inputs[0]};
  for (auto const& op : n.ops)
    for (auto const& name : op.outputs) n.external_outputs.push_back(name);
  return n;
}

// Returns the values of all operands, in order.
template <class N>
std::vector<std::pair<plait::blob_index, std::uint32_t>> values_of(plait::ssa_form<N> const& ssa) {
  std::vector<std::pair<plait::blob_index, std::uint32_t>> all;
  auto const add = [&](auto const& values) {
    for (plait::value const v : values) all.emplace_back(v.blob, v.version);
  };
  add(ssa.external_inputs());
  for (plait::op_index op = 0; op != ssa.op_count(); ++op) {
    add(ssa.reads(op));
    add(ssa.writes(op));
  }
  add(ssa.external_outputs());
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("ssa renumber: new names and old versions correspond one to one", N, numbered, pointed) {
  for (unsigned seed = 0; seed != 500; ++seed) {
    CAPTURE(seed);
    for (auto const naming : {plait::ssa_naming::every_version, plait::ssa_naming::several_versions}) {
      N n = random_net<N>(seed);
      N const before = random_net<N>(seed);
      auto const old = values_of(plait::get_ssa(before));
      auto const given = n.external_inputs;
      auto const promised = n.external_outputs;
      auto const changed = plait::ssa_renumber(n, naming);
      auto const now = values_of(plait::get_ssa(n));
      // Two operands have the same name afterwards exactly if they had the same value before.
      REQUIRE(now.size() == old.size());
      std::map<std::pair<plait::blob_index, std::uint32_t>, plait::blob_index> blob_of;
      std::map<plait::blob_index, std::pair<plait::blob_index, std::uint32_t>> value_of;
      for (std::size_t i = 0; i != now.size(); ++i) {
        REQUIRE(blob_of.try_emplace(old[i], now[i].first).first->second == now[i].first);
        REQUIRE(value_of.try_emplace(now[i].first, old[i]).first->second == old[i]);
      }
      REQUIRE(changed.inputs.size() == given.size());
      for (std::size_t i = 0; i != given.size(); ++i) {
        REQUIRE(changed.inputs[i].first == given[i]);
        REQUIRE(changed.inputs[i].second == n.external_inputs[i]);
        REQUIRE((n.external_inputs[i] == given[i]) == (naming == plait::ssa_naming::several_versions));
      }
      for (std::size_t i = 0; i != promised.size(); ++i)
        REQUIRE(changed.outputs[i] == std::pair(promised[i], n.external_outputs[i]));
    }
  }
}

TEST_CASE("ssa renumber: numbers registers in the order of blobs and versions") {
  numbered n{{{{0, 1}, {0}}, {{0}, {0, 2}}}, {0, 1}, {0}, 3};
  plait::ssa_renumber(n, plait::ssa_naming::several_versions);
  CHECK(n == numbered{{{{0, 1}, {3}}, {{3}, {4, 2}}}, {0, 1}, {4}, 5});
}

TEST_CASE("ssa renumber: a refusal leaves the net unchanged") {
  SUBCASE("new_name returns an existing name, or one twice") {
    for (unsigned const fixed : {0u, 1u, 2u, 9u}) {
      CAPTURE(fixed);
      numbered n{{{{0, 1}, {0}}, {{0}, {0, 2}}}, {0, 1}, {0}, 3, fixed};
      numbered const before = n;
      try {
        plait::ssa_renumber(n);
        FAIL("one name for two values");
      } catch (plait::net_error const& problem) {
        CHECK(std::string(problem.what()).find("that the net has already") != std::string::npos);
        CHECK(problem.blob == "0");
      }
      CHECK(n == before);
    }
  }
  SUBCASE("an unwritten external output") {
    numbered n{{{{0}, {1}}}, {0}, {7}, 8};
    numbered const before = n;
    CHECK_THROWS_AS(plait::ssa_renumber(n), plait::net_error);
    CHECK(n == before);
  }
}
