// What a backward pass is asked for, and how it may fail.
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

/// A blob to start from, and its gradient: that of a given blob, or, without one, ones of its shape.
struct gradient_seed {
  template <class T>
    requires std::convertible_to<T const&, std::string_view>
  gradient_seed(T const& y) : blob(static_cast<std::string_view>(y)) {}
  gradient_seed(std::string_view y, blob_gradient given) : blob(y), gradient(std::move(given)) {}
  gradient_seed(std::string_view y, std::string_view given) : blob(y), gradient(blob_gradient::dense(given)) {}

  std::string blob;
  std::optional<blob_gradient> gradient;
};

/// What to do where a gradient op needs a value of the net that a later op overwrites. With any of these, nets inside
/// If, While and Do copy what they overwrite themselves, if it is not recomputed: each policy takes every net that the
/// one before it in the order refuse, recompute, copy takes.
enum class overwritten_values {
  refuse,     ///< an error that names both versions
  copy,       ///< copy it in the net, before it is overwritten
  recompute,  ///< run the ops that make it once more, if they give the same and what they need is there; else refuse
};

/// What to do where a blob gets dense gradients and sparse ones, or a dense one is needed and a sparse one comes.
enum class mixed_gradients {
  refuse,
  densify,  ///< spread the rows over a tensor of the blob's shape (SparseToDense)
};

struct gradient_options {
  overwritten_values overwritten = overwritten_values::refuse;
  mixed_gradients mixed = mixed_gradients::refuse;
  /// Blobs whose gradients are wanted; nothing is computed that these do not need. Empty: all.
  std::vector<std::string> only = {};
  /// Operands of Add, Sub, Mul, Div and Pow may differ in shape without the argument `broadcast`; their gradients are
  /// then summed to their shapes. By itself the pass takes shapes to be equal there, as Caffe2 does, which saves ops.
  bool numpy_broadcasting = false;
  /// Follow Caffe2 where plait does otherwise by itself: a given gradient of a blob that is read further on is dropped
  /// instead of added; gradients have the names they wish for, whatever stands there and is still needed; an output
  /// that is overwritten unread has the gradient of what overwrites it, and where a gradient op would read that, the op
  /// cannot be differentiated; what control flow makes anew hands on the gradient that comes in, and nets inside keep
  /// the name of a gradient that is one of several; fills of ones, and sums of gradients that are all passed through,
  /// have no device, which for a fill counts as the CPU; seeds may be blobs that the net does not know.
  bool as_caffe2 = false;
};

/// A copy of a blob that a net needs before one of its ops, in the net itself or in one inside it.
struct saved_value {
  /// One step into a net inside an op: the op, and the argument that holds the net.
  struct step {
    op_index op = 0;
    std::string argument;
    friend bool operator==(step const&, step const&) = default;
  };
  std::vector<step> path;  ///< from the outside in; empty: the net itself
  op_index position = 0;   ///< of the op it stands before
  std::string blob;
  std::string name;         ///< of the copy
  bool shape_only = false;  ///< the blob may be unset: ZerosLike instead of Copy
  friend bool operator==(saved_value const&, saved_value const&) = default;
};

/// Ops in ascending order, shared by all problems that name them: a blob that is overwritten n times may have n
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

/// One reason why a net cannot be differentiated.
struct gradient_problem {
  std::optional<op_index> op;                 ///< the op of the net in question
  std::string blob = {};                      ///< the blob, where it is about one
  std::optional<std::uint32_t> needed = {};   ///< the version a gradient op needs
  std::optional<std::uint32_t> present = {};  ///< the version it would find
  shared_ops writers = {};                    ///< all ops that write the blob
  std::string text = {};                      ///< the whole as a sentence
};

/// Everything that is wrong with a net, found in one go. what() lists it.
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
