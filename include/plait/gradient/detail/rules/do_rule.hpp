// Gradient of Do: a Do that runs the backward pass of its net in the workspace that the forward one has saved.
//
// Emits the ops and names of Caffe2's control_ops_grad.py (gen_do_gradient). Correct where that is wrong: gradients
// that are only passed through (Sum, Add) are returned; an incoming and an outgoing gradient may have the same name; an
// output that a branch inside may leave unchanged has a gradient before the Do, too, whether it is an input or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/detail/npos.hpp>
#include <plait/gradient/detail/gradient_context.hpp>
#include <plait/gradient/detail/rules/nested_pass.hpp>
#include <plait/gradient/gradient_rules.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/traits.hpp>

namespace plait {

namespace detail {

inline constexpr std::string_view inner_gradient_suffix = "/_DO_OPERATOR_INNER_GRAD_";
inline constexpr std::string_view inner_copy_suffix = "/_DO_OPERATOR_INNER_GRAD_COPY_";

// Name binding of a Do: the inner name of each operand. The last listed input and output are the workspace; a blob that
// its net writes under the name of an input only is an implicit output after it.
class do_binding {
 public:
  explicit do_binding(gradient_context const& c) {
    c.refuse_unless(c.listed_input_count() >= 1 && c.listed_output_count() >= 1 &&
                        c.input_name(c.listed_input_count() - 1) == c.output_name(c.listed_output_count() - 1),
                    "its last input and its last output should be its workspace");
    inputs_ = c.listed_input_count() - 1;
    outputs_ = c.listed_output_count() - 1;
    auto const inner = c.argument<std::vector<std::string>>("inner_blobs");
    auto const outer = c.argument<std::vector<std::int64_t>>("outer_blobs_idx");
    c.refuse_unless(inner.size() == outer.size(), "inner_blobs and outer_blobs_idx should have the same length");
    for (std::size_t i = 0; i != inner.size(); ++i) {
      auto const at = static_cast<std::size_t>(outer[i]);
      c.refuse_unless(outer[i] >= 0 && at < inputs_ + outputs_, "outer_blobs_idx is out of range");
      std::string const name(at < inputs_ ? c.input_name(at) : c.output_name(at - inputs_));
      inner_of_.emplace(name, inner[i]);
      outer_of_.emplace(inner[i], name);
    }
  }
  std::size_t workspace() const noexcept { return outputs_; }  // which of the outputs
  std::string const* inner_of(std::string_view outer) const { return find(inner_of_, outer); }
  std::string const* outer_of(std::string_view inner) const { return find(outer_of_, inner); }

