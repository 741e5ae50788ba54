// What a function under test answered, part by part, and its comparison with what a case expects.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <plait/netdef/model.hpp>

#include "case.hpp"

namespace conformance {

/// The parts of an answer, under the keys that `expect` has for them.
class answer {
 public:
  enum class order { fixed, any };

  answer& add(std::string key, json value, order elements = order::fixed) {
    parts_.push_back({std::move(key), std::move(value), elements});
    return *this;
  }
  answer& add(std::string key, plait::netdef net) {
    parts_.push_back({std::move(key), std::move(net), order::fixed});
    return *this;
  }

  struct part {
    std::string key;
    std::variant<json, plait::netdef> value;
    order elements;  ///< of a list: whether their order is part of the answer
  };
  std::vector<part> const& parts() const { return parts_; }

 private:
  std::vector<part> parts_;
};

/// How far numbers may differ: |got - expected| <= absolute + relative * |expected|.
struct tolerance {
  double relative = 1e-6;
  double absolute = 0;
};

/// The differences between two JSON values, each as "path: expected …, got …". Objects have no order. Numbers are
/// within the tolerance; "nan", "inf" and "-inf" are numbers. With order::any the elements of the outermost list have
/// none.
std::vector<std::string> json_differences(json const& expected, json const& got, std::string const& path,
                                          tolerance const& within = {}, answer::order elements = answer::order::fixed);

struct net_comparison {
  std::vector<std::string> ignore_args;  ///< names of arguments that depend on the process
  bool any_external_order = false;       ///< external inputs and outputs as sets
  tolerance floats = {};
};

/// The differences between two nets in the sense of FORMAT.md: ops in order with type, inputs, outputs, arguments by
/// name and device; external inputs and outputs in order. Names of nets, engines and control inputs are no part of it.
std::vector<std::string> net_differences(plait::netdef const& expected, plait::netdef const& got,
                                         std::string const& path, net_comparison const& how = {});

/// The differences between an answer and an object of expectations; a key that the answer does not have is one.
std::vector<std::string> differences(json const& expect, answer const& got, test_case const& c);

}  // namespace conformance
