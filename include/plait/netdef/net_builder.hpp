// Net builder: constructs a netdef op by op in C++, with blobs as handles.
//
//   plait::net_builder cell("cell");
//   auto [x, h_prev, w, b] = cell.external_inputs("x_t", "h_prev", "w", "b");
//   auto h = cell.tanh(cell.fc(cell.concat({x, h_prev}, 1), w, b), "h");
//   cell.external_outputs(h);
//   plait::netdef net = cell.take();
//
// Omitted names are generated like those of Caffe2's core.Net: <net>/<type>, <net>/<type>_2, with :<i> for an op with
// several outputs. Control flow nests builders: see if_, while_ and do_.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/errors.hpp>
#include <plait/net/detail/name_generator.hpp>
#include <plait/net/detail/parameter.hpp>
#include <plait/net/mutation.hpp>
#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/netdef/detail/builder_ops.hpp>
#include <plait/netdef/detail/builder_state.hpp>
#include <plait/netdef/detail/built_op.hpp>
#include <plait/netdef/detail/control_flow.hpp>
#include <plait/netdef/detail/control_options.hpp>
#include <plait/netdef/detail/control_plan.hpp>
#include <plait/netdef/model.hpp>
#include <plait/transform/detail/const_fill.hpp>

namespace plait {

class net_builder;

/// Branch or body of a control flow op: a net, or a callable that fills its builder.
template <class T>
concept net_builder_function = std::invocable<T&, net_builder&>;
template <class T>
concept branch_net = net_builder_function<T> || std::convertible_to<T, netdef>;

/// Optional properties of an op, beside type, operands and arguments (the keywords of Caffe2's CreateOperator).
struct op_details {
  std::string_view name = {};
  std::string_view engine = {};       ///< library whose kernels run it: "CUDNN"
  blob_operands control_inputs = {};  ///< control dependences: blobs in scope that it waits for without reading them
  std::optional<device_spec> device = {};         ///< overrides the builder's
  std::optional<std::uint32_t> random_seed = {};  ///< seed of the op's random numbers
};

/// Builds a netdef. A blob must be in scope before it is read: as an external input, as an output of an earlier op or,
/// in a nested net, as a blob of an enclosing net. Any other read throws a net_error that names the blob, and changes
/// nothing. Adding an op is O(its operands), amortised.
class net_builder : public builder_ops<net_builder> {
 public:
  explicit net_builder(std::string_view name = "net") : net_builder(named(name)) {}
  /// Continues a net, whose blobs are all in scope.
  explicit net_builder(netdef net) : state_(std::make_unique<state>()) {
    state_->begin(std::move(net));
    state_->net_names = std::make_shared<unique_names>();
    state_->net_names->take(name());
  }

  netdef const& net() const noexcept { return state_->net; }
  /// Returns the net and leaves the builder empty, as if newly constructed.
  [[nodiscard]] netdef take() {
    netdef taken = std::move(state_->net);
    state_->begin(named(taken.text(taken.name)));
    return taken;
  }
  /// Calls `change` with the net itself, for functions that take a netdef (gradients, optimisers, transforms), and
  /// rebuilds the scope from the net afterwards. O(net), plus the cost of `change`.
  template <std::invocable<netdef&> Change>
  auto edit(Change&& change) {
    try {
      if constexpr (std::is_void_v<std::invoke_result_t<Change, netdef&>>) {
        std::invoke(std::forward<Change>(change), state_->net);
        state_->rebuild_scope();
      } else {
        auto result = std::invoke(std::forward<Change>(change), state_->net);
        state_->rebuild_scope();
        return result;
      }
    } catch (...) {
      state_->rebuild_scope();  // the net may be half changed
      throw;
    }
  }
  std::string_view name() const { return state_->name(); }

