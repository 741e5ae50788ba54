#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <plait/net/mutation.hpp>

#include <net/random_nets.hpp>
#include <net/test_nets.hpp>

namespace {

// Returns the n-th op as the hooks require it.
template <class N>
decltype(auto) op_at(N& n, std::size_t i) {
  return plait::op_list<N>(n)[i];
}

}  // namespace

TEST_CASE_TEMPLATE("mutation hooks: the mutable nets have every hook", N, PLAIT_MUTABLE_NETS) {
  CHECK((plait::renamable_net<N> && plait::renamable_externals<N> && plait::renamable_controls<N>));
  CHECK((plait::op_erasable_net<N> && plait::input_erasable_net<N> && plait::output_erasable_net<N>));
  CHECK((plait::external_extensible_net<N> && plait::extensible_net<N> && plait::adopting_net<N>));
  CHECK((plait::attributed_net<N> && plait::argument_mutable_net<N> && plait::retypable_net<N>));
  CHECK((plait::device_net<N> && plait::device_mutable_net<N> && plait::named_net<N>));
  CHECK(plait::nameable_net<N>);
  CHECK((plait::renamable_net<N&> && plait::renamable_net<N const&>));  // concepts ignore constness; the hooks do not
}

TEST_CASE_TEMPLATE("mutation hooks: the read-only nets lack them", N, ir::Function, test::dense_net,
                   test::temporary_net, test::archetype_net) {
  CHECK((!plait::extensible_net<N> && !plait::argument_mutable_net<N> && !plait::device_mutable_net<N>));
  CHECK(!plait::named_net<N>);
}
static_assert(!plait::renamable_net<ir::Function> && !plait::renamable_net<test::archetype_net>);
static_assert(!plait::renamable_net<test::temporary_net> && !plait::op_erasable_net<test::archetype_net>);
static_assert(!plait::nameable_net<ir::Function> && !plait::nameable_net<test::archetype_net>);

TEST_CASE_TEMPLATE("mutation hooks: random edits equal the same edits of the description", N, PLAIT_MUTABLE_NETS) {
  using traits = plait::net_traits<N>;
  std::mt19937 random(8);
  for (int round = 0; round != 200; ++round) {
    test::struct_net want = test::random_small_net(random);
    N n = test::make_net<N>(want);
    for (int edit = 0; edit != 12; ++edit) {
      std::string const text = "n" + std::to_string(random() % 5);
      std::size_t const op = want.ops.empty() ? 0 : random() % want.ops.size();
      auto const below = [&](auto const& list) { return random() % list.size(); };
      switch (random() % 10) {
        case 0:
          if (want.ops.empty() || want.ops[op].inputs.empty()) break;
          if (std::size_t const slot = below(want.ops[op].inputs); true) {
            traits::set_input(n, op_at(n, op), slot, plait::make_name(n, text));
            want.ops[op].inputs[slot] = text;
          }
          break;
        case 1:
          if (want.ops.empty() || want.ops[op].outputs.empty()) break;
          if (std::size_t const slot = below(want.ops[op].outputs); true) {
            traits::set_output(n, op_at(n, op), slot, plait::make_name(n, text));
            want.ops[op].outputs[slot] = text;
          }
          break;
        case 2:
          traits::append_op(n, plait::op_spec{"New", {text}, {text, "q"}});
          want.ops.push_back({"New", {text}, {text, "q"}});
          break;
        case 3:
          traits::insert_op(n, op, plait::op_spec{"Put", {}, {text}});
          want.ops.insert(want.ops.begin() + static_cast<std::ptrdiff_t>(op), {"Put", {}, {text}});
          break;
        case 4: {
          std::vector<std::uint32_t> gone;
          std::vector<plait::op_spec> kept;
          for (std::uint32_t i = 0; i != want.ops.size(); ++i)
            if (random() % 4 == 0)
              gone.push_back(i);
            else
              kept.push_back(want.ops[i]);
          traits::erase_ops(n, gone);
          want.ops = kept;
          break;
        }
        case 5:
          traits::add_external_input(n, plait::make_name(n, text));
          traits::add_external_output(n, plait::make_name(n, text));
          want.external_inputs.push_back(text);
          want.external_outputs.push_back(text);
          break;
        case 6:
          if (want.external_inputs.empty() || want.external_outputs.empty()) break;
          traits::set_external_input(n, 0, plait::make_name(n, text));
          traits::set_external_output(n, 0, plait::make_name(n, text));
          want.external_inputs[0] = text;
          want.external_outputs[0] = text;
          break;
        case 7:
          if (want.external_inputs.empty() || want.external_outputs.empty()) break;
          traits::erase_external_inputs(n, std::vector<std::uint32_t>{0});
          traits::erase_external_outputs(n, std::vector<std::uint32_t>{0});
          want.external_inputs.erase(want.external_inputs.begin());
          want.external_outputs.erase(want.external_outputs.begin());
          break;
        case 8:
          if (want.ops.empty()) break;
          traits::set_type(n, op_at(n, op), text);
          want.ops[op].type = text;
          break;
        case 9: {
          if (want.ops.empty()) break;
          std::optional<plait::device_spec> device;
          if (random() % 3 != 0) device = plait::device_spec{plait::device_kind::cuda, static_cast<int>(random() % 4)};
          traits::set_device(n, op_at(n, op), device);
          want.ops[op].device = device;
          break;
        }
      }
      REQUIRE(test::describe(n) == want);
    }
  }
}

