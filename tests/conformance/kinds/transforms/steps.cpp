// Step blobs of recurrences, after a run of the net.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <plait/exec/detail/step_blobs.hpp>
#include <plait/netdef/traits.hpp>

#include "../../blobs.hpp"
#include "../../tensors.hpp"
#include "../transforms.hpp"

namespace conformance {

case_result retrieve_step_blobs(case_inputs& in) {
  blobs held;
  json const feeds = member<json>(in.data(), "feeds", json::object());
  for (auto const& [name, given] : feeds.items()) held.feed(name, tensor_from_json(given, name));
  plait::netdef& net = in.net();
  plait::keep_step_blobs(net);
  held.run(net);
  std::vector<std::string> names = held.retrieve_step_blobs(net, in.arg<std::string>("prefix"));
  std::ranges::sort(names);
  json found = json::object();
  for (std::string const& name : names) found[name] = tensor_to_json(as_recorded(held.fetch(name)));
  case_result got;
  got.add("names", names).add("blobs", std::move(found));
  return got;
}

}  // namespace conformance
