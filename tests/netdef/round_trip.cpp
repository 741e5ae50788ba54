// Round trips through all formats, of real nets and of random ones.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/equality.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/write.hpp>

#include <support/random_netdef.hpp>
#include <support/real_nets.hpp>

namespace {

using plait::netdef;
using plait::netdef_format;

TEST_CASE("round trip: real nets pass through all formats unchanged") {
  for (std::filesystem::path const& file : plait_test::real_nets()) {
    CAPTURE(file.string());
    netdef const net = plait::read_netdef(file, {.unknown = plait::unknown_fields::reject});
    std::string const text = plait::to_text(net);
    netdef const by_json = plait::read_netdef_json(plait::to_json(plait::read_netdef_text(text)));
    netdef const by_binary = plait::read_netdef_binary(plait::to_binary(by_json));
    CHECK(by_binary == net);
    CHECK(plait::equivalent(by_binary, net));
    CHECK(plait::to_text(by_binary) == text);
  }
}

TEST_CASE("round trip: text and binary files of one message are equal") {
  std::filesystem::path const folder = plait_test::real_nets_folder();
  std::vector<std::pair<std::filesystem::path, std::filesystem::path>> pairs;
  if (!folder.empty())
    for (char const* pair : {"lxt1045__caffe2_test/caffe2_split_net/tools_split/vision_first_predict_net",
                             "lxt1045__caffe2_test/caffe2_split_net/tools_split/vision_second_predict_net"})
      pairs.emplace_back(folder / (std::string(pair) + ".pbtxt"), folder / (std::string(pair) + ".pb"));
  if (!folder.empty()) {
    auto const stem =
        folder / "Oscarlight__PiNN_Caffe2/transiNXOR_modeling/transiXOR_Models/bise_ext_sym_h264_neggrad_3_predict";
    pairs.emplace_back(stem.string() + "_net_proto.txt", stem.string() + ".model");
  }
  std::size_t generated = 0;
  for (std::filesystem::path const& file : plait_test::real_nets()) {
    if (file.parent_path().filename() != "_generated" || file.extension() != ".pb") continue;
    std::filesystem::path text = file;
    pairs.emplace_back(text.replace_extension(".pbtxt"), file);
    ++generated;
  }
  if (!folder.empty()) CHECK(generated > 10);
  for (auto const& [text, binary] : pairs) {
    CAPTURE(text.string());
    netdef_format text_format{}, binary_format{};
    netdef const a = plait::read_netdef(text, {}, &text_format);
    netdef const b = plait::read_netdef(binary, {}, &binary_format);
    CHECK(text_format == netdef_format::text);
    CHECK(binary_format == netdef_format::binary);
    auto const difference = plait::first_difference(a, b);
    CAPTURE((difference ? difference->path + ": " + difference->left + " / " + difference->right : std::string()));
    CHECK_FALSE(difference);
    CHECK(a == b);
  }
}

TEST_CASE("round trip: binary files of Caffe2 are written back byte for byte") {
  std::size_t compared = 0;
  for (std::filesystem::path const& file : plait_test::real_nets()) {
    if (file.parent_path().filename() != "_generated" || file.extension() != ".pb") continue;
    CAPTURE(file.string());
    std::string const bytes = plait_test::file_content(file);
    std::string const written = plait::to_binary(plait::read_netdef_binary(bytes));
    CHECK(written.size() == bytes.size());
    // Fields are in the order of their numbers except `t` and `n`.
    if (written == bytes) ++compared;
  }
  if (!plait_test::real_nets_folder().empty()) CHECK(compared > 10);
}

TEST_CASE("round trip: 10,000 random nets with every field pass through each format") {
  std::map<std::string, std::size_t> seen;
  for (std::uint64_t seed = 0; seed != 10000; ++seed) {
    CAPTURE(seed);
    plait_test::random_netdef_options options;
    options.density = 3 + static_cast<unsigned>(seed % 6);
    netdef const net = plait_test::random_netdef(seed, options)();
    std::string const text = plait::to_text(net);
    netdef const from_text = plait::read_netdef_text(text);
    REQUIRE(from_text == net);
    REQUIRE(plait::to_text(from_text) == text);
    REQUIRE(plait::read_netdef_text(plait::to_text(net, {.legacy_names = true})) == net);
    REQUIRE(plait::read_netdef_json(
                plait::to_json(net, {.proto_names = seed % 2 == 0, .indent = static_cast<unsigned>(seed % 3)})) == net);
    std::string const binary = plait::to_binary(net);
    netdef const from_binary = plait::read_netdef_binary(binary);
    REQUIRE(from_binary == net);
    REQUIRE(plait::to_binary(from_binary) == binary);
    REQUIRE(plait::equivalent(from_binary, from_text));
    for (char const* part : {"qtensors {", "partition_info {", "backend_options {", "segment {", "nets {", "  n {",
                             "device_detail {", "nan", "inf"})
      if (text.find(part) != std::string::npos) ++seen[part];
    // Format detection by content. Two bytes of binary may be white space (`num_workers: 12`), but hardly those of a
    // real net.
    if (!text.empty()) REQUIRE(plait::detect_format(text) == netdef_format::text);
    if (net.name || !net.op.empty()) REQUIRE(plait::read_netdef_bytes(binary) == net);
  }
  CHECK(seen.size() == 9);  // the generator reaches the rare ones
  for (auto const& [part, count] : seen) CHECK_MESSAGE(count > 10, part);
}

TEST_CASE("round trip: unknown fields survive between text and JSON if both can express them") {
  netdef const net = plait::read_netdef_text("a: 1 b: \"x\\u00fc\" c: [1, 2.5] d: {} op { e: true }");
  CHECK(plait::read_netdef_json(plait::to_json(net)) == net);
  CHECK(plait::read_netdef_text(plait::to_text(plait::read_netdef_json(plait::to_json(net)))) == net);
}

}  // namespace
