// Gradient check: compares the gradients of a net with central differences.
//
//   plait::workspace<plait::serial> given;
//   given.feed("x", …); given.feed("w", …);
//   auto const check = plait::check_gradient(net, {"loss"}, {"x", "w"}, given);
//   check.ok();  check.text();   // the elements with wrong gradients, and their errors
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/tensor.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/standard_rules.hpp>

namespace plait {

struct gradient_check_options {
  gradient_options gradients = {};
  /// Step of the differences to either side, relative to the larger of the magnitude of the input and 1.
  double step = 1e-5;
  /// Tolerance of a gradient, relative to the largest of 1 and the magnitudes of the two values.
  double tolerance = 1e-6;
  /// Maximum number of elements to check per input, reduction_backward evenly over it; 0: all.
  std::size_t most_elements = 0;
};

/// Result of check_gradient.
struct gradient_check {
  /// One element of an input.
  struct element {
    std::string blob;
    std::size_t index = 0;  ///< row-major
    double analytic = 0;    ///< by the gradient ops
    double numeric = 0;     ///< by the differences
    bool kink = false;      ///< one-sided differences disagree: there may be no gradient here
  };
  std::size_t checked = 0;        ///< number of elements
  double worst = 0;               ///< the largest relative difference
  std::vector<element> off = {};  ///< elements beyond the tolerance

  [[nodiscard]] bool ok() const noexcept { return off.empty() && checked != 0; }
  /// Returns a report: a summary line, then a line for each of the first wrong elements.
  [[nodiscard]] std::string text() const {
    std::string made =
        std::to_string(checked) + " elements, " + std::to_string(off.size()) + " off, worst " + std::to_string(worst);
    for (std::size_t i = 0; i != std::min<std::size_t>(off.size(), 10); ++i)
      made += '\n' + off[i].blob + '[' + std::to_string(off[i].index) + "]: gradient " +
              std::to_string(off[i].analytic) + ", difference " + std::to_string(off[i].numeric) +
              (off[i].kink ? ", at a kink" : "");
    return made;
  }
};

namespace detail {

// Net that runs in double, each time from the same inputs.
class double_net {
 public:
  using feeds = std::map<std::string, tensor<serial>>;

  template <net N>
  double_net(N const& n, operators<serial> const& table, feeds const& given, std::vector<std::string> const& fetch)
      : given_(&given), plan_(start(n, table, fetch)) {}

  workspace<serial>& run() {
    feed();
    plan_.run();
    return blobs_;
  }
  workspace<serial>& run(std::string const& changed, tensor<serial> const& value) {
    feed();
    blobs_.feed(changed, value);
    plan_.run();
    return blobs_;
  }

 private:
  template <net N>
  plan<serial> start(N const& n, operators<serial> const& table, std::vector<std::string> const& fetch) {
    feed();
    return compile(n, table, blobs_, {.fetch = fetch});
  }
  // Copies, since nets may write their inputs in place.
  void feed() {
    for (auto const& [name, value] : *given_) blobs_.feed(name, value.clone());
  }

