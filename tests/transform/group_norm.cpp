#include <plait/transform/detail/group_norm.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <net/test_nets.hpp>

using plait::argument_spec;
using test::struct_net;

namespace {

plait::op_spec aten(std::vector<argument_spec> arguments) {
  return {"ATen", {"x", "g", "b"}, {"y"}, std::move(arguments)};
}
argument_spec const group_norm{"operator", "group_norm"};

// Returns the arguments of the op at `index`, of those that this test uses.
template <class N>
std::vector<argument_spec> arguments(N const& n, std::size_t index) {
  std::vector<argument_spec> found;
  std::size_t at = 0;
  for (auto&& op : plait::ops(n))
    if (at++ == index)
      for (std::string key : {"operator", "num_groups", "group", "cudnn_enabled", "epsilon"})
        if (auto value = plait::net_traits<N>::argument(n, op, key)) found.push_back({key, *value});
  return found;
}

}  // namespace

TEST_CASE_TEMPLATE("replace_group_norm: replaces group norms and nothing else", N, PLAIT_MUTABLE_NETS) {
  N n = test::make_net<N>(
      {{aten({group_norm, {"num_groups", std::int64_t{2}}, {"cudnn_enabled", std::int64_t{1}}, {"epsilon", 1e-3F}}),
        aten({{"operator", "relu"}, {"num_groups", std::int64_t{2}}}),
        aten({group_norm,
              {"group", std::int64_t{4}},
              {"num_groups", std::int64_t{4}},
              {"cudnn_enabled", std::int64_t{0}}}),
        aten({group_norm}),
        aten({}),
        {"Other", {"x"}, {"z"}, {group_norm}}},
       {"x", "g", "b"},
       {"y"}});
  CHECK(plait::replace_group_norm(n) == std::vector<plait::op_index>{0, 2, 3});
  std::vector<std::string> types;
  for (auto const& op : test::describe(n).ops) types.push_back(op.type);
  CHECK(types == std::vector<std::string>{"GroupNorm", "ATen", "GroupNorm", "GroupNorm", "ATen", "Other"});
  CHECK(arguments(n, 0) == std::vector<argument_spec>{{"group", std::int64_t{2}}, {"epsilon", 1e-3F}});
  CHECK(arguments(n, 1) == std::vector<argument_spec>{{"operator", "relu"}, {"num_groups", std::int64_t{2}}});
  CHECK(arguments(n, 2) == std::vector<argument_spec>{{"group", std::int64_t{4}}, {"cudnn_enabled", std::int64_t{0}}});
  CHECK(arguments(n, 3).empty());
  CHECK(arguments(n, 5) == std::vector<argument_spec>{group_norm});
  CHECK(plait::replace_group_norm(n).empty());
}

TEST_CASE_TEMPLATE("replace_group_norm: refuses another argument group before the first change", N,
                   PLAIT_MUTABLE_NETS) {
  N n = test::make_net<N>({{aten({group_norm, {"num_groups", std::int64_t{2}}}),
                            aten({group_norm, {"num_groups", std::int64_t{2}}, {"group", std::int64_t{3}}})},
                           {"x", "g", "b"},
                           {"y"}});
  try {
    plait::replace_group_norm(n);
    FAIL("accepted");
  } catch (plait::net_error const& refused) {
    CHECK(refused.op == 1);
    CHECK(std::string(refused.what()) == "plait: argument 'group' of op 1 (ATen) is 3 already and cannot be set to 2");
  }
  CHECK(arguments(n, 0) == std::vector<argument_spec>{group_norm, {"num_groups", std::int64_t{2}}});
  CHECK(test::describe(n).ops[0].type == "ATen");
}
