// Nets written in C++, op by op, with blobs as handles.
//
//   plait::net_builder cell("cell");
//   auto [x, h_prev, w, b] = cell.external_inputs("x_t", "h_prev", "w", "b");
//   auto h = cell.tanh(cell.fc(cell.concat({x, h_prev}, 1), w, b), "h");
//   cell.external_outputs(h);
//   plait::netdef net = cell.take();
//
// Names that are not given are made as Caffe2's core.Net makes them: <net>/<type>, <net>/<type>_2, with :<i> where an
// op has several outputs. Control flow nests builders: see if_, while_ and do_.
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
#include <plait/netdef/detail/control_options.hpp>
#include <plait/netdef/detail/control_plan.hpp>
#include <plait/netdef/model.hpp>
#include <plait/transform/detail/const_fill.hpp>

namespace plait {

class net_builder;

/// What a branch or body can be: a net, or a callable that fills a builder of one.
template <class T>
concept net_builder_function = std::invocable<T&, net_builder&>;
template <class T>
concept branch_net = net_builder_function<T> || std::convertible_to<T, netdef>;

/// What an op can be given beside type, operands and arguments (the keywords of Caffe2's CreateOperator).
struct op_details {
  std::string_view name = {};
  std::string_view engine = {};                   ///< whose kernels are to run it: "CUDNN"
  blob_operands control_inputs = {};              ///< blobs it waits for without reading them; known ones, as inputs
  std::optional<device_spec> device = {};         ///< instead of the builder's
  std::optional<std::uint32_t> random_seed = {};  ///< of what it draws
};

/// Builds a netdef. Blobs must be known before they are read: as external inputs, as outputs of ops before, or, in a
/// net inside another, from the net around; anything else is a net_error naming the blob, and then nothing has
/// changed. All ops are O(their operands), amortised.
class net_builder : public builder_ops<net_builder> {
 public:
  explicit net_builder(std::string_view name = "net") : net_builder(named(name)) {}
  /// Goes on with a net: it knows all blobs of it.
  explicit net_builder(netdef net) : state_(std::make_unique<state>()) {
    state_->begin(std::move(net));
    state_->net_names = std::make_shared<unique_names>();
    state_->net_names->take(name());
  }

