// Failures of ranks: every rank that lives gets an mpi_error within the time limit, and its program ends. Each test
// case is a run of its own, in which tests/mpi/survivors.cmake counts the ranks that report success.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <doctest/doctest.h>

#include <mpi/ranks.hpp>

namespace {

using test::B;
using test::of;

int const rank = plait::mpi::rank();
int const size = plait::mpi::size();
int const last = size - 1;

constexpr plait::mpi_options limits{.timeout = std::chrono::seconds(2), .patience = std::chrono::minutes(5)};

/// Op that calls a function.
template <class Backend>
struct call_kernel : plait::op_kernel<Backend> {
  explicit call_kernel(plait::op_arguments const&) {}
  void infer(plait::shape_context&) override {}
  void run(plait::op_context<Backend>&) override { calls(); }
  inline static std::function<void()> calls;
};

/// Runs a net in which `Call` calls a function, and returns the error.
std::optional<plait::mpi_error> error_of(
    std::string const& ops, test::fed const& given, std::function<void()> calls = [] {},
    plait::mpi_options const& within = limits) {
  auto table = test::ranks_table(within);
  call_kernel<B>::calls = std::move(calls);
  table.add<call_kernel>(plait::op_schema("Call").inputs(0, 1).outputs(0).side_effects());
  plait::workspace<B> blobs;
  for (auto const& [name, value] : given) blobs.feed(name, value);
  try {
    plait::compile(test::with_communicator(ops), table, blobs).run();
  } catch (plait::exec_error const& problem) {
    MESSAGE(std::string(problem.what()));
    CHECK(std::string(problem.what()).find("MPI") != std::string::npos);
    return test::cause_of(problem);
  }
  return std::nullopt;
}

std::string const sums =
    "op { type: 'MPIAllreduce' input: 'comm' input: 'x' output: 'y' } op { type: 'Call' } "
    "op { type: 'MPIAllreduce' input: 'comm' input: 'y' output: 'z' name: 'second' }";

test::fed const x = {{"x", of<float>({2}, {1, 2})}};

bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

TEST_CASE("failure: shapes differ") {
  auto const found =
      error_of("op { type: 'MPIAllreduce' input: 'comm' input: 'x' output: 'y' }", {{"x", of<float>({2}, {1, 2})}});
  CHECK_FALSE(found.has_value());
  std::int64_t const extent = rank == last ? 3 : 2;
  auto const other = error_of(
      "op { type: 'MPIAllreduceBegin' input: 'comm' input: 'a' input: 'b' output: 'r' } "
      "op { type: 'MPIAllreduceEnd' input: 'r' input: 'a' input: 'b' output: 'a' output: 'b' }",
      {{"a", of<float>({1}, {1})}, {"b", of<float>({extent}, std::vector<float>(static_cast<std::size_t>(extent)))}});
  REQUIRE(other.has_value());
  CHECK(other->failure == plait::mpi_failure::mismatch);
  CHECK(other->rank == rank);
  CHECK(other->ranks == std::vector<int>{last});
  CHECK(other->op == "MPIAllreduceBegin");
  CHECK(other->blob == "b");
  CHECK(has(other->what(), "'b', float32 2"));
  CHECK(has(other->what(), "'b', float32 3"));
}

TEST_CASE("failure: element types differ") {
  std::string const net = "op { type: 'MPIAllgather' input: 'comm' input: 'x' output: 'y' }";
  auto const found = rank == 0 ? error_of(net, {{"x", of<double>({2}, {1, 2})}}) : error_of(net, x);
  REQUIRE(found.has_value());
  CHECK(found->failure == plait::mpi_failure::mismatch);
  CHECK(has(found->what(), "float64 2"));
  CHECK(has(found->what(), "float32 2"));
}

TEST_CASE("failure: nets differ") {
  std::string const type = rank == 0 ? "MPIBroadcast" : "MPIAllreduce";
  auto const found = error_of("op { type: '" + type + "' input: 'comm' input: 'x' output: 'x' }", x);
  REQUIRE(found.has_value());
  CHECK(found->failure == plait::mpi_failure::mismatch);
  CHECK(found->op == type);
  CHECK(has(found->what(), "MPIBroadcast (root 0) of 'x'"));
  CHECK(has(found->what(), "MPIAllreduce of 'x'"));
}

TEST_CASE("failure: a net has ended") {
  std::string const one = "op { type: 'MPIAllreduce' input: 'comm' input: 'x' output: 'y' }";
  auto const found = error_of(rank == last ? one : one + one, x);
  if (rank == last) {
    CHECK_FALSE(found.has_value());
    return;
  }
  REQUIRE(found.has_value());
  CHECK(found->failure == plait::mpi_failure::closed);
  CHECK(found->ranks == std::vector<int>{last});
}

TEST_CASE("failure: an op throws in the middle of a run") {
  std::optional<plait::mpi_error> found;
  try {
    found = error_of(sums, x, [] {
      if (rank == 0) throw plait::shape_error("plait: MPI test: nothing can be read");
    });
  } catch (plait::error const& problem) {
    CHECK(rank == 0);
    CHECK(has(problem.what(), "nothing can be read"));
    return;
  }
  CHECK(rank != 0);
  REQUIRE(found.has_value());
  CHECK(found->failure == plait::mpi_failure::closed);
  CHECK(found->ranks == std::vector<int>{0});
  CHECK(found->op == "MPIAllreduce");
  CHECK(found->blob == "y");
}

TEST_CASE("failure: a run fails and its rank goes on") {
  // The workspace and the plan live until after the check: nothing is closed.
  plait::operators<B> table = test::ranks_table(limits);
  plait::workspace<B> blobs;
  blobs.feed("x", of<float>({2}, {1, 2}));
  plait::compile(test::with_communicator(""), table, blobs).run();
  call_kernel<B>::calls = [] {
    if (rank == last) throw plait::shape_error("plait: nothing can be read");
  };
  table.add<call_kernel>(plait::op_schema("Call").inputs(0, 1).outputs(0).side_effects());
  plait::netdef const net = plait::read_netdef_text("op { type: 'Call' } " + sums);
  auto plan = plait::compile(net, table, blobs);
  for (int run = 0; run != 2; ++run) {
    try {
      plan.run();
      CHECK(false);
    } catch (plait::exec_error const& problem) {
      if (rank == last && run == 0) {
        CHECK(has(problem.what(), "nothing can be read"));
        call_kernel<B>::calls = [] {};
        continue;
      }
      plait::mpi_error const found = test::cause_of(problem);
      CHECK(found.failure == plait::mpi_failure::closed);
      CHECK(found.ranks == std::vector<int>{last});
      CHECK(has(found.what(), "a run has failed on rank 2"));
    }
  }
}

TEST_CASE("failure: sender and receiver differ") {
  std::string const raw = " arg { name: 'raw_buffer' i: 1 } arg { name: 'tag' i: 0 } ";
  std::string const net =
      rank == 0 ? "op { type: 'MPISendTensor' input: 'comm' input: 'x' arg { name: 'dst' i: 1 }" + raw + "}"
      : rank == 1
          ? "op { type: 'MPIReceiveTensor' input: 'comm' input: 'x' output: 'x' output: 's' output: 't' " + raw + "}"
          : "op { type: 'MPIAllreduce' input: 'comm' input: 'x' output: 'x' }";
  auto const found = rank == 1 ? error_of(net, {{"x", of<float>({3}, {1, 2, 3})}}) : error_of(net, x);
  REQUIRE(found.has_value());
  CHECK(found->failure == plait::mpi_failure::mismatch);
  CHECK(found->ranks == std::vector<int>{0, 1});
  CHECK(has(found->what(), "float32 2"));
  CHECK(has(found->what(), "float32 3"));
}

TEST_CASE("failure: a rank is killed") {
  auto const found = error_of(sums, x, [] {
    if (rank == last) std::raise(SIGKILL);
  });
  REQUIRE(found.has_value());
  CHECK(found->failure == plait::mpi_failure::timeout);
  CHECK(found->ranks == std::vector<int>{last});
  CHECK(found->op == "MPIAllreduce");
  CHECK(found->blob == "y");
}

TEST_CASE("failure: a rank is killed while megabytes are exchanged") {
  std::vector<float> const many(8'000'000, 1.0f);
  auto const found = error_of(sums, {{"x", of<float>({static_cast<std::int64_t>(many.size())}, many)}}, [] {
    if (rank != last) return;
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      std::raise(SIGKILL);
    }).detach();
  });
  CHECK(rank != last);
  if (!found) return;  // it was killed after the last exchange
  CHECK(found->failure == plait::mpi_failure::timeout);
  CHECK(found->ranks == std::vector<int>{last});
}

