#include <plait/netdef/net_builder.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/equality.hpp>
#include <plait/ssa/versioning.hpp>

#include <support/recorded_net.hpp>

using plait::blob_handle;
using plait::net_builder;
using strings = std::vector<std::string>;

namespace {

plait::netdef net(std::string const& text) { return plait::read_netdef_text(text); }

void check_net(plait::netdef const& made, std::string const& expected) {
  plait::netdef const wanted = net(expected);
  auto const difference = plait::first_difference(made, wanted);
  if (difference) MESSAGE(difference->path << ": " << difference->left << " / " << difference->right);
  CHECK(made == wanted);
}

// Checks that `add` throws a net_error about the blob and leaves the net unchanged.
template <class Add>
void check_refused(net_builder& builder, std::string const& blob, Add const& add) {
  plait::netdef const before = builder.net();
  try {
    add();
    FAIL("accepted");
  } catch (plait::net_error const& problem) {
    CHECK(problem.blob == blob);
    CHECK(std::string(problem.what()).find("net '") != std::string::npos);
  }
  CHECK(builder.net() == before);
}

// Returns the inner net of the Do op in the given argument of the last op.
plait::netdef const& inside(plait::netdef const& n, std::string const& argument) {
  plait::netdef const& branch = *plait::find_argument(n, n.op.back(), argument)->n;
  return *plait::find_argument(branch, branch.op.front(), "net")->n;
}

}  // namespace

TEST_CASE("net builder: the cell of the tour") {
  net_builder cell("cell");
  auto [x, h_prev, w, b] = cell.external_inputs("x_t", "h_prev", "w", "b");
  auto h = cell.tanh(cell.fc(cell.concat({x, h_prev}, 1), w, b), "h");
  cell.external_outputs(h);
  CHECK(h.name() == "h");
  check_net(cell.net(), R"(name: "cell"
    op { type: "Concat" input: "x_t" input: "h_prev" output: "cell/Concat" output: "_cell/Concat_concat_dims"
         arg { name: "axis" i: 1 } }
    op { type: "FC" input: "cell/Concat" input: "w" input: "b" output: "cell/FC" }
    op { type: "Tanh" input: "cell/FC" output: "h" }
    external_input: "x_t" external_input: "h_prev" external_input: "w" external_input: "b" external_output: "h")");
}

TEST_CASE("net builder: op and op_n add ops of any type and number of outputs") {
  net_builder n("n");
  auto [x, h, c] = n.external_inputs("x", "h", "c");
  auto [h2, c2] = n.op<2>("LSTMUnit", {h, c, "x"}, {"h2", c}, {{"drop_states", true}, {"forget_bias", 1.5}});
  CHECK(c2.name() == "c");
  auto [p, q] = n.op<2>("Pair", h2);
  blob_handle const again = n.op("Relu", q);
  CHECK(n.op("Relu", again).name() == "n/Relu_2");
  std::vector<blob_handle> const some = n.op_n("Split", x, 2);
  CHECK(some[1].name() == "n/Split:1");
  CHECK(n.op_n("Unique", x, {"u", "v"}).size() == 2);
  CHECK(n.op_n("Print", {p, q}, 0).empty());
  n.op("Sum", some, "total");
  check_net(n.net(), R"(name: "n"
    op { type: "LSTMUnit" input: "h" input: "c" input: "x" output: "h2" output: "c"
         arg { name: "drop_states" i: 1 } arg { name: "forget_bias" f: 1.5 } }
    op { type: "Pair" input: "h2" output: "n/Pair:0" output: "n/Pair:1" }
    op { type: "Relu" input: "n/Pair:1" output: "n/Relu" }
    op { type: "Relu" input: "n/Relu" output: "n/Relu_2" }
    op { type: "Split" input: "x" output: "n/Split:0" output: "n/Split:1" }
    op { type: "Unique" input: "x" output: "u" output: "v" }
    op { type: "Print" input: "n/Pair:0" input: "n/Pair:1" }
    op { type: "Sum" input: "n/Split:0" input: "n/Split:1" output: "total" }
    external_input: "x" external_input: "h" external_input: "c")");
}

