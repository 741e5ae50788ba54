// Engine: the inside of a plan, for executors, captured runs and ops that run nets.
//
// A net is compiled once: values (plan_layout), kernels, names. With every change of the types of inputs a stage is
// scheduled: inference, choice of packed and accumulated operands, fusion (groups.hpp), memory (plan_memory). A stage
// is a run of ops whose shapes are known before its first op runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/csr.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/detail/compile_options.hpp>
#include <plait/exec/detail/cost_model.hpp>
#include <plait/exec/detail/engine/constant_inputs.hpp>
#include <plait/exec/detail/engine/input_blobs.hpp>
#include <plait/exec/detail/engine/loop_values.hpp>
#include <plait/exec/detail/engine/packed_inputs.hpp>
#include <plait/exec/detail/fusion/find_groups.hpp>
#include <plait/exec/detail/memory_use.hpp>
#include <plait/exec/detail/moving_storage.hpp>
#include <plait/exec/detail/net_operands.hpp>
#include <plait/exec/detail/nets_of_op.hpp>
#include <plait/exec/detail/observer.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/plan_layout.hpp>
#include <plait/exec/detail/plan_memory.hpp>
#include <plait/exec/detail/plan_passes.hpp>
#include <plait/exec/detail/row_stream.hpp>
#include <plait/exec/detail/row_sums.hpp>
#include <plait/exec/detail/run_options.hpp>
#include <plait/exec/detail/schedule.hpp>
#include <plait/exec/detail/skipped_parts.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// See plan, whose contracts are those of the functions of the same names. Neither copied nor moved while it runs.
template <backend B>
class engine {
 public:
  using value_number = plan_layout::value_number;

  template <net N>
  engine(N const& n, operators<B> const& table, workspace<B>& blobs, compile_options const& options)
      : engine(n, table, blobs, options, nullptr) {}

  void run(run_options const& options);
  void bind();
  void run_bound(run_options const& options = {});
  void forget_constants() noexcept { constants_.forget(); }

  /// Input and output blobs of a plan in a workspace: valid as long as the names are bound to them.
  struct blob_places {
    std::vector<blob<B>*> given;      ///< as in layout().given()
    std::vector<blob<B>*> published;  ///< as in layout().published()
  };
  blob_places find_blobs(workspace<B>& blobs) const;
  void rebind(workspace<B>& blobs) { rebind(find_blobs(blobs)); }
  void rebind(blob_places const& blobs);
  /// Redirects a published value in the next run to memory of the caller, after bind(). The memory must live until the
  /// plan is bound to another workspace or address. Returns false if that is impossible: the blob keeps its memory.
  bool write_to(value_number v, void* data, std::size_t bytes) {
    repeats_ = false;
    return memory_.stand_at(v, data, bytes, slots_);
  }

  // ---- loops (loop.hpp)
  /// Declares, before bind(), that the runs to come are those of a loop; without values that they are not.
  void set_loop(loop_values const& values);
  /// Begins such a loop, after bind(): packs what is loop-invariant.
  void begin_loop();
  /// Returns true if an op accumulates the sum of a value itself: into the memory of the value, which must be the same
  /// in all runs, and zeroed before the first. Valid after bind().
  bool accumulates(value_number v) const { return v < accumulated_.size() && accumulated_[v]; }
  /// Ends a loop; `whole` is false if a run has failed. A change of shapes ends it, too.
  void end_loop(bool whole);
  bool in_loop() const noexcept { return in_loop_; }
  /// Marks inputs, by value, as constant: what is packed of them outlives a loop, until this is called again.
  /// O(operands).
  void keep_constants(std::vector<bool> const& values);
  /// Operands that are bound may overlap, one of them being written: ops run one by one, in order.
  void forbid_fusion() noexcept { passes_.forbid_fusion(); }
  /// Returns the row-parallel group of all ops, if there is one; else nullptr. Valid after bind().
  row_group<B>* rows() const;
  /// Appends the slots of a value and of all that have its storage; valid after bind(). The caller may change their
  /// addresses between runs of a loop instead of binding blobs. O(values).
  void find_slots(value_number v, std::vector<slot*>& to);
  /// Executes runs of a loop like row_group::run_all, on rows(). Throws what run_bound() would throw in run `run`.
  void run_rows(std::size_t runs, std::span<moving_storage const> moving, std::span<moving_addend const> addends,
                run_options const& options, std::size_t& run);

