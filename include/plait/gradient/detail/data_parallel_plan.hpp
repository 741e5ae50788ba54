// Plan of a data-parallel net: which gradients form a bucket, and between which ops each bucket is exchanged.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/errors.hpp>
#include <plait/gradient/detail/blob_gradient.hpp>
#include <plait/net/detail/name_generator.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

struct data_parallel_options {
  std::string communicator = "mpi_common_world";    ///< blob of the ranks that train together
  std::size_t bucket_bytes = std::size_t{4} << 20;  ///< most bytes of a bucket of several gradients; 0: each by itself
  bool average = true;                              ///< means over the ranks; otherwise sums
  bool ordered = false;  ///< sums in the order of the ranks, whatever the algorithm of the MPI library
  /// Results of a step, such as the loss, and inputs that no op writes, of which all ranks get the mean after the step.
  std::vector<std::string> averaged = {};
  /// Ops before this position compute gradients, those from it on use them: the optimiser, if it is there already.
  /// Readers of a gradient from here on read the exchanged one.
  std::size_t end = std::numeric_limits<std::size_t>::max();
};

/// Result of add_data_parallel.
struct data_parallel_update {
  std::vector<op_spec> init_ops;                  ///< for the init net, after the ops that fill the parameters
  std::string communicator;                       ///< the blob that the first of them writes
  std::vector<std::vector<std::string>> buckets;  ///< dense gradients that are exchanged together, in order
};

namespace detail {

/// Collects the exchanges of a net before any change.
template <class N>
class data_parallel_plan {
 public:
  data_parallel_plan(N const& n, data_parallel_options const& options)
      : options_(options),
        names_("", n),
        ssa_(get_ssa(n, {.subnets = true, .control_inputs = true})),
        op_count_(static_cast<op_index>(ssa_.op_count())),
        end_(static_cast<op_index>(std::min<std::size_t>(options.end, op_count_))) {
    for (blob_index const b : ssa_.blobs()) blobs_.emplace(std::string(std::string_view(ssa_.name(b))), b);
    if constexpr (device_net<N>)
      for (auto&& op : plait::ops(n)) devices_.push_back(net_traits_of<N>::device(n, op));
    auto const found = blobs_.find(options.communicator);
    if (found != blobs_.end() && ssa_.version(found->second) != ssa_.first_version(found->second))
      fail(options.communicator, "is written by an op, and cannot be the communicator");
    update_.communicator = options.communicator;
    update_.init_ops.push_back({"MPICreateCommonWorld", {}, {options.communicator}});
    if (!options.averaged.empty()) average_results();
  }

  void broadcast(std::string const& parameter) {
    update_.init_ops.push_back({"MPIBroadcast", {options_.communicator, parameter}, {parameter}});
  }
  void reduce(std::string const& gradient, std::size_t bytes) {
    value const v = gradient_of(gradient);
    if (seen_.insert(v.blob).second) sums_.push_back({gradient, bytes, made_at(v), used_at(v), device_of(v)});
  }
  void gather(blob_gradient const& gradient) {
    value const values = gradient_of(gradient.values);
    value const indices = gradient_of(gradient.indices);
    bool const scale = options_.average;
    if (seen_.insert(indices.blob).second) add_gather(gradient.indices, indices, false);
    if (seen_.insert(values.blob).second) add_gather(gradient.values, values, scale);
  }

  /// Inserts the ops, and declares the communicator in a net that declares its inputs. Call it once.
  data_parallel_update apply(N& n) {
    make_buckets();
    std::ranges::stable_sort(inserted_, {}, [](insertion const& i) { return std::pair(i.at, i.rank); });
    std::vector<std::uint32_t> positions;
    std::vector<op_spec> specs;
    for (insertion& i : inserted_) {
      positions.push_back(i.at);
      specs.push_back(std::move(i.op));
    }
    bool declares = false, declared = false;
    for (auto const& name : plait::external_inputs(std::as_const(n))) {
      declares = true;
      declared = declared || name_text(n, static_cast<name_t<N> const&>(name)) == options_.communicator;
    }
    insert_ops(n, positions, specs);
    if (declares && !declared) net_traits_of<N>::add_external_input(n, make_name(n, options_.communicator));
    return std::move(update_);
  }

 private:
  /// A gradient that is to be summed.
  struct sum {
    std::string blob;
    std::size_t bytes;
    op_index made;  ///< first position behind its op
    op_index used;  ///< position of the first op that reads or replaces it
    std::optional<device_spec> device;
  };
  /// An op to insert. At one position, exchanges begin before others are waited for.
  struct insertion {
    op_index at;
    int rank;
    op_spec op;
  };

