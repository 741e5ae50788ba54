// Cases of kind recurrent_net: the op that the builder adds to the outer net, and the blobs it returns.
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/recurrent_net.hpp>

#include "../kinds.hpp"

namespace conformance {

namespace {

using names = std::vector<std::string>;

plait::recurrent_net_options options(case_inputs& in) {
  json const& data = in.data();
  plait::netdef const* const cell = in.optional_net("cell_net");
  if (cell == nullptr) throw malformed_case("key 'cell_net' is missing");
  plait::recurrent_net_options made;
  made.cell = *cell;
  for (auto const& [inner, outer] : member<std::vector<std::pair<std::string, std::string>>>(data, "inputs"))
    made.inputs.push_back({inner, outer});
  auto const links = member<json>(data, "links");
  for (auto const& [inner, outer] :
       member<std::vector<std::pair<std::string, std::string>>>(data, "initial_cell_inputs"))
    made.states.push_back({inner, member<std::string>(links, inner, ""), outer});
  made.recompute_on_backward = member<names>(data, "recompute_blobs_on_backward", {});
  made.outputs_with_grads = member<std::vector<std::size_t>>(data, "outputs_with_grads");
  made.timestep = member<std::string>(data, "timestep", "");
  if (!data.at("scope").is_null()) made.scope = member<std::string>(data, "scope");
  made.forward_only = member<bool>(data, "forward_only");
  made.as_caffe2 = in.as_recorded();
  return made;
}

}  // namespace

case_result run_recurrent_net(case_inputs& in) {
  plait::netdef net;
  net.name = net.intern(member<std::string>(in.data(), "net_name"));
  auto const rules = in.as_recorded() ? plait::caffe2_gradient_rules() : plait::gradient_rules::standard();
  auto made = plait::recurrent_net(net, options(in), rules);
  net.external_input.clear();  // an expectation has only the op
  case_result got;
  got.add("net", std::move(net)).add("outputs", json(made.blobs));
  return got;
}

}  // namespace conformance
