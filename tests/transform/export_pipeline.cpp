#include <plait/transform/detail/export_pipeline.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>

#include <net/test_nets.hpp>

namespace {

using strings = std::vector<std::string>;

plait::op_spec fill(std::string blob, std::vector<std::int64_t> shape, std::vector<float> values) {
  return {"GivenTensorFill", {}, {std::move(blob)}, {{"shape", std::move(shape)}, {"values", std::move(values)}}};
}

// Work for every step: an alias, a pair of copies, a Reshape before FC, a group_norm, a dead init op.
test::struct_net const predict{{plait::alias_with_name("0", "1", "data"),
                                {"CopyGPUToCPU", {"1"}, {"host"}},
                                {"CopyCPUToGPU", {"host"}, {"back"}},
                                {"ATen",
                                 {"back", "scale"},
                                 {"normed"},
                                 {{"operator", std::string("group_norm")}, {"num_groups", std::int64_t{4}}}},
                                {"Reshape", {"normed", "shape"}, {"flat", "old_shape"}},
                                {"FC", {"flat", "w", "b"}, {"y"}}},
                               {"0", "scale", "shape", "w", "b"},
                               {"y"}};
test::struct_net const init{{fill("scale", {1}, {1}),
                             {"GivenTensorInt64Fill",
                              {},
                              {"shape"},
                              {{"shape", std::vector<std::int64_t>{2}}, {"values", std::vector<std::int64_t>{0, -1}}}},
                             fill("w", {1, 2}, {1, 2}),
                             fill("b", {1}, {0}),
                             fill("nothing", {1}, {0})},
                            {},
                            {"scale", "shape", "w", "b"}};

strings types(test::struct_net const& n) {
  strings found;
  for (plait::op_spec const& op : n.ops) found.push_back(op.type);
  return found;
}

}  // namespace

TEST_CASE_TEMPLATE("run_export_pipeline: all steps, in their order", N, PLAIT_COPYABLE_NETS) {
  auto n = test::make_net<N>(predict);
  auto before = test::make_net<N>(init);
  plait::net_traits<N>::set_net_name(before, "first");
  auto const done = plait::run_export_pipeline(n, before, {.input_devices = {plait::device_kind::cuda}});
  CHECK(done.aliases.aliases.size() == 1);
  CHECK(done.copies.removed_ops.size() == 2);
  CHECK(done.dead_init_ops.ops == std::vector<plait::op_index>{4});
  CHECK(done.devices.predict_ops == std::vector<plait::op_index>{0, 1, 2});
  CHECK(done.reshapes.removed_parameters == strings{"shape"});
  CHECK(done.group_norms == std::vector<plait::op_index>{0});
  CHECK(done.skipped_parameters.empty());

  test::struct_net const made = test::describe(n);
  CHECK(types(made) == strings{"GroupNorm", "FC"});
  CHECK(made.ops[0].inputs == strings{"data", "scale"});
  CHECK(made.ops[1].inputs == strings{"normed", "w", "b"});
  CHECK(made.external_inputs == strings{"data", "scale", "w", "b"});
  CHECK(made.external_outputs == strings{"y"});
  plait::device_spec const gpu{plait::device_kind::cuda, 0};
  for (plait::op_spec const& op : made.ops) CHECK(op.device == gpu);

  test::struct_net const fills = test::describe(before);
  CHECK(fills.external_outputs == strings{"scale", "w", "b"});
  REQUIRE(fills.ops.size() == 3);
  for (plait::op_spec const& op : fills.ops) CHECK(op.device == gpu);
  CHECK(plait::net_traits<N>::net_name(before) == std::string_view("first"));
}

TEST_CASE_TEMPLATE("run_export_pipeline: an init net that declares no outputs keeps its parameters", N,
                   PLAIT_COPYABLE_NETS) {
  auto n = test::make_net<N>(predict);
  test::struct_net open = init;
  open.external_outputs.clear();
  auto before = test::make_net<N>(open);
  auto const done = plait::run_export_pipeline(n, before, {.input_devices = {plait::device_kind::cuda}});
  CHECK(done.dead_init_ops.ops.empty());
  strings made;
  for (plait::op_spec const& op : test::describe(before).ops) made.push_back(op.outputs.front());
  CHECK(made == strings{"scale", "w", "b", "nothing"});
}

TEST_CASE_TEMPLATE("run_export_pipeline: copies and devices stay on the host", N, PLAIT_COPYABLE_NETS) {
  auto n = test::make_net<N>(predict);
  auto before = test::make_net<N>(init);
  auto const done = plait::run_export_pipeline(n, before);
  CHECK(done.copies.removed_ops.empty());
  CHECK(done.devices.predict_ops.empty());
  CHECK(types(test::describe(n)) == strings{"CopyGPUToCPU", "CopyCPUToGPU", "GroupNorm", "FC"});
  CHECK(test::describe(before).external_outputs == strings{"scale", "w", "b"});
  for (plait::op_spec const& op : test::describe(before).ops) CHECK_FALSE(op.device.has_value());
}

TEST_CASE_TEMPLATE("run_export_pipeline: a second run changes nothing", N, PLAIT_COPYABLE_NETS) {
  auto n = test::make_net<N>(predict);
  auto before = test::make_net<N>(init);
  plait::run_export_pipeline(n, before, {.input_devices = {plait::device_kind::cuda}});
  test::struct_net const once = test::describe(n);
  test::struct_net const fills = test::describe(before);
  plait::run_export_pipeline(n, before, {.input_devices = {plait::device_kind::cuda}});
  CHECK(test::describe(n) == once);
  CHECK(test::describe(before) == fills);
}

TEST_CASE_TEMPLATE("run_export_pipeline: a refusal of a late step changes neither net", N, PLAIT_COPYABLE_NETS) {
  test::struct_net random = init;
  random.ops[2] = {"XavierFill", {}, {"w"}, {{"shape", std::vector<std::int64_t>{1, 2}}}};
  auto n = test::make_net<N>(predict);
  auto before = test::make_net<N>(random);
  try {
    plait::run_export_pipeline(n, before, {.input_devices = {plait::device_kind::cuda}});
    FAIL("accepted");
  } catch (plait::net_error const& problem) {
    CHECK(problem.blob == "w");
  }
  CHECK(test::describe(n) == test::describe(test::make_net<N>(predict)));
  CHECK(test::describe(before) == test::describe(test::make_net<N>(random)));
}
