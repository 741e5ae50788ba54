#include <plait/graph/print.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <plait/graph/static_graph.hpp>
#include <plait/graph/views.hpp>

#include <graph/own_graphs.hpp>
#include <graph/random_graphs.hpp>
#include <support/graphviz.hpp>
#include <support/skip.hpp>

namespace {

// A loop in a loop, one with two entries, and node 7, which the entry does not reach.
constexpr plait::static_graph nested(
    {{0, 1}, {1, 2}, {2, 2}, {2, 3}, {3, 1}, {3, 4}, {4, 5}, {4, 6}, {5, 6}, {6, 5}, {7, 4}});
constexpr plait::static_graph two_exits({{0, 1}, {0, 2}, {2, 3}});

constexpr bool listings_are_exact() {
  plait::dominator_tree const tree(nested);
  return plait::to_text(nested) == R"(flow graph:
  0 -> 1
  1 -> 2
  2 -> 2, 3
  3 -> 1, 4
  4 -> 5, 6
  5 -> 6
  6 -> 5
  7 -> 4  ; unreachable
)" && plait::to_text(nested, tree) == R"(dominator tree:
  [1] 0
    [2] 1
      [3] 2
        [4] 3
          [5] 4
            [6] 5
            [6] 6
  unreachable: 7
)" && plait::to_text(nested, plait::loop_forest(tree)) == R"(loop forest:
  loop at depth 1, header 1: 1 3<latch><exiting>
    loop at depth 2, header 2: 2<latch><exiting>
  irreducible loop at depth 1, header 5: 5 6<latch>
)" && plait::to_text(two_exits, plait::post_dominator_tree(two_exits)) == R"(post-dominator tree:
  [1] (exit)
    [2] 3
      [3] 2
    [2] 1
    [2] 0
)";
}
#if !defined(__clang__) || !defined(_GLIBCXX_RELEASE) || \
    _GLIBCXX_RELEASE > 12  // its strings are no constants for clang
static_assert(listings_are_exact());
#endif

// Blocks with labels; an empty one is no text.
struct labelled {
  std::vector<std::string> labels;
  std::vector<std::vector<int>> rows;
  std::size_t size() const { return rows.size(); }
  static int entry() { return 0; }
  std::vector<int> const& successors(int n) const { return rows[static_cast<std::size_t>(n)]; }
  std::string text(int n) const { return labels[static_cast<std::size_t>(n)]; }
};

template <class... Of>
std::string dot(Of const&... of) {
  std::ostringstream out;
  plait::write_dot(out, of...);
  return out.str();
}

std::vector<std::string> lines(std::string const& text) {
  std::vector<std::string> made;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) made.push_back(line);
  return made;
}

using edge_list = std::multiset<std::pair<std::size_t, std::size_t>>;

// Returns the edges "n1 -> n2" of a picture for which `is_wanted` holds.
template <class IsWanted>
edge_list edges_of(std::string const& picture, IsWanted is_wanted) {
  edge_list made;
  for (std::string const& line : lines(picture)) {
    std::size_t from = 0;
    std::size_t to = 0;
    if (std::sscanf(line.c_str(), " n%zu -> n%zu", &from, &to) == 2 && is_wanted(line)) made.emplace(from, to);
  }
  return made;
}

// Returns the parent of each node in a listed tree; nullopt for the parent at level `top`.
std::map<std::size_t, std::optional<std::size_t>> listed_parents(std::string const& listing, std::size_t top) {
  std::map<std::size_t, std::optional<std::size_t>> parents;
  std::vector<std::size_t> path;
  for (std::string const& line : lines(listing)) {
    std::size_t level = 0;
    std::size_t node = 0;
    if (std::sscanf(line.c_str(), " [%zu] %zu", &level, &node) != 2) continue;
    CHECK(line.find('[') == 2 * level);
    REQUIRE(level >= top);
    REQUIRE(level - top <= path.size());
    path.resize(level - top);
    parents[node] = path.empty() ? std::nullopt : std::optional(path.back());
    path.push_back(node);
  }
  return parents;
}

}  // namespace

TEST_CASE("print: listings of nested loops and of two exits") { CHECK(listings_are_exact()); }

TEST_CASE("print: nodes have the text of the adaptation, else their index") {
  labelled const g{{"start", "head", "", "end \"1\""}, {{1}, {2, 3}, {1}, {}}};
  plait::dominator_tree const tree(g);
  plait::loop_forest const loops(tree);
  CHECK(plait::to_text(g) == "flow graph:\n  start -> head\n  head -> 2, end \"1\"\n  end \"1\"\n  2 -> head\n");
  CHECK(plait::to_text(g, tree) == "dominator tree:\n  [1] start\n    [2] head\n      [3] end \"1\"\n      [3] 2\n");
  CHECK(plait::to_text(g, loops) == "loop forest:\n  loop at depth 1, header head: head<exiting> 2<latch>\n");
  CHECK(dot(g).find("[label=\"end \\\"1\\\"\"]") != std::string::npos);
  CHECK(dot(g, loops).find("label=\"loop of head\"") != std::string::npos);
  // Views have the text of their graph.
  auto const without = plait::filtered(g, [](int, int to) { return to != 3; });
  CHECK(plait::to_text(without).find("end \"1\"  ; unreachable") != std::string::npos);
}

