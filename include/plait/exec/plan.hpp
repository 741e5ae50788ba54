// A net compiled for a backend: names are slots, op types kernels, shapes known, memory placed.
//
//   auto plan = plait::compile(net, operators, workspace);
//   plan.run();
//
// Compiling checks op types, operands and arguments, those of nets inside ops too. The first run, and each after the
// shapes of what is fed have changed, infers shapes and places memory; other runs do nothing but call kernels: no
// look-up, no text, and no allocation unless the net has an If, overwrites what was fed, or takes shapes from elements.
// Where elements decide on shapes (Reshape with a shape tensor, Unique), inference goes on when such an op is reached,
// and after one whose results are known only then (If, While).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <plait/core/assert.hpp>
#include <plait/core/csr.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/detail/column_groups.hpp>
#include <plait/exec/detail/device_chains.hpp>
#include <plait/exec/detail/element_chains.hpp>
#include <plait/exec/detail/net_operands.hpp>
#include <plait/exec/detail/nets_of_op.hpp>
#include <plait/exec/detail/observer.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/plan_layout.hpp>
#include <plait/exec/detail/plan_memory.hpp>
#include <plait/exec/detail/row_groups.hpp>
#include <plait/exec/detail/rows_on_demand.hpp>
#include <plait/exec/detail/run_options.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/net/detail/implicit_operands.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

struct compile_options {
  /// Blobs whose tensors are wanted after a run, besides the external outputs the net declares. If it declares none and
  /// none is named here, all are.
  std::vector<std::string> fetch = {};
  /// For the parallel executor: ops that could run at once do not share memory.
  bool parallel = false;
  /// Blobs whose numbers are the same in every run, such as parameters that nobody trains any more: what ops make of
  /// them (packed matrices) is made in the first run and kept. TRAP: numbers changed in place go unnoticed until
  /// plan::forget_constants; another tensor is noticed if it stands elsewhere, or is of another type.
  std::vector<std::string> constants = {};
  /// As Caffe2 makes nets: where the net declares inputs, its ops may list no others that no earlier op makes, and what
  /// it declares as an output is made. Otherwise the workspace may hold what is not declared, as the gradients that a
  /// backward pass begins with.
  bool as_declared = false;
  /// Large products of floats may be bf16x3 products on AMX tiles, where the host's processor has them. TRAP: then
  /// results depend on the processor, and digits are lost where numbers of one row or column are 10^33 times apart.
  bool bf16x3 = false;
};

/// Made by compile. Keeps no reference to the net, but one to the workspace, which must outlive it. A plan is run by
/// one thread at a time; several plans may run at once if they share no blob that one of them writes.
template <backend B>
class plan {
 public:
  using value_number = plan_layout::value_number;

  /// See compile.
  template <net N>
  plan(N const& n, operators<B> const& table, workspace<B>& blobs, compile_options const& options = {})
      : plan(n, table, blobs, options, nullptr) {}

  /// Runs all ops in the order of the net. Throws exec_error naming the op, its blobs and their shapes, with what the
  /// kernel threw nested in it. Then the net is as if it had ended before that op: a blob that it was given and leaves
  /// behind holds what it held then, and a tensor that was fed holds one of the values that its blob has had.
  /// Where nothing but elements has changed since the last run, a few comparisons an operand of the net are all that it
  /// costs besides the ops.
  void run(run_options const& options = {}) {
    bool const watched = is_watched(options);
    if (repeats_ && !watched && stands()) return run_again();
    bind();
    run_bound(options);
  }

  /// Blobs of a workspace that a plan is given or leaves behind: valid as long as the names stand for them.
  struct blob_places {
    std::vector<blob<B>*> given;      ///< as in layout().given()
    std::vector<blob<B>*> published;  ///< as in layout().published()
  };
  blob_places find_blobs(workspace<B>& blobs) const;
  /// From now on runs in another workspace, as if compiled for it. What nobody but the new workspace's blobs holds is
  /// written again, what other blobs hold is left alone. O(blobs given and left behind) look-ups.
  void rebind(workspace<B>& blobs) { rebind(find_blobs(blobs)); }
  /// The same without look-ups.
  void rebind(blob_places const& blobs);
  /// The blob that the i-th of layout().given() comes from.
  blob<B> const* source(std::size_t i) const { return inputs_[i].source; }
  /// Whether that must be there: not if it is only what an output's blob held before, say.
  bool is_required(std::size_t i) const { return inputs_[i].required; }

