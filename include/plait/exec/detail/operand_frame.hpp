// The operands of an op as blobs, for the nets inside it to read and write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/engine/engine.hpp>
#include <plait/exec/detail/nets_of_op.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/workspace.hpp>

namespace plait {

/// A workspace with a blob for each operand of an op, by its name. While the op runs these blobs stand in the memory of
/// the plan around it: inputs are not copied, except one that nets inside write while others still need it.
template <backend B>
class operand_frame {
 public:
  explicit operand_frame(nets_of_op<B> const& nets) {
    auto const inputs = nets.input_names();
    auto const outputs = nets.output_names();
    boost::unordered_flat_map<blob<B>*, std::uint32_t> places;
    for (std::string const& name : outputs) {
      outputs_.push_back(&blobs_.local(name));
      places.try_emplace(outputs_.back(), static_cast<std::uint32_t>(outputs_.size() - 1));
    }
    for (std::string const& name : inputs) {
      blob<B>& at = blobs_.local(name);
      auto const output = places.find(&at);
      inputs_.push_back({&at, output == places.end() ? static_cast<std::uint32_t>(npos) : output->second});
    }
  }
  operand_frame(operand_frame const&) = delete;
  operand_frame& operator=(operand_frame const&) = delete;

  workspace<B>& blobs() noexcept { return blobs_; }

  /// Calls body() with the operands in place, then hands over what the outputs' blobs hold. If it throws, the blobs
  /// hold nothing.
  template <class Body>
  void run(op_context<B>& c, Body&& body) {
    open(c);
    try {
      body();
    } catch (...) {
      clear();
      throw;
    }
    for (std::size_t o = 0; o != outputs_.size(); ++o) c.result(o) = *outputs_[o];  // one may be listed twice
    clear();
  }

 private:
  struct input {
    blob<B>* at;
    std::uint32_t output;  // of the same blob
  };

  void open(op_context<B>& c) {
    for (std::size_t i = 0; i != inputs_.size(); ++i) {
      auto const [at, output] = inputs_[i];
      slot const& from = *c.inputs()[i];
      at->is_set = c.is_set(i);
      at->object = c.object(i);
      if (!at->is_set || at->object != nullptr) continue;
      if (output == npos || c.place(output) == i) {
        at->value = tensor<B>::adopt(from.data, from.type, row_major(from.type.dims), nullptr);
      } else {
        at->value = tensor<B>::uninitialized(from.type.type, from.type.dims);
        B::copy(at->value.raw(), from.data, from.type.bytes());
      }
    }
  }
  void clear() {
    for (input const& in : inputs_) in.at->clear();
    for (blob<B>* at : outputs_) at->clear();
  }

  workspace<B> blobs_;
  std::vector<input> inputs_;
  std::vector<blob<B>*> outputs_;
};

/// Runs a net inside an op. Throws nested_net_error naming the argument it comes from; run_cancelled as it is.
template <backend B>
void run_nested(engine<B>& net, std::string_view argument, run_options const& options) {
  detail::run_inside(argument, [&] { net.run(options); });
}

}  // namespace plait
