// Init nets: created from parameters, read for parameters, created on export.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plait/netdef/traits.hpp>
#include <plait/transform/detail/export_nets.hpp>
#include <plait/transform/detail/parameter_extraction.hpp>
#include <plait/transform/detail/parameter_fill.hpp>

#include "../../blobs.hpp"
#include "../../tensors.hpp"
#include "../transforms.hpp"

namespace conformance {

namespace {

// Parses a DeviceOption in text form.
std::optional<plait::device_spec> device(std::string const& text) {
  plait::netdef const holder = parse_net("op { device_option { " + text + " } }", "device_options");
  return plait::net_traits<plait::netdef>::device(holder, holder.op.front());
}

// Evaluates an op that plait does not evaluate without a runtime, or only in the simplest form.
std::optional<plait::tensor_value> run(plait::netdef const& n, plait::op_def const& op,
                                       std::span<plait::tensor_value const* const> inputs) {
  // Random fills have no value that could be recorded.
  if (n.text(op.type).ends_with("Fill") || !caffe2_has(n.text(op.type))) return std::nullopt;
  blobs held;
  for (std::size_t i = 0; i != inputs.size(); ++i) held.feed(std::string(n.text(op.input[i])), *inputs[i]);
  plait::netdef alone = n;
  alone.op = {op};
  alone.external_input.clear();
  alone.external_output.clear();
  held.run_as_caffe2(alone);
  return held.fetch(std::string(n.text(op.output.front())));
}

}  // namespace

case_result construct_init_net_from_params(case_inputs& in) {
  json const devices = in.arg<json>("device_options", json::object());
  std::vector<plait::parameter> given = parameters(in);
  for (plait::parameter& p : given)
    if (devices.contains(p.name)) p.device = device(member<std::string>(devices, p.name));
  auto const made = plait::init_net_from_parameters<plait::netdef>(given, {.fills = plait::fill_set::caffe2_2018});
  case_result got;
  got.add("net", made.net);
  return got;
}

case_result get_params_from_init_net(case_inputs& in) {
  json params = json::object();
  for (plait::parameter const& p :
       plait::parameters_from_init_net(std::as_const(in.net()), run, {.declared_only = true}))
    params[p.name] = tensor_to_json(p.value);
  case_result got;
  got.add("params", std::move(params));
  return got;
}

case_result mobile_export(case_inputs& in) {
  auto made = plait::export_nets(in.net(), parameters(in), {.compatible = true});
  case_result got;
  got.add("init_net", std::move(made.init_net)).add("net", std::move(made.predict_net));
  return got;
}

}  // namespace conformance
