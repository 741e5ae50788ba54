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
  CHECK_THROWS_AS((void)plait::read_onnx(m), plait::onnx_error);
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

TEST_CASE("a value that is made twice is refused") {
  CHECK_THROWS_AS((void)plait::read_onnx(model({node("Relu", {"x"}, {"y"}), node("Tanh", {"x"}, {"y"})}, {"x"}, {"y"})),
                  plait::net_error);
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
  std::string const page = bytes_of(std::filesystem::path(PLAIT_TEST_DATA_DIR) / ".." / ".." / "docs" / "onnx.md");
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