  // ---- before a run (forecast.hpp)
  struct given_type {
    tensor_spec type;
    std::shared_ptr<blob_object> object = nullptr;
    std::vector<std::int64_t> elements = {};  ///< integers, if they are known
    tensor<B> const* fed = nullptr;           ///< the tensor, if it is already set
  };
  using given_types = std::vector<given_type>;  ///< as in layout().given()
  /// Memory forecast by value, in bytes as the pool allocates them.
  struct value_forecast {
    std::vector<tensor_spec> types = {};
    std::vector<std::shared_ptr<blob_object>> objects = {};
    std::vector<std::vector<std::int64_t>> elements = {};  ///< integers, if they follow from types
    std::vector<value_number> homes = {};                  ///< the value whose memory each aliases; npos for inputs
    std::vector<std::size_t> kept = {};                    ///< bytes of the tensors that values own
    std::size_t blocks = 0;                                ///< for intermediate values
    std::size_t packed = 0;                                ///< loop-invariant inputs
    std::size_t inside = 0;                                ///< held by ops that run nets
  };
  value_forecast forecast_run(given_types const& given);
  memory_use forecast();

  // ---- op by op, for executors
  /// Returns true if all shapes are known before the first op runs.
  bool is_static() const noexcept;
  /// Infers the shapes that depend on ops before `op`. O(1) unless it is the first op of a stage.
  void reach(op_index op);
  /// Runs one op, after bind(). Its inputs must have been computed.
  void run_op(op_index op, run_options const& options = {}) {
    step& s = steps_[op];
    try {
      if (s.runs <= dispatch::publish && options.observer == nullptr)
        run_plainly(op);
      else
        run_with_care(op, options);
    } catch (...) {
      rethrow(op);
    }
  }
  /// Rolls back blobs that are both input and output to their values before `op`. Precondition: the ops before `op`
  /// have run, and none of the others with layout().replaces_given(). O(values that pass).
  void restore_given(op_index op);
  /// Calls blob_object::run_failed of the objects that the plan reads or has made. O(inputs + ops).
  void report_failure() noexcept;
  /// Returns a plan that shares the kernels of this one, with operands and memory of its own, which its ops do not
  /// reuse; its ops are run by run_op. An op must not run in two of them concurrently. Loops are begun and ended in
  /// this plan for all of them. O(operands).
  std::unique_ptr<engine> share_kernels(workspace<B>& blobs) const {
    return std::unique_ptr<engine>(new engine(*this, blobs));
  }
  /// Takes over types and addresses of a plan that shares the kernels, after its bind(). O(operands), and allocates if
  /// types have changed.
  void follow(engine const& leader);
  /// Returns the number of runs that have begun.
  std::uint64_t run_count() const noexcept { return *runs_; }
  void set_run_count(std::uint64_t runs) noexcept { *runs_ = runs; }

  // ---- capture and replay (repeats.hpp)
  /// Addresses and reference counts after a run.
  struct standing {
    std::uint64_t stages = 0;
    std::vector<slot> values = {};
    std::vector<long> holders = {};  ///< reference counts of published values
  };
  bool differs_by_run() const noexcept { return differs_by_run_; }
  /// Records addresses and reference counts after a run. O(values).
  void note(standing& now) const;
  /// Returns true, after bind(), if a run would use the same memory as the recorded one, so that only elements have
  /// changed. O(values).
  bool stands_as(standing const& then) const;
  /// Publishes the values of the last run again, after another plan has run in the same workspace. Precondition: the
  /// last run used the same memory as the one before, so that inputs that are written keep their tensor, with newer
  /// elements.
  void publish_again() {
    for (value_number v : layout_.published()) publish(v);
  }

  // ---- inspection
  std::size_t op_count() const noexcept { return steps_.size(); }
  plan_layout const& layout() const noexcept { return layout_; }
  op_schema const& schema(op_index op) const { return details_[op].type->schema; }
  /// Returns the number of inputs that the net lists; nested nets read the others, or they are previous values of
  /// outputs.
  std::size_t listed_inputs(op_index op) const {
    return details_[op].resources.results != nullptr ? details_[op].resources.results->listed_inputs
                                                     : layout_.reads(op).size();
  }
  op_kernel<B> const& kernel(op_index op) const { return *steps_[op].kernel; }
  plait::schedule schedule() const;
  memory_use memory_in_use() const;
  std::vector<std::string_view> required_inputs() const;
  std::vector<std::string_view> published_names() const;
  std::string_view op_name(op_index op) const { return op_names_[op]; }
  std::string_view blob_name(blob_index b) const { return blob_names_[b]; }
  std::string_view value_name(value_number v) const { return blob_names_[layout_.blob_of(v)]; }
  /// Returns the slot of a value; valid after the first bind().
  slot const& value(value_number v) const { return slots_[v]; }
  plan_memory<B> const& memory() const noexcept { return memory_; }
  /// Returns the inputs, as in layout().given().
  detail::input_blobs<B> const& inputs() const noexcept { return inputs_; }
  /// Returns, by op, the ops that write its control inputs.
  csr<op_index> const& controls() const noexcept { return controls_; }
  /// Returns true if the plan was compiled for the parallel executor.
  bool is_parallel() const noexcept { return parallel_; }

