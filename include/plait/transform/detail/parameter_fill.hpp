// Init net construction: a net of fill ops that produce given parameters.
#pragma once

#include <concepts>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/parameter.hpp>
#include <plait/net/mutation.hpp>
#include <plait/transform/detail/const_fill.hpp>

namespace plait {

template <class N>
concept init_net_buildable =
    std::default_initializable<N> && extensible_net<N> && external_extensible_net<N> && nameable_net<N>;

/// An init net, and the parameters it leaves out.
template <class N>
struct init_net_result {
  N net;
  std::vector<std::string> skipped;
};

namespace detail {

// Returns the fill ops of parameters, which must have distinct names.
template <class Parameters>
std::vector<op_spec> fill_ops(Parameters&& parameters, fill_options const& options) {
  std::vector<op_spec> fills;
  boost::unordered_flat_set<std::string_view> names;
  for (parameter const& p : parameters) {
    if (!names.insert(p.name).second)
      raise(net_error("plait: two parameters are called '" + p.name + '\'', {}, p.name));
    fills.push_back(const_fill_op(p, options));
  }
  return fills;
}

}  // namespace detail

/// Returns a net that produces the given parameters, in their order, each on its device, each an external output. With
/// fill_set::caffe2_2018 strings are skipped, as by detectron2's construct_init_net_from_params. Throws net_error as
/// const_fill_op does and for two parameters of one name. O(elements).
template <init_net_buildable N, std::ranges::forward_range Parameters>
  requires std::convertible_to<std::ranges::range_reference_t<Parameters const&>, parameter const&>
[[nodiscard]] init_net_result<N> init_net_from_parameters(Parameters const& parameters,
                                                          fill_options const& options = {}) {
  using traits = plait::detail::net_traits_of<N>;
  init_net_result<N> made;
  bool const strings = options.fills != fill_set::caffe2_2018;
  auto kept = parameters |
              std::views::filter([&](parameter const& p) { return strings || p.value.type() != element_type::string; });
  for (parameter const& p : parameters)
    if (!strings && p.value.type() == element_type::string) made.skipped.push_back(p.name);
  for (op_spec const& fill : detail::fill_ops(kept, options)) {
    traits::append_op(made.net, fill);
    traits::add_external_output(made.net, make_name(made.net, fill.outputs.front()));
  }
  return made;
}

}  // namespace plait