TEST_CASE("net builder: op details are name, engine, control inputs, device and random seed") {
  net_builder n("n");
  auto [x, ready] = n.external_inputs("x", "ready");
  auto y = n.op("Conv", {x}, "y", {{"kernel", 3}},
                {.name = "first", .engine = "CUDNN", .control_inputs = {ready, "x"}, .random_seed = 7});
  {
    auto const gpu = n.device(plait::device_spec{plait::device_kind::cuda, 1});
    n.op_n("Dropout", {y}, 1, {}, {.device = plait::device_spec{}, .random_seed = 8});
    n.op_n("Split", {y}, {"a", "b"}, {}, {.name = "second"});
  }
  check_refused(n, "later", [&] { n.op("Relu", {x}, "z", {}, {.control_inputs = {"later"}}); });
  check_net(n.net(), R"(name: "n"
    op { type: "Conv" name: "first" input: "x" output: "y" arg { name: "kernel" i: 3 } engine: "CUDNN"
         control_input: "ready" control_input: "x" device_option { random_seed: 7 } }
    op { type: "Dropout" input: "y" output: "n/Dropout:0" device_option { device_type: 0 random_seed: 8 } }
    op { type: "Split" name: "second" input: "y" output: "a" output: "b"
         device_option { device_type: 1 device_id: 1 } }
    external_input: "x" external_input: "ready")");
}

TEST_CASE("net builder: generated names are unused") {
  net_builder n(net(R"(name: "n" op { type: "Relu" input: "n/Relu" output: "y" } external_input: "x")"));
  CHECK(n.relu("y").name() == "n/Relu_2");
  CHECK(n.relu("n/Relu", "n/Relu_3").name() == "n/Relu_3");
  CHECK(n.relu("x").name() == "n/Relu_4");
  CHECK(n.blob("x").name() == "x");
  CHECK(n.name() == "n");
}

TEST_CASE("net builder: name scopes and devices end with their guards") {
  net_builder n("n");
  auto const x = n.external_input("x");
  plait::device_spec const gpu{plait::device_kind::cuda, 1};
  {
    auto const layer = n.scope("layer1");
    auto const w = n.external_input("w");
    {
      auto const on_gpu = n.device(gpu);
      auto const deeper = n.scope("a");
      n.mul(x, w, "y");
      n.relu(n.blob("layer1/a/y"), x);
    }
    n.mul("w", "a/y", "y");
    check_refused(n, "layer1/x", [&] { n.relu("x"); });
  }
  n.relu("layer1/y", "z");
  check_net(n.net(), R"(name: "n"
    op { type: "Mul" input: "x" input: "layer1/w" output: "layer1/a/y" device_option { device_type: 1 device_id: 1 } }
    op { type: "Relu" input: "layer1/a/y" output: "x" device_option { device_type: 1 device_id: 1 } }
    op { type: "Mul" input: "layer1/w" input: "layer1/a/y" output: "layer1/y" }
    op { type: "Relu" input: "layer1/y" output: "z" }
    external_input: "x" external_input: "layer1/w")");
}

TEST_CASE("net builder: blobs that are not in scope are refused, and nothing changes") {
  net_builder n("n");
  auto const x = n.external_input("x");
  net_builder other("other");
  auto const theirs = other.external_input("x");
  auto const theirs_too = other.external_input("theirs");
  check_refused(n, "w", [&] { n.mul(x, "w"); });
  check_refused(n, "x", [&] { n.relu(theirs); });
  check_refused(n, "theirs", [&] { n.relu(x, theirs_too); });
  check_refused(n, "", [&] { n.relu(blob_handle()); });
  check_refused(n, "", [&] { n.relu(x, ""); });
  check_refused(n, "x", [&] { n.external_input("x"); });
  check_refused(n, "x", [&] { n.external_inputs("new", "x"); });
  check_refused(n, "new", [&] { n.external_inputs("new", "new"); });
  check_refused(n, "y", [&] { n.external_outputs(x, "y"); });
  check_refused(n, "y", [&] { n.append_ops(net(R"(op { type: "Relu" input: "y" output: "z" })")); });
  CHECK_THROWS_AS(static_cast<void>(n.blob("y")), plait::net_error);
  CHECK_FALSE(n.visible("y"));
  CHECK(n.relu(x).name() == "n/Relu");  // no name was used up
}

