// Element-wise chains, softmax, layer normalisation and sums, as plans. benchmarks/rivals/operators.py is the same in
// other libraries; benchmarks/rivals/compare.sh operators interleaves their runs.
//
//   plait_operators [serial | omp | tbb]... [--what NAME]...
#include "operators.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <omp.h>
#include <tbb/global_control.h>

namespace {

constexpr char const* chain = R"(
  op { type: "Add" input: "a" input: "b" output: "t" }
  op { type: "Mul" input: "t" input: "c" output: "y" }
)";
constexpr char const* long_chain = R"(
  op { type: "Add" input: "a" input: "b" output: "sum" }
  op { type: "Tanh" input: "sum" output: "bent" }
  op { type: "Mul" input: "bent" input: "c" output: "product" }
  op { type: "Sub" input: "product" input: "a" output: "difference" }
  op { type: "Sigmoid" input: "difference" output: "gate" }
  op { type: "Mul" input: "gate" input: "b" output: "y" }
)";

std::vector<bench::operator_case> all_cases() {
  std::vector<bench::operator_case> made;
  auto const op = [](char const* type) {
    return std::string("op { type: \"") + type + R"(" input: "a" output: "y" })";
  };
  auto const add = [&](char const* what, std::string const& net, plait::shape const& dims, double floats) {
    made.push_back({what, net, dims, 4 * floats * static_cast<double>(dims.size())});
  };
  for (std::int64_t count = 1'000; count <= 100'000'000; count *= 10) {
    add("chain", chain, {count}, 4);
    if (count <= 10'000'000) {
      add("long_chain", long_chain, {count}, 4);
      add("sigmoid", op("Sigmoid"), {count}, 2);
      add("tanh", op("Tanh"), {count}, 2);
      add("sine", op("Sin"), {count}, 2);
      add("power", R"(op { type: "Pow" input: "d" output: "y" arg { name: "exponent" f: 1.7 } })", {count}, 2);
    }
  }
  for (plait::shape const& dims : {plait::shape{64, 1'000}, plait::shape{4'096, 1'000}, plait::shape{64, 32'768}}) {
    add("softmax", op("Softmax"), dims, 2);
    add("layer_norm",
        R"(op { type: "LayerNorm" input: "a" output: "y" output: "mean" output: "deviation" arg { name: "axis" i: 1 } })",
        dims, 2);
    add("sum_of_rows", op("ReduceBackSum"), dims, 1);
    add("sum_of_columns", op("ReduceFrontSum"), dims, 1);
  }
  return made;
}

[[noreturn]] void refuse(std::string_view word) {
  std::fprintf(stderr, "no such word: %s\n", std::string(word).c_str());
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string_view> backends;
  std::vector<bench::operator_case> chosen;
  for (int i = 1; i < argc; ++i) {
    std::string_view const word = argv[i];
    if (word != "--what") {
      backends.push_back(word);
    } else if (++i != argc) {
      std::size_t const before = chosen.size();
      for (bench::operator_case const& c : all_cases())
        if (c.what == argv[i]) chosen.push_back(c);
      if (chosen.size() == before) refuse(argv[i]);
    }
  }
  if (backends.empty()) backends = {"serial", "omp", "tbb"};
  if (chosen.empty()) chosen = all_cases();
  auto const threads = static_cast<unsigned>(omp_get_max_threads());
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, threads);
  for (std::string_view const backend : backends) {
    if (backend == "serial")
      bench::time_operators_serial(1, chosen);
    else if (backend == "omp")
      bench::time_operators_omp(threads, chosen);
    else if (backend == "tbb")
      bench::time_operators_tbb(threads, chosen);
    else
      refuse(backend);
  }
}
