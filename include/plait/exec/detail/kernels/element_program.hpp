// Element-wise fusion on devices: one kernel runs a program of scalar functions, and each thread keeps the intermediate
// values of a few elements. A small op takes less time than its kernel launch, and a large op is bound by the memory
// traffic of its operands.
//
// A program is data: the sequence of functions is known when a plan is made, so functions are called through pointers,
// for several elements at a time.
//
// TRAP: a device can only call functions of the same module, which is a file that nvcc compiles; so a function carries
// the launcher of its module.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <plait/exec/backend.hpp>
#include <plait/exec/kernels/for_each.hpp>

PLAIT_KERNELS_BEGIN

namespace plait {

/// Elements of one value in a thread: at most four of up to four bytes, or two of eight.
template <std::uint32_t Lanes>
struct element_cell {
  static constexpr std::uint32_t lanes = Lanes;
  static constexpr std::uint32_t size = Lanes == 1 ? 2 : 4;
  alignas(size * sizeof(std::uint32_t)) std::uint32_t words[size];

  template <class T>
  PLAIT_HOST_DEVICE T get(std::uint32_t lane) const {
    T made;
    std::memcpy(&made, words + lane * (size / Lanes), sizeof(T));
    return made;
  }
  template <class T>
  PLAIT_HOST_DEVICE void set(std::uint32_t lane, T x) {
    std::memcpy(words + lane * (size / Lanes), &x, sizeof(T));
  }
};

/// Broadcast pattern of an operand against the result, viewed as rows.
enum class operand_moves : unsigned char {
  with_elements,
  with_columns,  ///< one row for all rows
  with_rows,     ///< one element per row
  never,         ///< one element for all
};

struct element_program;

/// Scalar function of an element-wise op, callable on a device.
struct device_function {
  static constexpr std::size_t most_inputs = 4;
  /// Passes a cell of one element in registers; cells of several would take too many.
  template <class Cell>
  using argument = std::conditional_t<Cell::lanes == 1, Cell, Cell const&>;
  template <class Cell>
  using call = Cell (*)(void const* self, argument<Cell>, argument<Cell>, argument<Cell>, argument<Cell>);
  using erased_call = void (*)();
  using starter = void (*)(std::uint32_t threads, element_program const&);

  erased_call run_one = nullptr;      ///< a call<element_cell<1>>
  erased_call run_several = nullptr;  ///< a call<element_cell<lanes>>
  std::uint8_t lanes = 0;
  starter start = nullptr;  ///< launches programs that call it
  alignas(8) std::array<std::byte, 16> self = {};
  std::size_t width = 0;  ///< elements per row; 0 if nothing depends on it
  std::array<operand_moves, most_inputs> moves = {};

  explicit operator bool() const { return start != nullptr; }
  /// Wraps f(Ts...), to be called on B. Returns an empty function unless f is trivially copyable and fits `self`.
  template <backend B, class... Ts, class F>
  static device_function of(F const& f);
};

namespace detail {

/// Returns the lanes of a cell whose largest elements have this many bytes.
constexpr std::uint8_t cell_lanes(std::size_t bytes) { return bytes <= 4 ? 4 : 2; }

template <class Cell, class F, class... Ts>
struct cell_function {
  using argument = device_function::argument<Cell>;

  PLAIT_HOST_DEVICE static Cell call(void const* self, argument a, argument b, argument c, argument d) {
    return run(*static_cast<F const*>(self), std::array<Cell const*, 4>{&a, &b, &c, &d},
               std::index_sequence_for<Ts...>());
  }

