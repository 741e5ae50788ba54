// Runtime session: loads a model and runs it; compiled in the library plait::runtime, so that programs compile no
// templates.
//
//   plait::session s("predict.pb", {.init = "init.pb", .backend = "tbb"});
//   s.feed<float>("data", pixels, {1, 3, 224, 224});
//   s.run();
//   std::vector<float> scores = s.fetch<float>("softmax");
//
// Errors are those of core/errors.hpp, with the op, the blob and the reason in what().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/exec/detail/element_type.hpp>

#ifndef PLAIT_API
#if defined(__GNUC__)
#define PLAIT_API __attribute__((visibility("default")))
#else
#define PLAIT_API
#endif
#endif

namespace plait {

namespace detail {

class session_backend;

/// Throws shape_error if an operand does not hold elements of the type that is asked for.
PLAIT_API void expect_elements(element_type held, element_type wanted);

}  // namespace detail

/// Type and shape of a blob.
struct tensor_info {
  std::string name;
  element_type type = element_type::none;  ///< none: unset, or not known yet
  std::vector<std::int64_t> shape = {};
};

/// Operand of a user_operator in host memory, row-major: of `void const` if it is an input.
template <class Void>
struct basic_tensor_view {
  element_type type;
  std::span<std::int64_t const> shape;
  Void* data;
  std::size_t size;  ///< number of elements

  /// Returns the elements. Throws shape_error if T is not their type.
  template <element T>
  auto elements() const {
    detail::expect_elements(type, element_type_of<T>);
    using held = std::conditional_t<std::is_const_v<Void>, T const, T>;
    return std::span<held>(static_cast<held*>(data), size);
  }
};
using tensor_view = basic_tensor_view<void const>;
using mutable_tensor_view = basic_tensor_view<void>;

/// Op type that a program adds to a session:
///
///   plait::user_operator{.type = "Scale", .arguments = {{"by", 1.0}}, .run = [](plait::user_operator::call const& c) {
///     auto x = c.inputs[0].elements<float>();
///     auto y = c.outputs[0].elements<float>();
///     for (std::size_t i = 0; i != x.size(); ++i) y[i] = static_cast<float>(c.argument("by")) * x[i];
///   }}
struct user_operator {
  struct call {
    std::span<tensor_view const> inputs;
    std::span<mutable_tensor_view const> outputs;
    std::span<std::pair<std::string, double> const> arguments;

    /// Returns an argument of the op, or its default. Throws net_error if the type does not declare it.
    PLAIT_API double argument(std::string_view name) const;
  };

