// Values of MPI operators. The expected ones follow from the number of ranks: mpirun runs this with one to four.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <mpi/ranks.hpp>
#include <plait/exec/detail/kernels/convert.hpp>

namespace {

using test::B;
using test::of;

int const rank = plait::mpi::rank();
int const size = plait::mpi::size();

TEST_CASE("MPI operators: the nets of Caffe2's own tests") {
  std::string const fill =
      "op { type: 'ConstantFill' output: 'X' arg { name: 'shape' ints: 10 } arg { name: 'value' f: " +
      std::to_string(rank) + ".0 } } ";
  auto const total = static_cast<float>(size * (size - 1) / 2);
  for (int root = 0; root != size; ++root) {
    std::string const at = " arg { name: 'root' i: " + std::to_string(root) + " } } ";
    auto const sent =
        test::run_ranks(fill + "op { type: 'MPIBroadcast' input: 'comm' input: 'X' output: 'X' " + at, {});
    CHECK(sent.fetch<float>("X") == std::vector<float>(10, static_cast<float>(root)));
    auto const reduced =
        test::run_ranks(fill + "op { type: 'MPIReduce' input: 'comm' input: 'X' output: 'Y' " + at, {});
    CHECK(reduced.fetch<float>("Y") == std::vector<float>(10, rank == root ? total : 0.0f));
    CHECK(reduced.fetch<float>("X") == std::vector<float>(10, static_cast<float>(rank)));
  }
  auto const gathered = test::run_ranks(fill + "op { type: 'MPIAllgather' input: 'comm' input: 'X' output: 'Y' }", {});
  REQUIRE(gathered.view("Y").dims() == plait::shape{10 * size});
  for (int i = 0; i != 10 * size; ++i)
    CHECK(gathered.fetch<float>("Y")[static_cast<std::size_t>(i)] == static_cast<float>(i / 10));
  for (std::string const output : {"X", "Y"}) {
    auto const summed =
        test::run_ranks(fill + "op { type: 'MPIAllreduce' input: 'comm' input: 'X' output: '" + output + "' }", {});
    CHECK(summed.fetch<float>(output) == std::vector<float>(10, total));
  }
}

TEST_CASE_TEMPLATE("MPIAllreduce: sums every type, and integers wrap", T, float, double, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
  std::vector<T> const x = {static_cast<T>(rank + 1), static_cast<T>(100), static_cast<T>(-3)};
  for (std::string const ordered : {"0", "1"}) {
    auto const blobs = test::run_ranks(
        "op { type: 'MPIAllreduce' input: 'comm' input: 'x' output: 'y' arg { name: "
        "'ordered' i: " +
            ordered + " } }",
        {{"x", of<T>({3}, x)}});
    CHECK(blobs.template fetch<T>("y") ==
          std::vector<T>{static_cast<T>(size * (size + 1) / 2), static_cast<T>(100 * size), static_cast<T>(-3 * size)});
  }
}

TEST_CASE_TEMPLATE("MPIAllreduce: 16-bit floats are summed as floats and rounded once", T, plait::float16,
                   plait::bfloat16) {
  // In 16 bits, adding 1 to 4096 one rank after another would be without effect.
  std::vector<T> const x = {plait::convert<T>(rank == 0 ? 4096.0f : 1.0f), plait::convert<T>(0.5f)};
  auto const blobs =
      test::run_ranks("op { type: 'MPIAllreduce' input: 'comm' input: 'x' output: 'y' }", {{"x", of<T>({2}, x)}});
  CHECK(blobs.template fetch<T>("y") == std::vector<T>{plait::convert<T>(4096.0f + static_cast<float>(size - 1)),
                                                       plait::convert<T>(0.5f * static_cast<float>(size))});
}

TEST_CASE("MPIAllreduce: an ordered sum has the bits of a sum in the order of ranks") {
  for (std::size_t const count : std::vector<std::size_t>{1, 2, 3, 7, 1000, 100'003}) {
    std::vector<float> expected;
    std::vector<float> own;
    for (int r = 0; r != size; ++r) {
      std::mt19937 random(static_cast<unsigned>(r) + 1);
      std::vector<float> x;
      for (std::size_t i = 0; i != count; ++i)
        x.push_back(std::ldexp(static_cast<float>(random() % 1000), int(random() % 40)));
      if (r == rank) own = x;
      if (r == 0)
        expected = x;
      else
        for (std::size_t i = 0; i != count; ++i) expected[i] += x[i];
    }
    auto const n = static_cast<std::int64_t>(count);
    auto const blobs =
        test::run_ranks("op { type: 'MPIAllreduce' input: 'comm' input: 'x' output: 'x' arg { name: 'ordered' i: 1 } }",
                        {{"x", of<float>({n}, own)}});
    CHECK(blobs.fetch<float>("x") == expected);
  }
}

TEST_CASE("MPIAllreduce: averages") {
  auto const blobs =
      test::run_ranks("op { type: 'MPIAllreduce' input: 'comm' input: 'x' output: 'y' arg { name: 'average' i: 1 } }",
                      {{"x", of<double>({1}, {2.0 * rank})}});
  CHECK(blobs.fetch<double>("y")[0] == size - 1);
}

TEST_CASE("MPIAllreduceBegin: buckets of several tensors, with ops between, in every run") {
  plait::workspace<B> blobs;
  std::string const net =
      "op { type: 'MPIAllreduceBegin' input: 'comm' input: 'a' input: 'b' output: 'r1' arg { name: 'average' i: 1 } } "
      "op { type: 'Add' input: 'c' input: 'c' output: 'd' } "
      "op { type: 'MPIAllreduceBegin' input: 'comm' input: 'd' output: 'r2' arg { name: 'ordered' i: 1 } } "
      "op { type: 'Mul' input: 'd' input: 'c' output: 'e' } "
      "op { type: 'MPIAllreduceEnd' input: 'r1' input: 'a' input: 'b' output: 'a' output: 'b' } "
      "op { type: 'MPIAllreduceEnd' input: 'r2' input: 'd' output: 'f' } "
      "op { type: 'Add' input: 'e' input: 'f' output: 'g' }";
  blobs.feed("c", of<float>({3}, {1, 2, 3}));
  auto plan = plait::compile(test::with_communicator(net), test::ranks_table(), blobs);
  auto const r = static_cast<float>(rank);
  auto const n = static_cast<float>(size);
  for (int run = 0; run != 3; ++run) {
    blobs.feed("a", of<float>({2, 1}, {r, 2 * r}));
    blobs.feed("b", of<float>({}, {1 + static_cast<float>(run)}));
    plan.run();
    float const mean = (n - 1) / 2;
    CHECK(blobs.fetch<float>("a") == std::vector<float>{mean, 2 * mean});
    CHECK(blobs.fetch<float>("b") == std::vector<float>{1 + static_cast<float>(run)});
    CHECK(blobs.fetch<float>("f") == std::vector<float>{2 * n, 4 * n, 6 * n});
    CHECK(blobs.fetch<float>("g") == std::vector<float>{2 + 2 * n, 8 + 4 * n, 18 + 6 * n});
  }
}

TEST_CASE("MPIAllreduceBegin: 16-bit averages, and a request without an end") {
  auto const blobs = test::run_ranks(
      "op { type: 'MPIAllreduceBegin' input: 'comm' input: 'x' output: 'lost' } "
      "op { type: 'MPIAllreduceBegin' input: 'comm' input: 'x' output: 'r' arg { name: 'average' i: 1 } } "
      "op { type: 'MPIAllreduceEnd' input: 'r' input: 'x' output: 'y' }",
      {{"x", of<plait::float16>({1}, {plait::convert<plait::float16>(2.0f * static_cast<float>(rank))})}});
  CHECK(blobs.fetch<plait::float16>("y")[0] == plait::convert<plait::float16>(static_cast<float>(size - 1)));
}

TEST_CASE("MPIAllgather: any type, and rows of several axes") {
  auto const blobs = test::run_ranks("op { type: 'MPIAllgather' input: 'comm' input: 'x' output: 'y' }",
                                     {{"x", of<std::int64_t>({1, 2}, {rank, -rank})}});
  CHECK(blobs.view("y").dims() == plait::shape{size, 2});
  for (int r = 0; r != size; ++r) {
    CHECK(blobs.fetch<std::int64_t>("y")[static_cast<std::size_t>(2 * r)] == r);
    CHECK(blobs.fetch<std::int64_t>("y")[static_cast<std::size_t>(2 * r + 1)] == -r);
  }
}

TEST_CASE("MPIAllgatherV: another number of rows on each rank, none among them") {
  plait::workspace<B> blobs;
  auto plan = plait::compile(
      test::with_communicator("op { type: 'MPIAllgatherV' input: 'comm' input: 'x' output: 'y' output: 'rows' } "
                              "op { type: 'Add' input: 'y' input: 'y' output: 'z' }"),
      test::ranks_table(), blobs);
  for (int more = 0; more != 3; ++more) {
    std::vector<float> expected;
    std::vector<std::int32_t> rows;
    for (int r = 0; r != size; ++r) {
      rows.push_back(r + more % 2);
      expected.insert(expected.end(), static_cast<std::size_t>(2 * rows.back()), 2 * static_cast<float>(r));
    }
    std::int64_t const own = rows[static_cast<std::size_t>(rank)];
    blobs.feed("x",
               of<float>({own, 2}, std::vector<float>(static_cast<std::size_t>(2 * own), static_cast<float>(rank))));
    plan.run();
    CHECK(blobs.fetch<float>("z") == expected);
    CHECK(blobs.fetch<std::int32_t>("rows") == rows);
  }
}

TEST_CASE("MPIAllgatherV: elements of the mean") {
  plait::workspace<B> blobs;
  auto plan = plait::compile(test::with_communicator("op { type: 'MPIAllgatherV' input: 'comm' input: 'x' output: 'y' "
                                                     "arg { name: 'average' i: 1 } }"),
                             test::ranks_table(), blobs);
  blobs.feed("x", of<double>({1, 2}, {3.0 * size, static_cast<double>(rank)}));
  plan.run();
  std::vector<double> expected;
  for (int r = 0; r != size; ++r) expected.insert(expected.end(), {3, static_cast<double>(r) / size});
  CHECK(blobs.fetch<double>("y") == expected);
}

TEST_CASE("MPISendTensor: a chain of ranks, by arguments and by inputs") {
  std::string const raw = " arg { name: 'raw_buffer' i: 1 } ";
  std::string net;
  if (rank != 0)
    net +=
        "op { type: 'MPIReceiveTensor' input: 'comm' input: 'x' output: 'x' output: 'src' output: 'tag' " + raw + "} ";
  if (rank + 1 != size)
    net += rank % 2 == 0 ? "op { type: 'MPISendTensor' input: 'comm' input: 'x' " + raw +
                               " arg { name: 'dst' i: " + std::to_string(rank + 1) + " } arg { name: 'tag' i: 7 } }"
                         : "op { type: 'MPISendTensor' input: 'comm' input: 'x' input: 'to' input: 'with' " + raw + "}";
  auto const blobs = test::run_ranks(net, {{"x", of<double>({2}, {rank + 1.5, rank + 2.5})},
                                           {"to", of<std::int32_t>({1}, {rank + 1})},
                                           {"with", of<std::int32_t>({1}, {7})}});
  CHECK(blobs.fetch<double>("x") == std::vector<double>{1.5, 2.5});
  if (rank == 0) return;
  CHECK(blobs.fetch<std::int32_t>("src") == std::vector<std::int32_t>{rank - 1});
  CHECK(blobs.fetch<std::int32_t>("tag") == std::vector<std::int32_t>{7});
}

TEST_CASE("MPI operators: two communicators are used in another order on each rank") {
  // Each has its own order; the requests overlap.
  std::string const first = "op { type: 'MPIAllreduceBegin' input: 'comm' input: 'x' output: 'r1' } ";
  std::string const second = "op { type: 'MPIAllreduceBegin' input: 'other' input: 'x' output: 'r2' } ";
  auto const blobs = test::run_ranks("op { type: 'MPICreateCommonWorld' output: 'other' } " +
                                         (rank % 2 == 0 ? first + second : second + first) +
                                         "op { type: 'MPIAllreduceEnd' input: 'r1' input: 'x' output: 'y' } "
                                         "op { type: 'MPIAllreduceEnd' input: 'r2' input: 'x' output: 'z' }",
                                     {{"x", of<float>({1}, {1})}});
  CHECK(blobs.fetch<float>("y")[0] == static_cast<float>(size));
  CHECK(blobs.fetch<float>("z")[0] == static_cast<float>(size));
}

TEST_CASE("MPI operators: megabytes, and empty tensors") {
  std::int64_t const count = 3'000'001;
  for (std::string const ordered : {"0", "1"}) {
    auto const blobs = test::run_ranks(
        "op { type: 'MPIAllreduce' input: 'comm' input: 'x' output: 'y' arg { name: "
        "'ordered' i: " +
            ordered +
            " } } op { type: 'MPIBroadcast' input: 'comm' input: 'x' output: 'x' } "
            "op { type: 'MPIAllreduce' input: 'comm' input: 'none' output: 'nothing' }",
        {{"x", of<float>({count}, std::vector<float>(std::size_t(count), static_cast<float>(rank)))},
         {"none", of<float>({0, 3}, {})}});
    auto const y = blobs.fetch<float>("y");
    CHECK(std::ranges::count(y, static_cast<float>(size * (size - 1) / 2)) == count);
    CHECK(std::ranges::count(blobs.fetch<float>("x"), 0.0f) == count);
    CHECK(blobs.view("nothing").dims() == plait::shape{0, 3});
  }
}

TEST_CASE("MPI operators: refuse what is no communicator, no request and no rank") {
  auto const error = [](std::string const& op, test::fed const& given) {
    plait::workspace<B> blobs;
    for (auto const& [name, value] : given) blobs.feed(name, value);
    try {
      plait::compile(plait::read_netdef_text("op { " + op + " }"), test::ranks_table(), blobs).run();
    } catch (plait::exec_error const& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  auto const x = of<float>({1}, {1});
  auto const has = [](std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(has(error("type: 'MPIAllreduce' input: 'x' input: 'x' output: 'y'", {{"x", x}}), "should be a communicator"));
  CHECK(has(error("type: 'MPIBroadcast' input: 'x' input: 'x' output: 'x' arg { name: 'root' i: 99 }", {{"x", x}}),
            "argument 'root' is 99"));
  CHECK(has(error("type: 'MPIAllreduceEnd' input: 'r' input: 'x' output: 'y'",
                  {{"x", x}, {"r", of<std::int64_t>({1}, {-5})}}),
            "not pending"));
  CHECK(has(error("type: 'MPISendTensor' input: 'x' input: 'x' arg { name: 'raw_buffer' i: 1 }", {{"x", x}}), "'dst'"));
  CHECK(has(error("type: 'MPISendTensor' input: 'x' input: 'x' arg { name: 'dst' i: 1 }", {{"x", x}}), "'raw_buffer'"));
  CHECK(has(error("type: 'MPIAllreduce' input: 'x' input: 'b' output: 'y'",
                  {{"x", x}, {"b", plait::tensor<B>::from(std::vector<bool>{true}, {1})}}),
            "which should hold"));
}

}  // namespace
