// NetDef readers: plait's three against protobuf (text, binary) and nlohmann's DOM (JSON), on the same bytes: real nets
// where available, and synthetic ones of 10 kB to 100 MB of text. Names are reader/rival/input.
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include <plait/netdef/read.hpp>
#include <plait/netdef/write.hpp>

#ifdef PLAIT_BENCH_PROTOBUF
#include <google/protobuf/text_format.h>

#include <netdef.pb.h>
#endif

namespace {

// A net like those of image models: three ops per block, scoped blob names, typical arguments.
std::string synthetic_text(std::size_t bytes) {
  std::string text = "name: \"synthetic\"\n";
  auto const name = [](std::string_view what, std::size_t i) {
    return "\"layer_" + std::to_string(i / 10) + '/' + std::string(what) + '_' + std::to_string(i) + "\"\n";
  };
  for (std::size_t i = 0; text.size() < bytes; ++i) {
    text += "op {\n  input: " + name("blob", i) + "  input: " + name("w", i) + "  output: " + name("blob", i + 1);
    text += "  name: \"\"\n  type: ";
    text += i % 3 == 0 ? "\"Conv\"\n" : i % 3 == 1 ? "\"SpatialBN\"\n" : "\"Relu\"\n";
    text += "  arg {\n    name: \"kernel\"\n    i: 3\n  }\n  arg {\n    name: \"epsilon\"\n    f: 1e-05\n  }\n";
    if (i % 5 == 0) text += "  arg {\n    name: \"shape\"\n    ints: 64\n    ints: 3\n    ints: 7\n    ints: 7\n  }\n";
    if (i % 7 == 0) text += "  device_option {\n    device_type: 1\n    device_id: 0\n  }\n";
    text += "  engine: \"CUDNN\"\n}\n";
  }
  return text;
}

struct input {
  std::string name;
  std::string text;
};

std::vector<input> const& inputs() {
  static std::vector<input> const all = [] {
    std::vector<input> made;
#ifdef PLAIT_BENCH_NETS
    for (char const* file : {"caffe2__models/densenet121/predict_net.pbtxt",
                             "_generated/resnet152__train_forward.pbtxt", "_generated/lstm_stacked3__predict.pbtxt"}) {
      std::ifstream in(std::filesystem::path(PLAIT_BENCH_NETS) / file, std::ios::binary);
      if (in) made.push_back({std::filesystem::path(file).stem().string(), {std::istreambuf_iterator<char>(in), {}}});
    }
    // `predict_net` alone would be ambiguous.
    for (input& each : made)
      if (each.name == "predict_net") each.name = "densenet121";
#endif
    for (auto [name, size] : {std::pair("10kB", 10'000), std::pair("1MB", 1'000'000), std::pair("100MB", 100'000'000)})
      made.push_back({std::string("synthetic_") + name, synthetic_text(static_cast<std::size_t>(size))});
    return made;
  }();
  return all;
}

template <class Read>
void measure(benchmark::State& state, std::string const& bytes, Read const& read) {
  for (auto _ : state) {
    auto made = read(bytes);
    benchmark::DoNotOptimize(made);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes.size()) * static_cast<std::int64_t>(state.iterations()));
}

template <class Convert, class Read>
void add(std::string const& who, input const& in, Convert convert, Read read) {
  benchmark::RegisterBenchmark((who + '/' + in.name).c_str(), [&in, convert, read](benchmark::State& state) {
    measure(state, convert(in.text), read);
  })->Unit(benchmark::kMicrosecond);
}

bool const registered = [] {
  auto const same = [](std::string const& text) { return text; };
  auto const json = [](std::string const& text) { return plait::to_json(plait::read_netdef_text(text)); };
  auto const binary = [](std::string const& text) { return plait::to_binary(plait::read_netdef_text(text)); };
  for (input const& in : inputs()) {
    add("text/plait", in, same, [](std::string const& bytes) { return plait::read_netdef_text(bytes); });
    add("binary/plait", in, binary, [](std::string const& bytes) { return plait::read_netdef_binary(bytes); });
    add("json/plait", in, json, [](std::string const& bytes) { return plait::read_netdef_json(bytes); });
    add("json/nlohmann", in, json, [](std::string const& bytes) { return nlohmann::json::parse(bytes); });
#ifdef PLAIT_BENCH_PROTOBUF
    add("text/protobuf", in, same, [](std::string const& bytes) {
      plait_test::NetDef net;
      if (!google::protobuf::TextFormat::ParseFromString(bytes, &net)) throw plait::error("protobuf refuses the text");
      return net;
    });
    add("binary/protobuf", in, binary, [](std::string const& bytes) {
      plait_test::NetDef net;
      if (!net.ParseFromString(bytes)) throw plait::error("protobuf refuses the bytes");
      return net;
    });
#endif
  }
  return true;
}();

}  // namespace
