// The gradient of While: a While that goes back through the workspaces that the iterations have left.
//
// Follows Caffe2's control_ops_grad.py (gen_while_gradient) for blobs that an iteration hands to the next. Right where
// that is not: the gradient of a blob that every iteration reads is summed over the iterations, a blob that is handed
// on has a gradient also if only another one's does afterwards, and gradients that come in are left as they are.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/detail/npos.hpp>
#include <plait/gradient/detail/gradient_context.hpp>
#include <plait/gradient/detail/rules/nested_pass.hpp>
#include <plait/gradient/gradient_rules.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/external_blobs.hpp>

namespace plait {

namespace detail {

// The gradients that an iteration starts from: those given for the outputs, then, for blobs that are handed on and
// matter through others only, zeros.
struct loop_gradients {
  named_gradients given;
  std::vector<std::pair<std::string, std::string>> zeros;  // blob and the name of its gradient

  nested_pass::seeds seeds() const {
    nested_pass::seeds made = seeds_of(given);
    made.insert(made.end(), zeros.begin(), zeros.end());
    return made;
  }
};

inline bool is_output(gradient_context const& c, std::string_view blob) { return c.find_output(blob) != npos; }

// The input that is an output's blob as the loop finds it; the first is the condition.
inline std::optional<std::size_t> handed_on(gradient_context const& c, std::string_view blob) {
  std::size_t found = c.find_input(blob);
  if (found == 0) {
    do ++found;
    while (found != c.input_count() && c.input_name(found) != blob);
  }
  return found < c.input_count() ? std::optional(found) : std::nullopt;
}

// Those of the last pass, and what that pass found to be handed on besides.
inline loop_gradients gradients_of_loop(gradient_context& c, nested_pass const* last) {
  loop_gradients made;
  made.given = name_gradients(c, !c.as_caffe2());
  if (c.as_caffe2() || last == nullptr) return made;
  name_list known;
  for (auto const& e : made.given.entries()) known.add(e.blob);
  for (std::size_t i = 1; i < c.input_count(); ++i) {
    std::string const blob(c.input_name(i));
    if (is_output(c, blob) && !known.contains(blob) && last->has_gradient_before(blob) && known.add(blob))
      made.zeros.emplace_back(blob, blob + "_grad_of_loop");
  }
  return made;
}

inline gradient_rule::frames plan_while(gradient_context& c, gradient_rules const& rules,
                                        gradient_options const& options, gradient_rule::frames& done) {
  std::shared_ptr<netdef const> const body = c.net("loop_net");
  c.refuse_unless(body != nullptr, "it has no net in the argument 'loop_net'");
  c.refuse_unless(body->op.size() == 1 && body->text(body->op.front().type) == "Do",
                  "the gradient of a loop needs a body that is one Do, which keeps what its iterations compute");
  arg_def const* const reuse = find_argument(*body, body->op.front(), "reuse_workspace");
  c.refuse_unless(reuse == nullptr || reuse->i.value_or(0) == 0,
                  "its body reuses one workspace, so that what earlier iterations have computed is gone");
  nested_pass const* const last = done.empty() ? nullptr : &pass_at(done, 0);
  nested_pass::seeds seeds = gradients_of_loop(c, last).seeds();
  // What an iteration leaves outside the next one overwrites, but for the stack of workspaces.
  op_def const& run = body->op.front();
  c.refuse_unless(!run.input.empty(), "its body has no workspace");
  arg_def const* const keeps = find_argument(*body, run, "copy_external_blobs");
  std::vector<shared_value> shared = shared_values(c);
  if (!c.as_caffe2() && (keeps == nullptr || keeps->i.value_or(0) == 0))
    for (shared_value& s : shared)
      if (is_output(c, s.blob) && s.blob != body->text(*(run.input.end() - 1)))
        s = {s.blob, value_availability::overwritten, false};  // a copy in the body would be that of the last iteration
  gradient_rule::frames frames;
  // Handed-on blobs join until no more do; each needs a pass over the body at most.
  if (last == nullptr || seeds.size() > last->given().size())
    frames.push_back(std::make_unique<nested_pass>(body, seeds, blobs_before(c), rules, options, c.surroundings(),
                                                   std::move(shared)));
  return frames;
}

// What runs between iterations is not gone back through: it may decide, not compute.
inline void refuse_computing_conditions(gradient_context const& c, nested_pass const& body) {
  std::shared_ptr<netdef const> const test = c.net("cond_net");
  if (test == nullptr) return;
  name_list given;
  for (std::size_t o = 0; o != c.output_count(); ++o)
    if (c.has_gradient(o)) given.add(c.output_name(o));
  for (std::string const& blob : external_blob_names(*test, ssa_options{.subnets = true}).outputs) {
    bool const has_gradient = body.has_gradient_before(blob) || given.contains(blob);
    c.refuse_unless(!has_gradient, "its cond_net writes '" + blob + "', which has a gradient; the body should do that");
  }
}

// The gradient of a loop whose body hands none back: what comes in where no iteration ran, else zeros.
inline void make_gradient_around_loop(gradient_context& c, gradient_operand more, std::string const& condition) {
  named_gradients gradients = name_gradients(c, false);
  netdef ran, passed;
  std::vector<gradient_operand> inputs = {more};
  std::vector<gradient_operand> outputs;
  bound_operands bound = {{more, condition}};
  auto const read = [&](gradient_operand operand, std::string const& name) {
    inputs.push_back(operand);
    bound.emplace_back(operand, name);
  };
  gradients.make_copies(c);
  for (auto const& e : gradients.entries()) {
    std::optional<std::size_t> const input = handed_on(c, e.blob);
    if (!input) continue;
    std::string const name = e.blob + "_grad_before";
    shape_before const shape = find_shape_before(c, *input, true, {}, c.source());
    add_zeros(ran, shape, name);
    passed.add_op("Copy", {e.name}, {name});
    read(e.gradient, e.name);
    if (shape.operand) read(shape.operand, shape.name);
    outputs.push_back(c.temporary(name));
    bound.emplace_back(outputs.back(), name);
    c.pass(*input, outputs.back());
  }
  if (outputs.empty()) return;
  made_op op = c.op("If", inputs, outputs).own_arguments().named(gradient_op_name(c)).not_in_place();
  op.net("then_net", std::make_shared<netdef const>(std::move(ran)));
  op.net("else_net", std::make_shared<netdef const>(std::move(passed)));
  bind_operands(c, op, bound);
}

inline void make_while_gradient(gradient_context& c, gradient_rule::frames& done) {
  nested_pass& pass = pass_at(done, 0);
  loop_gradients gradients = gradients_of_loop(c, &pass);
  netdef body = pass.gradient_net();
  if (!c.as_caffe2()) refuse_computing_conditions(c, pass);
  op_def const& forward = pass.forward().op.front();
  c.refuse_unless(!forward.input.empty(), "its body has no workspace");
  std::string const workspace(pass.forward().text(*(forward.input.end() - 1)));
  gradient_operand const scope = blob_after(c, workspace);
  c.refuse_unless(static_cast<bool>(scope), "the workspace of its body, '" + workspace + "', is no operand");

  std::size_t const before = (*c.surroundings().loops)++;
  std::string const condition =
      "gradient_loop_cond_net" + (before == 0 ? std::string() : '_' + std::to_string(before)) + "/cond";
  if (body.op.empty() && !c.as_caffe2()) {
    gradient_operand const ran = c.temporary(condition);
    c.op("HasScope", {scope}, {ran}).plain();
    return make_gradient_around_loop(c, ran, condition);
  }
  gradients.given.make_copies(c);
  bound_operands bound;
  auto const fill = [&](std::string_view like, gradient_operand to) {
    gradient_operand const blob = blob_after(c, like);
    if (c.as_caffe2() || c.forward().is_set(blob))
      c.op("ConstantFill", {blob}, {to}).plain().argument("value", 0.0f);
    else
      c.op("ZerosLike", {blob}, {to}).plain();
  };

  netdef next;  // between iterations: whether there are more, and what one hands to the one before
  next.name = next.intern("gradient_loop_cond_net");
  next.add_op("HasScope", {workspace}, {condition});
  next.external_input.push_back(next.intern(workspace));
  gradient_operand const more = c.temporary(condition);
  c.op("HasScope", {scope}, {more}).plain();
  bound.emplace_back(more, condition);
  bound.emplace_back(scope, workspace);

  for (auto const& [blob, name] : gradients.zeros) {
    gradient_operand const zero = c.temporary(name);
    fill(blob, zero);
    gradients.given.add({blob, zero, name});
  }

  // Blobs that are handed on: the gradient an iteration makes is the one the iteration before starts from.
  struct made_gradient {
    std::size_t input;       // npos: for the iteration before alone
    gradient_operand first;  // what it is if there is no iteration
    std::string name;
  };
  std::vector<made_gradient> results;
  boost::unordered_flat_map<std::string, gradient_operand> shapes;  // by their names in the body
  auto const add_result = [&](std::size_t input, gradient_operand given, std::string const& name) {
    gradient_operand const first = c.temporary(name);
    c.op("Copy", {given}, {first}).plain();
    results.push_back({input, first, name});
  };
  auto const hand_on = [&](std::string const& name, std::string const& to) {
    next.add_op("Copy", {name}, {to});
    next.external_input.push_back(next.intern(name));
  };
  for (auto const& e : gradients.given.entries()) {
    bound.emplace_back(e.gradient, e.name);
    std::optional<std::size_t> const input = handed_on(c, e.blob);
    if (!input) continue;
    std::optional<std::string> name = pass.gradient_before(e.blob, body);
    if (!name && c.as_caffe2()) continue;
    if (!name) {  // overwritten unread: nothing goes further back, nor to the iteration before
      name = e.blob + "_grad_before";
      shape_before const shape = find_shape_before(c, *input, true, {}, c.source());
      if (shape.operand) shapes.emplace(shape.name, shape.operand);
      add_zeros(body, shape, *name);
      std::string const handed = e.blob + "_grad_handed_on";  // as large as what an iteration leaves
      add_zeros(body, {e.name, {}, false}, handed);
      add_result(npos, e.gradient, handed);
      hand_on(handed, e.name);
      add_result(*input, e.gradient, *name);
      continue;
    }
    if (*name == e.name) {
      c.pass(*input, e.gradient);
      continue;
    }
    add_result(*input, e.gradient, *name);
    hand_on(*name, e.name);
  }
  // Blobs that all iterations read: their gradients add up.
  for (std::size_t i = 1; i < c.input_count(); ++i) {
    std::string const blob(c.input_name(i));
    if (blob == workspace || is_output(c, blob)) continue;
    auto const name = pass.gradient_before(blob, body);
    if (!name) continue;
    if (c.as_caffe2()) {
      results.push_back({i, {}, *name});
      continue;
    }
    std::string const total = blob + "_grad_sum";
    gradient_operand const first = c.temporary(total);
    fill(blob, first);
    body.add_op("Sum", {total, *name}, {total});
    results.push_back({i, first, total});
  }

  net_boundary boundary;
  boundary.add(body);
  boost::unordered_flat_map<std::string_view, std::vector<made_gradient const*>> results_called;
  for (made_gradient const& r : results) results_called[r.name].push_back(&r);
  auto const results_of = [&](std::string_view name) {
    auto const found = results_called.find(name);
    return found == results_called.end() ? std::span<made_gradient const* const>() : std::span(found->second);
  };
  auto const operand_called = [&](std::string_view name) {
    if (auto const* const given = gradients.given.called(name)) return given->gradient;
    for (made_gradient const* r : results_of(name))
      if (r->first) return r->first;
    auto const shape = shapes.find(std::string(name));
    return shape != shapes.end() ? shape->second : blob_after(c, name);
  };
  std::vector<gradient_operand> inputs = {more};
  name_list listed;
  auto const read = [&](std::string const& name) {
    if (!listed.add(name)) return;
    gradient_operand const operand = operand_called(name);
    if (!operand) return;
    inputs.push_back(operand);
    bound.emplace_back(operand, name);
  };
  for (std::string const& name : boundary.reads.names()) read(name);
  if (!c.as_caffe2())
    for (made_gradient const& r : results) read(r.name);

  std::vector<gradient_operand> outputs;
  for (std::string const& name : boundary.writes.names()) {
    gradient_operand operand;
    for (made_gradient const* r : results_of(name)) {
      operand = r->first ? c.update(r->first) : c.temporary(name);
      if (r->input != npos) c.pass(r->input, operand);
    }
    if (!operand) {
      gradient_operand const known = blob_after(c, name);
      operand = known ? c.update(known) : c.temporary(name);
    }
    outputs.push_back(operand);
    bound.emplace_back(operand, name);
  }
  made_op op = c.op("While", inputs, outputs).own_arguments().named(gradient_op_name(c)).not_in_place();
  op.net("loop_net", std::make_shared<netdef const>(std::move(body)));
  op.net("cond_net", std::make_shared<netdef const>(std::move(next)));
  bind_operands(c, op, bound);
  mark_shapes(op, bound, boundary);
  save_inside(c, pass, "loop_net");
}

}  // namespace detail

}  // namespace plait
