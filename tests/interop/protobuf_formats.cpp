// Differential tests of plait's readers and writers against protobuf's own, on a class that protoc generated.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>

#include <netdef.pb.h>

#include <plait/netdef/equality.hpp>
#include <plait/netdef/read.hpp>
#include <plait/netdef/write.hpp>

#include <support/random_netdef.hpp>
#include <support/real_nets.hpp>

namespace {

using google::protobuf::TextFormat;
using plait::netdef;
using message = plait_test::NetDef;

struct quiet : google::protobuf::io::ErrorCollector {
  void AddError(int, int, std::string const&) override {}
};

bool parse_text(std::string const& source, message& into) {
  TextFormat::Parser parser;
  quiet errors;
  parser.RecordErrorsTo(&errors);
  return parser.ParseFromString(source, &into);
}

// Converts a message by protobuf's own bytes, whose order of fields differs from plait's in places.
netdef from(message const& m) {
  return plait::read_netdef_binary(m.SerializeAsString(), {.unknown = plait::unknown_fields::reject});
}

TEST_CASE("protobuf formats: plait and protobuf read the output of each other as the same message") {
  for (std::uint64_t seed = 0; seed != 2000; ++seed) {
    CAPTURE(seed);
    plait_test::random_netdef_options options;
    options.unnamed_types = false;
    options.density = 3 + static_cast<unsigned>(seed % 6);
    netdef const net = plait_test::random_netdef(seed, options)();

    message binary, text, json;
    REQUIRE(binary.ParseFromString(plait::to_binary(net)));
    REQUIRE(from(binary) == net);
    REQUIRE(parse_text(plait::to_text(net), text));
    REQUIRE(from(text) == net);
    REQUIRE(
        google::protobuf::util::JsonStringToMessage(plait::to_json(net, {.proto_names = seed % 2 == 0}), &json).ok());
    REQUIRE(from(json) == net);

    std::string printed;
    REQUIRE(TextFormat::PrintToString(binary, &printed));
    REQUIRE(plait::read_netdef_text(printed) == net);
    TextFormat::Printer printer;
    printer.SetSingleLineMode(true);
    printer.SetUseShortRepeatedPrimitives(true);
    printer.SetUseUtf8StringEscaping(true);
    REQUIRE(printer.PrintToString(binary, &printed));
    REQUIRE(plait::read_netdef_text(printed) == net);
    std::string printed_json;
    REQUIRE(google::protobuf::util::MessageToJsonString(binary, &printed_json).ok());
    REQUIRE(plait::read_netdef_json(printed_json) == net);
  }
}

TEST_CASE("protobuf formats: the text of a net is byte for byte that of protobuf") {
  auto const printed = [](netdef const& net) {
    message m;
    std::string text;
    REQUIRE(m.ParseFromString(plait::to_binary(net)));
    REQUIRE(TextFormat::PrintToString(m, &text));
    return text;
  };
  for (std::uint64_t seed = 0; seed != 2000; ++seed) {
    CAPTURE(seed);
    plait_test::random_netdef_options options;
    options.unnamed_types = false;
    options.density = 3 + static_cast<unsigned>(seed % 6);
    netdef const net = plait_test::random_netdef(seed, options)();
    REQUIRE(plait::to_text(net) == printed(net));
  }
  // Floats and doubles of any bits, among them many subnormal ones, and decimals of few digits.
  std::mt19937_64 random(7);
  netdef numbers;
  plait::arg_def& arg = numbers.arg.emplace_back();
  arg.t.emplace();
  for (int i = 0; i != 20000; ++i) {
    auto const bits = static_cast<std::uint32_t>(random());
    arg.floats.push_back(std::bit_cast<float>(i % 4 == 0 ? bits & 0x807FFFFFu : bits));
    arg.floats.push_back(static_cast<float>(random() % 1000000) / 1000.0f);
    std::uint64_t const wide = random();
    arg.t->double_data.push_back(std::bit_cast<double>(i % 4 == 0 ? wide & 0x800FFFFFFFFFFFFFu : wide));
    arg.t->double_data.push_back(static_cast<double>(random() % 1000000) / 1000.0);
  }
  CHECK(plait::to_text(numbers) == printed(numbers));
  for (std::filesystem::path const& file : plait_test::real_nets()) {
    CAPTURE(file.string());
    netdef const net = plait::read_netdef(file);
    CHECK(plait::to_text(net) == printed(net));
  }
}

TEST_CASE("protobuf formats: extreme floats have the same bits in both, in each format") {
  netdef net;
  plait::arg_def& arg = net.arg.emplace_back();
  constexpr float f = std::numeric_limits<float>::max();
  arg.floats = {-0.0f, 0.0f, f, -f, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::infinity()};
  message text, json, binary;
  REQUIRE(parse_text(plait::to_text(net), text));
  REQUIRE(google::protobuf::util::JsonStringToMessage(plait::to_json(net), &json).ok());
  REQUIRE(binary.ParseFromString(plait::to_binary(net)));
  for (message const* m : {&text, &json, &binary}) {
    REQUIRE(m->arg(0).floats_size() == static_cast<int>(arg.floats.size()));
    for (int i = 0; i != m->arg(0).floats_size(); ++i)
      CHECK(std::bit_cast<std::uint32_t>(m->arg(0).floats(i)) ==
            std::bit_cast<std::uint32_t>(arg.floats[static_cast<std::size_t>(i)]));
  }
}

TEST_CASE("protobuf formats: real nets are the same message in both") {
  for (std::filesystem::path const& file : plait_test::real_nets()) {
    CAPTURE(file.string());
    std::string const bytes = plait_test::file_content(file);
    plait::netdef_format format{};
    netdef const net = plait::read_netdef_bytes(bytes, {}, &format);
    message m;
    if (format == plait::netdef_format::binary) {
      REQUIRE(m.ParseFromString(bytes));
    } else if (!parse_text(bytes, m)) {
      CHECK(bytes.find("cuda_gpu_id") != std::string::npos);  // the only thing protobuf refuses, having a newer proto
      continue;
    }
    CHECK(from(m) == net);
  }
}

TEST_CASE("protobuf formats: damaged text is accepted by both or by neither") {
  // Single edits of a text with every kind of value. Edits on which the two differ on purpose are left out: unknown
  // fields and names of device types are plait's own, and so are numbers too large for a float.
  std::string const base =
      "name: 'a\\n\\x41' type: \"t\" 'u'\nop { input: ['x', \"y\"] arg { name: 'k' f: 1.5e3 i: -0x1F floats: [1.5, "
      "-inf, .5f]"
      " ints: [017, 2] t < data_type: FLOAT float_data: 1 dims: 3 >; } is_gradient_op: t } num_workers: 12, op [{}, "
      "{type: 'T'}] # end";
  std::string const alphabet = std::string("0178.-+eExXf'\"\\[]{}<>:,;# \nt") + '\0';
  std::mt19937 random(1);
  std::size_t accepted = 0;
  for (int i = 0; i != 50000; ++i) {
    std::string text = base;
    std::size_t const at = random() % text.size();
    char const c = alphabet[random() % alphabet.size()];
    switch (random() % 3) {
      case 0:
        text[at] = c;
        break;
      case 1:
        text.insert(at, 1, c);
        break;
      default:
        text.erase(at, 1 + random() % 3);
    }
    CAPTURE(text);
    message m;
    bool const theirs = parse_text(text, m);
    std::string refused;
    netdef net;
    try {
      net = plait::read_netdef_text(text, {.unknown = plait::unknown_fields::reject});
    } catch (plait::parse_error const& problem) {
      refused = problem.what();
    }
    CAPTURE(refused);
    // Refused by plait alone, which does not turn numbers into infinities nor escapes into other bytes.
    if (refused.find("out of range") != refused.npos || refused.find("not a byte") != refused.npos) continue;
    CHECK(theirs == refused.empty());
    if (theirs && refused.empty()) {
      ++accepted;
      CHECK(from(m) == net);
    }
  }
  CHECK(accepted > 1000);
}

TEST_CASE("protobuf formats: damaged JSON that plait accepts is the same message in protobuf") {
  // The converse does not hold: this version of protobuf accepts text that is not JSON, with 'quotes' and trailing
  // commas.
  std::string const base =
      R"({"name": "a\n\u0041", "type": "t", "op": [{"input": ["x", "y"], "arg": [{"name": "k", "f": 1.5e3, "i": "31",
       "floats": [1.5, "-Infinity", 5e-1], "ints": [17, "2"], "s": "AP8=", "t": {"dataType": "FLOAT", "dims": [3]}}],
       "isGradientOp": true}], "num_workers": 12, "device_option": null, "externalInput": []})";
  std::string const alphabet = std::string("0178.+eExf'\"\\[]{}:, \nn") + '\0';
  std::mt19937 random(3);
  std::size_t accepted = 0;
  for (int i = 0; i != 50000; ++i) {
    std::string json = base;
    std::size_t const at = random() % json.size();
    char const c = alphabet[random() % alphabet.size()];
    switch (random() % 3) {
      case 0:
        json[at] = c;
        break;
      case 1:
        json.insert(at, 1, c);
        break;
      default:
        json.erase(at, 1 + random() % 3);
    }
    netdef net;
    try {
      net = plait::read_netdef_json(json, {.unknown = plait::unknown_fields::reject});
    } catch (plait::parse_error const&) {
      continue;
    }
    CAPTURE(json);
    message m;
    auto const status = google::protobuf::util::JsonStringToMessage(json, &m);
    // Only newer versions accept quoted integers with a point or an exponent.
    if (status.ToString().find("invalid value \"") != std::string::npos) continue;
    ++accepted;
    CHECK_MESSAGE(status.ok(), status.ToString());
    CHECK(from(m) == net);
  }
  CHECK(accepted > 1000);
}

