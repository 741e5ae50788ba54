// Conversion rule for ONNX's Einsum: the equation is parsed when the model is read. Operands are contracted from left
// to right, each pair by a matrix product if its labels allow, else by a broadcasting product and a sum.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/converter.hpp>
#include <plait/interop/onnx/detail/rule_table.hpp>
#include <plait/interop/onnx/detail/rules/extents.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait {
namespace detail {

/// Labels of a tensor's axes: letters, or -1, -2, … for the axes of an ellipsis, counted from its last one.
using einsum_labels = std::vector<int>;

/// Operand or intermediate result: a blob whose axes have distinct labels.
struct einsum_term {
  std::string blob;
  einsum_labels labels;
  std::vector<std::int64_t> dims;  ///< -1: an unknown extent
};

/// Parsed equation.
struct einsum_equation {
  std::vector<einsum_labels> inputs;
  einsum_labels output;
};

inline bool is_einsum_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}
inline bool has_label(einsum_labels const& labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}
inline std::size_t place_of_label(einsum_labels const& labels, int label) {
  return static_cast<std::size_t>(std::ranges::find(labels, label) - labels.begin());
}

/// Returns the labels of a term of the equation, whose ellipsis stands for `hidden` axes. Reports a malformed term.
inline einsum_labels parse_einsum_term(onnx_context const& c, std::string_view term, std::size_t hidden) {
  einsum_labels made;
  bool has_ellipsis = false;
  for (std::size_t i = 0; i != term.size(); ++i) {
    if (is_einsum_letter(term[i])) {
      made.push_back(term[i]);
      continue;
    }
    if (term.substr(i, 3) != "..." || has_ellipsis)
      c.unsupported("its equation has the term '" + std::string(term) +
                    "', which should have letters, and at most one ellipsis of three dots");
    has_ellipsis = true;
    for (std::size_t k = hidden; k != 0; --k) made.push_back(-static_cast<int>(k));
    i += 2;
  }
  return made;
}

/// Parses the equation for the node's inputs. Reports a malformed one.
inline einsum_equation parse_einsum(onnx_context const& c) {
  std::string text = c.text("equation", "");
  std::erase(text, ' ');
  std::size_t const arrow = text.find("->");
  std::string const left = text.substr(0, arrow);
  std::vector<std::string> terms(1);
  for (char const letter : left) {
    if (letter == ',')
      terms.emplace_back();
    else
      terms.back() += letter;
  }
  if (terms.size() != c.input_count())
    c.unsupported("its equation '" + text + "' has " + std::to_string(terms.size()) + " terms, where it has " +
                  std::to_string(c.input_count()) + " inputs");
  einsum_equation made;
  std::size_t hidden = 0;
  for (std::size_t i = 0; i != terms.size(); ++i) {
    std::size_t own = 0;
    auto const letters = static_cast<std::size_t>(std::ranges::count_if(terms[i], &is_einsum_letter));
    bool const has_ellipsis = terms[i].find("...") != std::string::npos;
    if (has_ellipsis) {
      if (c.rank(i) < letters)
        c.unsupported(input_text(c, i) + " should have at least " + std::to_string(letters) + " axes, as the term '" +
                      terms[i] + "'");
      own = c.rank(i) - letters;
    }
    hidden = std::max(hidden, own);
    made.inputs.push_back(parse_einsum_term(c, terms[i], own));
    require_rank(c, i, made.inputs.back().size(), made.inputs.back().size());
  }
  if (arrow != std::string::npos) {
    std::string const right = text.substr(arrow + 2);
    if (hidden != 0 && right.find("...") == std::string::npos)
      c.unsupported("its equation '" + text + "' has no ellipsis in the result, where its inputs have one");
    made.output = parse_einsum_term(c, right, hidden);
    for (int const label : made.output) {
      bool const known =
          label < 0 || std::ranges::any_of(made.inputs, [&](auto const& input) { return has_label(input, label); });
      if (!known || std::ranges::count(made.output, label) != 1)
        c.unsupported("its equation '" + text + "' has the letter '" + std::string(1, static_cast<char>(label)) +
                      "' in the result " + (known ? "twice" : "only"));
    }
  } else {  // the ellipsis, then the letters that occur once, in the order of their codes
    for (std::size_t k = hidden; k != 0; --k) made.output.push_back(-static_cast<int>(k));
    for (int letter = 'A'; letter <= 'z'; ++letter) {
      std::ptrdiff_t count = 0;
      for (einsum_labels const& input : made.inputs) count += std::ranges::count(input, letter);
      if (count == 1) made.output.push_back(letter);
    }
  }
  return made;
}

