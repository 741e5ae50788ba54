// Exported gradients: the adjoints by blob that a backward pass returns.
#pragma once

#include <cstdint>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/gradient/detail/forward_net.hpp>
#include <plait/gradient/detail/gradient_tape.hpp>
#include <plait/gradient/detail/value_names.hpp>
#include <plait/gradient/detail/wanted_gradients.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Map from blobs to gradients during the backward sweep (Caffe2's input_to_grad). In the end a blob has the gradient
/// of its first version that has one. Refers to its constructor arguments.
template <gradient_net N>
class exported_gradients {
 public:
  exported_gradients(forward_net<N> const& net, wanted_gradients<N> const& wanted) : net_(&net), wanted_(&wanted) {}

  /// Clears the map. Call it after forward_net::compute.
  void reset() { of_.assign(net_->form().blob_bound(), {}); }

  bool contains(blob_index b) const { return static_cast<bool>(of_[b].gradient); }
  gradient_operands gradient(blob_index b) const { return of_[b].gradient; }
  /// Returns the version of a blob that its gradient belongs to.
  std::uint32_t version(blob_index b) const { return of_[b].version; }
  /// Returns true if the blob has the gradient of another version.
  bool is_stale(value v) const { return contains(v.blob) && of_[v.blob].version != v.version; }

  void set(value v, gradient_operands g) {
    of_[v.blob].gradient = g;
    of_[v.blob].version = v.version;
  }
  /// Removes the gradients of blobs that an op both reads and writes: they belong to the written version.
  void hide_overwritten(op_index op) {
    for (value out : net_->form().writes(op)) of_[out.blob].written_by = op;
    for (value in : net_->form().reads(op))
      if (of_[in.blob].written_by == op) of_[in.blob].gradient = {};
  }

  /// Calls f(blob, gradient_operands&) for each exported blob, in the order of the net. Indices may be forward values.
  template <class F>
  void for_each(F f) {
    for (blob_index b : net_->form().blobs())
      if (contains(b) && wanted_->is_asked_for(b)) f(b, of_[b].gradient);
  }
  template <class F>
  void for_each(F f) const {
    for (blob_index b : net_->form().blobs())
      if (contains(b) && wanted_->is_asked_for(b)) f(b, of_[b].gradient);
  }

 private:
  struct entry {
    gradient_operands gradient;
    std::uint32_t version = 0;
    op_index written_by = npos;  // mark of the last op in hide_overwritten that writes the blob
  };

  forward_net<N> const* net_;
  wanted_gradients<N> const* wanted_;
  std::vector<entry> of_;  // by blob
};

}  // namespace plait
