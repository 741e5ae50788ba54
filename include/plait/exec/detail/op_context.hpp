// Argument of a kernel's run: the operands of an op, with their types and memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/blob.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/detail/shape_context.hpp>

namespace plait {

/// Slot: the contiguous memory and type of a value of a plan, owned by the plan. For type `object`, `data` is the
/// address of a std::shared_ptr<blob_object>; for type `none` the value is unset.
struct slot {
  void* data = nullptr;
  tensor_spec type;
  std::uint32_t storage = npos;  ///< slots of one storage have the same memory and size; others never overlap
};

struct run_options;
class op_observer;
template <backend B>
class row_stream;

/// Additional operands of an op whose schema has results_after_run. Owned by the plan.
template <backend B>
struct op_results {
  std::vector<blob<B>> values;        ///< by output: set by the op
  std::vector<std::uint32_t> places;  ///< by output: see op_context::place
  std::size_t listed_inputs = 0;      ///< number of inputs that the net lists; others may be unset, see requires_input
  run_options const* options = nullptr;
  row_stream<B>* streamed = nullptr;  ///< producer of a streamed input (pattern_kind::in_order); nullptr if none
  std::size_t streamed_input = 0;
  std::vector<bool> constants = {};      ///< by input: is constant; empty if none is
  std::uint64_t constants_revision = 0;  ///< changes with any of these
};

/// Resources of an op besides its operands, which only some ops have. Owned by the plan.
template <backend B>
struct op_resources {
  std::uint64_t packs = 0;                      ///< one bit per input: see op_context::is_packed
  std::vector<void const*> packed = {};         ///< by input: see op_kernel::pack; empty if none is packed
  std::unique_ptr<op_results<B>> results = {};  ///< for results_after_run
  std::uint64_t const* runs = nullptr;          ///< runs of the plan, with the current one
  op_observer* observer = nullptr;              ///< of the current run, if there is one
};

/// Argument of run: the operands of an op, with their types and memory.
template <backend B>
class op_context {
 public:
  op_context() = default;
  op_context(std::span<slot* const> inputs, std::span<slot* const> outputs)
      : inputs_(inputs.data()),
        outputs_(outputs.data()),
        input_count_(static_cast<std::uint32_t>(inputs.size())),
        output_count_(static_cast<std::uint32_t>(outputs.size())) {}

  std::size_t input_count() const noexcept { return input_count_; }
  std::size_t output_count() const noexcept { return output_count_; }
  tensor_spec const& input_spec(std::size_t i) const { return at(inputs(), i).type; }
  tensor_spec const& output_spec(std::size_t i) const { return at(outputs(), i).type; }
  element_type type(std::size_t i) const { return input_spec(i).type; }
  shape const& dims(std::size_t i) const { return input_spec(i).dims; }
  /// Returns the number of elements of an input.
  std::size_t size(std::size_t i) const { return static_cast<std::size_t>(dims(i).size()); }
  std::size_t output_size(std::size_t i) const { return static_cast<std::size_t>(output_spec(i).dims.size()); }

  template <element T>
  T const* input(std::size_t i) const {
    PLAIT_ASSERT(input_spec(i).type == element_type_of<T>, "op_context: the input is of another type");
    return static_cast<T const*>(at(inputs(), i).data);
  }
  template <element T>
  T* output(std::size_t i) const {
    PLAIT_ASSERT(output_spec(i).type == element_type_of<T>, "op_context: the output is of another type");
    return static_cast<T*>(at(outputs(), i).data);
  }
  void const* raw_input(std::size_t i) const { return at(inputs(), i).data; }
  void* raw_output(std::size_t i) const { return at(outputs(), i).data; }

  std::span<slot* const> inputs() const noexcept { return {inputs_, input_count_}; }
  std::span<slot* const> outputs() const noexcept { return {outputs_, output_count_}; }

  /// Returns the memory that infer requested by scratch(), aligned like all memory of the backend.
  void* scratch() const noexcept { return scratch_; }
  void set_scratch(void* memory) noexcept { scratch_ = memory; }

  /// Returns true if an input will be packed when the op runs. Known before memory is.
  bool is_packed(std::size_t i) const noexcept {
    return resources_ != nullptr && i < 64 && (resources_->packs >> i & 1) != 0;
  }
  /// Returns an input as packed by op_kernel::pack; nullptr if it is not packed.
  void const* packed(std::size_t i) const noexcept {
    return resources_ == nullptr || i >= resources_->packed.size() ? nullptr : resources_->packed[i];
  }
  /// Returns the number of earlier runs, on which the numbers that an op draws depend.
  std::uint64_t run_number() const noexcept { return resources_ == nullptr ? 0 : *resources_->runs - 1; }
  /// Returns the observer of the run; nullptr if there is none.
  op_observer* observer() const noexcept { return resources_ == nullptr ? nullptr : resources_->observer; }
  /// Sets the op's resources besides its operands, which must outlive the context; nullptr: none.
  void set_resources(op_resources<B> const* resources) noexcept { resources_ = resources; }
  op_resources<B> const* resources() const noexcept { return resources_; }

  // ---- ops with results_after_run
  bool is_set(std::size_t i) const { return input_spec(i).type != element_type::none; }
  /// Returns the object in an input; nullptr for a tensor or an unset input.
  std::shared_ptr<blob_object> object(std::size_t i) const {
    slot const& found = at(inputs(), i);
    return found.type.type == element_type::object ? *static_cast<std::shared_ptr<blob_object>*>(found.data) : nullptr;
  }
  /// Returns the result to set for an output. A tensor is contiguous and owns its memory, or is non-owning and aliases
  /// the input place(i). If the op leaves it unset, the blob is unset.
  blob<B>& result(std::size_t i) const {
    PLAIT_ASSERT(resources_ != nullptr && i < resources_->results->values.size(), "op_context: no such result");
    return resources_->results->values[i];
  }
  /// Returns the input with the name of an output whose memory the op may overwrite and return as that output; npos if
  /// there is none.
  std::uint32_t place(std::size_t i) const { return resources_->results->places[i]; }
  /// Returns the options for running nested nets.
  run_options const& options() const { return *resources_->results->options; }
  /// Returns the producer of a streamed input (pattern_kind::in_order); nullptr if the input is already computed.
  row_stream<B>* streamed(std::size_t i) const {
    return resources_->results->streamed_input == i ? resources_->results->streamed : nullptr;
  }
  /// Returns true if an input has the same elements in all runs until constants_revision() changes.
  bool is_constant(std::size_t i) const {
    return i < resources_->results->constants.size() && resources_->results->constants[i];
  }
  std::uint64_t constants_revision() const noexcept { return resources_->results->constants_revision; }

  [[noreturn]] static void fail(std::string_view text) { throw shape_error("plait: " + std::string(text)); }

 private:
  static slot& at(std::span<slot* const> slots, std::size_t i) {
    PLAIT_ASSERT(i < slots.size(), "op_context: no such operand");
    return *slots[i];
  }

  slot* const* inputs_ = nullptr;
  slot* const* outputs_ = nullptr;
  std::uint32_t input_count_ = 0;
  std::uint32_t output_count_ = 0;
  void* scratch_ = nullptr;
  op_resources<B> const* resources_ = nullptr;
};

}  // namespace plait
