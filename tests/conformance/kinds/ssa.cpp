// Cases of kind ssa: versions of every read and write, last versions, undefined blobs.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>

#include "../kinds.hpp"

namespace conformance {

case_result run_ssa(case_inputs& in) {
  plait::netdef const& net = in.net();
  std::vector<std::pair<std::string, std::uint32_t>> initial;
  if (auto const given = in.data().find("initial_versions"); given != in.data().end() && !given->is_null()) {
    if (!given->is_object()) throw malformed_case("key 'initial_versions' is not an object");
    for (auto const& [blob, version] : given->items()) {
      if (!version.is_number_unsigned()) throw malformed_case("the initial version of '" + blob + "' is not a number");
      initial.emplace_back(blob, version.get<std::uint32_t>());
    }
  }
  auto const form = plait::get_ssa(net, initial);

  auto const row = [&](auto const& values) {
    json list = json::array();
    for (plait::value v : values) list.push_back({form.name(v), v.version});
    return list;
  };
  json ops = json::array();
  for (auto const& op : form.ops()) ops.push_back({row(op.reads()), row(op.writes())});

  // Caffe2's versions lack blobs that are read without being declared or written, and blobs that are only external
  // outputs.
  std::vector<bool> unlisted(form.blob_bound());
  for (plait::blob_index b : form.undeclared_inputs()) unlisted[b] = form.version(b) == 0;
  for (plait::blob_index b : form.unwritten_outputs()) unlisted[b] = true;
  json versions = json::object();
  for (plait::blob_index b : form.blobs())
    if (!unlisted[b]) versions[std::string(form.name(b))] = form.version(b);

  std::vector<std::string> undefined;
  for (plait::blob_index b : form.undefined()) undefined.emplace_back(form.name(b));
  std::ranges::sort(undefined);

  case_result got;
  got.add("ssa", std::move(ops)).add("versions", std::move(versions)).add("undefined", undefined);
  return got;
}

}  // namespace conformance