TEST_CASE("protobuf formats: damaged binary is accepted by both or by neither") {
  std::mt19937 random(2);
  std::size_t accepted = 0;
  std::vector<plait::diagnostic> left_out;
  for (std::uint64_t i = 0; i != 50000; ++i) {
    plait_test::random_netdef_options options;
    options.density = 6;
    options.unnamed_types = false;
    static std::string base;
    if (i % 50 == 0) base = plait::to_binary(plait_test::random_netdef(i, options)());
    if (base.empty()) continue;
    std::string bytes = base;
    bytes[random() % bytes.size()] = static_cast<char>(random());
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    message m;
    bool const theirs = m.ParsePartialFromString(bytes);
    bool ours = true;
    std::string refused;
    try {
      netdef const net = plait::read_netdef_binary(bytes);
      if (theirs) {
        ++accepted;
        message again;
        REQUIRE(again.ParseFromString(plait::to_binary(net)));
        again.DiscardUnknownFields();
        m.DiscardUnknownFields();
        // In protobuf, a number that its enumeration lacks is an unknown field, not a value; plait keeps it.
        std::string const text = plait::to_text(net, {.diagnostics = &left_out});
        std::size_t const type = text.find("data_type: ");
        bool const unnamed = type != text.npos && text.find_first_of("-0123456789", type) == type + 11;
        if (!unnamed) CHECK(again.DebugString() == m.DebugString());
      }
    } catch (plait::parse_error const& problem) {
      ours = false;
      refused = problem.message;
    }
    CAPTURE(refused);
    // Groups are refused by plait alone; a tag of more than 32 bits by protobuf alone.
    if (theirs) CHECK((ours || refused.find("groups") != std::string::npos || refused == "malformed field"));
  }
  CHECK(accepted > 1000);
}

}  // namespace
