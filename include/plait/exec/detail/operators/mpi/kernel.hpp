// Base of MPI kernels, and copies between tensors of a backend and the host buffers of jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include <plait/exec/detail/kernels/convert.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/operators/mpi/communicator.hpp>
#include <plait/exec/op_kernel.hpp>

namespace plait::detail::mpi {

/// Returns the type in which elements are summed: 16-bit floats as floats, so that a sum is rounded once.
constexpr element_type sum_type(element_type type) {
  return type == element_type::float16 || type == element_type::bfloat16 ? element_type::float32 : type;
}

/// Returns the arguments of a sum, for its description.
inline std::string sum_arguments(bool average, bool ordered) {
  return average ? ordered ? "average, ordered" : "average" : ordered ? "ordered" : "";
}

/// Throws shape_error unless an input has a type that can be summed.
inline void expect_summable(shape_context const& c, std::size_t i) {
  c.expect_type<float, double, float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                std::uint16_t, std::uint32_t, std::uint64_t>(i);
}

/// Copies elements of a backend's memory to the host, in the type of their sum.
template <backend B>
void copy_terms(std::byte* to, void const* from, element_type type, std::size_t count) {
  if (sum_type(type) == type) return B::copy_to_host(to, from, count * size_of(type));
  // Into the second half, so that no element is overwritten before it is widened.
  std::byte* const narrow = to + count * size_of(type);
  B::copy_to_host(narrow, from, count * size_of(type));
  visit_type<float16, bfloat16>(type, [&]<class T>(T) {
    auto const* const elements = reinterpret_cast<T const*>(narrow);
    auto* const wide = reinterpret_cast<float*>(to);
    for (std::size_t i = 0; i != count; ++i) {
      T const element = elements[i];
      wide[i] = convert<float>(element);
    }
  });
}

/// Copies sums to a backend's memory, divided by the number of ranks if that is the divisor. Overwrites `from`.
template <backend B>
void copy_sums(void* to, std::byte* from, element_type type, std::size_t count, int divisor) {
  if (divisor != 1)
    visit_type<float, double>(sum_type(type), [&]<class T>(T) {
      auto* const sums = reinterpret_cast<T*>(from);
      for (std::size_t i = 0; i != count; ++i) sums[i] /= static_cast<T>(divisor);
    });
  visit_type<float16, bfloat16>(type, [&]<class T>(T) {
    auto const* const wide = reinterpret_cast<float const*>(from);
    auto* const elements = reinterpret_cast<T*>(from);
    for (std::size_t i = 0; i != count; ++i) {
      float const sum = wide[i];
      elements[i] = convert<T>(sum);
    }
  });
  B::copy_from_host(to, from, count * size_of(type));
}

/// Base of the kernels of operations on the communicator in input 0. `Job` is made by `infer`, and used by all runs for
/// these types, unless one that has failed still holds it.
template <backend B>
class mpi_kernel : public op_kernel<B> {
 protected:
  static communicator const& communicator_of(op_context<B>& c) {
    auto const found = std::dynamic_pointer_cast<communicator const>(c.object(0));
    if (found == nullptr)
      c.fail("input 0 is " + to_string(c.input_spec(0)) + ", which should be a communicator of MPICreateCommonWorld");
    return *found;
  }
  // Returns the description of an operation on input 1 alone.
  static std::shared_ptr<call const> call_on(shape_context const& c, std::string_view type,
                                             std::string_view arguments = {}) {
    auto made = std::make_shared<call>(type, arguments);
    made->add(c.input_name(1), c.input(1));
    return made;
  }
  // Throws unless the elements of an input can be counted by MPI, on all ranks together.
  static void expect_countable(shape_context const& c, std::size_t i, std::int64_t ranks) {
    c.expect(c.dims(i).size() <= std::int64_t{std::numeric_limits<int>::max()} / ranks, i,
             "have at most 2147483647 elements on all ranks together");
  }
  static int size_of_world() { return progress::shared().world().size; }

 private:
  std::weak_ptr<communicator const> used_;  // in the last run
};

/// Reads `root`, the number of a rank.
class root_argument {
 public:
  explicit root_argument(op_arguments const& a) : root_(a.integer("root")) {
    if (root_ < 0 || root_ > std::numeric_limits<int>::max()) a.fail("root", "is not the number of a rank");
  }
  /// Throws shape_error if there is no such rank.
  int rank(int size) const {
    if (root_ >= size)
      shape_context::fail("argument 'root' is " + std::to_string(root_) + ", and there are " + std::to_string(size) +
                          " ranks");
    return static_cast<int>(root_);
  }
  std::string text() const { return "root " + std::to_string(root_); }

 private:
  std::int64_t root_;
};

}  // namespace plait::detail::mpi
