// Executor configuration of an existing RecurrentNetwork op: threads, concurrent time steps, CUDA streams.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <plait/core/errors.hpp>
#include <plait/net/mutation.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/rnn/detail/recurrent_options.hpp>

namespace plait {

/// Sets the arguments rnn_executor.<member of the configuration> of a RecurrentNetwork or RecurrentNetworkGradient op;
/// absent members leave theirs unchanged. Follows Caffe2's set_rnn_executor_config, which appends a duplicate where the
/// argument exists. Throws net_error, and changes nothing, for an op of another type. O(arguments of the op).
inline void set_rnn_executor_config(netdef& n, op_def& op, rnn_executor_config const& config) {
  std::string_view const type = n.text(op.type);
  if (type != "RecurrentNetwork" && type != "RecurrentNetworkGradient")
    throw net_error("plait: only RecurrentNetwork and its gradient have an executor of steps, " + std::string(type) +
                    " has none");
  auto const set = [&](char const* name, std::optional<std::int64_t> value) {
    if (!value) return;
    net_traits<netdef>::erase_argument(n, op, name);
    op.arg.push_back(make_argument(n, {name, *value}));
  };
  set("rnn_executor.num_threads", config.num_threads);
  set("rnn_executor.max_parallel_timesteps", config.max_parallel_timesteps);
  set("rnn_executor.max_cuda_streams", config.max_cuda_streams);
}

}  // namespace plait
