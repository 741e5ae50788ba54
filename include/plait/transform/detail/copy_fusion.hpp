// Copy elimination: removes copies from one device to another and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/nested_names.hpp>
#include <plait/net/detail/op_label.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/detail/blob_label.hpp>
#include <plait/ssa/detail/written_outputs.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

struct copy_fusion_options {
  /// Follow detectron2: redirect only the first reader of a blob that is copied back, even if the source was
  /// overwritten in between or is on another GPU, and refuse a copy without reader, or an external output without
  /// producer. The net may then read a blob that no op writes any more. For comparison with nets of detectron2.
  bool first_reader_only = false;
};

/// Result of fuse_copies. Positions are those before the removal.
struct copy_fusion {
  std::vector<op_index> removed_ops;
  std::vector<operand> rewired_inputs;  ///< inputs that now read the source of the copies
};

template <class N>
concept copy_fusible_net = typed_net<N> && renamable_net<N> && op_erasable_net<N>;

namespace detail {

template <class N>
class copy_fuser {
 public:
  copy_fuser(N const& n, copy_fusion_options const& options)
      : n_(n), options_(options), ssa_(get_ssa(n, {.subnets = true, .control_inputs = true})) {
    read_ops(n);
    link_readers();
    is_external_output_.resize(ssa_.value_count());
    for (value v : ssa_.external_outputs()) is_external_output_[ssa_.index(v)] = true;
    gone_.resize(ssa_.op_count());
  }

  // A fusion may enable another one behind it, seldom before it: iterates passes to a fixpoint.
  void plan() {
    if (options_.first_reader_only) require_written_outputs(ssa_);
    for (bool found = true; found;) {
      found = false;
      for (op_index op : copies_)
        if (!gone_[op] && is_fusible(op)) {
          fuse(op);
          found = true;
        }
    }
  }

  copy_fusion apply(N& n) {
    using traits = net_traits_of<N>;
    copy_fusion done;
    op_list<N> ops(n);
    // Collects all names first: an op whose input changes may be the one that a name is taken from.
    std::vector<name_t<N>> names;
    for (std::uint32_t at = 0; at != readers_.size(); ++at) {
      reader const& r = readers_[at];
      if (gone_[r.at.op] || r.reads == original(r.at)) continue;
      // The copy names the source as an input; other readers may be control inputs or nested nets.
      operand source = ssa_.consumers(r.reads).front();
      for (operand const o : ssa_.consumers(r.reads))
        if (o.slot < inputs_[o.op]) {
          source = o;
          break;
        }
      auto&& inputs = plait::inputs(std::as_const(n), ops[source.op]);
      names.push_back(*std::ranges::next(std::ranges::begin(inputs), source.slot));
      done.rewired_inputs.push_back(r.at);
    }
    for (std::size_t i = 0; i != names.size(); ++i)
      traits::set_input(n, ops[done.rewired_inputs[i].op], done.rewired_inputs[i].slot, names[i]);
    for (op_index op = 0; op != gone_.size(); ++op)
      if (gone_[op]) done.removed_ops.push_back(op);
    if (!done.removed_ops.empty()) traits::erase_ops(n, done.removed_ops);
    return done;
  }

 private:
  enum class direction : std::uint8_t { none, to_gpu, to_cpu };
  static constexpr std::uint32_t end_of_list = npos;

  // An operand, linked into the list of readers of the value it reads by now.
  struct reader {
    operand at;
    value reads;
    std::uint32_t next;
  };
  struct reader_list {
    std::uint32_t first = end_of_list;
    std::uint32_t last = end_of_list;
  };

  void read_ops(N const& n) {
    op_index index = 0;
    for (auto&& op : plait::ops(n)) {
      std::string_view const type = op_type(n, op);
      bool const one_to_one = ssa_.reads(index).size() == 1 && ssa_.writes(index).size() == 1;
      direction way = direction::none;
      if (one_to_one && type == "CopyCPUToGPU") way = direction::to_gpu;
      if (one_to_one && type == "CopyGPUToCPU") way = direction::to_cpu;
      directions_.push_back(way);
      inputs_.push_back(static_cast<std::uint32_t>(std::ranges::distance(plait::inputs(n, op))));
      // A nested net may refer to an input by name, or be bound to it.
      rewirable_.push_back(has_nested_nets(n, op) ? 0 : inputs_.back());
      std::int32_t id = 0;
      if constexpr (device_net<N>) {
        if (way != direction::none && !options_.first_reader_only) {
          std::optional<device_spec> const device = net_traits_of<N>::device(n, op);
          if (device) id = device->id.value_or(0);
        }
      }
      device_ids_.push_back(id);
      if (way != direction::none) copies_.push_back(index);
      ++index;
    }
  }

  void link_readers() {
    lists_.resize(ssa_.value_count());
    starts_.reserve(ssa_.op_count());
    for (op_index op = 0; op != ssa_.op_count(); ++op) {
      starts_.push_back(static_cast<std::uint32_t>(readers_.size()));
      std::uint32_t slot = 0;
      for (value v : ssa_.reads(op)) {
        readers_.push_back({{op, slot++}, v, end_of_list});
        append(lists_[ssa_.index(v)], static_cast<std::uint32_t>(readers_.size() - 1));
      }
    }
    next_write_.resize(ssa_.value_count() + 1);
    for (std::uint32_t i = 0; i != next_write_.size(); ++i) next_write_[i] = i;
  }
  void append(reader_list& list, std::uint32_t at) {
    (list.first == end_of_list ? list.first : readers_[list.last].next) = at;
    list.last = at;  // means nothing while the list is empty
  }
  value original(operand o) const { return ssa_.reads(o.op)[o.slot]; }
  value source(op_index copy) const { return readers_[starts_[copy]].reads; }
  value result(op_index copy) const { return ssa_.writes(copy)[0]; }
  bool is_external_output(value v) const { return is_external_output_[ssa_.index(v)]; }

