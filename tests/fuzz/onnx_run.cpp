// Fuzz target of ONNX models, read, compiled and run on inputs of their types: an accepted model gives results or typed
// errors, and the results do not depend on which values share memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/detail/utf8.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/feed.hpp>
#include <plait/exec/operators.hpp>
#include <plait/interop/onnx/read.hpp>
#include <plait/netdef/traits.hpp>

#include "net_runs.hpp"

namespace {

using fuzz::backend;
using fuzz::tensor;

// Returns a small tensor of the type and, as far as it is known, the shape in the model.
tensor made_for(plait::onnx_value_info const& info) {
  constexpr std::int64_t most = 4096;  // elements
  plait::shape dims;
  for (std::int64_t extent : info.dims.value_or(std::vector<std::int64_t>()))
    if (dims.rank() != plait::shape::max_rank)
      dims.push_back(std::clamp<std::int64_t>(
          extent < 0 ? 2 : extent, 0, std::max<std::int64_t>(most / std::max<std::int64_t>(dims.size(), 1), 1)));
  auto const filled = [&]<class T>(T) {
    std::vector<T> elements;
    for (std::int64_t i = 0; i != dims.size(); ++i) elements.push_back(static_cast<T>(i % 5 - 1));
    return tensor::from(elements, dims);
  };
  switch (info.type) {
    case plait::onnx_type::float64:
      return filled(double{});
    case plait::onnx_type::int32:
      return filled(std::int32_t{});
    case plait::onnx_type::int64:
      return filled(std::int64_t{});
    case plait::onnx_type::boolean:
      return filled(bool{});
    case plait::onnx_type::uint8:
      return filled(std::uint8_t{});
    default:
      return filled(float{});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const document(reinterpret_cast<char const*>(data), size);
  try {
    plait::onnx_model const model = plait::parse_onnx(document);
    plait::onnx_net const read = plait::read_onnx(model);
    fuzz::feeds fed;
    for (plait::parameter const& each : read.parameters)
      fed.emplace_back(each.name, plait::to_tensor<backend>(each.value));
    for (plait::onnx_value_info const& input : model.graph.inputs)
      if (std::ranges::find(read.inputs, input.name) != read.inputs.end())
        fed.emplace_back(input.name, made_for(input));
    auto const& table = plait::standard_operators<backend>();
    fuzz::result const shared = fuzz::run(read.net, table, fed, read.outputs, false);
    fuzz::result const apart = fuzz::run(read.net, table, fed, read.outputs, true);
    if (shared.refused != apart.refused || !fuzz::same_values(shared, apart)) __builtin_trap();
  } catch (plait::error const& problem) {
    if (plait::printable(problem.what()) != problem.what()) __builtin_trap();
  }
  return 0;
}