  feeds const* given_;
  workspace<serial> blobs_;
  plan<serial> plan_;
};

inline tensor<serial> in_double(tensor<serial> const& t) {
  if (t.type() != element_type::float32) return t.clone();
  std::vector<float> const narrow = t.values<float>();
  return tensor<serial>::from(std::vector<double>(narrow.begin(), narrow.end()), t.dims());
}

// Distinct weights between 0.5 and 1.5 of the elements of y, so that errors do not cancel.
inline std::vector<double> weights(std::size_t count, std::size_t start) {
  std::vector<double> made(count);
  for (std::size_t i = 0; i != count; ++i) {
    double const turn = static_cast<double>(start + i + 1) * 0.61803398874989485;
    made[i] = 0.5 + turn - std::floor(turn);
  }
  return made;
}

inline double weighted_sum(workspace<serial> const& blobs, std::vector<std::string> const& ys,
                           std::vector<std::vector<double>> const& weights) {
  double sum = 0;
  for (std::size_t k = 0; k != ys.size(); ++k) {
    std::vector<double> const y = blobs.fetch<double>(ys[k]);
    for (std::size_t i = 0; i != y.size(); ++i) sum += weights[k][i] * y[i];
  }
  return sum;
}

inline std::vector<double> dense_gradient(workspace<serial> const& blobs, blob_gradient const& g, shape const& dims) {
  std::vector<double> made = blobs.fetch<double>(g.values);
  if (!g.is_sparse()) return made;
  std::vector<double> sum(static_cast<std::size_t>(dims.size()));
  std::size_t const row = dims.rank() == 0 || dims[0] == 0 ? 0 : sum.size() / static_cast<std::size_t>(dims[0]);
  tensor<serial> const& at = blobs.view(g.indices);
  std::vector<std::int64_t> indices;
  if (at.type() == element_type::int32)
    for (std::int32_t i : at.values<std::int32_t>()) indices.push_back(i);
  else
    indices = at.values<std::int64_t>();
  for (std::size_t i = 0; i != indices.size(); ++i)
    for (std::size_t k = 0; k != row; ++k) sum[static_cast<std::size_t>(indices[i]) * row + k] += made[i * row + k];
  return sum;
}

}  // namespace detail

/// Compares the gradients by `rules` with central differences, both in double, at the point in `given`, which has every
/// input of the net, floats converted to double. The function is a weighted sum of all elements of `ys`. Where the net
/// is not differentiable (a Relu at zero, a tie of maxima) the two differ legitimately, and the element is marked as a
/// kink: choose another point.
///
/// Throws gradient_error if the net cannot be differentiated, exec_error if it cannot run in double, net_error if an
/// input is not in `given` or not real. Costs two runs of the net for each element of `inputs`, some more where the
/// first differences disagree.
template <gradient_net N>
  requires std::copy_constructible<N>
[[nodiscard]] gradient_check check_gradient(N const& net, std::vector<std::string> const& ys,
                                            std::vector<std::string> const& inputs, workspace<serial> const& given,
                                            gradient_rules const& rules, operators<serial> const& table,
                                            gradient_check_options const& options = {}) {
  detail::double_net::feeds feeds;
  for (std::string const& name : given.names()) feeds.emplace(name, detail::in_double(given.view(name)));
  for (std::string const& name : inputs) {
    auto const found = feeds.find(name);
    if (found == feeds.end())
      throw net_error("plait: blob '" + name + "', which is to be moved, is not given", {}, name);
    if (found->second.type() != element_type::float64)
      throw net_error("plait: blob '" + name + "', which is to be moved, holds no real numbers", {}, name);
  }

  for (auto y = ys.begin(); y != ys.end(); ++y)
    if (std::find(ys.begin(), y, *y) != y) throw net_error("plait: blob '" + *y + "' is listed twice", {}, *y);

  // The run at the point itself also yields the sizes of the ys.
  detail::double_net forward(net, table, feeds, ys);
  std::vector<std::vector<double>> weights;
  std::vector<gradient_seed> seeds;
  detail::double_net::feeds with_seeds = feeds;
  {
    workspace<serial> const& blobs = forward.run();
    std::size_t total = 0;
    for (std::string const& y : ys) {
      tensor<serial> const& at = blobs.view(y);
      weights.push_back(detail::weights(static_cast<std::size_t>(at.size()), total));
      total += weights.back().size();
      std::string const name = y + "_gradient_of_check";
      seeds.emplace_back(y, std::string_view(name));
      with_seeds.emplace(name, tensor<serial>::from(weights.back(), at.dims()));
    }
  }

  N both(net);
  gradient_options wanted = options.gradients;
  wanted.only = inputs;
  gradient_map const gradients = add_gradient_ops(both, seeds, rules, wanted);
  std::vector<std::string> fetch;  // gradients may be inputs that the net does not mention
  for (auto const& [blob, g] : gradients)
    for (std::string const& part : {g.values, g.indices})
      if (!part.empty() && !with_seeds.contains(part)) fetch.push_back(part);
  detail::double_net backward(both, table, with_seeds, fetch.empty() ? ys : fetch);
  workspace<serial> const& results = backward.run();

  gradient_check check;
  for (std::string const& name : inputs) {
    tensor<serial> const& at = feeds.at(name);
    std::vector<double> const x = at.values<double>();
    auto const found = gradients.find(name);
    std::vector<double> const analytic = found == gradients.end()
                                             ? std::vector<double>(x.size())
                                             : detail::dense_gradient(results, found->second, at.dims());
    if (analytic.size() != x.size())
      throw net_error("plait: the gradient of '" + name + "' has " + std::to_string(analytic.size()) +
                          " elements, the blob " + std::to_string(x.size()),
                      {}, name);
    std::size_t const count = options.most_elements == 0 ? x.size() : std::min(options.most_elements, x.size());
    for (std::size_t k = 0; k != count; ++k) {
      std::size_t const i = k * x.size() / count;
      double const step = options.step * std::max(1.0, std::abs(x[i]));
      auto const moved = [&](double by) {
        std::vector<double> there = x;
        there[i] += by;
        return detail::weighted_sum(forward.run(name, tensor<serial>::from(there, at.dims())), ys, weights);
      };
      auto const difference = [&](double by) { return (moved(by) - moved(-by)) / (2 * by); };
      auto const relative = [&](double a, double b) {
        return std::abs(a - b) / std::max({1.0, std::abs(a), std::abs(b)});
      };
      double numeric = difference(step);
      // Where curvature is high, the error of a difference is quadratic in the step: two differences cancel it
      // (Richardson extrapolation). Only where needed, as each difference costs two runs.
      if (!(relative(numeric, analytic[i]) <= options.tolerance)) {
        double const half = difference(step / 2);
        numeric = half + (half - numeric) / 3;
      }
      double const apart = relative(numeric, analytic[i]);
      ++check.checked;
      check.worst = std::max(check.worst, apart);
      if (apart <= options.tolerance) continue;
      // Excess of the slope to the right over that to the left, which tends to zero with the step, except at kinks.
      auto const bend = [&](double by) { return (moved(by) - 2 * moved(0) + moved(-by)) / by; };
      double const bends[] = {bend(step), bend(step / 2), bend(step / 4)};
      double const left_over = std::max(std::abs(2 * bends[1] - bends[0]), std::abs(2 * bends[2] - bends[1]));
      // A kink explains an error that is not much larger than its own.
      check.off.push_back({name, i, analytic[i], numeric, left_over > std::abs(numeric - analytic[i]) / 2});
    }
  }
  return check;
}

/// Checks gradients with the rules and operators of plait.
template <gradient_net N>
  requires std::copy_constructible<N>
[[nodiscard]] gradient_check check_gradient(N const& net, std::vector<std::string> const& ys,
                                            std::vector<std::string> const& inputs, workspace<serial> const& given,
                                            gradient_check_options const& options = {}) {
  return check_gradient(net, ys, inputs, given, gradient_rules::standard(), standard_operators<serial>(), options);
}

}  // namespace plait