  // Calls f with each reader of a value until it returns false; returns true if it never did.
  template <class F>
  bool each_reader(value v, F&& f) const {
    for (std::uint32_t at = lists_[ssa_.index(v)].first; at != end_of_list; at = readers_[at].next)
      if (!gone_[readers_[at].at.op] && !f(at)) return false;
    return true;
  }

  bool is_fusible(op_index there) {
    value const middle = result(there);
    if (is_external_output(middle)) return false;
    back_.clear();
    bool const all_back = each_reader(middle, [&](std::uint32_t at) {
      op_index const op = readers_[at].at.op;
      bool const reverse = directions_[op] != direction::none && directions_[op] != directions_[there];
      // Host to GPU and back: any GPU. GPU to host and back: the same GPU.
      bool const same_end = directions_[there] == direction::to_gpu || device_ids_[op] == device_ids_[there];
      if (!reverse || !same_end || is_external_output(result(op))) return false;
      back_.push_back(op);
      return true;
    });
    if (!all_back || back_.empty()) return false;
    if (options_.first_reader_only) {
      for (op_index op : back_)
        if (each_reader(result(op), [](std::uint32_t) { return false; }))
          raise(net_error("plait: no op reads what " + op_label(n_, op) + " copies back", op,
                          blob_label(ssa_, result(op).blob)));
      return true;
    }
    op_index const overwritten = source_overwritten(there);
    for (op_index op : back_)
      if (!each_reader(result(op), [&](std::uint32_t at) {
            operand const o = readers_[at].at;
            return o.slot < rewirable_[o.op] && o.op <= overwritten;
          }))
        return false;
    return true;
  }

  // Returns the first op that overwrites the source of a copy, not counting the copies there and back; npos if none.
  op_index source_overwritten(op_index there) {
    value const v = source(there);
    std::uint32_t const end = static_cast<std::uint32_t>(ssa_.index({v.blob, ssa_.version(v.blob)})) + 1;
    auto at = static_cast<std::uint32_t>(ssa_.index(v)) + 1;
    for (;;) {
      while (next_write_[at] != at && at < end) at = next_write_[at] = next_write_[next_write_[at]];
      if (at >= end) return npos;
      std::uint32_t const version = ssa_.version(v.blob) - (end - 1 - at);
      op_index const by = ssa_.producing_op({v.blob, version});
      bool const counts = by != npos && by != there && !(directions_[by] != direction::none && reads_result(by, there));
      if (counts) return by;
      ++at;
    }
  }
  bool reads_result(op_index back, op_index there) const { return source(back) == result(there); }

  void fuse(op_index there) {
    value const from = source(there);
    for (op_index op : back_) {
      reader_list& readers = lists_[ssa_.index(result(op))];
      while (readers.first != end_of_list) {
        std::uint32_t const at = readers.first;
        readers.first = std::exchange(readers_[at].next, end_of_list);
        if (gone_[readers_[at].at.op]) continue;
        readers_[at].reads = from;
        append(lists_[ssa_.index(from)], at);
        if (options_.first_reader_only) break;
      }
      remove(op);
    }
    remove(there);
  }
  void remove(op_index op) {
    gone_[op] = true;
    auto const at = static_cast<std::uint32_t>(ssa_.index(result(op)));
    next_write_[at] = at + 1;
  }

  N const& n_;
  copy_fusion_options options_;
  ssa_form<N> ssa_;
  std::vector<direction> directions_;      // by op
  std::vector<std::int32_t> device_ids_;   // by op
  std::vector<std::uint32_t> inputs_;      // by op: number of reads that are inputs
  std::vector<std::uint32_t> rewirable_;   // by op: number of inputs that may read another blob
  std::vector<std::uint32_t> starts_;      // by op: its first reader
  std::vector<bool> gone_;                 // by op
  std::vector<bool> is_external_output_;   // by value: an external output
  std::vector<reader_list> lists_;         // by value
  std::vector<std::uint32_t> next_write_;  // by value: union-find (path halving) past removed writes
  std::vector<reader> readers_;
  std::vector<op_index> copies_;
  std::vector<op_index> back_;
};

}  // namespace detail

/// Removes copies of a blob from host to GPU (CopyCPUToGPU) or back, where all readers of the copy copy it the other
/// way; readers of the results then read the source, and copies without remaining reader are removed as well. Iterates
/// to a fixpoint. A pair stays if the copy or a result is an external output, or is read by an op that holds nets or as
/// a control input, if the source is overwritten before the last reader, and if a blob of a GPU comes back to another
/// GPU.
///
/// Throws nothing (but see first_reader_only). O(operands) for each pass; a pass after the first finds something only
/// where a copy without readers prevented a fusion. Follows detectron2's fuse_copy_between_cpu_and_gpu, which redirects
/// one reader only and ignores the source.
template <copy_fusible_net N>
copy_fusion fuse_copies(N& n, copy_fusion_options const& options = {}) {
  detail::copy_fuser<N> fuser(n, options);
  fuser.plan();
  return fuser.apply(n);
}

}  // namespace plait