  /// After bind(): has the next run write a published value to memory of the caller, which must live until another
  /// workspace, or another place, is given. False if that cannot be: the value then stands where its blob says.
  bool write_to(value_number v, void* data, std::size_t bytes) {
    repeats_ = false;
    return memory_.stand_at(v, data, bytes, slots_);
  }

  /// The numbers of compile_options::constants have changed: the next run makes anew what was made of them.
  void forget_constants() noexcept {
    for (constant& c : constants_) c.data = nullptr;
  }

  // ---- several runs of the same
  /// What is known of values of a plan in a series of runs: see run_series. By value.
  struct value_series {
    std::size_t runs = 0;
    std::vector<bool> same;     ///< given
    std::vector<bool> lasting;  ///< given, or written to memory of the caller
    std::vector<bool> summed;   ///< published; nothing in the plan reads them
  };
  /// After bind(): tells the ops whose shapes are known from the start. Returns, by value, which sums the ops make
  /// themselves: they add them to where the value stands, which must be the same in all runs then, and be cleared. A
  /// series ends by itself when shapes change.
  /// What is returned holds until the next series.
  std::vector<bool> const& begin_series(value_series const& values);
  /// `whole` is false if a run has failed.
  void end_series(bool whole);
  bool in_series() const noexcept { return !in_series_.empty(); }
  /// By value, of those given: tells all ops which are the same in all runs, see op_kernel::keep_constants.
  /// O(operands).
  void keep_constants(std::vector<bool> const& values);

  /// Whether runs of the series may be put off: all ops are one group by rows (row_groups), and several threads gain
  /// from not meeting after each run. The caller sees to it that what an operand of one run shares memory with in
  /// another is the same rows of the same value, and that what is the same for all rows is there beforehand and stays.
  bool may_defer() const {
    return layout_.stages().size() == 1 && groups_.may_defer(static_cast<op_index>(op_count()));
  }
  /// Of a series: whether an op of a group by rows takes a value to be the same for all rows.
  bool has_whole(value_number v) const { return groups_.has_whole(slots_[v]); }
  /// In place of run_bound(). Until run_deferred() nothing that the run makes is there.
  void defer_run();
  /// Of the run that was put off last: when its ops have run, elements of a float or double are added to a value that
  /// one of them writes, as many as it has. They must stay until run_deferred().
  void add_deferred(value_number v, void const* elements) { groups_.add_deferred(slots_[v], elements); }
  /// Makes all runs that were put off, with the bits that running them one after the other gives. Throws what
  /// run_bound() would throw; `run` is left at the run that threw, counted from 0.
  void run_deferred(std::size_t& run);
  std::size_t deferred() const noexcept { return deferred_; }

  // ---- before a run
  struct given_type {
    tensor_spec type;
    std::shared_ptr<blob_object> object = nullptr;
    std::vector<std::int64_t> elements = {};  ///< of integers, if they are known
    tensor<B> const* fed = nullptr;           ///< where it is there already
  };
  using given_types = std::vector<given_type>;  ///< as in layout().given()
  /// Of values, in bytes as the pool gives them.
  struct forecast {
    std::vector<tensor_spec> types = {};
    std::vector<std::shared_ptr<blob_object>> objects = {};
    std::vector<std::vector<std::int64_t>> elements = {};  ///< of integers, as far as types say them
    std::vector<value_number> homes = {};  ///< the value whose memory each stands in; npos for what is given
    std::vector<std::size_t> kept = {};    ///< of the tensors that values have of their own
    std::size_t blocks = 0;                ///< for intermediate values
    std::size_t inside = 0;                ///< held by ops that run nets
  };
  /// See forecast_memory.
  forecast forecast_run(given_types const& given);

