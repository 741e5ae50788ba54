// The gradient of RecurrentNetwork.
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

// What step nets call their own: links' inner ends, the number of the step, and what they write.
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

// Step nets and lists in arguments name operands; where one is read from a copy, they must name that. A name that a
// step has for something else, or an input shares with an output, stays: the op finds its operand missing, and says so.
// Links name the gradient of a sequence by the op's output, or as <sequence>_grad.
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

// A recurrence goes back through its own operator: the gradients of the outputs that have one, all inputs, all outputs.
// Gradients come out for the sequences, the parameters and the initial states. Before 2017-02 output 0 alone had one.
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
  // Listed are those that may have one. Caffe2 wants all of them.
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
  std::vector<std::vector<gradient_operand>> parts(c.listed_input_count());  // by input
  auto const write = [&](std::string_view argument, numbers const& fallback) {
    for (std::int64_t const id : c.argument(argument, fallback)) {
      std::size_t i = number(id, c.listed_input_count(), argument);
      // The numbers are those of the first input of a name: a blob that is given twice is named twice by one.
      for (std::size_t k = i + 1; !parts[i].empty() && k != c.listed_input_count(); ++k)
        if (parts[k].empty() && c.input_name(k) == c.input_name(i)) i = k;
      parts[i].push_back(parts[i].empty() ? c.input_gradient(i) : c.temporary(c.gradient_name(i)));
      writes.push_back(parts[i].back());
      if (argument == "sequences") of_sequences.emplace_back(i, writes.back());
    }
  };
  write("sequences", {0});
  write("param", {});
  write("initial_recurrent_state_ids", {});
  made_op op = c.op("RecurrentNetworkGradient", reads, writes);
  if (present.size() != outputs.size()) op.argument("outputs_with_grads", present);
  if (!c.as_caffe2()) bind_operands(c, op, of_sequences);
  for (std::size_t i = 0; i != parts.size(); ++i)
    if (parts[i].size() > 1) c.op("Sum", parts[i], std::vector{c.input_gradient(i)}).own_arguments();
}

}  // namespace detail

inline void add_recurrence_rules(gradient_rules& rules) {
  rules.set("RecurrentNetwork", detail::recurrence_gradient).repeatable = false;
  for (std::string_view type : {"rnn_internal_accumulate_gradient_input", "rnn_internal_apply_link"})
    rules.refuse(type, "it is a part of a recurrence, which has its gradient as a whole");
}

}  // namespace plait