 private:
  // How an op runs: its kernel only; kernel and publication of outputs; the fusion group that begins with it; in
  // blocks, when its consumer needs them (row_stream); or in the general way.
  enum class dispatch : unsigned char { kernel, publish, group, streamed, general };
  struct alignas(64) step {  // one cache line with all data that most ops need
    op_kernel<B>* kernel;
    op_context<B> context;
    dispatch runs = dispatch::kernel;
    fused_group<B>* group = nullptr;  // that begins with it
  };
  struct details {
    std::shared_ptr<typename operators<B>::entry const> type;
    op_resources<B> resources = {};
    std::shared_ptr<row_sums<B>> sums = nullptr;  // accumulated in a loop; shared with plans of other steps
    std::size_t scratch = 0;
    std::vector<shape_check> asks = {};  // called before inference
  };
  using input = typename detail::input_blobs<B>::input;
  // Owner and slot of an operand of the net.
  struct place {
    blob<B> const* held_by;
    slot const* at;
  };
  // Distinguishes errors of this plan from those of other plans, which kernels and observers may run.
  struct own_error : exec_error {
    own_error(engine const& e, std::string const& text, op_index at, std::string_view of_blob)
        : exec_error(text, at, e.schema(at).type(), std::string(of_blob), e.op_names_[at]), of(&e) {}
    engine const* of;
  };
  // Properties of the ops of a nested net that its compilation reports.
  struct findings {
    bool differs_by_run = false;
    bool shares_results = false;
  };
  struct nesting {
    std::size_t depth;                     // number of enclosing nets
    findings* found;                       // output: set if true for one of its ops
    std::vector<std::string> const* keep;  // blobs that are kept; all if nullptr
  };

  // ---- compilation (compile.hpp, nested_nets.hpp, lanes.hpp)
  template <net N>
  engine(N const& n, operators<B> const& table, workspace<B>& blobs, compile_options const& options,
         nesting const* around);
  engine(engine const& leader, workspace<B>& blobs);
  template <net N, class Op>
  nets_of_op<B> nets_inside(ssa_form<N> const& form, N const& n, Op const& op, op_index at,
                            net_operands const& operands, std::vector<bool> const& asked_for, operators<B> const& table,
                            std::size_t depth, compile_options const& options, findings& found);
  template <net N>
  static std::vector<std::string> names_read(N const& n, operators<B> const& table);
  template <net N>
  std::vector<bool> kept_blobs(ssa_form<N> const& form, compile_options const& options, nesting const* around) const;
  void connect(net_operands const& operands, workspace<B>& blobs);
  void find_constants(std::vector<std::string> const& names);

  // ---- inference and schedule (stages.hpp, groups.hpp, loop.hpp)
  struct known_elements {  // in a forecast
    std::vector<std::vector<std::int64_t>> of_values;
    std::vector<tensor<B> const*> fed;                 // by value
    std::vector<std::vector<std::int64_t>> told = {};  // by output of the current op
  };
  bool infer(op_index op, known_elements* known = nullptr);
  void read_known(known_elements const& known, value_number v, void* to) const;
  void enter(std::size_t stage);
  void prepare_stage(std::size_t stage, bool first_is_inferred = false);
  void schedule_stage(std::size_t stage, plan_memory<B>& memory);
  void place_stage(std::size_t stage);
  void refresh(std::size_t stage);
  void find_storages(op_index first, op_index last);
  void find_groups(op_index first, op_index last);
  void drop_groups(op_index first);
  void find_stream(plan_memory<B>& memory);
  void begin_stream(op_index op);
  void end_stream();
  void read_patterns(op_index first, op_index last);
  std::span<op_pattern<B> const> patterns(op_index op) const;
  void choose_sums(op_index op);
  void choose_packing(op_index op);
  void pack(op_index op, std::uint32_t nth);
  void begin_loop(std::size_t stage);
  void tell_constants();
  std::vector<plait::schedule::group> groups() const;
  std::string reason_alone(op_index op) const;
  dispatch usual_dispatch(op_index op) const;
  bool shares_memory() const noexcept { return passes_.share_memory && !parallel_; }
  void reset_memory(plan_memory<B>& memory) const;
  std::size_t streamed_bytes() const { return stream_ == nullptr ? 0 : stream_->block_bytes(); }
  // If the op fails, input memory must be rolled back.
  bool may_spoil(op_index op) const { return !layout_.needs_rollback(op).empty() && !schema(op).has_checked_first(); }
  std::size_t stage_of(op_index op) const {
    auto const after = std::ranges::upper_bound(layout_.stages(), op);
    return static_cast<std::size_t>(after - layout_.stages().begin()) - 1;
  }
  op_index stage_end(std::size_t stage) const {
    return stage + 1 == layout_.stages().size() ? static_cast<op_index>(op_count()) : layout_.stages()[stage + 1];
  }