TEST_CASE("net builder: an op with another number of outputs than names is refused") {
  net_builder n("n");
  auto const x = n.external_input("x");
  for (auto const &add : {+[](net_builder& b, blob_handle const& in) {
                            b.op("Split", in, {"p", "q"});
                          },
                          +[](net_builder& b, blob_handle const& in) { b.op<2>("Split", in, "p"); },
                          +[](net_builder& b, blob_handle const& in) {
                            b.relu(in, {"p", "q"});
                          }}) {
    try {
      add(n, x);
      FAIL("accepted");
    } catch (plait::net_error const& problem) {
      std::string const said = problem.what();
      CHECK((said.find("has 1 output,") != std::string::npos || said.find("has 2 outputs,") != std::string::npos));
      CHECK((said.find("but 2 names") != std::string::npos || said.find("but 1 name") != std::string::npos));
    }
  }
  CHECK(n.net().op.empty());
}

TEST_CASE("net builder: outputs are declared once, in order") {
  net_builder n("n");
  auto const [x, y] = n.external_inputs("x", "y");
  n.external_outputs(y, x);
  n.external_outputs(x, y, n.relu(x, "z"));
  check_net(n.net(), R"(name: "n" op { type: "Relu" input: "x" output: "z" } external_input: "x" external_input: "y"
    external_output: "y" external_output: "x" external_output: "z")");
}

TEST_CASE("net builder: a net can be taken, continued and edited") {
  net_builder n("n");
  n.relu(n.external_input("x"), "y");
  plait::netdef const first = n.take();
  check_net(n.net(), R"(name: "n")");
  CHECK_FALSE(n.visible("x"));

  net_builder m(first);
  m.append_ops(net(R"(op { type: "Tanh" input: "y" output: "z" engine: "E" })"));
  CHECK(m.edit([](plait::netdef& edited) {
    edited.add_op("Exp", {"z"}, {"e"});
    return 7;
  }) == 7);
  m.edit([](plait::netdef& edited) { edited.external_output.push_back(edited.intern("e")); });
  m.log("e", "l");
  m.external_outputs("e", "l");
  check_net(m.take(), R"(name: "n"
    op { type: "Relu" input: "x" output: "y" }
    op { type: "Tanh" input: "y" output: "z" engine: "E" }
    op { type: "Exp" input: "z" output: "e" }
    op { type: "Log" input: "e" output: "l" }
    external_input: "x" external_output: "e" external_output: "l")");
}

TEST_CASE("net builder: edit rebuilds the scope from the net") {
  net_builder n("n");
  n.relu(n.external_input("x"), "gone");
  n.declare("later");
  n.edit([](plait::netdef& edited) {
    edited = plait::read_netdef_text(R"(name: "n" op { type: "Exp" input: "new" output: "newer" })");
  });
  CHECK_FALSE(n.visible("gone"));
  CHECK_FALSE(n.visible("x"));
  CHECK(n.visible("newer"));
  CHECK(n.visible("later"));
  CHECK_THROWS_AS(n.edit([](plait::netdef& edited) {
    edited.add_op("Exp", {"new"}, {"halfway"});
    throw plait::net_error("no further");
  }),
                  plait::net_error);
  CHECK(n.visible("halfway"));
}

