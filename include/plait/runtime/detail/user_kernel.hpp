// Kernel of a user_operator: calls the program's function on host memory.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>
#include <plait/runtime.hpp>

namespace plait::detail {

template <backend B>
class user_kernel final : public op_kernel<B> {
 public:
  user_kernel(op_arguments const& a, std::shared_ptr<user_operator const> op) : op_(std::move(op)) {
    for (auto const& [name, fallback] : op_->arguments)
      arguments_.emplace_back(name, !a.has(name)         ? fallback
                                    : a.is_integer(name) ? static_cast<double>(a.integer(name))
                                                         : a.real(name));
  }

  void infer(shape_context& c) override {
    if (!op_->infer) {
      for (std::size_t o = 0; o != c.output_count(); ++o) c.output(o, c.type(0), c.dims(0));
      return;
    }
    std::vector<tensor_info> inputs;
    for (std::size_t i = 0; i != c.input_count(); ++i)
      inputs.push_back({{}, c.type(i), {c.dims(i).begin(), c.dims(i).end()}});
    std::vector<tensor_info> const outputs = op_->infer(inputs);
    if (outputs.size() != c.output_count())
      throw shape_error("plait: user_operator::infer of '" + op_->type + "' returned " +
                        std::to_string(outputs.size()) + " types for " + std::to_string(c.output_count()) + " outputs");
    for (std::size_t o = 0; o != outputs.size(); ++o) c.output(o, outputs[o].type, shape(outputs[o].shape));
  }

  void run(op_context<B>& c) override {
    std::vector<tensor_view> inputs;
    std::vector<mutable_tensor_view> outputs;
    std::vector<std::vector<std::byte>> copies;  // of device memory
    copies.reserve(c.input_count() + c.output_count());
    auto const on_host = [&]<class Pointer>(Pointer data, tensor_spec const& spec) -> Pointer {
      if constexpr (B::on_device)
        return copies.emplace_back(byte_count(spec)).data();
      else
        return data;
    };
    for (std::size_t i = 0; i != c.input_count(); ++i) {
      void const* const data = on_host(c.raw_input(i), c.input_spec(i));
      if constexpr (B::on_device) B::copy_to_host(copies.back().data(), c.raw_input(i), copies.back().size());
      inputs.push_back({c.type(i), extents(c.dims(i)), data, c.size(i)});
    }
    for (std::size_t o = 0; o != c.output_count(); ++o) {
      tensor_spec const& spec = c.output_spec(o);
      outputs.push_back({spec.type, extents(spec.dims), on_host(c.raw_output(o), spec), c.output_size(o)});
    }
    op_->run({inputs, outputs, arguments_});
    if constexpr (B::on_device)
      for (std::size_t o = 0; o != c.output_count(); ++o)
        B::copy_from_host(c.raw_output(o), outputs[o].data, byte_count(c.output_spec(o)));
  }

 private:
  static std::span<std::int64_t const> extents(shape const& dims) { return {dims.begin(), dims.end()}; }
  static std::size_t byte_count(tensor_spec const& spec) {
    return static_cast<std::size_t>(spec.dims.size()) * size_of(spec.type);
  }

  std::shared_ptr<user_operator const> op_;
  std::vector<std::pair<std::string, double>> arguments_;
};

/// Returns the standard operators and those of the program. Throws net_error for one without a name or function.
template <backend B>
operators<B> operators_with(std::vector<user_operator> const& added) {
  operators<B> table = standard_operators<B>();
  for (user_operator const& each : added) {
    if (each.type.empty() || !each.run)
      throw net_error("plait: user_operator '" + each.type + "' lacks " + (each.type.empty() ? "a type" : "run"));
    op_schema schema(each.type);
    schema.inputs(each.inputs).outputs(each.outputs).describe("user-defined");
    // The program's function runs on the host: no run can be replayed, as kernels on a device can.
    schema.side_effects().differs_by_run();
    for (auto const& [name, fallback] : each.arguments)
      schema.number_argument(name, static_cast<float>(fallback), "of a user-defined op type");
    table.add(std::move(schema),
              [op = std::make_shared<user_operator const>(each)](op_arguments const& a, nets_of_op<B> const&)
                  -> std::unique_ptr<op_kernel<B>> { return std::make_unique<user_kernel<B>>(a, op); });
  }
  return table;
}

}  // namespace plait::detail
