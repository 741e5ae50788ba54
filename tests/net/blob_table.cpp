#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <plait/net/detail/blob_table.hpp>
#include <plait/net/static_net.hpp>

#include <net/random_nets.hpp>
#include <net/test_nets.hpp>

TEST_CASE_TEMPLATE("blob_table: equal names have one index, different names different ones", N, PLAIT_ALL_NETS) {
  std::mt19937 random(5);
  for (int round = 0; round != 50; ++round) {
    test::struct_net const from = test::random_small_net(random, 30);
    N const n = test::make_net<N>(from);
    plait::blob_table<N> table(n);
    std::unordered_map<std::string, plait::blob_index> expected;
    std::vector<std::string> order;
    auto const visit = [&](auto&& names) {
      for (auto&& name : names) {
        std::string const text = test::text_of(n, plait::name_key(n, name));
        plait::blob_index const number = table.intern(name);
        auto const [at, added] = expected.emplace(text, number);
        REQUIRE(at->second == number);
        REQUIRE(number < table.size());
        REQUIRE(test::text_of(n, table.name(number)) == text);
        if (added) order.push_back(text);
      }
    };
    for (auto&& op : plait::ops(n)) {
      visit(plait::inputs(n, op));
      visit(plait::outputs(n, op));
    }
    std::unordered_map<plait::blob_index, std::string> back;
    for (auto const& [text, number] : expected) REQUIRE(back.emplace(number, text).second);
    for (std::size_t i = 0; i != order.size(); ++i) {
      REQUIRE(table.find(test::key_of(n, order[i])) == expected.at(order[i]));
      if constexpr (!plait::has_dense_names<N>) REQUIRE(expected.at(order[i]) == i);  // order of first appearance
    }
    REQUIRE(table.find(test::key_of(n, "no such blob")) == plait::npos);

    if constexpr (!plait::has_dense_names<N>) {
      table.reset(n);
      REQUIRE(table.size() == 0);
    }
  }
}

TEST_CASE_TEMPLATE("blob_table: keys from elsewhere are interned and outlive their owner", N, PLAIT_TEXT_NETS) {
  N const n = test::make_net<N>({{{"Mul", {"x"}, {"y"}}}, {}, {}});
  plait::blob_table<N> table(n);
  plait::blob_index const x = table.intern(*plait::inputs(n, *plait::ops(n).begin()).begin());
  std::string const long_name(100, 'q');
  std::vector<plait::blob_index> foreign;
  {
    auto const owner = std::make_unique<std::vector<std::string>>();
    for (int i = 0; i != 100; ++i) owner->push_back(long_name + std::to_string(i));
    for (std::string const& name : *owner) foreign.push_back(table.intern_key(name));
    for (std::size_t i = 0; i != 100; ++i) CHECK(table.intern_key((*owner)[i]) == foreign[i]);
  }
  CHECK(table.intern_key(std::string("x")) == x);
  auto const copy = std::make_unique<plait::blob_table<N>>(table);
  table.reset(n);
  CHECK(table.find(plait::name_key_t<N>(long_name + "7")) == plait::npos);
  for (std::size_t i = 0; i != 100; ++i) {
    std::string const name = long_name + std::to_string(i);
    CHECK(std::string_view(copy->name(foreign[i])) == name);
    CHECK(copy->find(plait::name_key_t<N>(name)) == foreign[i]);
  }
}

TEST_CASE("blob_table: numbered names keep the numbers of the net, foreign ones follow") {
  test::dense_net const n = test::make_net<test::dense_net>({{{"Mul", {"x", "w"}, {"y"}}}, {}, {}});
  plait::blob_table<test::dense_net> table(n);
  CHECK(table.size() == 6);  // every second number is unused
  CHECK(table.intern(n.ops[0].inputs[1]) == 2);
  CHECK(table.find("y") == 4);
  CHECK(table.intern_key("z") == 6);
  CHECK(table.intern_key("z") == 6);
  CHECK(table.name(6) == "z");
  CHECK(table.size() == 7);
  table.reset(n);
  CHECK(table.size() == 6);
  CHECK(table.find("z") == plait::npos);
}

namespace {
constexpr plait::static_net net{plait::op("Mul", {"x", "w"}, {"y"}), plait::op("Add", {"y", "b"}, {"y"})};
constexpr bool numbers_in_order() {
  plait::blob_table<std::remove_const_t<decltype(net)>> table(net);
  return table.intern("x") == 0 && table.intern("w") == 1 && table.intern("x") == 0 && table.intern_key("q") == 2 &&
         table.find("w") == 1 && table.find("?") == plait::npos && table.name(2) == "q" && table.size() == 3;
}
static_assert(numbers_in_order());
}  // namespace
