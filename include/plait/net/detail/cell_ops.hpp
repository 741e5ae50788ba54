// Functions of the ops of static cells, by number: names, operands and costs. The names are those of the op types that
// compute the same at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <plait/core/detail/cxx20.hpp>

namespace plait {

/// Number of a function in cell_ops.
using cell_op = std::uint8_t;

/// Class of a function: what its result is, and how it is evaluated.
enum class cell_op_class : std::uint8_t {
  number,    ///< a number, of the same element of all operands
  product,   ///< a number that ends with a multiplication, which a compiler could contract with an addition
  flag,      ///< true or false
  fill,      ///< a constant
  reduced,   ///< one number for each row
  repeated,  ///< a number for each element, by numbers for each row and the width of rows
};

struct cell_op_info {
  std::string_view name;
  std::uint8_t inputs;
  std::uint8_t outputs;
  cell_op_class kind;
  std::uint8_t cost;  ///< approximate, in additions
  std::array<std::string_view, 2> arguments;

  // Not an aggregate: GCC 12 cannot read empty views in a table that it initialises itself.
  constexpr cell_op_info(std::string_view text, std::uint8_t in, std::uint8_t out, cell_op_class result,
                         std::uint8_t additions, std::string_view first = "", std::string_view second = "")
      : name(text), inputs(in), outputs(out), kind(result), cost(additions), arguments{first, second} {}
};

/// All functions, in the order of their names.
inline constexpr cell_op_info cell_ops[] = {
    {"Abs", 1, 1, cell_op_class::number, 1},
    {"AbsGradient", 2, 1, cell_op_class::number, 3},
    {"Add", 2, 1, cell_op_class::number, 1},
    {"And", 2, 1, cell_op_class::flag, 1},
    {"Cbrt", 1, 1, cell_op_class::number, 60},
    {"CbrtGradient", 2, 1, cell_op_class::number, 6},
    {"Ceil", 1, 1, cell_op_class::number, 1},
    {"Clip", 1, 1, cell_op_class::number, 2, "min", "max"},
    {"ClipGradient", 2, 1, cell_op_class::number, 3, "min", "max"},
    {"ConstantFill", 0, 1, cell_op_class::fill, 0, "value"},
    {"Copy", 1, 1, cell_op_class::number, 0},
    {"Cos", 1, 1, cell_op_class::number, 20},
    {"CosGradient", 2, 1, cell_op_class::product, 21},
    {"Cosh", 1, 1, cell_op_class::number, 60},
    {"CoshGradient", 2, 1, cell_op_class::product, 61},
    {"Cube", 1, 1, cell_op_class::product, 2},
    {"CubeGradient", 2, 1, cell_op_class::product, 3},
    {"Div", 2, 1, cell_op_class::number, 4},
    {"DivGradient", 3, 2, cell_op_class::product, 6},
    {"EQ", 2, 1, cell_op_class::flag, 1},
    {"Elu", 1, 1, cell_op_class::product, 14, "alpha"},
    {"EluGradient", 2, 1, cell_op_class::product, 3, "alpha"},
    {"Erf", 1, 1, cell_op_class::number, 24},
    {"ErfGradient", 2, 1, cell_op_class::product, 14},
    {"Exp", 1, 1, cell_op_class::product, 12},
    {"Floor", 1, 1, cell_op_class::number, 1},
    {"GE", 2, 1, cell_op_class::flag, 1},
    {"GT", 2, 1, cell_op_class::flag, 1},
    {"HardSigmoid", 1, 1, cell_op_class::number, 4, "alpha", "beta"},
    {"HardSigmoidGradient", 2, 1, cell_op_class::product, 4, "alpha", "beta"},
    {"LE", 2, 1, cell_op_class::flag, 1},
    {"LT", 2, 1, cell_op_class::flag, 1},
    {"LeakyRelu", 1, 1, cell_op_class::product, 2, "alpha"},
    {"LeakyReluGradient", 2, 1, cell_op_class::product, 2, "alpha"},
    {"Log", 1, 1, cell_op_class::number, 14},
    {"Log1p", 1, 1, cell_op_class::number, 16},
    {"Max", 2, 1, cell_op_class::number, 2},
    {"MaxGradient", 4, 2, cell_op_class::number, 4},
    {"Min", 2, 1, cell_op_class::number, 2},
    {"MinGradient", 4, 2, cell_op_class::number, 4},
    {"Mul", 2, 1, cell_op_class::product, 1},
    {"NE", 2, 1, cell_op_class::flag, 1},
    {"Negative", 1, 1, cell_op_class::product, 1},
    {"Not", 1, 1, cell_op_class::flag, 1},
    {"Or", 2, 1, cell_op_class::flag, 1},
    {"Pow", 1, 1, cell_op_class::product, 60, "exponent"},
    {"Reciprocal", 1, 1, cell_op_class::number, 4},
    {"ReciprocalGradient", 2, 1, cell_op_class::product, 3},
    {"ReduceBackMax", 1, 1, cell_op_class::reduced, 2},
    {"ReduceBackMaxGradient", 3, 1, cell_op_class::repeated, 3},
    {"ReduceBackMean", 1, 1, cell_op_class::reduced, 1},
    {"ReduceBackMeanGradient", 2, 1, cell_op_class::repeated, 4},
    {"ReduceBackSum", 1, 1, cell_op_class::reduced, 1},
    {"ReduceBackSumGradient", 2, 1, cell_op_class::repeated, 0},
    {"Relu", 1, 1, cell_op_class::number, 1},
    {"ReluGradient", 2, 1, cell_op_class::number, 1},
    {"Rsqrt", 1, 1, cell_op_class::number, 10},
    {"RsqrtGradient", 2, 1, cell_op_class::product, 4},
    {"Scale", 1, 1, cell_op_class::product, 1, "scale"},
    {"Sigmoid", 1, 1, cell_op_class::number, 16},
    {"SigmoidGradient", 2, 1, cell_op_class::product, 3},
    {"Sin", 1, 1, cell_op_class::number, 20},
    {"SinGradient", 2, 1, cell_op_class::product, 21},
    {"Softplus", 1, 1, cell_op_class::number, 24},
    {"SoftplusGradient", 2, 1, cell_op_class::product, 14},
    {"Softsign", 1, 1, cell_op_class::number, 6},
    {"SoftsignGradient", 2, 1, cell_op_class::number, 6},
    {"Sqr", 1, 1, cell_op_class::product, 1},
    {"Sqrt", 1, 1, cell_op_class::number, 6},
    {"Sub", 2, 1, cell_op_class::number, 1},
    {"Swish", 1, 1, cell_op_class::product, 17},
    {"SwishGradient", 3, 1, cell_op_class::product, 20},
    {"Tanh", 1, 1, cell_op_class::number, 18},
    {"TanhGradient", 2, 1, cell_op_class::product, 4},
    {"Where", 3, 1, cell_op_class::number, 1},
};

inline constexpr std::size_t cell_op_count = std::size(cell_ops);

/// Returns the number of a function by its name, cell_op_count if there is none. O(log functions).
constexpr std::size_t find_cell_op(std::string_view name) {
  auto const is_less = [](std::string_view a, std::string_view b) {  // in fewer steps than compare()
    std::size_t i = 0;
    while (i != a.size() && i != b.size() && a[i] == b[i]) ++i;
    return i != b.size() && (i == a.size() || a[i] < b[i]);
  };
  std::size_t first = 0;
  std::size_t last = cell_op_count;
  while (first != last) {
    std::size_t const middle = (first + last) / 2;
    if (is_less(cell_ops[middle].name, name))
      first = middle + 1;
    else
      last = middle;
  }
  return first != cell_op_count && cell_ops[first].name == name ? first : cell_op_count;
}

/// Returns the number of a function by its name. A name that is none is an error of the compiler.
consteval cell_op cell_op_number(std::string_view name) {
  std::size_t const found = find_cell_op(name);
  if (found == cell_op_count) throw "cell_ops: no such function";
  return static_cast<cell_op>(found);
}

}  // namespace plait