 private:
  using map = boost::unordered_flat_map<std::string, std::string>;
  static std::string const* find(map const& in, std::string_view name) {
    auto const at = in.find(std::string(name));
    return at == in.end() ? nullptr : &at->second;
  }
  std::size_t inputs_;
  std::size_t outputs_;
  map inner_of_;
  map outer_of_;
};

// Returns true if the workspace of a Do holds copies of its operands.
inline bool keeps_operands(gradient_context const& c) {
  return c.argument<std::int64_t>("copy_external_blobs", 0) != 0;
}

inline gradient_rule::frames plan_do(gradient_context& c, gradient_rules const& rules, gradient_options const& options,
                                     gradient_rule::frames& done) {
  gradient_rule::frames frames;
  if (!done.empty()) return frames;
  std::shared_ptr<netdef const> const inner = c.net("net");
  c.refuse_unless(inner != nullptr, "it has no net in the argument 'net'");
  c.refuse_unless(c.as_caffe2() || !c.has_argument("saved_fwd_blobs"),
                  "it is a gradient op itself: it consumes the workspace that a second backward pass would need");
  do_binding const binding(c);
  nested_pass::seeds seeds;
  for (std::size_t o = 0; o != c.output_count(); ++o) {
    if (o == binding.workspace() || !c.has_gradient(o)) continue;
    (void)c.output_gradient(o);
    std::string const* const name = binding.inner_of(c.output_name(o));
    c.refuse_unless(name != nullptr, "its output '" + std::string(c.output_name(o)) + "' has no name inside");
    seeds.emplace_back(*name, *name + std::string(inner_gradient_suffix));
  }
  c.refuse_unless(!seeds.empty(), "none of its outputs has a gradient");
  // Includes blobs that are no operands themselves, but may be passed through under the name of an output.
  std::vector<std::string> outside;
  for (std::string const& name : blobs_before(c))
    if (std::string const* const known = binding.inner_of(name)) outside.push_back(*known);
  pass_surroundings around = c.surroundings();
  around.scope = nullptr;
  std::vector<shared_value> shared;
  if (!keeps_operands(c))
    shared = shared_values(c, [&](std::string_view name) {
      std::string const* const known = binding.inner_of(name);
      return known == nullptr ? std::string_view() : std::string_view(*known);
    });
  frames.push_back(std::make_unique<nested_pass>(inner, seeds, outside, rules, options, around, std::move(shared)));
  return frames;
}

// Caffe2 emits no Do for a net without gradient ops: blobs that are both input and output keep their gradients.
inline void keep_gradients(gradient_context& c) {
  for (std::size_t i = 0; i + 1 < c.listed_input_count(); ++i)
    if (std::size_t const o = c.find_output(c.input_name(i)); o != npos && c.has_gradient(o))
      c.pass(i, c.output_gradient(o));
}

inline void make_do_gradient(gradient_context& c, gradient_rule::frames& done) {
  nested_pass& pass = pass_at(done, 0);
  netdef inner = pass.gradient_net();
  do_binding const binding(c);
  if (c.as_caffe2() && inner.op.empty()) return keep_gradients(c);
  named_gradients gradients = name_gradients(c, false);
  gradients.make_copies(c);

  // Outputs: the gradient of each input, under a unique name.
  std::vector<gradient_operand> outputs;
  std::vector<std::string> inner_names;
  std::vector<std::int64_t> places;  // operand indices; outputs first, relative to the first output at this point
  for (std::size_t i = 0; i != c.input_count(); ++i) {
    std::string const* const name = binding.inner_of(c.input_name(i));
    if (name == nullptr || !c.is_wanted(i)) continue;
    auto const found = pass.gradient_before(*name, inner);
    if (!found) continue;
    std::string const copy = *name + std::string(inner_copy_suffix);
    inner.add_op("Copy", {*found}, {copy});
    inner_names.push_back(copy);
    places.push_back(static_cast<std::int64_t>(outputs.size()));
    outputs.push_back(c.input_gradient(i));
  }
  if (outputs.empty() && !c.as_caffe2()) return;  // Caffe2 runs dead ops
  std::size_t const made = outputs.size();

  // Inputs: blobs and gradients of the enclosing net. All others are in the workspace, or computed inside.
  std::vector<gradient_operand> inputs;
  boost::unordered_flat_map<std::uint32_t, std::size_t> place_of;            // input index by operand
  boost::unordered_flat_map<std::string, gradient_operand> gradient_inside;  // gradients of outputs, by inner name
  for (auto const& e : gradients.entries())
    if (std::string const* const known = binding.inner_of(e.blob)) gradient_inside.insert_or_assign(*known, e.gradient);
  bound_operands bound;
  std::vector<std::string> saved;
  net_boundary boundary;
  boundary.add(inner);
  for (std::string const& name : boundary.reads.names()) {
    gradient_operand outer;
    if (std::string const* const blob = binding.outer_of(name)) {
      outer = blob_after(c, *blob);
      if (!c.as_caffe2() && keeps_operands(c) && outer && c.forward().availability(outer) != value_availability::kept)
        outer = {};
    } else if (name.ends_with(inner_gradient_suffix)) {
      auto const found = gradient_inside.find(name.substr(0, name.size() - inner_gradient_suffix.size()));
      if (found != gradient_inside.end()) outer = found->second;
    }
    if (!outer) {
      saved.push_back(name);
      continue;
    }
    auto const [at, is_new] = place_of.emplace(outer.id, inputs.size());
    places.push_back(static_cast<std::int64_t>(at->second));
    if (is_new) inputs.push_back(outer);
    inner_names.push_back(name);
    bound.emplace_back(outer, name);
  }
  for (std::size_t i = 0; i != made; ++i) places[i] += static_cast<std::int64_t>(inputs.size());
  if (c.as_caffe2())
    for (gradient_operand out : outputs)
      for (gradient_operand in : inputs)
        c.refuse_unless(c.text(in) != c.text(out),
                        "it reads and writes a gradient of the same name, '" + c.text(out) + '\'');

  gradient_operand const workspace = c.output(binding.workspace());
  inputs.push_back(workspace);
  outputs.push_back(c.update(workspace));
  made_op op = c.op("Do", inputs, outputs);
  op.own_arguments()
      .named(gradient_op_name(c))
      .not_in_place()
      .net("net", std::make_shared<netdef const>(std::move(inner)))
      .argument("inner_blobs", std::move(inner_names))
      .argument("outer_blobs_idx", std::move(places))
      .argument("saved_fwd_blobs", std::move(saved));
  mark_shapes(op, bound, boundary);
  save_inside(c, pass, "net");
}

}  // namespace detail

}  // namespace plait
