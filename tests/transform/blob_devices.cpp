#include <plait/transform/detail/blob_devices.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <net/test_nets.hpp>

TEST_CASE_TEMPLATE("infer_blob_devices: a blob lives where its last writer runs", N, PLAIT_MUTABLE_NETS) {
  plait::device_spec const cpu{plait::device_kind::cpu, {}};
  plait::device_spec const gpu{plait::device_kind::cuda, 1};
  auto const n = test::make_net<N>(
      {{{"A", {"x"}, {"b", "a"}, {}, gpu}, {"B", {"a"}, {"c"}}, {"C", {"a"}, {"a"}, {}, cpu}}, {"x"}, {"a"}});
  std::vector<std::pair<std::string, std::optional<plait::device_spec>>> found;
  for (auto const& [blob, device] : plait::infer_blob_devices(n)) found.emplace_back(test::text_of(n, blob), device);
  CHECK(found == std::vector<std::pair<std::string, std::optional<plait::device_spec>>>{
                     {"b", gpu}, {"a", cpu}, {"c", std::nullopt}});
}
