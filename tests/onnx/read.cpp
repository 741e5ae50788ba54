// ONNX import: the nets of models, and refusals. models.cpp tests what they compute.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/interop/onnx/read.hpp>
#include <plait/netdef/traits.hpp>

namespace {

using texts = std::vector<std::string>;

plait::onnx_value_info info(std::string name, std::vector<std::int64_t> dims = {2}) {
  plait::onnx_value_info made;
  made.name = std::move(name);
  made.kind = plait::onnx_value_info::kinds::tensor;
  made.type = plait::onnx_type::float32;
  made.dims = std::move(dims);
  return made;
}

plait::onnx_node node(std::string type, texts inputs, texts outputs) {
  plait::onnx_node made;
  made.type = std::move(type);
  made.inputs = std::move(inputs);
  made.outputs = std::move(outputs);
  return made;
}

plait::onnx_tensor numbers(std::string name, std::vector<float> elements) {
  plait::onnx_tensor made;
  made.name = std::move(name);
  made.type = plait::onnx_type::float32;
  made.dims = {static_cast<std::int64_t>(elements.size())};
  made.floats = std::move(elements);
  return made;
}

plait::onnx_model model(std::vector<plait::onnx_node> nodes, texts inputs, texts outputs) {
  plait::onnx_model made;
  made.ir_version = 8;
  made.opsets = {{"", 14}};
  made.graph.name = "g";
  made.graph.nodes = std::move(nodes);
  for (std::string& name : inputs) made.graph.inputs.push_back(info(std::move(name)));
  for (std::string& name : outputs) made.graph.outputs.push_back(info(std::move(name)));
  return made;
}

texts lines_of(plait::netdef const& n) {
  texts lines;
  for (plait::op_def const& op : n.op) {
    std::string line(n.text(op.type));
    for (plait::symbol const s : op.input) line += ' ' + std::string(n.text(s));
    line += " >";
    for (plait::symbol const s : op.output) line += ' ' + std::string(n.text(s));
    lines.push_back(line);
  }
  return lines;
}
texts names_of(plait::netdef const& n, std::vector<plait::symbol> const& symbols) {
  texts made;
  for (plait::symbol const s : symbols) made.emplace_back(n.text(s));
  return made;
}

std::string bytes_of(std::filesystem::path const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Encodes a field of a protobuf message.
std::string field(char tag, std::string const& content) {
  std::string made{static_cast<char>(tag << 3 | 2)};
  std::size_t rest = content.size();
  for (; rest >= 128; rest >>= 7) made += static_cast<char>(rest % 128 + 128);
  return made + static_cast<char>(rest) + content;
}

std::filesystem::path const recorded = std::filesystem::path(PLAIT_TEST_DATA_DIR) / "onnx" / "recorded";

TEST_CASE("read_onnx: values keep their names, and constants are parameters") {
  auto m = model({node("Add", {"x", "w"}, {"sum"}), node("Relu", {"sum"}, {"y"})}, {"x"}, {"y"});
  m.graph.initializers = {numbers("w", {1, 2}), numbers("unread", {3})};
  auto const made = plait::read_onnx(m);
  CHECK(lines_of(made.net) == texts{"Add x w > sum", "Relu sum > y"});
  CHECK(names_of(made.net, made.net.external_input) == texts{"x", "w"});
  CHECK(names_of(made.net, made.net.external_output) == texts{"y"});
  CHECK(made.inputs == texts{"x"});
  CHECK(made.outputs == texts{"y"});
  REQUIRE(made.parameters.size() == 1);
  CHECK(made.parameters[0].name == "w");
  CHECK(made.parameters[0].value == plait::tensor_value{{2}, std::vector<float>{1, 2}});
}

TEST_CASE("read_onnx: an initializer that is an input can be overridden since version 4 of the format") {
  auto m = model({node("Add", {"x", "w"}, {"y"})}, {"x", "w"}, {"y"});
  m.graph.initializers = {numbers("w", {1, 2})};
  for (std::int64_t const version : {3, 8}) {
    m.ir_version = version;
    auto const made = plait::read_onnx(m);
    CHECK(lines_of(made.net) == texts{"Add x w > y"});
    CHECK(made.inputs == texts{"x"});
    CHECK(made.parameters.size() == 1);
  }
  m.graph.nodes = {node("Clip", {"x", "", "w"}, {"y"})};
  m.graph.initializers = {numbers("w", {1})};
  m.graph.initializers[0].dims.clear();
  m.graph.inputs[1].dims.emplace();
  auto const open = plait::read_onnx(m);  // the bound may be overridden at run time: it is not an argument
  REQUIRE(open.parameters.size() == 2);
  CHECK(open.parameters[0].name == "w");
  CHECK(lines_of(open.net).back().starts_with("Min "));
  m.ir_version = 3;
  CHECK(lines_of(plait::read_onnx(m).net) == texts{"Clip x > y"});
}

TEST_CASE("read_onnx: inputs that onnx_options::constants lists are parameters") {
  auto const m = model({node("Add", {"x", "w"}, {"y"})}, {"x", "w"}, {"y"});
  plait::onnx_options options;
  options.constants["w"] = {{2}, std::vector<float>{1, 2}};
  auto const made = plait::read_onnx(m, options);
  CHECK(made.inputs == texts{"x"});
  REQUIRE(made.parameters.size() == 1);
  CHECK(made.parameters[0].value == options.constants["w"]);
}

TEST_CASE("read_onnx: an onnx_error lists all nodes that cannot be run, and only those") {
  auto lost = node("NoSuchOp", {"x"}, {"a"});
  lost.name = "first";
  auto foreign = node("Add", {"x", "x"}, {"c"});
  foreign.domain = "com.example";
  auto const m = model({lost, node("Relu", {"a"}, {"b"}), foreign, node("Add", {"b", "c"}, {"d"}),
                        node("LpNormalization", {"x"}, {"e"}), node("Relu", {"nothing"}, {"f"})},
                       {"x"}, {"d"});
  auto copy = m;
  copy.graph.nodes[4].attributes.push_back({});
  copy.graph.nodes[4].attributes[0].name = "p";
  copy.graph.nodes[4].attributes[0].i = 3;
  try {
    (void)plait::read_onnx(copy);
    FAIL("a model that cannot be run was read");
  } catch (plait::onnx_error const& e) {
    CHECK(e.problems == std::vector<plait::onnx_problem>{{"NoSuchOp", "first", "there is no rule for it"},
                                                         {"com.example.Add", "c", "there is no rule for it"},
                                                         {"LpNormalization", "e", "p must be 1 or 2"},
                                                         {"Relu", "f", "reads 'nothing', which is undefined"}});
    CHECK(std::string(e.what()).starts_with(
        "plait: the model cannot be run: NoSuchOp 'first': there is no rule for it; com.example.Add 'c'"));
  }
}

using problems = std::vector<plait::onnx_problem>;

problems refused(plait::onnx_model const& m) {
  try {
    static_cast<void>(plait::read_onnx(m));
  } catch (plait::onnx_error const& e) {
    return e.problems;
  }
  return {};
}

problems sorted(problems list) {
  std::ranges::sort(list, {}, &plait::onnx_problem::node);
  return list;
}

texts names_of(problems const& list) {
  texts made;
  for (auto const& each : list) made.push_back(each.type + ' ' + each.node);
  return made;
}

plait::onnx_model with_condition(plait::onnx_model made) {
  made.graph.inputs.push_back(info("c", {}));
  made.graph.inputs.back().type = plait::onnx_type::boolean;
  return made;
}

plait::onnx_node with_graph(plait::onnx_node made, std::string attribute, plait::onnx_graph_def graph) {
  made.attributes.emplace_back();
  made.attributes.back().name = std::move(attribute);
  made.attributes.back().g.emplace() = std::move(graph);
  return made;
}

plait::onnx_graph_def branch(std::vector<plait::onnx_node> nodes, texts outputs) {
  plait::onnx_graph_def made;
  made.name = "branch";
  made.nodes = std::move(nodes);
  for (std::string& name : outputs) made.outputs.push_back(info(std::move(name)));
  return made;
}

TEST_CASE("ONNX refusals: a value that is defined twice, by nodes, inputs or initializers") {
  auto m = model({node("Relu", {"x"}, {"y"}), node("Tanh", {"x"}, {"y"}), node("Split", {"x"}, {"a", "a"}),
                  node("Relu", {"x"}, {"x"}), node("Relu", {"x"}, {"w"})},
                 {"x", "x"}, {"y"});
  m.graph.initializers = {numbers("w", {1, 2}), numbers("w", {1, 2})};
  CHECK(refused(m) == problems{{"TensorProto", "w", "is defined twice"},
                               {"GraphProto", "x", "the input is listed twice"},
                               {"Tanh", "y", "defines 'y', which is already defined"},
                               {"Split", "a", "defines 'a', which is already defined"},
                               {"Relu", "x", "defines 'x', which is already defined"},
                               {"Relu", "w", "defines 'w', which is already defined"}});
}

TEST_CASE("ONNX node order: nodes are sorted topologically, and keep a topological order") {
  std::vector<plait::onnx_node> nodes = {node("Relu", {"x"}, {"a"}), node("Tanh", {"x"}, {"b"}),
                                         node("Add", {"a", "b"}, {"c"}), node("Exp", {"c"}, {"d"}),
                                         node("Mul", {"d", "a"}, {"y"})};
  texts const ordered = {"Relu x > a", "Tanh x > b", "Add a b > c", "Exp c > d", "Mul d a > y"};
  std::vector<std::size_t> at = {0, 1, 2, 3, 4};
  do {
    std::vector<plait::onnx_node> shuffled;
    for (std::size_t const i : at) shuffled.push_back(nodes[i]);
    texts const lines = lines_of(plait::read_onnx(model(shuffled, {"x"}, {"y"})).net);
    auto const place = [&](std::size_t i) { return std::ranges::find(lines, ordered[i]) - lines.begin(); };
    REQUIRE(lines.size() == 5);
    REQUIRE(std::max(place(0), place(1)) < place(2));
    REQUIRE((place(2) < place(3) && place(3) < place(4)));
    if (at[0] < at[1] && at == std::vector<std::size_t>{0, 1, 2, 3, 4}) REQUIRE(lines == ordered);
  } while (std::ranges::next_permutation(at).found);
  // Independent nodes keep their relative order.
  texts lines = lines_of(plait::read_onnx(model({nodes[1], nodes[0], nodes[2], nodes[3], nodes[4]}, {"x"}, {"y"})).net);
  CHECK(lines[0] == "Tanh x > b");
}

TEST_CASE("ONNX node order: subgraphs are sorted, and their captures are dependences") {
  auto choose = with_graph(with_graph(node("If", {"c"}, {"y"}), "then_branch",
                                      branch({node("Relu", {"t"}, {"u"}), node("Tanh", {"late"}, {"t"})}, {"u"})),
                           "else_branch", branch({node("Relu", {"x"}, {"late2"})}, {"late2"}));
  auto m = model({choose, node("Exp", {"x"}, {"late"})}, {"x"}, {"y"});
  m.graph.inputs.push_back(info("c", {}));
  m.graph.inputs.back().type = plait::onnx_type::boolean;
  auto const lines = lines_of(plait::read_onnx(m).net);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "Exp x > late");
  CHECK(lines[1].starts_with("If c "));
}

TEST_CASE("ONNX node order: the nodes of a cycle are reported, and those after it are checked") {
  auto const m = model({node("Add", {"x", "c"}, {"a"}), node("Relu", {"a"}, {"b"}), node("Tanh", {"b"}, {"c"}),
                        node("Exp", {"c"}, {"d"}), node("NoSuchOp", {"d"}, {"e"}), node("Relu", {"self"}, {"self"})},
                       {"x"}, {"e"});
  CHECK(sorted(refused(m)) ==
        problems{{"Add", "a", "is in a cycle: it reads 'c', which depends on its output"},
                 {"Relu", "b", "is in a cycle: it reads 'a', which depends on its output"},
                 {"Tanh", "c", "is in a cycle: it reads 'b', which depends on its output"},
                 {"NoSuchOp", "e", "there is no rule for it"},
                 {"Relu", "self", "is in a cycle: it reads 'self', which depends on its output"}});
  // Through a subgraph: a branch of the If captures a value that depends on the If.
  auto choose =
      with_graph(with_graph(node("If", {"c"}, {"y"}), "then_branch", branch({node("Relu", {"z"}, {"u"})}, {"u"})),
                 "else_branch", branch({node("Relu", {"x"}, {"v"})}, {"v"}));
  CHECK(sorted(refused(with_condition(model({choose, node("Exp", {"y"}, {"z"})}, {"x"}, {"y"})))) ==
        problems{{"If", "y", "is in a cycle: it reads 'z', which depends on its output"},
                 {"Exp", "z", "is in a cycle: it reads 'y', which depends on its output"}});
}

TEST_CASE("ONNX node order: a chain of a hundred thousand nodes in reverse order is sorted") {
  std::vector<plait::onnx_node> nodes;
  constexpr int count = 100'000;
  for (int i = count; i-- != 0;)
    nodes.push_back(node("Relu", {i == 0 ? "x" : 'v' + std::to_string(i)}, {'v' + std::to_string(i + 1)}));
  auto const made = plait::read_onnx(model(std::move(nodes), {"x"}, {'v' + std::to_string(count)}));
  CHECK(lines_of(made.net).front() == "Relu x > v1");
  CHECK(made.net.op.size() == count);
}

TEST_CASE("ONNX refusals: nodes after a refused one are checked, except for what that node leaves unknown") {
  auto lost = node("NoSuchOp", {"x"}, {"a"});
  auto steps = node("MaxPool", {"a"}, {"b", "places"});
  auto squeeze = node("Squeeze", {"b"}, {"c"});       // needs extents, which NoSuchOp may have
  auto wider = node("Unsqueeze", {"x", "k"}, {"d"});  // needs k, which is never a constant
  auto m = model({lost, steps, squeeze, node("Shape", {"x"}, {"s"}), node("NoSuchOp", {"s"}, {"k"}), wider,
                  node("Relu", {"d"}, {"f"})},
                 {"x"}, {"c"});
  problems const found = refused(m);
  CHECK(names_of(found) == texts{"NoSuchOp a", "MaxPool b", "NoSuchOp k", "Unsqueeze d"});
  CHECK(found.back().reason.ends_with("must be known before the model is run"));
  // If k may be a constant, Unsqueeze is not reported.
  m.graph.nodes[3] = node("Relu", {"x"}, {"s"});
  m.graph.nodes[4] = node("NoSuchOp", {}, {"k"});
  CHECK(refused(m).size() == 3);
}

TEST_CASE("ONNX refusals: subgraphs of nodes that cannot be run are checked, branches and bodies") {
  auto const bad = [](char const* name) { return branch({node("NoSuchOp", {"x"}, {name})}, {name}); };
  auto choose = with_graph(with_graph(node("If", {"c"}, {"y"}), "then_branch", bad("t")), "else_branch", bad("e"));
  auto foreign = with_graph(node("SequenceMap", {"y"}, {"z"}), "body", bad("m"));
  CHECK(names_of(refused(with_condition(model({choose, foreign}, {"x"}, {"z"})))) ==
        texts{"NoSuchOp t", "NoSuchOp e", "SequenceMap z", "NoSuchOp m"});
  auto missing = with_graph(with_graph(node("If", {"c"}, {"y"}), "then_branch", branch({}, {"nowhere"})), "else_branch",
                            branch({node("Relu", {"x"}, {"v"})}, {"v"}));
  CHECK(refused(with_condition(model({missing}, {"x"}, {"y"}))) ==
        problems{{"GraphProto", "nowhere", "this output is undefined"}});
}

TEST_CASE("ONNX refusals: initializers, inputs and outputs without a name") {
  auto m = model({node("Relu", {"x"}, {"y"})}, {"x", ""}, {"y", ""});
  m.graph.initializers = {numbers("", {1})};
  CHECK(refused(m) == problems{{"TensorProto", "", "has no name"},
                               {"GraphProto", "", "an input has no name"},
                               {"GraphProto", "", "this output is undefined"}});
  auto choose = with_graph(with_graph(node("If", {"c"}, {"y"}), "then_branch", branch({}, {""})), "else_branch",
                           branch({node("Relu", {"x"}, {"v"})}, {"v"}));
  CHECK(refused(with_condition(model({choose}, {"x"}, {"y"}))) ==
        problems{{"GraphProto", "", "this output is undefined"}});
}

TEST_CASE("ONNX refusals: an unsupported initializer is reported with its readers, and only if it has any") {
  auto m =
      model({node("Add", {"x", "pairs"}, {"a"}), node("Mul", {"a", "pairs"}, {"b"}), node("Add", {"b", "far"}, {"y"})},
            {"x"}, {"y"});
  auto pairs = numbers("pairs", {});
  pairs.type = plait::onnx_type::complex64;
  pairs.dims = {1};
  pairs.floats = {1, 2};
  auto far = numbers("far", {});
  far.external = true;
  far.dims = {2};
  auto unused = pairs;
  unused.name = "unused";
  auto longest = unused;
  longest.name = "longest";
  longest.type = plait::onnx_type::complex128;
  m.graph.initializers = {pairs, far, unused, longest};
  CHECK(
      refused(m) ==
      problems{{"TensorProto", "pairs", "is of complex64, of which the runtime has no tensors", {"Add 'a'", "Mul 'b'"}},
               {"TensorProto",
                "far",
                "is stored in another file, which is read only with the file of the model",
                {"Add 'y'"}}});
  try {
    static_cast<void>(plait::read_onnx(m));
  } catch (plait::onnx_error const& e) {
    CHECK(std::string(e.what()) ==
          "plait: the model cannot be run: TensorProto 'pairs': is of complex64, of which the runtime has no tensors, "
          "needed by Add "
          "'a', Mul 'b'; TensorProto 'far': is stored in another file, which is read only with the file of the model, "
          "needed by Add 'y'");
  }
  m.graph.nodes = {node("Relu", {"x"}, {"y"})};
  CHECK(lines_of(plait::read_onnx(m).net) == texts{"Relu x > y"});
  // A malformed initializer is refused in any case.
  m.graph.initializers[0] = numbers("short", {1, 2});
  m.graph.initializers[0].dims = {3};
  CHECK(refused(m) == problems{{"TensorProto", "short", "has 2 elements, where its shape has 3"}});
  m.graph.initializers[0].dims = {-1};
  CHECK(refused(m) == problems{{"TensorProto", "short", "has an invalid shape"}});
  m.graph.initializers[0] = numbers("wide", {});
  m.graph.initializers[0].type = plait::onnx_type::uint8;
  m.graph.initializers[0].int32s = {256};
  m.graph.initializers[0].dims = {1};
  CHECK(refused(m) == problems{{"TensorProto", "wide", "has an element 256, out of range for its type"}});
}

TEST_CASE("ONNX refusals: inputs of types that the runtime lacks, if they are read") {
  auto m = model({node("Add", {"x", "h"}, {"y"})}, {"x", "h", "unread"}, {"y"});
  for (std::size_t const i : {1u, 2u}) m.graph.inputs[i].type = plait::onnx_type::complex64;
  CHECK(refused(m) ==
        problems{{"GraphProto", "h", "is of complex64, of which the runtime has no tensors", {"Add 'y'"}}});
  m.graph.inputs[1].kind = plait::onnx_value_info::kinds::other;
  CHECK(refused(m) == problems{{"GraphProto", "h", "inputs that are no tensors are not supported", {"Add 'y'"}}});
  m.graph.nodes[0].inputs[1] = "x";
  CHECK(lines_of(plait::read_onnx(m).net) == texts{"Add x x > y"});
  m.graph.outputs.push_back(info("unread"));
  CHECK(
      refused(m) ==
      problems{{"GraphProto", "unread", "is of complex64, of which the runtime has no tensors", {"output 'unread'"}}});
}

TEST_CASE("ONNX refusals: unknown versions of the format and of the operators") {
  auto m = model({node("Relu", {"x"}, {"y"})}, {"x"}, {"y"});
  auto const reason = [&] {
    problems const found = refused(m);
    REQUIRE(found.size() == 1);
    CHECK(found[0].type == "ModelProto");
    return found[0].reason;
  };
  m.opsets = {{"", 1000}};
  CHECK(reason() == "version 1000 of ONNX's operators is not known, only 1 to 28");
  m.opsets = {{"", 0}};
  CHECK(reason() == "version 0 of ONNX's operators is not known, only 1 to 28");
  m.opsets = {};
  CHECK(reason() == "no version of ONNX's operators is imported");
  m.opsets = {{"", 14}, {"", 15}};
  CHECK(reason() == "two versions of ONNX's operators are imported");
  m.opsets = {{"", 14}, {"com.example", 99}, {"", 14}};
  CHECK_NOTHROW(static_cast<void>(plait::read_onnx(m)));
  m.ir_version = 15;
  CHECK(reason() == "version 15 of the format is not known, only 1 to 14");
  m.ir_version = 0;
  CHECK(reason() == "version 0 of the format is not known, only 1 to 14");
}

TEST_CASE("parse_onnx: a truncated document is distinguished from a malformed one") {
  std::string const document = bytes_of(recorded / "loop_if" / "model.onnx");
  auto const message = [](std::string const& bytes) -> std::string {
    try {
      static_cast<void>(plait::parse_onnx(bytes));
    } catch (plait::parse_error const& e) {
      CHECK(e.position.offset <= bytes.size());
      return e.message;
    }
    return {};
  };
  CHECK(message("") == "the document is empty");
  std::string const cut =
      "the document ends within the field that begins here: it is truncated, or not in ONNX's binary format";
  CHECK(message(document.substr(0, document.size() / 2)) == cut);
  CHECK(message("no model") == "malformed field");
  CHECK(message(field(7, field(1, std::string("\x0a\x7f"
                                              "a")))) == "a field exceeds its enclosing message");
  std::string const no_graph = field(2, "producer");
  CHECK(message(no_graph) == "the model has no graph");
}

TEST_CASE("ONNX refusals: messages escape unprintable names, and problems keep them unchanged") {
  auto m = model({node("No\xff\n", {"x"}, {"\x01y"})}, {"x"}, {});
  try {
    static_cast<void>(plait::read_onnx(m));
    FAIL("was read");
  } catch (plait::onnx_error const& e) {
    CHECK(std::string(e.what()) == "plait: the model cannot be run: No\\xff\\x0a '\\x01y': there is no rule for it");
    CHECK(e.problems[0].type == "No\xff\n");
  }
}

TEST_CASE("onnx_rules: rules for user-defined operators can be added") {
  plait::onnx_rules rules = plait::onnx_rules::standard();
  rules.set("com.example", "Twice", [](plait::onnx_context const& c) {
    c.add("Scale", {c.input(0)}, {c.output(0)}, {{"scale", c.real("by", 2)}});
    c.as_input(0, 0);
  });
  auto twice = node("Twice", {"x"}, {"y"});
  twice.domain = "com.example";
  auto const m = model({twice}, {"x"}, {"y"});
  CHECK(lines_of(plait::read_onnx(m, {}, rules).net) == texts{"Scale x > y"});
  CHECK_THROWS_AS((void)plait::read_onnx(m), plait::onnx_error);
}

TEST_CASE("read_onnx: takes a path or a string, read_onnx_bytes a document") {
  auto const path = recorded / "lstm_constants" / "model.onnx";
  auto const lines = lines_of(plait::read_onnx(path).net);
  CHECK(lines_of(plait::read_onnx(path.string()).net) == lines);
  CHECK(lines_of(plait::read_onnx(path.c_str()).net) == lines);
  CHECK(lines_of(plait::read_onnx_bytes(bytes_of(path)).net) == lines);
  CHECK_THROWS_AS((void)plait::read_onnx("no/such/model.onnx"), plait::io_error);
  CHECK_THROWS_AS((void)plait::read_onnx_bytes("no/such/model.onnx"), plait::parse_error);
}

TEST_CASE("read_onnx: a plain LSTM is one RecurrentNetwork with one LSTMUnit a step") {
  auto const made = plait::read_onnx(recorded / "lstm_constants" / "model.onnx");
  auto const lines = lines_of(made.net);
  CHECK(std::ranges::count_if(lines, [](std::string const& line) { return line.starts_with("RecurrentNetwork "); }) ==
        1);
  CHECK(lines.size() == 5);  // the input products before, the three outputs after
}

// Each prefix of a document is refused, or is a shorter model; nothing else happens.
TEST_CASE("parse_onnx: truncated and corrupted documents throw no other errors") {
  std::string const document = bytes_of(recorded / "loop_if" / "model.onnx");
  REQUIRE(document.size() > 300);
  CHECK(plait::parse_onnx(document).graph.nodes.size() == 1);
  std::size_t refused = 0;
  auto const attempt = [&](std::string const& bytes) {
    try {
      (void)plait::read_onnx(plait::parse_onnx(bytes));
    } catch (plait::error const&) {
      ++refused;
    }
  };
  for (std::size_t size = 0; size < document.size(); size += 3) attempt(document.substr(0, size));
  CHECK(refused > 0);
  for (std::size_t at = 0; at < document.size(); at += 2) {
    std::string changed = document;
    changed[at] = static_cast<char>(changed[at] ^ 0x15);
    attempt(changed);
  }
}

TEST_CASE("parse_onnx: subgraphs nest up to the limit, and the last of several in an attribute wins") {
  auto const nested = [](int depth) {
    std::string graph = field(2, "inner");
    for (int i = 0; i != depth; ++i) graph = field(1, field(5, field(1, "body") + field(6, graph)));
    return field(7, graph);
  };
  CHECK_NOTHROW((void)plait::parse_onnx(nested(100)));
  CHECK_THROWS_AS((void)plait::parse_onnx(nested(101)), plait::parse_error);
  std::string const two = field(6, field(2, "first")) + field(6, field(2, "second"));
  auto const m = plait::parse_onnx(field(7, field(1, field(5, two))));
  CHECK(m.graph.nodes.at(0).attributes.at(0).g->name == "second");
}

TEST_CASE("ONNX tensors: elements are raw bytes or lists, and must fill the shape") {
  plait::onnx_tensor t = numbers("t", {1, -2.5f});
  CHECK(plait::value_of(t) == plait::tensor_value{{2}, std::vector<float>{1, -2.5f}});
  t.dims = {3};
  CHECK_THROWS_AS((void)plait::value_of(t), plait::net_error);
  t.dims = {-2};
  CHECK_THROWS_AS((void)plait::value_of(t), plait::net_error);
  using namespace std::string_view_literals;
  t.floats.clear();
  t.dims = {};
  t.raw = "\x00\x00\x20\xC0"sv;
  CHECK(plait::value_of(t) == plait::tensor_value{{}, std::vector<float>{-2.5f}});
  t.raw = "\x00\x00\x20"sv;
  CHECK_THROWS_AS((void)plait::value_of(t), plait::net_error);
  t.type = plait::onnx_type::boolean;
  t.raw = "\x01\x00"sv;
  t.dims = {2};
  CHECK(plait::value_of(t) == plait::tensor_value{{2}, std::vector<bool>{true, false}});
  t.type = plait::onnx_type::complex64;
  CHECK_THROWS_AS((void)plait::value_of(t), plait::net_error);
  t.raw = "\x01\x00\x00\xC4\x00\x7C\xFF\x7B"sv;
  t.dims = {4};
  t.type = plait::onnx_type::float16;
  CHECK(plait::value_of(t) ==
        plait::tensor_value{{4}, std::vector<float>{0x1p-24f, -4, std::numeric_limits<float>::infinity(), 65504}});
  t.raw = "\x80\x3F\x40\xC0"sv;
  t.dims = {2};
  t.type = plait::onnx_type::bfloat16;
  CHECK(plait::value_of(t) == plait::tensor_value{{2}, std::vector<float>{1, -3}});
  t.raw = {};
  t.int32s = {0x3c00, 0xbc00};
  t.type = plait::onnx_type::float16;
  CHECK(plait::value_of(t) == plait::tensor_value{{2}, std::vector<float>{1, -1}});
  t.type = plait::onnx_type::boolean;
  t.external = true;
  CHECK_THROWS_AS((void)plait::value_of(t), plait::net_error);
}

// The page lists them between two markers: `Type`, `Type`, …
TEST_CASE("onnx_rules: docs/reference/onnx-operators.md lists the operators that have rules") {
  auto const docs = std::filesystem::path(PLAIT_TEST_DATA_DIR) / ".." / ".." / "docs";
  std::string const page = bytes_of(docs / "reference" / "onnx-operators.md");
  std::size_t const first = page.find("<!-- operators -->");
  std::size_t const last = page.find("<!-- end of operators -->");
  REQUIRE(last != page.npos);
  texts listed;
  for (std::size_t at = page.find('`', first); at < last; at = page.find('`', at)) {
    std::size_t const end = page.find('`', at + 1);
    listed.push_back(page.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  auto const joined = [](texts const& names) {
    std::string made;
    for (std::string const& name : names) made += name + ' ';
    return made;
  };
  CHECK(joined(listed) == joined(plait::onnx_rules::standard().types()));
}

TEST_CASE("ONNX refusals: an attribute of the wrong type is reported, not ignored") {
  auto leaky = node("LeakyRelu", {"x"}, {"y"});
  leaky.attributes.emplace_back();
  leaky.attributes.back().name = "alpha";
  leaky.attributes.back().i = 1;
  auto sum = node("ReduceL1", {"x"}, {"z"});
  sum.attributes.emplace_back();
  sum.attributes.back().name = "axes";
  sum.attributes.back().i = 0;
  try {
    static_cast<void>(plait::read_onnx(model({leaky, sum}, {"x"}, {"y", "z"})));
    FAIL("was read");
  } catch (plait::onnx_error const& e) {
    REQUIRE(e.problems.size() == 2);
    CHECK(e.problems[0].reason == "attribute 'alpha' is not a float");
    CHECK(e.problems[1].reason == "attribute 'axes' is not a list of integers");
  }
  leaky.attributes.back() = {};
  leaky.attributes.back().name = "alpha";
  leaky.attributes.back().f = 0.5f;
  CHECK_NOTHROW(static_cast<void>(plait::read_onnx(model({leaky}, {"x"}, {"y"}))));
}

}  // namespace
