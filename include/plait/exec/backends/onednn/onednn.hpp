// Convolutions by oneDNN, in place of plait's own kernels of Conv and ConvRelu.
//
//   plait::operators<plait::serial> table = plait::standard_operators<plait::serial>();
//   plait::add_onednn_operators(table);
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include <oneapi/dnnl/dnnl.hpp>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/convolution_operands.hpp>
#include <plait/exec/detail/kernels/gemm_packing.hpp>
#include <plait/exec/detail/kernels/gemm_problem.hpp>
#include <plait/exec/detail/operators/convolution.hpp>
#include <plait/exec/detail/operators/convolution_relu.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
#include <omp.h>
#endif

namespace plait {

namespace detail {

/// Returns the number of threads that oneDNN may use in ops of a backend: one, unless it has the backend's threads.
template <backend B>
unsigned onednn_threads() {
#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
  if (B::name == std::string_view("omp")) return B::concurrency();
#elif DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_TBB
  if (B::name == std::string_view("tbb")) return B::concurrency();
#endif
  return 1;
}

/// Limits the threads of oneDNN that this thread starts, while it lives.
class onednn_thread_limit {
 public:
#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
  explicit onednn_thread_limit(unsigned threads) : before_(omp_get_max_threads()) {
    omp_set_num_threads(static_cast<int>(threads));
  }
  ~onednn_thread_limit() { omp_set_num_threads(before_); }
#else
  explicit onednn_thread_limit(unsigned) {}
#endif
  onednn_thread_limit(onednn_thread_limit const&) = delete;
  onednn_thread_limit& operator=(onednn_thread_limit const&) = delete;

#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_OMP
 private:
  int before_;
#endif
};

/// Convolution of floats by oneDNN, of images [images, channels, places...]. oneDNN computes in blocks of channels: x
/// is reordered before, and y, with the epilogue of the op, after.
template <backend B>
class onednn_convolution {
 public:
  using extents = dnnl::memory::dims;

  /// Makes the primitives. Returns false if oneDNN has no convolution of this shape in blocks of channels.
  bool assign(convolution_shape const& s, bool with_bias) {
    try {
      return make(s, with_bias);
    } catch (dnnl::error const&) {
      return false;
    }
  }

  /// Returns the size of scratch memory, in bytes.
  std::size_t scratch() const { return own_at_ + line_end(own_.get_desc().get_size()); }
  std::size_t packed_bytes() const { return w_.get_desc().get_size(); }
  /// Reorders the weights into packed_bytes() at `to`.
  void pack(float const* weights, void* to) {
    onednn_thread_limit const limit(onednn_threads<B>());
    dnnl::memory from(plain_w_, engine(), const_cast<float*>(weights));
    dnnl::memory target(w_.get_desc(), engine(), to);
    dnnl::reorder(from, target).execute(stream_, from, target);
  }

  /// Computes the convolution with packed weights; of.w is not read.
  void run(void const* packed, convolution_operands<float> const& of, void* scratch) {
    onednn_thread_limit const limit(onednn_threads<B>());
    auto* const bytes = static_cast<std::byte*>(scratch);
    place(plain_x_, of.x);
    place(w_, packed);
    place(y_, bytes);
    if (reorder_x_) {
      place(x_, bytes + x_at_);
      execute(*reorder_x_, {{DNNL_ARG_FROM, plain_x_.get()}, {DNNL_ARG_TO, x_.get()}});
    }
    place(own_, bytes + own_at_);
    if (of.bias != nullptr) place(bias_, of.bias);
    execute(convolution_,
            {{DNNL_ARG_SRC, (reorder_x_ ? x_ : plain_x_).get()},
             {DNNL_ARG_WEIGHTS, w_.get()},
             {DNNL_ARG_DST, y_.get()},
             {DNNL_ARG_SCRATCHPAD, own_.get()},
             {DNNL_ARG_BIAS, bias_.get(true)}},
            of.bias != nullptr ? 5 : 4);
    auto const* const blocks = reinterpret_cast<float const*>(bytes);
    for_each_task<B>(images_ * parts_for(units_, block_) * parts_for(count_, task_windows),
                     is_shared<B>(images_ * units_ * count_), [&](std::ptrdiff_t task) { write(task, blocks, of); });
  }

 private:
  static constexpr std::ptrdiff_t task_windows = 1'024;
  static constexpr std::ptrdiff_t chunk = 64;  // windows that stay in L1 between reordering and epilogue

