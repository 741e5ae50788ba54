// Backward step nets of random cells, interpreted step by step, against finite differences.
#include <plait/rnn/recurrent_net.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <net/test_nets.hpp>
#include <plait/netdef/arguments.hpp>
#include <support/interpret_gradients.hpp>

namespace {

using test::number_map;
using test::numbers;
using strings = std::vector<std::string>;

constexpr std::size_t steps = 4;

// RecurrentNetwork op for the interpreter, decoded from its arguments alone.
struct recurrence {
  plait::netdef net;
  plait::op_def const& op() const { return net.op.back(); }
  strings texts(std::string const& name) const { return plait::find_argument(net, op(), name)->strings; }
  std::vector<std::int64_t> integers(std::string const& name) const {
    return plait::find_argument(net, op(), name)->ints;
  }
  std::vector<plait::op_spec> ops(char const* name) const {
    auto const* inside = plait::find_argument(net, op(), name);
    return inside == nullptr ? std::vector<plait::op_spec>() : test::describe(*inside->n).ops;
  }
  std::string input(std::int64_t i) const { return std::string(net.text(op().input[static_cast<std::size_t>(i)])); }
};

struct pass {
  double loss = 0;
  std::map<std::string, double> gradients;  ///< by input of the op; the sequence's are called x0, x1, …
};

// Returns the weight of an output in the loss, different for each step and state.
double weight(std::size_t state, std::size_t t) {
  return 0.3 + 0.2 * static_cast<double>(state) + 0.1 * static_cast<double>(t * t);
}

// Returns the slices [first, first + count) of a sequence, as a link does.
numbers taken(numbers const& places, std::int64_t first, std::int64_t count) {
  auto const at = places.begin() + first;
  return {at, at + count};
}

struct links {
  strings internal, external;
  std::vector<std::int64_t> offset, window;

