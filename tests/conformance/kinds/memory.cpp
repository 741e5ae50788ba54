// Cases of kind memory: nets in which blobs are freed or share memory. Which of them share is up to the system, so a
// result is checked against the invariants in FORMAT.md.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <plait/netdef/traits.hpp>
#include <plait/transform/detail/memory_schedule.hpp>
#include <plait/transform/detail/release_blobs.hpp>
#include <plait/transform/detail/share_blobs.hpp>
#include <plait/transform/detail/share_gradients.hpp>

#include "../kinds.hpp"

namespace conformance {

namespace {

using names = std::vector<std::string>;

names texts(plait::netdef const& n, auto const& range) {
  names made;
  for (auto const& name : range) made.emplace_back(plait::name_text(n, name));
  return made;
}

struct plain_op {
  std::string type;
  names inputs;
  names outputs;
};
std::vector<plain_op> plain_ops(plait::netdef const& n) {
  std::vector<plain_op> made;
  for (auto const& op : plait::ops(n))
    made.push_back(
        {std::string(plait::op_type(n, op)), texts(n, plait::inputs(n, op)), texts(n, plait::outputs(n, op))});
  return made;
}

std::set<std::string> blob_names(plait::netdef const& n) {
  std::set<std::string> found;
  auto const add = [&](names const& more) { found.insert(more.begin(), more.end()); };
  for (plain_op const& op : plain_ops(n)) {
    add(op.inputs);
    add(op.outputs);
  }
  add(texts(n, plait::external_inputs(n)));
  add(texts(n, plait::external_outputs(n)));
  return found;
}

// Origin of a value: an output of an op, by index, or an input of the net, by name.
using made_by = std::pair<std::string, std::pair<std::size_t, std::size_t>>;

// Blobs that must keep their names: no op may write or read them, except those that did.
std::set<std::string> to_stay(case_inputs const& in) {
  std::set<std::string> found;
  for (char const* key : {"static_blobs", "dont_share_blobs"})
    for (std::string const& name : in.arg<names>(key, {})) found.insert(name);
  for (auto const& name : texts(in.original(), plait::external_inputs(in.original()))) found.insert(name);
  for (auto const& name : texts(in.original(), plait::external_outputs(in.original()))) found.insert(name);
  return found;
}

}  // namespace

case_result run_memory(case_inputs& in) {
  auto const algorithm = member<std::string>(in.data(), "algorithm");
  plait::netdef& net = in.net();
  case_result got;
  if (algorithm == "release_blobs_when_used") {
    plait::release_blobs(net, {.keep = in.arg<names>("dont_free_blobs", {})});
  } else if (algorithm == "optimize_inference_fast") {
    plait::share_blobs(net, {.keep = in.arg<names>("static_blobs", {})});
  } else if (algorithm == "optimize_interference") {
    auto const made = plait::schedule_and_share_blobs(net, {.keep = in.arg<names>("static_blobs", {})});
    got.add("order", json(made.schedule.ops));
  } else if (algorithm == "optimize_inference_for_dag") {
    plait::share_activation_blobs(net, {.scope = in.arg<std::string>("namescope", "")});
  } else if (algorithm == "share_grad_blobs") {
    plait::share_gradient_blobs(net, {.parameter_gradients = in.arg<names>("param_grads"),
                                      .scope = in.arg<std::string>("namescope", ""),
                                      .keep = in.arg<names>("dont_share_blobs", {}),
                                      .share_activations = in.arg<bool>("share_activations", false)});
  } else {
    throw unsupported_case("memory algorithm " + algorithm);
  }
  got.add("net", net);
  return got;
}

std::vector<std::string> memory_differences(case_inputs const& in, case_result const& got) {
  plait::netdef const* net = nullptr;
  std::vector<std::size_t> order;
  for (case_result::field const& p : got.fields())
    if (p.key == "net")
      net = &std::get<plait::netdef>(p.value);
    else
      order = std::get<json>(p.value).get<std::vector<std::size_t>>();
  json const& expect = in.data()["expect"];
  plait::netdef const recorded = parse_net(member<std::string>(expect, "net"), "net");
  if (member<std::string>(in.data(), "algorithm") == "release_blobs_when_used")
    return net_differences(recorded, *net, "net");

  std::vector<std::string> found;
  std::vector<plain_op> const before = plain_ops(in.original());
  std::vector<plain_op> const after = plain_ops(*net);
  if (before.size() != after.size()) return {"net: " + std::to_string(after.size()) + " ops"};
  if (order.empty())
    for (std::size_t op = 0; op != before.size(); ++op) order.push_back(op);
  std::vector<std::size_t> sorted = order;
  std::ranges::sort(sorted);
  for (std::size_t op = 0; op != before.size(); ++op)
    if (sorted.size() != before.size() || sorted[op] != op) return {"order: is not a permutation of all ops"};

  // Returns for each op, by its index before, the origins of its inputs when the ops run in order.
  auto const run = [&](std::vector<plain_op> const& ops, auto const& number, std::map<std::string, made_by>& blobs) {
    std::vector<std::vector<made_by>> inputs(ops.size());
    for (std::size_t at = 0; at != ops.size(); ++at) {
      for (std::string const& name : ops[at].inputs)
        inputs[number(at)].push_back(blobs.try_emplace(name, made_by{name, {}}).first->second);
      for (std::size_t slot = 0; slot != ops[at].outputs.size(); ++slot)
        blobs[ops[at].outputs[slot]] = {"", {number(at) + 1, slot}};
    }
    return inputs;
  };
  std::map<std::string, made_by> left_before;
  std::map<std::string, made_by> left_after;
  auto const inputs_before = run(
      before, [](std::size_t at) { return at; }, left_before);
  auto const inputs_after = run(
      after, [&](std::size_t at) { return order[at]; }, left_after);

  std::set<std::string> const stay = to_stay(in);
  for (std::size_t at = 0; at != after.size(); ++at) {
    plain_op const& was = before[order[at]];
    plain_op const& is = after[at];
    std::string const label = "op " + std::to_string(at) + " (" + is.type + ')';
    if (was.type != is.type || was.outputs.size() != is.outputs.size()) {
      found.push_back(label + ": is another op");
      continue;
    }
    if (inputs_before[order[at]] != inputs_after[order[at]]) found.push_back(label + ": reads other values");
    for (std::size_t i = 0; i != was.inputs.size(); ++i) {
      if (stay.contains(was.inputs[i]) && was.inputs[i] != is.inputs[i])
        found.push_back(label + ": '" + was.inputs[i] + "' should have kept its name");
      for (std::size_t o = 0; o != was.outputs.size(); ++o)
        if ((was.inputs[i] == was.outputs[o]) != (is.inputs[i] == is.outputs[o]))
          found.push_back(label + ": different operands are in place");
    }
    for (std::size_t o = 0; o != was.outputs.size(); ++o)
      if (was.outputs[o] != is.outputs[o] && (stay.contains(was.outputs[o]) || stay.contains(is.outputs[o])))
        found.push_back(label + ": '" + was.outputs[o] + "' became '" + is.outputs[o] + '\'');
  }
  for (std::string const& name : stay)
    if (left_before.contains(name) && left_before[name] != left_after[name])
      found.push_back("'" + name + "' holds another value in the end");

  // A blob that the recorded system wrongly shared may have one name more.
  std::set<std::string> const in_recorded = blob_names(recorded);
  auto const lost = std::ranges::count_if(
      stay, [&](std::string const& name) { return left_before.contains(name) && !in_recorded.contains(name); });
  std::size_t const allowed = member<std::size_t>(expect, "distinct_blobs") + static_cast<std::size_t>(lost);
  if (std::size_t const count = blob_names(*net).size(); count > allowed)
    found.push_back("distinct_blobs: " + std::to_string(count) + ", " + std::to_string(allowed) + " are enough");
  return found;
}

}  // namespace conformance
