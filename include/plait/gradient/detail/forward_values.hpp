// Availability of forward values when gradient ops run: kept, overwritten or refused.
#pragma once

#include <string>

#include <plait/gradient/detail/gradient_tape.hpp>

namespace plait {

/// Availability of a forward value when gradient ops run.
enum class value_availability {
  kept,         ///< available to gradient ops, itself or as a copy or recomputation
  overwritten,  ///< lost: the nested net that reads it must save it
  refused,      ///< lost, and a gradient op that needs it is an error
};

/// A blob that a nested net shares with the enclosing net.
struct shared_value {
  std::string blob;  ///< its name in the nested net
  value_availability availability = value_availability::kept;
  bool is_set = false;  ///< it holds a tensor whenever the op runs
};

/// Queries of gradient rules on forward values.
class forward_values {
 public:
  virtual ~forward_values() = default;
  virtual value_availability availability(gradient_operand v) = 0;
  /// Returns true if the value exists in every run, whichever branches are taken.
  virtual bool is_set(gradient_operand v) = 0;
  /// Returns a kept value with the shape and element type of `like`; an invalid operand if none is known.
  virtual gradient_operand find_shaped(gradient_operand like) = 0;
};

}  // namespace plait
