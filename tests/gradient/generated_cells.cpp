// 200 generated cells: the compiler's gradient is that of the run-time net, to the bit, and has the properties that
// gradients have. The largest cells have more than 200 ops, within the compilers' default limits.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/operators/cell_pass.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/gradient_rules.hpp>
#include <plait/gradient/standard_rules.hpp>
#include <plait/gradient/static_cell.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/traits.hpp>
#include <support/cell_net.hpp>
#include <support/generated_cells.hpp>
#include <support/run_op.hpp>
#include <support/sample_numbers.hpp>

namespace {

using plait::serial;

// A cell and its gradient, as the compiler leaves them.
struct generated {
  plait::traced_net const* cell;
  plait::traced_net const* forward;
  plait::traced_net const* gradient;
  std::vector<std::size_t> saved;
};

template <std::uint32_t Seed>
generated make_case() {
  constexpr std::size_t ops = 3 + Seed % 7;
  using cell = plait::static_cell<test::generated_cell<Seed, ops>>;
  using gradient = plait::cell_gradient<cell>;
  auto const saved = gradient::saved();
  return {&cell::net(), &gradient::forward::net(), &gradient::net(), {saved.begin(), saved.end()}};
}

template <std::uint32_t First, std::uint32_t... I>
void add_cases(std::vector<generated>& to, std::integer_sequence<std::uint32_t, I...>) {
  (to.push_back(make_case<First + I>()), ...);
}

std::string with_prefix(std::string text, std::string const& prefix) {
  std::string made;
  for (std::size_t i = 0; i != text.size(); ++i) {
    made += text[i];
    bool const starts_name = i >= 6 && text[i] == '"' && text.compare(i - 5, 5, "put: ") == 0;
    if (starts_name) made += prefix;
  }
  return made;
}

// Runs the forward net and its gradient by the rules at run time, then the nets of the compiler, on two rows.
void check_case(generated const& made) {
  plait::gradient_rules static const rules = plait::gradient_rules::standard();
  plait::shape const dims = {2, 5};
  plait::shape const of_row = {2};
  plait::workspace<serial> blobs;
  auto const shape_of = [&](std::uint8_t axes) { return axes == plait::cell_rows ? of_row : dims; };
  auto const copy = [&](std::string const& from, std::string const& to, std::uint8_t axes) {
    blobs.feed(to, test::of<serial, float>(shape_of(axes), blobs.fetch<float>(from)));
  };
  for (std::size_t i = 0; i != 3; ++i)
    for (char const* const prefix : {"", "f", "g"})
      blobs.feed(prefix + ("x" + std::to_string(i)), test::of<serial, float>(dims, test::sample_numbers<float>(10, i)));

  // At run time.
  plait::netdef ops = plait::read_netdef_text(test::net_of_cell(*made.cell));
  std::vector<plait::gradient_seed> seeds;
  auto const name = [](plait::traced_net const& net, std::size_t v) {
    return (v < net.external_inputs().size() ? "x" : "v") + std::to_string(v);
  };
  for (std::size_t o = 0; o != 2; ++o) {
    std::string const seed = "dy" + std::to_string(o);
    blobs.feed(seed, test::of<serial, float>(dims, test::sample_numbers<float>(10, 17 + o)));
    seeds.emplace_back(name(*made.cell, made.cell->external_outputs()[o]), seed);
  }
  auto const gradients = plait::add_gradient_ops(ops, seeds, rules);
  plait::compile(ops, test::table<serial>(), blobs).run();

  // At compile time: the forward net with saved values, then the gradient.
  plait::compile(plait::read_netdef_text(with_prefix(test::net_of_cell(*made.forward), "f")), test::table<serial>(),
                 blobs)
      .run();
  std::size_t next = 3;
  auto const& net = *made.gradient;
  for (std::size_t const o : made.saved) {
    copy("f" + name(*made.forward, made.forward->external_outputs()[o]), "gx" + std::to_string(next),
         net.input_axes(next));
    ++next;
  }
  for (std::size_t o = 0; o != 2; ++o, ++next) copy("dy" + std::to_string(o), "gx" + std::to_string(next), 3);
  REQUIRE(next == net.external_inputs().size());
  plait::compile(plait::read_netdef_text(with_prefix(test::net_of_cell(net), "g")), test::table<serial>(), blobs).run();

  for (std::size_t o = 0; o != 2; ++o)
    CHECK(test::agree<serial>(blobs.fetch<float>(name(*made.cell, made.cell->external_outputs()[o])),
                              blobs.fetch<float>("f" + name(*made.forward, made.forward->external_outputs()[o]))));
  for (std::size_t i = 0; i != 3; ++i) {
    CAPTURE(i);
    std::string const of = "x" + std::to_string(i);
    std::uint16_t const result = net.external_outputs()[i];
    bool is_constant = false;
    for (plait::traced_op const& op : net.list())
      is_constant = is_constant || (op.output == result && op.info().kind == plait::cell_op_class::fill);
    if (is_constant || !gradients.contains(of)) continue;  // zero
    CHECK(
        test::agree<serial>(blobs.fetch<float>(gradients.at(of).values), blobs.fetch<float>("g" + name(net, result))));
  }
}

// Checks that the gradient is linear in the gradients of the results and has no dead or repeated op.
bool is_tidy(plait::traced_net const& net) {
  std::size_t const inputs = net.external_inputs().size();
  for (std::size_t i = 0; i != 3; ++i)
    if (plait::dependence(net, i, {inputs - 2, inputs - 1}) > plait::cell_dependence::linear) return false;
  plait::traced_code const code = net.code();
  return plait::detail::simplified_code(code).ops == code.ops;
}

template <std::uint32_t First>
void check_fifty() {
  std::vector<generated> cases;
  add_cases<First>(cases, std::make_integer_sequence<std::uint32_t, 50>());
  for (std::size_t i = 0; i != cases.size(); ++i) {
    CAPTURE(First + i);
    CHECK(is_tidy(*cases[i].gradient));
    check_case(cases[i]);
  }
}

TEST_CASE("static_cell: gradients of 200 generated cells are those of the run-time nets, to the bit") {
  check_fifty<0>();
  check_fifty<50>();
  check_fifty<100>();
  check_fifty<150>();
}

// Within the default limits of constexpr steps and of template depth.
constexpr auto large = plait::static_cell(test::generated_cell<7, 230>());
constexpr auto d_large = plait::gradient(large);
static_assert(large.net().ops().size() >= 200);
static_assert(d_large.net().ops().size() > 300);

// Compares the loop over a row with the ops of the cell.
template <class Cell>
void check_row() {
  plait::workspace<serial> blobs;
  std::vector<std::vector<float>> in;
  std::vector<std::vector<float>> out(Cell::output_count, std::vector<float>(5));
  plait::detail::cell_pass<Cell, float> pass{};
  pass.width = 5;
  for (std::size_t i = 0; i != Cell::input_count; ++i) in.push_back(test::sample_numbers<float>(5, i));
  for (std::size_t i = 0; i != Cell::input_count; ++i) {
    pass.in[i] = in[i].data();
    blobs.feed("x" + std::to_string(i), test::of<serial, float>({1, 5}, in[i]));
  }
  for (std::size_t o = 0; o != Cell::output_count; ++o) pass.out[o] = out[o].data();
  pass(0);
  plait::compile(plait::read_netdef_text(test::net_of_cell(Cell::net())), test::table<serial>(), blobs).run();
  for (std::size_t o = 0; o != Cell::output_count; ++o) {
    auto const expected = blobs.fetch<float>("v" + std::to_string(Cell::net().external_outputs()[o]));
    for (std::size_t i = 0; i != 5; ++i) CHECK(out[o][i] == doctest::Approx(expected[i]).epsilon(1e-3));
  }
}

TEST_CASE("static_cell: the loop of a generated cell computes what the ops compute") {
  check_row<plait::static_cell<test::generated_cell<3, 20>>>();
  check_row<plait::static_cell<test::generated_cell<11, 12>>>();
}

}  // namespace
