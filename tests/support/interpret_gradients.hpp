// Interpreter of element-wise ops and their gradient ops in double, independent of the runtime and of blob names.
// Executes in-place ops in place; reading an unset blob is an error.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <net/editable_nets.hpp>

namespace test {

using numbers = std::vector<double>;
/// The contents of the blobs.
using number_map = std::map<std::string, numbers, std::less<>>;

inline double number_argument(plait::op_spec const& op, std::string_view key, double fallback) {
  auto const* found = argument_hooks::find(op.arguments, key);
  if (found == nullptr) return fallback;
  if (auto const* integer = std::get_if<std::int64_t>(&found->value)) return static_cast<double>(*integer);
  return std::get<float>(found->value);
}

namespace detail {

template <class F>
numbers map_numbers(numbers const& a, F f) {
  numbers made;
  for (double x : a) made.push_back(f(x));
  return made;
}
template <class F>
numbers map_numbers(numbers const& a, numbers const& b, F f) {
  if (a.size() != b.size()) throw std::invalid_argument("interpret_gradients: operands differ in size");
  numbers made;
  for (std::size_t i = 0; i != a.size(); ++i) made.push_back(f(a[i], b[i]));
  return made;
}

}  // namespace detail

/// Returns the outputs of one op. Integers, such as indices and sizes, are doubles, too.
inline std::vector<numbers> compute_op(plait::op_spec const& op, std::vector<numbers> const& in) {
  using detail::map_numbers;
  std::string_view const type = op.type;
  auto const one = [&](auto f) { return std::vector<numbers>{map_numbers(in.at(0), f)}; };
  auto const two = [&](auto f) { return std::vector<numbers>{map_numbers(in.at(0), in.at(1), f)}; };
  auto const with_sizes = [](std::vector<numbers> made, numbers sizes) {
    made.push_back(std::move(sizes));
    return made;
  };
  if (type == "Copy" || type == "Alias" || type == "StopGradient" || type == "EnsureDense" ||
      type == "CopyOnDeviceLike")
    return {in.at(0)};
  if (type == "Print" || type == "ZeroGradient") return {};
  if (type == "Add") return two([](double a, double b) { return a + b; });
  if (type == "Sub") return two([](double a, double b) { return a - b; });
  if (type == "Mul") return two([](double a, double b) { return a * b; });
  if (type == "Div") return two([](double a, double b) { return a / b; });
  if (type == "Negative") return one([](double a) { return -a; });
  if (type == "Scale") {
    double const factor = number_argument(op, "scale", 1);
    return one([&](double a) { return factor * a; });
  }
  if (type == "ConstantFill") {
    double const value = number_argument(op, "value", 0);
    return one([&](double) { return value; });
  }
  if (type == "Sum") {
    numbers total = in.at(0);
    for (std::size_t i = 1; i != in.size(); ++i) total = map_numbers(total, in[i], std::plus());
    return {total};
  }
  if (type == "Tanh") return one([](double a) { return std::tanh(a); });
  if (type == "TanhGradient") return two([](double y, double g) { return g * (1 - y * y); });
  if (type == "Sigmoid") return one([](double a) { return 1 / (1 + std::exp(-a)); });
  if (type == "SigmoidGradient") return two([](double y, double g) { return g * y * (1 - y); });
  if (type == "Relu") return one([](double a) { return a > 0 ? a : 0; });
  if (type == "ReluGradient") return two([](double y, double g) { return y > 0 ? g : 0; });
  if (type == "Cos") return one([](double a) { return std::cos(a); });
  if (type == "CosGradient") return two([](double x, double g) { return -g * std::sin(x); });
  if (type == "Sqr") return one([](double a) { return a * a; });
  if (type == "Concat") {
    numbers all;
    numbers sizes;
    for (numbers const& part : in) {
      all.insert(all.end(), part.begin(), part.end());
      sizes.push_back(static_cast<double>(part.size()));
    }
    return with_sizes({all}, sizes);
  }
  if (type == "Split") {
    std::vector<numbers> parts;
    std::size_t from = 0;
    for (std::size_t o = 0; o != op.outputs.size(); ++o) {
      auto const size = in.size() > 1 ? static_cast<std::size_t>(in[1].at(o)) : in.at(0).size() / op.outputs.size();
      auto const first = in[0].begin() + static_cast<std::ptrdiff_t>(from);
      parts.emplace_back(first, first + static_cast<std::ptrdiff_t>(size));
      from += size;
    }
    return parts;
  }
  if (type == "Gather") return {map_numbers(in.at(1), [&](double i) { return in[0].at(static_cast<std::size_t>(i)); })};
  if (type == "SparseToDense") {
    numbers dense(in.at(2).size(), 0.0);
    for (std::size_t i = 0; i != in[0].size(); ++i) dense.at(static_cast<std::size_t>(in[0][i])) += in.at(1).at(i);
    return {dense};
  }
  throw std::invalid_argument("interpret_gradients: no op " + op.type);
}

/// Runs ops on blobs. Calls see(position of the op, its inputs, its outputs), which may change the outputs.
template <class See>
void interpret_ops(std::vector<plait::op_spec> const& ops, number_map& blobs, See&& see) {
  for (std::size_t at = 0; at != ops.size(); ++at) {
    plait::op_spec const& op = ops[at];
    std::vector<numbers> in;
    for (std::string const& name : op.inputs) {
      auto const found = blobs.find(name);
      if (found == blobs.end()) throw std::invalid_argument("interpret_gradients: no op has written " + name);
      in.push_back(found->second);
    }
    std::vector<numbers> out = compute_op(op, in);
    see(at, in, out);
    for (std::size_t o = 0; o != op.outputs.size(); ++o) blobs[op.outputs[o]] = out.at(o);
  }
}
inline void interpret_ops(std::vector<plait::op_spec> const& ops, number_map& blobs) {
  interpret_ops(ops, blobs, [](std::size_t, std::vector<numbers> const&, std::vector<numbers>&) {});
}

}  // namespace test
