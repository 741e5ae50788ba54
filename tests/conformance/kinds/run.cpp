// Cases of kind run: nets that are run one after the other in one workspace.
#include <string>
#include <utility>
#include <vector>

#include <plait/exec/caffe2_operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/netdef/traits.hpp>

#include "../backend.hpp"
#include "../blobs.hpp"
#include "../kinds.hpp"
#include "../tensors.hpp"

namespace conformance {

namespace {

plait::operators<backend> const& operators() {
  static plait::operators<backend> const table = plait::caffe2_operators<backend>();
  return table;
}

// What of a net plait has no operators for.
void check_types(plait::netdef const& net, bool unknown_is_the_case) {
  for (plait::op_def const& op : net.op) {
    std::string const type(net.text(op.type));
    if (operators().find(type) == nullptr && !unknown_is_the_case) throw unsupported_case("operator " + type);
  }
}

}  // namespace

answer run_run(case_inputs& in) {
  std::vector<plait::netdef> nets;
  for (auto const& text : member<std::vector<std::string>>(in.data(), "nets")) nets.push_back(parse_net(text, "nets"));
  bool const unknown =
      member<std::string>(in.data(), "message", "").find("Cannot create operator") != std::string::npos;
  for (plait::netdef const& net : nets) check_types(net, unknown);

  plait::workspace<backend> blobs;
  json const feeds = member<json>(in.data(), "feeds", json::object());
  for (auto const& [name, given] : feeds.items()) feed(blobs, name, tensor_from_json(given, name));

  for (plait::netdef& net : nets) {
    // All blobs of a net outlast it here, as in Caffe2: later nets may read any of them.
    net.external_output.clear();
    set_executor(net);
    auto plan = plait::compile(net, operators(), blobs, {.as_declared = true});
    plan.run();
  }

  answer got;
  if (auto const expect = in.data().find("expect"); expect != in.data().end())
    for (auto const& [name, tensor] : expect->items())
      if (blobs.contains(name)) got.add(name, tensor_to_json(fetch(blobs, name)));
  return got;
}

}  // namespace conformance