TEST_CASE("net builder: branches bind blobs of the enclosing net by name, other blobs are local") {
  net_builder n("n");
  auto const [c, x] = n.external_inputs("c", "x");
  auto const y = n.declare("y");
  auto const written = n.if_(
      c,
      [&](net_builder& then) {
        CHECK(then.name() == "n_1");
        then.tanh(then.mul(x, x), y);
        then.relu("x", "local");
      },
      [&](auto& otherwise) { otherwise.copy("x", "y"); });
  CHECK(written == std::vector{y});
  n.relu(y);
  CHECK_FALSE(n.visible("local"));
  CHECK_FALSE(n.visible("n_1/Mul"));
  check_net(n.net(), R"(name: "n"
    op { type: "CreateScope" output: "n/workspace_if_then" }
    op { type: "CreateScope" output: "n/workspace_if_else" }
    op { type: "If" input: "c" input: "x" input: "n/workspace_if_then" input: "n/workspace_if_else"
         output: "y" output: "n/workspace_if_then" output: "n/workspace_if_else"
         arg { name: "then_net" n { name: "do_then_net"
           op { type: "Do" input: "x" input: "n/workspace_if_then" output: "y" output: "n/workspace_if_then"
                arg { name: "net" n { name: "n_1"
                  op { type: "Mul" input: "x" input: "x" output: "n_1/Mul" }
                  op { type: "Tanh" input: "n_1/Mul" output: "y" }
                  op { type: "Relu" input: "x" output: "local" }
                  external_input: "x" } }
                arg { name: "inner_blobs" strings: "x" strings: "y" }
                arg { name: "outer_blobs_idx" ints: 0 ints: 1 } }
           external_input: "x" external_input: "n/workspace_if_then"
           external_output: "y" external_output: "n/workspace_if_then" } }
         arg { name: "else_net" n { name: "do_else_net"
           op { type: "Do" input: "x" input: "n/workspace_if_else" output: "y" output: "n/workspace_if_else"
                arg { name: "net" n { name: "n_2"
                  op { type: "Copy" input: "x" output: "y" }
                  external_input: "x" } }
                arg { name: "inner_blobs" strings: "x" strings: "y" }
                arg { name: "outer_blobs_idx" ints: 0 ints: 1 } }
           external_input: "x" external_input: "n/workspace_if_else"
           external_output: "y" external_output: "n/workspace_if_else" } } }
    op { type: "Relu" input: "y" output: "n/Relu" }
    external_input: "c" external_input: "x")");
}

