// Shared by the fuzz targets of the runtime: choices decoded from bytes, and runs of a net whose results are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/plan.hpp>
#include <plait/netdef/traits.hpp>

// A net may request more memory than there is, for example one that numbers the rows of 2^31 segments: here that throws
// std::bad_alloc, where sanitizers would end the program.
namespace fuzz {
inline constexpr std::size_t largest_block = std::size_t{1} << 26;
inline constexpr std::uint64_t most_iterations = 16;  // of a loop, which need not terminate
}  // namespace fuzz
// The fuzzing engine calls the sanitizer's new, and the delete of this file.
extern "C" char const* __asan_default_options() { return "alloc_dealloc_mismatch=0"; }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  auto const step = static_cast<std::size_t>(alignment);
  void* const made = bytes > fuzz::largest_block ? nullptr : std::aligned_alloc(step, (bytes / step + 1) * step);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}
void* operator new(std::size_t bytes) {
  void* const made = bytes > fuzz::largest_block ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}
void operator delete(void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }
void operator delete(void* at, std::align_val_t) noexcept { std::free(at); }
void operator delete(void* at, std::size_t, std::align_val_t) noexcept { std::free(at); }

namespace fuzz {

using backend = plait::serial;
using tensor = plait::tensor<backend>;
using feeds = std::vector<std::pair<std::string, tensor>>;

/// Decodes choices from bytes; zeros after the last byte.
class choices {
 public:
  choices(std::uint8_t const* data, std::size_t size) : at_(data), end_(data + size) {}
  bool empty() const { return at_ == end_; }
  std::size_t below(std::size_t count) {
    std::size_t const byte = at_ == end_ ? 0 : *at_++;
    return byte % count;
  }
  template <class T, std::size_t N>
  T const& of(T const (&all)[N]) {
    return all[below(N)];
  }

 private:
  std::uint8_t const* at_;
  std::uint8_t const* end_;
};

struct result {
  std::vector<std::optional<tensor>> values;  ///< by name; nothing if a blob is not a tensor
  bool refused = false;
};

/// Runs a net twice. With `apart`, no two values share memory.
template <plait::backend B>
result run(plait::netdef const& net, plait::operators<B> const& table, feeds const& fed,
           std::span<std::string const> names, bool apart) {
  plait::workspace<B> blobs;
  for (auto const& [name, value] : fed) blobs.feed(name, value.template to<B>());
  result got;
  try {
    auto plan = plait::compile(net, table, blobs, {.parallel = apart});
    plan.run({.iteration_limit = most_iterations});
    plan.run({.iteration_limit = most_iterations});
  } catch (plait::exec_error const&) {
    got.refused = true;
  }
  for (std::string const& name : names) {
    bool const is_tensor = blobs.contains(name) && blobs.get(name).object == nullptr;
    got.values.push_back(is_tensor ? std::optional(blobs.view(name).template to<backend>()) : std::nullopt);
  }
  return got;
}

/// Returns true if the same names are tensors, of the same types and bits.
inline bool same_values(result const& a, result const& b) {
  for (std::size_t i = 0; i != a.values.size(); ++i) {
    auto const& x = a.values[i];
    auto const& y = b.values[i];
    if (x.has_value() != y.has_value()) return false;
    if (!x) continue;
    if (x->spec() != y->spec()) return false;
    if (x->bytes() != 0 && std::memcmp(x->raw(), y->raw(), x->bytes()) != 0) return false;
  }
  return true;
}

}  // namespace fuzz
