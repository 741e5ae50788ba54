// MPI operators on a device whose memory is closed to the host: all tensors are copied to the host and back.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/detail/kernels/convert.hpp>
#include <plait/exec/mpi.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>
#include <support/emulated_device.hpp>

namespace {

using B = test::emulated_device;

TEST_CASE("MPI operators: on a device") {
  int const rank = plait::mpi::rank();
  int const size = plait::mpi::size();
  plait::operators<B> table;
  plait::add_mpi_operators(table);
  std::string net =
      "op { type: 'MPICreateCommonWorld' output: 'comm' } "
      "op { type: 'MPIBroadcast' input: 'comm' input: 'w' output: 'w' } "
      "op { type: 'MPIAllreduce' input: 'comm' input: 'x' output: 'sum' } "
      "op { type: 'MPIReduce' input: 'comm' input: 'x' output: 'reduced' } "
      "op { type: 'MPIAllgather' input: 'comm' input: 'x' output: 'gathered' } "
      "op { type: 'MPIAllgatherV' input: 'comm' input: 'x' output: 'rows' output: 'counts' } "
      "op { type: 'MPIAllreduceBegin' input: 'comm' input: 'x' input: 'x' output: 'r' arg { name: 'average' i: 1 } } "
      "op { type: 'MPIAllreduceEnd' input: 'r' input: 'x' input: 'x' output: 'mean' output: 'again' } ";
  std::string const raw = " arg { name: 'raw_buffer' i: 1 } arg { name: 'tag' i: 3 } } ";
  if (size > 1 && rank == 0)
    net += "op { type: 'MPISendTensor' input: 'comm' input: 'x' arg { name: 'dst' i: 1 } " + raw;
  if (rank == 1)
    net += "op { type: 'MPIReceiveTensor' input: 'comm' input: 'x' output: 'x' output: 'src' output: 'tag' " + raw;
  plait::workspace<B> blobs;
  auto const half = [](int number) { return plait::convert<plait::float16>(static_cast<float>(number)); };
  blobs.feed<float>("w", {static_cast<float>(rank), 2}, {2});
  blobs.feed<plait::float16>("x", {half(2 * rank), half(4)}, {2});
  plait::compile(plait::read_netdef_text(net), table, blobs).run();

  CHECK(blobs.fetch<float>("w") == std::vector<float>{0, 2});
  using halves = std::vector<plait::float16>;
  halves const sum = {half(size * (size - 1)), half(4 * size)};
  CHECK(blobs.fetch<plait::float16>("sum") == sum);
  CHECK(blobs.fetch<plait::float16>("reduced") == (rank == 0 ? sum : halves{half(0), half(0)}));
  CHECK(blobs.fetch<plait::float16>("mean") == halves{half(size - 1), half(4)});
  CHECK(blobs.fetch<plait::float16>("again") == halves{half(size - 1), half(4)});
  CHECK(blobs.fetch<std::int32_t>("counts") == std::vector<std::int32_t>(static_cast<std::size_t>(size), 2));
  halves all;
  for (int r = 0; r != size; ++r) all.insert(all.end(), {half(2 * r), half(4)});
  CHECK(blobs.fetch<plait::float16>("gathered") == all);
  CHECK(blobs.fetch<plait::float16>("rows") == all);
  CHECK(blobs.fetch<plait::float16>("x")[0] == half(rank == 1 ? 0 : 2 * rank));
}

}  // namespace