TEST_CASE("net builder: a loop condition is returned, the last output, given by name, or without a net") {
  auto const count = [](net_builder& n) {
    n.constant_fill({1}, 0, "i");
    n.constant_fill({1}, 1, "one");
    n.constant_fill({1}, 5, "end");
  };
  auto const body = [](net_builder& b) { b.add("i", "one", "i"); };

  net_builder returned("n");
  count(returned);
  returned.while_([](net_builder& c) { return c.lt("i", "end"); }, body);
  CHECK(inside(returned.net(), "cond_net") ==
        net(R"(name: "n_1" op { type: "LT" input: "i" input: "end" output: "n_1/LT" }
               external_input: "i" external_input: "end")"));
  CHECK(returned.net().text(returned.net().op.back().input[0]) == "n_1/LT");
  CHECK(returned.visible("n_1/LT"));
  CHECK(inside(returned.net(), "loop_net").text(inside(returned.net(), "loop_net").name) == "n_2");

  net_builder last("n");
  count(last);
  last.while_([](net_builder& c) { c.lt("i", "end"); }, body);
  CHECK(last.net() == returned.net());

  net_builder named("n");
  count(named);
  named.while_(
      "go", [](net_builder& c) { c.lt("i", "end", "go"); }, body);
  CHECK(named.net().text(named.net().op.back().input[0]) == "go");

  net_builder without("n");
  count(without);
  auto const go = without.lt("i", "end", "go");
  auto const written = without.while_(go, [&](net_builder& b) {
    b.add("i", "one", "i");
    b.lt("i", "end", go);
  });
  CHECK(written == std::vector{without.blob("i"), go});
  CHECK(plait::find_argument(without.net(), without.net().op.back(), "cond_net") == nullptr);

  net_builder nets("n");
  count(nets);
  nets.while_("go", net(R"(op { type: "LT" input: "i" input: "end" output: "go" })"),
              net(R"(op { type: "Add" input: "i" input: "one" output: "i" })"));
  CHECK(inside(nets.net(), "loop_net") == net(R"(op { type: "Add" input: "i" input: "one" output: "i" })"));
}

TEST_CASE("net builder: do_ runs in a new workspace, or in an existing one") {
  net_builder n("n");
  auto const x = n.external_input("x");
  auto const y = n.declare("y");
  auto const first = n.do_([&](net_builder& d) { d.relu(x, y); });
  CHECK(first == std::vector{y});
  n.do_(net(R"(op { type: "Relu" input: "a" output: "b" })"),
        {.bindings = {{"a", "y"}, {"b", "z"}}, .workspace = "n/workspace_do", .reuse_workspace = true});
  check_net(n.net(), R"(name: "n"
    op { type: "CreateScope" output: "n/workspace_do" }
    op { type: "Do" input: "x" input: "n/workspace_do" output: "y" output: "n/workspace_do"
         arg { name: "net" n { name: "n_1" op { type: "Relu" input: "x" output: "y" } external_input: "x" } }
         arg { name: "inner_blobs" strings: "x" strings: "y" }
         arg { name: "outer_blobs_idx" ints: 0 ints: 1 } }
    op { type: "Do" input: "y" input: "n/workspace_do" output: "z" output: "n/workspace_do"
         arg { name: "net" n { op { type: "Relu" input: "a" output: "b" } } }
         arg { name: "inner_blobs" strings: "a" strings: "b" }
         arg { name: "outer_blobs_idx" ints: 0 ints: 1 }
         arg { name: "reuse_workspace" i: 1 } }
    external_input: "x")");
  CHECK(n.visible("z"));
}

TEST_CASE("net builder: invalid control flow is refused, and the enclosing net is unchanged") {
  net_builder n("n");
  auto const [c, x, y] = n.external_inputs("c", "x", "y");
  auto const body = [&](net_builder& b) { b.relu(x, y); };
  check_refused(n, "d", [&] { n.if_("d", body); });
  check_refused(n, "w", [&] { n.if_(c, body, [](net_builder& b) { b.relu("w", "y"); }); });
  check_refused(n, "d", [&] { n.while_("d", body); });
  // The condition net does not write the condition, has no output, has two.
  try {
    n.while_([&](net_builder&) { return c; }, body);
    FAIL("accepted");
  } catch (plait::net_error const& problem) {
    CHECK(problem.blob == "c");
  }
  check_refused(n, "", [&] { n.while_([](net_builder&) {}, body); });
  check_refused(n, "", [&] { n.while_([&](net_builder& b) { b.op<2>("Two", x); }, body); });
  CHECK_THROWS_AS(n.if_(c, net(R"(op { type: "Relu" input: "w" output: "y" })")), plait::net_error);
  CHECK_THROWS_AS(n.do_(body, {.copy_external_blobs = true, .reuse_workspace = true}), plait::net_error);
  CHECK(n.net().op.empty());

  // Local blobs of a branch are not in the scope of the enclosing net, nor of another branch.
  std::optional<blob_handle> local;
  n.if_(c, [&](net_builder& b) { local = b.relu(x, "local"); });
  check_refused(n, "local", [&] { n.relu(*local); });
  check_refused(n, "local", [&] { n.if_(c, [&](net_builder& b) { b.relu("local", y); }); });
}

TEST_CASE("net builder: branches inherit name scope and device of the enclosing net") {
  net_builder n("n");
  auto const c = n.external_input("c");
  {
    auto const layer = n.scope("layer");
    auto const on_gpu = n.device(plait::device_spec{plait::device_kind::cuda, 0});
    auto const w = n.external_input("w");
    n.if_(c, [&](net_builder& b) { b.relu("w", w); });
  }
  plait::netdef const branch = inside(n.net(), "then_net");
  check_net(branch, R"(name: "n_1" op { type: "Relu" input: "layer/w" output: "layer/w"
    device_option { device_type: 1 device_id: 0 } } external_input: "layer/w")");
  CHECK(plait::net_traits<plait::netdef>::device(n.net(), n.net().op.back()).has_value());
}

