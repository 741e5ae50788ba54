// A net compiled for a backend: names are slots, op types kernels, shapes known, memory placed.
//
//   auto plan = plait::compile(net, operators, workspace);
//   plan.run();
//
// Compiling checks op types, operands and arguments. The first run, and each after the shapes of what is fed have
// changed, infers shapes and places memory; other runs do nothing but call kernels: no look-up, no allocation, no text.
// Where elements decide on shapes (Reshape with a shape tensor, Unique), inference goes on when such an op is reached.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/csr.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/observer.hpp>
#include <plait/exec/op_arguments.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan_layout.hpp>
#include <plait/exec/plan_memory.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/net/mutation.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

namespace detail {
inline std::string_view without_prefix(std::string_view message) {
  return message.starts_with("plait: ") ? message.substr(7) : message;
}
}  // namespace detail

struct compile_options {
  /// Blobs whose tensors are wanted after a run, besides the external outputs the net declares. If it declares none and
  /// none is named here, all are.
  std::vector<std::string> fetch = {};
  /// For the parallel executor: ops that could run at once do not share memory.
  bool parallel = false;
};

struct run_options {
  /// Looked at before each op; a run that is stopped throws run_cancelled.
  std::stop_token stop = {};
  op_observer* observer = nullptr;
};

/// A run that its stop token has ended. `op` is the first op that has not run.
struct run_cancelled : error {
  explicit run_cancelled(std::size_t op_index) : error("plait: the run was cancelled"), op(op_index) {}
  std::size_t op;
};

/// Made by compile. Keeps no reference to the net, but one to the workspace, which must outlive it. A plan is run by
/// one thread at a time; several plans may run at once if they share no blob that one of them writes.
template <backend B>
class plan {
 public:
  using value_number = plan_layout::value_number;

  /// See compile.
  template <net N>
  plan(N const& n, operators<B> const& table, workspace<B>& blobs, compile_options const& options = {});

  /// Runs all ops in the order of the net. Throws exec_error naming the op, its blobs and their shapes, with what the
  /// kernel threw nested in it; blobs that were fed then are what they were before that op.
  void run(run_options const& options = {}) {
    bind();
    std::size_t stage = 0;
    op_index op = 0;
    bool const watched = options.observer != nullptr || options.stop.stop_possible();
    try {
      for (; stage != layout_.stages().size(); ++stage) {
        reach(op);
        for (op_index const last = stage_end(stage); op != last; ++op) {
          step& s = steps_[op];
          if (s.plain && !watched) {
            s.kernel->run(s.context);
          } else {
            if (options.stop.stop_requested()) throw run_cancelled(op);
            run_with_care(op, options.observer);
          }
        }
      }
    } catch (...) {
      rethrow(op);
    }
  }

  // ---- what executors are made of
  /// Takes what the workspace holds, and infers shapes as far as they can be known; run_op may follow.
  void bind();
  /// Infers what could not be inferred before op `first` was reached. O(1) unless it is a stage's first.
  void reach(op_index first);
  /// Runs one op. Its inputs must have been computed.
  void run_op(op_index op, op_observer* observer = nullptr);

  // ---- to look at
  std::size_t op_count() const noexcept { return steps_.size(); }
  plan_layout const& layout() const noexcept { return layout_; }
  op_schema const& schema(op_index op) const { return steps_[op].type->schema; }
  std::string_view op_name(op_index op) const { return op_names_[op]; }
  std::string_view blob_name(blob_index b) const { return blob_names_[b]; }
  std::string_view value_name(value_number v) const { return blob_names_[layout_.blob_of(v)]; }
  /// Meaningful after the first bind().
  slot const& value(value_number v) const { return slots_[v]; }
  plan_memory<B> const& memory() const noexcept { return memory_; }
  /// By op: those that write the net's control inputs of it.
  csr<op_index> const& controls() const noexcept { return controls_; }
  /// Whether it was compiled for the parallel executor.
  bool is_parallel() const noexcept { return parallel_; }

 private:
  struct step {
    std::shared_ptr<typename operators<B>::entry const> type;
    std::unique_ptr<op_kernel<B>> kernel;
    op_context<B> context;
    std::size_t scratch = 0;
    bool plain = true;  // nothing but the kernel is to be run
  };
  struct input {
    value_number value;
    blob<B>* source;
  };

