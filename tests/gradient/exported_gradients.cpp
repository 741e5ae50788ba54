#include <plait/gradient/detail/exported_gradients.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include <net/test_nets.hpp>
#include <support/op_lines.hpp>

#include <plait/gradient/detail/backward_problems.hpp>
#include <plait/gradient/detail/forward_net.hpp>
#include <plait/gradient/detail/gradient_tape.hpp>
#include <plait/gradient/detail/op_rules.hpp>
#include <plait/gradient/detail/wanted_gradients.hpp>
#include <plait/gradient/gradient_rules.hpp>

using net = test::edit_net;

namespace {

// Op 0 overwrites x; op 1 reads it.
struct exporting {
  net n = test::net_of<net>({"A: x -> x", "B: x -> y"});
  plait::gradient_rules rules;
  plait::gradient_options options;
  plait::gradient_tape tape;
  plait::forward_net<net> forward{n};
  plait::op_rules<net> rule_of{forward, rules};
  plait::wanted_gradients<net> wanted{forward, rule_of, options};
  plait::backward_problems<net> problems{forward};
  plait::exported_gradients<net> exported{forward, wanted};

  explicit exporting(std::vector<std::string> only = {}) {
    options.only = std::move(only);
    forward.compute(tape, true);
    rule_of.find_all();
    wanted.mark(problems);
    exported.reset();
  }
  plait::value version(std::string const& blob, std::uint32_t k) const {
    plait::blob_index const b = forward.find(blob);
    return {b, forward.form().first_version(b) + k};
  }
  std::vector<std::string> shown() const {
    std::vector<std::string> made;
    exported.for_each([&](plait::blob_index b, plait::gradient_operands) { made.push_back(forward.text(b)); });
    return made;
  }
};

}  // namespace

TEST_CASE_FIXTURE(exporting, "exported_gradients: keeps the last gradient set until an op in place removes it") {
  CHECK(shown().empty());
  auto const late = version("x", 1);
  plait::gradient_operands const g{tape.make_value("late"), {}};
  exported.set(late, g);
  CHECK(exported.contains(late.blob));
  CHECK(exported.version(late.blob) == late.version);
  CHECK(!exported.is_stale(late));
  CHECK(exported.is_stale(version("x", 0)));
  exported.hide_overwritten(1);  // writes y, which it does not read
  CHECK(shown() == std::vector<std::string>{"x"});
  exported.hide_overwritten(0);
  CHECK(shown().empty());
  CHECK(!exported.is_stale(version("x", 0)));
}

TEST_CASE("exported_gradients: visits requested gradients only, with their indices") {
  exporting p({"y"});
  plait::gradient_operands const rows{p.tape.make_value("rows"), p.tape.make_value("indices")};
  p.exported.set(p.version("x", 0), {p.tape.make_value("g"), {}});
  p.exported.set(p.version("y", 0), rows);
  CHECK(p.shown() == std::vector<std::string>{"y"});
  p.exported.for_each([&](plait::blob_index, plait::gradient_operands& g) {
    CHECK(g.values == rows.values);
    CHECK(g.indices == rows.indices);
    g.indices = rows.values;  // as needed_values does when it replaces them
  });
  p.exported.for_each([&](plait::blob_index, plait::gradient_operands g) { CHECK(g.indices == rows.values); });
}
