#include <plait/ssa/dot.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/traits.hpp>

#include <net/test_nets.hpp>
#include <support/graphviz.hpp>
#include <support/real_nets.hpp>
#include <support/skip.hpp>

namespace {

template <class N>
std::string dot(N const& n, plait::dot_options const& options = {}) {
  std::ostringstream out;
  plait::write_dot(out, n, options);
  return out.str();
}

std::size_t count(std::string const& text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++found;
  return found;
}

// Returns true if braces and quotes match, with quoted strings as Graphviz reads them.
bool well_formed(std::string const& text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i != text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
      if (depth < 0) return false;
    }
  }
  return depth == 0 && !quoted;
}

struct drawn_net {
  using clusters = std::vector<std::string>;
  std::map<std::string, clusters> nodes;  // to the clusters that declare them, outermost first
  std::vector<std::pair<std::string, std::string>> edges;
  bool edges_stay_at_home = true;  // no edge draws a node into a cluster it is not declared in
};

// Parses the output of write_dot.
drawn_net parse(std::string const& text) {
  drawn_net made;
  drawn_net::clusters open;
  std::vector<std::pair<std::string, drawn_net::clusters>> mentioned;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (line.starts_with("subgraph ")) {
      open.push_back(line.substr(9, line.find(' ', 9) - 9));
    } else if (line == "}") {
      if (!open.empty()) open.pop_back();
    } else if (line.starts_with('n') && std::isdigit(static_cast<unsigned char>(line[1])) != 0) {
      std::size_t const end = line.find_first_of(" ;");
      std::string const first = line.substr(0, end);
      if (line.compare(end, 4, " -> ") != 0) {
        made.nodes[first] = open;
        continue;
      }
      std::string second = line.substr(end + 4, line.find_first_of(" ;", end + 4) - end - 4);
      mentioned.push_back({first, open});
      mentioned.push_back({second, open});
      bool const back = line.find("dir=back") != std::string::npos;
      made.edges.push_back(back ? std::pair(second, first) : std::pair(first, second));
    }
  }
  for (auto const& [node, where] : mentioned) {
    drawn_net::clusters const& home = made.nodes[node];
    made.edges_stay_at_home &= home.size() >= where.size() && std::equal(where.begin(), where.end(), home.begin());
  }
  return made;
}

}  // namespace

TEST_CASE("dot: draws one node per blob, or one per version") {
  plait::netdef const n = plait::read_netdef_text(R"(
    name: "small"
    op { input: "x" input: "w" output: "y" type: "Mul" }
    op { input: "y" output: "y" type: "Relu" }
    external_input: "x" external_input: "w" external_output: "y")");
  std::string const plain = dot(n);
  CHECK(count(plain, "shape=box") == 2);
  CHECK(count(plain, "_b") == 3 + 5);  // three blobs, and an edge for each of five operands
  CHECK(plain.find("digraph \"small\" {") == 0);

  std::string const ssa = dot(n, {.ssa = true});
  CHECK(count(ssa, "label=\"y.1\"") == 1);
  CHECK(count(ssa, "label=\"y.2\"") == 1);
  CHECK(count(ssa, "label=\"y.0\"") == 0);  // neither an input nor read
  CHECK(count(ssa, " -> ") == 5);
  CHECK(count(ssa, "peripheries=2") == 1);
  CHECK(count(ssa, "fillcolor=\"#dce8f7\"") == 2);
}

TEST_CASE("dot: nested nets are nested clusters") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { input: "c" output: "y" type: "If"
      arg { name: "then_net" n { op { input: "c" type: "If" arg { name: "then_net" n { op { output: "y" type: "A" } } } } } }
      arg { name: "else_net" n { } } })");
  std::string const drawn = dot(n);
  CHECK(count(drawn, "subgraph cluster_") == 3);
  CHECK(count(drawn, "label=\"then_net\"") == 2);
  // The inner then_net opens before the outer one closes.
  CHECK(drawn.find("subgraph cluster_2") < drawn.find("}", drawn.find("subgraph cluster_1")));
  CHECK(well_formed(drawn));
  CHECK(count(dot(n, {.subnets = false}), "cluster") == 0);
}