  // ---- blobs
  /// Declares an input of the net. Throws net_error if the net already has a blob of that name.
  blob_handle external_input(blob_operand name) { return external_inputs(name)[0]; }
  /// Declares several inputs: `auto [x, w] = net.external_inputs("x", "w");`
  template <class... Names>
    requires(std::convertible_to<Names const&, blob_operand> && ...)
  std::array<blob_handle, sizeof...(Names)> external_inputs(Names const&... names) {
    std::array<blob_handle, sizeof...(Names)> made{handle(state_->output_name(names))...};
    boost::unordered_flat_set<std::string_view> listed;
    for (blob_handle const& input : made)
      if (state_->has_blob(input.name()) || !listed.insert(input.name()).second)
        throw net_error("plait: " + state_->quoted() + " already has a blob '" + input.name() + '\'', {}, input.name());
    for (blob_handle const& input : made) state_->net.external_input.push_back(state_->add_blob(input.name()));
    return made;
  }
  /// Declares outputs of the net; an output that is already declared keeps its position.
  template <class... Blobs>
    requires(std::convertible_to<Blobs const&, blob_operand> && ...)
  void external_outputs(Blobs const&... blobs) {
    std::vector<std::string> const names{state_->input_name(blobs)...};
    for (std::string const& full : names) state_->add_external_output(full);
  }
  /// Puts a blob into scope that is written later, for example by a branch of an If, and returns it.
  blob_handle declare(blob_operand name) {
    std::string full = state_->output_name(name);
    state_->declare(full);
    return handle(std::move(full));
  }
  /// Returns the blob of that full name, regardless of the name scope. Throws net_error if neither this net nor an
  /// enclosing one has it.
  blob_handle blob(std::string_view full_name) const {
    if (!visible(full_name)) state_->unknown(full_name);
    return handle(std::string(full_name));
  }
  /// Returns true if this net or an enclosing one has the blob.
  bool visible(std::string_view full_name) const { return state_->visible(full_name); }
  /// Like blob(), but a blob that neither this net nor an enclosing one has becomes an external input.
  blob_handle blob_or_input(std::string_view full_name) {
    if (!visible(full_name)) state_->net.external_input.push_back(state_->add_blob(std::string(full_name)));
    return handle(std::string(full_name));
  }
  /// Returns the full name of a blob operand: text gets the prefix of the name scope.
  std::string full_name(blob_operand name) const { return state_->output_name(name); }

  // ---- ops
  /// Appends an op and returns its outputs: one handle, or an array of them for `auto [h, c] = net.op<2>(…)`. Outputs
  /// given as text get that name within the name scope; outputs given as handles are overwritten, for example in place;
  /// if none are given, names are generated. Throws net_error if an input is not in scope, or if outputs are given, but
  /// not `Count`.
  ///   net.op("Conv", {x, w, b}, "y", {{"kernel", 3}}, {.engine = "CUDNN", .control_inputs = {ready}});
  template <std::size_t Count = 1>
  auto op(std::string_view type, blob_operands const& inputs, blob_operands const& outputs = {},
          std::vector<net_argument> arguments = {}, op_details const& details = {}) {
    std::vector<std::string> names = append(type, inputs, outputs, Count, Count != 1, std::move(arguments), details);
    if constexpr (Count == 1) {
      return handle(std::move(names.front()));
    } else {
      std::array<blob_handle, Count> made;
      for (std::size_t i = 0; i != Count; ++i) made[i] = handle(std::move(names[i]));
      return made;
    }
  }
  /// Like op(), for a number of outputs that is known at run time only.
  std::vector<blob_handle> op_n(std::string_view type, blob_operands const& inputs, blob_operands const& outputs,
                                std::vector<net_argument> arguments = {}, op_details const& details = {}) {
    return handles(append(type, inputs, outputs, outputs.size(), true, std::move(arguments), details));
  }
  std::vector<blob_handle> op_n(std::string_view type, blob_operands const& inputs, std::size_t outputs,
                                std::vector<net_argument> arguments = {}, op_details const& details = {}) {
    return handles(append(type, inputs, {}, outputs, true, std::move(arguments), details));
  }
  /// Appends all ops of a net; its blobs keep their names. Blobs that it reads before it writes them must be in scope.
  void append_ops(netdef const& other) {
    for (std::string const& name : external_blob_names(other).inputs)
      if (!visible(name)) state_->unknown(name);
    for (op_def const& op : other.op) state_->adopt(op, other);
  }

  // ---- scopes
  /// Restores the previous scope on destruction (RAII).
  template <class T>
  class [[nodiscard]] scope_guard {
   public:
    scope_guard(T& at, T value) : at_(&at), before_(std::exchange(at, std::move(value))) {}
    scope_guard(scope_guard&& other) noexcept
        : at_(std::exchange(other.at_, nullptr)), before_(std::move(other.before_)) {}
    scope_guard& operator=(scope_guard&&) = delete;
    ~scope_guard() {
      if (at_ != nullptr) *at_ = std::move(before_);
    }

