#include "model.hpp"

#include <cstddef>
#include <map>
#include <sstream>

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/data_parallel.hpp>
#include <plait/gradient/optimizers.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/trained_model.hpp>
#include <plait/rnn/cells.hpp>
#include <plait/rnn/recurrent_layers.hpp>
#include <plait/rnn/recurrent_step.hpp>

#include "common/net_files.hpp"

namespace lstm {

namespace {

constexpr char const* recipe_argument = "char_lstm";

template <class Cell, int... more>
plait::any_cell make_cell(std::int64_t inputs, std::int64_t size) {
  return Cell{inputs, size, more...};
}
// LSTMs have a forget bias of 1 (R. Jozefowicz, W. Zaremba, I. Sutskever, ICML 2015).
std::map<std::string, decltype(&make_cell<plait::gru_cell>)> const known_cells = {
    {"gru", make_cell<plait::gru_cell>},
    {"layer_norm_lstm", make_cell<plait::layer_norm_lstm_cell, 1>},
    {"lstm", make_cell<plait::lstm_cell, 1>},
    {"rnn", make_cell<plait::basic_rnn_cell>}};

std::vector<plait::any_cell> layers_of(recipe const& how, std::int64_t inputs) {
  auto const found = known_cells.find(how.cell);
  if (found == known_cells.end()) throw plait::net_error("there is no cell '" + how.cell + "'");
  std::vector<plait::any_cell> made;
  for (std::int64_t i = 0; i != how.layers; ++i) made.push_back(found->second(i == 0 ? inputs : how.size, how.size));
  return made;
}

std::string layer_name(std::size_t i) { return "rnn_layer_" + std::to_string(i); }

// Adds blobs <layer>/<state><ending> for the states of all layers: inputs of the net, initially zero.
std::vector<std::string> add_states(plait::net_builder& net, plait::net_builder& init,
                                    std::vector<plait::any_cell> const& layers, std::int64_t streams,
                                    std::string const& ending) {
  std::vector<std::string> made;
  for (std::size_t i = 0; i != layers.size(); ++i)
    for (plait::cell_state const& state : layers[i].states()) {
      made.push_back(net.external_input(layer_name(i) + '/' + state.name + ending).name());
      init.constant_fill({1, streams, state.width}, 0.0f, made.back());
    }
  return made;
}

// One-hot encoding: steps×streams indices in the vocabulary to steps×streams×width numbers.
plait::blob_handle one_hot(plait::net_builder& net, plait::blob_handle const& places, std::int64_t streams,
                           std::int64_t width) {
  auto const classes = net.given_tensor({{1}, std::vector<std::int64_t>{width}}, "classes");
  auto const rows = net.op("OneHot", {net.reshape(places, {-1}, "places"), classes}, "place_is");
  return net.reshape(rows, {-1, streams, width}, "one_hot");
}

plait::optimizer_update add_optimizer(plait::netdef& net, plait::gradient_map const& gradients,
                                      std::vector<std::string> const& parameters, recipe const& how) {
  plait::gradient_preparation const clipped{.clip_norm = how.clip};
  if (how.optimizer == "adam")
    return plait::add_adam(net, gradients, parameters, {.rate = how.rate, .gradients = clipped});
  if (how.optimizer == "sgd")
    return plait::add_sgd(net, gradients, parameters, {.rate = how.rate, .gradients = clipped});
  throw plait::net_error("there is no optimizer '" + how.optimizer + "'");
}

// Truncated backpropagation through time (R. J. Williams, J. Peng, Neural Computation 2(4), 1990): the loss of a window
// that starts from the final states of the previous one, through which no gradient flows. Calls
// exchange(net, gradients) between the gradients and the optimiser. Returns the carried states.
template <class Exchange>
std::vector<std::string> add_training(plait::trained_model& m, recipe const& how, std::int64_t width,
                                      Exchange exchange) {
  auto const [text, next] = m.net.external_inputs("text", "next");
  auto const layers = layers_of(how, width);
  auto const carried = add_states(m.net, m.init, layers, how.streams, "_carried");
  auto const made = plait::add_recurrent_layers(
      m, "rnn", layers, {.layer = {.sequence = one_hot(m.net, text, how.streams, width), .initial = carried}});
  auto const logits = m.fc(made.back().output, "logits", how.size, width, 2);
  auto const [probability, loss] =
      m.net.op<2>("SoftmaxWithLoss", {logits, next}, {"probability", "loss"}, {{"axis", 2}});
  m.net.external_outputs(loss);
  m.net.edit([&](plait::netdef& net) {
    auto const gradients =
        plait::add_gradient_ops(net, {"loss"}, plait::gradient_rules::standard(), {.only = m.parameters()});
    exchange(net, gradients);
    auto const update = add_optimizer(net, gradients, m.parameters(), how);
    m.init.edit([&](plait::netdef& init) { plait::add_init_ops(init, update); });
  });
  std::size_t state = 0;
  for (plait::recurrent_layer const& layer : made)
    for (plait::blob_handle const& last : layer.last) {
      auto const to = m.net.blob(carried[state++]);
      m.net.copy(last, to);
      m.net.external_outputs(to);
    }
  return carried;
}

// Concatenates states of 1×streams×width along the streams.
plait::netdef gathering_net(std::vector<std::string> const& states, std::string const& communicator) {
  plait::net_builder net("char_lstm_gather");
  auto const ranks = net.external_input(communicator);
  for (std::string const& state : states) {
    auto const rows = net.op("Squeeze", net.external_input(state), state + "/rows", {{"dims", {0}}});
    auto const all = net.op("MPIAllgather", {ranks, rows}, state + "/all_rows");
    net.external_outputs(net.op("ExpandDims", all, state + "/all", {{"dims", {0}}}));
  }
  return net.take();
}

// Sampling net: a single time step with the same parameters.
plait::netdef sampling_net(plait::net_builder& init, recipe const& how, std::int64_t width) {
  plait::trained_model m("char_lstm_sample");
  auto const [symbol, sharpness] = m.net.external_inputs("symbol", "sharpness");
  auto const layers = layers_of(how, width);
  auto const states = add_states(m.net, init, layers, 1, "_sampled");
  plait::blob_handle x = one_hot(m.net, symbol, 1, width);
  std::vector<plait::blob_handle> after;
  for (std::size_t i = 0; i != layers.size(); ++i) {
    auto const first = states.begin() + static_cast<std::ptrdiff_t>(after.size());
    auto const count = static_cast<std::ptrdiff_t>(layers[i].states().size());
    auto const one = plait::add_recurrent_step(
        m, "step_" + std::to_string(i), layers[i],
        {.input = x, .states = {first, first + count}, .forward_only = true, .parameters = layer_name(i)});
    after.insert(after.end(), one.states.begin(), one.states.end());
    x = one.output;
  }
  auto const logits = m.fc(x, "logits", how.size, width, 2);
  auto const scaled = m.net.op("Mul", {logits, sharpness}, "sharpened", {{"broadcast", 1}});
  m.net.external_outputs(m.net.op("Softmax", scaled, "probability", {{"axis", 2}}));
  for (std::size_t i = 0; i != after.size(); ++i) {
    auto const to = m.net.blob(states[i]);
    m.net.copy(after[i], to);
    m.net.external_outputs(to);
  }
  return m.net.take();
}

}  // namespace

std::vector<std::string> const& cells() {
  static std::vector<std::string> const names = [] {
    std::vector<std::string> made;
    for (auto const& [name, make] : known_cells) made.push_back(name);
    return made;
  }();
  return names;
}

std::string to_string(recipe const& r) {
  std::ostringstream text;
  text << "--cell " << r.cell << " --layers " << r.layers << " --size " << r.size << " --streams " << r.streams
       << " --window " << r.window << " --optimizer " << r.optimizer << " --rate " << r.rate << " --clip " << r.clip
       << " --seed " << r.seed;
  return text.str();
}

model make_model(recipe const& how, vocabulary const& characters) {
  auto const width = static_cast<std::int64_t>(characters.size());
  plait::trained_model made("char_lstm", {.seed = how.seed});
  add_training(made, how, width, [](plait::netdef&, plait::gradient_map const&) {});
  plait::netdef sample = sampling_net(made.init, how, width);
  made.init.given_tensor({{width}, characters}, "vocabulary");
  model m{made.init.take(), made.net.take(), std::move(sample)};
  m.step.arg.push_back(plait::make_argument(m.step, {recipe_argument, to_string(how)}));
  return m;
}

rank_nets make_rank_nets(recipe const& how, std::int64_t streams, vocabulary const& characters,
                         std::function<std::size_t(std::string_view)> const& bytes) {
  recipe own = how;
  own.streams = streams;
  plait::trained_model m("char_lstm", {.seed = how.seed});
  rank_nets made;
  plait::data_parallel_update ranks;
  made.carried = add_training(
      m, own, static_cast<std::int64_t>(characters.size()),
      [&](plait::netdef& net, plait::gradient_map const& gradients) {
        net.external_input.push_back(net.intern("stop"));
        ranks = plait::add_data_parallel(net, gradients, m.parameters(), bytes, {.averaged = {"loss", "stop"}});
      });
  plait::add_init_ops(made.init, ranks);
  made.step = m.net.take();
  made.gather = gathering_net(made.carried, ranks.communicator);
  return made;
}

vocabulary vocabulary_of(model const& m) {
  plait::symbol const name = m.init.find("vocabulary");
  for (plait::op_def const& op : m.init.op)
    if (op.output.size() == 1 && op.output[0] == name)
      if (auto const* const values = plait::find_argument(m.init, op, "values")) return values->ints;
  throw plait::net_error("the init net has no vocabulary", {}, "vocabulary");
}

void save(model const& m, std::filesystem::path const& file) {
  // Only `init` ever changes, so that the files are consistent whenever the last one exists.
  example::replace_net(example::beside(file, "sample"), m.sample);
  example::replace_net(example::beside(file, "init"), m.init);
  example::replace_net(file, m.step);
}

model load(std::filesystem::path const& file, recipe const& how) {
  model made{example::read_net(example::beside(file, "init")), example::read_net(file),
             example::read_net(example::beside(file, "sample"))};
  auto const* const found = plait::find_argument(made.step, made.step, recipe_argument);
  std::string const was = found != nullptr && found->s ? *found->s : "another program";
  if (was != to_string(how)) throw other_recipe(file.string(), was);
  return made;
}

}  // namespace lstm