TEST_CASE("print: an edge that leaves or continues an outer loop names it") {
  std::vector<std::vector<int>> const rows = {{1}, {2}, {3, 1, 4}, {2}, {}};
  plait::adjacency_view const g(rows);
  plait::dominator_tree const tree(g);
  CHECK(plait::to_text(g, plait::loop_forest(tree)) ==
        "loop forest:\n  loop at depth 1, header 1: 1\n"
        "    loop at depth 2, header 2: 2<latch:1><exiting:2> 3<latch>\n");
}

TEST_CASE_TEMPLATE("print: listings and pictures have the facts of the results", G, PLAIT_OWN_GRAPHS) {
  for (unsigned seed = 0; seed != 120; ++seed) {
    CAPTURE(seed);
    test::graph_description const from = test::random_flow_graph(seed, 14);
    G const g = test::make_graph<G>(from);
    auto const at = [&](plait::node_t<G> const& n) { return plait::index(g, n); };
    plait::dominator_tree<G> const tree(g);
    plait::post_dominator_tree<G> const post(g);
    plait::loop_forest<G> const loops(tree);

    edge_list edges;
    for (auto [a, b] : from.edges)
      if (plait::has_nodes<G> || tree.contains(test::node_of(g, a)))
        edges.emplace(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
    auto const all = [](std::string const&) { return true; };
    REQUIRE(edges_of(dot(g), all) == edges);
    REQUIRE(edges_of(dot(g, loops), all) == edges);

    std::map<std::size_t, std::optional<std::size_t>> parents;
    edge_list tree_edges;
    for (auto&& n : tree.preorder()) {
      auto const above = tree.idom(n);
      parents[at(n)] = above ? std::optional(at(*above)) : std::nullopt;
      if (above) tree_edges.emplace(at(*above), at(n));
    }
    REQUIRE(listed_parents(plait::to_text(g, tree), 1) == parents);
    auto const is_solid = [](std::string const& line) { return line.find("dotted") == std::string::npos; };
    REQUIRE(edges_of(dot(g, tree), is_solid) == tree_edges);

    parents.clear();
    for (auto&& n : post.preorder()) {
      auto const above = post.idom(n);
      parents[at(n)] = above ? std::optional(at(*above)) : std::nullopt;
    }
    REQUIRE(listed_parents(plait::to_text(g, post), 2) == parents);

    std::vector<std::string> const listed = lines(plait::to_text(g, loops));
    REQUIRE(listed.size() == loops.size() + 1);
    for (auto const l : loops.all()) {
      std::string const& line = listed[l + 1];
      std::istringstream words(line.substr(line.find(':') + 1));  // none if all nodes are in inner loops
      std::size_t own = 0;
      for (std::string word; words >> word; ++own) {
        auto const n = test::node_of(g, std::stoi(word));
        REQUIRE(loops.innermost(n) == l);
        std::set<std::string> headers;  // of the loops that the node continues
        std::size_t left = 0;
        for (auto around = std::optional(l); around; around = loops.parent(*around)) {
          if (std::ranges::count(loops.latches(*around), n) != 0)
            headers.insert(std::to_string(at(loops.header(*around))));
          left += std::ranges::count(loops.exiting(*around), n) != 0 ? 1 : 0;
        }
        std::string const flags = word.substr(std::min(word.find('<'), word.size()));
        std::set<std::string> listed_headers;
        for (std::size_t i = flags.find("<latch"); i != std::string::npos; i = flags.find("<latch", i + 1))
          listed_headers.insert(flags[i + 6] == '>' ? std::to_string(at(loops.header(l)))
                                                    : flags.substr(i + 7, flags.find('>', i) - i - 7));
        REQUIRE(listed_headers == headers);
        std::string const exiting = left == 0 ? "" : left == 1 ? "<exiting>" : "<exiting:" + std::to_string(left) + '>';
        REQUIRE(flags.ends_with(exiting));
        REQUIRE((flags.find("<exiting") != std::string::npos) == (left != 0));
      }
      REQUIRE(own == static_cast<std::size_t>(std::ranges::count_if(
                         loops.nodes(l), [&](plait::node_t<G> const& n) { return loops.innermost(n) == l; })));
    }
  }
}

TEST_CASE("print: Graphviz draws every picture without a warning") {
  if (!test::has_graphviz()) return test::skip("graphviz is not installed");
  std::string pictures;
  for (unsigned seed = 0; seed != 60; ++seed) {
    auto const g = test::make_graph<own::graph>(test::random_flow_graph(seed, 14));
    plait::dominator_tree const tree(g);
    pictures += dot(g) + dot(g, tree) + dot(g, plait::post_dominator_tree(g)) + dot(g, plait::loop_forest(tree));
  }
  CHECK(test::graphviz_complaints(pictures, "plain") == "");
}

TEST_CASE("print: the listings of a chain of a million nodes are linear in size") {
  int const count = 1'000'000;
  own::graph g(static_cast<std::size_t>(count));
  for (int i = 1; i != count; ++i) g.connect(i - 1, i);
  plait::dominator_tree const tree(g);
  std::string const listing = plait::to_text(g, tree);
  CHECK(listing.size() < 100'000'000);
  CHECK(listing.ends_with("[1000000] 999999\n"));
  CHECK(plait::to_text(g, plait::loop_forest(tree)) == "loop forest:\n");
}
