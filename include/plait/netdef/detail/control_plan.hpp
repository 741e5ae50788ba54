// Plans of control flow ops: checks the scope and specifies all ops before the net is changed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/errors.hpp>
#include <plait/net/detail/name_generator.hpp>
#include <plait/net/mutation.hpp>
#include <plait/netdef/detail/built_op.hpp>
#include <plait/netdef/detail/control_options.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/transform/detail/external_blobs.hpp>

namespace plait {

namespace detail {

/// Ops to append; the last one is the control flow op itself.
struct control_plan {
  std::vector<built_op> ops;
  control_blobs blobs;
};

/// Ordered set of names: distinct, in order of insertion.
class distinct_names {
 public:
  void add(std::string const& name) {
    if (seen_.insert(name).second) names.push_back(name);
  }
  void add(std::vector<std::string> const& more) {
    for (std::string const& name : more) add(name);
  }
  std::vector<std::string> names;

 private:
  boost::unordered_flat_set<std::string> seen_;
};

using net_blobs = external_blobs<netdef>;

/// Returns external_blob_names() for a scope that is a predicate.
template <class Visible>
net_blobs blobs_in_scope(netdef const& n, Visible const& visible) {
  net_blobs const all = external_blob_names(n);
  std::vector<std::string> scope;
  for (auto const* names : {&all.inputs, &all.outputs})
    for (std::string const& name : *names)
      if (visible(name)) scope.push_back(name);
  return external_blob_names(n, scope);
}

/// Specification of a Do op.
struct do_spec {
  netdef net;
  std::vector<std::string> inputs;   ///< outer names; the workspace is not among them
  std::vector<std::string> outputs;  ///< likewise
  std::vector<std::string> inner;    ///< inner names of the inputs, then of outputs that are not inputs
  std::string workspace;
  bool copy_external_blobs = false;
  bool reuse_workspace = false;
};

inline std::vector<std::string> with_last(std::vector<std::string> names, std::string const& last) {
  names.push_back(last);
  return names;
}

inline built_op do_op(do_spec spec, std::optional<device_spec> const& device) {
  boost::unordered_flat_set<std::string_view> const read(spec.inputs.begin(), spec.inputs.end());
  std::vector<std::int64_t> outer;
  for (std::size_t i = 0; i != spec.inputs.size() + spec.outputs.size(); ++i)
    if (i < spec.inputs.size() || !read.contains(spec.outputs[i - spec.inputs.size()]))
      outer.push_back(static_cast<std::int64_t>(i));
  built_op made{"Do",
                with_last(spec.inputs, spec.workspace),
                with_last(spec.outputs, spec.workspace),
                {{"net", std::move(spec.net)}, {"inner_blobs", spec.inner}, {"outer_blobs_idx", outer}},
                device};
  if (spec.copy_external_blobs) made.arguments.emplace_back("copy_external_blobs", true);
  if (spec.reuse_workspace) made.arguments.emplace_back("reuse_workspace", true);
  return made;
}

/// Net with one Do op, for a branch whose blobs have the same names inside and outside.
struct control_branch {
  netdef net;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::string workspace;
};

inline control_branch make_branch(netdef body, net_blobs const& blobs, std::string_view net_name, std::string workspace,
                                  bool in_loop, std::optional<device_spec> const& device) {
  distinct_names inputs;
  inputs.add(blobs.inputs);
  if (in_loop) inputs.add(blobs.outputs);  // a loop without iterations leaves them unchanged
  distinct_names inner = inputs;
  inner.add(blobs.outputs);
  control_branch made;
  made.net.name = made.net.intern(net_name);
  append_op(
      made.net,
      do_op({std::move(body), inputs.names, blobs.outputs, std::move(inner.names), workspace, in_loop, false}, device));
  op_def const& op = made.net.op.back();
  for (symbol const s : op.input) made.net.external_input.push_back(s);
  for (symbol const s : op.output) made.net.external_output.push_back(s);
  made.inputs = std::move(inputs.names);
  made.outputs = blobs.outputs;
  made.workspace = std::move(workspace);
  return made;
}

inline built_op create_scope(std::string const& workspace, std::optional<device_spec> const& device) {
  return {"CreateScope", {}, {workspace}, {}, device};
}

template <class Visible>
std::string new_workspace(name_generator& names, Visible const& visible, std::string const& wanted) {
  for (;;) {
    std::string made = names.next_blob(wanted);
    if (!visible(made)) return made;
  }
}

[[noreturn]] inline void undefined_condition(std::string_view condition) {
  throw net_error("plait: the condition '" + std::string(condition) + "' is not in the lexical scope", {},
                  std::string(condition));
}

template <class Visible>
control_plan plan_if_op(name_generator& names, std::string const& condition, Visible const& visible, netdef then_net,
                        std::optional<netdef> else_net, control_options const& options) {
  if (!visible(condition)) undefined_condition(condition);
  auto const then_blobs = blobs_in_scope(then_net, visible);
  std::optional<net_blobs> else_blobs;
  if (else_net) else_blobs = blobs_in_scope(*else_net, visible);

  control_plan made;
  std::vector<control_branch> branches;
  auto const add = [&](netdef body, net_blobs const& blobs, std::string_view which) {
    branches.push_back(make_branch(std::move(body), blobs, "do_" + std::string(which) + "_net",
                                   new_workspace(names, visible, options.name + "/workspace_if_" + std::string(which)),
                                   false, options.device));
  };
  add(std::move(then_net), then_blobs, "then");
  if (else_net) add(std::move(*else_net), *else_blobs, "else");

  distinct_names inputs;
  distinct_names outputs;
  inputs.add(condition);
  for (control_branch const& b : branches) {
    inputs.add(b.inputs);
    outputs.add(b.outputs);
    made.ops.push_back(create_scope(b.workspace, options.device));
    made.blobs.workspaces.push_back(b.workspace);
  }
  made.blobs.outputs = outputs.names;
  inputs.add(made.blobs.workspaces);
  outputs.add(made.blobs.workspaces);
  built_op op{"If", std::move(inputs.names), std::move(outputs.names), {}, options.device};
  op.arguments.emplace_back("then_net", std::move(branches.front().net));
  if (branches.size() == 2) op.arguments.emplace_back("else_net", std::move(branches.back().net));
  made.ops.push_back(std::move(op));
  return made;
}

template <class Visible>
control_plan plan_while_op(name_generator& names, std::string const& condition, Visible const& visible, netdef body,
                           std::optional<netdef> condition_net, control_options const& options) {
  bool const known = visible(condition);
  auto const in_scope = [&](std::string_view name) { return name == condition || visible(name); };
  if (!known && !condition_net) undefined_condition(condition);
  auto const body_blobs = blobs_in_scope(body, in_scope);
  std::optional<net_blobs> condition_blobs;
  if (condition_net) {
    condition_blobs = blobs_in_scope(*condition_net, in_scope);
    if (std::ranges::find(condition_blobs->outputs, condition) == condition_blobs->outputs.end())
      throw net_error("plait: the condition net does not write the condition '" + condition + '\'', {}, condition);
  }

  control_plan made;
  if (!known) made.ops.push_back({"ConstantFill", {}, {condition}, {{"dtype", 5}, {"value", 0}}, options.device});
  std::vector<control_branch> branches;
  branches.push_back(make_branch(std::move(body), body_blobs, "do_loop_body_net",
                                 new_workspace(names, visible, options.name + "/workspace_loop_body"), true,
                                 options.device));
  if (condition_net)
    branches.push_back(make_branch(std::move(*condition_net), *condition_blobs, "do_loop_condition_net",
                                   new_workspace(names, visible, options.name + "/workspace_loop_cond"), false,
                                   options.device));

  distinct_names inputs;
  distinct_names outputs;
  distinct_names written;
  inputs.add(condition);
  for (control_branch const& b : branches) {
    made.ops.push_back(create_scope(b.workspace, options.device));
    made.blobs.workspaces.push_back(b.workspace);
    inputs.add(with_last(b.inputs, b.workspace));
    outputs.add(with_last(b.outputs, b.workspace));
    written.add(b.outputs);
  }
  made.blobs.outputs = std::move(written.names);
  built_op op{"While", std::move(inputs.names), std::move(outputs.names), {}, options.device};
  op.arguments.emplace_back("loop_net", std::move(branches.front().net));
  if (branches.size() == 2) op.arguments.emplace_back("cond_net", std::move(branches.back().net));
  made.ops.push_back(std::move(op));
  return made;
}

// Resolves bindings to the outer blobs that a Do op reads and writes, and their inner names.
template <class Visible>
do_spec bind_blobs(netdef const& inner, Visible const& visible, std::vector<blob_binding> const& bindings) {
  do_spec made;
  if (bindings.empty()) {
    net_blobs blobs = blobs_in_scope(inner, visible);
    distinct_names all;
    all.add(blobs.inputs);
    all.add(blobs.outputs);
    made.inner = std::move(all.names);
    made.inputs = std::move(blobs.inputs);
    made.outputs = std::move(blobs.outputs);
    return made;
  }
  boost::unordered_flat_set<std::string_view> inside, outside;
  std::vector<std::string> scope;
  for (blob_binding const& b : bindings) {
    if (!inside.insert(b.inner).second)
      throw net_error("plait: blob '" + b.inner + "' of the Do net is bound twice", {}, b.inner);
    if (!outside.insert(b.outer).second)
      throw net_error("plait: blob '" + b.outer + "' is bound to two blobs of the Do net", {}, b.outer);
    scope.push_back(b.inner);
  }
  net_blobs const blobs = external_blob_names(inner, scope);
  boost::unordered_flat_set<std::string_view> const read(blobs.inputs.begin(), blobs.inputs.end());
  boost::unordered_flat_set<std::string_view> const written(blobs.outputs.begin(), blobs.outputs.end());
  std::vector<std::string> only_written;
  for (blob_binding const& b : bindings) {
    if (read.contains(b.inner)) {
      if (!visible(b.outer))
        throw net_error("plait: blob '" + b.outer + "', bound to '" + b.inner + "', is not in the lexical scope", {},
                        b.outer);
      made.inputs.push_back(b.outer);
      made.inner.push_back(b.inner);
    } else if (written.contains(b.inner)) {
      only_written.push_back(b.inner);
    } else {
      throw net_error("plait: the Do net neither reads nor writes '" + b.inner + "', which is bound", {}, b.inner);
    }
    if (written.contains(b.inner)) made.outputs.push_back(b.outer);
  }
  made.inner.insert(made.inner.end(), only_written.begin(), only_written.end());
  return made;
}

template <class Visible>
control_plan plan_do_op(name_generator& names, Visible const& visible, netdef inner, do_options const& options) {
  if (options.copy_external_blobs && options.reuse_workspace)
    throw net_error("plait: a Do op that reuses its workspace cannot keep the values of each run");
  bool const is_new = options.workspace.empty();
  if (!is_new && !visible(options.workspace))
    throw net_error("plait: the workspace '" + options.workspace + "' is not in the lexical scope", {},
                    options.workspace);
  do_spec spec = bind_blobs(inner, visible, options.bindings);
  for (auto const* blobs : {&spec.inputs, &spec.outputs})
    if (!is_new && std::ranges::find(*blobs, options.workspace) != blobs->end())
      throw net_error("plait: the workspace '" + options.workspace + "' cannot be bound to a blob of its own net", {},
                      options.workspace);

  control_plan made;
  spec.workspace = is_new ? new_workspace(names, visible, options.name + "/workspace_do") : options.workspace;
  if (is_new) made.ops.push_back(create_scope(spec.workspace, options.device));
  made.blobs = {spec.outputs, {spec.workspace}};
  spec.net = std::move(inner);
  spec.copy_external_blobs = options.copy_external_blobs;
  spec.reuse_workspace = options.reuse_workspace;
  made.ops.push_back(do_op(std::move(spec), options.device));
  return made;
}

}  // namespace detail

}  // namespace plait
