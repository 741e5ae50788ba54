#include <plait/transform/detail/device_assignment.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <vector>

#include <net/test_nets.hpp>

using plait::device_kind;
using plait::device_spec;
using test::struct_net;
using indices = std::vector<plait::op_index>;

namespace {

std::optional<device_spec> const none;
std::optional<device_spec> const gpu0 = device_spec{device_kind::cuda, 0};

template <class N>
std::vector<std::optional<device_spec>> devices(N const& n) {
  std::vector<std::optional<device_spec>> found;
  for (auto const& op : test::describe(n).ops) found.push_back(op.device);
  return found;
}

struct_net predict() {
  return {{{"CopyCPUToGPU", {"x"}, {"g"}},
           {"FC", {"g", "w", "b"}, {"h"}},
           {"CopyGPUToCPU", {"h"}, {"c"}},
           {"Relu", {"c"}, {"y"}}},
          {"x", "w", "b"},
          {"y"}};
}

}  // namespace

TEST_CASE_TEMPLATE("assign_device_options: ops on the GPU get it, others keep theirs", N, PLAIT_MUTABLE_NETS) {
  N n = test::make_net<N>(predict());
  {
    auto const ssa = plait::get_ssa(n);
    auto const where = plait::infer_devices(static_cast<N const&>(n), ssa, std::vector<plait::known_device>{});
    CHECK(plait::assign_device_options(n, ssa, where, {device_kind::cuda, 3}) == indices{0, 1, 2});
  }
  std::optional<device_spec> const gpu3 = device_spec{device_kind::cuda, 3};
  CHECK(devices(n) == std::vector{gpu3, gpu3, gpu3, none});
}

TEST_CASE_TEMPLATE("assign_device_options: an init net follows its predict net", N, PLAIT_MUTABLE_NETS) {
  N n = test::make_net<N>(predict());
  N init = test::make_net<N>({{{"GivenTensorFill", {}, {"w"}},
                               {"GivenTensorFill", {}, {"b_cpu"}},
                               {"CopyCPUToGPU", {"b_cpu"}, {"b"}},
                               {"GivenTensorFill", {}, {"other"}}},
                              {},
                              {"w", "b", "other"}});
  auto const done = plait::assign_device_options(n, init, {{"x", 0, device_kind::cpu}});
  CHECK(done.predict_ops == indices{0, 1, 2});
  CHECK(done.init_ops == indices{0, 2});
  CHECK(devices(n) == std::vector{gpu0, gpu0, gpu0, none});
  CHECK(devices(init) == std::vector{gpu0, none, gpu0, none});
}

TEST_CASE_TEMPLATE("assign_device_options: a conflict in either net changes neither", N, PLAIT_MUTABLE_NETS) {
  struct_net const bad_init{
      {{"GivenTensorFill", {}, {"w"}}, {"Split", {"w"}, {"b", "rest"}}, {"CopyCPUToGPU", {"rest"}, {"z"}}},
      {},
      {"w", "b"}};
  N n = test::make_net<N>(predict());
  N init = test::make_net<N>(bad_init);
  CHECK_THROWS_AS(plait::assign_device_options(n, init, {}), plait::status_conflict);
  CHECK_THROWS_AS(plait::assign_device_options(n, init, {{"x", 0, device_kind::cuda}}), plait::status_conflict);
  CHECK(devices(n) == std::vector(4, none));
  CHECK(devices(init) == std::vector(3, none));
}

TEST_CASE("assign_device_options: different devices within an op are refused") {
  auto n = test::make_net<test::edit_net>({{{"Relu", {"x"}, {"y"}}}, {"x"}, {"y"}});
  auto const ssa = plait::get_ssa(n);
  std::vector<std::optional<device_kind>> where(ssa.value_count());
  where[ssa.index({ssa.find("x"), 0})] = device_kind::cuda;
  where[ssa.index({ssa.find("y"), 1})] = device_kind::cpu;
  try {
    plait::assign_device_options(n, ssa, where);
    FAIL("accepted");
  } catch (plait::net_error const& refused) {
    CHECK(refused.op == 0);
    CHECK(refused.blob == "y");
  }
  CHECK(n.ops[0].device == none);
}
