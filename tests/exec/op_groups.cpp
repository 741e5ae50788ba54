#include <plait/exec/detail/op_groups.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace {

using plait::op_index;

/// Takes numbers that are not negative.
struct group {
  op_index first = 0;
  std::vector<int> members = {};
  void begin(op_index op) {
    first = op;
    members.clear();
  }
  bool take(int candidate) {
    if (candidate < 0) return false;
    members.push_back(candidate);
    return true;
  }
};

struct groups_of_numbers : plait::op_groups<group> {
  void find(std::vector<int> const& numbers) {
    clear();
    auto const ops = static_cast<op_index>(numbers.size());
    for (op_index op = 0; op < ops;) {
      group made = make(op);
      op = fill(made, ops, [&](op_index i) { return numbers[i]; });
      if (made.members.size() > 1)
        add(std::move(made));
      else
        put_back(std::move(made));
    }
  }
  std::vector<int> const& members(op_index first) { return at(first).members; }
};

TEST_CASE("op_groups: where groups begin, what is in them, and which begins with an op") {
  groups_of_numbers groups;
  CHECK(groups.firsts().empty());
  CHECK_FALSE(groups.contains(0));
  groups.find({-1, 3, 4, -1, -1, 5, -1, 6, 7, 8});
  CHECK(std::ranges::equal(groups.firsts(), std::vector<op_index>{1, 7}));
  std::vector<op_index> inside;
  for (op_index op = 0; op != 12; ++op)
    if (groups.contains(op)) inside.push_back(op);
  CHECK(inside == std::vector<op_index>{1, 2, 7, 8, 9});
  CHECK(groups.members(1) == std::vector<int>{3, 4});
  CHECK(groups.members(7) == std::vector<int>{6, 7, 8});
  int const* const memory = groups.members(1).data();
  groups.clear();
  CHECK(groups.firsts().empty());
  CHECK_FALSE(groups.contains(1));
  groups.find({1, 2});  // the first of them is used again, with its memory
  CHECK(groups.members(0) == std::vector<int>{1, 2});
  CHECK(groups.members(0).data() == memory);
}

}  // namespace
