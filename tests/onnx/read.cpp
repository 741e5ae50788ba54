// What reading ONNX models makes of them, and what it refuses; what they compute is in models.cpp.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
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

// A field of a message in protobuf's format.
std::string field(char tag, std::string const& content) {
  std::string made{static_cast<char>(tag << 3 | 2)};
  std::size_t rest = content.size();
  for (; rest >= 128; rest >>= 7) made += static_cast<char>(rest % 128 + 128);
  return made + static_cast<char>(rest) + content;
}

std::filesystem::path const recorded = std::filesystem::path(PLAIT_TEST_DATA_DIR) / "onnx" / "recorded";

TEST_CASE("values keep their names, and constants are parameters") {
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

TEST_CASE("an initializer that is an input can be overridden since version 4 of the format") {
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
  auto const open = plait::read_onnx(m);  // the bound may be another when the net runs: it is no argument
  REQUIRE(open.parameters.size() == 2);
  CHECK(open.parameters[0].name == "w");
  CHECK(lines_of(open.net).back().starts_with("Min "));
  m.ir_version = 3;
  CHECK(lines_of(plait::read_onnx(m).net) == texts{"Clip x > y"});
}

TEST_CASE("inputs whose values are settled are no inputs") {
  auto const m = model({node("Add", {"x", "w"}, {"y"})}, {"x", "w"}, {"y"});
  plait::onnx_options options;
  options.constants["w"] = {{2}, std::vector<float>{1, 2}};
  auto const made = plait::read_onnx(m, options);
  CHECK(made.inputs == texts{"x"});
  REQUIRE(made.parameters.size() == 1);
  CHECK(made.parameters[0].value == options.constants["w"]);
}

TEST_CASE("all nodes that stand in the way are reported, and only they") {
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
  copy.graph.nodes[4].attributes[0].i = 1;
  try {
    (void)plait::read_onnx(copy);
    FAIL("a model that cannot be run was read");
  } catch (plait::onnx_error const& e) {
    CHECK(e.problems == std::vector<plait::onnx_problem>{{"NoSuchOp", "first", "there is no rule for it"},
                                                         {"com.example.Add", "c", "there is no rule for it"},
                                                         {"LpNormalization", "e", "a norm other than the Euclidean"},
                                                         {"Relu", "f", "reads 'nothing', which nothing makes"}});
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

TEST_CASE("a value that is made twice is refused, whatever makes it") {
  auto m = model({node("Relu", {"x"}, {"y"}), node("Tanh", {"x"}, {"y"}), node("Split", {"x"}, {"a", "a"}),
                  node("Relu", {"x"}, {"x"}), node("Relu", {"x"}, {"w"})},
                 {"x", "x"}, {"y"});
  m.graph.initializers = {numbers("w", {1, 2}), numbers("w", {1, 2})};
  CHECK(refused(m) == problems{{"TensorProto", "w", "is given twice"},
                               {"GraphProto", "x", "the input is listed twice"},
                               {"Tanh", "y", "makes 'y', which is made already"},
                               {"Split", "a", "makes 'a', which is made already"},
                               {"Relu", "x", "makes 'x', which is made already"},
                               {"Relu", "w", "makes 'w', which is made already"}});
}

TEST_CASE("order: nodes may come in any, and keep theirs where that is one they can run in") {
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
  // Independent nodes keep their order among each other.
  texts lines = lines_of(plait::read_onnx(model({nodes[1], nodes[0], nodes[2], nodes[3], nodes[4]}, {"x"}, {"y"})).net);
  CHECK(lines[0] == "Tanh x > b");
}

TEST_CASE("order: graphs inside nodes are sorted, and what they read of the graph around counts") {
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

TEST_CASE("order: a cycle names its nodes, and what is behind it is looked at") {
  auto const m = model({node("Add", {"x", "c"}, {"a"}), node("Relu", {"a"}, {"b"}), node("Tanh", {"b"}, {"c"}),
                        node("Exp", {"c"}, {"d"}), node("NoSuchOp", {"d"}, {"e"}), node("Relu", {"self"}, {"self"})},
                       {"x"}, {"e"});
  CHECK(sorted(refused(m)) ==
        problems{{"Add", "a", "is in a cycle: what it makes is needed for 'c', which it reads"},
                 {"Relu", "b", "is in a cycle: what it makes is needed for 'a', which it reads"},
                 {"Tanh", "c", "is in a cycle: what it makes is needed for 'b', which it reads"},
                 {"NoSuchOp", "e", "there is no rule for it"},
                 {"Relu", "self", "is in a cycle: what it makes is needed for 'self', which it reads"}});
  // Through a graph inside: the If makes what its own branch reads.
  auto choose =
      with_graph(with_graph(node("If", {"c"}, {"y"}), "then_branch", branch({node("Relu", {"z"}, {"u"})}, {"u"})),
                 "else_branch", branch({node("Relu", {"x"}, {"v"})}, {"v"}));
  CHECK(sorted(refused(with_condition(model({choose, node("Exp", {"y"}, {"z"})}, {"x"}, {"y"})))) ==
        problems{{"If", "y", "is in a cycle: what it makes is needed for 'z', which it reads"},
                 {"Exp", "z", "is in a cycle: what it makes is needed for 'y', which it reads"}});
}

TEST_CASE("order: a chain of a hundred thousand nodes, last first") {
  std::vector<plait::onnx_node> nodes;
  constexpr int count = 100'000;
  for (int i = count; i-- != 0;)
    nodes.push_back(node("Relu", {i == 0 ? "x" : 'v' + std::to_string(i)}, {'v' + std::to_string(i + 1)}));
  auto const made = plait::read_onnx(model(std::move(nodes), {"x"}, {'v' + std::to_string(count)}));
  CHECK(lines_of(made.net).front() == "Relu x > v1");
  CHECK(made.net.op.size() == count);
}

TEST_CASE("refusals: nodes behind a refused one are looked at, and what may be known then is not held against them") {
  auto lost = node("NoSuchOp", {"x"}, {"a"});
  auto steps = node("MaxPool", {"a"}, {"b", "places"});
  auto squeeze = node("Squeeze", {"b"}, {"c"});     // needs extents, which NoSuchOp may have
  auto top = node("TopK", {"x", "k"}, {"d", "e"});  // needs k, which is never a constant
  auto m = model({lost, steps, squeeze, node("Shape", {"x"}, {"s"}), node("NoSuchOp", {"s"}, {"k"}), top,
                  node("Relu", {"e"}, {"f"})},
                 {"x"}, {"c"});
  problems const found = refused(m);
  CHECK(names_of(found) == texts{"NoSuchOp a", "MaxPool b", "NoSuchOp k", "TopK d"});
  CHECK(found.back().reason.ends_with("must be known before the model is run"));
  // Where it may be one, TopK is not to blame.
  m.graph.nodes[3] = node("Relu", {"x"}, {"s"});
  m.graph.nodes[4] = node("NoSuchOp", {}, {"k"});
  CHECK(refused(m).size() == 3);
}

TEST_CASE("refusals: graphs inside nodes that cannot be run are looked at, both branches and bodies") {
  auto const bad = [](char const* name) { return branch({node("NoSuchOp", {"x"}, {name})}, {name}); };
  auto choose = with_graph(with_graph(node("If", {"c"}, {"y"}), "then_branch", bad("t")), "else_branch", bad("e"));
  auto foreign = with_graph(node("SequenceMap", {"y"}, {"z"}), "body", bad("m"));
  CHECK(names_of(refused(with_condition(model({choose, foreign}, {"x"}, {"z"})))) ==
        texts{"NoSuchOp t", "NoSuchOp e", "SequenceMap z", "NoSuchOp m"});
  auto missing = with_graph(with_graph(node("If", {"c"}, {"y"}), "then_branch", branch({}, {"nowhere"})), "else_branch",
                            branch({node("Relu", {"x"}, {"v"})}, {"v"}));
  CHECK(refused(with_condition(model({missing}, {"x"}, {"y"}))) ==
        problems{{"GraphProto", "nowhere", "nothing makes this output"}});
}

TEST_CASE("refusals: what has no name") {
  auto m = model({node("Relu", {"x"}, {"y"})}, {"x", ""}, {"y", ""});
  m.graph.initializers = {numbers("", {1})};
  CHECK(refused(m) == problems{{"TensorProto", "", "has no name"},
                               {"GraphProto", "", "an input has no name"},
                               {"GraphProto", "", "nothing makes this output"}});
  auto choose = with_graph(with_graph(node("If", {"c"}, {"y"}), "then_branch", branch({}, {""})), "else_branch",
                           branch({node("Relu", {"x"}, {"v"})}, {"v"}));
  CHECK(refused(with_condition(model({choose}, {"x"}, {"y"}))) ==
        problems{{"GraphProto", "", "nothing makes this output"}});
}

TEST_CASE("refusals: an initializer that is not read is none; one that is names its readers") {
  auto m =
      model({node("Add", {"x", "half"}, {"a"}), node("Mul", {"a", "half"}, {"b"}), node("Add", {"b", "far"}, {"y"})},
            {"x"}, {"y"});
  auto half = numbers("half", {});
  half.type = plait::onnx_type::float16;
  half.dims = {2};
  half.raw = std::string_view("\x00\x3c\x00\x3c", 4);
  auto far = numbers("far", {});
  far.external = true;
  far.dims = {2};
  auto unused = half;
  unused.name = "unused";
  auto complex = unused;
  complex.name = "complex";
  complex.type = plait::onnx_type::complex64;
  m.graph.initializers = {half, far, unused, complex};
  CHECK(refused(m) ==
        problems{{"TensorProto", "half", "is of float16, of which the runtime has no tensors", {"Add 'a'", "Mul 'b'"}},
                 {"TensorProto", "far", "stands in another file, which is not read", {"Add 'y'"}}});
  try {
    static_cast<void>(plait::read_onnx(m));
  } catch (plait::onnx_error const& e) {
    CHECK(std::string(e.what()) ==
          "plait: the model cannot be run: TensorProto 'half': is of float16, of which the runtime has no tensors, "
          "needed by Add "
          "'a', Mul 'b'; TensorProto 'far': stands in another file, which is not read, needed by Add 'y'");
  }
  m.graph.nodes = {node("Relu", {"x"}, {"y"})};
  CHECK(lines_of(plait::read_onnx(m).net) == texts{"Relu x > y"});
  // One that is not what it says is refused in any case.
  m.graph.initializers[0] = numbers("short", {1, 2});
  m.graph.initializers[0].dims = {3};
  CHECK(refused(m) == problems{{"TensorProto", "short", "has 2 elements, where its shape has 3"}});
  m.graph.initializers[0].dims = {-1};
  CHECK(refused(m) == problems{{"TensorProto", "short", "has a shape that no tensor has"}});
  m.graph.initializers[0] = numbers("wide", {});
  m.graph.initializers[0].type = plait::onnx_type::uint8;
  m.graph.initializers[0].int32s = {256};
  m.graph.initializers[0].dims = {1};
  CHECK(refused(m) == problems{{"TensorProto", "wide", "has an element 256, out of range for its type"}});
}

TEST_CASE("refusals: inputs of types that the runtime has no tensors of, if they are read") {
  auto m = model({node("Add", {"x", "h"}, {"y"})}, {"x", "h", "unread"}, {"y"});
  for (std::size_t const i : {1, 2}) m.graph.inputs[i].type = plait::onnx_type::float16;
  CHECK(refused(m) == problems{{"GraphProto", "h", "is of float16, of which the runtime has no tensors", {"Add 'y'"}}});
  m.graph.inputs[1].kind = plait::onnx_value_info::kinds::other;
  CHECK(refused(m) == problems{{"GraphProto", "h", "inputs that are no tensors are not supported", {"Add 'y'"}}});
  m.graph.nodes[0].inputs[1] = "x";
  CHECK(lines_of(plait::read_onnx(m).net) == texts{"Add x x > y"});
  m.graph.outputs.push_back(info("unread"));
  CHECK(refused(m) ==
        problems{{"GraphProto", "unread", "is of float16, of which the runtime has no tensors", {"output 'unread'"}}});
}

TEST_CASE("refusals: versions that are not known") {
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

TEST_CASE("refusals: a file that ends too early is told from one that is malformed") {
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
      "the document ends within the field that begins here: it is cut short, or not in ONNX's binary format";
  CHECK(message(document.substr(0, document.size() / 2)) == cut);
  CHECK(message("no model") == "malformed field");
  CHECK(message(field(7, field(1, std::string("\x0a\x7f"
                                              "a")))) == "a field is longer than the message that it is in");
  std::string const no_graph = field(2, "producer");
  CHECK(message(no_graph) == "the model has no graph");
}

TEST_CASE("refusals: with allowzero a shape that is not known is not said to have zeros") {
  auto reshape = node("Reshape", {"x", "s"}, {"y"});
  reshape.attributes.emplace_back();
  reshape.attributes.back().name = "allowzero";
  reshape.attributes.back().i = 1;
  auto m = model({reshape}, {"x", "s"}, {"y"});
  m.graph.inputs[1].type = plait::onnx_type::int64;
  CHECK(refused(m) == problems{{"Reshape", "y", "with allowzero the shape must be known before the model is run"}});
  m.graph.inputs.pop_back();
  m.graph.initializers = {numbers("s", {})};
  m.graph.initializers[0].type = plait::onnx_type::int64;
  m.graph.initializers[0].int64s = {0, 2};
  m.graph.initializers[0].dims = {2};
  CHECK(refused(m) == problems{{"Reshape", "y", "a shape with zeros that are no axes of the input (allowzero)"}});
}

TEST_CASE("refusals: names of a file are shown as printable text, and kept as they are") {
  auto m = model({node("No\xff\n", {"x"}, {"\x01y"})}, {"x"}, {});
  try {
    static_cast<void>(plait::read_onnx(m));
    FAIL("was read");
  } catch (plait::onnx_error const& e) {
    CHECK(std::string(e.what()) == "plait: the model cannot be run: No\\xff\\x0a '\\x01y': there is no rule for it");
    CHECK(e.problems[0].type == "No\xff\n");
  }
}

TEST_CASE("rules can be added, and replaced") {
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

TEST_CASE("files are named by text or path, documents are bytes") {
  auto const path = recorded / "lstm_constants" / "model.onnx";
  auto const lines = lines_of(plait::read_onnx(path).net);
  CHECK(lines_of(plait::read_onnx(path.string()).net) == lines);
  CHECK(lines_of(plait::read_onnx(path.c_str()).net) == lines);
  CHECK(lines_of(plait::read_onnx_bytes(bytes_of(path)).net) == lines);
  CHECK_THROWS_AS((void)plait::read_onnx("no/such/model.onnx"), plait::io_error);
  CHECK_THROWS_AS((void)plait::read_onnx_bytes("no/such/model.onnx"), plait::parse_error);
}

TEST_CASE("a plain LSTM is one RecurrentNetwork with one LSTMUnit a step") {
  auto const made = plait::read_onnx(recorded / "lstm_constants" / "model.onnx");
  auto const lines = lines_of(made.net);
  CHECK(std::ranges::count_if(lines, [](std::string const& line) { return line.starts_with("RecurrentNetwork "); }) ==
        1);
  CHECK(lines.size() == 5);  // the input's part of the gates before, the three outputs after
}

// Of a truncated document each prefix is refused, or is a shorter model; nothing else happens.
TEST_CASE("documents that are cut short or changed") {
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

TEST_CASE("graphs inside one another: as deep as the limit, and the last of several counts") {
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

TEST_CASE("tensors: bytes or lists, and as many as the shape says") {
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
  t.type = plait::onnx_type::float16;
  CHECK_THROWS_AS((void)plait::value_of(t), plait::net_error);
  t.type = plait::onnx_type::boolean;
  t.external = true;
  CHECK_THROWS_AS((void)plait::value_of(t), plait::net_error);
}

// Between the two marks of the page: `Type`, `Type`, …
TEST_CASE("the guide lists the operators that there are rules for") {
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

TEST_CASE("an attribute of another type than the operator's is reported, not taken for nothing") {
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
    CHECK(e.problems[0].reason == "attribute 'alpha' is no float");
    CHECK(e.problems[1].reason == "attribute 'axes' is no list of integers");
  }
  leaky.attributes.back() = {};
  leaky.attributes.back().name = "alpha";
  leaky.attributes.back().f = 0.5f;
  CHECK_NOTHROW(static_cast<void>(plait::read_onnx(model({leaky}, {"x"}, {"y"}))));
}

}  // namespace