   private:
    T* at_;
    T before_;
  };
  /// Opens a name scope: while the guard lives, names given as text begin with `<prefix>/`, nested in the current
  /// scope. Generated names do not, as in Caffe2. The guard must be destroyed before the builder.
  scope_guard<std::string> scope(std::string_view prefix) {
    return {state_->prefix, state_->prefix + std::string(prefix) + '/'};
  }
  /// Sets the device of new ops while the guard lives; nullopt: none in particular.
  scope_guard<std::optional<device_spec>> device(std::optional<device_spec> where) { return {state_->device, where}; }

  // ---- control flow: each returns the blobs of this net that may be written
  //
  // A branch, body or condition is a net, or a callable that takes its builder. It uses blobs of the enclosing net by
  // name: a blob that it writes is the outer one if the name is in scope there, and local otherwise. Nets built by
  // callables are named <net>_1, <net>_2, … in the order in which they are begun.
  template <branch_net Then>
  std::vector<blob_handle> if_(blob_operand condition, Then&& then_net, control_options options = {}) {
    std::string const name = state_->input_name(condition);
    netdef then_made = inner_net(std::forward<Then>(then_net));
    return add_if(name, std::move(then_made), {}, std::move(options));
  }
  template <branch_net Then, branch_net Else>
  std::vector<blob_handle> if_(blob_operand condition, Then&& then_net, Else&& else_net, control_options options = {}) {
    std::string const name = state_->input_name(condition);
    netdef then_made = inner_net(std::forward<Then>(then_net));
    return add_if(name, std::move(then_made), inner_net(std::forward<Else>(else_net)), std::move(options));
  }
  /// Adds a While op that runs the body while `condition`, a blob of this net that the body should write, is true.
  template <branch_net Body>
  std::vector<blob_handle> while_(blob_operand condition, Body&& body, control_options options = {}) {
    return add_while(state_->input_name(condition), {}, inner_net(std::forward<Body>(body)), std::move(options));
  }
  /// Adds a While op that runs the condition net before each iteration, and the body while the blob called `condition`
  /// is true. A condition that is not in scope is created. Throws net_error if the condition net does not write it.
  template <branch_net Condition, branch_net Body>
  std::vector<blob_handle> while_(blob_operand condition, Condition&& condition_net, Body&& body,
                                  control_options options = {}) {
    std::string const name = state_->output_name(condition);
    netdef condition_made = inner_net(std::forward<Condition>(condition_net));
    return add_while(name, std::move(condition_made), inner_net(std::forward<Body>(body)), std::move(options));
  }
  /// Like the overload above; the condition is the blob that the callable returns, or the only output of its last op.
  ///   net.while_([&](auto& c) { return c.lt(i, n); }, [&](auto& body) { body.add(i, one, i); });
  template <net_builder_function Condition, branch_net Body>
  std::vector<blob_handle> while_(Condition&& condition, Body&& body, control_options options = {}) {
    net_builder inside = inner_builder();
    std::string name;
    if constexpr (std::is_void_v<std::invoke_result_t<Condition&, net_builder&>>) {
      std::invoke(condition, inside);
      name = inside.last_output();
    } else {
      name = inside.state_->input_name(std::invoke(condition, inside));
    }
    return add_while(name, inside.take(), inner_net(std::forward<Body>(body)), std::move(options));
  }
  /// Adds a Do op that runs a net once, in a child workspace.
  template <branch_net Inner>
  std::vector<blob_handle> do_(Inner&& inner, do_options options = {}) {
    return add_do(inner_net(std::forward<Inner>(inner)), std::move(options));
  }

 private:
  friend class builder_ops<net_builder>;

  using state = detail::builder_state;

  explicit net_builder(std::unique_ptr<state> made) : state_(std::move(made)) {}
  static netdef named(std::string_view name) {
    netdef made;
    made.name = made.intern(name);
    return made;
  }

  blob_handle handle(std::string name) const { return {std::move(name), state_.get()}; }
  std::vector<blob_handle> handles(std::vector<std::string> const& names) const {
    std::vector<blob_handle> made;
    made.reserve(names.size());
    for (std::string const& name : names) made.push_back(handle(name));
    return made;
  }

