// What steps of recurrences leave: the net is run.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/step_blobs.hpp>
#include <plait/netdef/traits.hpp>

#include "../../blobs.hpp"
#include "../../tensors.hpp"
#include "../transforms.hpp"

namespace conformance {

answer retrieve_step_blobs(case_inputs& in) {
  plait::workspace<backend> blobs;
  json const feeds = member<json>(in.data(), "feeds", json::object());
  for (auto const& [name, given] : feeds.items()) feed(blobs, name, tensor_from_json(given, name));
  plait::netdef& net = in.net();
  plait::keep_step_blobs(net);
  plait::compile(net, plait::standard_operators<backend>(), blobs).run();
  std::vector<std::string> names =
      plait::retrieve_step_blobs(net, blobs, {.prefix = in.arg<std::string>("prefix"), .as_caffe2 = true});
  std::ranges::sort(names);
  json found = json::object();
  for (std::string const& name : names) found[name] = tensor_to_json(fetch(blobs, name));
  answer got;
  got.add("names", names).add("blobs", std::move(found));
  return got;
}

}  // namespace conformance
