// Cases of kind gradient: the gradient ops of a net and the map from blobs to gradients.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/traits.hpp>

#include "../kinds.hpp"

namespace conformance {

namespace {

plait::gradient_seed seed(std::string const& blob, json const& given) {
  if (given.is_null()) return plait::gradient_seed(blob);
  if (given.is_string()) return {blob, given.get<std::string>()};
  return {blob,
          plait::blob_gradient::sparse(member<std::string>(given, "indices"), member<std::string>(given, "values"))};
}

std::vector<plait::gradient_seed> seeds(json const& data) {
  auto const found = data.find("ys");
  if (found == data.end()) throw malformed_case("key 'ys' is missing");
  std::vector<plait::gradient_seed> made;
  if (found->is_array())
    for (std::string const& blob : found->get<std::vector<std::string>>()) made.emplace_back(blob);
  else
    for (auto const& [blob, given] : found->items()) made.push_back(seed(blob, given));
  return made;
}

}  // namespace

case_result run_gradient(case_inputs& in) {
  bool const recorded = in.as_recorded();
  auto const rules = recorded ? plait::caffe2_gradient_rules() : plait::gradient_rules::standard();
  auto made = plait::backward_pass(in.net(), seeds(in.data()), rules, {.as_caffe2 = recorded});
  json map = json::object();
  for (auto const& [blob, gradient] : made.gradients)
    if (gradient.is_sparse())
      map[blob] = {{"indices", gradient.indices}, {"values", gradient.values}};
    else
      map[blob] = gradient.values;
  case_result got;
  got.add("net", std::move(made.net)).add("map", std::move(map));
  return got;
}

}  // namespace conformance
