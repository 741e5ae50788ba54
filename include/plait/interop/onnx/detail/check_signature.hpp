// Schema check of ONNX nodes: numbers of operands, element types, attributes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/interop/onnx/detail/context.hpp>
#include <plait/interop/onnx/detail/signatures.hpp>
#include <plait/interop/onnx/detail/values.hpp>

namespace plait::detail {

/// Integer attributes that are booleans.
inline constexpr std::string_view onnx_flags =
    "allowzero broadcast ceil_mode count_include_pad detect_negative detect_positive input_forget is_test keepdims "
    "largest layout linear_before_reset noop_with_empty_axes output_sequence saturate select_last_index sorted spatial "
    "storage_order training_mode transA transB";

/// Schema check of a node of ONNX's own operators. Reports the first violation; element types are checked where they
/// are known before the net runs. O(operands and attributes).
class onnx_signature_check {
 public:
  explicit onnx_signature_check(onnx_context const& c) : c_(c) {}

  void run() {
    auto const versions =
        std::ranges::equal_range(onnx_signatures, std::string_view(c_.node().type), {}, &onnx_signature::type);
    // A user-defined operator, or a version for which check_versions refuses the whole model.
    if (versions.empty() || c_.opset() < 1) return;
    onnx_signature const* found = nullptr;
    for (onnx_signature const& each : versions)
      if (each.since <= c_.opset()) found = &each;
    // ONNX Runtime's optimiser writes it in models of older versions.
    if (found == nullptr && c_.node().type == "LayerNormalization") found = &versions.front();
    if (found == nullptr) c_.unsupported("it is not an operator of version " + std::to_string(c_.opset()));
    check_attributes(*found);
    check_inputs(*found);
    check_outputs(*found);
  }

 private:
  static std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> made;
    while (!text.empty()) {
      std::size_t const end = std::min(text.find(' '), text.size());
      made.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return made;
  }
  // Removes a mark from the end of a word; returns true if the word had it.
  static bool take(std::string_view& word, std::string_view mark) {
    if (!word.ends_with(mark)) return false;
    word.remove_suffix(mark.size());
    return true;
  }
  std::string version() const { return "version " + std::to_string(c_.opset()) + " of the operator"; }

  // ---- attributes
  void check_attributes(onnx_signature const& s) const {
    auto const listed = words(s.attributes);
    auto const flags = words(onnx_flags);
    std::vector<std::string_view> seen;
    for (onnx_attribute const& a : c_.node().attributes) {
      if (std::ranges::find(seen, a.name) != seen.end()) c_.unsupported("attribute '" + a.name + "' is repeated");
      seen.push_back(a.name);
      if (a.name.size() > 3 && a.name.starts_with("__") && a.name.ends_with("__")) continue;  // internal ones
      auto const known =
          std::ranges::find_if(listed, [&](std::string_view word) { return word.substr(0, word.find(':')) == a.name; });
      if (known == listed.end()) c_.unsupported("attribute '" + a.name + "' is unknown to " + version());
      check_kind(a, (*known)[a.name.size() + 1]);
      if (a.i && *a.i != 0 && *a.i != 1 && std::ranges::find(flags, a.name) != flags.end())
        c_.unsupported("attribute '" + a.name + "' is " + std::to_string(*a.i) + ", neither 0 nor 1");
    }
    for (std::string_view word : listed)
      if (take(word, "!") && !c_.has(word.substr(0, word.find(':'))))
        c_.unsupported("attribute '" + std::string(word.substr(0, word.find(':'))) + "' is missing");
  }
  // Reports a value of another type. An attribute without any value is an empty list, or zero, and passes.
  void check_kind(onnx_attribute const& a, char kind) const {
    bool const fits = (kind == 'f' || !a.f) && (kind == 'i' || !a.i) && (kind == 's' || !a.s) &&
                      (kind == 't' || !a.t) && (kind == 'g' || !a.g) && (kind == 'F' || a.floats.empty()) &&
                      (kind == 'I' || a.ints.empty()) && (kind == 'S' || a.strings.empty());
    if (!fits) c_.unsupported("attribute '" + a.name + "' is not " + kind_name(kind));
  }
  static std::string kind_name(char kind) {
    switch (kind) {
      case 'f':
        return "a float";
      case 'i':
        return "an integer";
      case 's':
        return "a string";
      case 't':
        return "a tensor";
      case 'g':
        return "a graph";
      case 'F':
        return "a list of floats";
      case 'I':
        return "a list of integers";
      case 'S':
        return "a list of strings";
      default:
        return "a sparse tensor";
    }
  }

  // ---- operands
  void check_inputs(onnx_signature const& s) {
    auto const listed = words(s.inputs);
    bool const repeats = !listed.empty() && listed.back().ends_with("*");
    if (c_.input_count() > listed.size() && !repeats)
      c_.unsupported("it has " + std::to_string(c_.input_count()) + " inputs, where " + version() + " has " +
                     std::to_string(listed.size()));
    for (std::size_t i = 0; i != std::max(c_.input_count(), s.least); ++i) {
      std::string_view word = listed[std::min(i, listed.size() - 1)];
      bool const optional = take(word, "?");
      bool const own = take(word, "**");
      static_cast<void>(take(word, "*"));
      if (c_.has_input(i))
        check_type(s, word, i, own);
      else if (i >= c_.input_count() || (!optional && !own))
        c_.unsupported("input " + std::to_string(i) + " is missing");
    }
  }
  void check_type(onnx_signature const& s, std::string_view variable, std::size_t i, bool own) {
    onnx_type const type = c_.type(i);
    if (type == onnx_type::undefined) return;
    std::string const named = "input '" + c_.node().inputs[i] + "' is " + to_string(type);
    if (!runtime_type(type)) c_.unsupported(named + ", of which the runtime has no tensors");
    if (!(allowed(s, variable) >> static_cast<unsigned>(type) & 1))
      c_.unsupported(named + ", which " + version() + " does not take");
    if (own) return;
    for (auto const& [name, first] : bound_) {
      if (name != variable || c_.type(first) == type) continue;
      c_.unsupported(named + " and '" + c_.node().inputs[first] + "' is " + to_string(c_.type(first)) +
                     ", which must be of one type");
    }
    bound_.emplace_back(variable, i);
  }
  static std::uint32_t allowed(onnx_signature const& s, std::string_view variable) {
    for (std::string_view const word : words(s.types)) {
      std::size_t const at = word.find('=');
      if (word.substr(0, at) != variable) continue;
      std::uint32_t bits = 0;
      for (char const digit : word.substr(at + 1))
        bits = bits * 16 + static_cast<std::uint32_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
      return bits;
    }
    return 0;
  }

  void check_outputs(onnx_signature const& s) const {
    auto const listed = words(s.outputs);
    bool const repeats = !listed.empty() && listed.back().ends_with("*");
    std::size_t const count = c_.node().outputs.size();
    std::size_t const least = static_cast<std::size_t>(std::ranges::count_if(
        listed, [](std::string_view word) { return !word.ends_with("?") && !word.ends_with("**"); }));
    if (count < least || (count > listed.size() && !repeats))
      c_.unsupported(
          "it has " + std::to_string(count) + " outputs, where " + version() + " has " +
          (count < least ? "at least " + std::to_string(least) : "at most " + std::to_string(listed.size())));
  }

  onnx_context const& c_;
  std::vector<std::pair<std::string_view, std::size_t>> bound_;  // variables and the first input of each
};

}  // namespace plait::detail
