#include "case.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include <plait/core/errors.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/detail/text_writer.hpp>
#include <plait/netdef/read.hpp>

namespace conformance {

namespace {

std::string read_file(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw malformed_case("cannot be opened: " + file.string());
  std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) throw malformed_case("cannot be read: " + file.string());
  return content;
}

json const empty_object = json::object();

}  // namespace

namespace {

// Rounds expected float32 numbers, which are decimals, to float32.
void round_to_float32(json& expect) {
  for (json& tensor : expect) {
    if (!tensor.is_object() || tensor.value("dtype", "") != "float32" || !tensor["data"].is_array()) continue;
    for (json& number : tensor["data"])
      if (number.is_number()) number = static_cast<double>(number.get<float>());
  }
}

}  // namespace

test_case load_case(std::filesystem::path const& file, std::filesystem::path const& root) {
  test_case c;
  c.file = file;
  c.root = root;
  try {
    c.data = json::parse(read_file(file));
  } catch (json::exception const& problem) {
    throw malformed_case(problem.what());
  }
  if (!c.data.is_object()) throw malformed_case("not a JSON object");
  c.kind = member<std::string>(c.data, "kind");
  c.name = member<std::string>(c.data, "name", file.stem().string());
  c.what = member<std::string>(c.data, "what", "");
  c.refused = member<bool>(c.data, "error", false);
  if (c.data.contains("defect")) {
    json const& defect = c.data["defect"];
    c.defect = defect.is_string() ? defect.get<std::string>() : defect.dump();
  }
  if (c.refused == c.data.contains("expect")) throw malformed_case("needs either 'expect' or 'error: true'");
  if (!c.refused && !c.data["expect"].is_object()) throw malformed_case("key 'expect' is not an object");
  if (!c.refused) round_to_float32(c.data["expect"]);
  return c;
}

plait::netdef parse_net(std::string_view text, std::string_view key) {
  try {
    return plait::read_netdef_text(text);
  } catch (plait::parse_error const& problem) {
    throw malformed_case("key '" + std::string(key) + "' is not a net in text form: " + problem.what());
  }
}

plait::netdef& case_inputs::hand_out(std::string key, plait::netdef net) {
  return nets_.emplace_back(handed_out{std::move(key), net, net}).now;
}

plait::netdef& case_inputs::net() {
  if (plait::netdef* given = optional_net("net")) return *given;
  auto const file = case_.root / member<std::string>(data(), "net_file");
  try {
    return hand_out("net_file", plait::read_netdef_bytes(read_file(file)));
  } catch (plait::parse_error const& problem) {
    throw malformed_case(file.string() + ':' + problem.what());
  }
}

plait::netdef* case_inputs::optional_net(std::string_view key) {
  auto const found = data().find(std::string(key));
  if (found == data().end() || found->is_null()) return nullptr;
  return &hand_out(std::string(key), parse_net(member<std::string>(data(), key), key));
}

json const& case_inputs::args() const {
  auto const found = data().find("args");
  if (found == data().end() || found->is_null()) return empty_object;
  if (!found->is_object()) throw malformed_case("key 'args' is not an object");
  return *found;
}

std::optional<std::string> case_inputs::changed() const {
  for (handed_out const& net : nets_)
    if (plait::to_text(net.now) != plait::to_text(net.before)) return net.key;
  return std::nullopt;
}

}  // namespace conformance
