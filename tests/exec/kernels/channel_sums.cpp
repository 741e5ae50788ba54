#include <plait/exec/detail/kernels/channel_sums.hpp>

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <plait/exec/backends/omp/omp.hpp>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/backends/tbb/tbb.hpp>

namespace {

using plait::channel_places;

// Sums multiples of the elements, and ones. Whole numbers have exact sums in any order.
struct element_and_one {
  struct element {
    double const* x;
    double by;
    plait::detail::two_sums<double> operator()(std::size_t i) const { return {by * x[i], 1}; }
  };
  double const* x;
  element at(std::size_t channel) const { return {x, static_cast<double>(channel + 1)}; }
};

struct write_channel {
  struct element {
    double* y;
    double channel;
    void operator()(std::size_t i) const { y[i] += channel; }
  };
  double* y;
  element at(std::size_t channel) const { return {y, static_cast<double>(channel)}; }
};

std::vector<channel_places> const places = {{1, 1, 1},    {1, 1, 20000}, {3, 2, 5}, {3, 2, 1},    {0, 2, 5},
                                            {0, 2, 1},    {3, 2, 0},     {3, 0, 2}, {40, 300, 1}, {5000, 3, 1},
                                            {5000, 3, 2}, {2, 3, 9000},  {1, 4, 7}};

TEST_CASE_TEMPLATE("two_channel_sums: each channel is summed", B, plait::serial, plait::omp, plait::tbb) {
  for (channel_places const& at : places) {
    CAPTURE(at.outer);
    CAPTURE(at.channels);
    CAPTURE(at.inner);
    std::vector<double> x(at.rows() * at.inner);
    std::vector<double> wanted(at.channels);
    for (std::size_t i = 0; i != x.size(); ++i) {
      x[i] = static_cast<double>(i * 7 % 11) - 4;
      std::size_t const channel = i / at.inner % at.channels;
      wanted[channel] += static_cast<double>(channel + 1) * x[i];
    }
    std::vector<double> first(at.channels, -1);
    std::vector<double> second(at.channels, -1);
    std::vector<double> partials(plait::two_channel_partials(at));
    plait::two_channel_sums<B>(at, element_and_one{x.data()}, first.data(), second.data(), partials.data());
    CHECK(first == wanted);
    CHECK(second == std::vector<double>(at.channels, static_cast<double>(at.count())));
  }
}

TEST_CASE_TEMPLATE("for_each_in_channels: each element is visited once", B, plait::serial, plait::omp, plait::tbb) {
  for (channel_places const& at : places) {
    std::vector<double> y(at.rows() * at.inner, 0.5);
    plait::for_each_in_channels<B>(at, write_channel{y.data()});
    std::vector<double> wanted;
    for (std::size_t i = 0; i != y.size(); ++i) wanted.push_back(0.5 + static_cast<double>(i / at.inner % at.channels));
    CHECK(y == wanted);
  }
}

}  // namespace
