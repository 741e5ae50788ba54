#include <plait/rnn/detail/executor_config.hpp>

#include <doctest/doctest.h>

#include <string>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/equality.hpp>

TEST_CASE("set_rnn_executor_config: sets each argument once") {
  for (std::string const type : {"RecurrentNetwork", "RecurrentNetworkGradient"}) {
    plait::netdef n = plait::read_netdef_text(
        "op { type: '" + type + "' arg { name: 'rnn_executor.num_threads' i: 3 } arg { name: 'timestep' s: 't' } }");
    plait::set_rnn_executor_config(n, n.op[0], {});
    CHECK(n.op[0].arg.size() == 2);
    plait::set_rnn_executor_config(n, n.op[0], {.num_threads = 4, .max_parallel_timesteps = 8, .max_cuda_streams = 2});
    plait::set_rnn_executor_config(n, n.op[0], {.num_threads = 5});
    CHECK(n.op[0].arg.size() == 4);
    CHECK(plait::find_argument(n, n.op[0], "rnn_executor.num_threads")->i == 5);
    CHECK(plait::find_argument(n, n.op[0], "rnn_executor.max_parallel_timesteps")->i == 8);
    CHECK(plait::find_argument(n, n.op[0], "rnn_executor.max_cuda_streams")->i == 2);
    CHECK(plait::find_argument(n, n.op[0], "timestep")->s == "t");
  }
}

TEST_CASE("set_rnn_executor_config: other ops are refused") {
  plait::netdef n = plait::read_netdef_text("op { type: 'Relu' input: 'x' output: 'y' }");
  plait::netdef const before = n;
  CHECK_THROWS_WITH_AS(plait::set_rnn_executor_config(n, n.op[0], {.num_threads = 4}),
                       "plait: only RecurrentNetwork and its gradient have an executor of steps, Relu has none",
                       plait::net_error);
  CHECK(n == before);
}
