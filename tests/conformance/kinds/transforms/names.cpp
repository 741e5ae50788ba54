// Renaming transforms. The recorded systems do not check that a new name is free, so neither do these:
// name_capture::merge.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <plait/netdef/traits.hpp>
#include <plait/ssa/rewrite.hpp>
#include <plait/transform/detail/alias_placeholder.hpp>
#include <plait/transform/detail/rename_value.hpp>

#include "../transforms.hpp"

namespace conformance {

namespace {

// Clamps a position out of range to one that no net has, which plait must refuse.
std::uint32_t position(case_inputs const& in, std::string_view key) {
  auto const given = in.arg<std::int64_t>(key);
  constexpr auto limit = std::numeric_limits<std::uint32_t>::max() - 1;
  return given < 0 || given > limit ? limit : static_cast<std::uint32_t>(given);
}

case_result nets(plait::netdef const& net, plait::netdef const* init) {
  case_result got;
  got.add("net", net);
  if (init != nullptr) got.add("init_net", *init);
  return got;
}

}  // namespace

case_result rename_op_input(case_inputs& in) {
  plait::netdef& net = in.net();
  plait::netdef* const init = in.optional_net("init_net");
  plait::op_input const at{position(in, "op_id"), position(in, "input_id")};
  plait::rename_options const options{.from_producer = in.arg<bool>("from_producer", false),
                                      .capture = plait::name_capture::merge};
  auto const name = in.arg<std::string>("new_name");
  if (init != nullptr)
    plait::rename_input(net, *init, at, name, options);
  else
    plait::rename_input(net, at, name, options);
  return nets(net, init);
}

case_result rename_op_output(case_inputs& in) {
  plait::netdef& net = in.net();
  plait::netdef* const init = in.optional_net("init_net");
  plait::op_output const at{position(in, "op_id"), position(in, "output_id")};
  plait::rename_options const options{.capture = plait::name_capture::merge};
  auto const name = in.arg<std::string>("new_name");
  if (init != nullptr)
    plait::rename_output(net, *init, at, name, options);
  else
    plait::rename_output(net, at, name, options);
  return nets(net, init);
}

case_result fuse_alias_placeholder(case_inputs& in) {
  plait::netdef& net = in.net();
  plait::netdef* const init = in.optional_net("init_net");
  plait::alias_options const options{.capture = plait::name_capture::merge};
  if (init != nullptr)
    plait::fuse_alias_placeholders(net, *init, options);
  else
    plait::fuse_alias_placeholders(net, options);
  return nets(net, init);
}

// ssa_rewrite of the ONNX front end of 2018: every version in the names, nested nets unchanged. value_info of a blob is
// carried over; it is an object or a list of lists that begin with the blob.
case_result ssa_rewrite(case_inputs& in) {
  plait::netdef& net = in.net();
  plait::netdef* const init = in.optional_net("init_net");
  json const info = in.arg<json>("value_info", json());
  plait::ssa_rewrite_options options{.nested_nets = false, .require_written_outputs = true};
  if (info.is_object()) {
    for (auto const& entry : info.items()) options.value_info.push_back(entry.key());
  } else if (info.is_array()) {
    for (json const& entry : info) options.value_info.push_back(entry.at(0).get<std::string>());
  } else if (!info.is_null()) {
    throw malformed_case("key 'value_info' is neither an object nor a list");
  }
  auto const made = init != nullptr ? plait::ssa_rewrite(net, *init, options) : plait::ssa_rewrite(net, options);
  case_result got = nets(net, init);
  if (info.is_null()) return got;
  json renamed = info.is_object() ? json::object() : info;
  for (std::size_t i = 0; i != made.value_info.size(); ++i) {
    if (info.is_object())
      renamed[made.value_info[i]] = info[options.value_info[i]];
    else
      renamed[i][0] = made.value_info[i];
  }
  got.add("value_info", std::move(renamed));
  return got;
}

}  // namespace conformance
