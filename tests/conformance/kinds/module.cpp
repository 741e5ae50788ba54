// Cases of kind module: stacks of recurrent layers, run forwards and backwards.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <plait/gradient/backward_pass.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/detail/any_cell.hpp>
#include <plait/rnn/recurrent_layers.hpp>
#include <plait/rnn/weights.hpp>

#include "../blobs.hpp"
#include "../kinds.hpp"
#include "../step_executor.hpp"
#include "../tensors.hpp"

namespace conformance {

namespace {

using cell_type = std::variant<plait::basic_rnn_cell, plait::lstm_cell, plait::gru_cell>;

class module_case {
 public:
  explicit module_case(case_inputs& in)
      : in_(in),
        model_("module", {.type = number<std::string>("dtype") == "float64" ? plait::element_type::float64
                                                                            : plait::element_type::float32}),
        steps_(number<std::int64_t>("T")),
        batch_(number<std::int64_t>("N")),
        hidden_(number<std::int64_t>("H")),
        layers_(number<std::size_t>("layers")),
        directions_(number<bool>("bidirectional") ? 2 : 1) {
    json const params = member<json>(in.data(), "params");
    for (auto const& [name, given] : params.items()) weights_.push_back({name, tensor_from_json(given, name)});
    build();
    feed_weights();
    differentiate();
  }

  case_result run() {
    set_executor(net_);
    blobs_.run(net_, fetch_);
    case_result got;
    auto y = blobs_.fetch(output_);
    mask(y);
    got.add("y", tensor_to_json(y));
    got.add("dx", tensor_to_json(gradient("x")));
    got.add("hn", stacked(lasts_[0]));
    got.add("dh0", stacked(gradients(starts_[0])));
    if (starts_.size() == 2) {
      got.add("cn", stacked(lasts_[1]));
      got.add("dc0", stacked(gradients(starts_[1])));
    }
    json weights = json::object();  // without biases if the module has none
    for (std::size_t k = 0; k != cells_.size(); ++k)
      std::visit(
          [&](auto const& cell) {
            std::vector<plait::parameter> weight_gradients;
            for (auto const& p : plait::to_parameters(cell, scope(k), of_torch(cell, k)))
              weight_gradients.push_back({p.name, gradient(p.name)});
            auto const made = plait::to_torch(cell, plait::from_parameters(cell, scope(k), weight_gradients));
            for (auto const& p : plait::named_weights(made, k / directions_, is_reverse(k)))
              if (std::ranges::find(weights_, p.name, &plait::parameter::name) != weights_.end())
                weights[p.name] = tensor_to_json(p.value);
          },
          cells_[k]);
    got.add("dparams", weights);
    return got;
  }

 private:
  template <class T>
  T number(char const* key) const {
    return member<T>(in_.data(), key);
  }
  plait::tensor_value given(char const* key) const { return tensor_from_json(member<json>(in_.data(), key), key); }
  bool is_reverse(std::size_t k) const { return k % directions_ == 1; }
  std::string scope(std::size_t k) const {
    std::string const layer = "rnn_layer_" + std::to_string(k / directions_);
    return directions_ == 1 ? layer : layer + (is_reverse(k) ? "/backward" : "/forward");
  }
  cell_type make_cell(std::int64_t inputs) const {
    std::string const name = number<std::string>("cell");
    if (name == "lstm") return plait::lstm_cell{inputs, hidden_};
    if (name == "gru") return plait::gru_cell{inputs, hidden_, true};
    if (name == "rnn_tanh") return plait::basic_rnn_cell{inputs, hidden_};
    if (name == "rnn_relu") return plait::basic_rnn_cell{inputs, hidden_, plait::rnn_activation::relu};
    throw unsupported_case("cell " + name);
  }
  template <class Cell>
  plait::recurrent_weights of_torch(Cell const& cell, std::size_t k) const {
    return plait::from_torch(cell, plait::torch_weights_of(weights_, k / directions_, is_reverse(k)));
  }

  // Feeds each slice of the first axis as a blob.
  std::vector<std::string> feed_slices(std::string const& name, plait::tensor_value const& value) {
    std::vector<std::string> made;
    auto const count = static_cast<std::size_t>(value.shape[0]);
    for (std::size_t k = 0; k != count; ++k) {
      made.push_back(name + std::to_string(k));
      blobs_.feed(made.back(), plait::detail::block_of_rows(value, k, count));
    }
    return made;
  }

