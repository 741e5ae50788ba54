// Fuzz target of recurrences: RecurrentNetwork and its gradient with any step nets, links, aliases and shapes give
// typed errors or results, and the results do not depend on which values share memory, nor on whether time steps
// overlap.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/operators.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/traits.hpp>

#include "net_runs.hpp"

namespace {

using fuzz::backend;
using fuzz::choices;
using fuzz::tensor;
using texts = std::vector<std::string>;
using integers = std::vector<std::int64_t>;

char const* const blobs_of_steps[] = {"p", "q", "r", "s", "p_grad", "q_grad", "timestep", "w"};
char const* const outer_blobs[] = {"hs", "ks", "x", "h", "w", "hs_grad", "ks_grad", "x_grad", "missing"};

std::int64_t offset(choices& from) {
  std::int64_t const most = std::numeric_limits<std::int64_t>::max();
  std::int64_t const all[] = {0, 1, 0, 1, 0, 1, 2, 3, -1, -2, most, -most - 1, most / 2};
  return from.of(all);
}

// Returns a step net, mostly of ops that are usual in recurrences, so that many runs succeed.
plait::netdef step_net(choices& from) {
  plait::netdef net;
  char const* const types[] = {"Sum", "Sum", "Max", "Copy", "Concat", "rnn_internal_apply_link"};
  for (std::size_t ops = 1 + from.below(3); ops != 0; --ops) {
    std::string const type = from.of(types);
    plait::op_def& op = net.add_op(type, {}, {});
    bool const links = type == "rnn_internal_apply_link";
    std::size_t const inputs = type == "Copy" ? 1 : 2;
    if (links) {
      op.input = {net.intern("timestep"), net.intern(from.of(outer_blobs))};
      op.output = {net.intern(from.of(blobs_of_steps)), op.input[1]};
      op.arg.push_back(plait::make_argument(net, {"offset", offset(from)}));
      op.arg.push_back(plait::make_argument(net, {"window", offset(from)}));
      continue;
    }
    for (std::size_t i = 0; i != inputs; ++i) op.input.push_back(net.intern(from.of(blobs_of_steps)));
    op.output.push_back(net.intern(from.of(blobs_of_steps)));
    if (type == "Concat") {
      op.output.push_back(net.intern("sizes"));
      op.arg.push_back(plait::make_argument(net, {"axis", std::int64_t{0}}));
    }
  }
  return net;
}

struct links {
  texts internal, external;
  integers offsets, windows;

