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
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <plait/core/detail/element_type.hpp>
#include <plait/core/errors.hpp>

namespace plait {

namespace detail {
class session_backend;
}

/// Options of a session.
struct session_options {
  std::string init = {};                ///< file of the net that sets the parameters; empty: none
  std::string backend = "serial";       ///< one of session::backends()
  unsigned threads = 0;                 ///< limit for tbb; 0: none
  std::vector<std::string> fetch = {};  ///< outputs besides those that the model declares
  bool constant_parameters = true;      ///< parameters do not change between runs: weights are packed once
};

/// Type and shape of a blob.
struct tensor_info {
  std::string name;
  element_type type = element_type::none;  ///< none: unset, or not known yet
  std::vector<std::int64_t> shape = {};
};

/// Model with its parameters, compiled for a backend. One thread uses a session at a time. Element types are float,
/// double, bool, and integers: int8 to int64, uint8, uint16.
class session {
 public:
  /// Loads a NetDef (text, JSON or binary) or an ONNX model, by content. Throws io_error, parse_error, net_error or
  /// exec_error with what the model lacks to be run.
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
  template <class T>
  void feed(std::string_view name, std::span<T const> elements, std::span<std::int64_t const> shape) {
    feed_raw(name, type_of<T>(), elements.data(), elements.size(), shape);
  }
  template <class T>
  void feed(std::string_view name, std::vector<T> const& elements, std::vector<std::int64_t> const& shape) {
    feed(name, std::span<T const>(elements), std::span<std::int64_t const>(shape));
  }
  /// Runs the model. Throws exec_error naming the op; then outputs have their values from before it.
  void run();
  /// Returns a copy of the elements of a blob, of bool as bytes. Throws net_error if it is unset, or of another type.
  template <class T>
  auto fetch(std::string_view name) const {
    std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>> made(fetch_size(name, type_of<T>()));
    fetch_raw(name, made.data());
    return made;
  }

  /// Returns the groups in which ops run, as text; empty before the first run.
  std::string schedule() const;
  /// Returns the predicted memory of a run in bytes, for the tensors that are fed now.
  std::size_t forecast_bytes();

 private:
  template <class T>
  static constexpr element_type type_of() {
    if constexpr (std::is_same_v<T, float>) return element_type::float32;
    if constexpr (std::is_same_v<T, double>) return element_type::float64;
    if constexpr (std::is_same_v<T, bool>) return element_type::boolean;
    if constexpr (std::is_same_v<T, std::int8_t>) return element_type::int8;
    if constexpr (std::is_same_v<T, std::int16_t>) return element_type::int16;
    if constexpr (std::is_same_v<T, std::int32_t>) return element_type::int32;
    if constexpr (std::is_same_v<T, std::int64_t>) return element_type::int64;
    if constexpr (std::is_same_v<T, std::uint8_t>) return element_type::uint8;
    if constexpr (std::is_same_v<T, std::uint16_t>) return element_type::uint16;
    return element_type::none;  // refused by feed and fetch
  }
  void feed_raw(std::string_view name, element_type type, void const* data, std::size_t count,
                std::span<std::int64_t const> shape);
  std::size_t fetch_size(std::string_view name, element_type type) const;
  void fetch_raw(std::string_view name, void* to) const;

  std::unique_ptr<detail::session_backend> at_;
};

}  // namespace plait
