// Non-state outputs and reversed recurrences: their ops and values.
#include <plait/rnn/detail/recurrence_plan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/check_gradient.hpp>
#include <plait/exec/plan.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/rnn/recurrent_net.hpp>
#include <support/named_numbers.hpp>
#include <support/op_lines.hpp>

namespace {

using test::filled;
using test::numbers;
using strings = std::vector<std::string>;
using tensor = plait::tensor<plait::serial>;

constexpr std::int64_t steps = 4, batch = 3, width = 2, out_width = 5;

// Cell h = tanh(x + h w' + b), y = h v' + c, z = sigmoid(x): z depends on no state.
plait::net_builder cell() {
  plait::net_builder c("cell");
  auto const [x, h_prev, w, b, v, d] = c.external_inputs("x_t", "h_prev", "w", "b", "v", "d");
  auto const h = c.tanh(c.sum({c.op("FC", {h_prev, w, b}, {}, {{"axis", 2}}), x}), "h");
  c.op("FC", {h, v, d}, "y", {{"axis", 2}});
  c.sigmoid(x, "z");
  return c;
}
plait::recurrent_net_options options() {
  return {.cell = cell(),
          .inputs = {{"x_t", "x"}},
          .states = {{.in = "h_prev", .out = "h", .initial = "h0"}},
          .scope = "r"};
}

struct model {
  plait::net_builder net{"net"};
  std::map<std::string, tensor> given;
  plait::workspace<plait::serial> blobs;

  model() {
    net.external_inputs("x", "h0", "w", "b", "v", "d", "lengths");
    give("x", {steps, batch, width});
    give("h0", {batch, width});
    give("w", {width, width});
    give("b", {width});
    give("v", {out_width, width});
    give("d", {out_width});
    given["lengths"] = tensor::from(std::vector<std::int32_t>{4, 0, 2}, {batch});
  }
  void give(std::string const& name, plait::shape const& dims) { given[name] = filled(name, dims); }
  void check(strings const& ys, strings const& moved = {"x", "h0", "w", "b", "v", "d"}) const {
    plait::workspace<plait::serial> fed;
    for (auto const& [name, value] : given) fed.feed(name, value.clone());
    auto const found = plait::check_gradient(net.net(), ys, moved, fed);
    CAPTURE(found.text());
    CHECK(found.ok());
  }
  void run(strings const& fetch) {
    for (auto const& [name, value] : given) blobs.feed(name, value.clone());
    plait::compile(net.net(), plait::standard_operators<plait::serial>(), blobs, {.fetch = fetch}).run();
  }
  numbers get(std::string const& name) const { return blobs.fetch<double>(name); }
};

// Reverses each sequence of T×N×… from its own end.
numbers turned(numbers const& all, std::vector<std::size_t> const& lengths) {
  numbers made = all;
  auto const row = static_cast<std::ptrdiff_t>(all.size() / static_cast<std::size_t>(steps * batch));
  for (std::size_t n = 0; n != lengths.size(); ++n)
    for (std::size_t t = 0; t != lengths[n]; ++t) {
      auto const from = static_cast<std::ptrdiff_t>((lengths[n] - 1 - t) * lengths.size() + n) * row;
      std::copy_n(all.begin() + from, row, made.begin() + static_cast<std::ptrdiff_t>(t * lengths.size() + n) * row);
    }
  return made;
}

}  // namespace

