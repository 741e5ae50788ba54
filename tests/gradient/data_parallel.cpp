#include <plait/gradient/data_parallel.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <net/check_ops.hpp>
#include <net/test_nets.hpp>

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/optimizers.hpp>
#include <plait/gradient/standard_rules.hpp>

using plait::blob_gradient;
using plait::gradient_map;
using plait::op_spec;
using strings = std::vector<std::string>;

namespace {

plait::argument_spec const average{"average", std::int64_t{1}};

op_spec begin(std::string const& request, strings const& of, std::vector<plait::argument_spec> arguments = {average}) {
  op_spec made{"MPIAllreduceBegin", {"mpi_common_world"}, {request}, std::move(arguments)};
  made.inputs.insert(made.inputs.end(), of.begin(), of.end());
  return made;
}
op_spec end(std::string const& request, strings const& of) {
  op_spec made{"MPIAllreduceEnd", {request}, of};
  made.inputs.insert(made.inputs.end(), of.begin(), of.end());
  return made;
}

// Two layers and their gradients, as a backward pass orders them.
test::struct_net const two_layers{{{"Layer", {"x", "w1"}, {"h"}},
                                   {"Layer", {"h", "w2"}, {"y"}},
                                   {"Loss", {"y", "label"}, {"loss", "y_grad"}},
                                   {"LayerGradient", {"y_grad", "h", "w2"}, {"w2_grad", "h_grad"}},
                                   {"LayerGradient", {"h_grad", "x", "w1"}, {"w1_grad"}}},
                                  {"x", "label", "w1", "w2"},
                                  {"loss"}};
gradient_map const two_gradients = [] {
  gradient_map made;
  made.append("w1", "w1_grad");
  made.append("w2", "w2_grad");
  return made;
}();
strings const two_parameters{"w1", "w2"};
constexpr auto hundred_bytes = [](std::string_view) { return 100; };

}  // namespace

TEST_CASE_TEMPLATE("data_parallel: each bucket begins behind its last gradient, and ends before the first use", N,
                   PLAIT_MUTABLE_NETS) {
  auto const& ops = two_layers.ops;
  N net = test::make_net<N>(two_layers);
  SUBCASE("a bucket for each") {
    auto const made = plait::add_data_parallel(net, two_gradients, two_parameters, hundred_bytes, {.bucket_bytes = 0});
    strings const r{"gradients_request_0", "gradients_request_1"};
    test::check_ops(net, {ops[0], ops[1], ops[2], ops[3], begin(r[0], {"w2_grad"}), ops[4], begin(r[1], {"w1_grad"}),
                          end(r[0], {"w2_grad"}), end(r[1], {"w1_grad"})});
    CHECK(made.buckets == std::vector<strings>{{"w2_grad"}, {"w1_grad"}});
    CHECK(test::describe(net).external_inputs == strings{"x", "label", "w1", "w2", "mpi_common_world"});
    CHECK(made.init_ops == std::vector<op_spec>{{"MPICreateCommonWorld", {}, {"mpi_common_world"}},
                                                {"MPIBroadcast", {"mpi_common_world", "w1"}, {"w1"}},
                                                {"MPIBroadcast", {"mpi_common_world", "w2"}, {"w2"}}});
    N init = test::make_net<N>({{{"Fill", {}, {"w1"}}, {"Fill", {}, {"w2"}}}, {}, {"w1", "w2"}});
    plait::add_init_ops(init, made);
    CHECK(test::describe(init).ops.size() == 5);
    CHECK(test::describe(init).external_outputs == strings{"w1", "w2", "mpi_common_world"});
  }
  SUBCASE("one bucket") {
    auto const made = plait::add_data_parallel(net, two_gradients, two_parameters, hundred_bytes,
                                               {.bucket_bytes = 200, .average = false, .ordered = true});
    std::string const r = "gradients_request_0";
    test::check_ops(
        net, {ops[0], ops[1], ops[2], ops[3], ops[4], begin(r, {"w2_grad", "w1_grad"}, {{"ordered", std::int64_t{1}}}),
              end(r, {"w2_grad", "w1_grad"})});
    CHECK(made.buckets == std::vector<strings>{{"w2_grad", "w1_grad"}});
  }
  SUBCASE("too large together") {
    auto const made =
        plait::add_data_parallel(net, two_gradients, two_parameters, hundred_bytes, {.bucket_bytes = 199});
    CHECK(made.buckets.size() == 2);
  }
  SUBCASE("results of a step") {
    plait::add_data_parallel(net, two_gradients, two_parameters, hundred_bytes, {.averaged = {"loss"}});
    std::string const r = "gradients_request_0";
    test::check_ops(
        net, {ops[0], ops[1], ops[2], begin("averaged_request", {"loss"}), ops[3], ops[4],
              begin(r, {"w2_grad", "w1_grad"}), end("averaged_request", {"loss"}), end(r, {"w2_grad", "w1_grad"})});
  }
  SUBCASE("an optimiser that is there already") {
    std::size_t const backward = test::describe(net).ops.size();
    plait::add_sgd(net, two_gradients, two_parameters, {.rate = 0.1f, .momentum = 0.9f});
    auto const before = test::describe(net).ops;
    plait::add_data_parallel(net, two_gradients, two_parameters, hundred_bytes, {.bucket_bytes = 0, .end = backward});
    auto const after = test::describe(net).ops;
    // MomentumSGDUpdate writes the gradient: what is exchanged is that of the backward pass, before its own update.
    auto const at = [&](op_spec const& op) { return std::ranges::find(after, op) - after.begin(); };
    REQUIRE(before.back().type == "MomentumSGDUpdate");
    REQUIRE(before.back().inputs.front() == "w2_grad");
    CHECK(at(end("gradients_request_0", {"w2_grad"})) + 1 == at(before.back()));
    CHECK(at(end("gradients_request_1", {"w1_grad"})) + 1 == at(before[before.size() - 2]));
    CHECK(at(before[before.size() - 2]) < at(end("gradients_request_0", {"w2_grad"})));
  }
}

