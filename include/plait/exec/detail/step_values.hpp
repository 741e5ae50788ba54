// Values of the time steps of a recurrence, kept for its gradient.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/blob.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/tensor.hpp>

namespace plait {

/// The last output of RecurrentNetwork, which Caffe2 calls its step workspaces: kept blobs of all steps, by name.
template <backend B>
class step_values : public blob_object {
 public:
  std::string_view kind() const override { return "list of step workspaces"; }

  /// A blob of the step net in all steps.
  struct value {
    std::string name;
    tensor_spec type = {};           ///< in each step, if it is an array
    tensor<B> array = {};            ///< of all steps
    std::vector<blob<B>> each = {};  ///< by step, if types may differ or are known only after a step; else empty
  };
  /// A blob of the step net that is places t + offset to t + offset + window of a sequence at step t.
  struct link {
    std::string name = {};
    std::size_t state = npos;  ///< whose places it is; npos: those of `copy`
    tensor<B> copy = {};
    std::int64_t offset = 0;
    std::int64_t window = 1;
  };

  /// Returns the value of this name; nullptr if there is none.
  value* find(std::string_view name) {
    auto const at = std::ranges::find(values, name, &value::name);
    return at == values.end() ? nullptr : &*at;
  }
  /// Makes room for a value in all steps, in its old memory if that fits.
  static void make_array(value& v, tensor_spec const& type, std::size_t steps) {
    auto const elements = static_cast<std::int64_t>(steps) * type.dims.size();
    if (v.array.type() != type.type || v.array.dims().size() != elements || v.array.owner() == nullptr)
      v.array = tensor<B>::uninitialized(type.type, {elements});
    v.type = type;
    v.each.clear();
  }
  void make_timesteps(std::int64_t places) {
    if (timesteps.dims().size() < places) timesteps = tensor<B>::uninitialized(element_type::int32, {places});
  }
  /// Sets the first elements of timesteps, unless they are set.
  void number_steps(std::size_t steps) {
    if (numbered >= steps) return;
    std::vector<std::int32_t> numbers(steps);
    std::iota(numbers.begin(), numbers.end(), 0);
    B::copy_from_host(timesteps.raw(), numbers.data(), steps * sizeof(std::int32_t));
    numbered = steps;
  }
  /// Returns the names of all blobs, ascending.
  std::vector<std::string> names() const {
    std::vector<std::string> made;
    for (value const& v : values) made.push_back(v.name);
    for (link const& l : links) made.push_back(l.name);
    std::ranges::sort(made);
    made.erase(std::ranges::unique(made).begin(), made.end());
    return made;
  }
  /// Returns a blob after a step: a view, or a tensor that it shares; unset if the step has not set it.
  blob<B> at(std::string_view name, std::size_t step) const {
    if (auto const v = std::ranges::find(values, name, &value::name); v != values.end()) {
      if (!v->each.empty()) return v->each[step];
      auto const first = static_cast<std::int64_t>(step) * v->type.dims.size();
      return {v->array.slice(0, first, first + v->type.dims.size()).reshape(v->type.dims), nullptr, true};
    }
    auto const l = std::ranges::find(links, name, &link::name);
    if (l == links.end()) return {};
    std::int64_t const first = static_cast<std::int64_t>(step) + l->offset;
    return {(l->state == npos ? l->copy : states[l->state]).slice(0, first, first + l->window), nullptr, true};
  }

  /// Identifies the op that runs the steps.
  std::shared_ptr<void const> user;
  /// By state: initial values and one for each step.
  std::vector<tensor<B>> states;
  /// Numbers of steps: 0, 1, 2, …
  tensor<B> timesteps;
  /// Number of these that are set.
  std::size_t numbered = 0;
  std::vector<value> values;
  std::vector<link> links;
  /// Number of steps of the last run.
  std::size_t length = 0;
  /// True if values are those of the last run.
  bool keeps_steps = false;
};

/// Inferred types and known elements of the values of time steps.
struct step_forecast : blob_object {
  std::string_view kind() const override { return "forecast of step workspaces"; }

  struct blob {
    std::string name;
    tensor_spec type;
    std::vector<std::int64_t> elements = {};  ///< of integers, as far as they are known
  };
  std::vector<tensor_spec> states;
  std::vector<blob> blobs;  ///< of a step
};

namespace detail {
template <backend B>
bool overlaps(op_context<B> const& c, std::size_t input, tensor<B> const& memory) {
  if (!c.is_set(input) || c.type(input) == element_type::object) return false;
  auto const* const first = static_cast<std::byte const*>(memory.raw());
  auto const* const at = static_cast<std::byte const*>(c.raw_input(input));
  return at < first + memory.bytes() && first < at + c.input_spec(input).bytes();
}
}  // namespace detail

/// Prepares a tensor, of which an op with results_after_run publishes views, for another run: reuses its memory if only
/// blobs that the op is about to write hold views of it and no other input overlaps it; else allocates. `replaced`: by
/// input, true if it is the previous value of such a blob.
template <backend B>
void renew(tensor<B>& memory, tensor_spec const& wanted, op_context<B> const& c, std::vector<bool> const& replaced) {
  bool usable = memory.spec() == wanted && memory.owner() != nullptr;
  long holders = 1;
  for (std::size_t i = 0; usable && i != c.input_count(); ++i) {
    if (!detail::overlaps(c, i, memory)) continue;
    if (replaced[i])
      ++holders;
    else
      usable = false;
  }
  if (!usable || memory.owner().use_count() > holders) memory = tensor<B>::uninitialized(wanted.type, wanted.dims);
}

}  // namespace plait
