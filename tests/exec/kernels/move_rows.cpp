#include <plait/exec/detail/kernels/move_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>
#include <plait/exec/tensor.hpp>
#include <support/emulated_device.hpp>

namespace {

TEST_CASE("visit_word: the word is an unsigned integer as large as the element") {
  using plait::element_type;
  for (element_type const type :
       {element_type::boolean, element_type::uint8, element_type::float16, element_type::float32, element_type::int32,
        element_type::float64, element_type::int64}) {
    std::size_t bytes = 0;
    plait::visit_word(type, [&]<class T>(T) {
      static_assert(std::is_unsigned_v<T>);
      bytes = sizeof(T);
    });
    CHECK(bytes == plait::size_of(type));
  }
}

TEST_CASE_TEMPLATE("move_rows: a row is copied from its source, or is the filler", B, plait::serial, plait::omp,
                   plait::tbb) {
  for (std::size_t const width : {0U, 1U, 3U, 700U})
    for (std::size_t const rows : {0U, 1U, 5U, 90U}) {
      std::vector<std::int64_t> list(rows);
      for (std::size_t r = 0; r != rows; ++r) list[r] = r % 4 == 3 ? -1 : static_cast<std::int64_t>(r * 7 % 11);
      std::vector<std::uint32_t> from(11 * width);
      std::iota(from.begin(), from.end(), 1U);
      std::vector<std::uint32_t> to(rows * width, 77);
      plait::move_rows<B>(to.data(), from.data(), rows, width, plait::listed_row<std::int64_t>{list.data()}, 9U);
      std::vector<std::uint32_t> expected;
      for (std::size_t r = 0; r != rows; ++r)
        for (std::size_t c = 0; c != width; ++c)
          expected.push_back(list[r] < 0 ? 9U : from[static_cast<std::size_t>(list[r]) * width + c]);
      CHECK(to == expected);
    }
}

TEST_CASE_TEMPLATE("copy_pitched: rows are copied at their pitches, without gaps", B, plait::serial, plait::omp,
                   plait::tbb) {
  for (std::size_t const rows : {1U, 3U, 200U})
    for (std::size_t const width : {1U, 5U, 300U})
      for (std::size_t const gap : {0U, 2U}) {
        std::size_t const to_pitch = width + gap;
        std::size_t const from_pitch = width + 3 - gap;
        std::vector<std::uint16_t> from(rows * from_pitch);
        for (std::size_t i = 0; i != from.size(); ++i) from[i] = static_cast<std::uint16_t>(i);
        std::vector<std::uint16_t> to(rows * to_pitch, 9);
        std::vector<std::uint16_t> expected = to;
        for (std::size_t r = 0; r != rows; ++r)
          for (std::size_t c = 0; c != width; ++c) expected[r * to_pitch + c] = from[r * from_pitch + c];
        plait::copy_pitched<B>(to.data(), to_pitch, from.data(), from_pitch, rows, width);
        CHECK(to == expected);
      }
}

TEST_CASE_TEMPLATE("copy_parts: empty pieces, and more than a launch takes, split and concatenate to the whole", B,
                   plait::serial, plait::tbb, test::emulated_device) {
  for (std::vector<std::size_t> const& widths :
       std::vector<std::vector<std::size_t>>{{3}, {2, 0, 5}, {0, 1, 1, 1, 1, 1, 1, 1, 4, 2, 0, 3, 1, 1, 1, 1, 1, 6}})
    for (std::size_t const rows : {1U, 4U, 100U}) {
      std::vector<plait::part_place> places;
      std::size_t pitch = 0;
      for (std::size_t const width : widths) {
        places.push_back({pitch, width});
        pitch += width;
      }
      using tensor = plait::tensor<B>;
      auto const dims = [](std::size_t count) { return plait::shape{static_cast<std::int64_t>(count)}; };
      std::vector<std::int32_t> numbers(rows * pitch);
      std::iota(numbers.begin(), numbers.end(), 1);
      auto const whole = tensor::from(numbers, dims(numbers.size()));
      std::vector<tensor> parts;
      for (std::size_t const width : widths)
        parts.push_back(tensor::from(std::vector<std::int32_t>(rows * width, -1), dims(rows * width)));
      plait::copy_parts<B>(whole.template data<std::int32_t>(), pitch, rows, places,
                           [&](std::size_t i) { return parts[i].template data<std::int32_t>(); });
      for (std::size_t i = 0; i != parts.size(); ++i) {
        std::vector<std::int32_t> expected;
        for (std::size_t r = 0; r != rows; ++r)
          for (std::size_t c = 0; c != widths[i]; ++c) expected.push_back(numbers[r * pitch + places[i].offset + c]);
        CHECK(parts[i].template values<std::int32_t>() == expected);
      }
      auto again = tensor::from(std::vector<std::int32_t>(rows * pitch, -1), dims(rows * pitch));
      plait::copy_parts<B>(again.template data<std::int32_t>(), pitch, rows, places, [&](std::size_t i) {
        return static_cast<std::int32_t const*>(parts[i].template data<std::int32_t>());
      });
      CHECK(again.template values<std::int32_t>() == numbers);
    }
}

}  // namespace