  // ---- several steps at once
  /// Whether it can have twins: all shapes are known before the first op is run.
  bool can_have_twins() const noexcept;
  /// A plan that shares this one's kernels, and has operands and memory of its own, of which no op leaves any to
  /// another: for its ops, run_op. An op must not run in two of them at once. Series are begun and ended in this plan,
  /// for all of them. O(operands).
  std::unique_ptr<plan> make_twin(workspace<B>& blobs) const { return std::unique_ptr<plan>(new plan(*this, blobs)); }
  /// Of a twin: takes over the shapes that `leader` has inferred. O(operands), and allocates if they have changed.
  void follow(plan const& leader);
  /// Of a twin, in place of bind(): false if what is given is not of the types that the leader was given.
  bool bind_twin();

  // ---- what executors are made of
  /// Takes what the workspace holds, and infers shapes as far as they can be known; run_op may follow.
  void bind();
  /// A run after bind() or another run, if no tensor that is given or was published has been replaced since, nor
  /// constants, nor the elements of a given one that is not contiguous; and if the net itself does not put another
  /// tensor in the place of one that it is given. Nothing is compared, which takes 10 ns and more of a run().
  void run_bound(run_options const& options = {});
  /// Infers what could not be inferred before `op` was reached. O(1) unless it is a stage's first.
  void reach(op_index op);
  /// After a run whose ops before `op` are done, and of the others none that layout().replaces_given(): blobs that the
  /// net was given, and leaves behind, hold what they held before `op`. O(values that pass).
  void restore_given(op_index op);
  /// Runs one op. Its inputs must have been computed.
  void run_op(op_index op, run_options const& options = {}) {
    step& s = steps_[op];
    try {
      if (s.way <= op_way::publishing && options.observer == nullptr)
        run_plainly(op);
      else
        run_with_care(op, options);
    } catch (...) {
      rethrow(op);
    }
  }

  // ---- the same run again
  /// Where everything stood when a run had ended, and who held it.
  struct standing {
    std::uint64_t stages = 0;
    std::vector<slot> values = {};
    std::vector<long> holders = {};  ///< of published values
  };
  /// Whether an op of the net, or of one inside it, does something else each time: see op_schema::differs_by_run.
  bool differs_by_run() const noexcept { return differs_by_run_; }
  /// After a run. O(values).
  void note(standing& now) const;
  /// After bind(): whether a run would do on the same memory what the last one did, which was noted; all that changed
  /// are elements. O(values).
  bool stands_as(standing const& then) const;

  /// When another plan has run in the same workspace: blobs hold again what the last run has left there. Precondition:
  /// it stood as the one before. So what is given and written is one tensor, which stays, with newer elements perhaps.
  void publish_again() {
    for (value_number v : layout_.published()) publish(v);
  }

  // ---- to look at
  std::size_t op_count() const noexcept { return steps_.size(); }
  plan_layout const& layout() const noexcept { return layout_; }
  op_schema const& schema(op_index op) const { return details_[op].type->schema; }
  /// How many of the op's inputs the net lists; the others are read by nets inside it, or were in its outputs' blobs.
  std::size_t listed_inputs(op_index op) const {
    return details_[op].results != nullptr ? details_[op].results->listed_inputs : layout_.reads(op).size();
  }
  op_kernel<B> const& kernel(op_index op) const { return *steps_[op].kernel; }
  /// Whether, with the types of the last run, an op's rows are made when another asks for them: see rows_on_demand. A
  /// run with an observer runs each op as a whole.
  bool is_on_demand(op_index op) const { return steps_[op].way == op_way::demanded; }
  /// What there is for these rows.
  std::size_t bytes_on_demand() const { return demand_ == nullptr ? 0 : demand_->block_bytes(); }
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
  using chains = std::conditional_t<B::on_device, device_chains<B>, element_chains<B>>;
  // How an op is run: only its kernel; that, and what it has made is handed to blobs; in a group or chain that begins
  // with it (row_groups, column_groups, chains); by the op that reads what it makes (rows_on_demand); or with
  // all that may be needed.
  enum class op_way : unsigned char { plain, publishing, grouped, by_columns, chained, demanded, careful };
  struct alignas(64) step {  // a cache line: all that most ops need
    op_kernel<B>* kernel;
    op_context<B> context;
    op_way way = op_way::plain;
  };
  struct details {
    std::shared_ptr<typename operators<B>::entry const> type;
    std::unique_ptr<op_results<B>> results = nullptr;  // of ops whose results are known after their run
    std::size_t scratch = 0;
    std::vector<typename operators<B>::shape_check> asks = {};  // before it is inferred
  };
  struct input {
    value_number value;
    bool required;  // the net lists it, or reads it in an op that is inferred
    bool inferred;  // an op that is inferred reads it
    bool overwritten;
    blob<B>* source;
  };
  // Where an operand of the net stands.
  struct place {
    blob<B> const* held_by;
    slot const* at;
  };
  // The memory of an input.
  struct input_extent {
    std::byte const* first;
    std::byte const* last;
    std::byte const* reach;  // the greatest `last` up to this one
    input const* of;
  };
  // Tells what this plan says of its ops from what others do, which kernels and observers may run.
  struct own_error : exec_error {
    own_error(plan const& p, std::string const& text, op_index at, std::string_view of_blob)
        : exec_error(text, at, p.schema(at).type(), std::string(of_blob), p.op_names_[at]), of(&p) {}
    plan const* of;
  };
  // What is told of, and what it was then.
  struct constant {
    value_number value;
    void const* data = nullptr;
    tensor_spec type = {};
    plait::strides strides = {};
    std::weak_ptr<void> owner = {};  // another tensor may stand where this one stood
  };
  // What a net inside an op is compiled with, and what it tells of its ops.
  struct findings {
    bool differs_by_run = false;
    bool shares_results = false;
  };
  struct nesting {
    std::size_t depth;                     // of nets around it
    findings* found;                       // what holds for one of its ops is to be set
    std::vector<std::string> const* keep;  // blobs that are kept; all if nullptr
  };
  static constexpr std::size_t depth_limit = 100;  // each level takes stack when it is compiled and run

