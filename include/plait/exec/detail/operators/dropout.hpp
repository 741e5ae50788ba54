// Dropout: N. Srivastava, G. Hinton, A. Krizhevsky, I. Sutskever and R. Salakhutdinov, JMLR 15, 2014.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <plait/exec/detail/kernels/fill.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operators/random_fills.hpp>
#include <plait/exec/detail/shape_context.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/random.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

namespace detail {

template <class T>
struct drop {
  T const* x;
  T* y;
  bool* mask;  ///< nullptr: no mask output
  std::size_t count;
  random_stream from;
  std::uint32_t dropped_below;
  T scale;

  PLAIT_ALWAYS_INLINE PLAIT_HOST_DEVICE void element(std::size_t i, std::uint32_t word) const {
    bool const kept = word >= dropped_below;
    y[i] = kept ? x[i] * scale : T(0);
    if (mask != nullptr) mask[i] = kept;
  }
};

// A block of the generator yields four words, one per element. The host draws them in advance: a loop that both draws
// and drops would not vectorise.
template <class T>
struct drop_loop {
  drop<T> f;
  void operator()(std::size_t first, std::size_t last) const {
    constexpr std::size_t most = 128;
    std::uint32_t words[4 * most];
    for (; first < last; first += std::min(most, last - first)) {
      std::size_t const blocks = std::min(most, last - first);
      random_stream const from = f.from;
      PLAIT_INDEPENDENT
      for (std::size_t block = 0; block < blocks; ++block) {
        random_words const drawn = from.words(first + block);
        for (std::size_t lane = 0; lane != 4; ++lane) words[4 * block + lane] = drawn.word[lane];
      }
      std::size_t const begin = 4 * first;
      std::size_t const count = std::min(4 * blocks, f.count - begin);
      drop<T> const g = f;
      PLAIT_INDEPENDENT
      for (std::size_t i = 0; i < count; ++i) g.element(begin + i, words[i]);
    }
  }
};
template <class T>
struct drop_block {
  drop<T> f;
  PLAIT_HOST_DEVICE void operator()(std::size_t block) const {
    random_words const drawn = f.from.words(block);
    for (std::size_t lane = 0; lane != 4 && 4 * block + lane < f.count; ++lane)
      f.element(4 * block + lane, drawn.word[lane]);
  }
};

}  // namespace detail

/// Ratio of dropped elements, unless is_test.
struct dropout_arguments {
  float ratio;
  bool is_test;

  static op_schema& describe(op_schema& schema) {
    return schema.argument("ratio", 0.5f, "how many are dropped, from 0 up to 1")
        .argument("is_test", std::int64_t{0}, "Y = X");
  }
  explicit dropout_arguments(op_arguments const& a) : ratio(a.real("ratio")), is_test(a.flag("is_test")) {
    if (!(ratio >= 0) || !(ratio < 1)) a.fail("ratio", "must be at least 0 and below 1");
  }
  /// Returns the factor of kept elements.
  template <class T>
  T scale() const {
    return static_cast<T>(1 / (1 - double(ratio)));
  }
};

/// Kernel of Dropout: drops each element (sets it to zero) with probability `ratio`, else divides it by 1 - ratio; the
/// mask marks kept elements. With is_test, Y = X and all are kept.
template <backend B>
class dropout_kernel final : public op_kernel<B> {
 public:
  explicit dropout_kernel(op_arguments const& a) : arguments_(a), source_(a) {}

  void infer(shape_context& c) override {
    c.output(0, c.expect_type<float, double>(0), c.dims(0));
    if (c.output_count() == 2) c.output(1, element_type::boolean, c.dims(0));
  }
  void run(op_context<B>& c) override {
    bool* const mask = c.output_count() == 2 ? c.template output<bool>(1) : nullptr;
    if (arguments_.is_test) {
      if (c.raw_output(0) != c.raw_input(0)) B::copy(c.raw_output(0), c.raw_input(0), c.output_spec(0).bytes());
      if (mask != nullptr) fill<B>(mask, c.size(0), true);
      return;
    }
    random_stream const from = source_.of_run(c);
    visit_type<float, double>(c.type(0), [&]<class T>(T) {
      std::size_t const blocks = (c.size(0) + 3) / 4;
      detail::drop<T> const f{c.template input<T>(0),
                              c.template output<T>(0),
                              mask,
                              c.size(0),
                              from,
                              static_cast<std::uint32_t>(std::ldexp(double(arguments_.ratio), 32)),
                              arguments_.scale<T>()};
      if constexpr (B::on_device)
        for_each_index<B>(blocks, detail::drop_block<T>{f});
      else
        for_each_tile<B>(blocks, tile_size / 8, detail::drop_loop<T>{f});
    });
  }

 private:
  dropout_arguments arguments_;
  random_source source_;
};

namespace detail::caffe2 {

/// Checks Caffe2's restrictions of Dropout.
inline shape_check dropout(op_arguments const& a) {
  if (!a.has("is_test")) a.fail("is_test", "is missing");
  if (!a.flag("is_test") && a.output_count() < 2) shape_context::fail("there is no output for the mask");
  return {};
}

}  // namespace detail::caffe2

/// Adds Dropout: float and double.
template <backend B>
void add_dropout_operators(operators<B>& table) {
  op_schema schema("Dropout");
  schema.inputs(1).outputs(1, 2).in_place(0, 0).checks_first();
  table.template add<dropout_kernel>(
      dropout_arguments::describe(random_source::describe(schema))
          .differs_by_run([](op_arguments const& a) { return !a.flag("is_test"); })
          .in_caffe2(detail::caffe2::dropout)
          .no_doubles_in_caffe2()
          .describe("Y[, mask: bool] = X: … with elements zero at random, others larger"));
}

}  // namespace plait

PLAIT_KERNELS_END
