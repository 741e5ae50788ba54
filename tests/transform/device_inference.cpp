#include <plait/transform/detail/device_inference.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include <net/test_nets.hpp>

using plait::device_kind;
using plait::known_device;
using test::struct_net;

TEST_CASE("device_name: names in both styles") {
  CHECK(plait::device_name(device_kind::cpu) == "cpu");
  CHECK(plait::device_name(device_kind::cuda) == "gpu");
  CHECK(plait::device_name(device_kind::cuda, plait::device_name_style::pytorch) == "cuda");
  for (auto kind : {device_kind::cpu, device_kind::cuda, device_kind::mkldnn, device_kind::opengl, device_kind::opencl,
                    device_kind::ideep, device_kind::hip})
    for (auto style : {plait::device_name_style::caffe2, plait::device_name_style::pytorch})
      CHECK(plait::device_from_name(plait::device_name(kind, style)) == kind);
  CHECK_FALSE(plait::device_from_name("GPU").has_value());
}

TEST_CASE_TEMPLATE("infer_devices: copies change the device, other ops keep it", N, PLAIT_TEXT_NETS) {
  auto const n = test::make_net<N>({{{"FC", {"x", "w", "b"}, {"h"}},
                                     {"CopyCPUToGPU", {"h"}, {"h"}},
                                     {"Relu", {"h"}, {"h"}},
                                     {"CopyGPUToCPU", {"h"}, {"y"}}},
                                    {"x", "w", "b", "unused"},
                                    {"y"}});
  auto const ssa = plait::get_ssa(n);
  for (auto const& known : {std::vector<known_device>{}, {{"x", 0, device_kind::cpu}}, {{"y", 1, device_kind::cpu}}}) {
    auto const devices = plait::infer_devices(n, ssa, known);
    auto const at = [&](char const* blob, std::uint32_t version) {
      return devices[ssa.index({ssa.find(test::key_of(n, blob)), version})];
    };
    CHECK(at("x", 0) == device_kind::cpu);
    CHECK(at("w", 0) == device_kind::cpu);
    CHECK(at("b", 0) == device_kind::cpu);
    CHECK(at("h", 1) == device_kind::cpu);
    CHECK(at("h", 2) == device_kind::cuda);
    CHECK(at("h", 3) == device_kind::cuda);
    CHECK(at("y", 1) == device_kind::cpu);
    CHECK(at("unused", 0) == std::nullopt);
  }
  using pairs = std::vector<std::pair<plait::value, device_kind>>;
  plait::value const x{ssa.find(test::key_of(n, "x")), 0};
  CHECK(plait::infer_devices(n, ssa, pairs{{x, device_kind::cpu}}) ==
        plait::infer_devices(n, ssa, std::vector<known_device>{{"x", 0, device_kind::cpu}}));
  CHECK_THROWS_AS(static_cast<void>(plait::infer_devices(n, ssa, pairs{{x, device_kind::cuda}})),
                  plait::status_conflict);
}

TEST_CASE("infer_devices: refuses two devices in one op, an unknown blob, a copy the wrong way, and no known device") {
  struct_net const n{{{"FC", {"x", "w"}, {"h"}}, {"CopyGPUToCPU", {"g"}, {"c"}}}, {"x", "w", "g"}, {"h", "c"}};
  auto const ssa = plait::get_ssa(n);
  auto const infer = [&](std::vector<known_device> const& known) {
    static_cast<void>(plait::infer_devices(n, ssa, known));
  };
  try {
    infer({{"x", 0, device_kind::cpu}, {"w", 0, device_kind::cuda}});
    FAIL("accepted");
  } catch (plait::status_conflict const& conflict) {
    CHECK(conflict.op == 0);
    CHECK(conflict.slot == 1);
    CHECK(conflict.blob == "w");
    CHECK(conflict.known == "gpu");
    CHECK(conflict.proposed == "cpu");
  }
  try {
    infer({{"nobody", 0, device_kind::cpu}});
    FAIL("accepted");
  } catch (plait::net_error const& unknown) {
    CHECK(unknown.blob == "nobody");
  }
  CHECK_THROWS_AS(infer({{"x", 3, device_kind::cpu}}), plait::net_error);
  CHECK_THROWS_AS(infer({{"x", 0, device_kind::cpu}, {"g", 0, device_kind::cpu}}), plait::status_conflict);
  try {
    infer({});
    FAIL("accepted");
  } catch (plait::status_unknown const& open) {
    CHECK(open.op == 0);
    CHECK(open.values == std::vector<plait::status_unknown::entry>{{"x", 0}, {"w", 0}, {"h", 1}});
  }
}
