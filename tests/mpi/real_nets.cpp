// The nets of Caffe2's repository that need MPI, from files: each is run by all ranks, twice.
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <mpi/ranks.hpp>

namespace {

TEST_CASE("MPI operators: real nets") {
  std::filesystem::path const folder =
      std::filesystem::path(PLAIT_SHARED_DIR) / "nets" / "facebookarchive__caffe2" / "embedded";
  std::size_t count = 0;
  for (auto const& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with("caffe2__mpi__")) continue;
    CAPTURE(entry.path());
    std::ifstream in(entry.path());
    plait::netdef const net = plait::read_netdef_text(std::string(std::istreambuf_iterator<char>(in), {}));
    plait::workspace<test::B> blobs;
    auto plan = plait::compile(net, test::ranks_table(), blobs);
    plan.run();
    plan.run();
    std::string const made(net.text(net.op.back().output.front()));
    auto const rows = net.text(net.op.back().type) == "MPIAllgather" ? 2 * plait::mpi::size() : 1;
    CHECK(blobs.fetch<float>(made) == std::vector<float>(static_cast<std::size_t>(10 * rows), 0.0f));
    ++count;
  }
  CHECK(count == 10);
}

}  // namespace
