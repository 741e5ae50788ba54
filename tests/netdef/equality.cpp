#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/equality.hpp>

namespace {

using plait::netdef;

netdef text(std::string const& source) { return plait::read_netdef_text(source); }

TEST_CASE("equality: symbols are compared by their text, not by their number") {
  netdef a, b;
  b.intern("unused");
  b.intern("y");
  a.add_op("Relu", {"x"}, {"y"});
  b.add_op("Relu", {"x"}, {"y"});
  CHECK(a.op[0].input[0] != b.op[0].input[0]);
  CHECK(a == b);
  CHECK(a == netdef(a));
  b.op[0].input[0] = b.intern("z");
  CHECK(a != b);
}

TEST_CASE("equality: every field counts, and its presence") {
  std::string const base =
      "name:'n' op{input:'x' arg{name:'a' floats:1 n{name:'m' op{type:'T'}} t{dims:[1,2] double_data:0.5}} "
      "device_option{device_type:0}} op{}";
  CHECK(text(base) == text(base));
  for (auto const& [from, to] : std::vector<std::pair<std::string, std::string>>{{"name:'n'", ""},
                                                                                 {"name:'n'", "name:''"},
                                                                                 {"input:'x'", "input:['x','x']"},
                                                                                 {"floats:1", "floats:1.0000001"},
                                                                                 {"name:'m'", "name:'k'"},
                                                                                 {"type:'T'", "name:'T'"},
                                                                                 {"dims:[1,2]", "dims:[2,1]"},
                                                                                 {"double_data:0.5", ""},
                                                                                 {"device_type:0", ""},
                                                                                 {"device_option{device_type:0}", ""},
                                                                                 {" op{}", ""},
                                                                                 {" op{}", " op{} op{}"},
                                                                                 {" op{}", " op{unknown:1}"},
                                                                                 {"t{", "tensors{"},
                                                                                 {"floats:1", "floats:1 i:0"}}) {
    CAPTURE(to);
    std::string other = base;
    other.replace(other.find(from), from.size(), to);
    CHECK_FALSE(text(base) == text(other));
    CHECK_FALSE(text(other) == text(base));
  }
  CHECK(text("arg{f:nan}") == text("arg{f:-nan}"));
  CHECK_FALSE(text("arg{f:0}") == text("arg{f:-0}"));
}

TEST_CASE("equivalence: names, engines, argument order, rounding and defaults are ignored") {
  netdef const base = text(
      "name:'n' op{name:'o' type:'RecurrentNetwork' input:'x' output:'y' arg{name:'k' i:3} arg{name:'step_net' "
      "n{name:'m' op{type:'T' arg{name:'f' f:1}}}}"
      " arg{name:'t' t{float_data:1}} device_option{device_type:1}} external_input:['x','w'] external_output:'y'");
  std::string const ops[] = {
      // Other names, engine, order of arguments, rounding, text for a message, explicit defaults.
      "op{type:'RecurrentNetwork' engine:'E' input:'x' output:'y' arg{name:'t' t{float_data:1.0000005}} "
      "arg{name:'step_net' s:'op{type:\\'T\\' arg{name:\\'f\\' f:0.9999995}}'}"
      " arg{name:'k' i:3} device_option{device_type:1 device_id:0 numa_node_id:-1}} external_input:['x','w'] "
      "external_output:'y' unknown:3"};
  for (std::string const& other : ops) {
    auto const difference = plait::first_difference(base, text(other));
    CAPTURE((difference ? difference->path : ""));
    CHECK_FALSE(difference);
    CHECK(plait::equivalent(text(other), base));
  }
  CHECK_FALSE(plait::equivalent(base, text(ops[0]), {.float_tolerance = 0}));
  CHECK_FALSE(plait::equivalent(base, text(ops[0]), {.text_nets_as_nets = false}));
}

TEST_CASE("first_difference: reports path and values of the first difference") {
  struct {
    std::string a, b, path, left, right;
  } const cases[] = {
      {"op{type:'A'}op{type:'B'}", "op{type:'A'}op{type:'C'}", "op[1].type", "B", "C"},
      {"op{input:['a','b']}", "op{input:['b','a']}", "op[0].input", "[\"a\", \"b\"]", "[\"b\", \"a\"]"},
      {"op{output:'a'}", "op{}", "op[0].output", "[\"a\"]", "[]"},
      {"op{}op{}", "op{}", "op", "2 of them", "1 of them"},
      {"op{arg{name:'k' i:3}}", "op{arg{name:'k' i:4}}", "op[0].arg[k].i", "3", "4"},
      {"op{arg{name:'k' i:3}}", "op{arg{name:'k' f:3}}", "op[0].arg[k].f", "absent", "3"},
      {"op{arg{name:'k'}}", "op{arg{name:'l'}}", "op[0].arg[k]", "present", "absent"},
      {"op{}", "op{arg{name:'l'}}", "op[0].arg[l]", "absent", "present"},
      {"op{arg{name:'k' floats:[1,2]}}", "op{arg{name:'k' floats:[1,2.1]}}", "op[0].arg[k].floats", "[1, 2]",
       "[1, 2.1]"},
      {"op{arg{name:'k' i:1}arg{name:'k' i:2}}", "op{arg{name:'k' i:1}}", "op[0].arg[k]", "present", "absent"},
      {"op{device_option{}}", "op{}", "op[0].device_option", "type 0, id 0", "absent"},
      {"op{device_option{device_id:1}}", "op{device_option{device_id:2}}", "op[0].device_option", "type 0, id 1",
       "type 0, id 2"},
      {"external_input:'a'", "external_input:'b'", "external_input", "[\"a\"]", "[\"b\"]"},
      {"op{type:'If' arg{name:'n' n{op{type:'A'}}}}", "op{type:'If' arg{name:'n' n{op{type:'B'}}}}",
       "op[0].arg[n].n.op[0].type", "A", "B"},
      {"op{arg{name:'n' nets:[{},{external_output:'x'}]}}", "op{arg{name:'n' nets:[{},{}]}}",
       "op[0].arg[n].nets[1].external_output", "[\"x\"]", "[]"},
      {"op{arg{name:'n' nets{}}}", "op{arg{name:'n'}}", "op[0].arg[n].n", "1 nets", "0 nets"},
      {"op{arg{name:'t' t{dims:[1]}}}", "op{arg{name:'t' t{dims:[2]}}}", "op[0].arg[t].t.dims", "[1]", "[2]"},
      {"op{arg{name:'t' tensors:[{},{segment{begin:1}}]}}", "op{arg{name:'t' tensors:[{},{segment{begin:2}}]}}",
       "op[0].arg[t].tensors.segment.begin", "1", "2"},
      {"op{type:'RecurrentNetwork' arg{name:'step_net' s:'}'}}",
       "op{type:'RecurrentNetwork' arg{name:'step_net' s:'{'}}", "op[0].arg[step_net].s", "\"}\"", "\"{\""},
  };
  for (auto const& each : cases) {
    CAPTURE(each.a);
    auto const found = plait::first_difference(text(each.a), text(each.b));
    REQUIRE(found);
    CHECK(found->path == each.path);
    CHECK(found->left == each.left);
    CHECK(found->right == each.right);
    CHECK_FALSE(plait::equivalent(text(each.b), text(each.a)));
  }
}

TEST_CASE("equivalence: ignore_args applies in nested nets, too") {
  netdef const a = text("op{arg{name:'p' i:1} arg{name:'q' i:1} arg{name:'n' n{op{arg{name:'p' i:5}}}}}");
  netdef const b = text("op{arg{name:'q' i:1} arg{name:'p' i:2} arg{name:'n' n{op{}}}}");
  CHECK_FALSE(plait::equivalent(a, b));
  CHECK(plait::equivalent(a, b, {.ignore_args = {"p"}}));
}

TEST_CASE("equivalence: floats are compared up to a tolerance") {
  auto const same = [](char const* a, char const* b, double tolerance = 1e-6) {
    return plait::equivalent(text(std::string("op{arg{f:") + a + "}}"), text(std::string("op{arg{f:") + b + "}}"),
                             {.float_tolerance = tolerance});
  };
  CHECK(same("1", "1.0000005"));
  CHECK_FALSE(same("1", "1.00001"));
  CHECK(same("1", "1.00001", 1e-4));
  CHECK(same("nan", "nan"));
  CHECK_FALSE(same("nan", "0"));
  CHECK_FALSE(same("inf", "3.4e38"));
  CHECK(same("inf", "inf"));
  CHECK(same("0", "-0"));
  CHECK_FALSE(same("0", "1e-20"));
}

TEST_CASE("equality: deep nets are compared without recursion") {
  std::string source;
  for (int i = 0; i != 333; ++i) source += "op{arg{n{";
  std::string const close(999, '}');
  plait::read_options const deep{.limits = {.max_depth = 1000}};
  netdef const a = plait::read_netdef_text(source + "name:'a'" + close, deep);
  netdef const b = plait::read_netdef_text(source + "op{type:'b'}" + close, deep);
  CHECK(a == a);
  CHECK_FALSE(a == b);
  CHECK(plait::equivalent(a, a));
  CHECK_FALSE(plait::equivalent(a, b));
}

}  // namespace
