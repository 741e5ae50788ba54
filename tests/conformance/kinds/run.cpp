// Cases of kind run: nets that are run one after the other in one workspace.
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plait/exec/operators.hpp>
#include <plait/exec/operators/sums.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/serial.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/traits.hpp>

#include "../kinds.hpp"
#include "../tensors.hpp"

namespace conformance {

namespace {

using backend = plait::serial;

// With the Sum of the recorded system, which refuses what ours adds.
plait::operators<backend> const& operators() {
  static plait::operators<backend> const table = [] {
    plait::operators<backend> made = plait::standard_operators<backend>();
    plait::add_caffe2_sum_operator(made);
    return made;
  }();
  return table;
}

plait::tensor<backend> to_tensor(plait::tensor_value const& given, std::string const& name) {
  return std::visit(
      [&]<class T>(std::vector<T> const& elements) -> plait::tensor<backend> {
        if constexpr (std::is_same_v<T, bool> || plait::element<T>)
          return plait::tensor<backend>::from(elements, plait::shape(given.shape));
        else
          throw unsupported_case("tensor '" + name + "' of a type that is not run");
      },
      given.data);
}

plait::tensor_value from_tensor(plait::tensor<backend> const& t) {
  std::vector<std::int64_t> const shape(t.dims().begin(), t.dims().end());
  plait::tensor_value made;
  bool const known =
      plait::visit_type<float, double, std::int32_t, std::int64_t, bool, std::uint8_t>(t.type(), [&]<class T>(T) {
        made = {shape, t.values<T>()};
      });
  // Recorded doubles have nine digits.
  if (auto* const doubles = std::get_if<std::vector<double>>(&made.data))
    for (double& number : *doubles)
      if (std::isfinite(number)) {
        std::array<char, 32> text;
        auto const end = std::to_chars(text.begin(), text.end(), number, std::chars_format::general, 9).ptr;
        std::from_chars(text.begin(), end, number);
      }
  if (!known) throw unsupported_case("a result of type " + std::string(plait::to_string(t.type())));
  return made;
}

// What of a net plait has no operators for.
void check_types(plait::netdef const& net, bool unknown_is_the_case) {
  for (plait::op_def const& op : net.op) {
    std::string const type(net.text(op.type));
    if (operators().find(type) == nullptr && !unknown_is_the_case) throw unsupported_case("operator " + type);
  }
}

}  // namespace

answer run_run(case_inputs& in) {
  std::vector<plait::netdef> nets;
  for (auto const& text : member<std::vector<std::string>>(in.data(), "nets")) nets.push_back(parse_net(text, "nets"));
  bool const unknown =
      member<std::string>(in.data(), "message", "").find("Cannot create operator") != std::string::npos;
  for (plait::netdef const& net : nets) check_types(net, unknown);

  plait::workspace<backend> blobs;
  json const feeds = member<json>(in.data(), "feeds", json::object());
  for (auto const& [name, given] : feeds.items()) blobs.feed(name, to_tensor(tensor_from_json(given, name), name));

  for (plait::netdef& net : nets) {
    // All blobs of a net outlast it here, as in Caffe2: later nets may read any of them.
    net.external_output.clear();
    auto plan = plait::compile(net, operators(), blobs);
    plan.run();
  }

  answer got;
  if (auto const expect = in.data().find("expect"); expect != in.data().end())
    for (auto const& [name, tensor] : expect->items())
      if (blobs.contains(name)) got.add(name, tensor_to_json(from_tensor(blobs.view(name))));
  return got;
}

}  // namespace conformance