  // Appends an op and returns the names of its outputs.
  std::vector<std::string> append(std::string_view type, blob_operands const& inputs, blob_operands const& outputs,
                                  std::size_t count, bool numbered, std::vector<net_argument> arguments,
                                  op_details const& details) {
    std::vector<std::string> read = state_->input_names(inputs);
    std::vector<std::string> awaited = state_->input_names(details.control_inputs);
    std::vector<std::string> made = state_->output_names(type, outputs, count, numbered);
    state_->append({std::string(type), std::move(read), made, std::move(arguments),
                    details.device ? details.device : state_->device, std::string(details.name),
                    std::string(details.engine), std::move(awaited), details.random_seed});
    return made;
  }

  // ---- hooks of builder_ops
  blob_handle op_with_shape_output(char const* type, blob_operands const& inputs, blob_operands const& y,
                                   char const* ending, std::vector<net_argument> arguments) {
    std::vector<std::string> names = state_->output_names(type, y, 1, false);
    names.push_back('_' + names.front() + ending);
    state_->append({type, state_->input_names(inputs), names, std::move(arguments), state_->device});
    return handle(std::move(names.front()));
  }
  blob_handle fill(tensor_value const& tensor, blob_operands const& y) {
    // The op type, which generated output names contain, depends on the type of the tensor.
    op_spec spec = const_fill_op({"", tensor, state_->device});
    spec.outputs = state_->output_names(spec.type, y, 1, false);
    state_->append({spec.type, {}, spec.outputs, {spec.arguments.begin(), spec.arguments.end()}, state_->device});
    return handle(std::move(spec.outputs.front()));
  }

  // ---- nested nets
  net_builder inner_builder() const {
    auto made = std::make_unique<state>();
    made->begin(named(state_->net_names->number(root_name(), "_", 1, {})));
    made->parent = state_.get();
    made->net_names = state_->net_names;
    made->prefix = state_->prefix;
    made->device = state_->device;
    return net_builder(std::move(made));
  }
  std::string root_name() const {
    state const* level = state_.get();
    while (level->parent != nullptr) level = level->parent;
    return std::string(level->name());
  }
  template <class Inner>
  netdef inner_net(Inner&& inner) const {
    if constexpr (net_builder_function<Inner>) {
      net_builder inside = inner_builder();
      std::invoke(inner, inside);
      return inside.take();
    } else {
      return std::forward<Inner>(inner);
    }
  }
  std::string last_output() const {
    if (state_->net.op.empty() || state_->net.op.back().output.size() != 1)
      throw net_error("plait: the last op of a condition must have one output, the condition; " + state_->quoted() +
                      " has no such op");
    return std::string(state_->net.text(state_->net.op.back().output.front()));
  }
  auto in_scope() const {
    return [this](std::string_view full) { return visible(full); };
  }
  template <class Options>
  void complete(Options& options) const {
    if (options.name.empty()) options.name = name();
    if (!options.device) options.device = state_->device;
  }
  std::vector<blob_handle> add_if(std::string const& condition, netdef then_net, std::optional<netdef> else_net,
                                  control_options options) {
    complete(options);
    return apply(
        detail::plan_if_op(state_->names, condition, in_scope(), std::move(then_net), std::move(else_net), options));
  }
  std::vector<blob_handle> add_while(std::string const& condition, std::optional<netdef> condition_net, netdef body,
                                     control_options options) {
    complete(options);
    return apply(detail::plan_while_op(state_->names, condition, in_scope(), std::move(body), std::move(condition_net),
                                       options));
  }
  std::vector<blob_handle> add_do(netdef inner, do_options options) {
    complete(options);
    return apply(detail::plan_do_op(state_->names, in_scope(), std::move(inner), options));
  }
  // A nested net declares the blobs of the enclosing net that its control flow writes as external outputs, like
  // Caffe2's NetBuilder.
  std::vector<blob_handle> apply(detail::control_plan plan) {
    for (built_op& op : plan.ops) state_->append(std::move(op));
    if (state_->parent != nullptr)
      for (std::string const& name : plan.blobs.outputs)
        if (state_->parent->visible(name)) state_->add_external_output(name);
    return handles(plan.blobs.outputs);
  }

  std::unique_ptr<state> state_;
};

}  // namespace plait