  bool infer(op_index op);
  void prepare_stage(std::size_t stage);
  void run_with_care(op_index op, op_observer* observer);
  void publish(value_number v);
  exec_error problem(op_index op, std::string const& why, std::string_view blob = {}) const;
  [[noreturn]] void rethrow(op_index op) const;
  op_event event(op_index op) const;
  std::size_t stage_of(op_index op) const {
    auto const after = std::ranges::upper_bound(layout_.stages(), op);
    return static_cast<std::size_t>(after - layout_.stages().begin()) - 1;
  }
  op_index stage_end(std::size_t stage) const {
    return stage + 1 == layout_.stages().size() ? static_cast<op_index>(op_count()) : layout_.stages()[stage + 1];
  }

  std::vector<step> steps_;
  plan_layout layout_;
  std::vector<slot> slots_;           // by value
  std::vector<slot*> operand_slots_;  // of all contexts
  std::vector<input> inputs_;
  std::vector<blob<B>*> blobs_;  // by blob, of those that are published
  std::vector<bool> ready_;      // by stage: shapes are inferred and memory is placed
  plan_memory<B> memory_;
  std::vector<tensor_spec> inferred_;  // of the outputs of the op in hand
  csr<op_index> controls_;             // by op
  bool parallel_ = false;
  std::vector<std::string> op_names_;
  std::vector<std::string> blob_names_;
};

// ---- compile -------------------------------------------------------------------------------------------------------

template <backend B>
template <net N>
plan<B>::plan(N const& n, operators<B> const& table, workspace<B>& blobs, compile_options const& options) {
  static_assert(typed_net<N>, "plait: to be run, a net must tell the types of its ops: net_traits<N>::type(n, op)");
  static_assert(has_text<N>, "plait: to be run, a net must have names that are texts: net_traits<N>::text(n, name)");
  ssa_form<N> const form = get_ssa(n, {.subnets = false, .control_inputs = true});

  for (blob_index b = 0; b != form.blob_bound(); ++b) blob_names_.emplace_back(std::string_view(form.name(b)));
  std::vector<std::uint32_t> input_counts;
  std::vector<op_schema const*> schemas;
  steps_.reserve(form.op_count());
  op_index at = 0;
  for (auto&& op : plait::ops(n)) {
    std::string_view const type = op_type(n, op);
    op_names_.emplace_back(plait::op_name(n, op));
    auto entry = table.find(type);
    auto const refusal = [&](std::string_view why) {
      return exec_error("plait: op " + std::to_string(at) + " (" + std::string(type) + "): " + std::string(why), at,
                        std::string(type));
    };
    if (entry == nullptr) throw refusal("there is no such op type in the table of operators");
    try {
      op_arguments arguments = read_op_arguments(n, op, entry->schema);
      if (auto const written = form.writes(at); !written.empty())
        arguments.set_stream(
            random_stream_of(std::string_view(form.name(written.front().blob)), written.front().version));
      input_counts.push_back(static_cast<std::uint32_t>(arguments.input_count()));
      steps_.push_back({entry, entry->make(arguments), {}, 0, true});
    } catch (shape_error const& e) {
      std::throw_with_nested(refusal(detail::without_prefix(e.what())));
    }
    schemas.push_back(&steps_.back().type->schema);
    ++at;
  }

  std::vector<bool> keep(form.blob_bound(), form.external_outputs().empty() && options.fetch.empty());
  for (plait::value v : form.external_outputs()) keep[v.blob] = true;
  for (std::string const& name : options.fetch) {
    auto const found = std::ranges::find(blob_names_, name);
    if (found == blob_names_.end()) throw net_error("plait: the net has no blob '" + name + "' to fetch", {}, name);
    keep[static_cast<std::size_t>(found - blob_names_.begin())] = true;
  }
  // What a net is given and changes is changed for good.
  for (blob_index b : form.blobs())
    if (!form.consumers({b, form.first_version(b)}).empty() && form.version(b) != form.first_version(b)) keep[b] = true;

  layout_.compute(form, schemas, input_counts, keep, !options.parallel);
  for (op_index op = 0; op != form.op_count(); ++op) {
    for (plait::value v : form.reads(op).subspan(input_counts[op]))
      if (op_index const writer = form.producing_op(v); writer != npos) controls_.push(writer);
    controls_.end_row();
  }

  slots_.resize(layout_.value_count());
  std::size_t operands = 0;
  for (op_index op = 0; op != form.op_count(); ++op) operands += layout_.reads(op).size() + layout_.writes(op).size();
  operand_slots_.reserve(operands);
  for (op_index op = 0; op != form.op_count(); ++op) {
    slot* const* const first = operand_slots_.data() + operand_slots_.size();
    for (auto v : layout_.reads(op)) operand_slots_.push_back(&slots_[v]);
    for (auto v : layout_.writes(op)) operand_slots_.push_back(&slots_[v]);
    auto& step = steps_[op];
    std::size_t const reads = layout_.reads(op).size();
    step.context = op_context<B>({first, reads}, {first + reads, layout_.writes(op).size()});
    step.plain = layout_.published(op).empty() && layout_.copies(op).empty() && layout_.endangered(op).empty();
  }
  blobs_.assign(blob_names_.size(), nullptr);
  for (auto v : layout_.given()) inputs_.push_back({v, &blobs.get(blob_names_[layout_.blob_of(v)])});
  for (op_index op = 0; op != form.op_count(); ++op)
    for (auto v : layout_.published(op)) {
      blob_index const b = layout_.blob_of(v);
      blobs_[b] = &blobs.get(blob_names_[b]);
    }
  ready_.assign(layout_.stages().size(), false);
  parallel_ = options.parallel;
  memory_.reset(layout_, !options.parallel);
}

