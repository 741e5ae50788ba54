// Interface of a session's backend: what the library plait::runtime implements for each backend that it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plait/net/detail/parameter.hpp>
#include <plait/netdef/model.hpp>
#include <plait/runtime.hpp>

namespace plait::detail {

/// Model as read from its files.
struct session_model {
  netdef net;
  netdef init;                        ///< without ops if there is none
  std::vector<parameter> parameters;  ///< initializers of an ONNX model
};

/// Training step of a model.
struct training_step {
  netdef net;   ///< the model, its backward pass and an optimiser
  netdef init;  ///< sets what the optimiser keeps
};

/// Reads a model, and the net that sets its parameters unless options.init is empty. Throws what readers throw.
session_model read_model(std::string const& path, session_options const& options);
/// Reads an ONNX model; nodes of the types in `operators` become ops of these.
session_model read_onnx_model(std::string const& path, std::vector<user_operator> const& operators);

/// Returns the training step of a model for those of these parameters of floats that the loss depends on. Throws
/// net_error if that is none of them, or not all although options.parameters lists them.
training_step make_training_step(netdef const& net, training_options const& options,
                                 std::vector<user_operator> const& operators,
                                 std::vector<std::string> const& parameters);

/// Writes parameters as an init net. Throws io_error.
void write_parameters(std::string const& path, std::vector<parameter> const& parameters);

class session_backend {
 public:
  virtual ~session_backend() = default;

  virtual std::vector<std::string> inputs() const = 0;
  virtual std::vector<std::string> outputs() const = 0;
  virtual tensor_info info(std::string_view name) const = 0;
  virtual void feed(std::string_view name, element_type type, void const* data,
                    std::span<std::int64_t const> shape) = 0;
  virtual void run(session_run_options const& options) = 0;
  virtual void add_training(training_options const& options) = 0;
  virtual void train(session_run_options const& options) = 0;
  virtual std::vector<parameter> parameters() const = 0;
  /// Throws net_error if the blob is unset, or of another type. Returns the number of elements.
  virtual std::size_t expect(std::string_view name, element_type type) const = 0;
  virtual void fetch(std::string_view name, void* to) const = 0;
  virtual std::string schedule() const = 0;
  virtual std::size_t forecast_bytes() = 0;
};

struct invalid_argument : error {
  using error::error;
};

using session_factory = std::unique_ptr<session_backend> (*)(session_model&&, session_options const&);
struct named_factory {
  std::string_view backend;
  session_factory make;
};
/// Returns the backends that the library was built with. Defined by its build.
std::span<named_factory const> session_factories();
/// Throws invalid_argument for a backend that the library lacks.
std::unique_ptr<session_backend> open_session(std::string const& path, session_options const& options);

}  // namespace plait::detail
