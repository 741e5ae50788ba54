#include <support/counted_new.hpp>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> count = 0;

void* allocate(std::size_t bytes) noexcept {
  count.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void* allocate(std::size_t bytes, std::align_val_t alignment) noexcept {
  count.fetch_add(1, std::memory_order_relaxed);
  auto const step = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(step, (bytes / step + 1) * step);
}
template <class... Size>
void* allocate_or_throw(Size... size) {
  void* const made = allocate(size...);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

}  // namespace

std::size_t test::news() { return count.load(std::memory_order_relaxed); }

// Replaces all forms: otherwise memory from one of these could go to the address sanitizer's operator delete, or the
// reverse.
using std::align_val_t;
using std::nothrow_t;
using std::size_t;
void* operator new(size_t bytes) { return allocate_or_throw(bytes); }
void* operator new[](size_t bytes) { return allocate_or_throw(bytes); }
void* operator new(size_t bytes, align_val_t alignment) { return allocate_or_throw(bytes, alignment); }
void* operator new[](size_t bytes, align_val_t alignment) { return allocate_or_throw(bytes, alignment); }
void* operator new(size_t bytes, nothrow_t const&) noexcept { return allocate(bytes); }
void* operator new[](size_t bytes, nothrow_t const&) noexcept { return allocate(bytes); }
void* operator new(size_t bytes, align_val_t alignment, nothrow_t const&) noexcept {
  return allocate(bytes, alignment);
}
void* operator new[](size_t bytes, align_val_t alignment, nothrow_t const&) noexcept {
  return allocate(bytes, alignment);
}
void operator delete(void* at) noexcept { std::free(at); }
void operator delete[](void* at) noexcept { std::free(at); }
void operator delete(void* at, size_t) noexcept { std::free(at); }
void operator delete[](void* at, size_t) noexcept { std::free(at); }
void operator delete(void* at, align_val_t) noexcept { std::free(at); }
void operator delete[](void* at, align_val_t) noexcept { std::free(at); }
void operator delete(void* at, size_t, align_val_t) noexcept { std::free(at); }
void operator delete[](void* at, size_t, align_val_t) noexcept { std::free(at); }
void operator delete(void* at, nothrow_t const&) noexcept { std::free(at); }
void operator delete[](void* at, nothrow_t const&) noexcept { std::free(at); }