  links(choices& from, bool all_forward) {
    if (all_forward) {
      internal = {"p", "q"};
      external = {"hs", "hs"};
      offsets = {0, 1};
      windows = {1, 1};
    }
    for (std::size_t count = from.below(5); count != 0; --count) {
      internal.emplace_back(from.of(blobs_of_steps));
      external.emplace_back(from.of(outer_blobs));
      offsets.push_back(offset(from));
      windows.push_back(from.below(3) != 0 ? 1 : offset(from));
    }
  }
  void set(plait::netdef& net, plait::op_def& op, std::string const& prefix) const {
    op.arg.push_back(plait::make_argument(net, {prefix + "_internal", internal}));
    op.arg.push_back(plait::make_argument(net, {prefix + "_external", external}));
    op.arg.push_back(plait::make_argument(net, {prefix + "_offset", offsets}));
    op.arg.push_back(plait::make_argument(net, {prefix + "_window", windows}));
  }
};

integers some_numbers(choices& from) {
  integers made(from.below(3));
  for (std::int64_t& item : made) item = static_cast<std::int64_t>(from.below(6)) - 1;
  return made;
}

plait::netdef recurrences(choices& from) {
  plait::netdef net;
  bool const trains = from.below(2) != 0;
  bool const two = from.below(4) == 0;
  texts const states = two ? texts{"hs", "ks"} : texts{"hs"};
  plait::op_def op;
  op.type = net.intern("RecurrentNetwork");
  for (char const* name : {"x", "h", "w"}) op.input.push_back(net.intern(name));
  if (from.below(8) == 0) op.input.push_back(net.intern(from.of(outer_blobs)));
  for (char const* name : {"all", "ws"}) op.output.push_back(net.intern(name));
  auto const set = [&](char const* name, plait::argument_value value) {
    op.arg.push_back(plait::make_argument(net, {name, std::move(value)}));
  };
  set("recurrent_states", states);
  set("initial_recurrent_state_ids", two ? integers{1, static_cast<std::int64_t>(from.below(4))} : integers{1});
  set("alias_src", texts{"hs"});
  set("alias_dst", texts{"all"});
  set("alias_offset", integers{offset(from)});
  links(from, from.below(8) != 0).set(net, op, "link");
  auto const set_net = [&](char const* name) {
    plait::arg_def& made = op.arg.emplace_back();
    made.name = net.intern(name);
    made.n.emplace() = step_net(from);
  };
  set_net("step_net");
  if (from.below(8) == 0) set("timestep", std::string(from.of(blobs_of_steps)));
  if (from.below(4) == 0) set("keep_steps", std::int64_t{1});
  set("rnn_executor.num_threads", std::int64_t{2});  // also where it gains nothing
  if (trains) {
    links(from, false).set(net, op, "backward_link");
    if (from.below(4) != 0) set_net("backward_step_net");
    set("outputs_with_grads", integers{0});
    set("param", some_numbers(from));
    if (from.below(2) != 0) set("param_grads", texts{from.of(blobs_of_steps)});
    if (from.below(4) == 0) set("sequences", some_numbers(from));
    if (from.below(4) == 0) set("recompute_blobs_on_backward", texts{from.of(blobs_of_steps)});
  }
  net.op.push_back(op);
  if (!trains) return net;
  plait::op_def back = op;
  back.type = net.intern("RecurrentNetworkGradient");
  back.input = {net.intern("all_grad")};
  for (plait::symbol const x : op.input) back.input.push_back(x);
  for (plait::symbol const y : op.output) back.input.push_back(y);
  back.output.clear();
  char const* const made[] = {"dx", "dw", "dh", "dk"};
  for (std::size_t i = 0, count = 1 + from.below(4); i != count; ++i) back.output.push_back(net.intern(made[i]));
  net.op.push_back(std::move(back));
  return net;
}

tensor random_tensor(choices& from, std::int64_t steps) {
  plait::shape dims = {steps, 2, 2};
  switch (from.below(8)) {
    case 0:
      dims = {static_cast<std::int64_t>(from.below(5)), 2, 2};
      break;
    case 1:
      dims = {2, 2};
      break;
    case 2:
      dims = {static_cast<std::int64_t>(from.below(4))};
      break;
    case 3:
      dims = {};
      break;
    default:
      break;
  }
  std::vector<float> made;
  for (std::int64_t i = 0; i != dims.size(); ++i) made.push_back(static_cast<float>(from.below(7)) - 3);
  return tensor::from(made, dims);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  choices from(data, size);
  plait::netdef const net = recurrences(from);
  auto const steps = static_cast<std::int64_t>(from.below(5));
  fuzz::feeds fed;
  for (char const* name : {"x", "h", "w", "all_grad"})
    fed.emplace_back(name, random_tensor(from, name[0] == 'h' ? 1 : steps));

  texts const names = {"all", "x", "h", "w", "dx", "dw", "dh", "dk"};
  auto const& table = plait::standard_operators<backend>();
  fuzz::result const shared = fuzz::run(net, table, fed, names, false);
  fuzz::result const apart = fuzz::run(net, table, fed, names, true);
  if (shared.refused != apart.refused || !fuzz::same_values(shared, apart)) __builtin_trap();
  if (shared.refused) return 0;
  fuzz::result const overlapping = fuzz::run(net, plait::standard_operators<plait::tbb>(), fed, names, false);
  if (overlapping.refused || !fuzz::same_values(shared, overlapping)) __builtin_trap();
  return 0;
}
