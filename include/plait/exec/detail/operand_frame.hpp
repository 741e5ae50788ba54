// Operand frame: the operands of an op as blobs that its nested nets read and write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

/// Workspace with a blob for each operand of an op, by name. While the op runs these blobs alias the memory of the plan
/// around: inputs are not copied, except one that nested nets write while other ops still need it.
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

  /// Compiles a net of the op, in an argument, that runs on these blobs.
  std::unique_ptr<engine<B>> compile(nets_of_op<B> const& nets, std::string_view argument) {
    std::vector<std::string> const keep(nets.output_names().begin(), nets.output_names().end());
    auto made = nets.compile(argument, blobs_, &keep);
    nets_.push_back(made.get());
    return made;
  }

  /// Calls body() with the operands bound, then sets the op's results from the outputs' blobs. Unsets all blobs, also
  /// if body() throws.
  template <class Body>
  void run(op_context<B>& c, Body&& body) {
    open(c);
    try {
      body();
    } catch (...) {
      clear();
      throw;
    }
    for (std::size_t o = 0; o != outputs_.size(); ++o) c.result(o) = *outputs_[o];  // an output may be listed twice
    clear();
  }

 private:
  struct input {
    blob<B>* at;
    std::uint32_t output;  // with the same blob; npos if there is none
  };

  void open(op_context<B>& c) {
    if (std::exchange(constants_revision_, c.constants_revision()) != c.constants_revision())
      for (engine<B>* net : nets_) net->forget_constants();
    for (std::size_t i = 0; i != inputs_.size(); ++i) {
      auto const [at, output] = inputs_[i];
      slot const& from = *c.inputs()[i];
      at->is_set = c.is_set(i);
      if (from.type.type == element_type::object) at->object = c.object(i);
      if (!at->is_set || at->object != nullptr) continue;
      if (output == npos || c.place(output) == i) {
        at->value.view(from.data, from.type);
      } else {
        at->value = tensor<B>::uninitialized(from.type.type, from.type.dims);
        B::copy(at->value.raw(), from.data, from.type.bytes());
      }
    }
  }
  // A view stays where it is, so that the next run finds it there.
  void clear() {
    for (blob<B>* at : outputs_) at->clear();
    for (input const& in : inputs_)
      if (in.at->object == nullptr && in.at->value.owner() == nullptr)
        in.at->is_set = false;
      else
        in.at->clear();
  }

  workspace<B> blobs_;
  std::vector<input> inputs_;
  std::vector<blob<B>*> outputs_;
  std::vector<engine<B>*> nets_;
  std::uint64_t constants_revision_ = 0;
};

/// Runs a nested net. Throws nested_net_error naming the argument it comes from; run_cancelled passes unchanged.
template <backend B>
void run_nested(engine<B>& net, std::string_view argument, run_options const& options) {
  detail::run_inside(argument, [&] { net.run(options); });
}

}  // namespace plait
