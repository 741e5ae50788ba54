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
#include <plait/exec/detail/kernels/column_part.hpp>

namespace plait {

/// Products are those of the matrix packed last, if `packed` is its memory, and of the matrix itself if that is
/// nullptr. Devices and libraries multiply as fast without: for them nothing is packed.
template <backend B>
class packed_factor {
 public:
  static constexpr bool packs = !B::on_device && !detail::has_gemm_library<B>;
  /// Fewer columns would be mostly padding.
  static constexpr std::int64_t least_columns = 16;

  /// Whether threads had better have columns of the product each, and one alone all rows at once, than rows. A matrix
  /// that leaves a thread's own cache is read anew by each thread for its rows: where these are few, nothing comes
  /// meanwhile. Tiles of fewer than 8 rows are no faster than those.
  template <class T>
  static bool keeps_rows_together(gemm_shape const& s) {
    constexpr std::size_t shared_cache = 3 << 20;  // what a thread may take of it
    std::size_t const bytes = static_cast<std::size_t>(s.n) * static_cast<std::size_t>(s.k) * sizeof(T);
    std::int64_t const threads = B::concurrency();
    std::int64_t const rows = s.m / threads;
    bool const in_parts = std::same_as<T, float> && s.bf16x3 && detail::parts_of_packed<B>(s.m, s.n, s.k) != nullptr;
    if (in_parts && threads > 1 && rows < detail::tile_side / 2) return true;
    std::int64_t const enough = (bytes > shared_cache ? 32 : 8) * (in_parts ? 2 : 1);  // for the next of it to come
    return bytes > detail::own_cache && (threads == 1 || rows < enough);
  }

  /// Packs b, the right operand of s, into `to`, and returns the bytes that takes; without `to` only returns them. 0:
  /// the matrix is better left as it is.
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

  /// Computes c = a * b + the row `from` in each row, of m rows without gaps, and the epilogue, if b is packed; else
  /// returns false.
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
  /// Returns how many columns are packed together.
  template <class T>
  static std::size_t panel_columns() {
    if constexpr (packs) return packed_matrix<T, B>::panel_columns();
    return 1;
  }
  /// multiply_onto_row for one row of a, and of each block of `part.width` columns, which is of whole panels, those of
  /// the part. b must be packed.
  template <class T>
  void multiply_part_onto_row(void const* packed, T const* from, T const* a, T* c,
                              column_part const& part) const noexcept {
    if constexpr (packs) {
      packed_matrix<T, B> const& b = matrix<T>(packed);
      std::size_t const blocks = static_cast<std::size_t>(b.columns()) / part.width;
      for (std::size_t k = 0; k != blocks; ++k) {
        std::size_t const block = (part.backwards ? blocks - 1 - k : k) * part.width;
        b.multiply_columns_onto(from, block + part.first, block + part.last, a, c);
      }
    }
  }
  /// gemm, of b or of the packed matrix instead; a is not transposed.
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
