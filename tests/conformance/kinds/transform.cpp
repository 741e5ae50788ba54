// Cases of kind transform: one entry of the table for each name that FORMAT.md has.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>

#include "../kinds.hpp"
#include "transforms.hpp"

namespace conformance {

namespace {

// What can be said of any answer of a transform.
enum class rule {
  none,
  reads_nothing_new,  ///< a blob that was made inside the net is not read from outside afterwards
};

struct transform {
  std::string_view name;
  answer (*run)(case_inputs&);
  rule holds = rule::none;
};

constexpr std::array transforms = {
    transform{"get_sub_graph_external_input_output", get_sub_graph_external_input_output},
    transform{"get_producer_map", get_producer_map},
    transform{"get_consumer_map", get_consumer_map},
    transform{"get_output_producers", get_output_producers},
    transform{"get_op_ids_in_path", get_op_ids_in_path},
    transform{"get_external_blob_names", get_external_blob_names},
    transform{"rename_op_input", rename_op_input},
    transform{"rename_op_output", rename_op_output},
    transform{"fuse_alias_placeholder", fuse_alias_placeholder},
    transform{"ssa_rewrite", ssa_rewrite},
    transform{"Clone", clone},
    transform{"ClonePartial", clone_partial},
    transform{"clone_and_bind_net", clone_and_bind_net},
    transform{"remove_dead_end_ops", remove_dead_end_ops, rule::reads_nothing_new},
    transform{"fuse_copy_between_cpu_and_gpu", fuse_copy_between_cpu_and_gpu, rule::reads_nothing_new},
    transform{"group_norm_replace_aten_with_caffe2", group_norm_replace_aten_with_caffe2, rule::reads_nothing_new},
    transform{"identify_reshape_sub_graph", identify_reshape_sub_graph},
    transform{"remove_reshape_for_fc", remove_reshape_for_fc, rule::reads_nothing_new},
    transform{"infer_device_type", infer_device_type},
    transform{"construct_init_net_from_params", construct_init_net_from_params},
    transform{"get_params_from_init_net", get_params_from_init_net},
    transform{"mobile_exporter.Export", mobile_export},
    transform{"retrieve_step_blobs", retrieve_step_blobs},
};

transform const& find_transform(case_inputs const& in) {
  auto const name = member<std::string>(in.data(), "transform");
  auto const found = std::ranges::find(transforms, name, &transform::name);
  if (found == transforms.end()) throw unsupported_case("transform " + name);
  return *found;
}

// Blobs that the net has to be given.
boost::unordered_flat_set<std::string> given_blobs(plait::netdef const& net) {
  auto const ssa = plait::get_ssa(net, {.subnets = true, .control_inputs = true});
  boost::unordered_flat_set<std::string> names;
  for (plait::blob_index b : ssa.undefined()) names.emplace(ssa.name(b));
  for (plait::blob_index b : ssa.unwritten_outputs()) names.emplace(ssa.name(b));
  return names;
}

}  // namespace

answer run_transform(case_inputs& in) { return find_transform(in).run(in); }

std::vector<std::string> transform_problems(case_inputs const& in, answer const& got) {
  std::vector<std::string> found;
  if (find_transform(in).holds != rule::reads_nothing_new) return found;
  for (answer::part const& part : got.parts()) {
    auto const* net = std::get_if<plait::netdef>(&part.value);
    if (part.key != "net" || net == nullptr) continue;
    auto const before = given_blobs(in.original());
    for (std::string const& blob : given_blobs(*net))
      if (!before.contains(blob)) found.push_back("net: reads '" + blob + "', which nothing makes any more");
  }
  return found;
}

}  // namespace conformance
