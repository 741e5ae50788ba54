// Differential test of random nets: gradients equal finite differences, or are refused since a value is overwritten.
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_writer.hpp>
#include <plait/netdef/net_builder.hpp>

#include <support/gradient_cases.hpp>

namespace {

using plait::net_builder;

// Random statements over the blobs b0 … b5, 2x2 each, some of them inputs; t is a table with rows of two elements.
class random_program {
 public:
  explicit random_program(std::uint32_t seed) : random_(seed) {}

  plait::netdef make(std::size_t ops) {
    net_builder n("random");
    for (char const* name : {"x", "w", "t", "rows", "i", "one", "times", "on", "more"}) n.external_input(name);
    n.op("Scale", {"x"}, {"b0"}, {{"scale", 0.5f}});
    n.op("Tanh", {"w"}, {"b1"});
    n.op("Sin", {"x"}, {"b2"});
    n.op("Gather", {"t", "rows"}, {"b3"});
    for (std::size_t k = 0; k != ops; ++k) statement(n, 2);
    n.op("Sum", {"b0", "b1", "b2", "b3"}, {"y"});
    return n.take();
  }

 private:
  std::size_t pick(std::size_t count) { return random_() % count; }
  // Returns a blob to read: one of b0 … b3, x or w.
  std::string read() { return pick(8) == 0 ? (pick(2) == 0 ? "x" : "w") : "b" + std::to_string(pick(4)); }
  std::string written() { return "b" + std::to_string(pick(4)); }

  void statement(net_builder& n, int depth) {
    switch (pick(depth > 0 ? 22 : 20)) {
      case 0:
      case 1:
        n.op("Add", {read(), read()}, {written()});
        return;
      case 2:
        n.op("Sub", {read(), read()}, {written()});
        return;
      case 3:
      case 4: {
        auto const out = written();
        auto a = read(), b = read();
        if (a == out || b == out) n.op("Copy", {out}, {out + "_old"});  // Mul has no gradient in place
        n.op("Mul", {a == out ? out + "_old" : a, b == out ? out + "_old" : b}, {"product"});
        n.op("Scale", {"product"}, {out}, {{"scale", 0.5f}});
        return;
      }
      case 5: {
        auto const b = written();
        n.op("Tanh", {b}, {b});
        return;
      }
      case 6: {
        auto const b = written();
        n.op("Sigmoid", {b}, {b});
        return;
      }
      case 7:
        n.op("Scale", {read()}, {written()}, {{"scale", -0.75f}});
        return;
      case 8:
        n.op("Tanh", {read()}, {written()});
        return;
      case 9: {
        auto const a = read(), out = written();
        n.op("Sigmoid", {a}, {out});
        return;
      }
      case 10: {
        auto const a = read();
        auto const out = written();
        n.op("Sum", {a, read(), a}, {"sum"});
        n.op("Scale", {"sum"}, {out}, {{"scale", 0.25f}});
        return;
      }
      case 11:
        n.op("MatMul", {read(), read()}, {"matrix"});
        n.op("Scale", {"matrix"}, {written()}, {{"scale", 0.25f}});
        return;
      case 12: {
        n.op_n("Split", {read()}, {"left", "right"}, {{"axis", std::int64_t{1}}});
        n.op_n("Concat", {"right", "left"}, {written(), "sizes"}, {{"axis", std::int64_t{1}}});
        return;
      }
      case 13:
        n.op("Gather", {"t", "rows"}, {written()});
        return;
      case 14:
        n.op("Mean", {read(), read()}, {"mean"});
        n.op("Add", {"mean", read()}, {written()});
        return;
      case 15:
        n.op("Sqr", {read()}, {"square"});
        n.op("Scale", {"square"}, {written()}, {{"scale", 0.25f}});
        return;
      case 16:
        n.op("Negative", {read()}, {written()});
        return;
      case 17:
        n.op("Copy", {read()}, {"copied"});
        n.op("Sin", {"copied"}, {written()});
        return;
      case 18: {
        auto const b = read();
        n.op("Scale", {b}, {b}, {{"scale", 0.5f}});  // may overwrite an input of the net
        return;
      }
      case 19:
        n.op("Transpose", {read()}, {"turned"});
        n.op("Add", {"turned", read()}, {written()});
        return;
      case 20:
        if (pick(2) == 0)
          n.if_(
              "on", [&](net_builder& b) { block(b, depth - 1); }, [&](net_builder& b) { block(b, depth - 1); });
        else
          n.if_("on", [&](net_builder& b) { block(b, depth - 1); });
        return;
      default:
        n.op("Sub", {"i", "i"}, {"i"});
        n.while_(
            "more",
            [&](net_builder& c) {
              c.op("LT", {"i", "times"}, {"more"});
            },
            [&](net_builder& b) {
              block(b, 0);
              b.op("Add", {"i", "one"}, {"i"});
            });
    }
  }
  void block(net_builder& n, int depth) {
    for (std::size_t k = 0, count = 1 + pick(3); k != count; ++k) statement(n, depth);
  }