  links(recurrence const& r, std::string const& prefix)
      : internal(r.texts(prefix + "_internal")),
        external(r.texts(prefix + "_external")),
        offset(r.integers(prefix + "_offset")),
        window(internal.size(), 1) {
    if (plait::find_argument(r.net, r.op(), prefix + "_window") != nullptr) window = r.integers(prefix + "_window");
  }
};

// Returns the outer blob of an initial value: the name alone for a single value, else with an index.
std::string initial_name(recurrence const& r, std::int64_t input, std::size_t place, std::size_t count) {
  return r.input(input) + (count == 1 ? "" : std::to_string(place));
}

// Interprets the op on outer blobs by name, the sequence as x0, x1, …: forward, and backward if it has a backward pass.
pass run(recurrence const& r, std::map<std::string, double> const& given) {
  strings const states = r.texts("recurrent_states");
  auto const initial = r.integers("initial_recurrent_state_ids");
  auto const aliases = r.integers("alias_offset");
  std::string const sequence = r.input(0);
  auto const before = [&](std::size_t s) { return static_cast<std::size_t>(aliases[2 * s]); };

  std::map<std::string, numbers> places;
  for (std::size_t s = 0; s != states.size(); ++s) {
    places[states[s]].assign(steps + before(s), 0);
    for (std::size_t k = 0; k != before(s); ++k)
      places[states[s]][k] = given.at(initial_name(r, initial[s], k, before(s)));
  }
  for (std::size_t t = 0; t != steps; ++t) places[sequence].push_back(given.at(sequence + std::to_string(t)));

  std::vector<number_map> kept(steps);
  auto const forward = r.ops("step_net");
  links const there(r, "link");
  for (std::size_t t = 0; t != steps; ++t) {
    number_map& blobs = kept[t];
    for (auto const& [name, number] : given) blobs[name] = {number};
    for (std::size_t l = 0; l != there.internal.size(); ++l)
      if (there.offset[l] == 0)
        blobs[there.internal[l]] = taken(places.at(there.external[l]), static_cast<std::int64_t>(t), there.window[l]);
    test::interpret_ops(forward, blobs);
    for (std::size_t l = 0; l != there.internal.size(); ++l)
      if (there.offset[l] != 0)
        places.at(there.external[l]).at(t + static_cast<std::size_t>(there.offset[l])) =
            blobs.at(there.internal[l]).at(0);
  }
  pass made;
  for (std::size_t s = 0; s != states.size(); ++s)
    for (std::size_t t = 0; t != steps; ++t) made.loss += weight(s, t) * places[states[s]][t + before(s)];
  if (plait::find_argument(r.net, r.op(), "param") == nullptr) return made;

  auto const parameters = r.integers("param");
  strings const gradients = r.texts("param_grads");
  std::map<std::string, numbers> back;
  for (std::size_t s = 0; s != states.size(); ++s) {
    back[states[s] + "_grad"].assign(steps + before(s), 0);
    for (std::size_t t = 0; t != steps; ++t) back[states[s] + "_grad"][t + before(s)] = weight(s, t);
  }
  back[sequence + "_grad"].assign(steps, 0);
  auto const backward = r.ops("backward_step_net");
  links const here(r, "backward_link");
  for (std::size_t t = steps; t-- != 0;) {
    number_map& blobs = kept[t];
    for (std::size_t l = 0; l != here.internal.size(); ++l)
      if (here.offset[l] != 0)
        blobs[here.internal[l]] = {back.at(here.external[l]).at(t + static_cast<std::size_t>(here.offset[l]))};
    test::interpret_ops(backward, blobs);
    for (std::size_t l = 0; l != here.internal.size(); ++l)
      if (here.offset[l] == 0)
        for (std::size_t k = 0; k != static_cast<std::size_t>(here.window[l]); ++k)
          back.at(here.external[l]).at(t + k) += blobs.at(here.internal[l]).at(k);
    for (std::size_t p = 0; p != parameters.size(); ++p)
      made.gradients[r.input(parameters[p])] += blobs.at(gradients[p]).at(0);
  }
  for (std::size_t t = 0; t != steps; ++t) made.gradients[sequence + std::to_string(t)] = back[sequence + "_grad"][t];
  for (std::size_t s = 0; s != states.size(); ++s)
    for (std::size_t k = 0; k != before(s); ++k)
      made.gradients[initial_name(r, initial[s], k, before(s))] += back[states[s] + "_grad"][k];
  return made;
}

std::map<std::string, double> values(recurrence const& r) {
  std::map<std::string, double> made;
  double next = 0.4;
  for (std::size_t i = 1; i != r.op().input.size(); ++i)
    for (char const* place : {"", "0", "1", "2"}) made[r.input(static_cast<std::int64_t>(i)) + place] = next += 0.02;
  for (std::size_t t = 0; t != steps; ++t) made[r.input(0) + std::to_string(t)] = 0.5 - 0.2 * static_cast<double>(t);
  return made;
}

// Returns the number of gradients that differ from central differences; a missing gradient counts as 0.
std::size_t wrong_gradients(recurrence const& r) {
  auto given = values(r);
  pass const got = run(r, given);
  // The tolerance scales with the loss, since differences of a large loss are rounded.
  double const rounding = 1e-10 * std::abs(got.loss);
  std::size_t wrong = 0;
  for (auto& [name, number] : given) {
    double const at = number, h = 1e-5;
    number = at + h;
    double const above = run(r, given).loss;
    number = at - h;
    double const below = run(r, given).loss;
    number = at;
    double const expected = (above - below) / (2 * h);
    auto const found = got.gradients.find(name);
    double const gradient = found == got.gradients.end() ? 0 : found->second;
    if (std::abs(gradient - expected) > 1e-6 * (1 + std::abs(expected)) + rounding) ++wrong;
  }
  return wrong;
}

struct state_names {
  std::string in, out, initial;
};

plait::recurrent_net_options options_of(plait::net_builder const& cell, std::vector<state_names> const& states) {
  plait::recurrent_net_options made;
  made.cell = cell;
  made.inputs = {{"x_t", "x"}};
  made.outputs_with_grads.clear();
  for (state_names const& s : states) {
    made.outputs_with_grads.push_back(2 * made.states.size());
    made.states.push_back({s.in, s.out, s.initial});
  }
  return made;
}

recurrence recurrent(plait::recurrent_net_options const& options) {
  recurrence made;
  (void)plait::recurrent_net(made.net, options);
  return made;
}

// Returns a cell of 3 to 10 ops in which every new state depends on the sequence and on every state.
plait::recurrent_net_options random_cell(std::mt19937& random) {
  auto const below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  std::size_t const state_count = 1 + below(3);
  plait::net_builder cell("cell");
  strings blobs{"x_t", "w", "v"};
  std::vector<state_names> states;
  for (std::size_t s = 0; s != state_count; ++s) {
    std::string const k = std::to_string(s);
    states.push_back({"s" + k + "_prev", "s" + k, "init" + k});
    blobs.push_back(states.back().in);
  }
  for (std::string const& blob : blobs) cell.external_input(blob);
  std::size_t const op_count = 2 + below(5);
  for (std::size_t i = 0; i != op_count; ++i) {
    std::string const y = "b" + std::to_string(i);
    std::string const a = blobs[below(blobs.size())], b = blobs[below(blobs.size())];
    switch (below(7)) {
      case 0:
        cell.mul(a, b, y);
        break;
      case 1:
        cell.sum({a, b}, y);
        break;
      case 2:
        cell.add(a, b, y);
        break;
      case 3:
        cell.tanh(a, y);
        break;
      case 4:
        cell.sigmoid(a, y);
        break;
      case 5:
        cell.scale(a, 0.75f, y);
        break;
      default:
        cell.sub(a, b, y);
        break;
    }
    blobs.push_back(y);
  }
  // All values join in one blob, from which each state derives differently; later states also read earlier ones.
  strings all{blobs.begin(), blobs.end()};
  std::string last = cell.sum(all, "together").name();
  if (below(2) == 0) last = cell.tanh(last, "bounded").name();
  for (state_names const& s : states) {
    switch (below(4)) {
      case 0:
        cell.scale(last, 0.3f, s.out);
        break;
      case 1:
        cell.tanh(last, s.out);
        break;
      case 2:
        cell.mul(last, "w", s.out);
        break;
      default:
        cell.add(last, states.front().in, s.out);
        break;
    }
    if (below(2) == 0) last = s.out;
  }
  return options_of(cell, states);
}

}  // namespace

