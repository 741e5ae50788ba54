// Gradient of While: a While that visits the saved workspaces of the iterations in reverse.
//
// Emits the ops of Caffe2's control_ops_grad.py (gen_while_gradient) for loop-carried blobs. Correct where that is
// wrong: the gradient of a loop-invariant blob is summed over the iterations; a loop-carried blob has a gradient also
// if it matters only through another one; incoming gradients are not overwritten.
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

// The seeds of an iteration: the gradients of the outputs, and zeros for loop-carried blobs that matter through others
// only.
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

// Returns the input with the name of a loop-carried output. Input 0 is the condition and does not count.
inline std::optional<std::size_t> handed_on(gradient_context const& c, std::string_view blob) {
  std::size_t found = c.find_input(blob);
  if (found == 0) {
    do ++found;
    while (found != c.input_count() && c.input_name(found) != blob);
  }
  return found < c.input_count() ? std::optional(found) : std::nullopt;
}

// Returns the seeds of the last pass plus the loop-carried blobs that this pass has found to have gradients.
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
                  "the gradient of a loop needs a body that is one Do, which saves the values of its iterations");
  arg_def const* const reuse = find_argument(*body, body->op.front(), "reuse_workspace");
  c.refuse_unless(reuse == nullptr || reuse->i.value_or(0) == 0,
                  "its body reuses one workspace, so that the values of earlier iterations are lost");
  nested_pass const* const last = done.empty() ? nullptr : &pass_at(done, 0);
  nested_pass::seeds seeds = gradients_of_loop(c, last).seeds();
  // An iteration's outputs are overwritten by the next one, except the stack of workspaces.
  op_def const& run = body->op.front();
  c.refuse_unless(!run.input.empty(), "its body has no workspace");
  arg_def const* const keeps = find_argument(*body, run, "copy_external_blobs");
  std::vector<shared_value> shared = shared_values(c);
  if (!c.as_caffe2() && (keeps == nullptr || keeps->i.value_or(0) == 0))
    for (shared_value& s : shared)
      if (is_output(c, s.blob) && s.blob != body->text(*(run.input.end() - 1)))
        s = {s.blob, value_availability::overwritten,
             false};  // a copy in the body would hold the last iteration's value
  gradient_rule::frames frames;
  // Fixpoint over loop-carried blobs with gradients: at most one pass over the body per blob.
  if (last == nullptr || seeds.size() > last->given().size())
    frames.push_back(std::make_unique<nested_pass>(body, seeds, blobs_before(c), rules, options, c.surroundings(),
                                                   std::move(shared)));
  return frames;
}

// Refuses a cond_net that writes blobs with gradients: it is not differentiated.
inline void refuse_computing_conditions(gradient_context const& c, nested_pass const& body) {
  std::shared_ptr<netdef const> const test = c.net("cond_net");
  if (test == nullptr) return;
  name_list given;
  for (std::size_t o = 0; o != c.output_count(); ++o)
    if (c.has_gradient(o)) given.add(c.output_name(o));
  for (std::string const& blob : external_blob_names(*test, ssa_options{.subnets = true}).outputs) {
    bool const has_gradient = body.has_gradient_before(blob) || given.contains(blob);
    c.refuse_unless(!has_gradient,
                    "its cond_net writes '" + blob + "', which has a gradient; move that op to the body");
  }
}

// Emits the gradient of a loop through whose body none flows back: the incoming gradient if no iteration ran, else
// zeros.
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

  netdef next;  // the cond_net: tests for more iterations and carries gradients to the previous one
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

  // Loop-carried blobs: the gradient that an iteration computes is the seed of the previous iteration.
  struct made_gradient {
    std::size_t input;       // npos: for the previous iteration only
    gradient_operand first;  // its value before the first iteration
    std::string name;
  };
  std::vector<made_gradient> results;
  boost::unordered_flat_map<std::string, gradient_operand> shapes;  // by name in the body
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
    if (!name) {  // overwritten unread: no gradient flows further back, nor to the previous iteration
      name = e.blob + "_grad_before";
      shape_before const shape = find_shape_before(c, *input, true, {}, c.source());
      if (shape.operand) shapes.emplace(shape.name, shape.operand);
      add_zeros(body, shape, *name);
      std::string const handed = e.blob + "_grad_handed_on";  // with the shape that an iteration leaves
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
  // Loop-invariant blobs: their gradients are summed over the iterations.
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