/// Compiles a net. Throws exec_error for an op type that is not in the table, operands or arguments that the type does
/// not have, net_error for a blob in options.fetch that the net does not have. O(operands).
template <net N, backend B>
[[nodiscard]] plan<B> compile(N const& n, operators<B> const& table, workspace<B>& blobs,
                              compile_options const& options = {}) {
  return plan<B>(n, table, blobs, options);
}

// ---- run -----------------------------------------------------------------------------------------------------------

template <backend B>
void plan<B>::bind() {
  bool changed = false;
  for (input& in : inputs_) {
    if (!in.source->is_set) {
      std::string_view const name = value_name(in.value);
      op_index op = 0;
      while (std::ranges::find(layout_.reads(op), in.value) == layout_.reads(op).end()) ++op;
      throw problem(op, "the workspace has no blob '" + std::string(name) + '\'', name);
    }
    slot& at = slots_[in.value];
    tensor<B> const& fed = in.source->value;
    if (fed.is_contiguous()) {
      at.data = in.source->value.raw();
    } else {
      in.source->value = fed.contiguous();
      at.data = in.source->value.raw();
    }
    if (at.type != in.source->value.spec()) {
      at.type = in.source->value.spec();
      changed = true;
    }
  }
  if (changed) ready_.assign(ready_.size(), false);
  if (ready_.empty()) return;
  if (!ready_[0]) prepare_stage(0);
  memory_.refresh(layout_, slots_, [this](value_number v, tensor<B> const& memory) {
    blob<B>* const target = blobs_[layout_.blob_of(layout_[layout_.storage_of(v)].kept)];
    if (!target->is_set || !target->value.shares_memory(memory)) return false;
    return std::ranges::any_of(inputs_, [&](input const& in) { return in.source == target; });
  });
}

template <backend B>
bool plan<B>::infer(op_index op) {
  std::array<tensor_spec const*, 64> few_inputs;
  std::vector<tensor_spec const*> many_inputs;
  auto const reads = layout_.reads(op);
  auto const writes = layout_.writes(op);
  std::span<tensor_spec const*> inputs(few_inputs.data(), std::min(reads.size(), few_inputs.size()));
  if (reads.size() > few_inputs.size()) {
    many_inputs.resize(reads.size());
    inputs = many_inputs;
  }
  for (std::size_t i = 0; i != reads.size(); ++i) inputs[i] = &slots_[reads[i]].type;
  inferred_.assign(writes.size(), tensor_spec());
  struct source {
    plan* self;
    op_index op;
  } state{this, op};
  shape_context context(
      inputs, inferred_,
      [](void* s, std::size_t i, void* to, std::size_t bytes) {
        auto const& [self, at] = *static_cast<source*>(s);
        B::copy_to_host(to, self->slots_[self->layout_.reads(at)[i]].data, bytes);
      },
      &state);
  try {
    steps_[op].kernel->infer(context);
  } catch (std::exception const& e) {
    std::throw_with_nested(problem(op, e.what()));
  }
  bool changed = false;
  for (std::size_t o = 0; o != writes.size(); ++o) {
    slot& at = slots_[writes[o]];
    changed = changed || at.type != inferred_[o];
    at.type = inferred_[o];
  }
  for (plan_layout::copy const& c : layout_.copies(op))
    if (slots_[c.from].type != slots_[c.to].type)
      throw problem(op, "an input that is updated and its output differ in type");
  changed = changed || steps_[op].scratch != context.scratch_bytes();
  steps_[op].scratch = context.scratch_bytes();
  return changed;
}

