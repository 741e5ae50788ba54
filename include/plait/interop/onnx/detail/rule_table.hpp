// Registry of conversion rules for ONNX operators, by domain and type.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/interop/onnx/detail/context.hpp>

namespace plait {

/// Conversion rules by domain and operator type. A value type: copy standard() to replace or add rules.
class onnx_rules {
 public:
  /// Returns the rules that plait comes with; see docs/reference/onnx-operators.md.
  static onnx_rules const& standard();

  onnx_rules& set(std::string_view type, onnx_rule rule) { return set("", type, std::move(rule)); }
  onnx_rules& set(std::string_view domain, std::string_view type, onnx_rule rule) {
    rules_.insert_or_assign(key(domain, type), std::move(rule));
    return *this;
  }
  /// Returns the rule of an operator, nullptr if there is none.
  onnx_rule const* find(std::string_view domain, std::string_view type) const {
    auto const found = rules_.find(key(domain, type));
    return found == rules_.end() ? nullptr : &found->second;
  }
  /// Returns the types of ONNX's own operators that have rules, in alphabetical order.
  std::vector<std::string> types() const;

 private:
  static std::string key(std::string_view domain, std::string_view type) {
    return std::string(domain) + ':' + std::string(type);
  }
  boost::unordered_flat_map<std::string, onnx_rule> rules_;
};

inline std::vector<std::string> onnx_rules::types() const {
  std::vector<std::string> made;
  for (auto const& [name, rule] : rules_)
    if (name.starts_with(':')) made.push_back(name.substr(1));
  std::ranges::sort(made);
  return made;
}

}  // namespace plait
