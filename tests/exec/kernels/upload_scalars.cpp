#include <plait/exec/detail/kernels/upload_scalars.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>
#include <support/emulated_device.hpp>

namespace {

TEST_CASE_TEMPLATE("upload_scalars: exactly `count` scalars are set, in one launch or several", B, plait::serial,
                   test::emulated_device) {
  for (std::size_t const count : {0U, 1U, 31U, 32U, 33U, 100U}) {
    CAPTURE(count);
    std::vector<std::int64_t> from(count);
    std::iota(from.begin(), from.end(), 5);
    auto to = plait::tensor<B>::from(std::vector<std::int64_t>(count + 1, -1), {static_cast<std::int64_t>(count + 1)});
    plait::upload_scalars<B>(to.template data<std::int64_t>(), from.data(), count);
    auto wanted = from;
    wanted.push_back(-1);
    from.assign(count, 0);  // they are no longer read
    CHECK(to.template values<std::int64_t>() == wanted);
  }
}

}  // namespace
