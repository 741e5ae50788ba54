// Options, seeds and errors of a backward pass.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/gradient/detail/blob_gradient.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Seed of a backward pass: a blob and its initial adjoint, which is a given blob or, by default, ones of its shape.
struct gradient_seed {
  template <class T>
    requires std::convertible_to<T const&, std::string_view>
  gradient_seed(T const& y) : blob(static_cast<std::string_view>(y)) {}
  gradient_seed(std::string_view y, blob_gradient given) : blob(y), gradient(std::move(given)) {}
  gradient_seed(std::string_view y, std::string_view given) : blob(y), gradient(blob_gradient::dense(given)) {}

  std::string blob;
  std::optional<blob_gradient> gradient;
};

/// Policy for forward values that a gradient op needs and a later op overwrites: error, saved tensor or
/// rematerialisation. With each of them, nets nested in If, While and Do save values that they overwrite themselves and
/// that are not recomputed. In the order refuse, recompute, copy each policy accepts every net that the one before it
/// accepts.
enum class overwritten_values {
  refuse,     ///< an error that names both versions
  copy,       ///< insert a copy into the net, before the value is overwritten
  recompute,  ///< run its producers again, if they are deterministic and their inputs are available; else refuse
};

/// Policy for a blob with both dense and sparse gradients, and for a sparse gradient that a rule needs dense.
enum class mixed_gradients {
  refuse,
  densify,  ///< reduction_backward the rows over a tensor of the blob's shape (SparseToDense)
};

/// Options of a backward pass.
struct gradient_options {
  overwritten_values overwritten = overwritten_values::refuse;
  mixed_gradients mixed = mixed_gradients::refuse;
  /// Blobs whose gradients are requested; ops that these do not need are not emitted. Empty: all blobs.
  std::vector<std::string> only = {};
  /// NumPy broadcasting of Add, Sub, Mul, Div and Pow without the argument `broadcast`: gradients are summed to the
  /// operands' shapes. By default the pass assumes equal shapes there, as Caffe2 does, which saves ops.
  bool numpy_broadcasting = false;
  /// Follows Caffe2 where plait deviates by default: a given gradient of a blob with readers is dropped, not added;
  /// gradients get the names they request even if live values have them; an output that is overwritten unread has the
  /// gradient of the overwriting version, and its op is refused if a gradient op would read that; a blob that control
  /// flow overwrites passes the incoming gradient through; nested nets keep the name of a gradient that is one of
  /// several; fills of ones, and sums of gradients that are all passed through, have no device, which counts as the CPU
  /// for a fill; seeds may be blobs that are not in the net.
  bool as_caffe2 = false;
};

/// Saved forward value (saved tensor): a copy of a blob to insert before an op of the net or of a nested net.
struct saved_value {
  /// A step into a nested net: the op and the argument that holds the net.
  struct step {
    op_index op = 0;
    std::string argument;
    friend bool operator==(step const&, step const&) = default;
  };
  std::vector<step> path;  ///< from the outermost net inwards; empty: the net itself
  op_index position = 0;   ///< the op that it is inserted before
  std::string blob;
  std::string name;         ///< the name of the copy
  bool shape_only = false;  ///< the blob may be unset: ZerosLike instead of Copy
  friend bool operator==(saved_value const&, saved_value const&) = default;
};

/// Shared list of ops in ascending order. Problems share it, since a blob that is overwritten n times may have n
/// problems with n writers each.
class shared_ops {
 public:
  shared_ops() = default;
  explicit shared_ops(std::vector<op_index> ops)
      : ops_(std::make_shared<std::vector<op_index> const>(std::move(ops))) {}
  std::span<op_index const> list() const noexcept {
    return ops_ ? std::span<op_index const>(*ops_) : std::span<op_index const>();
  }
  std::size_t size() const noexcept { return list().size(); }
  op_index operator[](std::size_t i) const { return list()[i]; }
  auto begin() const noexcept { return list().begin(); }
  auto end() const noexcept { return list().end(); }
  friend bool operator==(shared_ops const& a, std::vector<op_index> const& b) {
    return std::ranges::equal(a.list(), b);
  }

 private:
  std::shared_ptr<std::vector<op_index> const> ops_;
};

/// A reason why a net cannot be differentiated.
struct gradient_problem {
  std::optional<op_index> op;                 ///< the op concerned
  std::string blob = {};                      ///< the blob concerned, if any
  std::optional<std::uint32_t> needed = {};   ///< the version a gradient op needs
  std::optional<std::uint32_t> present = {};  ///< the version it would find
  shared_ops writers = {};                    ///< all ops that write the blob
  std::string text = {};                      ///< the message
};

/// Thrown with all problems of a net, which what() lists.
struct gradient_error : net_error {
  explicit gradient_error(std::vector<gradient_problem> found)
      : net_error(join(found), found.front().op, found.front().blob), problems(std::move(found)) {}

  std::vector<gradient_problem> problems;

 private:
  static std::string join(std::vector<gradient_problem> const& found) {
    std::string text = "plait: the net cannot be differentiated: ";
    for (gradient_problem const& p : found) text += (&p == &found.front() ? "" : "; ") + p.text;
    return text;
  }
};

}  // namespace plait
