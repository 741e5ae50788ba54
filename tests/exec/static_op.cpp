#include <plait/exec/static_cells.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/check_gradient.hpp>
#include <plait/exec/detail/kernels/convert.hpp>
#include <plait/exec/operators.hpp>
#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/gradient_rules.hpp>
#include <support/cell_net.hpp>
#include <support/run_op.hpp>
#include <support/same_bits.hpp>
#include <support/sample_numbers.hpp>

namespace {

constexpr auto lstm = plait::static_cell([](auto i, auto f, auto o, auto g, auto c) {
  auto next = sigmoid(f) * c + sigmoid(i) * tanh(g);
  return plait::cell_results{sigmoid(o) * tanh(next), next};
});
constexpr auto clipped = plait::static_cell([](auto x, auto y) {
  auto larger = select(x > y && !(x < -1.5), x, 0.5 * y);
  return log1p(abs(larger)) + max(x, y) / (2 + square(y)) - clip(x, -1, 1);
});
// Reductions, and an input of each kind.
constexpr auto normalised =
    plait::static_cell([](auto x, plait::per_row weight, plait::per_column scale, plait::scalar share) {
      auto centred = x - mean(x);
      auto normal = centred * rsqrt(mean(square(centred)) + 0.0009765625) * scale;
      return plait::cell_results{normal + exp(x - max(x)) * share, sum(x * weight)};
    });

template <class B>
plait::operators<B> const& table() {
  static plait::operators<B> const made = [] {
    plait::operators<B> operators = plait::standard_operators<B>();
    operators.add(plait::static_op<lstm>);  // the op types lstm and lstmGradient
    operators.add(plait::static_op<clipped>.named("Clipped"));
    return operators.add(plait::static_op<normalised>);
  }();
  return made;
}
plait::gradient_rules const& rules() {
  static plait::gradient_rules const made = [] {
    plait::gradient_rules rules = plait::gradient_rules::standard();
    rules.add(plait::static_op<lstm>).add(plait::static_op<clipped>.named("Clipped"));
    return rules.add(plait::static_op<normalised>);
  }();
  return made;
}

template <class Cell>
std::string cell_op(std::string const& type) {
  std::string text = "op { type: \"" + type + "\" ";
  for (std::size_t i = 0; i != Cell::input_count; ++i) text += "input: \"x" + std::to_string(i) + "\" ";
  for (std::size_t o = 0; o != Cell::output_count; ++o) text += "output: \"y" + std::to_string(o) + "\" ";
  return text + "}";
}

// Runs a cell as one op and as the net of its ops, forward and backward, and compares the bits.
template <class B, class T, class Cell>
void compare(plait::cell_op_type<Cell> const& type, std::int64_t rows, std::int64_t columns) {
  CAPTURE(std::string(type.name()));
  CAPTURE(rows);
  CAPTURE(columns);
  plait::workspace<B> blobs;
  auto const feed = [&](std::string const& name, std::uint8_t axes, std::size_t seed) {
    plait::shape dims;
    if ((axes & plait::cell_rows) != 0) dims.push_back(rows);
    if ((axes & plait::cell_columns) != 0) dims.push_back(columns);
    if (dims.rank() == 0) dims.push_back(1);
    blobs.feed(name, test::of<B, T>(dims, test::sample_numbers<T>(static_cast<std::size_t>(dims.size()), seed)));
  };
  plait::traced_net const& cell = Cell::net();
  plait::netdef fused = plait::read_netdef_text(cell_op<Cell>(std::string(type.name())));
  plait::netdef ops = plait::read_netdef_text(test::net_of_cell(cell));
  std::vector<plait::gradient_seed> of_fused;
  std::vector<plait::gradient_seed> of_ops;
  for (std::size_t i = 0; i != Cell::input_count; ++i) feed("x" + std::to_string(i), cell.input_axes(i), i);
  for (std::size_t o = 0; o != Cell::output_count; ++o) {
    std::string const seed = "dy" + std::to_string(o);
    feed(seed, cell.output_axes(o), 17 + o);
    of_fused.emplace_back("y" + std::to_string(o), seed);
    of_ops.emplace_back("v" + std::to_string(cell.external_outputs()[o]), seed);
  }
  auto const fused_gradients = plait::add_gradient_ops(fused, of_fused, rules());
  auto const gradients = plait::add_gradient_ops(ops, of_ops, rules());
  plait::compile(fused, table<B>(), blobs).run();
  std::vector<std::vector<T>> results;
  for (std::size_t o = 0; o != Cell::output_count; ++o)
    results.push_back(blobs.template fetch<T>("y" + std::to_string(o)));
  for (std::size_t i = 0; i != Cell::input_count; ++i)
    results.push_back(blobs.template fetch<T>(fused_gradients.at("x" + std::to_string(i)).values));
  plait::compile(ops, table<B>(), blobs).run();
  auto result = results.begin();
  for (std::size_t o = 0; o != Cell::output_count; ++o)
    CHECK(
        test::have_same_bits<B>(*result++, blobs.template fetch<T>("v" + std::to_string(cell.external_outputs()[o]))));
  for (std::size_t i = 0; i != Cell::input_count; ++i) {
    CAPTURE(i);
    // The gradient of a number is summed over rows, then over their sums; that of the ops is one sum.
    bool const exact = cell.input_axes(i) != plait::cell_constant;
    CHECK(test::have_same_bits<B>(*result++, blobs.template fetch<T>(gradients.at("x" + std::to_string(i)).values),
                                  exact));
  }
}

TEST_CASE("static_op: has the bits of the ops of the cell in a net, forward and backward") {
  auto const compare_all = [](auto element, std::int64_t rows, std::int64_t columns) {
    using T = decltype(element);
    compare<plait::serial, T>(plait::static_op<lstm>, rows, columns);
    compare<plait::serial, T>(plait::static_op<clipped>.named("Clipped"), rows, columns);
    compare<plait::serial, T>(plait::static_op<normalised>, rows, columns);
  };
  compare_all(float(), 3, 100);
  compare_all(float(), 40, 7);
  compare_all(double(), 5, 33);
}

TEST_CASE_TEMPLATE("static_op: 16-bit operands are computed in float", T, plait::float16, plait::bfloat16) {
  using cell = std::remove_const_t<decltype(normalised)>;
  constexpr std::size_t rows = 3;
  constexpr std::size_t columns = 5;
  std::array<std::vector<T>, 4> narrow;
  std::array<std::vector<float>, 4> wide;
  for (std::size_t i = 0; i != 4; ++i)
    for (float const x : test::sample_numbers<float>(rows * columns, i)) {
      narrow[i].push_back(plait::convert<T>(x));
      wide[i].push_back(plait::convert<float>(narrow[i].back()));
    }
  std::array<std::vector<T>, 2> got = {std::vector<T>(rows * columns), std::vector<T>(rows)};
  std::array<std::vector<float>, 2> wanted = {std::vector<float>(rows * columns), std::vector<float>(rows)};
  plait::detail::cell_pass<cell, float, plait::detail::cell_rounding::of_ops, T> pass{};
  plait::detail::cell_pass<cell, float> in_float{};
  pass.width = in_float.width = columns;
  for (std::size_t i = 0; i != 4; ++i) {
    pass.in[i] = narrow[i].data();
    in_float.in[i] = wide[i].data();
  }
  for (std::size_t o = 0; o != 2; ++o) {
    pass.out[o] = got[o].data();
    in_float.out[o] = wanted[o].data();
  }
  plait::detail::run_cell<plait::serial>(rows, pass);
  plait::detail::run_cell<plait::serial>(rows, in_float);
  for (std::size_t o = 0; o != 2; ++o) {
    std::vector<T> rounded;
    for (float const x : wanted[o]) rounded.push_back(plait::convert<T>(x));
    CHECK(got[o] == rounded);
  }
}

TEST_CASE("static_op: is named after the variable unless it gets a name") {
  CHECK(plait::static_op<lstm>.name() == "lstm");
  CHECK(table<plait::serial>().find("lstm") != nullptr);
  CHECK(table<plait::serial>().find("lstmGradient") != nullptr);
  CHECK(table<plait::serial>().find("Clipped") != nullptr);
  CHECK(table<plait::serial>().find("clipped") == nullptr);
}

TEST_CASE("static_op: gradients agree with differences in double") {
  using B = plait::serial;
  auto const check = [&]<class Cell>(plait::cell_op_type<Cell> const& type, std::vector<plait::shape> const& dims) {
    CAPTURE(std::string(type.name()));
    std::string text = cell_op<Cell>(std::string(type.name()));
    text += "op { type: \"SumElements\" input: \"y0\" output: \"loss\" }";
    plait::workspace<B> blobs;
    std::vector<std::string> names;
    for (std::size_t i = 0; i != dims.size(); ++i) {
      names.push_back("x" + std::to_string(i));
      blobs.feed(names.back(), test::of<B, double>(
                                   dims[i], test::sample_numbers<double>(static_cast<std::size_t>(dims[i].size()), i)));
    }
    auto const report =
        plait::check_gradient(plait::read_netdef_text(text), {"loss"}, names, blobs, rules(), table<B>());
    CAPTURE(report.text());
    CHECK(report.ok());
  };
  check(plait::static_op<lstm>, std::vector<plait::shape>(5, {2, 3}));
  check(plait::static_op<clipped>.named("Clipped"), std::vector<plait::shape>(2, {2, 3}));
  check(plait::static_op<normalised>, {{2, 5}, {2}, {5}, {1}});
}

}  // namespace
