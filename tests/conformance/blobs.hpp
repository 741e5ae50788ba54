// A workspace in which nets of cases are run, on the backend that the runner is made for. blobs.cpp alone knows which.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <plait/net/detail/parameter.hpp>
#include <plait/netdef/model.hpp>

namespace conformance {

std::string_view backend_name();

/// Whether Caffe2's table has the operator.
bool caffe2_has(std::string_view op_type);

class blobs {
 public:
  blobs();
  ~blobs();

  /// Throws unsupported_case for a type that is not run.
  void feed(std::string const& name, plait::tensor_value const& given);
  bool contains(std::string const& name) const;
  /// Of a blob that is there. Throws unsupported_case for a type that cases do not have.
  plait::tensor_value fetch(std::string const& name) const;

  /// Runs a net with all operators there are; `wanted` can be fetched after it.
  void run(plait::netdef const& net, std::vector<std::string> const& wanted = {});
  /// With Caffe2's operators, and inputs and outputs as they are declared.
  void run_as_caffe2(plait::netdef const& net);

  /// What steps of the net, which was run, have made; see plait::retrieve_step_blobs.
  std::vector<std::string> retrieve_step_blobs(plait::netdef const& net, std::string const& prefix);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace conformance