TEST_CASE_TEMPLATE("mutation hooks: arguments are set, replaced, read by kind, erased", N, PLAIT_MUTABLE_NETS) {
  using traits = plait::net_traits<N>;
  N n = test::make_net<N>({{{"Concat", {"x"}, {"y"}, {{"axis", std::int64_t{1}}}}}});
  auto&& op = op_at(n, 0);
  CHECK(traits::int_argument(n, op, "axis") == 1);
  CHECK_FALSE(traits::string_argument(n, op, "axis").has_value());
  CHECK_FALSE(traits::int_argument(n, op, "order").has_value());
  traits::set_argument(n, op, plait::argument_spec{"order", std::string("NCHW")});
  CHECK(traits::string_argument(n, op, "order") == "NCHW");
  CHECK_FALSE(traits::int_argument(n, op, "order").has_value());
  traits::set_argument(n, op, plait::argument_spec{"axis", std::int64_t{-1}});
  CHECK(traits::int_argument(n, op, "axis") == -1);
  traits::erase_argument(n, op, "axis");
  traits::erase_argument(n, op, "no such argument");
  CHECK_FALSE(traits::int_argument(n, op, "axis").has_value());
  CHECK(traits::string_argument(n, op, "order") == "NCHW");
}

TEST_CASE_TEMPLATE("mutation hooks: make_name makes a name once", N, PLAIT_MUTABLE_NETS) {
  N n = test::make_net<N>({{{"Relu", {"x"}, {"y"}}}});
  auto const x = plait::make_name(n, "x");
  CHECK(x == *plait::inputs(n, op_at(n, 0)).begin());
  auto const fresh = plait::make_name(n, "fresh");
  CHECK(fresh == plait::make_name(n, "fresh"));
  CHECK(plait::name_text(n, fresh) == "fresh");
}

TEST_CASE_TEMPLATE("mutation hooks: adopt_op copies a whole op, in this net's names", N, PLAIT_MUTABLE_NETS) {
  using traits = plait::net_traits<N>;
  plait::op_spec const spec{
      "Relu", {"a", "b"}, {"c"}, {{"k", std::int64_t{3}}}, plait::device_spec{plait::device_kind::cuda, 1}};
  N const from = test::make_net<N>({{{"Other", {"z"}, {"a"}}, spec}});
  N n = test::make_net<N>({{{"Copy", {"b"}, {"x"}}}});
  std::size_t i = 0;
  for (auto&& op : plait::ops(from))
    if (i++ == 1) traits::adopt_op(n, from, op);
  test::struct_net const got = test::describe(n);
  REQUIRE(got.ops.size() == 2);
  CHECK(got.ops[1].inputs == spec.inputs);
  CHECK(got.ops[1].outputs == spec.outputs);
  CHECK(got.ops[1].device == spec.device);
  CHECK(traits::int_argument(n, op_at(n, 1), "k") == 3);
  CHECK(*plait::inputs(n, op_at(n, 0)).begin() == plait::inputs(n, op_at(n, 1))[1]);
}

TEST_CASE_TEMPLATE("op_list: reaches any op, also in a forward-only net", N, PLAIT_MUTABLE_NETS) {
  N n = test::make_net<N>({{{"A", {}, {}}, {"B", {}, {}}, {"C", {}, {}}}});
  plait::op_list<N> const ops(n);
  REQUIRE(ops.size() == 3);
  CHECK(plait::op_type(n, ops[2]) == "C");
  CHECK(plait::op_type(n, ops[0]) == "A");
  plait::net_traits<N>::set_type(n, ops[1], "D");
  CHECK(test::describe(n).ops[1].type == "D");
}

TEST_CASE_TEMPLATE("mutation hooks: net_name is set and read", N, PLAIT_MUTABLE_NETS) {
  N n = test::make_net<N>({});
  CHECK(plait::net_traits<N>::net_name(n) == std::string_view());
  plait::net_traits<N>::set_net_name(n, "predict");
  CHECK(plait::net_traits<N>::net_name(n) == std::string_view("predict"));
}
