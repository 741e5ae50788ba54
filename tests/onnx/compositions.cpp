// ONNX operators that are compositions of others: what ONNX's own tests do not cover.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/core/errors.hpp>
#include <plait/interop/onnx/read.hpp>

#include <support/onnx_nodes.hpp>
#include <support/onnx_runs.hpp>

namespace {

using namespace onnx_nodes;
using plait::onnx_type;
using plait::tensor_value;

tensor_value floats(numbers dims, std::vector<float> elements) { return {std::move(dims), std::move(elements)}; }
tensor_value doubles(std::vector<double> elements) {
  auto const count = static_cast<std::int64_t>(elements.size());
  return {{count}, std::move(elements)};
}
tensor_value wide(numbers dims, numbers elements) { return {std::move(dims), std::move(elements)}; }
tensor_value zeros(numbers dims) {
  auto const count = *plait::element_count(dims);
  return {std::move(dims), std::vector<float>(count)};
}

std::vector<tensor_value> outputs_of(row const& node, std::vector<tensor_value> const& given) {
  plait::onnx_net const net = plait::read_onnx(model_of(node));
  REQUIRE(net.inputs.size() == given.size());
  plait::workspace<plait::serial> blobs;
  plait::feed(blobs, net.parameters);
  for (std::size_t i = 0; i != given.size(); ++i) blobs.feed(net.inputs[i], plait::to_tensor<plait::serial>(given[i]));
  auto plan = plait::compile(net.net, plait::standard_operators<plait::serial>(), blobs, {.fetch = net.outputs});
  plan.run();
  std::vector<tensor_value> made;
  for (std::string const& name : net.outputs) made.push_back(plait::to_value(blobs.view(name)));
  return made;
}
/// Returns the message for which a run is refused, empty if it is not.
std::string refusal_of_run(row const& node, std::vector<tensor_value> const& given) {
  try {
    static_cast<void>(outputs_of(node, given));
    return {};
  } catch (plait::exec_error const& e) {
    return e.what();
  }
}
std::string refusal(row const& node) {
  try {
    static_cast<void>(plait::read_onnx(model_of(node)));
    return {};
  } catch (plait::onnx_error const& e) {
    return e.problems.at(0).reason;
  }
}
bool says(std::string const& message, char const* part) { return message.find(part) != std::string::npos; }

auto const i64 = onnx_type::int64;

TEST_CASE("ONNX losses: labels that are no classes are refused, but for ignore_index") {
  row loss{"NegativeLogLikelihoodLoss", {f({-1, 3}), of(i64, {-1})}, {text("reduction", "none")}, ""};
  tensor_value const logs = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(outputs_of(loss, {logs, wide({2}, {2, 0})})[0] == floats({2}, {-3, -4}));
  CHECK(refusal_of_run(loss, {logs, wide({2}, {2, 3})}) != "");
  CHECK(refusal_of_run(loss, {logs, wide({2}, {-1, 0})}) != "");
  CHECK(refusal_of_run(loss, {logs, wide({1}, {2})}) != "");
  loss.attributes.push_back(flag("ignore_index", -1));
  CHECK(outputs_of(loss, {logs, wide({2}, {-1, 0})})[0] == floats({2}, {0, -4}));
  float const infinity = std::numeric_limits<float>::infinity();
  CHECK(outputs_of(loss, {floats({2, 3}, {infinity, std::nanf(""), 3, 4, 5, 6}), wide({2}, {-1, 0})})[0] ==
        floats({2}, {0, -4}));

  CHECK(says(refusal({"NegativeLogLikelihoodLoss", {f({2, 3, 4}), of(i64, {2, 5})}, {}, ""}), "a label for each"));
  CHECK(says(refusal({"NegativeLogLikelihoodLoss", {f({2, 3}), of(i64, {2}), f({2})}, {}, ""}), "a weight for each"));
  CHECK(says(refusal({"SoftmaxCrossEntropyLoss", {f({2, 3}), of(i64, {2})}, {text("reduction", "max")}, ""}),
             "none, sum or mean"));
  CHECK(says(refusal({"SoftmaxCrossEntropyLoss", {f({2}), of(i64, {2})}, {}, ""}), "at least 2 axes"));
}

TEST_CASE("ONNX LRN: a window of two channels has the one after each") {
  auto const y =
      outputs_of({"LRN", {f({1, 3, 1, 1})}, {flag("size", 2)}, ""}, {floats({1, 3, 1, 1}, {200, 400, 600})})[0];
  auto const& made = std::get<std::vector<float>>(y.data);
  REQUIRE(made.size() == 3);
  CHECK(made[0] == doctest::Approx(200 / std::pow(1 + 5e-5 * (4e4 + 16e4), 0.75)));
  CHECK(made[1] == doctest::Approx(400 / std::pow(1 + 5e-5 * (16e4 + 36e4), 0.75)));
  CHECK(made[2] == doctest::Approx(600 / std::pow(1 + 5e-5 * 36e4, 0.75)));
}

TEST_CASE("ONNX normalisations: operands that do not fit are refused") {
  CHECK(says(refusal({"GroupNormalization", {f({1, 6, 2}), f({6}), f({6})}, {flag("num_groups", 4)}, "", 21}),
             "6 channels in 4 groups"));
  CHECK(says(refusal({"GroupNormalization", {f({1, 6, 2}), f({2}), f({6})}, {flag("num_groups", 2)}, "", 21}),
             "a number for each channel"));
  CHECK(says(refusal({"GroupNormalization", {f({1, 6, 2}), f({6}), f({6})}, {flag("num_groups", 2)}, "", 18}),
             "a number for each group"));
  CHECK(says(refusal({"InstanceNormalization", {f({1, 3, 2}), f({2}), f({3})}, {}, ""}), "a number for each channel"));
  CHECK(says(refusal({"RMSNormalization", {f({2, 3}), f({4, 2, 3})}, {}, "", 23}), "does not broadcast to"));
  row const rms{"RMSNormalization", {any_shape(), any_shape()}, {}, "", 23};
  CHECK(refusal_of_run(rms, {zeros({2, 3}), zeros({3})}) == "");
  CHECK(refusal_of_run(rms, {zeros({1, 3}), zeros({2, 3})}) != "");
  CHECK(says(refusal({"LRN", {f({1, 4, 2, 2})}, {flag("size", 0)}, ""}), "must be at least 1"));
  row const l1{"LpNormalization", {f({2, 2})}, {flag("p", 1)}, ""};
  CHECK(outputs_of(l1, {floats({2, 2}, {0, 0, -1, 3})})[0] == floats({2, 2}, {0, 0, -0.25f, 0.75f}));
}

TEST_CASE("ONNX attention: heads and masks that do not fit are refused") {
  auto const heads = [](std::int64_t q, std::int64_t k) {
    return row{"Attention", {f({1, q, 2, 4}), f({1, k, 3, 4}), f({1, k, 3, 4})}, {}, "", 23};
  };
  CHECK(refusal(heads(6, 2)) == "");
  CHECK(says(refusal(heads(3, 2)), "3 heads of queries for 2 of keys"));
  row flat{"Attention", {f({1, 2, 9}), f({1, 3, 8}), f({1, 3, 8})}, {}, "", 23};
  CHECK(says(refusal(flat), "q_num_heads must be at least 1"));
  flat.attributes = {flag("q_num_heads", 2), flag("kv_num_heads", 2)};
  CHECK(says(refusal(flat), "2 heads of one size"));
  row masked = heads(2, 2);
  masked.inputs.push_back(of(i64, {2, 3}));
  CHECK(refusal(masked) != "");
  // A query that attends no key.
  masked.inputs[3] = of(onnx_type::boolean, {2, 3});
  std::vector<tensor_value> given{zeros({1, 2, 2, 4}), zeros({1, 2, 3, 4}), zeros({1, 2, 3, 4})};
  for (float& each : std::get<std::vector<float>>(given[2].data)) each = 3;
  given.push_back({{2, 3}, std::vector<bool>{false, false, false, true, false, true}});
  auto const made = std::get<std::vector<float>>(outputs_of(masked, given)[0].data);
  for (std::size_t k = 0; k != made.size(); ++k) CHECK(made[k] == (k / 4 % 2 == 0 ? 0.0f : 3.0f));
}

TEST_CASE("ONNX inverse hyperbolic functions: small and large numbers keep their digits") {
  auto const check = [](char const* type, double (*function)(double), std::vector<double> const& places) {
    CAPTURE(type);
    row const node{type, {of(onnx_type::float64, {-1})}, {}, "", 22};
    auto const made = std::get<std::vector<double>>(outputs_of(node, {doubles(places)})[0].data);
    for (std::size_t k = 0; k != places.size(); ++k) {
      CAPTURE(places[k]);
      double const wanted = function(places[k]);
      if (std::isnan(wanted))
        CHECK(std::isnan(made[k]));
      else if (std::isinf(wanted) || wanted == 0)
        CHECK(made[k] == wanted);
      else
        CHECK(std::abs(made[k] / wanted - 1) < 1e-12);
    }
  };
  double const infinity = std::numeric_limits<double>::infinity();
  check("Asinh", [](double x) { return std::asinh(x); },
        {0, 1e-300, -1e-9, 0.009, 0.011, -0.5, 3, 1e8, -2e9, 1e300, infinity, -infinity, std::nan("")});
  check("Acosh", [](double x) { return std::acosh(x); }, {1, 1 + 1e-12, 1.5, 1e9, 1e300, infinity, 0.5, -2});
  check("Atanh", [](double x) { return std::atanh(x); }, {0, 1e-300, -1e-9, 0.3, -0.999999, 1, -1, 1.5});
}

TEST_CASE("ONNX Pow: a constant exponent of 2 squares, unless it adds axes") {
  auto const f64 = onnx_type::float64;
  auto const squares = [](row const& each) {
    plait::netdef const net = plait::read_onnx(model_of(each)).net;
    return plait::op_type(net, net.op.back()) == "Sqr";
  };
  row const pow{"Pow", {of(f64, {2, 3}), real_one(2)}, {}, ""};
  CHECK(squares(pow));
  CHECK_FALSE(squares({"Pow", {of(f64, {2, 3}), real_one(3)}, {}, ""}));
  CHECK_FALSE(squares({"Pow", {of(f64, {2, 3}), of(f64, {})}, {}, ""}));
  CHECK_FALSE(squares({"Pow", {of(f64, {}), {f64, numbers{1}, numbers{0}, {2}}}, {}, ""}));
  CHECK_FALSE(squares({"Pow", {any_shape(f64), real_one(2)}, {}, ""}));
  auto const made = outputs_of(pow, {{{2, 3}, std::vector<double>{-3, 0.1, 0, 1e200, -0.0, 7}}})[0];
  CHECK(made ==
        tensor_value{{2, 3}, std::vector<double>{9, 0.1 * 0.1, 0, std::numeric_limits<double>::infinity(), 0, 49}});
}

TEST_CASE("ONNX Pow: integers wrap, and exponents that are negative or above 63 are refused") {
  row const pow{"Pow", {of(onnx_type::int32, {-1}), of(i64, {-1})}, {}, "", 15};
  auto const narrow_value = [](std::vector<std::int32_t> elements) {
    auto const count = static_cast<std::int64_t>(elements.size());
    return tensor_value{{count}, std::move(elements)};
  };
  CHECK(outputs_of(pow, {narrow_value({-3, 2, 0, 3}), wide({4}, {3, 31, 0, 63})})[0] ==
        narrow_value({-27, INT32_MIN, 1, 2111105451}));
  CHECK(refusal_of_run(pow, {narrow_value({2}), wide({1}, {64})}) != "");
  CHECK(refusal_of_run(pow, {narrow_value({2}), wide({1}, {-1})}) != "");
}

TEST_CASE("ONNX masks: NonZero and Compress of tensors without elements, and places beyond the axis") {
  CHECK(outputs_of({"NonZero", {f({0, 2})}, {}, ""}, {zeros({0, 2})})[0] == wide({2, 0}, {}));
  CHECK(outputs_of({"NonZero", {f({2, 0})}, {}, ""}, {zeros({2, 0})})[0] == wide({2, 0}, {}));
  row const compress{"Compress", {f({2}), of(onnx_type::boolean, {-1})}, {flag("axis", 0)}, ""};
  tensor_value const some{{3}, std::vector<bool>{false, true, false}};
  CHECK(outputs_of(compress, {floats({2}, {1, 2}), some})[0] == floats({1}, {2}));
  tensor_value const beyond{{3}, std::vector<bool>{false, true, true}};
  CHECK(refusal_of_run(compress, {floats({2}, {1, 2}), beyond}) != "");
}

TEST_CASE("ONNX at run time: repeats of Tile, and chunks of Split, of unknown extents") {
  row const tile{"Tile", {f({-1, -1}), of(i64, {-1})}, {}, ""};
  CHECK(outputs_of(tile, {floats({1, 2}, {1, 2}), wide({2}, {2, 2})})[0] == floats({2, 4}, {1, 2, 1, 2, 1, 2, 1, 2}));
  CHECK(outputs_of(tile, {floats({1, 2}, {1, 2}), wide({2}, {1, 0})})[0] == floats({1, 0}, {}));
  CHECK(refusal_of_run(tile, {zeros({1, 2}), wide({1}, {2})}) != "");
  CHECK(refusal_of_run(tile, {zeros({1, 2}), wide({2}, {-1, 2})}) != "");
  row const split{"Split", {f({-1})}, {flag("num_outputs", 3)}, "", 18, 3};
  auto const parts = outputs_of(split, {floats({5}, {1, 2, 3, 4, 5})});
  CHECK(parts[0] == floats({2}, {1, 2}));
  CHECK(parts[2] == floats({1}, {5}));
  CHECK(refusal_of_run(split, {zeros({1})}) != "");
}

}  // namespace
