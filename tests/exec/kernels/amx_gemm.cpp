#include <plait/exec/kernels/amx_gemm.hpp>

#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/kernels/packed_matrix.hpp>
#include <plait/exec/serial.hpp>

#include <support/gemm_cases.hpp>
#include <support/skip.hpp>

using namespace plait;

TEST_CASE("matrices are packed in parts for many rows where there are tiles, and multiply as others do") {
  std::mt19937 random(13);
  bool const tiles = detail::has_amx();
  if (!tiles) test::skip("without AMX, matrices are packed in panels only");
  CHECK((detail::parts_of_packed<serial>(16, 64, 64) != nullptr) == tiles);
  CHECK((detail::parts_of_packed<serial>(32, 1024, 512) != nullptr) == tiles);
  CHECK((detail::parts_of_both<serial>(256, 256, 64) != nullptr) == tiles);
  CHECK(detail::parts_of_packed<serial>(15, 64, 64) == nullptr);
  CHECK(detail::parts_of_packed<serial>(31, 1024, 512) == nullptr);
  test::gemm_case<float> x({.m = 40, .n = 64, .k = 96}, 0.5f, 2, random);
  packed_panels<float, serial> in_panels(available_instructions());
  in_panels.pack(96, 64, x.b.data(), false, 0, 128);
  packed_panels<float, serial> made;
  made.pack(96, 64, x.b.data(), false, 0, 128);
  packed_panels<float, serial> const moved = std::move(made);
  std::vector<float> panels(40 * 64, 1.0f), parts(40 * 64, 1.0f);
  in_panels.multiply(40, x.a.data(), panels.data(), 0.5f, 2);
  moved.multiply(40, x.a.data(), parts.data(), 0.5f, 2);
  bool const same = panels == parts;
  CHECK(same == !tiles);
  for (std::size_t i = 0; i != parts.size(); ++i) CHECK(parts[i] == doctest::Approx(panels[i]).epsilon(1e-5));
}