/// Returns a term with its axes in another order.
inline einsum_term transposed_term(onnx_context const& c, einsum_term term, einsum_labels const& order) {
  if (term.labels == order) return term;
  einsum_term made{"", order, {}};
  std::vector<std::int64_t> axes;
  for (int const label : order) {
    std::size_t const axis = place_of_label(term.labels, label);
    axes.push_back(static_cast<std::int64_t>(axis));
    made.dims.push_back(term.dims[axis]);
  }
  made.blob = c.step("Transpose", {term.blob}, {{"axes", axes}});
  return made;
}

/// Returns a term with only the labels for which stays(label), summed over the others.
template <class Stays>
einsum_term summed_term(onnx_context const& c, einsum_term term, Stays const& stays) {
  einsum_term made;
  std::vector<std::int64_t> axes;
  for (std::size_t axis = 0; axis != term.labels.size(); ++axis) {
    if (!stays(term.labels[axis])) {
      axes.push_back(static_cast<std::int64_t>(axis));
      continue;
    }
    made.labels.push_back(term.labels[axis]);
    made.dims.push_back(term.dims[axis]);
  }
  if (axes.empty()) return term;
  made.blob = c.step("ReduceSum", {term.blob}, {{"axes", axes}, {"keepdims", 0}});
  return made;
}

/// Returns input i with distinct labels: two axes of one label become their diagonal, gathered from the second of them
/// with an index for each place of the first.
inline einsum_term einsum_input(onnx_context const& c, std::size_t i, einsum_labels const& labels) {
  einsum_term made{labels.empty() ? c.input(i) : input_of_rank(c, i, labels.size()), labels,
                   c.dims(i) ? *c.dims(i) : std::vector<std::int64_t>(labels.size(), -1)};
  for (std::size_t first = 0; first < made.labels.size(); ++first) {
    auto const found =
        std::find(made.labels.begin() + static_cast<std::ptrdiff_t>(first) + 1, made.labels.end(), made.labels[first]);
    if (found == made.labels.end()) continue;
    auto const second = static_cast<std::size_t>(found - made.labels.begin());
    std::int64_t const extent = made.dims[first];
    if (extent < 0 || made.dims[second] < 0)
      c.unsupported("the extents of axes with the same letter must be known before the model is run");
    if (extent != made.dims[second])
      c.unsupported("axes of " + input_text(c, i) + " with the same letter have different extents");
    std::vector<std::int64_t> axes{static_cast<std::int64_t>(first), static_cast<std::int64_t>(second)};
    einsum_term diagonal{"", {made.labels[first]}, {extent}};
    for (std::size_t axis = 0; axis != made.labels.size(); ++axis) {
      if (axis == first || axis == second) continue;
      axes.push_back(static_cast<std::int64_t>(axis));
      diagonal.labels.push_back(made.labels[axis]);
      diagonal.dims.push_back(made.dims[axis]);
    }
    std::string const turned = c.step("Transpose", {made.blob}, {{"axes", axes}});
    diagonal.blob = c.step("Gather", {turned, onnx_places(c, turned, 0)}, {{"axis", 1}, {"match_outer", 1}});
    made = std::move(diagonal);
    first = static_cast<std::size_t>(-1);  // the axes have moved
  }
  return made;
}

/// Returns a term with an axis of extent 1 for each label of `order` that it lacks, its axes in this order.
inline std::string aligned_term(onnx_context const& c, einsum_term const& term, einsum_labels const& order) {
  einsum_labels own;
  std::vector<std::int64_t> missing;
  for (std::size_t axis = 0; axis != order.size(); ++axis) {
    if (has_label(term.labels, order[axis]))
      own.push_back(order[axis]);
    else
      missing.push_back(static_cast<std::int64_t>(axis));
  }
  std::string const made = transposed_term(c, term, own).blob;
  return missing.empty() ? made : c.step("ExpandDims", {made}, {{"dims", missing}});
}

