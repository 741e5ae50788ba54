// Gradient of If: an If with the backward passes of its branches.
//
// Emits the ops of Caffe2's control_ops_grad.py (gen_if_gradient). A blob that has a gradient in one branch only gets
// one from the other branch, too: zeros, or the incoming gradient if that branch leaves the blob unchanged. Correct
// where Caffe2 is wrong: the condition is an operand exactly once and no other operand is dropped; the inputs of fills
// are operands; a blob that a branch overwrites without reading it gets no gradient from there.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/gradient/detail/gradient_context.hpp>
#include <plait/gradient/detail/rules/nested_pass.hpp>
#include <plait/gradient/gradient_rules.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/traits.hpp>

namespace plait {

namespace detail {

inline gradient_rule::frames plan_if(gradient_context& c, gradient_rules const& rules, gradient_options const& options,
                                     gradient_rule::frames& done) {
  gradient_rule::frames frames;
  if (!done.empty()) return frames;
  c.refuse_unless(c.listed_input_count() != 0, "it has no condition");
  std::shared_ptr<netdef const> const then_net = c.net("then_net");
  c.refuse_unless(then_net != nullptr, "it has no net in the argument 'then_net'");
  nested_pass::seeds const seeds = seeds_of(name_gradients(c, false));
  std::vector<shared_value> const shared = shared_values(c);
  auto const add = [&](std::shared_ptr<netdef const> const& branch) {
    frames.push_back(
        std::make_unique<nested_pass>(branch, seeds, blobs_before(c), rules, options, c.surroundings(), shared));
  };
  add(then_net);
  if (std::shared_ptr<netdef const> const else_net = c.net("else_net")) add(else_net);
  return frames;
}

inline constexpr char const* branch_names[] = {"then_net", "else_net"};

// A branch of the gradient op.
struct gradient_branch {
  nested_pass* pass = nullptr;  // nullptr: the forward op lacks this branch, which leaves all blobs unchanged
  netdef net;
  std::optional<std::string> gradient_before(std::string_view blob, named_gradients const& after) {
    if (pass != nullptr) return pass->gradient_before(blob, net);
    auto const* const same = after.of(blob);
    return same == nullptr ? std::nullopt : std::optional(same->name);
  }
};

inline void make_if_gradient(gradient_context& c, gradient_rule::frames& done) {
  named_gradients gradients = name_gradients(c, false);
  std::array<gradient_branch, 2> branches;
  for (std::size_t i = 0; i != done.size(); ++i) {
    branches[i].pass = &pass_at(done, i);
    branches[i].net = branches[i].pass->gradient_net();
  }
  struct source {
    std::size_t input;
    std::array<std::optional<std::string>, 2> of;  // the gradient's name in each branch
  };
  std::vector<source> sources;
  name_list seen;
  for (std::size_t i = 1; i < c.input_count(); ++i) {
    std::string const blob(c.input_name(i));
    if (!c.is_wanted(i) || !seen.add(blob)) continue;
    auto const before = [&](gradient_branch& b) { return b.gradient_before(blob, gradients); };  // may append ops
    sources.push_back({i, {before(branches[0]), before(branches[1])}});
  }
  net_boundary inside;
  std::array<net_boundary, 2> own;  // as emitted by the rules, without the copies added below
  for (std::size_t b : {0u, 1u}) {
    inside.add(branches[b].net);
    own[b].add(branches[b].net);
  }
  bool const first_only = branches[1].pass == nullptr;

  boost::unordered_flat_map<std::string, std::size_t> results;      // input by the name of its gradient in the branches
  boost::unordered_flat_map<std::string, gradient_operand> shapes;  // by name in the branches
  std::vector<std::pair<std::size_t, std::string>> passed;
  name_list used;
  for (auto const& e : gradients.entries()) used.add(e.name);
  for (source const& from : sources) {
    std::size_t const i = from.input;
    auto const& of = from.of;  // no structured binding: with OpenMP clang 16 captures none
    std::string const blob(c.input_name(i));
    if (!of[0] && !of[1]) continue;
    auto const is_own = [&](std::optional<std::string> const& name) { return name && inside.writes.contains(*name); };
    if (of[0] == of[1] && !is_own(of[0])) {
      passed.emplace_back(i, *of[0]);
      continue;
    }
    std::string name = is_own(of[0]) ? *of[0] : is_own(of[1]) ? *of[1] : blob + "_grad";
    // A copy would overwrite another gradient of that name in a branch.
    auto const is_taken = [&] {
      for (std::size_t b : {0u, 1u})
        if (of[b] != name && (own[b].writes.contains(name) || own[b].reads.contains(name))) return true;
      return false;
    };
    while (is_taken() || !used.add(name)) name += '_';
    for (std::size_t b : {0u, 1u}) {
      netdef& net = branches[b].net;
      if (of[b] == name) continue;
      if (of[b]) {
        net.add_op("Copy", {*of[b]}, {name});
      } else {
        bool const is_branch = branches[b].pass != nullptr;  // else a copy is inserted before the If
        std::vector<saved_value::step> path;
        if (is_branch) path.push_back({c.source(), branch_names[b]});
        shape_before const shape = find_shape_before(c, i, is_branch && branches[b].pass->writes(blob), std::move(path),
                                                     is_branch ? 0 : c.source());
        if (shape.operand) shapes.emplace(shape.name, shape.operand);
        add_zeros(net, shape, name);
      }
    }
    results.emplace(std::move(name), i);
  }
  for (auto const& [i, name] : passed)
    if (auto const* const same = gradients.called(name)) c.pass(i, same->gradient);
  bool const leads_nowhere = branches[0].net.op.empty() && branches[1].net.op.empty();
  if (results.empty() && (leads_nowhere || !c.as_caffe2())) return;
  gradients.make_copies(c);
  if (first_only && !branches[1].net.op.empty())
    if (std::string_view const name = branches[0].net.text(branches[0].net.name); !name.empty())
      branches[1].net.name = branches[1].net.intern(std::string(name) + "_auto_else_zero_blobs_");

  // Inputs: the condition, then all reads of the branches. Outputs: all their writes, which nested nets refer to by
  // name.
  net_boundary all;
  for (gradient_branch const& b : branches) all.add(b.net);
  std::vector<std::string> const& reads = c.as_caffe2() ? inside.reads.names() : all.reads.names();
  net_boundary written;
  for (gradient_branch const& b : branches) written.add(b.net);

  std::vector<gradient_operand> inputs = {c.input(0)};
  bound_operands bound;
  for (std::string const& name : reads) {
    if (!c.as_caffe2() && name == c.input_name(0) && blob_after(c, name) == c.input(0)) {
      bound.emplace_back(c.input(0), name);
      continue;
    }
    // Caffe2 takes the letters of the condition's name for names, and lists the condition twice if it has several.
    if (c.as_caffe2() && name.size() == 1 && c.input_name(0).find(name) != std::string_view::npos) continue;
    auto const* const given = gradients.called(name);
    auto const shape = shapes.find(name);
    gradient_operand const operand = given != nullptr        ? given->gradient
                                     : shape != shapes.end() ? shape->second
                                                             : blob_after(c, name);
    if (!operand)
      continue;  // computed by one branch and read by the other after a fill, or a saved copy of the forward op
    inputs.push_back(operand);
    bound.emplace_back(operand, name);
  }
  std::vector<gradient_operand> outputs;
  for (std::string const& name : written.writes.names()) {
    auto const result = results.find(name);
    gradient_operand const forward = result == results.end() ? blob_after(c, name) : gradient_operand();
    gradient_operand const operand = forward ? c.update(forward) : c.temporary(name);
    if (result != results.end()) c.pass(result->second, operand);
    outputs.push_back(operand);
    bound.emplace_back(operand, name);
  }
  made_op op = c.op("If", inputs, outputs).own_arguments().named(gradient_op_name(c)).not_in_place();
  op.net("then_net", std::make_shared<netdef const>(std::move(branches[0].net)));
  if (branches[1].pass != nullptr || !branches[1].net.op.empty())
    op.net("else_net", std::make_shared<netdef const>(std::move(branches[1].net)));
  bind_operands(c, op, bound);
  mark_shapes(op, bound, all);
  for (std::size_t b : {0u, 1u})
    if (branches[b].pass != nullptr) save_inside(c, *branches[b].pass, branch_names[b]);
}

}  // namespace detail

}  // namespace plait
