// ONNX models with convolutions by oneDNN.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plait/exec/backends/onednn/onednn.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/feed.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/interop/onnx/read.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/runtime/extern_templates.hpp>

#include "models.hpp"

namespace bench {

namespace {

class plan_model final : public model {
 public:
  explicit plan_model(std::string const& path) {
    plait::onnx_net read = plait::read_onnx(std::filesystem::path(path));
    plait::operators<plait::serial> table = plait::standard_operators<plait::serial>();
    plait::add_onednn_operators(table);
    plait::feed(blobs_, read.parameters);
    std::vector<std::string> constants;
    for (plait::parameter const& each : read.parameters) constants.push_back(each.name);
    read.parameters.clear();
    plan_.emplace(read.net, table, blobs_, plait::compile_options{.fetch = read.outputs, .constants = constants});
  }
  void feed(std::string_view name, plait::tensor_value const& value) override {
    blobs_.feed(std::string(name), plait::to_tensor<plait::serial>(value));
  }
  void run() override { plan_->run(); }

 private:
  plait::workspace<plait::serial> blobs_;
  std::optional<plait::plan<plait::serial>> plan_;
};

}  // namespace

std::unique_ptr<model> onednn_model(std::string const& path) { return std::make_unique<plan_model>(path); }

}  // namespace bench