  [[noreturn]] static void fail(std::string const& blob, std::string const& what) {
    throw net_error("plait: '" + blob + "' " + what, {}, blob);
  }
  // Returns the last version of a blob that an op before `end_` writes.
  value gradient_of(std::string const& blob) const {
    auto const found = blobs_.find(blob);
    if (found != blobs_.end()) {
      blob_index const b = found->second;
      for (std::uint32_t version = ssa_.version(b); version != ssa_.first_version(b); --version)
        if (ssa_.producing_op({b, version}) < end_) return {b, version};
    }
    fail(blob, "is a gradient to be exchanged between ranks, but no op writes it");
  }
  op_index made_at(value v) const { return ssa_.producing_op(v) + 1; }
  op_index used_at(value v) const {
    op_index first = op_count_;
    if (auto const readers = ssa_.consumers(v); !readers.empty()) first = readers.front().op;
    if (v.version != ssa_.version(v.blob)) first = std::min(first, ssa_.producing_op({v.blob, v.version + 1}));
    return first;
  }
  std::optional<device_spec> device_of(value v) const {
    if constexpr (device_net<N>)
      return devices_[ssa_.producing_op(v)];
    else
      return {};
  }

  // The mean of results is computed while the step goes on, but its ops read those of this rank.
  void average_results() {
    op_spec begin{"MPIAllreduceBegin", {options_.communicator}, {names_.next_blob("averaged_request")}, {average()}};
    op_spec end{"MPIAllreduceEnd", begin.outputs, {}};
    op_index made = 0;
    for (std::string const& result : options_.averaged) {
      auto const found = blobs_.find(result);
      if (found == blobs_.end()) fail(result, "is to be averaged over the ranks, but is no blob of the net");
      if (value const v{found->second, ssa_.version(found->second)}; ssa_.producing_op(v) != npos)
        made = std::max(made, made_at(v));
      begin.inputs.push_back(result);
      end.inputs.push_back(result);
      end.outputs.push_back(result);
    }
    inserted_.push_back({made, 0, std::move(begin)});
    inserted_.push_back({op_count_, 1, std::move(end)});
  }
  void add_gather(std::string const& blob, value v, bool scale) {
    op_spec op{"MPIAllgatherV", {options_.communicator, blob}, {blob}, {}, device_of(v)};
    if (scale) op.arguments.push_back(average());
    inserted_.push_back({used_at(v), 2, std::move(op)});
  }
  void make_buckets() {
    std::ranges::stable_sort(sums_, {}, &sum::made);
    for (std::size_t first = 0; first != sums_.size();) {
      std::size_t end = first + 1;
      std::size_t bytes = sums_[first].bytes;
      op_index used = sums_[first].used;
      while (end != sums_.size() && bytes + sums_[end].bytes <= options_.bucket_bytes && sums_[end].made <= used &&
             sums_[end].device == sums_[first].device) {
        bytes += sums_[end].bytes;
        used = std::min(used, sums_[end].used);
        ++end;
      }
      add_bucket(std::span(sums_).subspan(first, end - first), used);
      first = end;
    }
  }
  void add_bucket(std::span<sum const> gradients, op_index used) {
    std::string const number = std::to_string(update_.buckets.size());
    op_spec begin{"MPIAllreduceBegin", {options_.communicator}, {names_.next_blob("gradients_request_" + number)}};
    if (options_.average) begin.arguments.push_back(average());
    if (options_.ordered) begin.arguments.push_back({"ordered", std::int64_t{1}});
    begin.device = gradients.front().device;
    op_spec end{"MPIAllreduceEnd", begin.outputs, {}, {}, begin.device};
    for (sum const& g : gradients) {
      begin.inputs.push_back(g.blob);
      end.inputs.push_back(g.blob);
      end.outputs.push_back(g.blob);
    }
    update_.buckets.push_back(end.outputs);
    inserted_.push_back({gradients.back().made, 0, std::move(begin)});
    inserted_.push_back({used, 1, std::move(end)});
  }
  static argument_spec average() { return {"average", std::int64_t{1}}; }

  data_parallel_options const& options_;
  name_generator names_;
  ssa_form<N> ssa_;
  op_index op_count_;
  op_index end_;
  std::vector<std::optional<device_spec>> devices_;  // by op
  boost::unordered_flat_map<std::string, blob_index> blobs_;
  boost::unordered_flat_set<blob_index> seen_;
  std::vector<sum> sums_;
  std::vector<insertion> inserted_;
  data_parallel_update update_;
};

}  // namespace detail
}  // namespace plait
