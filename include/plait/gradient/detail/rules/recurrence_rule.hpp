// Gradient of RecurrentNetwork: backpropagation through time, by RecurrentNetworkGradient.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/gradient/detail/gradient_context.hpp>
#include <plait/gradient/gradient_rules.hpp>
#include <plait/netdef/model.hpp>

namespace plait {

namespace detail {

// Returns the names local to step nets: inner ends of links, the time step, and all writes.
inline boost::unordered_flat_set<std::string> names_in_steps(gradient_context const& c) {
  boost::unordered_flat_set<std::string> made = {c.argument<std::string>("timestep", "timestep")};
  for (std::string_view const links : {"link_internal", "backward_link_internal"})
    for (std::string const& name : c.argument<std::vector<std::string>>(links)) made.insert(name);
  for (std::string_view const key : {"step_net", "backward_step_net"})
    if (std::shared_ptr<netdef const> const steps = c.net(key))
      for (op_def const& op : steps->op)
        for (symbol const out : op.output) made.emplace(steps->text(out));
  return made;
}

// Binds operands that step nets and list arguments name, so that these follow when an operand is replaced by a copy. A
// name that is local to a step, or shared by an input and an output, is not bound: the op then reports the missing
// operand. Links name the gradient of a sequence by the op's output, or as <sequence>_grad.
inline void bind_operands(gradient_context const& c, made_op op,
                          std::vector<std::pair<std::size_t, gradient_operand>> const& of_sequences) {
  boost::unordered_flat_set<std::string> taken = names_in_steps(c);
  for (std::size_t o = 0; o != c.output_count(); ++o)
    if (std::string name(c.output_name(o)); taken.insert(name).second) op.bound_as(c.output(o), name);
  for (std::size_t i = 0; i != c.listed_input_count(); ++i)
    if (std::string const name(c.input_name(i)); !taken.contains(name)) op.bound_as(c.input(i), name);
  for (auto const& [i, gradient] : of_sequences)
    if (std::string const name = c.gradient_name(i); taken.insert(name).second) op.bound_as(gradient, name);
}

// Emits RecurrentNetworkGradient. It reads the gradients of the outputs that have one, all inputs and all outputs, and
// computes the gradients of sequences, parameters and initial states. Before 2017-02 only output 0 had a gradient.
inline void recurrence_gradient(gradient_context& c) {
  using numbers = std::vector<std::int64_t>;
  c.refuse_unless(c.has_argument("outputs_with_grads") || c.has_argument("backward_link_internal"),
                  "it was made without gradients");
  auto const outputs = c.argument("outputs_with_grads", numbers{0});
  c.refuse_unless(!outputs.empty(), "outputs_with_grads is empty: it was made without gradients");
  auto const number = [&](std::int64_t id, std::size_t count, std::string_view of) {
    c.refuse_unless(id >= 0 && static_cast<std::size_t>(id) < count,
                    "argument '" + std::string(of) + "' is out of range");
    return static_cast<std::size_t>(id);
  };
  for (std::size_t o = 0; o != c.output_count(); ++o)
    c.refuse_unless(c.as_caffe2() || !c.has_gradient(o) ||
                        std::ranges::find(outputs, static_cast<std::int64_t>(o)) != outputs.end(),
                    "outputs_with_grads does not list output " + std::to_string(o) + ", which has a gradient");
  // outputs_with_grads lists those that may have a gradient. Caffe2 requires all of them.
  numbers present;
  for (std::int64_t const id : outputs)
    if (c.as_caffe2() || c.has_gradient(number(id, c.output_count(), "outputs_with_grads"))) present.push_back(id);
  if (present.empty()) present = outputs;
  std::vector<gradient_operand> reads;
  reads.reserve(present.size() + c.listed_input_count() + c.output_count());
  for (std::int64_t const id : present)
    reads.push_back(c.output_gradient(number(id, c.output_count(), "outputs_with_grads")));
  for (std::size_t i = 0; i != c.listed_input_count(); ++i) reads.push_back(c.input(i));
  for (std::size_t o = 0; o != c.output_count(); ++o) reads.push_back(c.output(o));
  std::vector<gradient_operand> writes;
  std::vector<std::pair<std::size_t, gradient_operand>> of_sequences;
  std::vector<std::vector<gradient_operand>> terms(c.listed_input_count());  // by input
  auto const write = [&](std::string_view argument, numbers const& fallback) {
    for (std::int64_t const id : c.argument(argument, fallback)) {
      std::size_t i = number(id, c.listed_input_count(), argument);
      // The arguments number the first input of a name: a blob that occurs twice is listed twice by one number.
      for (std::size_t k = i + 1; !terms[i].empty() && k != c.listed_input_count(); ++k)
        if (terms[k].empty() && c.input_name(k) == c.input_name(i)) i = k;
      terms[i].push_back(terms[i].empty() ? c.input_gradient(i) : c.temporary(c.gradient_name(i)));
      writes.push_back(terms[i].back());
      if (argument == "sequences") of_sequences.emplace_back(i, writes.back());
    }
  };
  write("sequences", {0});
  write("param", {});
  write("initial_recurrent_state_ids", {});
  made_op op = c.op("RecurrentNetworkGradient", reads, writes);
  if (present.size() != outputs.size()) op.argument("outputs_with_grads", present);
  if (!c.as_caffe2()) bind_operands(c, op, of_sequences);
  for (std::size_t i = 0; i != terms.size(); ++i)
    if (terms[i].size() > 1) c.op("Sum", terms[i], std::vector{c.input_gradient(i)}).own_arguments();
}

}  // namespace detail

/// Adds the rule of RecurrentNetwork.
inline void add_recurrence_rules(gradient_rules& rules) {
  rules.set("RecurrentNetwork", detail::recurrence_gradient).repeatable = false;
  for (std::string_view type : {"rnn_internal_accumulate_gradient_input", "rnn_internal_apply_link"})
    rules.refuse(type, "it is internal to a RecurrentNetwork, which has a gradient as a whole");
}

}  // namespace plait
