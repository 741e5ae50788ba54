// Queries on the values of a net: producers, consumers, paths, boundaries.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <plait/netdef/traits.hpp>
#include <plait/ssa/backward_slice.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/external_blobs.hpp>
#include <plait/transform/subgraph.hpp>

#include "../transforms.hpp"

namespace conformance {

namespace {

using form = plait::ssa_form<plait::netdef>;

json text(form const& ssa, plait::value v) { return {ssa.name(v), v.version}; }

json text(form const& ssa, std::vector<plait::value> const& values) {
  json list = json::array();
  for (plait::value v : values) list.push_back(text(ssa, v));
  return list;
}

// Visits each value of the net, by blob and version.
template <class Visit>
void for_each_value(form const& ssa, Visit visit) {
  for (plait::blob_index b : ssa.blobs())
    for (std::uint32_t version = ssa.first_version(b); version <= ssa.version(b); ++version)
      visit(plait::value{b, version});
}

}  // namespace

case_result get_sub_graph_external_input_output(case_inputs& in) {
  auto const ssa = plait::get_ssa(in.net());
  auto const ops = in.arg<std::vector<plait::op_index>>("op_ids");
  auto const boundary = plait::find_subgraph_boundary(ssa, ops, {.repeat_within_op = true});
  case_result got;
  got.add("inputs", text(ssa, boundary.inputs)).add("outputs", text(ssa, boundary.outputs));
  return got;
}

case_result get_producer_map(case_inputs& in) {
  auto const ssa = plait::get_ssa(in.net());
  json map = json::array();
  for_each_value(ssa, [&](plait::value v) {
    if (auto const by = ssa.producer(v)) map.push_back({text(ssa, v), {by->op, by->slot}});
  });
  case_result got;
  got.add("map", std::move(map), case_result::order::any);
  return got;
}

case_result get_consumer_map(case_inputs& in) {
  auto const ssa = plait::get_ssa(in.net());
  json map = json::array();
  for_each_value(ssa, [&](plait::value v) {
    json readers = json::array();
    for (plait::operand reader : ssa.consumers(v)) readers.push_back({reader.op, reader.slot});
    if (!readers.empty()) map.push_back({text(ssa, v), std::move(readers)});
  });
  case_result got;
  got.add("map", std::move(map), case_result::order::any);
  return got;
}

case_result get_output_producers(case_inputs& in) {
  auto const ssa = plait::get_ssa(in.net());
  json producers = json::array();
  for_each_value(ssa, [&](plait::value v) {
    if (auto const by = ssa.producer(v)) producers.push_back({text(ssa, v), by->op});
  });
  case_result got;
  got.add("producers", std::move(producers), case_result::order::any);
  return got;
}

case_result get_op_ids_in_path(case_inputs& in) {
  auto const ssa = plait::get_ssa(in.net());
  auto const inputs = in.arg<std::vector<std::string>>("inputs");
  auto const outputs = in.arg<std::vector<std::string>>("outputs");
  case_result got;
  got.add("op_ids", plait::backward_slice(ssa, inputs, outputs));
  return got;
}

case_result get_external_blob_names(case_inputs& in) {
  auto const scope = in.arg<std::vector<std::string>>("lexical_scope");
  auto const found = plait::external_blob_names(in.net(), scope);
  auto const sorted = [](auto const& names) {
    std::vector<std::string> list(names.begin(), names.end());
    std::ranges::sort(list);
    return list;
  };
  case_result got;
  got.add("inputs", sorted(found.inputs)).add("outputs", sorted(found.outputs));
  return got;
}

}  // namespace conformance
