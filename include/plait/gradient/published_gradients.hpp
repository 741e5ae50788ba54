// What the result of a backward pass says to be the gradients of blobs.
#pragma once

#include <cstdint>
#include <vector>

#include <plait/gradient/forward_net.hpp>
#include <plait/gradient/gradient_tape.hpp>
#include <plait/gradient/value_names.hpp>
#include <plait/gradient/wanted_gradients.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// The map from blobs to gradients as it stands while the walk goes back (Caffe2's input_to_grad): in the end a blob
/// has the gradient of its first version that has one. Refers to the net and to what is wanted of it.
template <gradient_net N>
class published_gradients {
 public:
  published_gradients(forward_net<N> const& net, wanted_gradients<N> const& wanted) : net_(&net), wanted_(&wanted) {}

  /// Once the net is computed.
  void reset() {
    gradient_of_.assign(net_->form().blob_bound(), {});
    version_of_.assign(net_->form().blob_bound(), 0);
  }

  bool contains(blob_index b) const { return static_cast<bool>(gradient_of_[b]); }
  gradient_operands gradient(blob_index b) const { return gradient_of_[b]; }
  /// Which version of a blob its gradient is that of.
  std::uint32_t version(blob_index b) const { return version_of_[b]; }
  /// Whether a blob has a gradient, and it is that of another version.
  bool is_stale(value v) const { return contains(v.blob) && version_of_[v.blob] != v.version; }

  void set(value v, gradient_operands g) {
    gradient_of_[v.blob] = g;
    version_of_[v.blob] = v.version;
  }
  /// An op that reads a blob and writes it takes the gradient of the written version out of the map.
  void hide_overwritten(op_index op) {
    auto const reads = net_->form().reads(op);
    for (value out : net_->form().writes(op))
      for (value in : reads)
        if (in.blob == out.blob) gradient_of_[in.blob] = {};
  }

  /// Calls f(blob, gradient_operands&) for each blob that the result is to have, in the order of the net. Indices may
  /// be values of the net.
  template <class F>
  void for_each(F f) {
    for (blob_index b : net_->form().blobs())
      if (contains(b) && wanted_->is_asked_for(b)) f(b, gradient_of_[b]);
  }
  template <class F>
  void for_each(F f) const {
    for (blob_index b : net_->form().blobs())
      if (contains(b) && wanted_->is_asked_for(b)) f(b, gradient_of_[b]);
  }

 private:
  forward_net<N> const* net_;
  wanted_gradients<N> const* wanted_;
  std::vector<gradient_operands> gradient_of_;  // by blob
  std::vector<std::uint32_t> version_of_;       // by blob
};

}  // namespace plait