/// Contracts two terms: sums their product over the labels of both for which stays(label) is false. The other labels of
/// each term stay.
template <class Stays>
einsum_term contracted(onnx_context const& c, einsum_term const& a, einsum_term const& b, Stays const& stays) {
  einsum_labels batch;
  einsum_labels summed;
  einsum_labels left;
  einsum_labels right;
  for (int const label : a.labels)
    (!has_label(b.labels, label) ? left : stays(label) ? batch : summed).push_back(label);
  for (int const label : b.labels)
    if (!has_label(a.labels, label)) right.push_back(label);
  einsum_term made;
  for (einsum_labels const* part : {&batch, &left, &right})
    made.labels.insert(made.labels.end(), part->begin(), part->end());
  auto const extent = [](einsum_term const& of, int label) {
    return has_label(of.labels, label) ? of.dims[place_of_label(of.labels, label)] : 1;
  };
  for (int const label : made.labels) {
    std::int64_t const own = extent(a, label);
    std::int64_t const other = extent(b, label);
    made.dims.push_back(own == 1 ? other : other == 1 ? own : std::max(own, other));
  }
  // An axis of extent 1 that is repeated along the other term's is not one of a matrix product.
  bool const alike = std::ranges::all_of(summed, [&](int label) { return extent(a, label) == extent(b, label); });
  bool const is_product = summed.size() == 1 && left.size() <= 1 && right.size() <= 1 && alike &&
                          onnx_floats.has(c.type(0)) && batch.size() + 2 <= max_rank && extent(a, summed.front()) >= 0;
  if (is_product) {
    auto const order = [&](einsum_labels const& first, einsum_labels const& second, int spare) {
      einsum_labels all = batch;
      for (einsum_labels const* part : {&first, &second}) {
        all.insert(all.end(), part->begin(), part->end());
        if (part->empty()) all.push_back(spare);
      }
      return all;
    };
    std::string const x = aligned_term(c, a, order(left, summed, 0));
    std::string const y = aligned_term(c, b, order(summed, right, 0));
    bool const flat = batch.empty();
    made.blob = c.step(flat ? "MatMul" : "BatchMatMul", {x, y},
                       flat ? std::vector<net_argument>{} : std::vector<net_argument>{{"broadcast", 1}});
    std::vector<std::int64_t> spare;
    if (left.empty()) spare.push_back(static_cast<std::int64_t>(batch.size()));
    if (right.empty()) spare.push_back(static_cast<std::int64_t>(batch.size() + 1));
    if (!spare.empty()) made.blob = c.step("Squeeze", {made.blob}, {{"dims", spare}});
    return made;
  }
  einsum_labels all = made.labels;
  all.insert(all.end(), summed.begin(), summed.end());
  if (all.size() > max_rank)
    c.unsupported("a product of two inputs has more than " + std::to_string(max_rank) + " different letters");
  made.blob = c.step("Mul", {aligned_term(c, a, all), aligned_term(c, b, all)});
  if (summed.empty()) return made;
  std::vector<std::int64_t> axes(summed.size());
  std::iota(axes.begin(), axes.end(), static_cast<std::int64_t>(made.labels.size()));
  made.blob = c.step("ReduceSum", {made.blob}, {{"axes", axes}, {"keepdims", 0}});
  return made;
}

// Reports known extents of a label that differ, unless one of them is 1.
inline void check_einsum_extents(onnx_context const& c, einsum_equation const& equation) {
  std::vector<std::pair<int, std::int64_t>> known;
  for (std::size_t i = 0; i != equation.inputs.size(); ++i)
    for (std::size_t axis = 0; c.dims(i) && axis != equation.inputs[i].size(); ++axis) {
      std::int64_t const extent = (*c.dims(i))[axis];
      int const label = equation.inputs[i][axis];
      if (extent < 0 || extent == 1) continue;
      auto const found = std::ranges::find(known, label, &std::pair<int, std::int64_t>::first);
      if (found == known.end())
        known.emplace_back(label, extent);
      else if (found->second != extent)
        c.unsupported("axis " + std::to_string(axis) + " of " + input_text(c, i) + " should have the extent " +
                      std::to_string(found->second) + ", as the same axis of its equation elsewhere");
    }
}

inline void onnx_einsum(onnx_context const& c) {
  if (c.input_count() == 0) c.unsupported("it has no inputs");
  for (std::size_t i = 0; i != c.input_count(); ++i) require_type(c, i, onnx_numbers);
  einsum_equation const equation = parse_einsum(c);
  check_einsum_extents(c, equation);
  einsum_term made;
  for (std::size_t i = 0; i != equation.inputs.size(); ++i) {
    auto const later = [&](int label) {  // in the result, or in a term after this one
      bool found = has_label(equation.output, label);
      for (std::size_t k = i + 1; k != equation.inputs.size(); ++k)
        found = found || has_label(equation.inputs[k], label);
      return found;
    };
    einsum_term next = einsum_input(c, i, equation.inputs[i]);
    if (i == 0) {
      made = summed_term(c, std::move(next), later);
      continue;
    }
    next = summed_term(c, std::move(next), [&](int label) { return later(label) || has_label(made.labels, label); });
    made = contracted(c, made, next, later);
  }
  made = transposed_term(c, std::move(made), equation.output);
  c.add("Copy", {made.blob}, {c.output(0)});
  c.set_type(0, c.type(0));
  c.set_dims(0, std::move(made.dims));
}

}  // namespace detail

inline void add_onnx_einsum_rules(onnx_rules& rules) { rules.set("Einsum", detail::onnx_einsum); }

}  // namespace plait
