// Fuzz target of the runtime: small nets of any op types, arguments and shapes give typed errors or results, and the
// results do not depend on which values share memory, nor on the backend.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/operators.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/traits.hpp>

#include "net_runs.hpp"

namespace {

using fuzz::backend;
using fuzz::choices;
using fuzz::tensor;

float number(choices& from) {
  float const infinity = std::numeric_limits<float>::infinity();
  float const nan = std::numeric_limits<float>::quiet_NaN();
  float const all[] = {0, 1, -1, 0.5f, 2, 3, -2.5f, 1e30f, -1e30f, 1e-30f, infinity, -infinity, nan, 7};
  return from.of(all);
}
std::int64_t integer(choices& from) { return static_cast<std::int64_t>(from.below(13)) - 4; }

plait::shape dims(choices& from) {
  plait::shape made;
  for (std::size_t rank = from.below(5); rank != 0; --rank)
    made.push_back(static_cast<std::int64_t>(std::max<std::size_t>(from.below(6), 1) - (from.below(16) == 0)));
  return made;
}

tensor random_tensor(choices& from) {
  plait::shape const shape = dims(from);
  auto const fill = [&]<class T>(T) {
    std::vector<T> elements;
    for (std::int64_t i = 0; i != shape.size(); ++i) {
      if constexpr (std::is_floating_point_v<T>)
        elements.push_back(static_cast<T>(number(from)));
      else if constexpr (std::is_same_v<T, bool>)
        elements.push_back(from.below(2) != 0);
      else
        elements.push_back(static_cast<T>(integer(from)));
    }
    return tensor::from(elements, shape);
  };
  switch (from.below(8)) {
    case 0:
      return fill(double{});
    case 1:
      return fill(std::int32_t{});
    case 2:
      return fill(std::int64_t{});
    case 3:
      return fill(bool{});
    case 4:
      return fill(std::uint8_t{});
    default:
      return fill(float{});
  }
}

plait::argument_value argument(choices& from, plait::argument_value const& like) {
  struct maker {
    choices& from;
    plait::argument_value operator()(std::int64_t) const { return integer(from); }
    plait::argument_value operator()(float) const { return number(from); }
    plait::argument_value operator()(std::string const&) const {
      char const* const all[] = {"",      "NCHW",      "NHWC",           "sequence",  "window", "upper",
                                 "lower", "upperdiag", "int32",          "lowerdiag", "float",  "int64",
                                 "bool",  "fixed",     "step",           "exp",       "inv",    "poly",
                                 "hill",  "alter",     "constantWarmup", "C"};
      return std::string(from.of(all));
    }
    plait::argument_value operator()(std::vector<std::int64_t> const&) const {
      std::vector<std::int64_t> made(from.below(5));
      for (auto& item : made) item = integer(from);
      return made;
    }
    plait::argument_value operator()(std::vector<float> const&) const {
      std::vector<float> made(from.below(5));
      for (auto& item : made) item = number(from);
      return made;
    }
    plait::argument_value operator()(std::vector<std::string> const&) const { return std::vector<std::string>(); }
  };
  return std::visit(maker{from}, like);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  choices from(data, size);
  static auto const schemas = plait::standard_operators<backend>().schemas();
  std::vector<std::string> const names = {"a", "b", "c", "d", "e", "f"};
  fuzz::feeds fed;
  for (std::size_t i = 0; i != 3; ++i) fed.emplace_back(names[i], random_tensor(from));

  plait::netdef net;
  bool repeatable = true;
  for (std::size_t ops = 1 + from.below(4); ops != 0 && !from.empty(); --ops) {
    plait::op_schema const& schema = *schemas[(from.below(256) * 256 + from.below(256)) % schemas.size()];
    repeatable = repeatable && !schema.has_side_effects();
    auto const count = [&](std::pair<std::size_t, std::size_t> range) {
      return range.first + from.below(std::min<std::size_t>(range.second - range.first, 3) + 1);
    };
    plait::op_def& op = net.add_op(schema.type(), {}, {});
    for (std::size_t i = count(schema.input_range()); i != 0; --i)
      op.input.push_back(net.intern(names[from.below(names.size())]));
    for (std::size_t i = count(schema.output_range()); i != 0; --i)
      op.output.push_back(net.intern(names[from.below(names.size())]));
    for (plait::argument_info const& info : schema.arguments())
      if ((from.below(3) == 0 || info.required) && info.name != "to_file")  // writes no files
        op.arg.push_back(plait::make_argument(net, {info.name, argument(from, info.fallback)}));
  }

  auto const& table = plait::standard_operators<backend>();
  fuzz::result const shared = fuzz::run(net, table, fed, names, false);
  fuzz::result const apart = fuzz::run(net, table, fed, names, true);
  if (shared.refused != apart.refused || (repeatable && !fuzz::same_values(shared, apart))) __builtin_trap();
  fuzz::result const threads = fuzz::run(net, plait::standard_operators<plait::tbb>(), fed, names, false);
  if (shared.refused != threads.refused || (repeatable && !fuzz::same_values(shared, threads))) __builtin_trap();
  return 0;
}
