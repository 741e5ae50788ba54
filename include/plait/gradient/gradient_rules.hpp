// From op types to the rules of their gradients.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/assert.hpp>
#include <plait/core/detail/hash.hpp>
#include <plait/gradient/detail/gradient_context.hpp>
#include <plait/net/detail/operand_pair.hpp>

namespace plait {

class backward_frame;
class gradient_rules;
struct gradient_options;

/// The rule of one op type.
struct gradient_rule {
  enum class kind {
    derived,  ///< make says how
    none,     ///< its outputs do not depend on its inputs in a differentiable way: nothing flows back (fills, shapes)
    refused,  ///< asking for the gradient is a mistake, or nobody has written it: `reason`
  };
  /// Backward passes of nets inside ops.
  using frames = std::vector<std::unique_ptr<backward_frame>>;
  /// Makes the gradient ops of one op through the context; `done`: what `plan` asked for last.
  using maker = std::function<void(gradient_context&, frames& done)>;
  /// For ops with nets inside: the backward passes that `make` needs the results of. Asked again, with these done,
  /// until there are none.
  using planner =
      std::function<frames(gradient_context&, gradient_rules const&, gradient_options const&, frames& done)>;

  kind how = kind::refused;
  maker make = {};
  planner plan = {};
  std::string reason = {};
  /// Which outputs may be blobs of inputs; without it, all may.
  std::optional<std::vector<operand_pair>> in_place = {};
  bool always = false;        ///< derived even where no output has a gradient (ZeroGradient)
  bool must_be_read = false;  ///< an op whose outputs nobody reads is a mistake (StopGradient)
  bool repeatable = true;     ///< run once more, it gives the same
  /// Of kind none: nobody wants the gradient of what it makes either (places, flags, StopGradient). Where an op reads
  /// nothing else, it is no mistake that it has no gradient.
  bool has_inactive_outputs = false;
};

/// A table of rules: a value, to be copied and added to. standard() has the rules of plait's own operators and needs
/// <plait/gradient/standard_rules.hpp>.
class gradient_rules {
 public:
  static gradient_rules const& standard();

  /// The rule of a type, instead of what it was. `make` takes a gradient_context&.
  gradient_rule& set(std::string_view type, std::function<void(gradient_context&)> make) {
    gradient_rule rule;
    rule.how = gradient_rule::kind::derived;
    rule.make = [make = std::move(make)](gradient_context& c, auto&) { make(c); };
    return set(type, std::move(rule));
  }
  gradient_rule& set(std::string_view type, gradient_rule rule) {
    return rules_.insert_or_assign(std::string(type), std::move(rule)).first->second;
  }
  /// Nothing flows back through ops of these types.
  void set_none(std::initializer_list<std::string_view> types) {
    for (std::string_view type : types) set(type, gradient_rule{.how = gradient_rule::kind::none});
  }
  /// Asking for the gradient of such an op is an error.
  gradient_rule& refuse(std::string_view type, std::string_view reason) {
    return set(type, gradient_rule{.how = gradient_rule::kind::refused, .reason = std::string(reason)});
  }

  /// The rule of a type that has one.
  gradient_rule& edit(std::string_view type) {
    auto const at = rules_.find(type);
    PLAIT_ASSERT(at != rules_.end(), "gradient_rules: no rule of this type");
    return at->second;
  }

  /// nullptr if there is none. O(length of the type).
  gradient_rule const* find(std::string_view type) const {
    auto const at = rules_.find(type);
    return at == rules_.end() ? nullptr : &at->second;
  }
  std::size_t size() const noexcept { return rules_.size(); }
  /// The types that have a rule, in no particular order.
  std::vector<std::string_view> types() const {
    std::vector<std::string_view> made;
    for (auto const& [type, rule] : rules_) made.push_back(type);
    return made;
  }

 private:
  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return hash_text(text); }
  };
  boost::unordered_flat_map<std::string, gradient_rule, hash, std::equal_to<>> rules_;
};

}  // namespace plait
