// Result of a function under test, field by field, and its comparison with the expectation of a case.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <plait/netdef/model.hpp>

#include "case.hpp"

namespace conformance {

/// Result of a case: fields under the keys that `expect` has for them.
class case_result {
 public:
  enum class order { fixed, any };

  case_result& add(std::string key, json value, order elements = order::fixed) {
    fields_.push_back({std::move(key), std::move(value), elements});
    return *this;
  }
  case_result& add(std::string key, plait::netdef net) {
    fields_.push_back({std::move(key), std::move(net), order::fixed});
    return *this;
  }

  struct field {
    std::string key;
    std::variant<json, plait::netdef> value;
    order elements;  ///< for a list: ordered or unordered
  };
  std::vector<field> const& fields() const { return fields_; }

 private:
  std::vector<field> fields_;
};

/// Tolerance of numbers: |got - expected| <= absolute + relative * |expected|.
struct tolerance {
  double relative = 1e-6;
  double absolute = 0;
};

/// Returns the differences between two JSON values, each as "path: expected …, got …". Objects are unordered. Numbers
/// are compared within the tolerance; "nan", "inf" and "-inf" are numbers. With order::any the outermost list is
/// unordered.
std::vector<std::string> json_differences(json const& expected, json const& got, std::string const& path,
                                          tolerance const& within = {},
                                          case_result::order elements = case_result::order::fixed);

struct net_comparison {
  std::vector<std::string> ignore_args;  ///< names of arguments that depend on the process
  bool any_external_order = false;       ///< external inputs and outputs as sets
  tolerance floats = {};
};

/// Returns the differences between two nets in the sense of FORMAT.md: ops in order with type, inputs, outputs,
/// arguments by name and device; external inputs and outputs in order. Names of nets, engines and control inputs are
/// ignored.
std::vector<std::string> net_differences(plait::netdef const& expected, plait::netdef const& got,
                                         std::string const& path, net_comparison const& how = {});

/// Returns the differences between a result and an object of expectations; a key that the result lacks is one.
std::vector<std::string> differences(json const& expect, case_result const& got, test_case const& c);

}  // namespace conformance