  template <net N>
  plan(N const& n, operators<B> const& table, workspace<B>& blobs, compile_options const& options,
       nesting const* around);

  plan(plan const& leader, workspace<B>& blobs);

  static void expect_names(std::vector<operand_pair> const& found, std::vector<operand_pair> const& allowed);
  template <net N>
  static std::vector<operand_pair> pairs_of_one_name(ssa_form<N> const& form, op_index op, std::size_t inputs);
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
  tensor<B> const& given(constant const& c) const;
  bool has_other_constants() const;
  void tell_constants();
  // What a forecast knows of elements.
  struct known_elements {
    std::vector<std::vector<std::int64_t>> of_values;
    std::vector<tensor<B> const*> fed;                 // by value
    std::vector<std::vector<std::int64_t>> told = {};  // by output of the op in hand
  };
  bool infer(op_index op, known_elements* known = nullptr);
  void read_known(known_elements const& known, value_number v, void* to) const;
  void enter(std::size_t stage);
  void prepare_stage(std::size_t stage, bool first_is_inferred = false);
  void place_stage(std::size_t stage);
  bool take(input const& in);
  op_index reader_of(value_number v) const;
  template <class F>
  void take_memory(op_index op, std::string_view what, value_number v, F const& f) const;
  void* gather(input const& in);
  void find_extents();
  void separate_overwritten();
  bool is_given(tensor<B> const& memory) const;
  void refresh(std::size_t stage);
  static bool is_watched(run_options const& options) {
    return options.observer != nullptr || options.stop.stop_possible();
  }
  // Whether a task group around was cancelled, as far as loops have met with it.
  static bool is_cancelled() {
    if constexpr (detail::has_tasks<B>)
      if (detail::parts_were_skipped) [[unlikely]]
        return detail::parts_were_skipped = B::is_cancelled();
    return false;
  }
  void find_places();
  bool stands() const;
  void run_again();
  void run_plainly(op_index op) {
    steps_[op].kernel->run(steps_[op].context);
    if (steps_[op].way == op_way::publishing)
      for (value_number v : layout_.published(op)) publish(v);
  }
  void run_with_care(op_index op, run_options const& options);
  void run_for_results(op_index op, run_options const& options, op_event const* event);
  void accept_results(op_index op);
  void publish(value_number v);
  bool is_source(blob<B> const* at) const;
  void sort_sources();
  void find_groups(bool large);
  template <class Groups>
  void use(Groups const& groups, op_way way);
  template <class Groups>
  void drop(Groups& groups);
  void find_demand(plan_memory<B>& memory);
  bool inputs_last(op_index op) const;
  op_way usual_way(op_index op) const;
  // Whether memory must be put back that was given, if the op by itself fails.
  bool may_spoil(op_index op) const { return !layout_.endangered(op).empty() && !schema(op).has_checked_first(); }
  template <class Groups>
  void run_group(Groups& groups, op_index& op);
  own_error problem(op_index op, std::string const& why, std::string_view blob = {}) const;
  own_error problem(typename plan_memory<B>::shortage const& of) const;
  std::string op_text(op_index op) const { return op_text(op, schema(op).type()); }
  std::string op_text(op_index op, std::string_view type) const;
  [[noreturn]] void rethrow(op_index op) const;
  op_event event(op_index op, run_options const& options) const;
  std::size_t stage_of(op_index op) const {
    auto const after = std::ranges::upper_bound(layout_.stages(), op);
    return static_cast<std::size_t>(after - layout_.stages().begin()) - 1;
  }
  op_index stage_end(std::size_t stage) const {
    return stage + 1 == layout_.stages().size() ? static_cast<op_index>(op_count()) : layout_.stages()[stage + 1];
  }