TEST_CASE("failure: a rank is stopped") {
  plait::workspace<B> blobs;
  blobs.feed("pid", of<std::int32_t>({1}, {static_cast<std::int32_t>(getpid())}));
  auto table = test::ranks_table(limits);
  auto const gather = "op { type: 'MPIAllgather' input: 'comm' input: 'pid' output: 'pids' }";
  plait::compile(test::with_communicator(gather), table, blobs).run();
  auto const stopped = static_cast<pid_t>(blobs.fetch<std::int32_t>("pids")[static_cast<std::size_t>(last)]);
  auto const found = error_of(sums, x, [] {
    if (rank == last) std::raise(SIGSTOP);
  });
  if (rank == 0) kill(stopped, SIGKILL);  // or mpirun would wait for it
  REQUIRE(found.has_value());
  CHECK(found->failure == plait::mpi_failure::timeout);
  CHECK(found->ranks == std::vector<int>{last});
}

TEST_CASE("failure: a rank never comes") {
  auto const found = error_of(sums, x,
                              [] {
                                if (rank == last) std::this_thread::sleep_for(std::chrono::seconds(5));
                              },
                              {.timeout = std::chrono::milliseconds(500), .patience = std::chrono::seconds(2)});
  REQUIRE(found.has_value());
  CHECK(found->failure == plait::mpi_failure::timeout);
  CHECK(found->ranks == std::vector<int>{last});
  CHECK(has(found->what(), "has not reached it"));
}

TEST_CASE("failure: the network of a rank is cut off") {
  char const* const cut = std::getenv("PLAIT_TEST_CUT_OFF");
  REQUIRE(cut != nullptr);
  auto const found = error_of(sums, x, [cut] {
    if (rank == 0) CHECK(std::system(cut) == 0);
  });
  REQUIRE(found.has_value());
  CHECK(found->failure == plait::mpi_failure::timeout);
  if (rank == last)
    CHECK(found->ranks.size() == static_cast<std::size_t>(size) - 1);
  else
    CHECK(found->ranks == std::vector<int>{last});
}

}  // namespace