TEST_CASE("recurrent_net outputs: a non-state output is a state that starts at zero and is never read") {
  auto o = options();
  o.outputs = {{"y", 0, "ys", "d"}, {"h", -1, "end"}, {"y", -1, "y_end"}};
  o.outputs_with_grads = {0, 1, 2};
  plait::netdef n;
  auto const made = plait::recurrent_net(n, o);
  CHECK(made.blobs == strings{"ys", "end", "y_end"});
  CHECK(made.last("y") == "y_end");
  CHECK(test::lines_of(n) == test::lines{"ConstantFill: d -> r/y_zeros",
                                         "RecurrentNetwork: x h0 r/y_zeros w b v d -> ys end y_end r/step_workspaces"});
  std::vector<std::string> externals;
  for (plait::symbol const s : n.external_input) externals.emplace_back(n.text(s));
  CHECK(externals == strings{"d", "x", "h0", "w", "b", "v"});
  auto const texts = [&](char const* name) { return plait::find_argument(n, n.op[1], name)->strings; };
  CHECK(texts("recurrent_states") == strings{"r/h_prev_states", "r/y_states"});
  CHECK(texts("link_internal") == strings{"h_prev", "h", "y", "x_t"});
  CHECK(texts("alias_src") == strings{"r/y_states", "r/h_prev_states", "r/y_states"});
  CHECK(texts("backward_link_internal").size() == 4);  // h, h_prev, y, x
}

TEST_CASE("recurrent_net outputs: non-state outputs have the values of the steps, and gradients") {
  for (bool const backwards : {false, true}) {
    CAPTURE(backwards);
    model m;
    auto o = options();
    o.outputs = {{"y", 0, "ys", "d"}, {"h", 0, "hs"}, {"y", -1, "y_end", "d"}, {"z", 0, "zs", "h0"}};
    if (!backwards) o.outputs.push_back({"y", 1, "later"});
    o.outputs_with_grads = {0, 1, 2, 3};
    o.reverse = backwards;
    (void)plait::recurrent_net(m.net, o);
    m.net.op("FC", {"hs", "v", "d"}, "of_states", {{"axis", 2}});
    m.net.sigmoid("x", "of_sequence");
    m.run({"ys", "hs", "y_end", "zs", "of_states", "of_sequence"});
    numbers const ys = m.get("ys");
    CHECK(ys.size() == static_cast<std::size_t>(steps * batch * out_width));
    CHECK(test::apart(ys, m.get("of_states")) < 1e-13);
    CHECK(m.get("zs") == m.get("of_sequence"));
    auto const row = static_cast<std::ptrdiff_t>(batch * out_width);
    numbers const ends(backwards ? ys.begin() : ys.end() - row, backwards ? ys.begin() + row : ys.end());
    CHECK(m.get("y_end") == ends);
    if (!backwards) {
      m.run({"later"});
      CHECK(m.get("later") == numbers(ys.begin() + row, ys.end()));
    }
    for (strings const& looked_at : {strings{"ys"}, {"y_end"}, {"zs"}, {"ys", "hs", "y_end", "zs"}}) m.check(looked_at);
  }
}

TEST_CASE("recurrent_net outputs: recomputed and overwritten blobs have gradients, beside a state with a window") {
  model m;
  plait::net_builder c("cell");
  auto const [x, past, w, b] = c.external_inputs("x_t", "past", "w", "b");
  auto const [older, newer] = c.op<2>("Split", past, {"older", "newer"}, {{"axis", 0}});
  auto const s = c.sum({c.op("FC", {older, w, b}, {}, {{"axis", 2}}), newer, x}, "s");
  c.scale(s, 0.5f, "g");
  c.tanh("g", "g");
  c.sum({"g", x}, "h");
  plait::recurrent_net_options o{.cell = c,
                                 .inputs = {{x, "x"}},
                                 .states = {{.in = past, .out = "h", .initial = "before", .window = 2}},
                                 .outputs = {{"g", 0, "gs", "b"}, {"s", 0, "ss", "b"}, {"h", -1, "end"}},
                                 .recompute_on_backward = {"s"},
                                 .outputs_with_grads = {0, 1, 2}};
  m.net.external_input("before");
  m.give("before", {2, batch, width});
  (void)plait::recurrent_net(m.net, o);
  for (strings const& looked_at : {strings{"gs"}, {"ss"}, {"gs", "ss", "end"}})
    m.check(looked_at, {"x", "before", "w", "b"});
}

