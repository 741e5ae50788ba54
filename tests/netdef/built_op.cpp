#include <plait/netdef/detail/built_op.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/equality.hpp>

namespace {

plait::netdef with_argument(plait::net_argument argument) {
  plait::netdef n;
  plait::append_op(n, {"T", {}, {}, {std::move(argument)}});
  return n;
}
plait::netdef text(std::string const& argument) {
  return plait::read_netdef_text("op { type: \"T\" arg { name: \"a\" " + argument + " } }");
}

}  // namespace

TEST_CASE("net argument: a C++ value becomes the NetDef field of its type") {
  CHECK(with_argument({"a", 1}) == text("i: 1"));
  CHECK(with_argument({"a", true}) == text("i: 1"));
  CHECK(with_argument({"a", std::uint8_t{200}}) == text("i: 200"));
  CHECK(with_argument({"a", std::int64_t{-1} << 40}) == text("i: -1099511627776"));
  CHECK(with_argument({"a", 0.5}) == text("f: 0.5"));
  CHECK(with_argument({"a", 0.5f}) == text("f: 0.5"));
  CHECK(with_argument({"a", "word"}) == text("s: \"word\""));
  CHECK(with_argument({"a", std::string("nul\0", 4)}) == text("s: \"nul\\000\""));
  CHECK(with_argument({"a", {2, 3}}) == text("ints: 2 ints: 3"));
  CHECK(with_argument({"a", {0.5, 2.0}}) == text("floats: 0.5 floats: 2"));
  CHECK(with_argument({"a", {"x", "y"}}) == text("strings: \"x\" strings: \"y\""));
  CHECK(with_argument({"a", std::vector<std::string>{"x"}}) == text("strings: \"x\""));
  CHECK(with_argument({"a", std::vector<bool>{true, false}}) == text("ints: 1 ints: 0"));
  CHECK(with_argument({"a", std::vector<std::int64_t>{}}) == text(""));
  CHECK(with_argument(plait::argument_spec{"a", std::int64_t{7}}) == text("i: 7"));
  plait::netdef const inner = plait::read_netdef_text("name: \"in\" op { type: \"Relu\" input: \"x\" output: \"x\" }");
  CHECK(with_argument({"a", inner}) == text("n { name: \"in\" op { type: \"Relu\" input: \"x\" output: \"x\" } }"));
  CHECK(with_argument({"a", std::vector<plait::netdef>{inner, plait::netdef()}}) ==
        text("nets { name: \"in\" op { type: \"Relu\" input: \"x\" output: \"x\" } } nets { }"));
}

TEST_CASE("append_op: appends an op with operands, arguments in order, and a device") {
  plait::netdef n = plait::read_netdef_text("op { type: \"A\" output: \"x\" }");
  plait::built_op const wanted = {
      "B", {"x", "w"}, {"x"}, {{"p", 1}, {"q", "r"}}, plait::device_spec{plait::device_kind::cuda, 2}};
  plait::op_def const* const made = &plait::append_op(n, wanted);
  CHECK(made == &n.op.back());
  CHECK(n == plait::read_netdef_text(R"(
    op { type: "A" output: "x" }
    op { type: "B" input: "x" input: "w" output: "x" arg { name: "p" i: 1 } arg { name: "q" s: "r" }
         device_option { device_type: 1 device_id: 2 } })"));
}
