// What a plan can say before it is run: members of plan<B>, included by plan.hpp.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <plait/exec/plan.hpp>

namespace plait {

template <backend B>
auto plan<B>::forecast_run(given_types const& given) -> forecast {
  // Kernels are told other types: whatever is prepared must be prepared again.
  end_series(false);
  ready_.assign(ready_.size(), false);
  forecast made;
  made.objects.resize(slots_.size());
  for (std::size_t i = 0; i != inputs_.size(); ++i) {
    slots_[inputs_[i].value].type = given[i].type;
    made.objects[inputs_[i].value] = given[i].object;
  }
  std::vector<tensor_spec> outputs;
  std::vector<std::shared_ptr<blob_object>> input_objects;
  std::vector<std::shared_ptr<blob_object>> output_objects;
  for (op_index op = 0; op != op_count(); ++op) {
    if (schema(op).reads_shapes(layout_.reads(op).size()))
      throw problem(op, "its shapes come from elements, which are known in the run");
    if (!layout_.gives_results(op)) {
      infer(op);
      continue;
    }
    std::vector<tensor_spec const*> types;
    input_objects.clear();
    for (value_number v : layout_.reads(op)) {
      types.push_back(&slots_[v].type);
      input_objects.push_back(made.objects[v]);
    }
    outputs.assign(layout_.writes(op).size(), tensor_spec());
    output_objects.assign(layout_.writes(op).size(), nullptr);
    run_forecast<B> context{shape_context(types, outputs), input_objects, output_objects};
    try {
      if (!steps_[op].kernel->forecast(context)) throw problem(op, "it does not say what it makes before it is run");
    } catch (...) {
      rethrow(op);
    }
    made.inside += context.held;
    for (std::size_t o = 0; o != outputs.size(); ++o) {
      slots_[layout_.writes(op)[o]].type = outputs[o];
      made.objects[layout_.writes(op)[o]] = output_objects[o];
    }
  }
  plan_memory<B> memory;
  memory.reset(layout_, !parallel_);
  memory.measure_only();
  find_demand(memory);
  std::vector<std::pair<std::size_t, void*>> scratch;
  for (std::size_t stage = 0; stage != layout_.stages().size(); ++stage) {
    scratch.clear();
    for (op_index op = layout_.stages()[stage]; op != stage_end(stage); ++op)
      scratch.emplace_back(details_[op].scratch, nullptr);
    memory.place(layout_, stage, layout_.stages()[stage], stage_end(stage), slots_, scratch);
  }
  made.blocks = memory.block_bytes() + memory_pool<B>::block_size(bytes_on_demand());
  for (value_number v = 0; v != slots_.size(); ++v) {
    made.types.push_back(slots_[v].type);
    made.homes.push_back(memory.home(v));
    made.kept.push_back(memory.has_own(v) ? memory_pool<B>::block_size(slots_[v].type.bytes()) : 0);
  }
  return made;
}

}  // namespace plait
