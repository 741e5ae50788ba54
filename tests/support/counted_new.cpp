#include <support/counted_new.hpp>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> count = 0;

void* counted(void* made) {
  if (made == nullptr) throw std::bad_alloc();
  count.fetch_add(1, std::memory_order_relaxed);
  return made;
}

}  // namespace

std::size_t test::news() { return count.load(std::memory_order_relaxed); }

// The forms for arrays, and those that do not throw, call these.
void* operator new(std::size_t bytes) { return counted(std::malloc(bytes == 0 ? 1 : bytes)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  auto const step = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(step, (bytes / step + 1) * step));
}
void operator delete(void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }
void operator delete(void* at, std::align_val_t) noexcept { std::free(at); }
void operator delete(void* at, std::size_t, std::align_val_t) noexcept { std::free(at); }
