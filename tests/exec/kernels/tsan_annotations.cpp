// Calls of annotated loops. All loops that run with the thread sanitizer test what it infers from the annotations.
#include <plait/exec/detail/kernels/tsan_annotations.hpp>

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

namespace {

TEST_CASE("tsan_annotations: copies of an annotated loop call the same function") {
  std::vector<int> runs(5);
  auto const f = [&runs](std::size_t part) { ++runs[part]; };
  {
    plait::detail::annotated_loop shared(f);
    auto const first = shared.part();
    auto const second = first;
    for (std::size_t part : {0u, 2u, 4u}) first(part);
    for (std::size_t part : {1u, 2u}) second(part);
  }
  CHECK(runs == std::vector<int>{1, 1, 2, 0, 1});
}

}  // namespace
