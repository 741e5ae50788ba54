// Memory of a plan, predicted and in use. Members of engine<B>, included by engine.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/exec/detail/engine/engine.hpp>
#include <plait/exec/detail/saturating.hpp>

namespace plait {

template <backend B>
auto engine<B>::forecast_run(given_types const& given) -> value_forecast {
  // Inference changes types: stages must be scheduled again before the next run.
  repeats_ = false;
  end_loop(false);
  ready_.assign(ready_.size(), false);
  value_forecast made;
  made.objects.resize(slots_.size());
  known_elements known{std::vector<std::vector<std::int64_t>>(slots_.size()),
                       std::vector<tensor<B> const*>(slots_.size(), nullptr)};
  for (std::size_t i = 0; i != inputs_.size(); ++i) {
    value_number const v = inputs_[i].value;
    slots_[v].type = given[i].type;
    made.objects[v] = given[i].object;
    known.of_values[v] = given[i].elements;
    known.fed[v] = given[i].fed;
  }
  auto const is_known = [&](value_number v) {
    return !known.of_values[v].empty() || known.fed[v] != nullptr || slots_[v].type.dims.size() == 0;
  };
  std::vector<tensor_spec> outputs;
  std::vector<std::shared_ptr<blob_object>> input_objects;
  std::vector<std::shared_ptr<blob_object>> output_objects;
  for (op_index op = 0; op != op_count(); ++op) {
    if (layout_.reads_elements(op))
      for (std::size_t const i : schema(op).shape_inputs())
        if (i < layout_.reads(op).size() && !is_known(layout_.reads(op)[i]))
          throw problem(op, "its shapes come from elements, which are known in the run");
    if (!layout_.gives_results(op)) {
      infer(op, &known);
      for (std::size_t o = 0; o != known.told.size(); ++o)
        known.of_values[layout_.writes(op)[o]] = std::move(known.told[o]);
      continue;
    }
    std::vector<tensor_spec const*> types;
    input_objects.clear();
    for (value_number v : layout_.reads(op)) {
      types.push_back(&slots_[v].type);
      input_objects.push_back(made.objects[v]);
    }
    outputs.assign(layout_.writes(op).size(), {element_type::none, detail::no_elements});
    output_objects.assign(layout_.writes(op).size(), nullptr);
    shape_context context(types, outputs);
    context.set_objects(input_objects, output_objects);
    try {
      steps_[op].kernel->infer(context);
      if (std::ranges::count(outputs, tensor_spec{element_type::none, detail::no_elements}) != 0)
        throw problem(op, "it does not say what it makes before it is run");
    } catch (...) {
      rethrow(op);
    }
    made.inside = detail::add_sat(made.inside, context.held_bytes());
    for (std::size_t o = 0; o != outputs.size(); ++o) {
      slots_[layout_.writes(op)[o]].type = outputs[o];
      made.objects[layout_.writes(op)[o]] = output_objects[o];
    }
  }
  made.elements = std::move(known.of_values);
  plan_memory<B> memory;
  reset_memory(memory);
  memory.measure_only();
  std::vector<std::pair<std::size_t, void*>> scratch;
  boost::unordered_flat_map<value_number, std::size_t> packed;  // bytes of the last copy: ops with equal ones share it
  for (std::size_t stage = 0; stage != layout_.stages().size(); ++stage) {
    schedule_stage(stage, memory);
    scratch.clear();
    for (op_index op = layout_.stages()[stage]; op != stage_end(stage); ++op) {
      scratch.emplace_back(details_[op].scratch, nullptr);
      for (std::uint32_t i = 0; i != layout_.reads(op).size(); ++i) {
        bool const streams = steps_[op].runs == dispatch::streamed && stream_->packs(i);
        if (!streams && !steps_[op].context.is_packed(i)) continue;
        std::size_t const bytes = steps_[op].kernel->pack(steps_[op].context, i, nullptr);
        std::size_t& shared = packed[layout_.reads(op)[i]];
        if (bytes == 0 || (!B::on_device && shared == bytes)) continue;
        shared = bytes;
        made.packed = detail::add_sat(made.packed, memory_pool<B>::block_size(bytes));
      }
    }
    memory.place(layout_, stage, layout_.stages()[stage], stage_end(stage), groups_, slots_, scratch);
  }
  made.blocks = detail::add_sat(memory.block_bytes(), memory_pool<B>::block_size(streamed_bytes()));
  for (value_number v = 0; v != slots_.size(); ++v) {
    made.types.push_back(slots_[v].type);
    made.homes.push_back(memory.home(v));
    made.kept.push_back(memory.has_own(v) ? memory_pool<B>::block_size(slots_[v].type.bytes()) : 0);
  }
  return made;
}

template <backend B>
memory_use engine<B>::forecast() {
  given_types given;
  memory_use made;
  for (input const& in : inputs_) {
    blob<B> const& from = *in.source;
    bool const is_tensor = from.is_set && from.object == nullptr;
    given.push_back({from.spec(), from.object, {}, is_tensor ? &from.value : nullptr});
    if (!is_tensor) continue;
    std::size_t const bytes = memory_pool<B>::block_size(from.value.bytes());
    made.given = detail::add_sat(made.given, from.value.is_contiguous() ? bytes : detail::mul_sat(2, bytes));
  }
  value_forecast const all = forecast_run(given);
  made.intermediate = all.blocks;
  made.packed = all.packed;
  made.inside = all.inside;
  for (std::size_t const bytes : all.kept) made.kept = detail::add_sat(made.kept, bytes);
  return made;
}

template <backend B>
memory_use engine<B>::memory_in_use() const {
  memory_use made;
  for (value_number v : layout_.given()) made.given += slots_[v].type.bytes();
  made.kept = memory_.kept_bytes();
  made.intermediate = memory_.block_bytes() + streamed_bytes();
  made.packed = packed_.bytes();
  return made;
}

// Copies the known elements of a value to the host, in its type.
template <backend B>
void engine<B>::read_known(known_elements const& known, value_number v, void* to) const {
  tensor_spec const& type = slots_[v].type;
  if (known.fed[v] != nullptr) {
    B::copy_to_host(to, (known.fed[v]->is_contiguous() ? *known.fed[v] : known.fed[v]->clone()).raw(), type.bytes());
    return;
  }
  std::size_t at = 0;
  for (std::int64_t const element : known.of_values[v]) {
    auto const narrow = static_cast<std::int32_t>(element);
    std::size_t const size = size_of(type.type);
    std::memcpy(static_cast<std::byte*>(to) + at,
                type.type == element_type::int32 ? static_cast<void const*>(&narrow) : &element, size);
    at += size;
  }
}

}  // namespace plait
