#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <vector>

#include <plait/exec/detail/kernels/instruction_sets.hpp>

#include <support/instruction_sets.hpp>

PLAIT_KERNELS_BEGIN

namespace {

struct triple_loop {
  void operator()(std::int32_t const* in, std::int32_t* out, std::size_t count) const {
    PLAIT_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) out[i] = 3 * in[i] + factor;
  }
  std::int32_t factor = 1;
};

}  // namespace

PLAIT_KERNELS_END

namespace {

std::vector<std::int32_t> numbers(std::size_t count) {
  std::vector<std::int32_t> made(count);
  std::iota(made.begin(), made.end(), -7);
  return made;
}

}  // namespace

TEST_CASE("vectorized: loops have the same results with every instruction set, length and offset") {
  for (std::size_t count = 0; count != 70; ++count) {
    for (std::size_t offset = 0; offset != 4; ++offset) {
      std::vector<std::int32_t> const in = numbers(count + offset);
      std::vector<std::int32_t> expected(count + offset + 1, -1);
      for (std::size_t i = offset; i != in.size(); ++i) expected[i] = 3 * in[i] + 5;
      auto const check = [&](auto run) {
        std::vector<std::int32_t> out(count + offset + 1, -1);
        run(triple_loop{5}, in.data() + offset, out.data() + offset, count);
        CHECK(out == expected);
      };
      check([](auto const& f, auto... args) { plait::vectorized(f, args...); });
      check([](auto const& f, auto... args) { plait::detail::run_portable(f, args...); });
#if PLAIT_X86_DISPATCH
      if (test::has_instructions(plait::instruction_set::avx2))
        check([](auto const& f, auto... args) { plait::detail::run_avx2(f, args...); });
      if (test::has_instructions(plait::instruction_set::avx512))
        check([](auto const& f, auto... args) { plait::detail::run_avx512(f, args...); });
#endif
    }
  }
}

TEST_CASE("available_instructions: the environment can only lower the instruction set") {
  char const* const wish = std::getenv("PLAIT_INSTRUCTIONS");
  std::string_view const wanted = wish == nullptr ? "" : wish;
  plait::instruction_set const used = plait::available_instructions();
  CHECK(used == plait::available_instructions());
  if (wanted == "portable") CHECK(used == plait::instruction_set::portable);
  if (wanted == "avx2") CHECK(used <= plait::instruction_set::avx2);
#if PLAIT_X86_DISPATCH
  if (wanted.empty())
    CHECK((used >= plait::instruction_set::avx2) ==
          (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")));
#else
  CHECK(used == plait::instruction_set::portable);
#endif
}
