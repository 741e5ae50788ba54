#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/graph/detail/index_check.hpp>
#include <plait/graph/detail/snapshot.hpp>
#include <plait/graph/dominators.hpp>
#include <plait/graph/dynamic_dominators.hpp>
#include <plait/graph/post_dominators.hpp>

namespace {

struct block {
  std::string name;
  std::size_t number;
  std::vector<block const*> next = {};
};
// a → b, c; b → d; c → d. Tests modify the numbers.
struct diamond {
  std::vector<block> blocks = {{"a", 0}, {"b", 1}, {"c", 2}, {"d", 3}};
  diamond() {
    blocks[0].next = {&blocks[1], &blocks[2]};
    blocks[1].next = blocks[2].next = {&blocks[3]};
  }
  diamond(diamond const&) = delete;
  std::size_t size() const { return blocks.size(); }
  block const* entry() const { return &blocks[0]; }
  std::vector<block const*> const& successors(block const* b) const { return b->next; }
  std::size_t index(block const* b) const { return b->number; }
};
struct listed_diamond : diamond {
  std::vector<block const*> nodes() const {
    std::vector<block const*> all;
    for (block const& b : blocks) all.push_back(&b);
    return all;
  }
};

template <class Action>
std::string failure_of(Action action) {
  try {
    action();
  } catch (plait::precondition_error const& problem) {
    std::string const said = problem.what();
    return said.substr(said.find("flow_graph: "));
  }
  return "no failure";
}

std::string const twice =
    "flow_graph: index(g, n) must be different for different nodes: it is 1 for node 'b' (a successor of node 'a' with "
    "index 0) and for node 'c' (a successor of node 'a' with index 0)";
// Successors are read from the last to the first.
std::string const twice_backwards =
    "flow_graph: index(g, n) must be different for different nodes: it is 1 for node 'c' (a successor of node 'a' with "
    "index 0) and for node 'b' (a successor of node 'a' with index 0)";

}  // namespace

TEST_CASE("index_check: the message on duplicate indices names both nodes and their predecessors") {
  diamond g;
  g.blocks[2].number = 1;
  CHECK(failure_of([&] { plait::flow_snapshot const s(g); }) == twice_backwards);
  CHECK(failure_of([&] { plait::dominator_tree const t(g); }) == twice_backwards);
  CHECK(failure_of([&] { plait::post_dominator_tree const t(g); }) == twice);
  CHECK(failure_of([&] { plait::dynamic_dominator_tree const t(g); }) ==
        "flow_graph: index(g, n) must be different for different nodes: it is 1 for node 'b' and for node 'c' (a "
        "successor of node 'a' with index 0)");

  listed_diamond listed;
  listed.blocks[2].number = 1;
  CHECK(failure_of([&] { plait::post_dominator_tree const t(listed); }) ==
        "flow_graph: index(g, n) must be different for different nodes: it is 1 for node 'b' and for node 'c'");
}

TEST_CASE("index_check: detects a duplicate of the index of the entry") {
  diamond g;
  g.blocks[3].number = 0;
  CHECK(failure_of([&] { plait::dominator_tree const t(g); }) ==
        "flow_graph: index(g, n) must be different for different nodes: it is 0 for node 'a' and for node 'd' (a "
        "successor of node 'b' with index 1)");
}

TEST_CASE("index_check: the message on an index out of range names the node, the index and the size") {
  diamond g;
  g.blocks[3].number = 7;
  std::string const said =
      "flow_graph: index(g, n) must be below size(g): it is 7 for node 'd' (a successor of node 'b' with index 1), and "
      "size(g) is 4";
  CHECK(failure_of([&] { plait::dominator_tree const t(g); }) == said);
  CHECK(failure_of([&] { plait::post_dominator_tree const t(g); }) == said);
  std::string dynamic = failure_of([&] { plait::dynamic_dominator_tree const t(g); });
  CHECK(dynamic.find("it is 7 for node 'd' (a successor of node '") != std::string::npos);
}

namespace {
struct numbers {
  static std::size_t size() { return 3; }
  static int entry() { return 0; }
  static std::vector<int> successors(int n) { return n == 0 ? std::vector<int>{1, 3} : std::vector<int>{}; }
};

// A chain long enough to be read in the order of nodes(g). Tests append another node with a duplicate index.
struct long_chain {
  static constexpr int length = 70'000;
  static std::size_t size() { return length; }
  static block const* entry() { return &blocks().front(); }
  static std::vector<block const*> const& successors(block const* b) { return b->next; }
  static std::size_t index(block const* b) { return b->number; }
  static auto nodes() {
    std::vector<block const*> all;
    for (block const& b : blocks()) all.push_back(&b);
    return all;
  }
  static std::vector<block>& blocks() {
    static std::vector<block> all = [] {
      std::vector<block> made(length);
      for (std::size_t i = 0; i != made.size(); ++i) {
        made[i].name = "b" + std::to_string(i);
        made[i].number = i;
        if (i != 0) made[i - 1].next = {&made[i]};
      }
      return made;
    }();
    return all;
  }
};
}  // namespace

TEST_CASE("index_check: messages name integral nodes by number") {
  CHECK(failure_of([] { plait::dominator_tree const t(numbers{}); }) ==
        "flow_graph: index(g, n) must be below size(g): it is 3 for node 3 (a successor of node 0 with index 0), and "
        "size(g) is 3");
}

TEST_CASE("index_check: checks large graphs that list their nodes") {
  static block const stranger{"stranger", 69'998};
  long_chain const g;
  CHECK(plait::flow_snapshot(g).size() == 70'000);
  long_chain::blocks()[69'999].next = {&stranger};
  CHECK(failure_of([&] { plait::flow_snapshot const s(g); }) ==
        "flow_graph: index(g, n) must be different for different nodes: it is 69998 for node 'b69998' (a successor of "
        "node 'b69997' with index 69997) and for node 'stranger' (a successor of node 'b69999' with index 69999)");
}

TEST_CASE("index_check: messages show a node by its text, name, number or address") {
  struct named {
    std::string name() const { return "n"; }
  };
  struct unnamed {};
  CHECK(plait::detail::node_text(std::string("x")) == "node 'x'");
  CHECK(plait::detail::node_text(named{}) == "node 'n'");
  CHECK(plait::detail::node_text(5u) == "node 5");
  CHECK(plait::detail::node_text(reinterpret_cast<int const*>(std::uintptr_t{0xa0})) == "the node at 0xa0");
  CHECK(plait::detail::node_text(unnamed{}) == "a node");
}