  netdef const& net() const noexcept { return state_->net; }
  /// The net. The builder is left without one, as if new.
  [[nodiscard]] netdef take() {
    netdef taken = std::move(state_->net);
    state_->begin(named(taken.text(taken.name)));
    return taken;
  }
  /// Lets `change` work on the net itself, for everything that takes a netdef (gradients, optimisers, transforms).
  /// Afterwards the builder knows the blobs that the net then has. O(net), besides what `change` does.
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
      state_->rebuild_scope();  // it may have come halfway
      throw;
    }
  }
  std::string_view name() const { return state_->name(); }

  // ---- blobs
  /// Declares an input of the net. Throws net_error where the net has a blob of that name.
  blob_handle external_input(blob_operand name) { return external_inputs(name)[0]; }
  /// `auto [x, w] = net.external_inputs("x", "w");`
  template <class... Names>
    requires(std::convertible_to<Names const&, blob_operand> && ...)
  std::array<blob_handle, sizeof...(Names)> external_inputs(Names const&... names) {
    std::array<blob_handle, sizeof...(Names)> made{handle(state_->output_name(names))...};
    boost::unordered_flat_set<std::string_view> listed;
    for (blob_handle const& input : made)
      if (state_->has_blob(input.name()) || !listed.insert(input.name()).second)
        throw net_error("plait: " + state_->quoted() + " has a blob '" + input.name() + "' already", {}, input.name());
    for (blob_handle const& input : made) state_->net.external_input.push_back(state_->add_blob(input.name()));
    return made;
  }
  /// Declares outputs of the net; one that is declared already stays where it is.
  template <class... Blobs>
    requires(std::convertible_to<Blobs const&, blob_operand> && ...)
  void external_outputs(Blobs const&... blobs) {
    std::vector<std::string> const names{state_->input_name(blobs)...};
    for (std::string const& full : names) state_->add_external_output(full);
  }
  /// A blob that is written later, by a branch of an If say, where it should be in the scope.
  blob_handle declare(blob_operand name) {
    std::string full = state_->output_name(name);
    state_->declare(full);
    return handle(std::move(full));
  }
  /// The blob of that name, whatever the name scope. Throws net_error if neither this net nor one around has it.
  blob_handle blob(std::string_view full_name) const {
    if (!visible(full_name)) state_->unknown(full_name);
    return handle(std::string(full_name));
  }
  /// Whether this net or one around it has the blob.
  bool visible(std::string_view full_name) const { return state_->visible(full_name); }
  /// The same, but a blob that neither this net nor one around it has becomes an external input.
  blob_handle blob_or_input(std::string_view full_name) {
    if (!visible(full_name)) state_->net.external_input.push_back(state_->add_blob(std::string(full_name)));
    return handle(std::string(full_name));
  }
  /// What a blob is called here that is given as `name`: text is taken within the name scope.
  std::string full_name(blob_operand name) const { return state_->output_name(name); }

  // ---- ops
  /// Adds an op and returns its outputs: one handle, or an array of them for `auto [h, c] = net.op<2>(…)`. Outputs that
  /// are text are called so, within the name scope; handles are written again, in place say; with none given, names
  /// are made. Throws net_error for an input that is not known, and where there are outputs, but not `Count`.
  ///   net.op("Conv", {x, w, b}, "y", {{"kernel", 3}}, {.engine = "CUDNN", .control_inputs = {ready}});
  template <std::size_t Count = 1>
  auto op(std::string_view type, blob_operands const& inputs, blob_operands const& outputs = {},
          std::vector<net_argument> arguments = {}, op_details const& details = {}) {
    std::vector<std::string> names = written(type, inputs, outputs, Count, Count != 1, std::move(arguments), details);
    if constexpr (Count == 1) {
      return handle(std::move(names.front()));
    } else {
      std::array<blob_handle, Count> made;
      for (std::size_t i = 0; i != Count; ++i) made[i] = handle(std::move(names[i]));
      return made;
    }
  }
  /// The same for as many outputs as is found out at run time.
  std::vector<blob_handle> op_n(std::string_view type, blob_operands const& inputs, blob_operands const& outputs,
                                std::vector<net_argument> arguments = {}, op_details const& details = {}) {
    return handles(written(type, inputs, outputs, outputs.size(), true, std::move(arguments), details));
  }
  std::vector<blob_handle> op_n(std::string_view type, blob_operands const& inputs, std::size_t outputs,
                                std::vector<net_argument> arguments = {}, op_details const& details = {}) {
    return handles(written(type, inputs, {}, outputs, true, std::move(arguments), details));
  }
  /// Adds all ops of a net, its blobs by their names. Those that it reads before it writes them must be known here.
  void append_ops(netdef const& other) {
    for (std::string const& name : external_blob_names(other).inputs)
      if (!visible(name)) state_->unknown(name);
    for (op_def const& op : other.op) state_->adopt(op, other);
  }

  // ---- scopes
  /// Gives back the scope before when it goes.
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
  /// As long as the guard lives, names that are given as text begin with `<prefix>/`, within the scope there is. Those
  /// that are made do not, as with Caffe2. The guard must go before the builder does.
  scope_guard<std::string> scope(std::string_view prefix) {
    return {state_->prefix, state_->prefix + std::string(prefix) + '/'};
  }
  /// As long as the guard lives, ops are for the device; with nothing, for none in particular.
  scope_guard<std::optional<device_spec>> device(std::optional<device_spec> where) { return {state_->device, where}; }

  // ---- control flow: each returns the blobs of this net that may be written
  //
  // A branch, body or condition is a net, or a callable that is given a builder of one. Blobs of the net around are
  // used in it as they are; what it writes under a name that is known around is written there, everything else is its
  // own. Nets made by callables are called <net>_1, <net>_2, … in the order they are begun.
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
  /// Runs the body as long as a blob of this net, which the body should write, is true.
  template <branch_net Body>
  std::vector<blob_handle> while_(blob_operand condition, Body&& body, control_options options = {}) {
    return add_while(state_->input_name(condition), {}, inner_net(std::forward<Body>(body)), std::move(options));
  }
  /// Runs the condition net, and then the body if the blob called `condition` is true, and so on. A condition that is
  /// not known here is made. Throws net_error where the condition net does not write it.
  template <branch_net Condition, branch_net Body>
  std::vector<blob_handle> while_(blob_operand condition, Condition&& condition_net, Body&& body,
                                  control_options options = {}) {
    std::string const name = state_->output_name(condition);
    netdef condition_made = inner_net(std::forward<Condition>(condition_net));
    return add_while(name, std::move(condition_made), inner_net(std::forward<Body>(body)), std::move(options));
  }
  /// The same; the condition is what the callable returns, or the one output of its last op.
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
  /// Runs a net once, in a workspace of its own.
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

  // Adds an op; the names of its outputs.
  std::vector<std::string> written(std::string_view type, blob_operands const& inputs, blob_operands const& outputs,
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

  // ---- what builder_ops needs
  blob_handle op_with_shape_output(char const* type, blob_operands const& inputs, blob_operands const& y,
                                   char const* ending, std::vector<net_argument> arguments) {
    std::vector<std::string> names = state_->output_names(type, y, 1, false);
    names.push_back('_' + names.front() + ending);
    state_->append({type, state_->input_names(inputs), names, std::move(arguments), state_->device});
    return handle(std::move(names.front()));
  }
  blob_handle fill(tensor_value const& tensor, blob_operands const& y) {
    // The type of the op, after which an output is called, depends on the tensor's.
    op_spec spec = const_fill_op({"", tensor, state_->device});
    spec.outputs = state_->output_names(spec.type, y, 1, false);
    state_->append({spec.type, {}, spec.outputs, {spec.arguments.begin(), spec.arguments.end()}, state_->device});
    return handle(std::move(spec.outputs.front()));
  }

  // ---- nets inside
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
                      " has none that does");
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
  // A net inside promises what its control flow writes around it, as with Caffe2's NetBuilder.
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
