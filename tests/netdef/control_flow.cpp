#include <plait/netdef/detail/control_flow.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/equality.hpp>

#include <support/recorded_net.hpp>

using strings = std::vector<std::string>;

namespace {

plait::netdef net(std::string const& text) { return plait::read_netdef_text(text); }

template <class Add>
void check_refused(plait::netdef const& before, std::string const& blob, Add const& add) {
  plait::netdef n = before;
  try {
    add(n);
    FAIL("accepted");
  } catch (plait::net_error const& problem) {
    CHECK(problem.blob == blob);
    if (!blob.empty()) CHECK(std::string(problem.what()).find('\'' + blob + '\'') != std::string::npos);
  }
  CHECK(n == before);
}

std::string const mul = R"(op { type: "Mul" input: "x" input: "w" output: "y" })";

}  // namespace

TEST_CASE("control flow: add_if with one branch, compared as text") {
  plait::netdef n = net(R"(name: "n" op { type: "Scale" input: "x" output: "y" } external_input: "x")");
  auto const made = plait::add_if(n, "c", strings{"c", "x", "w", "y"}, net(R"(
    name: "then" op { type: "Mul" input: "x" input: "w" output: "t" } op { type: "Tanh" input: "t" output: "y" })"));
  CHECK(made == plait::control_blobs{{"y"}, {"n/workspace_if_then"}});
  CHECK(n == net(R"(
    name: "n"
    op { type: "Scale" input: "x" output: "y" }
    op { type: "CreateScope" output: "n/workspace_if_then" }
    op {
      type: "If"
      input: "c" input: "x" input: "w" input: "n/workspace_if_then"
      output: "y" output: "n/workspace_if_then"
      arg {
        name: "then_net"
        n {
          name: "do_then_net"
          op {
            type: "Do"
            input: "x" input: "w" input: "n/workspace_if_then"
            output: "y" output: "n/workspace_if_then"
            arg {
              name: "net"
              n {
                name: "then"
                op { type: "Mul" input: "x" input: "w" output: "t" }
                op { type: "Tanh" input: "t" output: "y" }
              }
            }
            arg { name: "inner_blobs" strings: "x" strings: "w" strings: "y" }
            arg { name: "outer_blobs_idx" ints: 0 ints: 1 ints: 2 }
          }
          external_input: "x" external_input: "w" external_input: "n/workspace_if_then"
          external_output: "y" external_output: "n/workspace_if_then"
        }
      }
    }
    external_input: "x" external_input: "c" external_input: "w"
    external_output: "y" external_output: "n/workspace_if_then")"));
}

TEST_CASE("control flow: add_while with a condition net, compared as text") {
  plait::netdef n = net(R"(name: "n")");
  auto const made =
      plait::add_while(n, "c", strings{"x", "i", "end"}, net(R"(op { type: "Add" input: "i" input: "x" output: "i" }
                              op { type: "Relu" input: "i" output: "local" })"),
                       net(R"(op { type: "LT" input: "i" input: "end" output: "c" })"));
  CHECK(made == plait::control_blobs{{"i", "c"}, {"n/workspace_loop_body", "n/workspace_loop_cond"}});
  CHECK(n == net(R"(
    name: "n"
    op { type: "ConstantFill" output: "c" arg { name: "dtype" i: 5 } arg { name: "value" i: 0 } }
    op { type: "CreateScope" output: "n/workspace_loop_body" }
    op { type: "CreateScope" output: "n/workspace_loop_cond" }
    op {
      type: "While"
      input: "c" input: "i" input: "x" input: "n/workspace_loop_body" input: "end" input: "n/workspace_loop_cond"
      output: "i" output: "n/workspace_loop_body" output: "c" output: "n/workspace_loop_cond"
      arg {
        name: "loop_net"
        n {
          name: "do_loop_body_net"
          op {
            type: "Do"
            input: "i" input: "x" input: "n/workspace_loop_body"
            output: "i" output: "n/workspace_loop_body"
            arg {
              name: "net"
              n { op { type: "Add" input: "i" input: "x" output: "i" } op { type: "Relu" input: "i" output: "local" } }
            }
            arg { name: "inner_blobs" strings: "i" strings: "x" }
            arg { name: "outer_blobs_idx" ints: 0 ints: 1 }
            arg { name: "copy_external_blobs" i: 1 }
          }
          external_input: "i" external_input: "x" external_input: "n/workspace_loop_body"
          external_output: "i" external_output: "n/workspace_loop_body"
        }
      }
      arg {
        name: "cond_net"
        n {
          name: "do_loop_condition_net"
          op {
            type: "Do"
            input: "i" input: "end" input: "n/workspace_loop_cond"
            output: "c" output: "n/workspace_loop_cond"
            arg { name: "net" n { op { type: "LT" input: "i" input: "end" output: "c" } } }
            arg { name: "inner_blobs" strings: "i" strings: "end" strings: "c" }
            arg { name: "outer_blobs_idx" ints: 0 ints: 1 ints: 2 }
          }
          external_input: "i" external_input: "end" external_input: "n/workspace_loop_cond"
          external_output: "c" external_output: "n/workspace_loop_cond"
        }
      }
    }
    external_input: "i" external_input: "x" external_input: "end"
    external_output: "i" external_output: "n/workspace_loop_body" external_output: "c"
    external_output: "n/workspace_loop_cond")"));
}

TEST_CASE("control flow: add_do binds blobs by name, or by the given bindings") {
  plait::netdef n = net(R"(name: "n" op { type: "CreateScope" output: "ws" } external_input: "X")");
  plait::netdef const inner = net(R"(op { type: "Mul" input: "a" input: "b" output: "t" }
                                     op { type: "Tanh" input: "t" output: "c" })");
  auto const made = plait::add_do(n, strings{"X", "W", "ws"}, inner,
                                  {.bindings = {{"c", "Y"}, {"b", "X"}, {"a", "W"}}, .workspace = "ws"});
  CHECK(made == plait::control_blobs{{"Y"}, {"ws"}});
  plait::op_def const& op = n.op.back();
  plait::netdef expected = net(R"(name: "n"
    op { type: "CreateScope" output: "ws" }
    op { type: "Do" input: "X" input: "W" input: "ws" output: "Y" output: "ws"
         arg { name: "net" n { op { type: "Mul" input: "a" input: "b" output: "t" }
                               op { type: "Tanh" input: "t" output: "c" } } }
         arg { name: "inner_blobs" strings: "b" strings: "a" strings: "c" }
         arg { name: "outer_blobs_idx" ints: 0 ints: 1 ints: 2 } }
    external_input: "X" external_input: "W" external_output: "Y" external_output: "ws")");
  CHECK(n == expected);
  CHECK(n.text(op.type) == "Do");

  plait::netdef m = net(R"(name: "m")");
  CHECK(plait::add_do(m, strings{"a", "b", "c"}, inner, {.reuse_workspace = true}) ==
        plait::control_blobs{{"c"}, {"m/workspace_do"}});
  CHECK(m == net(R"(name: "m"
    op { type: "CreateScope" output: "m/workspace_do" }
    op { type: "Do" input: "a" input: "b" input: "m/workspace_do" output: "c" output: "m/workspace_do"
         arg { name: "net" n { op { type: "Mul" input: "a" input: "b" output: "t" }
                               op { type: "Tanh" input: "t" output: "c" } } }
         arg { name: "inner_blobs" strings: "a" strings: "b" strings: "c" }
         arg { name: "outer_blobs_idx" ints: 0 ints: 1 ints: 2 }
         arg { name: "reuse_workspace" i: 1 } }
    external_input: "a" external_input: "b" external_output: "c" external_output: "m/workspace_do")"));
}

TEST_CASE("control flow: workspace names are unique, ops have the requested device") {
  plait::netdef n = net(R"(name: "n")");
  strings const scope{"c", "x", "w", "y"};
  plait::device_spec const gpu{plait::device_kind::cuda, 0};
  CHECK(plait::add_if(n, "c", scope, net(mul)).workspaces == strings{"n/workspace_if_then"});
  CHECK(plait::add_if(n, "c", scope, net(mul)).workspaces == strings{"n/workspace_if_then_auto_0"});
  CHECK(plait::add_if(n, "c", scope, net(mul), {}, {.name = "other", .device = gpu}).workspaces ==
        strings{"other/workspace_if_then"});
  CHECK(n.external_input.size() == 3);
  CHECK(n.external_output.size() == 4);
  CHECK(plait::net_traits<plait::netdef>::device(n, n.op[3]) == std::nullopt);
  for (std::size_t i : {4U, 5U}) CHECK(plait::net_traits<plait::netdef>::device(n, n.op[i]) == gpu);
  plait::netdef const& branch = *plait::find_argument(n, n.op[5], "then_net")->n;
  CHECK(plait::net_traits<plait::netdef>::device(branch, branch.op[0]) == gpu);
}

TEST_CASE("control flow: the condition is an input once, even if a branch reads it") {
  plait::netdef n = net(R"(name: "n")");
  plait::add_if(n, "c", strings{"c", "y"}, net(R"(op { type: "Not" input: "c" output: "y" })"));
  plait::op_def const& op = n.op.back();
  CHECK(op.input.size() == 2);
  CHECK(n.text(op.input[0]) == "c");
  CHECK(n.text(op.input[1]) == "n/workspace_if_then");
}

TEST_CASE("control flow: invalid scopes and bindings are refused, and the net is unchanged") {
  plait::netdef const n = net(R"(name: "n" op { type: "Relu" input: "x" output: "y" } external_input: "x")");
  strings const scope{"c", "x", "w", "y", "ws"};
  check_refused(n, "c", [](auto& m) { plait::add_if(m, "c", strings{"x", "w"}, net(mul)); });
  check_refused(n, "w", [](auto& m) { plait::add_if(m, "c", strings{"c", "x", "y"}, net(mul)); });
  check_refused(n, "nothing", [&](auto& m) {
    plait::add_if(m, "c", scope, net(mul), net(R"(op { type: "Relu" input: "nothing" output: "y" })"));
  });
  check_refused(n, "d", [&](auto& m) { plait::add_while(m, "d", scope, net(mul)); });
  check_refused(n, "c", [&](auto& m) { plait::add_while(m, "c", scope, net(mul), net(mul)); });
  check_refused(
      n, "v", [&](auto& m) { plait::add_while(m, "c", scope, net(R"(op { type: "Relu" input: "v" output: "y" })")); });
  check_refused(n, "w", [&](auto& m) { plait::add_do(m, strings{"x"}, net(mul)); });
  check_refused(n, "", [&](auto& m) {
    plait::add_do(m, scope, net(mul), {.copy_external_blobs = true, .reuse_workspace = true});
  });
  check_refused(n, "v", [&](auto& m) { plait::add_do(m, scope, net(mul), {.workspace = "v"}); });
  check_refused(n, "ws", [&](auto& m) {
    plait::add_do(m, scope, net(R"(op { type: "Relu" input: "ws" output: "y" })"), {.workspace = "ws"});
  });
  auto const bind = [&](std::vector<plait::blob_binding> bindings, std::string const& blob) {
    check_refused(n, blob, [&](auto& m) { plait::add_do(m, scope, net(mul), {.bindings = bindings}); });
  };
  bind({{"x", "x"}, {"x", "w"}}, "x");
  bind({{"x", "x"}, {"w", "x"}}, "x");
  bind({{"x", "x"}}, "w");
  bind({{"x", "x"}, {"w", "unknown"}}, "unknown");
  bind({{"x", "x"}, {"w", "w"}, {"unused", "y"}}, "unused");
}

TEST_CASE("control flow: nets equal those of Caffe2's helpers") {
  plait::netdef i1 = net(R"(name: "i1" op { type: "Scale" input: "x" output: "y" arg { name: "scale" f: 1 } }
                            external_input: "cond" external_input: "x")");
  plait::add_if(i1, "cond", strings{"cond", "x", "w", "y"}, net(mul));
  plait::append_op(i1, {"SumElements", {"y"}, {"loss"}});
  test::check_like_recorded(i1, "gradient", "grad_if_then");

  plait::netdef i4 = net(R"(name: "i4")");
  plait::add_if(
      i4, "cond", strings{"cond", "x", "w", "y"},
      net(R"(op { type: "Mul" input: "x" input: "w" output: "t" } op { type: "Tanh" input: "t" output: "y" })"),
      net(R"(op { type: "Scale" input: "x" output: "t" arg { name: "scale" f: 3 } }
                       op { type: "Sigmoid" input: "t" output: "y" })"));
  plait::append_op(i4, {"SumElements", {"y"}, {"loss"}});
  test::check_like_recorded(i4, "gradient", "grad_if_local");

  plait::netdef fc = net(R"(name: "n")");
  plait::add_if(fc, "cond", strings{"cond", "x", "wa", "ba", "wb", "bb", "y"},
                net(R"(op { type: "FC" input: "x" input: "wa" input: "ba" output: "y" })"),
                net(R"(op { type: "FC" input: "x" input: "wb" input: "bb" output: "y" })"));
  plait::append_op(fc, {"SumElements", {"y"}, {"loss"}});
  test::check_like_recorded(fc, "run", "ctl_if_fc_false");

  plait::netdef two = net(R"(name: "n")");
  plait::add_if(two, "cond", strings{"cond", "x", "w", "y", "z"}, net(R"(op { type: "Tanh" input: "x" output: "y" }
                       op { type: "Mul" input: "x" input: "w" output: "z" })"),
                net(R"(op { type: "Scale" input: "x" output: "y" arg { name: "scale" f: 2 } }
                       op { type: "Sigmoid" input: "w" output: "z" })"));
  plait::append_op(two, {"Mul", {"y", "z"}, {"s"}});
  test::check_like_recorded(two, "run", "ctl_if_two_true");

  plait::netdef inner = net(R"(name: "inner")");
  std::string const sub = R"(op { type: "Sub" input: "x" input: "w" output: "d2" })";
  plait::add_if(inner, "cond2", strings{"cond2", "x", "w", "y"}, net(mul),
                net(sub + R"(op { type: "Tanh" input: "d2" output: "y" })"));
  inner.external_input.clear();
  inner.external_output.clear();
  plait::netdef nested = net(R"(name: "n")");
  plait::add_if(nested, "cond", strings{"cond", "cond2", "x", "w", "y"}, inner,
                net(R"(op { type: "Sub" input: "x" input: "w" output: "d" }
                       op { type: "Scale" input: "d" output: "y" arg { name: "scale" f: -1.5 } })"));
  test::check_like_recorded(nested, "run", "ctl_if_nested_false_true");

  plait::netdef w1 = net(R"(name: "w1")");
  plait::add_while(w1, "cond", strings{"cond", "y", "w"},
                   net(R"(op { type: "Mul" input: "y" input: "w" output: "y" })"));
  plait::append_op(w1, {"SumElements", {"y"}, {"loss"}});
  test::check_like_recorded(w1, "gradient", "grad_while_simple");

  std::string const count = R"(op { type: "Add" input: "i" input: "one" output: "i" })";
  std::string const less = R"(op { type: "LT" input: "i" input: "n" output: "cond" })";
  plait::netdef w3 = net(R"(name: "w3")");
  plait::add_while(w3, "cond", strings{"cond", "y", "w", "i", "one", "n"},
                   net(R"(op { type: "Mul" input: "y" input: "w" output: "t" }
                          op { type: "Copy" input: "t" output: "y" })" +
                       count),
                   net(less));
  plait::append_op(w3, {"SumElements", {"y"}, {"loss"}});
  test::check_like_recorded(w3, "gradient", "grad_while_cond");

  plait::netdef states = net(R"(name: "n")");
  plait::add_while(states, "cond", strings{"cond", "y", "z", "i", "one", "n"},
                   net(R"(op { type: "Pow" input: "y" output: "y" arg { name: "exponent" f: 2 } }
                          op { type: "Scale" input: "z" output: "z" arg { name: "scale" f: 0.5 } })" +
                       count),
                   net(less));
  test::check_like_recorded(states, "run", "ctl_while_two_grad_1");

  for (char const* name : {"ctl_do_0", "ctl_do_1"}) {
    plait::netdef outer = net(R"(name: "do" op { type: "CreateScope" output: "ws" } external_input: "X"
                                 external_input: "W")");
    bool const other = std::string(name) == "ctl_do_1";
    std::vector<plait::blob_binding> bindings{{"a", "X"}, {"b", "W"}, {"c", "Y"}};
    if (other) std::swap(bindings[0], bindings[1]);
    plait::add_do(outer, strings{"X", "W", "ws"}, net(R"(op { type: "Mul" input: "a" input: "b" output: "t" }
                         op { type: "Tanh" input: "t" output: "c" })"),
                  {.bindings = bindings, .workspace = "ws"});
    outer.external_output.clear();
    test::check_like_recorded(outer, "run", name);
  }
}