TEST_CASE("dot: edges between clusters of ops are outside of the clusters") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { input: "x" input: "w" output: "y" type: "Mul" }
    op { input: "y" output: "y" type: "Relu" }
    op { input: "y" input: "v" output: "z" type: "Add" }
    op { input: "z" output: "z" type: "Negative" }
    op { input: "z" output: "t" type: "Tanh" }
    external_input: "x" external_input: "w" external_input: "v" external_input: "u" external_output: "t")");
  std::string const text = dot(n, {.ssa = true, .clusters = {{"one", 2}, {"two \"quoted\"", 2, true}}});
  CHECK(well_formed(text));
  CHECK(count(text, "label=\"one\"") == 1);
  CHECK(count(text, "label=\"two \\\"quoted\\\"\"") == 1);
  CHECK(count(text, "dir=back") == 4);  // edges of v and z to readers, of both z from writers
  drawn_net const drawn = parse(text);
  CHECK(drawn.edges_stay_at_home);
  using clusters = drawn_net::clusters;
  CHECK(drawn.nodes.at("n0_op1") == clusters{"cluster_part0"});
  CHECK(drawn.nodes.at("n0_op2") == clusters{"cluster_part1"});
  CHECK(drawn.nodes.at("n0_op4") == clusters{});
  std::map<std::string, std::size_t> blobs;
  for (auto const& [node, where] : drawn.nodes)
    if (node.find("_v") != std::string::npos) ++blobs[where.empty() ? "" : where[0]];
  CHECK(blobs == std::map<std::string, std::size_t>{{"cluster_part0", 4}, {"cluster_part1", 3}, {"", 2}});

  // Only the clusters of nodes differ from the drawing without clusters.
  auto const sorted = [](auto edges) {
    std::ranges::sort(edges);
    return edges;
  };
  for (bool ssa : {false, true}) {
    drawn_net const whole = parse(dot(n, {.ssa = ssa}));
    for (std::size_t first = 0; first <= 6; ++first)
      for (std::size_t second = 0; second <= 6; ++second) {
        CAPTURE(first);
        CAPTURE(second);
        std::string const divided = dot(n, {.ssa = ssa, .clusters = {{"a", first, true}, {"b", second}, {"c", 1}}});
        CHECK(well_formed(divided));
        drawn_net const clustered = parse(divided);
        CHECK(clustered.edges_stay_at_home);
        CHECK(sorted(clustered.edges) == sorted(whole.edges));
        CHECK(clustered.nodes.size() == whole.nodes.size());
      }
  }
}

TEST_CASE("dot: draws a step net that is stored as text") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { input: "x" output: "y" type: "RecurrentNetwork" arg { name: "step_net" s: "op { input: \"a\" type: \"Tanh\" }" } })");
  CHECK(count(dot(n), "Tanh") == 1);
}

TEST_CASE_TEMPLATE("dot: escapes the names of any net whose names have text", N, plait::netdef, test::struct_net,
                   test::temporary_net) {
  auto const n = test::make_net<N>({{{"Odd", {"quo\"te", "back\\slash", "new\nline"}, {"{brace}"}}}, {}, {}});
  std::string const drawn = dot(n, {.ssa = true});
  CHECK(well_formed(drawn));
  CHECK(count(drawn, " -> ") == 4);
  CHECK(drawn.find("quo\\\"te") != std::string::npos);
}

TEST_CASE("dot: every real net gives a well-formed graph") {
  for (auto const& file : plait_test::real_nets()) {
    CAPTURE(file.string());
    plait::netdef const n = plait::read_netdef(file);
    CHECK(well_formed(dot(n)));
    std::string const ssa = dot(n, {.ssa = true});
    CHECK(well_formed(ssa));
    std::string const halves =
        dot(n, {.ssa = true, .clusters = {{"a", n.op.size() / 2}, {"b", n.op.size() / 2, true}}});
    CHECK(well_formed(halves));
    CHECK(parse(halves).edges_stay_at_home);
    CHECK(count(halves, " -> ") == count(ssa, " -> "));
  }
}

TEST_CASE("dot: draws 300 nested nets without recursion") {
  plait::netdef inner;
  inner.add_op("Relu", {"x"}, {"y"});
  for (int depth = 0; depth != 300; ++depth) {
    plait::netdef outer;
    plait::op_def& op = outer.add_op("If", {"c"}, {});
    plait::arg_def& argument = op.arg.emplace_back();
    argument.name = outer.intern("then_net");
    argument.n = std::move(inner);
    inner = std::move(outer);
  }
  CHECK(count(dot(inner), "subgraph cluster_") == 300);
}

