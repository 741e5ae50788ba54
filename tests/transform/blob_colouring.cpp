#include <plait/transform/detail/blob_colouring.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/traits.hpp>

#include <net/test_nets.hpp>

namespace {

using plait::detail::blob_colouring;
using numbers = std::vector<std::uint32_t>;

// Candidates of this chain: x -> a -> b -> c -> d -> y.
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

  std::vector<blob_colouring::candidate> all(std::vector<std::uint64_t> const& bytes,
                                             std::vector<std::size_t> const& devices = {0, 0, 0, 0}) const {
    std::vector<blob_colouring::candidate> made;
    for (std::size_t i = 0; i != 4; ++i)
      made.push_back({ssa.find(std::string(1, static_cast<char>('a' + i))), devices[i], bytes[i]});
    return made;
  }
};

}  // namespace

TEST_CASE("blob_colouring: in order and in any order are equal on a chain") {
  chain const c;
  blob_colouring in_order(c.uses);
  CHECK(in_order.colour_in_order(c.all({1, 1, 1, 1})) == numbers{0, 1, 0, 1});
  CHECK(in_order.size() == 2);
  blob_colouring in_any_order(c.uses);
  plait::dependency_graph const before(c.net, c.ssa, {.write_after_read = true, .write_after_write = true});
  CHECK(in_any_order.colour_in_any_order(c.all({1, 1, 1, 1}), before) == numbers{0, 1, 0, 1});
}

TEST_CASE("blob_colouring: a colour is as large as its largest blob, and of one device") {
  chain const c;
  blob_colouring sizes(c.uses);
  sizes.colour_in_order(c.all({10, 20, 30, 5}));
  CHECK(sizes.bytes() == 50);  // a and c, b and d
  blob_colouring devices(c.uses);
  CHECK(devices.colour_in_order(c.all({1, 1, 1, 1}, {0, 0, 1, 0})) ==
        numbers{0, 1, 2, 1});  // of two free colours, the last one freed
}