  // ---- execution (run.hpp, repeats.hpp)
  static bool is_watched(run_options const& options) {
    return options.observer != nullptr || options.stop.stop_possible();
  }
  // An enclosing task group was cancelled, and a loop has noticed.
  static bool is_cancelled() {
    if constexpr (detail::has_tasks<B>)
      if (detail::parts_were_skipped) [[unlikely]]
        return detail::parts_were_skipped = B::is_cancelled();
    return false;
  }
  void find_places();
  bool stands() const;
  void run_again();
  row_sums<B>* sums_of(op_index op) const {
    row_sums<B>* const found = details_[op].sums.get();
    return found != nullptr && found->begun() ? found : nullptr;
  }
  void run_kernel(op_index op);
  void run_plainly(op_index op) {
    steps_[op].kernel->run(steps_[op].context);
    if (steps_[op].runs == dispatch::publish)
      for (value_number v : layout_.published(op)) publish(v);
  }
  void run_group(op_index& op, run_options const& options);
  void run_with_care(op_index op, run_options const& options);
  void run_for_results(op_index op, run_options const& options, op_event const* event);
  void accept_results(op_index op);
  void publish(value_number v);

  // ---- errors and events (messages.hpp)
  own_error problem(op_index op, std::string const& why, std::string_view blob = {}) const;
  own_error problem(typename plan_memory<B>::shortage const& of) const;
  std::string op_text(op_index op) const { return op_text(op, schema(op).type()); }
  std::string op_text(op_index op, std::string_view type) const;
  op_index reader_of(value_number v) const;
  template <class F>
  void take_memory(op_index op, std::string_view what, value_number v, F const& f) const;
  [[noreturn]] void rethrow(op_index op) const;
  op_event event(op_index op, run_options const& options) const;
  op_event event(fused_group<B>& group, run_options const& options) const;

  std::vector<std::shared_ptr<op_kernel<B>>> kernels_;  // by op
  std::vector<step> steps_;
  std::vector<details> details_;  // by op, as are the steps
  plan_layout layout_;
  std::vector<slot> slots_;           // by value
  std::vector<slot*> operand_slots_;  // of all contexts
  detail::input_blobs<B> inputs_;
  std::vector<blob<B>*> blobs_;      // by blob, the published ones
  std::vector<tensor<B>> replaced_;  // by value: inputs, until the next bind()
  std::vector<bool> ready_;          // by stage: shapes are inferred and memory is placed
  plan_memory<B> memory_;
  std::vector<tensor_spec> inferred_;  // outputs of the current op
  std::vector<place> places_;          // inputs and published values; empty if runs are not repeated
  bool repeats_ = false;               // a run has ended, with no other request since
  loop_values loop_;                   // without values: runs are not those of a loop
  bool in_loop_ = false;               // it has begun
  std::vector<bool> accumulated_;      // by value: see accumulates
  detail::constant_inputs<B> constants_;
  detail::packed_inputs<B> packed_;
  cost_model costs_;
  plan_passes passes_;
  std::vector<op_pattern<B>> patterns_;      // of the ops that are prepared, in their order
  std::vector<std::uint32_t> pattern_ends_;  // by op
  fused_groups<B> groups_;
  std::unique_ptr<row_stream<B>> stream_;  // streamed input of the op that ends the first stage
  op_index streamed_ = npos;               // the op that makes it
  csr<op_index> controls_;                 // by op
  bool parallel_ = false;
  bool nested_ = false;
  bool differs_by_run_ = false;
  std::uint64_t entered_ = 0;                                                 // stages, in all runs
  std::unique_ptr<std::uint64_t> runs_ = std::make_unique<std::uint64_t>(0);  // stays where it is if the plan moves
  std::vector<std::string> op_names_;
  std::vector<std::string> blob_names_;
};

}  // namespace plait

#include <plait/exec/detail/engine/compile.hpp>
#include <plait/exec/detail/engine/forecast.hpp>
#include <plait/exec/detail/engine/groups.hpp>
#include <plait/exec/detail/engine/lanes.hpp>
#include <plait/exec/detail/engine/loop.hpp>
#include <plait/exec/detail/engine/messages.hpp>
#include <plait/exec/detail/engine/nested_nets.hpp>
#include <plait/exec/detail/engine/repeats.hpp>
#include <plait/exec/detail/engine/run.hpp>
#include <plait/exec/detail/engine/schedule.hpp>
#include <plait/exec/detail/engine/stages.hpp>