 private:
  template <std::size_t... K>
  PLAIT_HOST_DEVICE static Cell run(F const& f, std::array<Cell const*, 4> const& all, std::index_sequence<K...>) {
    Cell const from[] = {*all[K]...};
    Cell made = {};
    for (std::uint32_t l = 0; l < Cell::lanes; ++l)
      made.set(l, static_cast<std::invoke_result_t<F const&, Ts...>>(f(from[K].template get<Ts>(l)...)));
    return made;
  }
};

}  // namespace detail

/// Loads, calls and stores of a fused kernel. Trivially copyable, as it is the kernel's argument, and small, as a
/// thread waits for each cache line of it.
struct element_program {
  static constexpr std::size_t most_reads = 24;
  static constexpr std::size_t most_calls = 24;
  static constexpr std::size_t most_writes = 24;
  static constexpr std::size_t most_cells = 32;
  /// Minimum number of elements for which threads have several each: with fewer, they would only delay each other.
  static constexpr std::size_t many_elements = std::size_t{1} << 18;

  /// Address of an operand's first element, and the strides of rows and columns in elements.
  struct place {
    std::byte* at;
    std::uint32_t row;
    std::uint8_t column;  // 0 or 1
    std::uint8_t bytes;   // of an element
    std::uint8_t cell;
  };
  struct function {
    device_function::erased_call run;
    std::uint8_t from[device_function::most_inputs];  // cells
    std::uint8_t to;
    std::uint8_t writes;  // after it
  };

  std::uint32_t count;  // elements
  std::uint32_t width;  // of rows
  std::uint8_t lanes;
  std::uint8_t read_count;
  std::uint8_t first_writes;  // of values that are only copied
  std::uint8_t call_count;
  std::uint32_t cells;  // per thread
  place reads[most_reads];
  function calls[most_calls];
  place writes[most_writes];
  alignas(16) std::array<std::byte, 16> selves[most_calls];

  std::uint32_t threads() const { return count / lanes + (count % lanes != 0 ? 1 : 0); }
  std::size_t bytes_of_thread() const {
    return cells * (lanes == 1 ? sizeof(element_cell<1>) : sizeof(element_cell<4>));
  }

  /// Runs the program for one thread, the i-th of `apart` threads whose interleaved cells are in `room`.
  PLAIT_HOST_DEVICE void run(std::uint32_t thread, void* room, std::uint32_t i, std::uint32_t apart) const {
    if (lanes == 1)
      run_lanes(thread, static_cast<element_cell<1>*>(room) + i, apart);
    else if (lanes == 4)
      run_lanes(thread, static_cast<element_cell<4>*>(room) + i, apart);
    else
      run_lanes(thread, static_cast<element_cell<2>*>(room) + i, apart);
  }
  PLAIT_HOST_DEVICE void operator()(std::size_t thread) const {
    alignas(16) std::byte room[most_cells * sizeof(element_cell<4>)];
    run(static_cast<std::uint32_t>(thread), room, 0, 1);
  }

 private:
  template <std::uint32_t Lanes>
  struct elements {
    std::uint32_t row[Lanes];
    std::uint32_t column[Lanes];
    bool is_there[Lanes];
  };

  // Neighbouring threads have neighbouring elements, so that accesses coalesce.
  template <class Cell>
  PLAIT_HOST_DEVICE void run_lanes(std::uint32_t thread, Cell* in, std::uint32_t apart) const {
    elements<Cell::lanes> own;
    std::uint32_t const all = (count - 1) / Cell::lanes + 1;
    for (std::uint32_t l = 0; l < Cell::lanes; ++l) {
      std::uint32_t const i = thread + l * all;
      own.is_there[l] = i < count;
      std::uint32_t const row = own.is_there[l] && width != count ? i / width : 0;
      own.row[l] = row;
      own.column[l] = own.is_there[l] ? i - row * width : 0;
    }
    constexpr std::uint32_t together = 4;  // loads in flight at once
    for (std::uint32_t r = 0; r < read_count; r += together) {
      Cell found[together];
      for (std::uint32_t k = 0; k < together; ++k)
        if (r + k < read_count) found[k] = read<Cell>(reads[r + k], own);
      for (std::uint32_t k = 0; k < together; ++k)
        if (r + k < read_count) in[reads[r + k].cell * apart] = found[k];
    }
    place const* next = writes;
    for (std::uint32_t w = 0; w < first_writes; ++w, ++next) write(*next, own, in[next->cell * apart]);
    for (std::uint32_t n = 0; n < call_count; ++n) {
      function const& f = calls[n];
      void const* const self = selves[n].data();
      auto const cell = [&](std::uint32_t k) -> Cell const& { return in[f.from[k] * apart]; };
      Cell const made = reinterpret_cast<device_function::call<Cell>>(f.run)(self, cell(0), cell(1), cell(2), cell(3));
      in[f.to * apart] = made;
      for (std::uint32_t w = 0; w < f.writes; ++w, ++next) write(*next, own, made);
    }
  }