TEST_CASE("net builder: a hundred thousand ops and a thousand branches take linear time") {
  net_builder n("n");
  auto const c = n.external_input("c");
  auto x = n.external_input("x");
  for (std::size_t i = 0; i != 100'000; ++i) x = n.relu(x);
  for (std::size_t i = 0; i != 1'000; ++i) n.if_(c, [&](net_builder& b) { b.tanh(x, x); });
  CHECK(n.net().op.size() == 102'000);
  CHECK(plait::get_ssa(n.net()).undefined().size() == 2);
}

TEST_CASE("net builder: nets equal those of Caffe2's NetBuilder") {
  auto const scalar = [](net_builder& n, char const* name, float value) { return n.given_tensor({}, {value}, name); };
  {
    net_builder n("nb_ifnet");
    auto const x = scalar(n, "x", 2), w = scalar(n, "w", 3), y = scalar(n, "y", 1);
    n.if_(
        n.gt(x, w), [&](net_builder& b) { b.mul(x, w, y); }, [&](net_builder& b) { b.add(x, w, y); },
        {.name = "nb_ifnet/nb_ifnet/if_else_net"});
    n.copy(y, "out");
    test::check_like_recorded(n.take(), "gradient", "grad_nb_ifnet_gen");
  }
  {
    net_builder n("nb_ifnet_nested");
    auto const x = scalar(n, "x", 2), w = scalar(n, "w", 3), y = scalar(n, "y", 1), five = scalar(n, "five", 5);
    std::string const name = "nb_ifnet_nested/nb_ifnet_nested/if_else_net";
    n.if_(
        n.lt(x, w),
        [&](net_builder& b) {
          b.if_(
              b.gt(x, five), [&](net_builder& i) { i.mul(x, w, y); }, [&](net_builder& i) { i.sub(x, w, y); },
              {.name = name});
        },
        [&](net_builder& b) { b.add(x, w, y); }, {.name = name + "_1"});
    n.copy(y, "out");
    test::check_like_recorded(n.take(), "gradient", "grad_nb_ifnet_nested_given");
  }
  for (bool const with_if : {false, true}) {
    std::string const called = with_if ? "nb_whilenet_if" : "nb_whilenet";
    net_builder n(called);
    auto const x = scalar(n, "x", 2), i = scalar(n, "i", 0), end = scalar(n, "n", 3), one = scalar(n, "one", 1),
               y = scalar(n, "y", 1);
    n.while_([&](net_builder& c) { return c.lt(i, end); },
             [&](net_builder& b) {
               if (with_if)
                 b.if_(
                     b.gt(y, end), [&](net_builder& t) { t.mul(y, x, y); }, [&](net_builder& t) { t.add(y, x, y); },
                     {.name = called + '/' + called + "/if_else_net"});
               else
                 b.mul(y, x, y);
               b.add(i, one, i);
             },
             {.name = called + '/' + called + "/while_net"});
    n.copy(y, "out");
    test::check_like_recorded(n.take(), "gradient", with_if ? "grad_nb_whilenet_if_gen" : "grad_nb_whilenet_gen");
  }
  {
    net_builder n("nb");
    auto const given = [&](auto value, char const* name) {
      using element = std::conditional_t<std::is_same_v<decltype(value), int>, std::int64_t, float>;
      bool const whole = std::is_same_v<element, std::int64_t>;
      auto const made = n.op_n(whole ? "GivenTensorInt64Fill" : "GivenTensorFill", {}, 1,
                               {plait::argument_spec{"shape", std::vector<std::int64_t>{}},
                                plait::net_argument("values", std::vector<element>{static_cast<element>(value)})});
      return n.copy(made[0], name);
    };
    auto const i = given(0, "i"), one = given(1, "one"), two = given(2, "two"), end = given(3, "n");
    auto const x = given(1.5f, "x"), y = given(1.2f, "y"), z = given(1.1f, "z");
    n.while_(
        [&](net_builder& c) {
          c.add(i, one, i);
          return c.le(i, end);
        },
        [&](net_builder& b) {
          b.pow(x, 2, x);
          b.if_(
              b.lt(i, two), [&](net_builder& t) { t.pow(y, 2, y); }, [&](net_builder& e) { e.pow(z, 3, z); },
              {.name = "nb/nb/if_else_net"});
        },
        {.name = "nb/nb/while_net"});
    n.add(n.add(x, y, "xy"), z, "out");
    test::check_like_recorded(n.take(), "run", "ctl_nb_while_if_3");
  }
}
