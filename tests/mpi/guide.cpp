// The program of docs/guide/distributed.md, on two ranks.
#include <chrono>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <mpi/ranks.hpp>

namespace {

using B = plait::serial;

constexpr std::string_view text = R"(
op { type: "MPICreateCommonWorld" output: "comm" }
op { type: "MPIBroadcast" input: "comm" input: "w" output: "w" }
op { type: "MPIAllreduceBegin" input: "comm" input: "g" output: "request" arg { name: "average" i: 1 } }
op { type: "Add" input: "w" input: "w" output: "meanwhile" }
op { type: "MPIAllreduceEnd" input: "request" input: "g" output: "g" }
)";

TEST_CASE("guide: a net on every rank") {
  plait::operators<B> operators = test::ranks_table();
  plait::add_mpi_operators(operators, {.timeout = std::chrono::seconds(20)});

  plait::workspace<B> blobs;
  blobs.feed<float>("w", {plait::mpi::rank() == 0 ? 5.0f : 0.0f}, {1});
  blobs.feed<float>("g", {static_cast<float>(plait::mpi::rank())}, {1});
  plait::netdef const net = plait::read_netdef_text(text);
  auto plan = plait::compile(net, operators, blobs);
  plan.run();
  CHECK(blobs.fetch<float>("w")[0] == 5);
  CHECK(blobs.fetch<float>("meanwhile")[0] == 10);
  CHECK(blobs.fetch<float>("g")[0] == static_cast<float>(plait::mpi::size() - 1) / 2);
}

std::vector<int> ranks_at_fault(plait::plan<B>& plan) {
  try {
    plan.run();
  } catch (plait::exec_error const& problem) {
    try {
      std::rethrow_if_nested(problem);
    } catch (plait::mpi_error const& e) {
      return e.ranks;  // and e.failure, e.rank, e.step, e.op, e.blob
    }
  }
  return {};
}

TEST_CASE("guide: ranks at fault") {
  plait::operators<B> operators = test::ranks_table();
  plait::workspace<B> blobs;
  blobs.feed<float>("x", {1, 2}, {2});
  std::string const blob = plait::mpi::rank() == 0 ? "x" : "y";
  blobs.feed<float>("y", {1, 2}, {2});
  plait::netdef const net =
      test::with_communicator("op { type: 'MPIAllreduce' input: 'comm' input: '" + blob + "' output: 'z' }");
  auto plan = plait::compile(net, operators, blobs);
  CHECK(ranks_at_fault(plan) == (plait::mpi::size() == 1 ? std::vector<int>() : std::vector<int>{1}));
}

}  // namespace