  std::string type;                                            ///< replaces an op type of plait with the same name
  std::size_t inputs = 1;                                      ///< number of inputs
  std::size_t outputs = 1;                                     ///< number of outputs
  std::vector<std::pair<std::string, double>> arguments = {};  ///< numbers, with defaults
  /// Returns types and shapes of outputs (names are ignored) from those of inputs; throws for inputs that the op
  /// refuses. Empty: all outputs are as the first input.
  std::function<std::vector<tensor_info>(std::span<tensor_info const>)> infer = {};
  /// Computes the outputs.
  std::function<void(call const&)> run = {};
  /// Op type of the gradient: its inputs are those of the op, then gradients of its outputs, and its outputs are
  /// gradients of its inputs. Empty: the op has no gradient.
  std::string gradient = {};
  std::string onnx_domain = {};  ///< domain of ONNX nodes of this type; empty: ONNX's own
};

/// Options of a session.
struct session_options {
  std::string init = {};                ///< file of the net that sets the parameters; empty: none
  std::string backend = "serial";       ///< one of session::backends()
  unsigned threads = 0;                 ///< maximum for tbb; 0: no limit
  std::vector<std::string> fetch = {};  ///< outputs besides those that the model declares
  bool constant_parameters = true;      ///< parameters do not change between runs: weights are packed once
  std::vector<user_operator> operators = {};
};

/// Training step: gradients of a loss, and an update of parameters.
struct training_options {
  std::string loss;                          ///< blob of the model that has one element
  std::string optimizer = "sgd";             ///< "sgd", "momentum" (0.9), "adagrad", "adam" or "rmsprop"
  float rate = 0.01f;                        ///< learning rate
  std::vector<std::string> parameters = {};  ///< empty: all parameters of floats that the loss depends on
};

/// Op that has run, or fused ops.
struct op_timing {
  std::string_view type;    ///< "FC", or "FC+Relu" of fused ops
  std::string_view output;  ///< first output
  double seconds;
  std::size_t depth;  ///< 0, or the number of nets around its net
};

/// Options of a run.
struct session_run_options {
  std::stop_token stop = {};                            ///< a run that is stopped throws run_cancelled
  std::function<void(op_timing const&)> observer = {};  ///< called by one thread at a time
};

/// Model with its parameters, compiled for a backend. One thread uses a session at a time. Element types are float,
/// double, bool, and integers: int8 to int64, uint8, uint16.
class PLAIT_API session {
 public:
  /// Loads a NetDef (text, JSON or binary), or an ONNX model if the file is named *.onnx. Throws io_error, parse_error,
  /// net_error, onnx_error or exec_error with what the model lacks to be run.
  explicit session(std::string const& path, session_options const& options = {});
  session(session&&) noexcept;
  session& operator=(session&&) noexcept;
  ~session();

  /// Returns the backends of the library: "serial", and those that it was built with.
  static std::vector<std::string> backends();

  /// Returns the blobs that must be fed before run(), apart from parameters.
  std::vector<std::string> inputs() const;
  /// Returns the blobs that run() sets.
  std::vector<std::string> outputs() const;
  /// Returns type and shape of a blob as it is now.
  tensor_info info(std::string_view name) const;

  /// Copies elements into a blob, row-major. Throws shape_error if their number is not that of the shape.
  template <element T>
  void feed(std::string_view name, std::span<T const> elements, std::span<std::int64_t const> shape) {
    feed_raw(name, element_type_of<T>, elements.data(), elements.size(), shape);
  }
  template <element T>
  void feed(std::string_view name, std::vector<T> const& elements, std::vector<std::int64_t> const& shape) {
    feed(name, std::span<T const>(elements), std::span<std::int64_t const>(shape));
  }
  /// Runs the model. Throws exec_error naming the op; then outputs have their values from before it.
  void run(session_run_options const& options = {});
  /// Returns a copy of the elements of a blob, of bool as bytes. Throws net_error if it is unset, or of another type.
  template <element T>
  auto fetch(std::string_view name) const {
    std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>> made(
        fetch_size(name, element_type_of<T>));
    fetch_raw(name, made.data());
    return made;
  }

  /// Makes train() run the model, its backward pass and an optimiser, from now on: each call updates the parameters,
  /// which run() reads, too, and are no longer constant. Replaces an earlier one. Throws net_error or gradient_error
  /// for a loss that the model does not have or that cannot be differentiated; then the session is unchanged.
  void add_training(training_options const& options);
  /// Runs a training step. Throws like run, and net_error without add_training.
  void train(session_run_options const& options = {});
  /// Writes the parameters as an init net in binary, to be used as session_options::init. Throws io_error.
  void save_parameters(std::string const& path) const;

  /// Returns the groups in which ops run, as text; empty before the first run.
  std::string schedule() const;
  /// Returns the predicted memory of a run in bytes, for the tensors that are fed now.
  std::size_t forecast_bytes();

 private:
  void feed_raw(std::string_view name, element_type type, void const* data, std::size_t count,
                std::span<std::int64_t const> shape);
  std::size_t fetch_size(std::string_view name, element_type type) const;
  void fetch_raw(std::string_view name, void* to) const;

  std::unique_ptr<detail::session_backend> at_;
};

}  // namespace plait
