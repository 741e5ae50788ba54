#include <plait/transform/detail/memory_estimate.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/traits.hpp>
#include <plait/transform/detail/release_blobs.hpp>
#include <plait/transform/detail/share_blobs.hpp>

#include <net/test_nets.hpp>

namespace {

test::struct_net const chain{
    {{"Relu", {"x"}, {"a"}}, {"Relu", {"a"}, {"b"}}, {"Tanh", {"b"}, {"b"}}, {"Relu", {"b"}, {"y"}}}, {"x"}, {"y"}};

std::optional<std::uint64_t> ten(std::string_view) { return 10; }

}  // namespace

TEST_CASE_TEMPLATE("estimate_memory: a blob is allocated once, by the op that writes it first", N, PLAIT_MUTABLE_NETS) {
  auto n = test::make_net<N>(chain);
  auto found = plait::estimate_memory(n, ten);
  CHECK(found.total == 30);
  CHECK(found.peak == 30);
  CHECK(found.peak_op == 3);
  CHECK(found.by_type == std::vector<std::pair<std::string, std::uint64_t>>{{"Relu", 30}});
  CHECK(found.unknown.empty());

  plait::release_blobs(n);
  found = plait::estimate_memory(n, ten);
  CHECK(found.total == 30);
  CHECK(found.peak == 20);
  CHECK(found.peak_op == 1);
}

TEST_CASE("estimate_memory: a freed blob can be allocated again, and an Alias releases its output") {
  auto const n = test::make_net<plait::netdef>({{{"Fill", {}, {"a"}},
                                                 {"Free", {"a"}, {"a"}},
                                                 {"Free", {"a"}, {"a"}},
                                                 {"Fill", {}, {"a"}},
                                                 {"Fill", {}, {"b"}},
                                                 {"Alias", {"a"}, {"b"}},
                                                 {"Alias", {"a"}, {"c"}},
                                                 {"Load", {}, {"d"}}},
                                                {},
                                                {"d"}});
  auto const found = plait::estimate_memory(
      n, [](std::string_view name) { return name == "d" ? std::nullopt : std::optional<std::uint64_t>(8); });
  CHECK(found.total == 24);
  CHECK(found.peak == 16);
  CHECK(found.peak_op == 4);
  CHECK(found.unknown == std::vector<std::string>{"d"});
  CHECK(found.by_type == std::vector<std::pair<std::string, std::uint64_t>>{{"Fill", 24}, {"Load", 0}});
}

TEST_CASE("estimate_memory: shared blobs take as much as sharing reports") {
  auto n = test::make_net<plait::netdef>(chain);
  auto const made = plait::share_blobs(n, {.bytes = ten});
  CHECK(made.bytes == 20);
  CHECK(made.shared_bytes == 20);  // each is read by the op that writes the other
  CHECK(plait::estimate_memory(n, ten).total == 30);
}
