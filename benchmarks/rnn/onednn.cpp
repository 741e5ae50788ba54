// oneDNN's LSTM on the cases of lstm.cpp. Weights are in the library's preferred layout before the clock starts; in
// training, the reorders in each step (gradients come in plain layout) are timed.
#include <random>
#include <unordered_map>
#include <utility>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include "lstm.hpp"

namespace bench {

namespace {

using dnnl::memory;
using dims = memory::dims;
using tag = memory::format_tag;

memory::desc floats(dims const& d, tag t) { return {d, memory::data_type::f32, t}; }

class onednn_lstm {
 public:
  onednn_lstm(sequence_case const& c, bool trains) : c_(c) {
    auto const x = floats({c.t, c.n, c.i}, tag::tnc);
    auto const y = floats({c.t, c.n, c.h}, tag::tnc);
    auto const state = floats({1, 1, c.n, c.h}, tag::ldnc);
    auto const wx = floats({1, 1, c.i, 4, c.h}, tag::any);
    auto const wh = floats({1, 1, c.h, 4, c.h}, tag::any);
    auto const b = floats({1, 1, 4, c.h}, tag::ldgo);
    auto const kind = trains ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
    auto const left = dnnl::rnn_direction::unidirectional_left2right;
    dnnl::lstm_forward::primitive_desc const forward(
        dnnl::lstm_forward::desc(kind, left, x, state, state, wx, wh, b, y, state, state), engine_);
    forward_ = dnnl::lstm_forward(forward);
    memory const plain_wx = filled(floats({1, 1, c.i, 4, c.h}, tag::ldigo), 0.05f);
    memory const plain_wh = filled(floats({1, 1, c.h, 4, c.h}, tag::ldigo), 0.05f);
    forward_arguments_ = {{DNNL_ARG_SRC_LAYER, filled(x, 1)},
                          {DNNL_ARG_SRC_ITER, filled(state, 0)},
                          {DNNL_ARG_SRC_ITER_C, filled(state, 0)},
                          {DNNL_ARG_WEIGHTS_LAYER, reordered(plain_wx, forward.weights_layer_desc())},
                          {DNNL_ARG_WEIGHTS_ITER, reordered(plain_wh, forward.weights_iter_desc())},
                          {DNNL_ARG_BIAS, filled(b, 0.05f)},
                          {DNNL_ARG_DST_LAYER, filled(y, 0)},
                          {DNNL_ARG_DST_ITER, filled(state, 0)},
                          {DNNL_ARG_DST_ITER_C, filled(state, 0)}};
    if (!trains) return;
    forward_arguments_[DNNL_ARG_WORKSPACE] = memory(forward.workspace_desc(), engine_);
    dnnl::lstm_backward::primitive_desc const backward(
        dnnl::lstm_backward::desc(dnnl::prop_kind::backward, left, x, state, state, wx, wh, b, y, state, state, x,
                                  state, state, wx, wh, b, y, state, state),
        engine_, forward);
    backward_ = dnnl::lstm_backward(backward);
    backward_arguments_ = forward_arguments_;
    weights_ = {{plain_wx, memory(backward.weights_layer_desc(), engine_)},
                {plain_wh, memory(backward.weights_iter_desc(), engine_)}};
    backward_arguments_[DNNL_ARG_WEIGHTS_LAYER] = weights_[0].second;
    backward_arguments_[DNNL_ARG_WEIGHTS_ITER] = weights_[1].second;
    gradients_ = {{memory(backward.diff_weights_layer_desc(), engine_), plain_wx},
                  {memory(backward.diff_weights_iter_desc(), engine_), plain_wh}};
    for (auto const& [argument, value] :
         std::initializer_list<std::pair<int, memory>>{{DNNL_ARG_DIFF_SRC_LAYER, filled(x, 0)},
                                                       {DNNL_ARG_DIFF_SRC_ITER, filled(state, 0)},
                                                       {DNNL_ARG_DIFF_SRC_ITER_C, filled(state, 0)},
                                                       {DNNL_ARG_DIFF_WEIGHTS_LAYER, gradients_[0].first},
                                                       {DNNL_ARG_DIFF_WEIGHTS_ITER, gradients_[1].first},
                                                       {DNNL_ARG_DIFF_BIAS, filled(b, 0)},
                                                       {DNNL_ARG_DIFF_DST_LAYER, filled(y, 1)},
                                                       {DNNL_ARG_DIFF_DST_ITER, filled(state, 0)},
                                                       {DNNL_ARG_DIFF_DST_ITER_C, filled(state, 0)}})
      backward_arguments_.insert_or_assign(argument, value);
    result_ = {memory(floats({1, 1, c.i, 4, c.h}, tag::ldigo), engine_),
               memory(floats({1, 1, c.h, 4, c.h}, tag::ldigo), engine_)};
  }

  void run() {
    forward_.execute(stream_, forward_arguments_);
    if (backward_) {
      for (auto& [plain, packed] : weights_) reorder(plain, packed);
      for (auto& gradient : gradients_) clear(gradient.first);  // oneDNN accumulates into it
      clear(backward_arguments_.at(DNNL_ARG_DIFF_BIAS));
      backward_.execute(stream_, backward_arguments_);
      for (std::size_t i = 0; i != gradients_.size(); ++i) reorder(gradients_[i].first, result_[i]);
    }
    stream_.wait();
  }

 private:
  memory filled(memory::desc const& d, float bound) {
    memory made(d, engine_);
    auto* const values = static_cast<float*>(made.get_data_handle());
    std::uniform_real_distribution<float> number(-bound, bound);
    for (std::size_t i = 0; i != d.get_size() / sizeof(float); ++i) values[i] = bound == 0 ? 0 : number(random_);
    return made;
  }
  static void clear(memory const& m) {
    std::fill_n(static_cast<char*>(m.get_data_handle()), m.get_desc().get_size(), char{0});
  }
  void reorder(memory& from, memory& to) { dnnl::reorder(from, to).execute(stream_, from, to); }
  memory reordered(memory from, memory::desc const& d) {
    memory made(d, engine_);
    reorder(from, made);
    stream_.wait();
    return made;
  }

  sequence_case c_;
  std::mt19937 random_{1};
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::lstm_forward forward_;
  dnnl::lstm_backward backward_;
  std::unordered_map<int, memory> forward_arguments_;
  std::unordered_map<int, memory> backward_arguments_;
  std::vector<std::pair<memory, memory>> weights_;    // plain, and in the layout of the backward pass
  std::vector<std::pair<memory, memory>> gradients_;  // in the layout of the backward pass
  std::vector<memory> result_;
};

}  // namespace

void time_onednn(unsigned threads, sequence_case const& c, bool trains, int steps) {
  onednn_lstm net(c, trains);
  time_runs("onednn", threads, c.text(trains), c.flops(trains, lstm_gates), steps, [&] { net.run(); });
}

}  // namespace bench