  template <class T, std::uint32_t Lanes>
  PLAIT_HOST_DEVICE static T* find(place const& p, elements<Lanes> const& own, std::uint32_t lane) {
    auto const row = static_cast<std::size_t>(own.row[lane]) * p.row;
    return reinterpret_cast<T*>(p.at) + (row + own.column[lane] * p.column);
  }
  // Calls f(T()) with T the unsigned integer of this size.
  template <class Cell, class F>
  PLAIT_HOST_DEVICE static auto with_bytes(std::uint8_t bytes, F const& f) {
    if constexpr (Cell::lanes != 4)
      if (bytes == 8) return f(std::uint64_t{});
    if (bytes == 4) return f(std::uint32_t{});
    if (bytes == 2) return f(std::uint16_t{});
    return f(std::uint8_t{});
  }
  template <class Cell>
  PLAIT_HOST_DEVICE static Cell read(place const& p, elements<Cell::lanes> const& own) {
    return with_bytes<Cell>(p.bytes, [&]<class T>(T) {
      Cell made = {};
      for (std::uint32_t l = 0; l < Cell::lanes; ++l) made.set(l, *find<T>(p, own, l));
      return made;
    });
  }
  template <class Cell>
  PLAIT_HOST_DEVICE static void write(place const& p, elements<Cell::lanes> const& own, Cell const& from) {
    with_bytes<Cell>(p.bytes, [&]<class T>(T) {
      for (std::uint32_t l = 0; l < Cell::lanes; ++l)
        if (own.is_there[l]) *find<T>(p, own, l) = from.template get<T>(l);
    });
  }
};
static_assert(std::is_trivially_copyable_v<element_program> && sizeof(element_program) <= 4096);

namespace detail {
template <class B>
void start_by_index(std::uint32_t threads, element_program const& program) {
  for_each_index<B>(threads, program);
}
}  // namespace detail

template <backend B, class... Ts, class F>
device_function device_function::of(F const& f) {
  static_assert(sizeof...(Ts) != 0 && sizeof...(Ts) <= most_inputs);
  device_function made;
  if constexpr (std::is_trivially_copyable_v<F> && sizeof(F) <= sizeof(self) && alignof(F) <= 8) {
    constexpr std::size_t widest = std::max({sizeof(std::invoke_result_t<F const&, Ts...>), sizeof(Ts)...});
    made.lanes = detail::cell_lanes(widest);
    using one_cell = element_cell<1>;
    using cell = element_cell<detail::cell_lanes(widest)>;
    constexpr call<one_cell> one = &detail::cell_function<one_cell, F, Ts...>::call;
    constexpr call<cell> several = &detail::cell_function<cell, F, Ts...>::call;
    if constexpr (detail::has_device_functions<B, element_program, one, several>) {
      auto const [addresses, launcher] = B::template device_functions<element_program, one, several>();
      made.run_one = addresses[0];
      made.run_several = addresses[1];
      made.start = launcher;
    } else {
      made.run_one = reinterpret_cast<erased_call>(one);
      made.run_several = reinterpret_cast<erased_call>(several);
      made.start = &detail::start_by_index<B>;
    }
    std::memcpy(made.self.data(), &f, sizeof(F));
  }
  return made;
}

}  // namespace plait

PLAIT_KERNELS_END
