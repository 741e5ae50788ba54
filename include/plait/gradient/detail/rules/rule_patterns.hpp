// Patterns of table-driven gradient rules: those that emit a single op.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include <plait/gradient/detail/gradient_operand.hpp>

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

constexpr std::size_t rule_number(std::string_view digits) {
  std::size_t number = 0;
  for (char const c : digits)
    if (c >= '0' && c <= '9') number = number * 10 + static_cast<std::size_t>(c - '0');
  return number;
}

template <class Each>
constexpr void each_word(std::string_view text, Each each) {
  while (!text.empty()) {
    std::size_t end = 0;
    while (end != text.size() && text[end] != ' ') ++end;
    each(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

template <class Context>
constexpr auto rule_reads(Context& c, std::string_view pattern) {
  typename Context::operand_list made;
  each_word(pattern, [&](std::string_view word) {
    char const what = word.front();
    if (word.back() == '*') {
      for (std::size_t i = rule_number(word); i < c.listed_input_count(); ++i) made.push_back(c.input(i));
      return;
    }
    std::size_t const at = rule_number(word);
    made.push_back(what == 'i' ? c.input(at) : what == 'o' ? c.output(at) : c.output_gradient(at));
  });
  return made;
}

template <class Context>
constexpr auto rule_writes(Context& c, std::string_view pattern) {
  typename Context::operand_list made;
  each_word(pattern, [&](std::string_view word) {
    if (word.front() == '*')
      for (std::size_t i = 0; i != c.listed_input_count(); ++i) made.push_back(c.input_gradient(i));
    else if (word.back() != '?' || c.is_wanted(rule_number(word)))
      made.push_back(c.input_gradient(rule_number(word)));
  });
  return made;
}

}  // namespace detail

/// Applies the rule of a table entry. The gradient op inherits all arguments.
template <class Context>
constexpr void apply_simple_rule(Context& c, simple_rule const& entry) {
  auto const reads = detail::rule_reads(c, entry.reads);  // may refuse: before any change
  c.op(entry.gradient, reads, detail::rule_writes(c, entry.writes));
}

}  // namespace plait