TEST_CASE_TEMPLATE("data_parallel: sparse gradients are gathered", N, PLAIT_MUTABLE_NETS) {
  N net = test::make_net<N>({{{"GatherGradient", {"x"}, {"rows", "t_grad"}}, {"Other", {"x"}, {"z"}}}, {}, {}});
  gradient_map gradients;
  gradients.append("t", "t_grad", "rows");
  auto const made = plait::add_data_parallel(net, gradients, strings{"t"}, hundred_bytes);
  test::check_ops(net, {{"GatherGradient", {"x"}, {"rows", "t_grad"}},
                        {"Other", {"x"}, {"z"}},
                        {"MPIAllgatherV", {"mpi_common_world", "rows"}, {"rows"}},
                        {"MPIAllgatherV", {"mpi_common_world", "t_grad"}, {"t_grad"}, {average}}});
  CHECK(made.buckets.empty());
}

TEST_CASE_TEMPLATE("data_parallel: an error names the blob and leaves the net unchanged", N, PLAIT_MUTABLE_NETS) {
  N net = test::make_net<N>(two_layers);
  auto const before = test::describe(net);
  auto const refused = [&](gradient_map const& gradients, strings const& parameters, std::string const& blob,
                           plait::data_parallel_options const& options = {}) {
    try {
      plait::add_data_parallel(net, gradients, parameters, hundred_bytes, options);
      FAIL("accepted");
    } catch (plait::net_error const& problem) {
      CHECK(problem.blob == blob);
      CHECK(std::string(problem.what()).find('\'' + blob + '\'') != std::string::npos);
    }
    CHECK(test::describe(net) == before);
  };
  refused(two_gradients, {"w1", "w3"}, "w3");
  refused(two_gradients, {"w1", "w1"}, "w1");
  refused(two_gradients, two_parameters, "h", {.communicator = "h"});
  refused(two_gradients, two_parameters, "accuracy", {.averaged = {"accuracy"}});
  refused(two_gradients, two_parameters, "w1_grad", {.end = 4});
  gradient_map elsewhere;
  elsewhere.append("w1", "no_grad");
  refused(elsewhere, {"w1"}, "no_grad");
}

TEST_CASE("data_parallel: gradients on several devices are exchanged apart") {
  auto from = two_layers;
  from.ops[3].device = plait::device_spec{plait::device_kind::cuda, 0};
  from.ops[4].device = plait::device_spec{plait::device_kind::cuda, 1};
  auto net = test::make_net<plait::netdef>(from);
  auto const made = plait::add_data_parallel(net, two_gradients, two_parameters, hundred_bytes);
  CHECK(made.buckets == std::vector<strings>{{"w2_grad"}, {"w1_grad"}});
  for (op_spec const& op : test::describe(net).ops)
    if (op.type.starts_with("MPI")) CHECK(op.device == from.ops[op.inputs.back() == "w2_grad" ? 3 : 4].device);
}

