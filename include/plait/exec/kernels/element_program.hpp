// Functions of elements, one after the other, in one kernel of a device: each thread has a few elements, and what a
// function makes of them stays with the thread until another needs it. A kernel of a small op takes a device less time
// than it takes to begin and end it, and one of a large op is as slow as its operands are read and written.
//
// A program is data: which function comes next is known when a plan is made, so functions are called through pointers,
// for several elements at a time.
//
// TRAP: a device can only call what stands in the same module, which is a file that nvcc compiles; so a function comes
// with what starts programs of its module.
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

namespace plait {

/// What a thread has of a value: four elements of up to four bytes, or two of eight.
struct element_cell {
  alignas(16) std::uint32_t words[4];
};

/// The cells a function takes and the one it makes, which may be one of them.
struct cell_wiring {
  std::array<std::uint8_t, 4> from;
  std::uint8_t to;
};

/// How an operand goes along with the elements of a result, which is made of rows.
enum class operand_moves : unsigned char {
  with_elements,
  with_columns,  ///< a row for all rows
  with_rows,     ///< an element for each row
  never,         ///< one element for all
};

struct element_program;

/// What an op makes of each element by itself, on a device.
struct device_function {
  static constexpr std::size_t most_inputs = 4;
  using call = void (*)(void const* self, element_cell* cells, cell_wiring);
  using starter = void (*)(std::uint32_t threads, element_program const&);

  call run = nullptr;
  starter start = nullptr;  ///< of programs that call it
  alignas(8) std::array<std::byte, 16> self = {};
  std::uint32_t lanes = 0;  ///< elements of a cell
  std::size_t width = 0;    ///< of rows; 0: nothing depends on it
  std::array<operand_moves, most_inputs> moves = {};

  /// Of f(T...), which is called on B; a function that is not merely a few numbers is none.
  template <backend B, class... Ts, class F>
  static device_function of(F const& f);
};

namespace detail {

/// Elements of a cell whose largest have so many bytes.
constexpr std::uint32_t cell_lanes(std::size_t bytes) { return bytes <= 4 ? 4 : 2; }

template <class T, std::uint32_t Lanes>
PLAIT_HOST_DEVICE T get_lane(element_cell const& cell, std::uint32_t lane) {
  T made;
  std::memcpy(&made, cell.words + lane * (4 / Lanes), sizeof(T));
  return made;
}
template <std::uint32_t Lanes, class T>
PLAIT_HOST_DEVICE void set_lane(element_cell& cell, std::uint32_t lane, T x) {
  std::memcpy(cell.words + lane * (4 / Lanes), &x, sizeof(T));
}

template <class F, class... Ts>
struct cell_function {
  using result = std::invoke_result_t<F const&, Ts...>;
  static constexpr std::uint32_t lanes = cell_lanes(std::max({sizeof(result), sizeof(Ts)...}));

  PLAIT_HOST_DEVICE static void call(void const* self, element_cell* cells, cell_wiring wiring) {
    run(*static_cast<F const*>(self), cells, wiring, std::index_sequence_for<Ts...>());
  }

 private:
  template <std::size_t... K>
  PLAIT_HOST_DEVICE static void run(F const& f, element_cell* cells, cell_wiring wiring, std::index_sequence<K...>) {
    element_cell const from[] = {cells[wiring.from[K]]...};
    element_cell made = {};
    for (std::uint32_t l = 0; l < lanes; ++l)
      set_lane<lanes>(made, l, static_cast<result>(f(get_lane<Ts, lanes>(from[K], l)...)));
    cells[wiring.to] = made;
  }
};

/// A backend that finds what its device calls: device_address<function>(B()) is where a function stands there, and
/// program_starter<P>(B()) what starts a program of type P of the same module, as a device_function::starter. Both are
/// static, so that each file that is compiled has its own.
template <class B>
concept has_modules = requires { program_starter<element_program>(B()); };

}  // namespace detail

/// What is read, called and written for each element. Trivially copyable: it is an argument of the kernel.
struct element_program {
  static constexpr std::size_t most_reads = 24;
  static constexpr std::size_t most_calls = 24;
  static constexpr std::size_t most_writes = 24;
  static constexpr std::size_t most_cells = 32;

  /// Where the first element of an operand stands, and how many bytes rows and columns are apart.
  struct place {
    std::byte* at;
    std::int64_t row;
    std::int32_t column;
    std::uint8_t bytes;  // of an element
    std::uint8_t cell;
  };
  struct function {
    device_function::call run;
    alignas(8) std::array<std::byte, 16> self;
    cell_wiring wiring;
    std::uint8_t writes;  // after it
  };

