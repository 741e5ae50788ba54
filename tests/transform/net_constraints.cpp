#include <plait/transform/detail/net_constraints.hpp>

#include <cstdint>
#include <string_view>

#include <doctest/doctest.h>

#include <plait/net/static_net.hpp>

namespace {

constexpr plait::static_net tidy{plait::externals({"x", "w"}, {"y"}), plait::op("Mul", {"x", "w"}, {"a"}),
                                 plait::op("Tanh", {"a"}, {"y"})};
static_assert(plait::without_dead_ops<tidy> && plait::without_overwrites<tidy> && plait::self_contained<tidy>);

constexpr plait::static_net untidy{plait::externals({"x"}, {"y"}), plait::op("Mul", {"x", "w"}, {"x"}),
                                   plait::op("Exp", {"x"}, {"a"}), plait::op("Tanh", {"x"}, {"y"})};
static_assert(!plait::without_dead_ops<untidy> && plait::dead_op_count<untidy> == 1);
static_assert(!plait::without_overwrites<untidy> && plait::overwrite_count<untidy> == 1);
static_assert(!plait::self_contained<untidy> && plait::unset_blob_count<untidy> == 1);

constexpr auto bytes = [](std::string_view blob) -> std::uint64_t { return blob == "a" ? 64 : 32; };
static_assert(plait::peak_bytes<tidy, bytes> == 96);
static_assert(plait::peak_memory_below<tidy, bytes, 97> && !plait::peak_memory_below<tidy, bytes, 96>);

// In overloads.
template <auto const& Net>
constexpr int kind() {
  return 0;
}
template <auto const& Net>
  requires plait::without_overwrites<Net>
constexpr int kind() {
  return 1;
}
static_assert(kind<tidy>() == 1 && kind<untidy>() == 0);

TEST_CASE("net constraints: count what a net should not have") { CHECK(plait::overwrite_count<untidy> == 1); }

}  // namespace