  std::mt19937 random_;
};

plait::workspace<plait::serial> inputs(std::uint32_t seed) {
  plait::workspace<plait::serial> blobs;
  auto const number = [](double value) { return test::doubles({value}, {1}); };
  blobs.feed("x", test::random_tensor({2, 2}, seed));
  blobs.feed("w", test::random_tensor({2, 2}, seed + 1));
  blobs.feed("t", test::random_tensor({3, 2}, seed + 2));
  blobs.feed("rows", test::int32s({2, 0}, {2}));
  blobs.feed("i", number(0));
  blobs.feed("one", number(1));
  blobs.feed("times", number(static_cast<double>(seed % 4)));
  blobs.feed("on", test::tensor64::from(std::vector<bool>{seed % 2 == 0}, {1}));
  blobs.feed("more", test::tensor64::from(std::vector<bool>{true}, {1}));
  return blobs;
}

// Counts the writes of a blob.
std::size_t writes(plait::netdef const& n, std::string_view blob) {
  std::size_t count = 0;
  for (plait::op_def const& op : n.op)
    for (plait::symbol const out : op.output) count += n.text(out) == blob;
  return count;
}

struct tally {
  std::size_t checked = 0;
  std::size_t refused = 0;
};

void check(std::uint32_t seed, std::size_t ops, plait::overwritten_values how, tally& count) {
  plait::netdef const net = random_program(seed).make(ops);
  CAPTURE(seed);
  try {
    auto const found = plait::check_gradient(
        net, {"y"}, {"x", "w", "t"}, inputs(seed),
        {.gradients = {.overwritten = how, .mixed = plait::mixed_gradients::densify}, .tolerance = 1e-5});
    CAPTURE(found.text());
    CAPTURE(plait::to_text(net));
    CHECK(found.ok());
    ++count.checked;
  } catch (plait::gradient_error const& e) {
    CAPTURE(std::string(e.what()));
    CAPTURE(plait::to_text(net));
    REQUIRE(!e.problems.empty());
    for (plait::gradient_problem const& p : e.problems) {
      REQUIRE(p.needed.has_value());
      REQUIRE(p.present.has_value());
      CHECK(*p.needed < *p.present);
      if (p.text.find("Do)") == std::string::npos) CHECK(p.writers.size() >= writes(net, p.blob));
      CHECK(*p.present == p.writers.size());
    }
    ++count.refused;
    CHECK(how != plait::overwritten_values::copy);  // a copy is always possible
  }
}

TEST_CASE("check_gradient on random nets: overwritten values are refused") {
  tally count;
  for (std::uint32_t seed = 0; seed != 400; ++seed) check(seed, 50, plait::overwritten_values::refuse, count);
  for (std::uint32_t seed = 400; seed != 1200; ++seed) check(seed, 4, plait::overwritten_values::refuse, count);
  CHECK(count.checked > 100);
  CHECK(count.refused > 100);
}

TEST_CASE("check_gradient on random nets: overwritten values are copied") {
  tally count;
  for (std::uint32_t seed = 0; seed != 150; ++seed) check(seed, 50, plait::overwritten_values::copy, count);
  for (std::uint32_t seed = 2000; seed != 2500; ++seed) check(seed, 8, plait::overwritten_values::copy, count);
  check(29591, 12, plait::overwritten_values::copy, count);  // large curvature: plain differences are off by 3e-5
  CHECK(count.checked == 651);
}

TEST_CASE("check_gradient on random nets: overwritten values are recomputed") {
  tally count;
  for (std::uint32_t seed = 3000; seed != 3400; ++seed) check(seed, 12, plait::overwritten_values::recompute, count);
  CHECK(count.checked > 100);
}

}  // namespace
