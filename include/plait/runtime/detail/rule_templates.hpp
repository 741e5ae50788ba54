// Explicit instantiations of gradients of NetDefs and of rule tables, or their declarations: what the library
// plait::runtime has compiled.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plait/gradient/backward_pass.hpp>
#include <plait/gradient/optimizers.hpp>
#include <plait/netdef/traits.hpp>

namespace plait {

class onnx_rules;

namespace detail {

// Declared only: the rules are long.
template <class Rules>
Rules const& standard_gradient_rules();
template <class Rules>
Rules const& standard_onnx_rules();

}  // namespace detail

}  // namespace plait

/// Instantiate gradients of NetDefs, and the rules of ONNX: `extern` as argument declares, an empty one defines, which
/// requires the headers of the rules.
#define PLAIT_GRADIENT_TEMPLATES(EXTERN)                                                                        \
  EXTERN template plait::gradient_rules const& plait::detail::standard_gradient_rules<plait::gradient_rules>(); \
  EXTERN template class plait::backward_engine<plait::netdef>;                                                  \
  EXTERN template plait::gradient_map plait::add_gradient_ops<plait::netdef>(                                   \
      plait::netdef&, std::vector<plait::gradient_seed> const&, plait::gradient_rules const&,                   \
      plait::gradient_options const&);                                                                          \
  EXTERN template std::optional<plait::optimizer_update> plait::add_optimizer<plait::netdef>(                   \
      plait::netdef&, plait::gradient_map const&, std::vector<std::string> const&, std::string_view, float);
#define PLAIT_ONNX_TEMPLATES(EXTERN) \
  EXTERN template plait::onnx_rules const& plait::detail::standard_onnx_rules<plait::onnx_rules>();
