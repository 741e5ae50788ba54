#include <plait/ssa/print.hpp>

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <plait/graph/static_graph.hpp>
#include <plait/net/static_net.hpp>

#include <net/test_nets.hpp>
#include <support/graphviz.hpp>
#include <support/random_program.hpp>
#include <support/skip.hpp>

namespace {

// A loop with a diamond in it, and block 6, which the entry does not reach.
using plait::op;
constexpr plait::static_graph cfg({{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}, {4, 5}, {6, 4}});
constexpr std::array code{
    plait::static_net{plait::externals({"n"}, {"r"}), op("Const", {"n"}, {"i"})},
    plait::static_net{plait::externals({"n"}, {"r"}), op("Less", {"i"}, {"c"})},
    plait::static_net{plait::externals({"n"}, {"r"}), op("Neg", {"i"}, {"t"})},
    plait::static_net{plait::externals({"n"}, {"r"}), op("Inc", {"i"}, {"t"})},
    plait::static_net{plait::externals({"n"}, {"r"}), op("Copy", {"t"}, {"i"})},
    plait::static_net{plait::externals({"n"}, {"r"}), op("Sink", {"i"}, {"r"})},
    plait::static_net{plait::externals({"n"}, {"r"}), op("Inc", {"i"}, {"i"})},
};
constexpr plait::blocks_of program(cfg, code);
constexpr bool listings_are_exact() {
  plait::program_ssa const ssa(program);
  return plait::to_text(program) == R"(0:
  inputs n
  i = Const n
  -> 1
1:  ; from 0, 4
  c = Less i
  -> 2, 3
3:  ; from 1
  t = Inc i
  -> 4
2:  ; from 1
  t = Neg i
  -> 4
4:  ; from 3, 2
  i = Copy t
  -> 1, 5
5:  ; from 4
  r = Sink i
  results r
6:  ; unreachable
  i = Inc i
  -> 4
)" && plait::to_text(program, ssa) == R"(0:
  inputs n.0
  i.1 = Const n.0
  -> 1
1:  ; from 0, 4
  i.2 = phi [i.1, 0], [i.3, 4]
  c.1 = Less i.2
  -> 2, 3
3:  ; from 1
  t.1 = Inc i.2
  -> 4
2:  ; from 1
  t.2 = Neg i.2
  -> 4
4:  ; from 3, 2
  t.3 = phi [t.1, 3], [t.2, 2]
  i.3 = Copy t.3
  -> 1, 5
5:  ; from 4
  r.1 = Sink i.3
  results r.1
6:  ; unreachable
  i = Inc i
  -> 4
)";
}
#if !defined(__clang__) || !defined(_GLIBCXX_RELEASE) || \
    _GLIBCXX_RELEASE > 12  // its strings are no constants for clang
static_assert(listings_are_exact());
#endif

struct loop_of_entry : test::net_program {
  std::string text(int n) const { return n == 0 ? "entry \"0\"" : ""; }
};

std::vector<std::string> lines(std::string const& text) {
  std::vector<std::string> made;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) made.push_back(line);
  return made;
}

// Returns a listing without phis and without versions of values.
std::string without_versions(std::string const& listing) {
  static std::regex const version("\\.[0-9]+");
  std::string made;
  for (std::string const& line : lines(listing))
    if (line.find(" = phi ") == std::string::npos) made += std::regex_replace(line, version, "") + '\n';
  return made;
}

// A random program whose blocks are nets of type N.
template <class N>
struct program_of {
  explicit program_of(test::net_program const& from) : rows(from.targets) {
    for (test::struct_net const& block : from.blocks) nets.push_back(test::make_net<N>(block));
  }
  std::size_t size() const { return nets.size(); }
  static int entry() { return 0; }
  std::vector<int> const& successors(int n) const { return rows[static_cast<std::size_t>(n)]; }
  N const& block(int n) const { return nets[static_cast<std::size_t>(n)]; }
  std::vector<std::vector<int>> rows;
  std::deque<N> nets;  // not copied, as some are not copyable
};

}  // namespace

TEST_CASE("print program: listings of a loop with a diamond in it") { CHECK(listings_are_exact()); }

