// Training step of a session, and its parameters as a file. Compiled in one file of the library plait::runtime.
#pragma once

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/optimizers.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/netdef/write.hpp>
#include <plait/runtime/detail/session_backend.hpp>
#include <plait/transform/init_net.hpp>

namespace plait::detail {

// Returns the gradient rules, with those of the program's op types.
inline gradient_rules rules_of_gradients(std::vector<user_operator> const& operators) {
  gradient_rules rules = gradient_rules::standard();
  for (user_operator const& added : operators) {
    if (added.gradient.empty()) continue;
    rules.set(added.type, [type = added.gradient](gradient_context& c) {
      std::vector<gradient_operand> inputs, outputs;
      for (std::size_t i = 0; i != c.input_count(); ++i) inputs.push_back(c.input(i));
      for (std::size_t o = 0; o != c.output_count(); ++o) inputs.push_back(c.output_gradient(o));
      for (std::size_t i = 0; i != c.input_count(); ++i) outputs.push_back(c.input_gradient(i));
      c.op(type, inputs, outputs);
    });
  }
  return rules;
}

training_step make_training_step(netdef const& net, training_options const& options,
                                 std::vector<user_operator> const& operators,
                                 std::vector<std::string> const& parameters) {
  bool const required = !options.parameters.empty();
  training_step made{net, {}};
  gradient_map const gradients = add_gradient_ops(made.net, {options.loss}, rules_of_gradients(operators),
                                                  {.only = parameters, .numpy_broadcasting = true});
  std::vector<std::string> trained;
  std::ranges::copy_if(parameters, std::back_inserter(trained),
                       [&](std::string const& name) { return required || gradients.find(name) != gradients.end(); });
  if (trained.empty())
    throw net_error("plait: the loss '" + options.loss + "' depends on no parameter", {}, options.loss);
  auto const update = add_optimizer(made.net, gradients, trained, options.optimizer, options.rate);
  if (!update)
    throw invalid_argument("plait: there is no optimizer '" + options.optimizer +
                           "'; there are sgd, momentum, adagrad, adam and rmsprop");
  add_init_ops(made.init, *update);
  return made;
}

void write_parameters(std::string const& path, std::vector<parameter> const& parameters) {
  write_file(std::filesystem::path(path),
             to_bytes(init_net_from_parameters<netdef>(parameters).net, netdef_format::binary));
}

}  // namespace plait::detail
