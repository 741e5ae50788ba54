// Runs of ONNX models with recorded inputs. benchmarks/rivals/models.py runs them by ONNX Runtime, and
// benchmarks/rivals/compare.sh models interleaves both.
//
//   plait_models CASE...      a case is a folder in the layout of ONNX's own tests: model.onnx,
//   test_data_set_0/input_*.pb
//
// Prints one line per case: subject, threads, milliseconds (median, then the fastest), the case, and how many megabytes
// the process grew by to load and run it.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <plait/interop/onnx/read.hpp>
#include <plait/runtime.hpp>

namespace {

std::string bytes_of(std::filesystem::path const& path) {
  std::string made(std::filesystem::file_size(path), '\0');
  std::ifstream(path, std::ios::binary).read(made.data(), static_cast<std::streamsize>(made.size()));
  return made;
}

void feed(plait::session& s, std::string_view name, plait::tensor_value const& value) {
  std::visit(
      [&]<class T>(std::vector<T> const& elements) {
        if constexpr (std::is_same_v<T, bool>) {
          auto const made = std::make_unique<bool[]>(elements.size());
          std::ranges::copy(elements, made.get());
          s.feed<bool>(name, std::span<bool const>(made.get(), elements.size()), value.shape);
        } else if constexpr (plait::element<T>) {
          s.feed<T>(name, elements, value.shape);
        }
      },
      value.data);
}

// Returns the names of the graph's inputs without its initializers, in whose order inputs are recorded.
std::vector<std::string> input_names(std::filesystem::path const& folder) {
  std::string const document = bytes_of(folder / "model.onnx");
  auto const model = plait::parse_onnx(document);
  std::vector<std::string> made;
  for (plait::onnx_value_info const& each : model.graph.inputs)
    if (std::ranges::none_of(model.graph.initializers, [&](auto const& known) { return known.name == each.name; }))
      made.emplace_back(each.name);
  return made;
}

void feed_recorded(plait::session& s, std::filesystem::path const& folder, std::vector<std::string> const& names) {
  for (std::size_t i = 0; i != names.size(); ++i) {
    std::string const tensor = bytes_of(folder / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb"));
    feed(s, names[i], plait::value_of(plait::parse_onnx_tensor(tensor)));
  }
}

double peak_megabytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

void time(std::filesystem::path const& folder) {
  using clock = std::chrono::steady_clock;
  double const before = peak_megabytes();
  std::vector<std::string> const names = input_names(folder);  // freed before the session has its peak
  plait::session s((folder / "model.onnx").string());
  feed_recorded(s, folder, names);
  std::vector<double> times;
  double sum = 0;
  for (int run = -3; run < 5 || (sum < 500 && run != 2'000); ++run) {
    clock::time_point const start = clock::now();
    s.run();
    double const ms = std::chrono::duration<double, std::milli>(clock::now() - start).count();
    if (run < 0) continue;
    times.push_back(ms);
    sum += ms;
  }
  std::ranges::sort(times);
  std::printf("plait\t1\t%.5f\t%.5f\t%s\t%.1f\n", times[times.size() / 2], times[0], folder.filename().string().c_str(),
              peak_megabytes() - before);
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) try {
      time(argv[i]);
    } catch (std::exception const& e) {
      std::fprintf(stderr, "plait_models: %s: %s\n", argv[i], e.what());
      return 1;
    }
}
