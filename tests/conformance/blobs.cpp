#include "blobs.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <plait/exec/element_type.hpp>
#include <plait/exec/tensor.hpp>
#include <plait/exec/text_blob.hpp>

#include "case.hpp"

namespace conformance {

namespace {

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

}  // namespace

void feed(plait::workspace<backend>& blobs, std::string const& name, plait::tensor_value const& given) {
  if (auto const* texts = std::get_if<std::vector<std::string>>(&given.data))
    plait::feed_text(blobs, name, *texts, plait::shape(given.shape));
  else
    blobs.feed(name, to_tensor(given, name));
}

plait::tensor_value fetch(plait::workspace<backend> const& blobs, std::string const& name) {
  if (blobs.find(name)->object == nullptr) return from_tensor(blobs.view(name));
  auto const texts = plait::fetch_text(blobs, name);
  return {{texts->dims().begin(), texts->dims().end()}, texts->elements()};
}

}  // namespace conformance
