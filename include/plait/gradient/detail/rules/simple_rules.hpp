// Table-driven gradient rules: those that emit a single op.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>

#include <plait/core/detail/small_vector.hpp>
#include <plait/gradient/detail/gradient_context.hpp>
#include <plait/gradient/gradient_rules.hpp>

namespace plait {

/// Table entry: the gradient of op type `type` is the op `gradient`. `reads`, in order: i0 an input, o0 an output, g0
/// the gradient of an output; i* all inputs, i1* all from the second on. `writes`: the indices of the inputs whose
/// gradients it computes, * for all; a last one with ? is omitted unless requested.
struct simple_rule {
  std::string_view type;
  std::string_view gradient;
  std::string_view reads;
  std::string_view writes;
};

namespace detail {

inline std::size_t rule_number(std::string_view digits) {
  std::size_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

template <class Each>
void each_word(std::string_view text, Each each) {
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(' '), text.size());
    each(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

using rule_operands = small_vector<gradient_operand, 8>;

inline rule_operands rule_reads(gradient_context& c, std::string_view pattern) {
  rule_operands made;
  each_word(pattern, [&](std::string_view word) {
    char const what = word.front();
    if (word.ends_with('*')) {
      for (std::size_t i = rule_number(word.substr(1)); i < c.listed_input_count(); ++i) made.push_back(c.input(i));
      return;
    }
    std::size_t const at = rule_number(word.substr(1));
    made.push_back(what == 'i' ? c.input(at) : what == 'o' ? c.output(at) : c.output_gradient(at));
  });
  return made;
}

inline rule_operands rule_writes(gradient_context& c, std::string_view pattern) {
  rule_operands made;
  each_word(pattern, [&](std::string_view word) {
    if (word == "*")
      for (std::size_t i = 0; i != c.listed_input_count(); ++i) made.push_back(c.input_gradient(i));
    else if (!word.ends_with('?') || c.is_wanted(rule_number(word)))
      made.push_back(c.input_gradient(rule_number(word)));
  });
  return made;
}

}  // namespace detail

/// Adds the rule of a table entry. The gradient op inherits all arguments.
inline void add_simple_rule(gradient_rules& rules, simple_rule const& entry) {
  rules.set(entry.type, [entry](gradient_context& c) {
    auto const reads = detail::rule_reads(c, entry.reads);  // may refuse: before any change
    c.op(entry.gradient, reads, detail::rule_writes(c, entry.writes));
  });
}

}  // namespace plait
