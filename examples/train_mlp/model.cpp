#include "model.hpp"

#include <sstream>

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/data_parallel.hpp>
#include <plait/gradient/optimizers.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/transform/dead_code_elimination.hpp>

#include "common/net_files.hpp"

namespace mlp {

namespace {

namespace fs = std::filesystem;

constexpr char const* recipe_argument = "train_mlp";

// A model before the optimiser.
struct backward_model {
  model nets;
  plait::gradient_map gradients;
  std::vector<std::string> parameters;
};

backward_model make_backward(recipe const& how) {
  plait::net_builder init("spirals_init");
  plait::net_builder net("spirals");
  auto const [x, label] = net.external_inputs("x", "label");

  std::vector<std::string> parameters;
  auto const fc = [&](plait::blob_handle const& in, std::int64_t inputs, std::int64_t outputs) {
    std::string const name = "fc" + std::to_string(parameters.size() / 2 + 1);
    auto const [w, b] = net.external_inputs(name + "_w", name + "_b");
    init.op("XavierFill", {}, w.name(), {{"shape", {outputs, inputs}}, {"seed", how.seed}});
    init.constant_fill({outputs}, 0.0f, b.name());
    parameters.insert(parameters.end(), {w, b});
    return net.fc(in, w, b, name);
  };

  plait::blob_handle layer = x;
  std::int64_t width = 2;
  for (std::int64_t const next : how.hidden) {
    layer = fc(layer, width, next);
    net.relu(layer, layer);
    width = next;
  }
  layer = fc(layer, width, how.arms);
  auto const [probability, loss] = net.softmax_with_loss(layer, label, {"probability", "loss"});
  auto const accuracy = net.op("Accuracy", {probability, label}, "accuracy");
  net.external_outputs(loss, accuracy);

  backward_model made{{init.take(), net.take()}, {}, std::move(parameters)};
  made.gradients =
      plait::add_gradient_ops(made.nets.step, {loss}, plait::gradient_rules::standard(), {.only = made.parameters});
  return made;
}

plait::optimizer_update add_optimizer(backward_model& m, recipe const& how) {
  auto const update = plait::add_optimizer(m.nets.step, m.gradients, m.parameters, how.optimizer, how.rate);
  if (!update) throw plait::net_error("there is no optimizer '" + how.optimizer + "'");
  return *update;
}

}  // namespace

std::string to_string(recipe const& r) {
  std::ostringstream text;
  text << "--hidden";
  for (std::int64_t const width : r.hidden) text << ' ' << width;
  text << " --optimizer " << r.optimizer << " --rate " << r.rate << " --batch " << r.batch << " --arms " << r.arms
       << " --seed " << r.seed;
  return text.str();
}

model make_model(recipe const& how) {
  backward_model made = make_backward(how);
  plait::add_init_ops(made.nets.init, add_optimizer(made, how));
  plait::netdef& step = made.nets.step;
  step.arg.push_back(plait::make_argument(step, {recipe_argument, to_string(how)}));
  return std::move(made.nets);
}

rank_nets make_rank_nets(recipe const& how, std::function<std::size_t(std::string_view)> const& bytes) {
  backward_model made = make_backward(how);
  plait::netdef& step = made.nets.step;
  step.external_input.push_back(step.intern("stop"));
  rank_nets nets;
  plait::add_init_ops(nets.init, plait::add_data_parallel(step, made.gradients, made.parameters, bytes,
                                                          {.averaged = {"loss", "accuracy", "stop"}}));
  add_optimizer(made, how);
  nets.step = std::move(step);
  return nets;
}

plait::netdef evaluation_net(plait::netdef const& step) {
  plait::netdef net = step;
  net.external_output = {net.intern("loss"), net.intern("accuracy")};
  plait::remove_dead_ops(net, {.prune_external_inputs = true});
  return net;
}

void save(model const& m, fs::path const& file) {
  // A step never changes, so that the two files fit together whenever there are two.
  example::replace_net(example::beside(file, "init"), m.init);
  example::replace_net(file, m.step);
}

model load(fs::path const& file, recipe const& how) {
  model made{example::read_net(example::beside(file, "init")), example::read_net(file)};
  auto const* const found = plait::find_argument(made.step, made.step, recipe_argument);
  std::string const was = found != nullptr && found->s ? *found->s : "another program";
  if (was != to_string(how)) throw other_recipe(file.string(), was);
  return made;
}

}  // namespace mlp
