// Cases of kind transform: a table with an entry for each name in FORMAT.md.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>

#include "../kinds.hpp"
#include "transforms.hpp"

namespace conformance {

namespace {

// Invariant of a transform, whatever its result.
enum class rule {
  none,
  reads_nothing_new,  ///< a blob that the net made before does not become an input
  keeps_outputs,      ///< and external outputs keep their values, copies to a device and back ignored
};

struct transform {
  std::string_view name;
  case_result (*run)(case_inputs&);
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
    transform{"remove_dead_end_ops", remove_dead_end_ops, rule::keeps_outputs},
    transform{"fuse_copy_between_cpu_and_gpu", fuse_copy_between_cpu_and_gpu, rule::keeps_outputs},
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

// Returns the blobs that the net needs as inputs.
boost::unordered_flat_set<std::string> given_blobs(plait::netdef const& net) {
  auto const ssa = plait::get_ssa(net, {.subnets = true, .control_inputs = true});
  boost::unordered_flat_set<std::string> names;
  for (plait::blob_index b : ssa.undefined()) names.emplace(ssa.name(b));
  for (plait::blob_index b : ssa.unwritten_outputs()) names.emplace(ssa.name(b));
  return names;
}

// Value numbering: the value of each external output as a hash of the ops that it depends on.
class symbolic_outputs {
 public:
  explicit symbolic_outputs(plait::netdef const& net) {
    for (plait::op_def const& op : net.op) run(net, op);
    for (plait::symbol name : net.external_output) outputs_.push_back(value(std::string(net.text(name))));
  }
  bool differs(symbolic_outputs const& other, std::size_t slot) const {
    return outputs_.at(slot) != other.outputs_.at(slot);
  }
  std::size_t size() const { return outputs_.size(); }

 private:
  struct copied {
    std::size_t from;
    std::string_view way;
    std::int32_t device;
  };

  // A blob that no op has written yet has the value of its name.
  std::size_t value(std::string const& blob) { return blobs_.try_emplace(blob, mix(1, text_(blob))).first->second; }

  void run(plait::netdef const& net, plait::op_def const& op) {
    std::string_view const type = net.text(op.type);
    std::size_t made = mix(2, text_(type));
    for (plait::symbol name : op.input) made = mix(made, value(std::string(net.text(name))));
    if ((type == "CopyCPUToGPU" || type == "CopyGPUToCPU") && op.input.size() == 1 && op.output.size() == 1) {
      std::int32_t const device = op.device_option ? op.device_option->device_id.value_or(0) : 0;
      std::size_t const from = value(std::string(net.text(op.input.front())));
      made = mix(made, static_cast<std::size_t>(device));
      auto const there = copies_.find(from);
      bool const back = there != copies_.end() && there->second.way != type &&
                        (type == "CopyGPUToCPU" || there->second.device == device);
      made = back ? there->second.from : made;
      if (!back) copies_.try_emplace(made, copied{from, type, device});
      blobs_[std::string(net.text(op.output.front()))] = made;
      return;
    }
    std::size_t slot = 0;
    for (plait::symbol name : op.output) blobs_[std::string(net.text(name))] = mix(made, ++slot);
  }

  static std::size_t mix(std::size_t a, std::size_t b) {
    a ^= b + 0x9e3779b9u + (a << 6) + (a >> 2);
    return (a ^ (a >> 29)) * 0x85ebca6bu;
  }

  std::hash<std::string_view> text_;
  boost::unordered_flat_map<std::string, std::size_t> blobs_;
  boost::unordered_flat_map<std::size_t, copied> copies_;
  std::vector<std::size_t> outputs_;
};

void find_changed_outputs(plait::netdef const& before, plait::netdef const& after, std::vector<std::string>& found) {
  if (before.external_output.size() != after.external_output.size()) {
    found.emplace_back("net: has other external outputs");
    return;
  }
  symbolic_outputs const was(before);
  symbolic_outputs const is(after);
  for (std::size_t slot = 0; slot != was.size(); ++slot)
    if (was.differs(is, slot))
      found.push_back("net: external output '" + std::string(after.text(after.external_output[slot])) +
                      "' gets another value");
}

}  // namespace

case_result run_transform(case_inputs& in) { return find_transform(in).run(in); }

std::vector<std::string> transform_problems(case_inputs const& in, case_result const& got) {
  std::vector<std::string> found;
  rule const holds = find_transform(in).holds;
  if (holds == rule::none) return found;
  for (case_result::field const& field : got.fields()) {
    auto const* net = std::get_if<plait::netdef>(&field.value);
    if (field.key != "net" || net == nullptr) continue;
    auto const before = given_blobs(in.original());
    for (std::string const& blob : given_blobs(*net))
      if (!before.contains(blob)) found.push_back("net: reads '" + blob + "', which no op writes any more");
    if (holds == rule::keeps_outputs) find_changed_outputs(in.original(), *net, found);
  }
  return found;
}

}  // namespace conformance
