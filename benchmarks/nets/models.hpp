// Runs of ONNX models in the program plait_models.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <plait/interop/onnx/read.hpp>

namespace bench {

/// Model that is compiled for one thread, with constant parameters.
class model {
 public:
  virtual ~model() = default;
  virtual void feed(std::string_view name, plait::tensor_value const& value) = 0;
  virtual void run() = 0;
};

/// Returns a model whose convolutions are those of the component plait::exec_onednn. Defined if it is there.
std::unique_ptr<model> onednn_model(std::string const& path);

}  // namespace bench
