// Diagnostics of a backward pass: collects all problems of a net, with messages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/detail/npos.hpp>
#include <plait/gradient/detail/forward_net.hpp>
#include <plait/gradient/detail/gradient_options.hpp>
#include <plait/gradient/detail/needed_values.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Problems of a net in the order they are found. They share lists of writers, so that n problems take linear space.
template <gradient_net N>
class backward_problems {
 public:
  explicit backward_problems(forward_net<N> const& net) : net_(&net) {}

  bool empty() const noexcept { return found_.empty(); }
  std::vector<gradient_problem> const& list() const noexcept { return found_; }

  void add(std::optional<op_index> op, std::string blob, std::string text) {
    found_.push_back({op, std::move(blob), {}, {}, {}, std::move(text)});
  }
  void add(op_index op, std::string const& why) { add(op, {}, net_->label(op) + ": " + why); }
  /// Adds the problems of a net nested in an op.
  void add_inside(op_index op, gradient_error const& inner) {
    for (gradient_problem p : inner.problems) {
      p.text = net_->label(op) + ": " + p.text;
      p.op = op;
      found_.push_back(std::move(p));
    }
  }
  /// Reports that the op writes a value without a gradient while the blob has the gradient of a later version.
  void add_stale(op_index op, value v, std::uint32_t has_gradient) {
    std::string const blob = net_->text(v.blob);
    found_.push_back({op, blob, v.version, has_gradient, writers_of(v.blob),
                      net_->label(op) + ": the gradient of '" + blob + "' belongs to version " +
                          std::to_string(has_gradient) + ", but this op writes version " + std::to_string(v.version)});
  }
  void add_overwritten(overwritten_value const& v) {
    std::string const blob = net_->text(v.what.blob);
    std::uint32_t const last = net_->form().version(v.what.blob);
    shared_ops const writers = writers_of(v.what.blob);
    std::string text = (v.reader == npos ? "the result" : net_->label(v.reader) + ": its gradient") + " needs '" +
                       blob + "' at version " + std::to_string(v.what.version) + ", which is overwritten (version " +
                       std::to_string(last) + " is the last); written by";
    if (v.what.version == net_->form().first_version(v.what.blob)) text += " the feed of the net's inputs,";
    // Long lists begin with the producer of the value.
    std::size_t const first = writers.size() <= most_listed ? 0 : version_number(v.what);
    std::size_t const end = std::min(first + most_listed, writers.size());
    for (std::size_t i = first; i != end; ++i) text += ' ' + net_->label(writers[i]) + ',';
    if (end - first != writers.size()) text += " and " + std::to_string(writers.size() - (end - first)) + " others,";
    text.pop_back();
    found_.push_back({v.reader == npos ? std::nullopt : std::optional(v.reader), blob, v.what.version, last, writers,
                      std::move(text)});
  }

 private:
  static constexpr std::size_t most_listed = 16;
  // Returns the index of a value's producer among the blob's writers, 0 for an input of the net.
  std::size_t version_number(value v) const {
    std::uint32_t const written = v.version - net_->form().first_version(v.blob);
    return written == 0 ? 0 : written - 1;
  }
  shared_ops writers_of(blob_index b) {
    auto const [at, added] = writers_.try_emplace(b);
    if (added) at->second = shared_ops(net_->writers(b));
    return at->second;
  }

  forward_net<N> const* net_;
  std::vector<gradient_problem> found_;
  boost::unordered_flat_map<blob_index, shared_ops> writers_;
};

}  // namespace plait