TEST_CASE("recurrent_net outputs: non-state outputs exist if forward only, also for zero steps") {
  for (std::int64_t const count : {std::int64_t{0}, steps}) {
    model m;
    m.give("x", {count, batch, width});
    auto o = options();
    o.outputs = {{"y", 0, "ys", "d"}, {"y", -1, "y_end"}};
    o.forward_only = true;
    (void)plait::recurrent_net(m.net, o);
    m.run({"ys", "y_end"});
    CHECK(m.blobs.view("ys").dims() == plait::shape{count, batch, out_width});
    if (count == 0) CHECK(m.get("y_end") == numbers(static_cast<std::size_t>(batch * out_width), 0));
  }
}

TEST_CASE("recurrent_net reverse: sequences are reversed before the op, and outputs of all steps after it") {
  auto o = options();
  o.reverse = true;
  o.lengths = "lengths";
  plait::netdef n;
  auto const made = plait::recurrent_net(n, o);
  CHECK(made.blobs == strings{"h_all", "h_last"});
  test::lines const ops = test::lines_of(n);
  REQUIRE(ops.size() == 13);  // ten of them compute the lengths
  CHECK(ops[10] == "ReversePackedSegs: x r/Min -> r/x_reversed");
  CHECK(ops[11] == "RecurrentNetwork: r/x_reversed h0 w b v d -> r/h_all_reversed h_last r/step_workspaces");
  CHECK(ops[12] == "ReversePackedSegs: r/h_all_reversed r/Min -> h_all");
  CHECK(std::string(n.text(n.external_input[0])) == "x");
  CHECK(std::string(n.text(n.external_input[1])) == "lengths");
}

TEST_CASE("recurrent_net reverse: equals forward on reversed sequences, with and without lengths") {
  for (bool const ends : {false, true}) {
    CAPTURE(ends);
    std::vector<std::size_t> const lengths = ends ? std::vector<std::size_t>{4, 0, 2} : std::vector<std::size_t>(3, 4);
    auto o = options();
    o.outputs = {{"h", 0, "hs"}, {"h", -1, "end"}};
    o.outputs_with_grads = {0, 1};
    model forward;
    forward.given["x"] = tensor::from(turned(forward.given["x"].values<double>(), lengths), {steps, batch, width});
    (void)plait::recurrent_net(forward.net, o);
    forward.run({"hs", "end"});
    o.reverse = true;
    if (ends) o.lengths = "lengths";
    model m;
    (void)plait::recurrent_net(m.net, o);
    m.run({"hs", "end"});
    CHECK(m.get("hs") == turned(forward.get("hs"), lengths));
    CHECK(m.get("end") == forward.get("end"));
    for (strings const& looked_at : {strings{"hs"}, {"end"}, {"hs", "end"}}) m.check(looked_at);
  }
}

TEST_CASE("recurrent_net reverse: a sequence with a window is reversed as a whole") {
  plait::net_builder c("cell");
  auto const [x, y, h] = c.external_inputs("x_t", "y_t", "h_prev");
  c.sum({c.mul(x, h), c.op("ReduceSum", c.mul(y, y), {}, {{"axes", {0}}, {"keepdims", 1}})}, "h");
  plait::recurrent_net_options o{.cell = c,
                                 .inputs = {{x, "x"}, {y, "y", 3}},
                                 .states = {{.in = h, .out = "h", .initial = "h0"}},
                                 .reverse = true};
  model m;
  m.net.external_input("y");
  m.give("y", {steps + 2, batch, width});
  auto const all = plait::recurrent_net(m.net, o).all("h");
  m.run({all.name()});
  numbers const xs = m.get("x"), ys = m.get("y"), hs = m.get(all.name());
  auto const row = static_cast<std::size_t>(batch * width);
  for (std::size_t i = 0; i != row; ++i) {
    double state = m.get("h0")[i];
    for (auto t = static_cast<std::size_t>(steps); t-- != 0;) {
      double sum = 0;
      for (std::size_t k = 0; k != 3; ++k) sum += ys[(t + k) * row + i] * ys[(t + k) * row + i];
      state = xs[t * row + i] * state + sum;
      CHECK(hs[t * row + i] == doctest::Approx(state));
    }
  }
  m.check({all.name()}, {"x", "y", "h0"});
}
