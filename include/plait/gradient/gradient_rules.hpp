// Gradient rules: a table from op types to the functions that emit their vector-Jacobian products.
#pragma once

#include <concepts>
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

/// The gradient rule of an op type.
struct gradient_rule {
  enum class kind {
    derived,  ///< `make` emits the gradient ops
    none,     ///< outputs are no differentiable function of the inputs: no gradient flows back (fills, shapes)
    refused,  ///< an error, since there is no gradient or no implementation of it; `reason` is the message
  };
  /// Backward passes of nested nets.
  using frames = std::vector<std::unique_ptr<backward_frame>>;
  /// Emits the gradient ops of one op through the context. `done`: the frames that `plan` requested last.
  using maker = std::function<void(gradient_context&, frames& done)>;
  /// Requests the backward passes of an op's nested nets whose results `make` needs. Called again with the finished
  /// ones until it requests none.
  using planner =
      std::function<frames(gradient_context&, gradient_rules const&, gradient_options const&, frames& done)>;

  kind how = kind::refused;
  maker make = {};
  planner plan = {};
  std::string reason = {};
  /// Outputs that may alias inputs (in place); if absent, all may.
  std::optional<std::vector<operand_pair>> in_place = {};
  bool always = false;        ///< derived even if no output has a gradient (ZeroGradient)
  bool must_be_read = false;  ///< an op without a reader of its outputs is an error (StopGradient)
  bool repeatable = true;     ///< deterministic: may be recomputed (overwritten_values::recompute)
  /// For kind none: the outputs are inactive, as indices, flags and the output of StopGradient are: they have no
  /// gradient either. An op all of whose inputs are inactive needs no rule.
  bool has_inactive_outputs = false;
};

/// Rule table: a value type, which users copy and extend. standard() holds the rules of plait's operators and needs
/// <plait/gradient/standard_rules.hpp>.
class gradient_rules {
 public:
  static gradient_rules const& standard();

  /// Sets or replaces the rule of a type. `make` takes a gradient_context&.
  gradient_rule& set(std::string_view type, std::function<void(gradient_context&)> make) {
    gradient_rule rule;
    rule.how = gradient_rule::kind::derived;
    rule.make = [make = std::move(make)](gradient_context& c, auto&) { make(c); };
    return set(type, std::move(rule));
  }
  // Overload for all other types: its message names the wanted signature.
  template <class Make>
    requires(!std::convertible_to<Make, std::function<void(gradient_context&)>> &&
             !std::convertible_to<Make, gradient_rule>)
  void set(std::string_view, Make) {
    static_assert(std::invocable<Make&, gradient_context&>,
                  "plait: the rule of an op cannot be called as make(context); wanted: void "
                  "make(plait::gradient_context& context)");
    static_assert(std::copy_constructible<Make>, "plait: the rule of an op is a value: it can be copied");
  }
  gradient_rule& set(std::string_view type, gradient_rule rule) {
    return rules_.insert_or_assign(std::string(type), std::move(rule)).first->second;
  }
  /// Adds the rules of an object that has add_to(gradient_rules&), such as a static_op.
  template <class OpType>
    requires requires(OpType const& type, gradient_rules& rules) { type.add_to(rules); }
  gradient_rules& add(OpType const& type) {
    type.add_to(*this);
    return *this;
  }
  /// Declares that no gradient flows back through ops of these types.
  void set_none(std::initializer_list<std::string_view> types) {
    for (std::string_view type : types) set(type, gradient_rule{.how = gradient_rule::kind::none});
  }
  /// Makes the gradient of ops of this type an error with this reason.
  gradient_rule& refuse(std::string_view type, std::string_view reason) {
    return set(type, gradient_rule{.how = gradient_rule::kind::refused, .reason = std::string(reason)});
  }

  /// Returns the rule of a type, for modification. Precondition: the type has a rule.
  gradient_rule& edit(std::string_view type) {
    auto const at = rules_.find(type);
    PLAIT_ASSERT(at != rules_.end(), "gradient_rules: no rule of this type");
    return at->second;
  }

  /// Returns the rule of a type, nullptr if there is none. O(length of the type).
  gradient_rule const* find(std::string_view type) const {
    auto const at = rules_.find(type);
    return at == rules_.end() ? nullptr : &at->second;
  }
  std::size_t size() const noexcept { return rules_.size(); }
  /// Returns the types that have a rule, in no particular order.
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
