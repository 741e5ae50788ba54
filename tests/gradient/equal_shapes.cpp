#include <plait/gradient/detail/equal_shapes.hpp>

#include <doctest/doctest.h>

#include <net/test_nets.hpp>

using net = test::edit_net;

namespace {

struct shapes {
  net n;
  plait::gradient_tape tape;
  plait::forward_net<net> forward{n};
  plait::equal_shapes<net> equal{forward};

  explicit shapes(std::vector<std::string> const& ops) : n(test::net_of<net>(ops)) { forward.compute(tape, true); }
  plait::value at(char const* blob, std::uint32_t version) const { return {forward.find(blob), version}; }
  // Restricts the search to the last values of blobs.
  std::optional<plait::value> find(plait::value like) {
    return equal.find(like, [&](plait::value v) { return v == forward.last(v.blob); });
  }
};

}  // namespace

TEST_CASE("equal_shapes: ops that keep shapes join classes, through overwritten blobs") {
  shapes s({"Tanh: x -> a", "Copy: a -> b", "FC: x w v -> a", "Sin: b -> b"});
  CHECK(s.find(s.at("a", 1)) == s.at("x", 0));
  CHECK(s.find(s.at("b", 1)) == s.at("b", 2));  // preferably of the same blob
  CHECK(s.find(s.at("a", 2)) == s.at("a", 2));
}

TEST_CASE("equal_shapes: outputs of other ops are in classes of their own") {
  shapes s({"FC: x w v -> y", "FC: y w v -> y", "Add: y x -> z", "Tanh: z -> z"});
  CHECK_FALSE(s.find(s.at("y", 1)).has_value());
  CHECK(s.find(s.at("z", 1)) == s.at("z", 2));
}
