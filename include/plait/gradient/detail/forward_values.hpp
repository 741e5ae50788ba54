// What becomes of values of a net between an op and the gradient ops of nets inside it.
#pragma once

#include <string>

#include <plait/gradient/detail/gradient_tape.hpp>

namespace plait {

enum class value_availability {
  kept,         ///< gradient ops find it, or something that stands in for it
  overwritten,  ///< it is gone: the net inside that reads it must keep it
  refused,      ///< it is gone, and a gradient op that needs it is an error
};

/// What a net inside an op must know of a blob that it shares with the net around it.
struct shared_value {
  std::string blob;  ///< its name inside
  value_availability availability = value_availability::kept;
  bool is_set = false;  ///< it holds something whenever the op runs
};

/// Answers questions of rules about values of the net that is differentiated.
class forward_values {
 public:
  virtual ~forward_values() = default;
  virtual value_availability availability(gradient_operand v) = 0;
  /// Whether it is there in every run.
  virtual bool is_set(gradient_operand v) = 0;
  /// A value that is kept and has the shape and the element type of another one; none if nothing is known to have.
  virtual gradient_operand find_shaped(gradient_operand like) = 0;
};

}  // namespace plait
