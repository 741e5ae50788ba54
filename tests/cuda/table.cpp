#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/cuda/cuda.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/operators.hpp>

// Needs no device: kernels are created when a net is compiled.
TEST_CASE("operators on CUDA: a device has every operator that the host has") {
  auto const types = [](auto const& table) {
    std::vector<std::string> made;
    for (plait::op_schema const* schema : table.schemas()) made.push_back(schema->type());
    return made;
  };
  auto const on_device = types(plait::standard_operators<plait::cuda>());
  CHECK(on_device.size() > 250);
  CHECK(on_device == types(plait::standard_operators<plait::serial>()));
}