  void build() {
    auto& net = model_.net;
    plait::recurrent_layers_options o{.bidirectional = directions_ == 2};
    o.layer.sequence = net.external_input("x");
    blobs_.feed("x", given("x"));
    if (auto const lengths = in_.data().find("lengths"); lengths != in_.data().end()) {
      lengths_ = lengths->get<std::vector<std::int64_t>>();
      o.layer.lengths = net.external_input("lengths");
      blobs_.feed("lengths", {{batch_}, *lengths_});
    }
    std::vector<plait::any_cell> cells;
    std::int64_t inputs = number<std::int64_t>("I");
    for (std::size_t i = 0; i != layers_; ++i) {
      cell_type const cell = make_cell(inputs);
      for (std::size_t d = 0; d != directions_; ++d) cells_.push_back(cell);
      cells.push_back(std::visit([](auto const& c) { return plait::any_cell(c); }, cell));
      inputs = hidden_ * static_cast<std::int64_t>(directions_);
    }
    std::size_t const states = cells[0].states().size();
    for (char const* name : {"h0", "c0"})
      if (starts_.size() != states) starts_.push_back(feed_slices(name, given(name)));
    for (std::size_t k = 0; k != cells_.size(); ++k)
      for (auto const& start : starts_) o.layer.initial.push_back(net.external_input(start[k]));
    o.layer.outputs_with_grads = {0, 1};
    if (states == 2) o.layer.outputs_with_grads.push_back(3);

    auto const made = plait::add_recurrent_layers(model_, "rnn", cells, o);
    output_ = made.back().output;
    lasts_.resize(states);
    for (auto const& layer : made)
      for (std::size_t k = 0; k != layer.last.size(); ++k) lasts_[k % states].push_back(layer.last[k]);
    net_ = model_.net.net();
  }

  void feed_weights() {
    for (std::size_t k = 0; k != cells_.size(); ++k)
      std::visit(
          [&](auto const& cell) {
            for (auto const& p : plait::to_parameters(cell, scope(k), of_torch(cell, k))) blobs_.feed(p.name, p.value);
          },
          cells_[k]);
  }

  void differentiate() {
    plait::tensor_value dy = given("dy");
    mask(dy);
    blobs_.feed("dy", dy);
    std::vector<plait::gradient_seed> seeds{{output_, "dy"}};
    for (std::size_t s = 0; s != lasts_.size(); ++s) {
      char const* const name = s == 0 ? "dh" : "dc";
      auto const slices = feed_slices(name, given(name));
      for (std::size_t k = 0; k != slices.size(); ++k) seeds.emplace_back(lasts_[s][k], slices[k]);
    }
    std::vector<std::string> wanted = model_.parameters();
    wanted.push_back("x");
    for (auto const& start : starts_) wanted.insert(wanted.end(), start.begin(), start.end());
    gradients_ = plait::add_gradient_ops(net_, seeds, plait::gradient_rules::standard(), {.only = wanted});
    fetch_ = {output_};
    for (auto const& last : lasts_) fetch_.insert(fetch_.end(), last.begin(), last.end());
    for (auto const& [name, g] : gradients_) fetch_.push_back(g.values);
  }

  // Zeroes the output after the end of a sequence, like PyTorch; a layer of plait repeats its last state there.
  void mask(plait::tensor_value& y) const {
    if (!lengths_) return;
    std::visit(
        [&]<class T>(std::vector<T>& elements) {
          std::size_t const width = elements.size() / static_cast<std::size_t>(steps_ * batch_);
          for (std::int64_t t = 0; t != steps_; ++t)
            for (std::size_t n = 0; n != lengths_->size(); ++n)
              if (t >= (*lengths_)[n])
                std::fill_n(
                    elements.begin() + static_cast<std::ptrdiff_t>((static_cast<std::size_t>(t * batch_) + n) * width),
                    width, T());
        },
        y.data);
  }

  plait::tensor_value gradient(std::string const& of) const { return blobs_.fetch(gradients_.at(of).values); }
  std::vector<std::string> gradients(std::vector<std::string> const& of) const {
    std::vector<std::string> made;
    made.reserve(of.size());
    for (std::string const& name : of) made.push_back(gradients_.at(name).values);
    return made;
  }
  json stacked(std::vector<std::string> const& names) const {
    std::vector<plait::tensor_value> rows;
    rows.reserve(names.size());
    for (std::string const& name : names) rows.push_back(blobs_.fetch(name));
    return tensor_to_json(plait::detail::concat_rows(rows));
  }

  case_inputs& in_;
  plait::trained_model model_;
  std::int64_t steps_, batch_, hidden_;
  std::size_t layers_, directions_;
  std::optional<std::vector<std::int64_t>> lengths_;
  std::vector<plait::parameter> weights_;
  std::vector<cell_type> cells_;                  // by layer and direction
  std::vector<std::vector<std::string>> starts_;  // h0 and c0 by layer and direction
  std::vector<std::vector<std::string>> lasts_;   // likewise
  std::string output_;
  plait::netdef net_;
  plait::gradient_map gradients_;
  blobs blobs_;
  std::vector<std::string> fetch_;
};

}  // namespace

case_result run_module(case_inputs& in) { return module_case(in).run(); }

}  // namespace conformance