  std::vector<std::shared_ptr<op_kernel<B>>> kernels_;  // by op
  std::vector<step> steps_;
  std::vector<details> details_;  // by op, as are the steps
  plan_layout layout_;
  std::vector<slot> slots_;           // by value
  std::vector<slot*> operand_slots_;  // of all contexts
  std::vector<input> inputs_;
  std::vector<place> places_;                    // of what is given and published; empty if runs are not to be repeated
  bool repeats_ = false;                         // a run has ended, and nothing has been asked for since
  bool inputs_moved_ = false;                    // since extents_ were found
  std::vector<input_extent> extents_;            // of a plan that is not nested
  static constexpr std::size_t few_inputs = 16;  // in which one is looked for as they come
  std::vector<blob<B> const*> sources_;          // of more inputs than these, sorted
  std::vector<blob<B>*> blobs_;                  // by blob, of those that are published
  std::vector<bool> ready_;                      // by stage: shapes are inferred and memory is placed
  plan_memory<B> memory_;
  std::vector<tensor<B>> replaced_;    // by value: what was given, until the next bind()
  std::vector<tensor<B>> gathered_;    // by input, of those fed with strides: the elements in order
  std::vector<tensor_spec> inferred_;  // of the outputs of the op in hand
  std::vector<op_index> in_series_;    // ops that know of a series
  std::vector<bool> summed_by_ops_;    // in it, by value
  run_series told_;                    // the op in hand
  std::vector<constant> constants_;
  bool constants_told_ = false;                // the series of all runs is under way
  row_groups<B> groups_;                       // of small steps while they do, of large operands otherwise
  column_groups<B> columns_;                   // of small steps, of ops that are in no group by rows
  chains chains_;                              // of ops that are in no group
  std::unique_ptr<rows_on_demand<B>> demand_;  // for the op that ends the first stage
  op_index demanded_ = 0;                      // which makes these rows
  std::size_t deferred_ = 0;                   // runs
  csr<op_index> controls_;                     // by op
  bool parallel_ = false;
  bool nested_ = false;
  bool differs_by_run_ = false;
  std::uint64_t entered_ = 0;  // stages, in all runs
  std::vector<std::string> op_names_;
  std::vector<std::string> blob_names_;
};

/// Compiles a net. Throws exec_error for an op type that is not in the table, operands or arguments that the type does
/// not have or that options.as_declared refuses, net_error for an output that it refuses, a blob in options.fetch that
/// the net does not have, one in options.constants that it is not given or that its ops write, or more than 100 nets
/// inside each other. O(operands), expected.
template <net N, backend B>
[[nodiscard]] plan<B> compile(N const& n, operators<B> const& table, workspace<B>& blobs,
                              compile_options const& options = {}) {
  return plan<B>(n, table, blobs, options);
}

}  // namespace plait

#include <plait/exec/detail/plan_compile.hpp>
#include <plait/exec/detail/plan_forecast.hpp>
#include <plait/exec/detail/plan_messages.hpp>
#include <plait/exec/detail/plan_repeats.hpp>
#include <plait/exec/detail/plan_run.hpp>
#include <plait/exec/detail/plan_series.hpp>
#include <plait/exec/detail/plan_twins.hpp>