namespace {

// Values of ranks as texts: an op is a function of its inputs, a sum is the list of its terms.
struct ranks {
  std::vector<std::map<std::string, std::string>> blobs;

  explicit ranks(std::size_t count) : blobs(count) {}
  std::string read(std::size_t rank, std::string const& blob) {
    return blobs[rank].try_emplace(blob, blob + '@' + std::to_string(rank)).first->second;
  }
  std::string mean(std::string const& blob) {
    std::string all = "mean";
    for (std::size_t r = 0; r != blobs.size(); ++r)
      all += std::to_string(std::hash<std::string>()(read(r, blob))) + ' ';
    return all;
  }
  void run(op_spec const& op, std::size_t number) {
    for (std::size_t r = 0; r != blobs.size(); ++r) {
      std::string made = op.type + std::to_string(number);
      for (std::string const& i : op.inputs) made += std::to_string(std::hash<std::string>()(read(r, i))) + ' ';
      for (std::size_t o = 0; o != op.outputs.size(); ++o) blobs[r][op.outputs[o]] = std::to_string(o) + made;
    }
  }
};

}  // namespace

TEST_CASE("data_parallel: random nets compute what they did, of the means of gradients") {
  std::mt19937 random(1);
  auto const below = [&](std::size_t n) { return random() % n; };
  for (int trial = 0; trial != 300; ++trial) {
    CAPTURE(trial);
    // Ops on few blobs, in place and not: gradients are overwritten and read anywhere.
    test::edit_net net;
    std::size_t const ops = 3 + below(20), blobs = 2 + below(8);
    auto const blob = [&] { return "b" + std::to_string(below(blobs)); };
    for (std::size_t i = 0; i != ops; ++i) {
      op_spec op{"F" + std::to_string(i), {blob(), blob()}, {blob()}};
      if (below(4) == 0) op.outputs.push_back(op.outputs.front() + "x");
      net.ops.push_back(op);
    }
    std::size_t const end = 1 + below(ops);
    std::map<std::string, std::size_t> written;  // by blob: the last op before `end` that writes it
    for (std::size_t i = 0; i != end; ++i)
      for (std::string const& o : net.ops[i].outputs) written[o] = i;
    gradient_map gradients;
    strings parameters;
    std::map<std::size_t, strings> exchanged;  // by op
    for (auto const& [name, op] : written)
      if (below(2) == 0) {
        parameters.push_back("p" + name);
        gradients.append(parameters.back(), name);
        exchanged[op].push_back(name);
      }
    ranks expected(3);
    for (std::size_t i = 0; i != ops; ++i) {
      expected.run(net.ops[i], i);
      if (auto const found = exchanged.find(i); found != exchanged.end())
        for (std::string const& name : found->second) {
          std::string const mean = expected.mean(name);
          for (auto& of_rank : expected.blobs) of_rank[name] = mean;
        }
    }

    auto const before = net.ops;
    auto const made = plait::add_data_parallel(net, gradients, parameters, hundred_bytes,
                                               {.bucket_bytes = 100 * below(5), .end = end});
    ranks got(3);
    std::map<std::string, std::map<std::string, std::string>> pending;  // by request, by blob
    std::size_t number = 0, begun = 0;
    for (op_spec const& op : net.ops) {
      if (op.type == "MPIAllreduceBegin") {
        CHECK(strings(op.inputs.begin() + 1, op.inputs.end()) == made.buckets.at(begun++));
        for (std::size_t i = 1; i != op.inputs.size(); ++i)
          pending[op.outputs[0]][op.inputs[i]] = got.mean(op.inputs[i]);
      } else if (op.type == "MPIAllreduceEnd") {
        REQUIRE(pending.contains(op.inputs[0]));
        for (std::string const& name : op.outputs)
          for (auto& of_rank : got.blobs) of_rank[name] = pending[op.inputs[0]].at(name);
        pending.erase(op.inputs[0]);
      } else {
        REQUIRE(op == before.at(number));
        got.run(op, number++);
      }
    }
    CHECK(number == ops);
    CHECK(pending.empty());
    CHECK(begun == made.buckets.size());
    std::set<std::string> once;
    for (strings const& bucket : made.buckets)
      for (std::string const& name : bucket) CHECK(once.insert(name).second);
    CHECK(once.size() == parameters.size());
    for (std::size_t r = 0; r != 3; ++r)
      for (auto const& [name, value] : expected.blobs[r]) CHECK(got.read(r, name) == value);
  }
}
