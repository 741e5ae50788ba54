#include <plait/transform/detail/place_assignment.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/traits.hpp>

#include <net/test_nets.hpp>

namespace {

using plait::detail::place_assignment;
using numbers = std::vector<std::uint32_t>;

// Places of blobs of this chain: x -> a -> b -> c -> d -> y.
struct chain {
  plait::netdef net = test::make_net<plait::netdef>({{{"Relu", {"x"}, {"a"}},
                                                      {"Relu", {"a"}, {"b"}},
                                                      {"Relu", {"b"}, {"c"}},
                                                      {"Relu", {"c"}, {"d"}},
                                                      {"Relu", {"d"}, {"y"}}},
                                                     {"x"},
                                                     {"y"}});
  plait::ssa_form<plait::netdef> ssa = plait::get_ssa(net, {.subnets = true, .control_inputs = true});
  plait::blob_uses uses{net, ssa};

  std::vector<place_assignment::candidate> all(std::vector<std::uint64_t> const& bytes,
                                               std::vector<std::size_t> const& devices = {0, 0, 0, 0}) const {
    std::vector<place_assignment::candidate> made;
    for (std::size_t i = 0; i != 4; ++i)
      made.push_back({ssa.find(std::string(1, static_cast<char>('a' + i))), devices[i], bytes[i]});
    return made;
  }
};

}  // namespace

TEST_CASE("places in order, and in any, which is the same in a chain") {
  chain const c;
  place_assignment in_order(c.uses);
  CHECK(in_order.in_order(c.all({1, 1, 1, 1})) == numbers{0, 1, 0, 1});
  CHECK(in_order.size() == 2);
  place_assignment in_any_order(c.uses);
  plait::dependency_graph const before(c.net, c.ssa, {.write_after_read = true, .write_after_write = true});
  CHECK(in_any_order.in_any_order(c.all({1, 1, 1, 1}), before) == numbers{0, 1, 0, 1});
}

TEST_CASE("a place is as large as what has been there, and of one device") {
  chain const c;
  place_assignment sizes(c.uses);
  sizes.in_order(c.all({10, 20, 30, 5}));
  CHECK(sizes.bytes() == 50);  // a and c, b and d
  place_assignment devices(c.uses);
  CHECK(devices.in_order(c.all({1, 1, 1, 1}, {0, 0, 1, 0})) ==
        numbers{0, 1, 2, 1});  // of two that are free, the one left last
}
