#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/box.hpp>

namespace {
struct tree {
  int value = 0;
  plait::box<tree> left;  // of itself: tree is incomplete here
  plait::box<tree> right;
};
static_assert(sizeof(plait::box<std::vector<std::string>>) == sizeof(void*));
static_assert(std::is_nothrow_move_constructible_v<plait::box<tree>>);
}  // namespace

TEST_CASE("box: is empty until it is assigned or emplaced") {
  plait::box<std::string> b;
  CHECK_FALSE(b.has_value());
  CHECK_FALSE(b);
  CHECK_THROWS_AS((void)*b, plait::precondition_error);
  CHECK_THROWS_AS((void)b->size(), plait::precondition_error);
  b.emplace() = "text";
  CHECK(b);
  CHECK(*b == "text");
  CHECK(b->size() == 4);
  b.reset();
  CHECK_FALSE(b);
  b = std::string("again");
  CHECK(*b == "again");
}

TEST_CASE("box: copies are deep, to any depth") {
  tree root;
  root.left.emplace().value = 1;
  root.left->right.emplace().value = 2;
  tree copy = root;
  copy.left->right->value = 3;
  CHECK(root.left->right->value == 2);
  CHECK(copy.left->value == 1);
}

TEST_CASE("box: moves transfer the value and leave the source empty; self-assignment keeps it") {
  plait::box<std::string> a(std::string("x"));
  std::string const* const held = &*a;
  plait::box<std::string> b = std::move(a);
  CHECK(&*b == held);
  CHECK_FALSE(a);
  plait::box<std::string>& same = b;
  b = same;
  CHECK(*b == "x");
  plait::box<std::string> const& constant = b;
  static_assert(std::is_same_v<decltype(*constant), std::string const&>);
}
