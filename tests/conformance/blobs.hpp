// Workspace in which the nets of cases run, on the backend of the runner. Only blobs.cpp depends on the backend.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <plait/net/detail/parameter.hpp>
#include <plait/netdef/model.hpp>

namespace conformance {

std::string_view backend_name();

/// Returns true if Caffe2's table has the operator.
bool caffe2_has(std::string_view op_type);

class blobs {
 public:
  blobs();
  ~blobs();

  /// Feeds a tensor. Throws unsupported_case for an element type that the runner does not have.
  void feed(std::string const& name, plait::tensor_value const& given);
  bool contains(std::string const& name) const;
  /// Returns the tensor of an existing blob. Throws unsupported_case for an element type that cases do not have.
  plait::tensor_value fetch(std::string const& name) const;

  /// Runs a net with all operators; `wanted` can be fetched afterwards.
  void run(plait::netdef const& net, std::vector<std::string> const& wanted = {});
  /// Runs a net with Caffe2's operators, and with inputs and outputs as declared.
  void run_as_caffe2(plait::netdef const& net);

  /// Retrieves the step blobs of a net that was run; see plait::retrieve_step_blobs.
  std::vector<std::string> retrieve_step_blobs(plait::netdef const& net, std::string const& prefix);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace conformance
