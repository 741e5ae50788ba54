#include "../readers/printed.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "expect_error.hpp"

namespace cfg_conformance {

namespace {

constexpr auto read_dominators = [](document const& from) { return read_trees(from, tree_kind::dominators); };
constexpr auto read_post_dominators = [](document const& from) { return read_trees(from, tree_kind::post_dominators); };

std::string const head = "DominatorTree for function: f\n";
std::string const numbers = " {4294967295,4294967295} [0]\n";

}  // namespace

TEST_CASE("printed analyses: reads a dominator tree by depth") {
  auto const all =
      read_dominators({"M", head + "=============================--------------------------------\n"
                                   "Inorder Dominator Tree: DFSNumbers invalid: 0 slow queries.\n"
                                   "  [1] %entry {4294967295,4294967295} [0]\n"
                                   "    [2] %\"a b\" {1,2} [1]\n"
                                   "      [3] %12 {4294967295,4294967295} [2]\n"
                                   "    [2] %z-1 {4294967295,4294967295} [1]\n"
                                   "Roots: %entry \n"
                                   "DominatorTree for function: g with blanks\n  [1] %0 {1,2}\nRoots: %0 \n"});
  REQUIRE(all.size() == 2);
  printed_tree const& f = all[0];
  CHECK(f.function == "f");
  CHECK(f.line == 1);
  REQUIRE(f.nodes.size() == 4);
  CHECK(f.nodes[0].parent == no_parent);
  CHECK(f.nodes[1].label == "a b");
  CHECK(f.nodes[1].parent == 0);
  CHECK(f.nodes[2].label == "12");
  CHECK(f.nodes[2].parent == 1);
  CHECK(f.nodes[3].label == "z-1");
  CHECK(f.nodes[3].parent == 0);
  CHECK(f.nodes[3].line == 7);
  CHECK(f.roots == std::vector<std::string>{"entry"});
  CHECK(all[1].function == "g with blanks");
}

TEST_CASE("printed analyses: reads a post-dominator tree with a virtual exit and several roots") {
  auto const f = read_post_dominators({"M",
                                       "PostDominatorTree for function: f\n"
                                       "Inorder PostDominator Tree: DFSNumbers invalid: 0 slow queries.\n"
                                       "  [1]  <<exit node>> {4294967295,4294967295} [0]\n"
                                       "    [2] %a {4294967295,4294967295} [1]\n"
                                       "    [2] %b {4294967295,4294967295} [1]\n"
                                       "Roots: %a %b \n"})
                     .at(0);
  REQUIRE(f.nodes.size() == 3);
  CHECK_FALSE(f.nodes[0].label);
  CHECK(f.nodes[2].parent == 0);
  CHECK(f.roots == std::vector<std::string>{"a", "b"});
}

TEST_CASE("printed analyses: rejects malformed trees") {
  auto const fails = [](std::string const& text, std::size_t line, std::string const& part) {
    expect_error(read_dominators, text, line, part);
  };
  fails("  [1] %a" + numbers, 1, "DominatorTree for function");
  fails("PostDominatorTree for function: f\n", 1, "DominatorTree for function");
  fails(head + "Inorder PostDominator Tree: \n", 2, "another kind");
  fails(head + "  [2] %a" + numbers, 2, "depth 2 without its parent");
  fails(head + "  [0] %a" + numbers, 2, "depth 0");
  fails(head + "  [1] %a" + numbers + "      [3] %b" + numbers, 3, "depth 3");
  fails(head + "  [1] %a" + numbers + "  [1] %b" + numbers, 3, "second root");
  fails(head + "  [1] %a" + numbers + "    [2] %a" + numbers, 3, "second node for block 'a'");
  fails(head + "  [1] a" + numbers, 2, "expected '%'");
  fails(head + "  [1] %\"a {1,2}\n", 2, "without its end");
  fails(head + "  [1] %a\n", 2, "expected '{'");
  fails(head + "  [x] %a" + numbers, 2, "expected a number");
  fails(head + "  [1]  <<exit node>> {1,2}\n", 2, "virtual exit");
  fails(head + "Roots: a\n", 2, "expected '%'");
  fails(head + head, 2, "second result for function 'f'");
  fails(head + "nonsense\n", 2, "expected '['");
}

TEST_CASE("printed analyses: reads dominance frontiers") {
  auto const all = read_frontiers({"M",
                                   "DominanceFrontier for function: f\n"
                                   "  DomFrontier for BB %entry is:\t\n"
                                   "  DomFrontier for BB %\"a b\" is:\t %entry %\"c d\"\n"
                                   "DominanceFrontier for function: g\n"});
  REQUIRE(all.size() == 2);
  REQUIRE(all[0].blocks.size() == 2);
  CHECK(all[0].blocks[0].frontier.empty());
  CHECK(all[0].blocks[1].block == "a b");
  CHECK(all[0].blocks[1].frontier == std::vector<std::string>{"entry", "c d"});
  CHECK(all[1].blocks.empty());

  auto const fails = [](std::string const& text, std::size_t line, std::string const& part) {
    expect_error(read_frontiers, text, line, part);
  };
  fails("  DomFrontier for BB %a is:\t\n", 1, "DominanceFrontier for function");
  fails("DominanceFrontier for function: f\n  DomFrontier for BB %a:\n", 2, "expected ' is:'");
  fails("DominanceFrontier for function: f\n  DomFrontier for BB %a is:\t b\n", 2, "expected '%'");
  fails("DominanceFrontier for function: f\n  DomFrontier for BB %a is:\t\n  DomFrontier for BB %a is:\t\n", 3,
        "second frontier");
}

TEST_CASE("printed analyses: reads nested loops, with and without functions") {
  auto const plain = read_loops({"M",
                                 "Loop at depth 1 containing: %a<header><exiting>,%\"b,<latch>\",%c<latch>\n"
                                 "    Loop at depth 2 containing: %c<header><latch><exiting>\n"
                                 "Parallel Loop at depth 1 containing: %d<header><latch>\n"});
  CHECK_FALSE(plain.has_headers);
  REQUIRE(plain.loops.size() == 3);
  REQUIRE(plain.loops[0].blocks.size() == 3);
  CHECK(plain.loops[0].header() == "a");
  CHECK(plain.loops[0].blocks[0].exiting);
  CHECK_FALSE(plain.loops[0].blocks[0].latch);
  CHECK(plain.loops[0].blocks[1].label == "b,<latch>");
  CHECK_FALSE(plain.loops[0].blocks[1].latch);
  CHECK(plain.loops[0].blocks[2].latch);
  CHECK(plain.loops[1].parent == 0);
  CHECK(plain.loops[1].depth == 2);
  CHECK(plain.loops[2].parent == no_parent);
  CHECK_FALSE(plain.loops[2].function);

  auto const headed = read_loops({"M",
                                  "Loop info for function 'f':\nLoop info for function 'g':\n"
                                  "Loop at depth 1 containing: %a<header><latch>\n"
                                  "Printing analysis 'Natural Loop Information' for function 'h':\n"});
  CHECK(headed.functions == std::vector<std::string>{"f", "g", "h"});
  CHECK(headed.loops.at(0).function == "g");

  auto const fails = [](std::string const& text, std::size_t line, std::string const& part) {
    expect_error(read_loops, text, line, part);
  };
  fails("Loop at depth 2 containing: %a<header>\n", 1, "depth 2 without its parent");
  fails("Loop at depth 1 containing: %a\n", 1, "one header, not 0");
  fails("Loop at depth 1 containing: %a<header>,%b<header>\n", 1, "one header, not 2");
  fails("Loop at depth 1 containing: %a<header>,%a\n", 1, "twice");
  fails("Loop at depth 1 containing: %a<header>,\n", 1, "expected '%'");
  fails("Loop at depth 1 containing: \n", 1, "expected '%'");
  fails("Loop at depth 1 containing: %a<header><odd>\n", 1, "unexpected '<odd>'");
  fails("Loop at depth 1 containing: %a<header>\nLoop info for function 'f':\n", 2, "belong to no function");
  fails("Loop info for function 'f'\n", 1, "at the end");
}

}  // namespace cfg_conformance
