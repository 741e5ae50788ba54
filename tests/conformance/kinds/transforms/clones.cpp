// Copies of nets.
#include <string>
#include <utility>
#include <vector>

#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/clone_and_bind.hpp>
#include <plait/transform/detail/clone_net.hpp>
#include <plait/transform/detail/clone_partial.hpp>

#include "../transforms.hpp"

namespace conformance {

namespace {

plait::name_map renames(json const& given, std::string const& key) {
  plait::name_map map;
  if (given.is_array()) {
    for (json const& entry : given) {
      if (entry.is_string()) {
        map.set(entry.get<std::string>(), entry.get<std::string>());
      } else if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string()) {
        map.set(entry[0].get<std::string>(), entry[1].get<std::string>());
      } else {
        throw malformed_case("key '" + key + "' has an element that is neither a name nor a pair of names");
      }
    }
    return map;
  }
  if (!given.is_object()) throw malformed_case("key '" + key + "' is neither an object nor a list");
  for (auto const& [from, to] : given.items()) {
    if (!to.is_string()) throw malformed_case("key '" + key + "' maps '" + from + "' to no name");
    map.set(from, to.get<std::string>());
  }
  return map;
}

plait::name_map renames(case_inputs const& in, std::string const& key) {
  return renames(in.arg<json>(key, json::object()), key);
}

// Returns the name of the clone. Cases do not list it among the arguments; if a net is expected, the name is its name.
std::string clone_name(case_inputs const& in) {
  if (in.args().contains("name")) return in.arg<std::string>("name");
  if (!in.data().contains("expect") || !in.data()["expect"].contains("net")) return "clone";
  plait::netdef const net = parse_net(member<std::string>(in.data()["expect"], "net"), "expect.net");
  return std::string(net.text(net.name));
}

}  // namespace

case_result clone(case_inputs& in) {
  plait::clone_options options;
  options.blob_remap = renames(in, "blob_remap");
  options.capture = plait::name_capture::merge;
  if (auto const mask = in.arg<json>("op_id_mask", json()); !mask.is_null())
    options.ops = in.arg<std::vector<plait::op_index>>("op_id_mask");
  auto const made = plait::clone(std::as_const(in.net()), clone_name(in), options);
  case_result got;
  got.add("net", made.net).add("name", made.name);
  return got;
}

case_result clone_partial(case_inputs& in) {
  auto const made = plait::clone_partial(std::as_const(in.net()), clone_name(in), renames(in, "inputs"),
                                         in.arg<std::vector<std::string>>("outputs"));
  case_result got;
  got.add("net", made.net).add("outputs", made.outputs);
  return got;
}

case_result clone_and_bind_net(case_inputs& in) {
  auto const made = plait::clone_and_bind(std::as_const(in.net()), clone_name(in), in.arg<std::string>("prefix"),
                                          renames(in, "blob_remap"), plait::name_capture::merge);
  // Caffe2's map lacks the blobs that its versions lack: see ssa.cpp.
  auto const form = plait::get_ssa(std::as_const(in.net()));
  json map = json::object();
  for (auto const& [from, to] : made.names) map[from] = to;
  for (plait::blob_index b : form.undeclared_inputs())
    if (form.version(b) == 0) map.erase(std::string(form.name(b)));
  for (plait::blob_index b : form.unwritten_outputs()) map.erase(std::string(form.name(b)));
  case_result got;
  got.add("net", made.net).add("blob_remap", std::move(map));
  return got;
}

}  // namespace conformance