  static dnnl::engine const& engine() {
    static dnnl::engine const cpu(dnnl::engine::kind::cpu, 0);
    return cpu;
  }
  static std::size_t line_end(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

  // oneDNN clears the padding of memory that is set: not in each run.
  static void place(dnnl::memory const& m, void const* at) {
    if (m.get_data_handle() != at) m.set_data_handle(const_cast<void*>(at));
  }
  void execute(dnnl::primitive const& p, std::initializer_list<dnnl_exec_arg_t> arguments, int count = 2) const {
    if (dnnl_primitive_execute(p.get(), stream_.get(), count, arguments.begin()) != dnnl_success)
      op_context<B>::fail("oneDNN could not run a convolution");
  }

  // Returns the extents of the axes that are not all of one place; two at least, for which oneDNN has most kernels.
  static extents spatial(windows::extents const& e, bool volumes) {
    return volumes ? extents(e.begin(), e.end()) : extents(e.begin() + 1, e.end());
  }
  static extents with(std::initializer_list<std::int64_t> first, extents const& last) {
    extents made(first);
    made.insert(made.end(), last.begin(), last.end());
    return made;
  }

  bool make(convolution_shape const& s, bool with_bias) {
    using dnnl::memory;
    using tag = memory::format_tag;
    onednn_thread_limit const limit(onednn_threads<B>());
    windows const& w = s.w;
    bool const volumes = w.in[0] != 1 || w.kernel[0] != 1 || w.out[0] != 1;
    windows::extents tail = {};
    windows::extents gaps = {};
    for (std::size_t axis = 0; axis != 3; ++axis) {
      std::int64_t const reach = w.dilation[axis] * (w.kernel[axis] - 1) + 1;
      tail[axis] = (w.out[axis] - 1) * w.stride[axis] + reach - w.in[axis] - w.head[axis];
      gaps[axis] = w.dilation[axis] - 1;
    }
    auto const floats = [](extents const& e, tag t) { return memory::desc(e, memory::data_type::f32, t); };
    extents const x = with({s.images, s.channels}, spatial(w.in, volumes));
    extents const y = with({s.images, s.units}, spatial(w.out, volumes));
    extents const taps = with({s.units / s.groups, s.channels / s.groups}, spatial(w.kernel, volumes));
    extents const weights = s.groups == 1 ? taps : with({s.groups}, taps);
    memory::desc const bias = with_bias ? floats({s.units}, tag::x) : memory::desc();
    dnnl::primitive_attr user;
    user.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    dnnl::convolution_forward::primitive_desc const made(
        {dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, floats(x, tag::any),
         floats(weights, tag::any), bias, floats(y, tag::any), spatial(w.stride, volumes), spatial(gaps, volumes),
         spatial(w.head, volumes), spatial(tail, volumes)},
        user, engine());
    // Blocks of channels are the only layout that is not plain here; GEMM in oneDNN is no faster than plait's.
    auto const& blocks = made.dst_desc().data.format_desc.blocking;
    if (made.dst_desc().data.format_kind != dnnl_blocked || blocks.inner_nblks != 1 || blocks.inner_idxs[0] != 1)
      return false;
    block_ = static_cast<std::ptrdiff_t>(blocks.inner_blks[0]);
    if (block_ % 4 != 0) return false;
    images_ = s.images;
    units_ = s.units;
    count_ = s.count;
    convolution_ = dnnl::convolution_forward(made);
    auto const unset = [](memory::desc const& d) { return memory(d, engine(), DNNL_MEMORY_NONE); };
    memory::desc const plain_x = floats(x, volumes ? tag::ncdhw : tag::nchw);
    plain_w_ =
        floats(weights, s.groups == 1 ? (volumes ? tag::oidhw : tag::oihw) : (volumes ? tag::goidhw : tag::goihw));
    plain_x_ = unset(plain_x);
    x_ = unset(made.src_desc());
    w_ = unset(made.weights_desc());
    y_ = unset(made.dst_desc());
    own_ = unset(made.scratchpad_desc());
    bias_ = with_bias ? unset(bias) : memory();
    reorder_x_.reset();
    if (made.src_desc() != plain_x) reorder_x_.emplace(plain_x_, x_);
    x_at_ = line_end(made.dst_desc().get_size());
    own_at_ = x_at_ + (reorder_x_ ? line_end(made.src_desc().get_size()) : 0);
    return true;
  }

  // Writes some windows of a block of units to y, with the epilogue.
  void write(std::ptrdiff_t task, float const* from, convolution_operands<float> const& of) const {
    std::ptrdiff_t const tasks = parts_for(count_, task_windows);
    std::ptrdiff_t const blocks = parts_for(units_, block_);
    std::ptrdiff_t const image = task / tasks / blocks;
    std::ptrdiff_t const first_unit = task / tasks % blocks * block_;
    std::ptrdiff_t const units = std::min(block_, units_ - first_unit);
    from += task / tasks * count_ * block_;
    std::ptrdiff_t const y_at = (image * units_ + first_unit) * count_;
    std::ptrdiff_t const last = std::min(count_, (task % tasks + 1) * task_windows);
    for (std::ptrdiff_t first = task % tasks * task_windows; first < last; first += chunk) {
      std::ptrdiff_t const size = std::min(chunk, last - first);
      float* const y = of.y + y_at + first;
      transpose(from + first * block_, units, size, y);
      if (of.addend == nullptr && !of.relu) continue;
      for (std::ptrdiff_t unit = 0; unit != units; ++unit)
        finish(y + unit * count_, of.addend == nullptr ? nullptr : of.addend + y_at + first + unit * count_, of.relu,
               size);
    }
  }
  void transpose(float const* from, std::ptrdiff_t units, std::ptrdiff_t size, float* y) const {
    for (std::ptrdiff_t unit = 0; unit < units; unit += 4) {
      bool const whole = unit + 4 <= units;
      std::ptrdiff_t const squares = whole ? size / 4 * 4 : 0;
      for (std::ptrdiff_t i = 0; i != squares; i += 4)
        transpose_square(y + unit * count_ + i, count_, from + i * block_ + unit, block_);
      for (std::ptrdiff_t u = unit; u != (whole ? unit + 4 : units); ++u)
        for (std::ptrdiff_t i = squares; i != size; ++i) y[u * count_ + i] = from[i * block_ + u];
    }
  }
  static void finish(float* y, float const* addend, bool relu, std::ptrdiff_t size) {
    if (addend != nullptr)
      for (std::ptrdiff_t i = 0; i != size; ++i) y[i] += addend[i];
    if (relu)
      for (std::ptrdiff_t i = 0; i != size; ++i) y[i] = y[i] < 0 ? 0 : y[i];  // NaN stays
  }

  std::int64_t images_ = 0;
  std::int64_t units_ = 0;
  std::int64_t count_ = 0;    // windows
  std::ptrdiff_t block_ = 0;  // units
  std::size_t x_at_ = 0;      // in scratch memory, behind y
  std::size_t own_at_ = 0;
  dnnl::stream stream_{engine()};
  dnnl::convolution_forward convolution_;
  std::optional<dnnl::reorder> reorder_x_;  // unless it reads the plain layout, as of three channels
  dnnl::memory::desc plain_w_;
  dnnl::memory plain_x_, x_, w_, y_, own_, bias_;
};

/// Kernel of Conv or ConvRelu that computes by oneDNN where that is faster, else as `Own`.
template <backend B, class Own>
class onednn_kernel final : public Own {
 public:
  using Own::Own;

