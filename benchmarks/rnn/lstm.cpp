// An LSTM over a sequence as a net: the input's products over all steps at once, then RecurrentNetwork, then, to train,
// the gradients of all parameters. benchmarks/rivals/lstm.py is the same in other libraries;
// benchmarks/rivals/compare.sh lstm runs them in turns.
//
//   plait_lstm [serial | omp | tbb | onednn | profile]... [--case T,N,I,H] [--steps N] [--infer | --train]
//
// A line a case: what, threads, milliseconds (median, then the fastest), the case, GFLOP/s. `profile`: where the time
// goes, op by op, on one thread. OMP_NUM_THREADS is the only other setting; tbb takes as many threads as omp.
#include <algorithm>
#include <string_view>

#include <omp.h>
#include <tbb/global_control.h>

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/netdef/net_builder.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/recurrent_net.hpp>

#include "lstm.hpp"

namespace bench {

plait::netdef make_lstm(bool trains) {
  plait::net_builder net("lstm");
  auto const [x, h0, c0] = net.external_inputs("x", "h0", "c0");
  auto const [input_w, input_b] = net.external_inputs("i2h_w", "i2h_b");
  auto const [state_w, state_b] = net.external_inputs("gates_t_w", "gates_t_b");
  net.op("FC", {x, input_w, input_b}, "i2h", {{"axis", 2}});

  plait::net_builder cell("lstm_cell");
  auto const [input_t, h_prev, c_prev, timestep] = cell.external_inputs("input_t", "h_prev", "c_prev", "timestep");
  auto const [w, b] = cell.external_inputs("gates_t_w", "gates_t_b");
  auto const gates = cell.op("FC", {h_prev, w, b}, "gates_t", {{"axis", 2}});
  cell.op("Sum", {gates, input_t}, gates);
  auto const [h, c] = cell.op<2>("LSTMUnit", {h_prev, c_prev, gates, timestep}, {"h", "c"}, {{"sequence_lengths", 0}});
  cell.external_outputs(h, c);
  auto const out = plait::recurrent_net(net, {.cell = cell,
                                              .inputs = {{"input_t", "i2h"}},
                                              .states = {{"h_prev", "h", "h0"}, {"c_prev", "c", "c0"}},
                                              .timestep = "timestep",
                                              .forward_only = !trains});
  net.external_outputs(out.all("h").name(), out.last("h").name(), out.last("c").name());
  plait::netdef made = net.take();
  if (trains)
    plait::add_gradient_ops(made, {{"h_all", "dy"}}, plait::gradient_rules::standard(),
                            {.only = {"i2h_w", "i2h_b", "gates_t_w", "gates_t_b"}});
  return made;
}

}  // namespace bench

int main(int argc, char** argv) {
  auto const options = bench::sequence_options::read(argc, argv);
  auto const threads = static_cast<unsigned>(omp_get_max_threads());
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, threads);
  options.for_each_case([&](bench::sequence_case const& c, bool training) {
    for (std::string_view const word : options.words) {
      if (word == "serial")
        bench::time_serial(1, c, training, options.steps);
      else if (word == "omp")
        bench::time_omp(threads, c, training, options.steps);
      else if (word == "tbb")
        bench::time_tbb(threads, c, training, options.steps);
      else if (word == "profile")
        bench::profile_lstm(c, training, std::max(options.steps, 10));
#if defined(PLAIT_BENCH_ONEDNN)
      else if (word == "onednn")
        bench::time_onednn(threads, c, training, options.steps);
#endif
      else
        bench::refuse_word(word);
    }
  });
}
