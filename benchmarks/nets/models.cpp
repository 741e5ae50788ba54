// Runs of ONNX models with recorded inputs. benchmarks/rivals/models.py runs them by ONNX Runtime, and
// benchmarks/rivals/compare.sh models interleaves both.
//
//   plait_models [--onednn] CASE...   a case is a folder in the layout of ONNX's own tests: model.onnx,
//   test_data_set_0/input_*.pb; --onednn: convolutions by plait::exec_onednn, if that was there when this was built
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

#include "models.hpp"

namespace {

std::string bytes_of(std::filesystem::path const& path) {
  std::string made(std::filesystem::file_size(path), '\0');
  std::ifstream(path, std::ios::binary).read(made.data(), static_cast<std::streamsize>(made.size()));
  return made;
}

class session_model final : public bench::model {
 public:
  explicit session_model(std::string const& path) : s_(path) {}
  void feed(std::string_view name, plait::tensor_value const& value) override {
    std::visit(
        [&]<class T>(std::vector<T> const& elements) {
          if constexpr (std::is_same_v<T, bool>) {
            auto const made = std::make_unique<bool[]>(elements.size());
            std::ranges::copy(elements, made.get());
            s_.feed<bool>(name, std::span<bool const>(made.get(), elements.size()), value.shape);
          } else if constexpr (plait::element<T>) {
            s_.feed<T>(name, elements, value.shape);
          }
        },
        value.data);
  }
  void run() override { s_.run(); }

 private:
  plait::session s_;
};

std::unique_ptr<bench::model> load(std::string const& path, [[maybe_unused]] bool by_onednn) {
#if defined(PLAIT_BENCH_ONEDNN)
  if (by_onednn) return bench::onednn_model(path);
#endif
  return std::make_unique<session_model>(path);
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

void feed_recorded(bench::model& m, std::filesystem::path const& folder, std::vector<std::string> const& names) {
  for (std::size_t i = 0; i != names.size(); ++i) {
    std::string const tensor = bytes_of(folder / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb"));
    m.feed(names[i], plait::value_of(plait::parse_onnx_tensor(tensor)));
  }
}

double peak_megabytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

void time(std::filesystem::path const& folder, bool by_onednn) {
  using clock = std::chrono::steady_clock;
  double const before = peak_megabytes();
  std::vector<std::string> const names = input_names(folder);  // freed before the session has its peak
  std::unique_ptr<bench::model> const loaded = load((folder / "model.onnx").string(), by_onednn);
  feed_recorded(*loaded, folder, names);
  std::vector<double> times;
  double sum = 0;
  for (int run = -3; run < 5 || (sum < 500 && run != 2'000); ++run) {
    clock::time_point const start = clock::now();
    loaded->run();
    double const ms = std::chrono::duration<double, std::milli>(clock::now() - start).count();
    if (run < 0) continue;
    times.push_back(ms);
    sum += ms;
  }
  std::ranges::sort(times);
  std::printf("plait%s\t1\t%.5f\t%.5f\t%s\t%.1f\n", by_onednn ? " onednn" : "", times[times.size() / 2], times[0],
              folder.filename().string().c_str(), peak_megabytes() - before);
}

}  // namespace

int main(int argc, char** argv) {
  bool const by_onednn = argc > 1 && std::string_view(argv[1]) == "--onednn";
#if !defined(PLAIT_BENCH_ONEDNN)
  if (by_onednn) {
    std::fputs("plait_models: plait::exec_onednn was not there when this was built\n", stderr);
    return 77;
  }
#endif
  for (int i = by_onednn ? 2 : 1; i < argc; ++i) try {
      time(argv[i], by_onednn);
    } catch (std::exception const& e) {
      std::fprintf(stderr, "plait_models: %s: %s\n", argv[i], e.what());
      return 1;
    }
}
