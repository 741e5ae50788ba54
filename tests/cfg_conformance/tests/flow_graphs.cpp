#include "../readers/flow_graphs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <plait/graph/graph_traits.hpp>

#include "expect_error.hpp"

using cfg_conformance::function_graph;
using cfg_conformance::read_flow_graphs;

PLAIT_CHECK_FLOW_GRAPH(function_graph);

TEST_CASE("flow graph reader: reads functions, blocks and successors in order") {
  auto const all = read_flow_graphs({"M.cfg.txt",
                                     "# comment\n\nfunc f 3\n0 entry : 2 1\n1 if.then : 1\r\n2 if end: : \n"
                                     "func an operator with blanks 1\n0 7 :\n"});
  REQUIRE(all.size() == 2);
  function_graph const& f = all[0];
  CHECK(f.name() == "f");
  CHECK(f.line() == 3);
  REQUIRE(f.size() == 3);
  CHECK(std::ranges::equal(f.successors(0), std::vector{2, 1}));
  CHECK(std::ranges::equal(f.successors(1), std::vector{1}));
  CHECK(f.successors(2).empty());
  CHECK(f.label(2) == "if end:");
  CHECK(f.find("if.then") == 1);
  CHECK(f.find("if end:") == 2);
  CHECK_FALSE(f.find("elsewhere"));
  CHECK(all[1].name() == "an operator with blanks");
  CHECK(all[1].size() == 1);
}

TEST_CASE("flow graph reader: decodes labels with sigil, quotes and escapes") {
  auto const f = read_flow_graphs({"M", "func \"a\\22b\" 3\n0 %entry : 1\n1 \"x y\\5Cz\" : 2\n2 \"12\" :\n"}).at(0);
  CHECK(f.name() == "a\"b");
  CHECK(f.label(0) == "entry");
  CHECK(f.label(1) == "x y\\z");
  CHECK(f.label(2) == "\"12\"");  // a name made of digits is no number
}

TEST_CASE("flow graph reader: the number of an unnamed entry is the entry") {
  auto const named = read_flow_graphs({"M", "func f 2\n0 entry : 1\n1 3 :\n"}).at(0);
  CHECK(named.find("2") == 0);
  CHECK(named.find("3") == 1);
  auto const other = read_flow_graphs({"M", "func f 1\n0 start :\n"}).at(0);
  CHECK_FALSE(other.find("2"));
}

TEST_CASE("flow graph reader: rejects malformed graphs") {
  auto const fails = [](std::string const& text, std::size_t line, std::string const& part) {
    expect_error(read_flow_graphs, text, line, part);
  };
  fails("function f 1\n", 1, "expected 'func '");
  fails("func f\n", 1, "NBLOCKS");
  fails("func f x\n", 1, "number of blocks");
  fails("func f 99999999999999999999\n", 1, "number of blocks");
  fails("func f 0\n", 1, "without an entry");
  fails("func f 2\n0 a : 1\n", 2, "lacks 1");
  fails("func f 2\n0 a : 1\n2 b :\n", 3, "expected block 1");
  fails("func f 2\n0 a : 2\n1 b :\n", 2, "successor 2");
  fails("func f 1\n0 a 0\n", 2, "SUCC_ID");
  fails("func f 1\n0 a : x\n", 2, "expected a number");
  fails("func f 1\n0 a : -1\n", 2, "expected a number");
  fails("func f 2\n0 a : 1\n1 a :\n", 3, "second block 'a'");
  fails("func f 1\n0 a :\nfunc f 1\n0 a :\n", 3, "second function 'f'");
}
