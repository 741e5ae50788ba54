// Right operand of an op's products, packed for runs in which it is loop-invariant (op_kernel::pack).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include <plait/core/assert.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/gemm.hpp>

namespace plait {

/// Multiplies by the matrix packed last if `packed` is its memory, or by the matrix itself if that is nullptr. Packs
/// nothing for devices and libraries, which multiply as fast without.
template <backend B>
class packed_factor {
 public:
  static constexpr bool packs = !B::on_device && !detail::has_gemm_library<B>;
  /// Minimum number of columns: fewer would be mostly padding.
  static constexpr std::int64_t least_columns = 16;

  /// Returns true if threads should divide a product by columns, and a single thread take all rows at once, rather than
  /// divide it by rows. A matrix that exceeds L2 is read again by each thread for its rows; few rows leave no time to
  /// prefetch it. AMX tiles of fewer than 8 rows are no faster than those of 8.
  template <class T>
  static bool keeps_rows_together(gemm_shape const& s) {
    constexpr std::size_t shared_cache = 3 << 20;  // a thread's share of it
    std::size_t const bytes = static_cast<std::size_t>(s.n) * static_cast<std::size_t>(s.k) * sizeof(T);
    std::int64_t const threads = B::concurrency();
    std::int64_t const rows = s.m / threads;
    bool const in_parts = std::same_as<T, float> && s.bf16x3 && detail::parts_of_packed<B>(s.m, s.n, s.k) != nullptr;
    if (in_parts && threads > 1 && rows < detail::tile_side / 2) return true;
    std::int64_t const enough = (bytes > shared_cache ? 32 : 8) * (in_parts ? 2 : 1);  // rows that hide its prefetch
    return bytes > detail::own_cache && (threads == 1 || rows < enough);
  }

  /// Packs b, the right operand of s, into `to`, and returns its packed size in bytes; without `to`, only returns the
  /// size. Returns 0 if the matrix is better left as it is.
  template <class T>
  std::size_t pack(gemm_shape const& s, T const* b, void* to) {
    if constexpr (packs) {
      if (s.n < least_columns) return 0;
      packed_matrix<T, B> made;
      std::size_t const bytes = made.packed_bytes(s.k, s.n, s.m, s.bf16x3);
      if (to == nullptr) return bytes;
      made.pack_into(to, s.k, s.n, b, s.transpose_b, s.ldb, s.m, s.bf16x3);
      packed_ = std::move(made);
      return bytes;
    }
    return 0;
  }

  /// Computes c = a * b + the row `from` in each of m rows without gaps, and the epilogue. Returns false, and computes
  /// nothing, if b is not packed.
  template <class T>
  bool multiply_onto_row(void const* packed, T const* from, std::int64_t m, T const* a, T* c,
                         detail::gemm_epilogue<T> const& after = {}) const {
    if constexpr (packs)
      if (packed != nullptr) {
        matrix<T>(packed).multiply_onto(from, 0, m, a, c, after);
        return true;
      }
    return false;
  }
  /// Computes gemm() with b or, if there is one, the packed matrix instead; a is not transposed.
  template <class T>
  void multiply(void const* packed, gemm_shape const& s, T const* a, T const* b, T* c, gemm_scalar<T> alpha = 1,
                gemm_scalar<T> beta = 0, detail::gemm_epilogue<T> const& after = {}) const {
    if constexpr (packs)
      if (packed != nullptr) return matrix<T>(packed).multiply(s.m, a, c, alpha, beta, s.lda, s.ldc, after);
    gemm<B>(s, a, b, c, alpha, beta, after);
  }

 private:
  template <class Backend, bool Packs>
  struct kinds {
    using type = std::variant<std::monostate>;
  };
  template <class Backend>
  struct kinds<Backend, true> {
    using type = std::variant<std::monostate, packed_matrix<float, Backend>, packed_matrix<double, Backend>>;
  };

  template <class T>
  packed_matrix<T, B> const& matrix([[maybe_unused]] void const* at) const {
    auto const* const found = std::get_if<packed_matrix<T, B>>(&packed_);
    PLAIT_ASSERT(found != nullptr && found->data() == at, "packed_factor: another matrix was packed last");
    return *found;
  }

  typename kinds<B, packs>::type packed_;
};

}  // namespace plait