template <backend B>
void plan<B>::prepare_stage(std::size_t stage) {
  op_index const first = layout_.stages()[stage];
  op_index const last = stage_end(stage);
  for (std::size_t later = stage; later != ready_.size(); ++later) ready_[later] = false;
  std::vector<std::pair<std::size_t, void*>> scratch;
  for (op_index op = first; op != last; ++op) {
    infer(op);
    scratch.emplace_back(steps_[op].scratch, nullptr);
  }
  memory_.place(layout_, stage, first, last, slots_, scratch);
  for (op_index op = first; op != last; ++op) {
    step& s = steps_[op];
    s.context.set_scratch(scratch[op - first].second);
    try {
      s.kernel->prepare(s.context);
    } catch (std::exception const& e) {
      std::throw_with_nested(problem(op, e.what()));
    }
  }
  ready_[stage] = true;
}

template <backend B>
void plan<B>::reach(op_index op) {
  std::size_t const stage = stage_of(op);
  if (layout_.stages()[stage] != op) return;
  if (!steps_[op].type->schema.reads_shapes(layout_.reads(op).size())) return;
  if (!ready_[stage] || infer(op)) prepare_stage(stage);
}

template <backend B>
void plan<B>::run_op(op_index op, op_observer* observer) {
  step& s = steps_[op];
  if (s.plain && observer == nullptr) {
    try {
      s.kernel->run(s.context);
    } catch (...) {
      rethrow(op);
    }
    return;
  }
  run_with_care(op, observer);
}

template <backend B>
void plan<B>::run_with_care(op_index op, op_observer* observer) {
  step& s = steps_[op];
  std::vector<std::pair<value_number, std::shared_ptr<void>>> backups;
  for (auto const storage : layout_.endangered(op))
    for (value_number v : layout_.reads(op))
      if (layout_.storage_of(v) == storage) {
        backups.emplace_back(v, pooled_memory<B>(slots_[v].type.bytes()));
        B::copy(backups.back().second.get(), slots_[v].data, slots_[v].type.bytes());
        break;
      }
  try {
    std::optional<op_event> seen;
    if (observer != nullptr) observer->before(seen.emplace(event(op)));
    for (plan_layout::copy const& c : layout_.copies(op))
      B::copy(slots_[c.to].data, slots_[c.from].data, slots_[c.from].type.bytes());
    s.kernel->run(s.context);
    if (observer != nullptr) observer->after(*seen);
  } catch (...) {
    for (auto const& [v, memory] : backups) B::copy(slots_[v].data, memory.get(), slots_[v].type.bytes());
    rethrow(op);
  }
  for (value_number v : layout_.published(op)) publish(v);
}

template <backend B>
void plan<B>::publish(value_number v) {
  blob<B>& target = *blobs_[layout_.blob_of(v)];
  tensor<B> const* const kept = memory_.kept(v);
  if (kept != nullptr && !(target.is_set && target.value.shares_memory(*kept))) target.value = *kept;
  if (target.value.spec() != slots_[v].type)
    target.value =
        tensor<B>::adopt(target.value.raw(), slots_[v].type, row_major(slots_[v].type.dims), target.value.owner());
  target.is_set = true;
}

// ---- messages ------------------------------------------------------------------------------------------------------

template <backend B>
exec_error plan<B>::problem(op_index op, std::string const& why, std::string_view blob) const {
  std::string text = "plait: op " + std::to_string(op) + " (" + schema(op).type();
  if (!op_names_[op].empty()) text += " '" + op_names_[op] + '\'';
  text += "): " + std::string(detail::without_prefix(why)) + ';';
  auto const list = [&](std::span<value_number const> values, bool types) {
    std::string all;
    for (value_number v : values) {
      all += (all.empty() ? " " : ", ") + std::string(value_name(v));
      if (types) all += ": " + to_string(slots_[v].type);
    }
    return all;
  };
  text += " inputs" + list(layout_.reads(op), true) + "; outputs" + list(layout_.writes(op), false);
  return {text, op, schema(op).type(), std::string(blob)};
}

// Throws what is being handled once more, as what became of an op.
template <backend B>
void plan<B>::rethrow(op_index op) const {
  try {
    throw;
  } catch (exec_error const&) {
    throw;
  } catch (run_cancelled const&) {
    throw;
  } catch (std::exception const& e) {
    std::throw_with_nested(problem(op, e.what()));
  } catch (...) {
    std::throw_with_nested(problem(op, "the kernel threw something that is no std::exception"));
  }
}

template <backend B>
op_event plan<B>::event(op_index op) const {
  auto const names = [&](std::span<value_number const> values) {
    std::vector<std::string_view> made;
    for (value_number v : values) made.push_back(value_name(v));
    return made;
  };
  return {op,
          schema(op).type(),
          op_names_[op],
          steps_[op].context.inputs(),
          steps_[op].context.outputs(),
          names(layout_.reads(op)),
          names(layout_.writes(op))};
}

}  // namespace plait