TEST_CASE("random recurrent cells: gradients equal finite differences") {
  std::mt19937 random(1711);
  for (int i = 0; i != 80; ++i) {
    auto const options = random_cell(random);
    CAPTURE(i);
    CHECK(wrong_gradients(recurrent(options)) == 0);
  }
}

TEST_CASE("random recurrent cells: recomputed blobs give the same gradients, and are not saved") {
  std::mt19937 random(1712);
  for (int i = 0; i != 30; ++i) {
    auto options = random_cell(random);
    for (plait::op_def const& op : options.cell.net().op)
      if (random() % 2 == 0) options.recompute_on_backward.emplace_back(options.cell.net().text(op.output.front()));
    auto const r = recurrent(options);
    CAPTURE(i);
    CHECK(wrong_gradients(r) == 0);
    auto const* back = plait::find_argument(r.net, r.op(), "backward_step_net");
    if (back == nullptr) continue;
    for (std::string const& blob : options.recompute_on_backward) {
      bool const is_state = std::ranges::any_of(options.states, [&](auto const& s) { return s.out == blob; });
      plait::symbol const s = back->n->find(blob);
      CHECK((is_state || std::ranges::find(back->n->external_input, s) == back->n->external_input.end()));
    }
  }
}

TEST_CASE("recurrent gradients: a cell of Sum and Add alone needs no backward step net") {
  plait::net_builder cell("cell");
  auto const [x, h, b] = cell.external_inputs("x_t", "h_prev", "b");
  cell.sum({x, h, b}, "h");
  auto const r = recurrent(options_of(cell, {{"h_prev", "h", "h0"}}));
  CHECK(plait::find_argument(r.net, r.op(), "backward_step_net") == nullptr);
  CHECK(wrong_gradients(r) == 0);
}

TEST_CASE("recurrent gradients: a contribution passed through to a state is accumulated; Caffe2 loses it") {
  plait::net_builder cell("cell");
  auto const [x, h, c] = cell.external_inputs("x_t", "h_prev", "c_prev");
  cell.mul(x, h, "h");
  cell.sum({"h", "c_prev"}, "c");
  cell.external_outputs("h", "c");
  auto options = options_of(cell, {{"h_prev", "h", "h0"}, {"c_prev", "c", "c0"}});
  CHECK(wrong_gradients(recurrent(options)) == 0);
  options.as_caffe2 = true;
  CHECK(wrong_gradients(recurrent(options)) != 0);
}

TEST_CASE("recurrent gradients: an undeclared capture has a gradient, also if it is the initial state") {
  plait::netdef cell;
  cell.add_op("Mul", {"x_t", "w"}, {"a"});
  cell.add_op("Mul", {"h_prev", "h0"}, {"b"});
  cell.add_op("Add", {"a", "b"}, {"s"});
  cell.add_op("Tanh", {"s"}, {"h"});
  plait::recurrent_net_options const options{
      .cell = cell, .inputs = {{"x_t", "x"}}, .states = {{.in = "h_prev", .out = "h", .initial = "h0"}}};
  auto const r = recurrent(options);
  CHECK(r.op().input.size() == 4);  // x, h0, w, and h0 again
  CHECK(wrong_gradients(r) == 0);
}

TEST_CASE("recurrent gradients: a state with a window holds the values of the last steps") {
  plait::net_builder cell("cell");
  auto const [x, win, c, w] = cell.external_inputs("x_t", "win", "c_prev", "w");
  auto const [old, older, oldest] = cell.op<3>("Split", win, {"third", "second", "first"});
  cell.tanh(cell.sum({cell.mul(old, w), cell.mul(older, c), oldest, x}), "h");
  cell.mul(c, cell.sigmoid("h"), "c");
  auto options = options_of(cell, {{"win", "h", "h0"}, {"c_prev", "c", "c0"}});
  options.states[0].window = 3;
  auto const r = recurrent(options);
  CHECK(r.integers("link_window") == std::vector<std::int64_t>{3, 1, 1, 1, 1});
  CHECK(r.integers("link_offset") == std::vector<std::int64_t>{0, 3, 0, 1, 0});
  CHECK(r.integers("alias_offset") == std::vector<std::int64_t>{3, -1, 1, -1});
  CHECK(wrong_gradients(r) == 0);
}