  void infer(shape_context& c) override {
    Own::infer(c);
    uses_library_ =
        c.type(0) == element_type::float32 && pays(this->s_) && library_.assign(this->s_, c.input_count() == 3);
    if (uses_library_) c.scratch(std::max(c.scratch_bytes(), library_.scratch()));
  }
  std::size_t pack(op_context<B>& c, std::size_t input, void* to) override {
    if (!uses_library_) return Own::pack(c, input, to);
    if (input != 1) return 0;
    if (to != nullptr) library_.pack(c.template input<float>(1), to);
    return library_.packed_bytes();
  }
  void run_part(op_context<B>& c, op_part const& part) override {
    if (!uses_library_ || c.packed(1) == nullptr) return Own::run_part(c, part);
    library_.run(c.packed(1),
                 {c.template input<float>(0), nullptr, c.input_count() == 3 ? c.template input<float>(2) : nullptr,
                  static_cast<float const*>(part.addend), part.relu, c.template output<float>(0)},
                 c.scratch());
  }

 private:
  // Reordering x and y takes time for each element, and oneDNN saves some for each product: most where windows are few
  // or apart, for which plait copies or packs more. Measured on AVX2. plait is faster if windows have one column, if
  // units or channels are few, or if they leave much of their last block empty.
  static bool pays(convolution_shape const& s) {
    if (s.last || s.bf16x3 || s.is_depthwise() || onednn_threads<B>() < B::concurrency()) return false;
    if (s.images == 0 || s.count == 0 || s.channels < 3 || s.units < least_units) return false;
    if (s.w.kernel[2] == 1 && (s.w.taps() != 1 || s.count > few_windows)) return false;
    auto const in_blocks = [](std::int64_t n) { return n == 3 ? n : (n + 7) / 8 * 8; };
    if (in_blocks(s.channels) * in_blocks(s.units) * 8 > s.channels * s.units * 9) return false;
    std::int64_t const least = s.w.stride[2] == 1 ? 128 : 16;
    return s.taps * s.output() >= least * (s.image() + s.output());
  }
  static constexpr std::int64_t least_units = 16;
  static constexpr std::int64_t few_windows = 128;

  bool uses_library_ = false;
  onednn_convolution<B> library_;
};

}  // namespace detail

/// Adds Conv and ConvRelu by oneDNN to a table, in place of plait's, for constant weights of floats in the order NCHW
/// and shapes for which this is faster; plait's kernels compute all others. Results differ from plait's by rounding,
/// and may depend on the number of threads. Without oneDNN's threads being the backend's, it is used on one thread.
template <backend B>
  requires(!B::on_device)
void add_onednn_operators(operators<B>& table) {
  operators<B> own;
  add_convolution_operators(own);
  add_convolution_relu_operators(own);
  table.template add<detail::onednn_kernel<B, convolution_kernel<B>>>(own.find("Conv")->schema);
  table.template add<detail::onednn_kernel<B, convolution_relu_kernel<B>>>(own.find("ConvRelu")->schema);
}

}  // namespace plait