  std::uint32_t count;  // elements
  std::uint32_t width;  // of rows
  std::uint32_t lanes;
  std::uint32_t read_count;
  std::uint32_t first_writes;  // of what is only moved
  std::uint32_t call_count;
  place reads[most_reads];
  function calls[most_calls];
  place writes[most_writes];

  std::uint32_t threads() const { return count / lanes + (count % lanes != 0 ? 1 : 0); }

  PLAIT_HOST_DEVICE void operator()(std::size_t thread) const {
    if (lanes == 4)
      run<4>(static_cast<std::uint32_t>(thread));
    else
      run<2>(static_cast<std::uint32_t>(thread));
  }

 private:
  template <std::uint32_t Lanes>
  struct elements {
    std::int64_t row[Lanes];
    std::int64_t column[Lanes];
    bool is_there[Lanes];
  };

  // Neighbouring threads have neighbouring elements.
  template <std::uint32_t Lanes>
  PLAIT_HOST_DEVICE void run(std::uint32_t thread) const {
    elements<Lanes> own;
    std::uint32_t const apart = (count - 1) / Lanes + 1;
    for (std::uint32_t l = 0; l < Lanes; ++l) {
      std::uint32_t const i = thread + l * apart;
      own.is_there[l] = i < count;
      std::uint32_t const row = own.is_there[l] && width != count ? i / width : 0;
      own.row[l] = row;
      own.column[l] = own.is_there[l] ? i - row * width : 0;
    }
    element_cell cells[most_cells];
    constexpr std::uint32_t together = 4;  // reads that wait for memory at once
    for (std::uint32_t r = 0; r < read_count; r += together) {
      element_cell found[together];
      for (std::uint32_t k = 0; k < together; ++k)
        if (r + k < read_count) found[k] = read(reads[r + k], own);
      for (std::uint32_t k = 0; k < together; ++k)
        if (r + k < read_count) cells[reads[r + k].cell] = found[k];
    }
    place const* next = writes;
    for (std::uint32_t w = 0; w < first_writes; ++w, ++next) write(*next, own, cells[next->cell]);
    for (std::uint32_t n = 0; n < call_count; ++n) {
      function const& f = calls[n];
      f.run(f.self.data(), cells, f.wiring);
      for (std::uint32_t w = 0; w < f.writes; ++w, ++next) write(*next, own, cells[next->cell]);
    }
  }

  template <class T, std::uint32_t Lanes>
  PLAIT_HOST_DEVICE static element_cell read_as(place const& p, elements<Lanes> const& own) {
    element_cell made = {};
    for (std::uint32_t l = 0; l < Lanes; ++l)
      detail::set_lane<Lanes>(made, l,
                              *reinterpret_cast<T const*>(p.at + own.row[l] * p.row + own.column[l] * p.column));
    return made;
  }
  template <class T, std::uint32_t Lanes>
  PLAIT_HOST_DEVICE static void write_as(place const& p, elements<Lanes> const& own, element_cell const& cell) {
    element_cell const from = cell;
    for (std::uint32_t l = 0; l < Lanes; ++l)
      if (own.is_there[l])
        *reinterpret_cast<T*>(p.at + own.row[l] * p.row + own.column[l] * p.column) =
            detail::get_lane<T, Lanes>(from, l);
  }
  template <std::uint32_t Lanes>
  PLAIT_HOST_DEVICE static element_cell read(place const& p, elements<Lanes> const& own) {
    if constexpr (Lanes == 2)
      if (p.bytes == 8) return read_as<std::uint64_t>(p, own);
    if (p.bytes == 4) return read_as<std::uint32_t>(p, own);
    if (p.bytes == 2) return read_as<std::uint16_t>(p, own);
    return read_as<std::uint8_t>(p, own);
  }
  template <std::uint32_t Lanes>
  PLAIT_HOST_DEVICE static void write(place const& p, elements<Lanes> const& own, element_cell const& from) {
    if constexpr (Lanes == 2)
      if (p.bytes == 8) return write_as<std::uint64_t>(p, own, from);
    if (p.bytes == 4) return write_as<std::uint32_t>(p, own, from);
    if (p.bytes == 2) return write_as<std::uint16_t>(p, own, from);
    write_as<std::uint8_t>(p, own, from);
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
    using function = detail::cell_function<F, Ts...>;
    constexpr call own = &function::call;
    if constexpr (detail::has_modules<B>) {
      made.run = device_address<own>(B());
      made.start = program_starter<element_program>(B());
    } else {
      made.run = own;
      made.start = &detail::start_by_index<B>;
    }
    made.lanes = function::lanes;
    std::memcpy(made.self.data(), &f, sizeof(F));
  }
  return made;
}

}  // namespace plait