TEST_CASE("print program: blocks have labels, and the entry's phis a value on entry") {
  loop_of_entry p;
  p.blocks = {test::struct_net{{{"Add", {"i", "n"}, {"i"}}, {"Branch", {"i"}, {}}}, {"i"}, {}},
              test::struct_net{{{"Noop", {}, {}}}, {}, {"i", "n"}}};
  p.targets = {{0, 1}, {}};
  CHECK(plait::to_text(p) ==
        "entry \"0\":  ; from entry \"0\"\n  inputs i\n  i = Add i, n\n  Branch i\n  -> entry \"0\", 1\n"
        "1:  ; from entry \"0\"\n  Noop\n  results i, n\n");
  plait::program_ssa<loop_of_entry> const ssa(p);
  CHECK(plait::to_text(p, ssa) ==
        "entry \"0\":  ; from entry \"0\"\n  inputs i.0\n  i.1 = phi [i.2, entry \"0\"], [i.0, on entry]\n"
        "  i.2 = Add i.1, n.0\n  Branch i.2\n  -> entry \"0\", 1\n"
        "1:  ; from entry \"0\"\n  Noop\n  results i.2, n.0\n");
  std::ostringstream picture;
  plait::write_dot(picture, p, ssa);
  CHECK(picture.str().find("n0 [label=\"entry \\\"0\\\":\\l  inputs i.0\\l") != std::string::npos);
  CHECK(picture.str().find("\\l  Branch i.2\\l  -> entry \\\"0\\\", 1\\l\", penwidth=2]") != std::string::npos);
}

TEST_CASE_TEMPLATE("print program: the SSA form adds versions and phis to the listing, and defines each value once", N,
                   test::struct_net, ir::Function, test::dense_net, test::temporary_net, plait::netdef) {
  for (unsigned seed = 0; seed != 150; ++seed) {
    CAPTURE(seed);
    program_of<N> const p(test::random_program(seed, {.swaps = seed % 2 == 0}));
    plait::program_ssa<program_of<N>> const ssa(p);
    std::string const listing = plait::to_text(p, ssa);
    if constexpr (plait::has_text<N>) REQUIRE(without_versions(listing) == plait::to_text(p));

    std::set<std::string> defined;
    std::size_t phis = 0;
    std::string from;  // of the current block
    for (std::string const& line : lines(listing)) {
      if (!line.starts_with("  "))
        from = line.find("  ; from ") == std::string::npos ? "" : line.substr(line.find("from ") + 5);
      std::size_t const equals = line.find(" = ");
      if (equals == std::string::npos) continue;
      std::istringstream results(line.substr(2, equals - 2));
      if (from.empty() && !line.starts_with("  ")) continue;
      std::set<std::string> of_line;  // an op may list an output twice
      for (std::string result; results >> result;) {
        if (result.ends_with(',')) result.pop_back();
        of_line.insert(result);
      }
      for (std::string const& result : of_line)
        if (result.find('.') != std::string::npos) REQUIRE(defined.insert(result).second);
      if (line.find(" = phi ") == std::string::npos) continue;
      ++phis;
      static std::regex const argument("\\[[^,]*, ([^\\]]*)\\]");
      std::string blocks;
      for (std::sregex_iterator a(line.begin(), line.end(), argument), end; a != end; ++a)
        if ((*a)[1] != "on entry") blocks += (blocks.empty() ? "" : ", ") + (*a)[1].str();
      REQUIRE(blocks == from);
    }
    REQUIRE(phis == ssa.phi_count());
  }
}

TEST_CASE("print program: names without text are numbered by appearance, not by address") {
  program_of<ir::Function> const p(
      {{test::struct_net{{{"Copy", {"n"}, {"i"}}, {"Add", {"i", "n"}, {"s"}}}, {}, {"s"}}}, {{}}});
  CHECK(plait::to_text(p) == "0:\n  %0 = op %1\n  %2 = op %0, %1\n  results %2\n");
}

TEST_CASE("print program: Graphviz draws every picture without a warning") {
  if (!test::has_graphviz()) return test::skip("graphviz is not installed");
  std::ostringstream pictures;
  for (unsigned seed = 0; seed != 40; ++seed) {
    test::net_program const p = test::random_program(seed);
    plait::write_dot(pictures, p);
    plait::write_dot(pictures, p, plait::program_ssa(p));
  }
  CHECK(test::graphviz_complaints(pictures.str(), "plain") == "");
}
