// Transforms that remove or change ops, and the analyses that they use.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/dead_code_elimination.hpp>
#include <plait/transform/detail/copy_fusion.hpp>
#include <plait/transform/detail/device_inference.hpp>
#include <plait/transform/detail/group_norm.hpp>
#include <plait/transform/detail/remove_reshape.hpp>
#include <plait/transform/detail/reshape_subgraphs.hpp>

#include "../../tensors.hpp"
#include "../transforms.hpp"

namespace conformance {

namespace {

case_result net_only(plait::netdef const& net) {
  case_result got;
  got.add("net", net);
  return got;
}

}  // namespace

case_result remove_dead_end_ops(case_inputs& in) {
  plait::netdef& net = in.net();
  plait::remove_dead_ops(net, {.dead_reader_kills = in.as_recorded(), .subnets = !in.as_recorded()});
  return net_only(net);
}

case_result fuse_copy_between_cpu_and_gpu(case_inputs& in) {
  plait::netdef& net = in.net();
  plait::fuse_copies(net, {.first_reader_only = in.as_recorded()});
  return net_only(net);
}

case_result group_norm_replace_aten_with_caffe2(case_inputs& in) {
  plait::netdef& net = in.net();
  plait::replace_group_norm(net);
  return net_only(net);
}

case_result identify_reshape_sub_graph(case_inputs& in) {
  case_result got;
  got.add("sub_graphs", plait::identify_reshape_subgraphs(std::as_const(in.net())));
  return got;
}

case_result remove_reshape_for_fc(case_inputs& in) {
  plait::netdef& net = in.net();
  std::vector<std::string> names;
  for (plait::parameter const& p : parameters(in)) names.push_back(p.name);
  auto const removed = plait::remove_reshape_for_fc(net, names).removed_parameters;
  std::erase_if(names, [&](std::string const& name) { return std::ranges::find(removed, name) != removed.end(); });
  case_result got;
  got.add("net", net).add("params", names, case_result::order::any);
  return got;
}

case_result infer_device_type(case_inputs& in) {
  plait::netdef const& net = in.net();
  std::vector<plait::known_device> known;
  json const given = in.arg<json>("known_status", json::array());
  for (json const& entry : given) {
    if (!entry.is_array() || entry.size() != 3)
      throw malformed_case("key 'known_status' has an element that is no triple");
    auto const device = plait::device_from_name(entry[2].get<std::string>());
    if (!device) throw malformed_case("unknown device " + entry[2].dump());
    known.push_back({entry[0].get<std::string>(), entry[1].get<std::uint32_t>(), *device});
  }
  auto const style = in.arg<std::string>("device_name_style", "caffe2");
  if (style != "caffe2" && style != "pytorch") throw malformed_case("unknown device_name_style '" + style + "'");
  auto const names = style == "caffe2" ? plait::device_name_style::caffe2 : plait::device_name_style::pytorch;

  auto const ssa = plait::get_ssa(net);
  auto const devices = plait::infer_devices(net, ssa, known);
  json status = json::array();
  for (plait::blob_index b : ssa.blobs())
    for (std::uint32_t version = ssa.first_version(b); version <= ssa.version(b); ++version)
      if (auto const device = devices[ssa.index({b, version})])
        status.push_back({ssa.name(b), version, plait::device_name(*device, names)});
  case_result got;
  got.add("status", std::move(status), case_result::order::any);
  return got;
}

}  // namespace conformance
