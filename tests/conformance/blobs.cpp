#include "blobs.hpp"

#include <cstdint>
#include <type_traits>
#include <variant>

#include <plait/exec/caffe2_operators.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/step_blobs.hpp>
#include <plait/exec/detail/text_blob.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/tensor.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/traits.hpp>

#include "case.hpp"

// CMakeLists.txt builds a runner for each backend.
#if defined(PLAIT_CONFORMANCE_TBB)
#include <plait/exec/backends/tbb/tbb.hpp>
#elif defined(PLAIT_CONFORMANCE_OMP)
#include <plait/exec/backends/omp/omp.hpp>
#elif defined(PLAIT_CONFORMANCE_CUDA)
#include <plait/exec/backends/cuda/cublas.hpp>
#elif defined(PLAIT_CONFORMANCE_DEVICE)
#include <support/emulated_device.hpp>
#else
#include <plait/exec/backends/serial/serial.hpp>
#endif

namespace conformance {

namespace {

#if defined(PLAIT_CONFORMANCE_TBB)
using backend = plait::tbb;
#elif defined(PLAIT_CONFORMANCE_OMP)
using backend = plait::omp;
#elif defined(PLAIT_CONFORMANCE_CUDA)
using backend = plait::cuda;
#elif defined(PLAIT_CONFORMANCE_DEVICE)
using backend = test::emulated_device;
#else
using backend = plait::serial;
#endif

plait::operators<backend> const& caffe2_table() {
  static plait::operators<backend> const table = plait::caffe2_operators<backend>();
  return table;
}

plait::tensor<backend> to_tensor(plait::tensor_value const& given, std::string const& name) {
  return std::visit(
      [&]<class T>(std::vector<T> const& elements) -> plait::tensor<backend> {
        if constexpr (std::is_same_v<T, bool> || plait::element<T>)
          return plait::tensor<backend>::from(elements, plait::shape(given.shape));
        else
          throw unsupported_case("tensor '" + name + "' of a type that is not run");
      },
      given.data);
}

plait::tensor_value from_tensor(plait::tensor<backend> const& t) {
  std::vector<std::int64_t> const shape(t.dims().begin(), t.dims().end());
  plait::tensor_value made;
  bool const known =
      plait::visit_type<float, double, std::int32_t, std::int64_t, bool, std::uint8_t>(t.type(), [&]<class T>(T) {
        made = {shape, t.values<T>()};
      });
  if (!known) throw unsupported_case("a result of type " + std::string(plait::to_string(t.type())));
  return made;
}

}  // namespace

std::string_view backend_name() { return backend::name; }
bool caffe2_has(std::string_view op_type) { return caffe2_table().find(op_type) != nullptr; }

struct blobs::state {
  plait::workspace<backend> held;
};

blobs::blobs() : state_(std::make_unique<state>()) {}
blobs::~blobs() = default;

void blobs::feed(std::string const& name, plait::tensor_value const& given) {
  if (auto const* texts = std::get_if<std::vector<std::string>>(&given.data))
    plait::feed_text(state_->held, name, *texts, plait::shape(given.shape));
  else
    state_->held.feed(name, to_tensor(given, name));
}

bool blobs::contains(std::string const& name) const { return state_->held.contains(name); }

plait::tensor_value blobs::fetch(std::string const& name) const {
  if (state_->held.find(name)->object == nullptr) return from_tensor(state_->held.view(name));
  auto const texts = plait::fetch_text(state_->held, name);
  return {{texts->dims().begin(), texts->dims().end()}, texts->elements()};
}

void blobs::run(plait::netdef const& net, std::vector<std::string> const& wanted) {
  plait::compile(net, plait::standard_operators<backend>(), state_->held, {.fetch = wanted}).run();
}

void blobs::run_as_caffe2(plait::netdef const& net) {
  plait::compile(net, caffe2_table(), state_->held, {.as_declared = true}).run();
}

std::vector<std::string> blobs::retrieve_step_blobs(plait::netdef const& net, std::string const& prefix) {
  return plait::retrieve_step_blobs(net, state_->held, {.prefix = prefix, .as_caffe2 = true});
}

}  // namespace conformance