TEST_CASE("dot: draws an op with 200,000 outputs") {
  plait::netdef net;
  plait::op_def& op = net.add_op("Split", {"x"}, {});
  for (int i = 0; i != 200000; ++i) op.output.push_back(net.intern("part" + std::to_string(i)));
  CHECK(count(dot(net, {.ssa = true}), " -> ") == 200001);
}

namespace {

// Returns the line that declares a node or an edge; empty if there is none.
std::string line_of(std::string const& text, std::string const& begin) {
  std::size_t const at = text.find("  " + begin);
  return at == std::string::npos ? "" : text.substr(at + 2, text.find('\n', at) - at - 2);
}

std::string colour_of(std::string const& line) {
  std::size_t const at = line.find(" color=\"");
  return at == std::string::npos ? "" : line.substr(at + 8, 7);
}

plait::op_def& add_op(plait::netdef& net, std::string_view type, std::vector<std::string> const& inputs,
                      std::string_view output) {
  plait::op_def& op = net.add_op(type, {}, {output});
  for (std::string const& blob : inputs) op.input.push_back(net.intern(blob));
  return op;
}

// A stem, `blocks` residual blocks of seven ops, two of them in place, and a head, with parameters of their own.
plait::netdef residual_net(int blocks) {
  plait::netdef net;
  auto const parameter = [&](std::string const& name) {
    net.external_input.push_back(net.intern(name));
    return name;
  };
  net.external_input.push_back(net.intern("data"));
  add_op(net, "Conv", {"data", parameter("stem_w")}, "stem");
  add_op(net, "Relu", {"stem"}, "x0");
  for (int i = 0; i != blocks; ++i) {
    std::string const name = "block" + std::to_string(i);
    std::string const x = 'x' + std::to_string(i);
    add_op(net, "Conv", {x, parameter(name + "_w1")}, name + "_a");
    add_op(net, "SpatialBN", {name + "_a", parameter(name + "_s1"), parameter(name + "_b1")}, name + "_n");
    add_op(net, "Relu", {name + "_n"}, name + "_n");
    add_op(net, "Conv", {name + "_n", parameter(name + "_w2")}, name + "_c");
    add_op(net, "SpatialBN", {name + "_c", parameter(name + "_s2"), parameter(name + "_b2")}, name + "_d");
    add_op(net, "Sum", {name + "_d", x}, name + "_d");
    add_op(net, "Relu", {name + "_d"}, 'x' + std::to_string(i + 1));
  }
  add_op(net, "FC", {'x' + std::to_string(blocks), parameter("fc_w"), parameter("fc_b")}, "y");
  net.external_output.push_back(net.intern("y"));
  return net;
}

// Decoder layers that all read one mask: the distance to its producer differs, its value does not.
plait::netdef transformer_net(int layers) {
  plait::netdef net = plait::read_netdef_text(
      R"(external_input: "tokens" external_input: "lengths" external_output: "y"
         op { input: "tokens" output: "x0" type: "Gather" } op { input: "lengths" output: "mask" type: "SequenceMask" })");
  for (int i = 0; i != layers; ++i) {
    std::string const n = 'l' + std::to_string(i) + '_';
    std::string const x = 'x' + std::to_string(i);
    for (char const* part : {"q", "k", "v"}) {
      net.external_input.push_back(net.intern(n + part + "_w"));
      add_op(net, "MatMul", {x, n + part + "_w"}, n + part);
    }
    add_op(net, "BatchMatMul", {n + 'q', n + 'k'}, n + "scores");
    add_op(net, "Add", {n + "scores", "mask"}, n + "scores");
    add_op(net, "Softmax", {n + "scores"}, n + "p");
    add_op(net, "BatchMatMul", {n + 'p', n + 'v'}, n + 'o');
    add_op(net, "Add", {n + 'o', x}, 'x' + std::to_string(i + 1));
  }
  add_op(net, "FC", {'x' + std::to_string(layers)}, "y");
  return net;
}

std::vector<plait::detail::repeated_ops> repeats(plait::netdef const& net) {
  auto const ssa = plait::get_ssa(net);
  std::vector<std::string> labels;
  for (plait::op_def const& op : net.op) labels.emplace_back(net.text(op.type));
  return plait::detail::repeat_finder<plait::netdef>(ssa, labels).find();
}

// Oracle: op b repeats op a, by definition; `start`: begin of the first block if a is in it, else npos.
bool op_repeats(plait::netdef const& net, plait::ssa_form<plait::netdef> const& ssa, plait::op_index a,
                plait::op_index b, plait::op_index start = plait::npos) {
  if (net.op[a].type != net.op[b].type || net.op[a].output.size() != net.op[b].output.size() ||
      net.op[a].input.size() != net.op[b].input.size())
    return false;
  for (std::size_t i = 0; i != net.op[a].input.size(); ++i) {
    plait::value const x = ssa.reads(a)[i];
    plait::value const y = ssa.reads(b)[i];
    auto const from_x = ssa.producer(x);
    auto const from_y = ssa.producer(y);
    bool const same_distance = from_x && from_y && a - from_x->op == b - from_y->op && from_x->slot == from_y->slot;
    bool const mirrored = from_x && from_y && from_x->op == from_y->op + (b - a) && from_x->slot == from_y->slot &&
                          net.op[from_x->op].type == net.op[from_y->op].type;
    bool const initial = start != plait::npos && (!from_x || from_x->op < start) && from_y && from_y->op >= start &&
                         from_y->op < start + (b - a);
    if (x != y && !same_distance && !mirrored && !initial && (from_x || from_y)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("dot: dead ops are dashed, and none are in a net without declared outputs") {
  std::string const text = R"(
    op { input: "x" output: "y" type: "Relu" }
    op { input: "y" output: "unused" type: "Tanh" }
    op { input: "unused" output: "more" type: "Exp" }
    op { input: "y" type: "Print" }
    op { input: "y" output: "inner" type: "Copy" }
    op { input: "c" output: "z" type: "If" arg { name: "then_net" n { op { input: "inner" output: "z" type: "Copy" } } } }
    external_input: "x" external_input: "c")";
  std::string const drawn = dot(plait::read_netdef_text(text + " external_output: \"z\""));
  for (int op = 0; op != 6; ++op) {
    CAPTURE(op);
    bool const dashed = line_of(drawn, "n0_op" + std::to_string(op) + " [").find("dashed") != std::string::npos;
    CHECK(dashed == (op == 1 || op == 2));  // a nested net reads the output of op 4
  }
  CHECK(count(dot(plait::read_netdef_text(text)), "filled,dashed") == 0);
}

TEST_CASE("dot: the ops and values of an in-place chain share a colour, and overwriting edges are marked") {
  plait::netdef const n = plait::read_netdef_text(R"(
    op { input: "x" output: "y" type: "FC" } op { input: "y" output: "y" type: "Relu" }
    op { input: "y" output: "y" type: "Scale" } op { input: "y" output: "z" type: "Copy" }
    op { input: "z" output: "z" type: "Tanh" } op { input: "z" type: "Print" }
    op { input: "x" output: "z" type: "Exp" }
    external_input: "x" external_output: "z")");
  std::string const drawn = dot(n, {.ssa = true});
  std::map<std::string, std::set<std::string>> by_colour;
  std::istringstream in(drawn);
  for (std::string line; std::getline(in, line);)
    if (line.find("->") == std::string::npos && !colour_of(line).empty()) {
      std::size_t const label = line.find("label=\"") + 7;
      by_colour[colour_of(line)].insert(line.substr(label, line.find('"', label) - label));
    }
  std::set<std::set<std::string>> chains;
  for (auto const& [colour, members] : by_colour) chains.insert(members);
  CHECK(chains ==
        std::set<std::set<std::string>>{{"y.1", "y.2", "y.3", "1 Relu", "2 Scale"}, {"z.1", "z.2", "4 Tanh"}});
  CHECK(count(drawn, "arrowhead=diamond") == 3);
  CHECK(count(drawn, "label=\"z.3\", peripheries=2") == 1);  // op 6 overwrites z without a read: no chain
  // In plain form the marks are the same.
  CHECK(count(dot(n), "arrowhead=diamond") == 3);
}

TEST_CASE("dot: parameters are hidden by position, or by name") {
  plait::netdef const n = residual_net(2);
  std::string const all = dot(n, {.ssa = true});
  std::string const hidden = dot(n, {.ssa = true, .hide_parameters = true});
  CHECK(hidden.find("// 15 parameters are hidden") != std::string::npos);
  CHECK(parse(all).nodes.size() == parse(hidden).nodes.size() + 15);
  CHECK(hidden.find("_w1.0") == std::string::npos);
  CHECK(hidden.find("\"data.0\"") != std::string::npos);
  plait::dot_options options{.hide_parameters = true, .parameters = {"stem_w", "block1_w2", "no such blob"}};
  CHECK(dot(n, options).find("// 2 parameters are hidden") != std::string::npos);
  // The nodes and edges that are left are those of the whole picture.
  for (auto const& edge : parse(hidden).edges) CHECK(count(all, edge.first + " -> " + edge.second) != 0);
}

TEST_CASE("dot: blocks of ResNet and Transformer nets are folded into one") {
  using plait::detail::repeated_ops;
  CHECK(repeats(residual_net(12)) == std::vector{repeated_ops{2, 7, 12}});
  CHECK(repeats(residual_net(1)).empty());
  CHECK(repeats(transformer_net(6)) == std::vector{repeated_ops{2, 8, 6}});

  // Gradient ops read the values of their blocks in opposite order.
  plait::netdef chain;
  auto const numbered = [](char letter, int i) { return letter + std::to_string(i); };
  for (int i = 0; i != 10; ++i) {
    add_op(chain, "MatMul", {numbered('y', i), numbered('w', i)}, numbered('x', i));
    add_op(chain, "Relu", {numbered('x', i)}, numbered('y', i + 1));
  }
  for (int i = 10; i-- != 0;) {
    add_op(chain, "ReluGradient", {numbered('y', i + 1), numbered('h', i + 1)}, numbered('g', i));
    add_op(chain, "MatMulGradient", {numbered('y', i), numbered('w', i), numbered('g', i)}, numbered('h', i));
  }
  // The first forward block reads a value on entry, so that the last of its gradient ops repeats none.
  CHECK(repeats(chain) == std::vector{repeated_ops{0, 2, 10}, repeated_ops{21, 2, 9}});

  for (bool ssa : {false, true}) {
    std::string const folded = dot(residual_net(12), {.ssa = ssa, .hide_parameters = true, .fold_repeats = true});
    CAPTURE(folded);
    CHECK(count(folded, "shape=box") == 2 + 7 + 1);
    CHECK(count(folded, "label=\"\u00d7 12: ops 2 to 85\"") == 1);
    CHECK(folded.find("// 77 ops repeat others and are folded into 1 clusters") != std::string::npos);
    CHECK(parse(folded).edges_stay_at_home);
    // The next block reads the last value of this one twice; the head reads the same value.
    CHECK(count(folded, "style=dashed, constraint=false") == 2);
    CHECK(parse(folded).nodes.size() == (ssa ? 1 + 2 + 7 + 1 + 10 : 1 + 2 + 5 + 1 + 10));
  }
}

TEST_CASE("dot: ops with different notes do not repeat each other") {
  plait::netdef const n = residual_net(6);
  plait::dot_options options{.fold_repeats = true};
  options.op_note = [](std::size_t op) { return op < 23 ? "stride = 1" : "stride = 2"; };  // three blocks each
  std::string const folded = dot(n, options);
  CHECK(count(folded, "\u00d7 3: ops 2 to 22") == 1);
  CHECK(count(folded, "\u00d7 3: ops 23 to 43") == 1);
  CHECK(count(folded, "stride = 1\"") == 2 + 7);
}

TEST_CASE("dot: repeats have the structure that their definition demands, and fold what a search by definition finds") {
  for (unsigned seed = 0; seed != 300; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    plait::netdef net;
    std::size_t const ops = 4 + random() % 40;
    // Mostly copies of ops some distance before, so that there are repeats.
    std::size_t const period = 1 + random() % 6;
    for (std::size_t i = 0; i != ops; ++i) {
      plait::op_def& op = net.add_op("T", {}, {'v' + std::to_string(i)});
      if (i >= period && random() % 16 != 0) {
        plait::op_def const& before = net.op[i - period];
        op.type = before.type;
        for (plait::symbol blob : before.input) {
          std::string const name(net.text(blob));
          std::size_t const number = name[0] == 'v' ? std::stoul(name.substr(1)) + period : 0;
          op.input.push_back(net.intern(name[0] != 'v' ? name : 'v' + std::to_string(number)));
        }
      } else {
        op.type = net.intern(std::string(1, static_cast<char>('A' + random() % 3)));
        for (std::size_t k = random() % 3; k != 0; --k)
          op.input.push_back(net.intern(i == 0 || random() % 3 == 0 ? 'w' + std::to_string(random() % 9)
                                                                    : 'v' + std::to_string(random() % i)));
      }
    }
    auto const ssa = plait::get_ssa(net);
    plait::op_index end = 0;
    std::size_t folded = 0;
    for (auto const& r : repeats(net)) {
      REQUIRE(r.first >= end);
      REQUIRE(r.count >= 2);
      end = r.first + r.count * r.period;
      REQUIRE(end <= ops);
      for (plait::op_index op = r.first; op + r.period < end; ++op)
        REQUIRE(op_repeats(net, ssa, op, op + r.period, op < r.first + r.period ? r.first : plait::npos));
      folded += (r.count - 1) * r.period;
    }
    std::size_t expected = 0;
    for (plait::op_index p = 1; 2 * p <= ops; ++p)
      for (plait::op_index first = 0; first + 2 * p <= ops; ++first) {
        plait::op_index last = first;
        while (last + p < ops && op_repeats(net, ssa, last, last + p)) ++last;
        plait::op_index const blocks = (last - first) / p + 1;
        if (blocks >= 2 && (blocks - 1) * p >= 4) expected = std::max<std::size_t>(expected, (blocks - 1) * p);
      }
    REQUIRE(folded >= expected);
  }
}

TEST_CASE("dot: folding 100,000 ops of one type, or of random types, takes no quadratic time") {
  plait::netdef chain;
  plait::netdef mixed;
  std::mt19937 random(1);
  for (int i = 0; i != 100'000; ++i) {
    std::string const from = 'v' + std::to_string(i);
    std::string const to = 'v' + std::to_string(i + 1);
    add_op(chain, "Relu", {from}, to);
    add_op(mixed, random() % 2 == 0 ? "Relu" : "Tanh", {from}, to);
  }
  CHECK(repeats(chain) == std::vector{plait::detail::repeated_ops{0, 1, 100'000}});
  CHECK(!repeats(mixed).empty());
}

TEST_CASE("dot: a legend explains the marks that occur, and tooltips have notes") {
  plait::netdef const n = residual_net(3);
  plait::dot_options options{.ssa = true, .legend = true};
  options.blob_note = [](std::string_view blob) { return blob == "stem_w" ? "shape [64, 3]" : ""; };
  std::string const drawn = dot(n, options);
  CHECK(well_formed(drawn));
  CHECK(drawn.find("legend_chain") != std::string::npos);
  CHECK(drawn.find("legend_dead") == std::string::npos);
  CHECK(drawn.find("legend_repeat") == std::string::npos);
  CHECK(count(drawn, "tooltip=\"stem_w.0\\nshape [64, 3]\"") == 1);
  CHECK(dot(n).find("legend") == std::string::npos);
}

TEST_CASE("dot: Graphviz draws pictures with all marks without a warning") {
  if (!test::has_graphviz()) return test::skip("graphviz is not installed");
  std::string pictures;
  for (bool ssa : {false, true})
    for (plait::netdef const& n : {residual_net(5), transformer_net(4)}) {
      plait::dot_options options{.ssa = ssa, .hide_parameters = true, .fold_repeats = true, .legend = true};
      pictures += dot(n, options);
      options.clusters = {{"a", 10}, {"b", 12, true}};
      options.op_note = [](std::size_t op) { return "op \"" + std::to_string(op) + "\"\nline"; };
      pictures += dot(n, options);
    }
  CHECK(test::graphviz_complaints(pictures, "svg") == "");
}

TEST_CASE("dot: every real net can be folded, and its picture stays well-formed") {
  for (auto const& file : plait_test::real_nets()) {
    CAPTURE(file.string());
    plait::netdef const n = plait::read_netdef(file);
    for (bool ssa : {false, true}) {
      std::string const folded = dot(n, {.ssa = ssa, .hide_parameters = true, .fold_repeats = true, .legend = true});
      CHECK(well_formed(folded));
      CHECK(parse(folded).edges_stay_at_home);
    }
  }
}
