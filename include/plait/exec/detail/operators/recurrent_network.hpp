// RecurrentNetwork: runs a step net for each time step of a sequence.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/nets_of_op.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/detail/operand_frame.hpp>
#include <plait/exec/detail/operators/recurrent_network_arguments.hpp>
#include <plait/exec/detail/operators/recurrent_network_states.hpp>
#include <plait/exec/detail/operators/recurrent_network_steps.hpp>
#include <plait/exec/detail/row_stream.hpp>
#include <plait/exec/detail/saturating.hpp>
#include <plait/exec/detail/step_values.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Input 0 is a sequence T x N x …. Links map blobs of the step net to places of sequences; it reads other blobs of the
/// net around by name. Values that a backward net reads are kept in arrays over time. Steps write states and outputs
/// directly to the sequences of states, without copies.
template <backend B>
class recurrent_network_kernel : public op_kernel<B>, public runs_nets<B> {
 public:
  recurrent_network_kernel(op_arguments const& a, nets_of_op<B> const& nets)
      : arguments_(a),
        listed_(a.input_count()),
        frame_(nets),
        trains_(nets.has("backward_step_net") || !a.texts("backward_link_internal").empty() || a.flag("keep_steps")),
        keeps_all_(a.flag("keep_steps")) {
    auto const outputs = nets.output_names().first(a.output_count());
    for (auto const& alias : arguments_.aliases) {
      auto const at = std::ranges::find(outputs, alias.output);
      if (at == outputs.end()) detail::refuse_recurrence("alias_dst has '" + alias.output + "', which is no output");
      alias_outputs_.push_back(&frame_.blobs().local(alias.output));
      alias_numbers_.push_back(static_cast<std::size_t>(at - outputs.begin()));
    }
    for (std::size_t const number : alias_numbers_) wanted_.push_back(nets.is_wanted(number));
    for (std::string const& output : outputs.first(outputs.size() - 1))
      if (std::ranges::find(arguments_.aliases, output, &detail::recurrent_alias::output) == arguments_.aliases.end())
        detail::refuse_recurrence("output '" + output + "' is not in alias_dst");
    object_output_ = &frame_.blobs().local(outputs.back());
    auto const inputs = nets.input_names();
    inputs_.assign(inputs.begin(), inputs.end());
    object_number_ = outputs.size() - 1;
    for (std::size_t i = 0; i != inputs.size(); ++i) {
      if (i >= listed_ && inputs[i] == outputs.back()) object_input_ = i;
      replaced_.push_back(i >= listed_ && std::ranges::find(outputs, inputs[i]) != outputs.end());
      if (!replaced_[i]) names_.emplace_back(inputs[i], &frame_.blobs().local(inputs[i]));
    }
    for (auto const& state : arguments_.states) state_inputs_.push_back(&frame_.blobs().local(inputs[state.initial]));
    sequence_ = &frame_.blobs().local(inputs[0]);
    compile(a, nets);
    auto const number = [&](detail::recurrent_link const& link) {
      return sequence_number(link, inputs.first(listed_));
    };
    for (auto const& op : net_.link_ops())
      if (std::size_t const s = number(op.link); s < arguments_.states.size())
        seen_states_.emplace_back(s, &frame_.blobs().local(op.link.external));
    std::size_t const by_ops = net_.take_link_ops(arguments_.links);
    net_.connect(arguments_.links, by_ops, false, number);
    std::size_t const states = arguments_.states.size();
    for (auto& link : net_.links())
      if (link.source && link.sequence >= states && link.value != npos) {
        link.copied = true;
        link.target = false;
      }
    for (auto const& link : net_.links())
      if (link.target && link.sequence >= states) written_inputs_.push_back(linked_inputs_[link.sequence - states]);
    // A window over a place that the same step writes has the new value only if it is written in place.
    bool in_place = false;
    for (auto& made : net_.links())
      for (auto const& read : net_.links())
        if (detail::is_read_as_filled(made, read)) in_place = made.in_place = true;
    linked_ = net_.links().size();
    std::size_t const by_arguments = linked_ - by_ops;
    if (net_.given(arguments_.timestep) != npos)
      net_.links().push_back(
          {.internal = arguments_.timestep, .sequence = timesteps(), .source = true, .lasting = true});
    if (trains_) net_.keep_values(by_arguments, timesteps() + 1);
    auto changing = detail::blobs_of<B>(seen_states_);
    changing.insert(changing.end(), written_inputs_.begin(), written_inputs_.end());
    net_.finish(names_, changing, [this](std::size_t sequence) { return sequence > timesteps(); });
    // Inputs that steps write belong to the caller, thus cannot be streamed.
    if (written_inputs_.empty()) find_in_order();
    bool const apart = !in_place && written_inputs_.empty();
    if (!apart) net_.forbid_fusion();
    steps_.connect(net_, detail::executor_limits(a), false, apart);
    for (std::size_t i = 0; i != arguments_.states.size(); ++i) add_state(i);
  }
  // No step is in flight between two blocks of a streamed input.
  void patterns(op_context<B> const&, std::vector<op_pattern<B>>& to) const override {
    std::size_t const least = std::max<std::size_t>(1, 16 * steps_.overlapping());
    for (std::size_t i = 0; i != in_order_.size(); ++i)
      if (in_order_[i])
        to.push_back({.kind = pattern_kind::in_order, .least_rows = least, .input = static_cast<std::uint32_t>(i)});
  }
  void infer(shape_context& c) override {
    auto const input = [&](std::string_view name) -> tensor_spec const& {
      auto const at = std::ranges::find(inputs_, name);
      if (at == inputs_.end()) detail::refuse_recurrence("nobody knows '" + std::string(name) + "' before the run");
      return c.input(static_cast<std::size_t>(at - inputs_.begin()));
    };
    shape const& dims = c.dims(0);
    if (dims.rank() < 2) c.fail("input 0 is " + to_string(c.input(0)) + ", no sequence of steps of rows");
    auto const length = static_cast<std::size_t>(dims[0]);
    auto known = std::make_shared<step_forecast>();
    for (auto const& state : arguments_.states) {
      tensor_spec const type = detail::type_of_states(c.input(state.initial), state.name, dims[0], dims[1]);
      known->states.push_back(type);
      c.hold(memory_pool<B>::block_size(states_[known->states.size() - 1].type_in_memory(type, dims[0]).bytes()));
    }
    std::vector<tensor_spec> sequences = known->states;
    for (std::size_t const i : linked_numbers_) sequences.push_back(c.input(i));
    sequences.push_back({element_type::int32, {dims[0]}});
    auto step = net_.forecast(sequences, length, false, [&](std::string_view name) {
      return typename detail::linked_step_net<B>::given_type{input(name)};
    });
    c.hold(detail::mul_sat(step.each, length));
    for (std::size_t const bytes : step.kept) c.hold(memory_pool<B>::block_size(detail::mul_sat(bytes, length)));
    c.hold(detail::mul_sat(step.lane, std::min(std::max<std::size_t>(1, steps_.overlapping()), length)));
    c.hold(step.once);
    auto const numbers = keeps_numbers() ? length : static_cast<std::size_t>(most_numbers);
    c.hold(memory_pool<B>::block_size(numbers * sizeof(std::int32_t)));
    known->blobs = std::move(step.blobs);
    known->blobs.push_back({arguments_.timestep, {element_type::int32, {1}}});
    for (std::size_t i = 0; i != arguments_.aliases.size(); ++i) {
      tensor_spec type = known->states[arguments_.aliases[i].state];
      type.dims.set(0, type.dims[0] - arguments_.first_place(arguments_.aliases[i], type.dims[0]));
      c.output(alias_numbers_[i], type.type, type.dims);
    }
    c.output_object(object_number_, std::move(known));
  }
  void run(op_context<B>& c) override {
    if (std::exchange(constants_, c.constants_revision()) != c.constants_revision())
      net_.keep_constants([&](std::string_view name) {
        auto const at = std::ranges::find(inputs_, name);
        return at != inputs_.end() && c.is_constant(static_cast<std::size_t>(at - inputs_.begin()));
      });
    frame_.run(c, [&] {
      std::shared_ptr<step_values<B>> const kept = find_values(c);
      std::vector<tensor<B>> before;
      for (blob<B> const* const input : written_inputs_) before.push_back(input->value.clone());
      try {
        run_steps(c, *kept);
      } catch (...) {
        steps_.release();
        for (std::size_t i = 0; i != before.size(); ++i)
          B::copy(written_inputs_[i]->value.raw(), before[i].raw(), before[i].bytes());
        kept->length = 0;
        kept->keeps_steps = false;
        throw;
      }
      steps_.release();
      hand_out(*kept);
      object_output_->value = tensor<B>();
      object_output_->object = kept;
      object_output_->is_set = true;
    });
  }
  void for_each_net(typename runs_nets<B>::visitor const& visit) const override { steps_.for_each_net(visit); }

 private:
  using seen_state = std::pair<std::size_t, blob<B>*>;
  // Steps that run without a pause if their numbers are in a ring buffer.
  static constexpr std::int64_t most_numbers = 64;

  // Keeps the blobs of a step that a backward net reads; all if that net is unknown, or with keep_steps.
  void compile(op_arguments const& a, nets_of_op<B> const& nets) {
    bool const all = a.flag("keep_steps") || (trains_ && !nets.has("backward_step_net"));
    std::vector<std::string> keep;
    if (trains_ && !all) keep = nets.names_read("backward_step_net");
    for (auto const& link : arguments_.links) keep.push_back(link.internal);
    net_.compile(nets, "step_net", all ? nullptr : &keep);
  }
  // Sequences are numbered: states, then linked inputs, the numbers of steps, and kept values.
  std::size_t timesteps() const { return arguments_.states.size() + linked_inputs_.size(); }
  // Finds inputs of which a step reads its own place only, and which nothing else reads, then or later.
  void find_in_order() {
    in_order_.assign(listed_, false);
    auto const seen = std::as_const(net_).plan().layout().given();
    for (std::size_t k = 0; k != linked_inputs_.size(); ++k) {
      std::size_t const i = linked_numbers_[k];
      bool const alone = !trains_ && std::ranges::none_of(arguments_.states, [&](auto const& state) {
        return &frame_.blobs().local(inputs_[state.initial]) == linked_inputs_[k];
      }) && std::ranges::none_of(seen, [&](std::uint32_t v) {
        return std::as_const(net_).plan().value_name(v) == inputs_[i];
      });
      in_order_[i] = alone && std::ranges::all_of(net_.links(), [&](detail::linked_place const& link) {
                       return link.sequence != arguments_.states.size() + k ||
                              (link.source && !link.target && link.moves && link.offset == 0 && link.window == 1);
                     });
    }
  }
  // Uses a ring buffer for a state if only its last places are used after the run.
  void add_state(std::size_t state) {
    bool keeps_all = trains_;
    for (std::size_t a = 0; a != arguments_.aliases.size(); ++a)
      keeps_all =
          keeps_all || (wanted_[a] && arguments_.aliases[a].state == state && arguments_.aliases[a].offset != -1);
    bool const read_whole = std::ranges::count(seen_states_, state, &seen_state::first) != 0;
    states_.emplace_back(net_.links(), state, read_whole, keeps_all, steps_.in_flight());
  }
  // Returns the number of a link's sequence: a state, or an input, which is added to the linked inputs.
  std::size_t sequence_number(detail::recurrent_link const& link, std::span<std::string const> inputs) {
    if (std::size_t const state = arguments_.find_state(link.external); state != npos) return state;
    auto const input = std::ranges::find(inputs, link.external);
    if (input == inputs.end())
      detail::refuse_recurrence("link_external has '" + link.external + "', which is neither a state nor an input");
    blob<B>* const at = &frame_.blobs().local(link.external);
    auto const found = std::ranges::find(linked_inputs_, at);
    auto const number = static_cast<std::size_t>(found - linked_inputs_.begin());
    if (number == linked_inputs_.size()) {
      linked_inputs_.push_back(at);
      linked_numbers_.push_back(static_cast<std::size_t>(input - inputs.begin()));
    }
    return arguments_.states.size() + number;
  }

  // Returns the object of the last run, or a new one if that is shared.
  std::shared_ptr<step_values<B>> find_values(op_context<B>& c) {
    std::shared_ptr<step_values<B>> kept;
    if (object_input_ != npos) kept = std::dynamic_pointer_cast<step_values<B>>(c.object(object_input_));
    if (kept != nullptr && kept->user != user_) kept = nullptr;
    if (kept == nullptr) {
      if (last_ == nullptr || last_.use_count() != 1) last_ = std::make_shared<step_values<B>>();
      kept = last_;
      kept->user = user_;
    }
    kept->states.resize(arguments_.states.size());
    return kept;
  }

  void run_steps(op_context<B>& c, step_values<B>& kept) {
    shape const& dims = sequence_->value.dims();
    if (sequence_->object != nullptr || dims.rank() < 2)
      c.fail("input 0 is " + to_string(sequence_->spec()) + ", which should be a sequence of steps of rows");
    std::int64_t const steps = dims[0];
    auto const length = static_cast<std::size_t>(steps);
    run_.sequences.clear();
    run_.steps = steps;
    run_.options = &c.options();
    for (std::size_t i = 0; i != arguments_.states.size(); ++i) {
      blob<B> const& initial = *state_inputs_[i];
      if (initial.object != nullptr) c.fail("the initial state of '" + arguments_.states[i].name + "' is no tensor");
      tensor_spec const states = detail::type_of_states(initial.spec(), arguments_.states[i].name, steps, dims[1]);
      states_[i].expect_written(arguments_.states[i].name, states.dims[0] - steps);
      tensor_spec const memory = c.options().reads_values() ? states : states_[i].type_in_memory(states, steps);
      renew(kept.states[i], memory, c, replaced_);
      run_.sequences.push_back({static_cast<std::byte*>(kept.states[i].raw()), states});
      if (memory == states) continue;
      run_.sequences.back().again = static_cast<std::size_t>(states_[i].repeated);
      run_.sequences.back().places = static_cast<std::size_t>(memory.dims[0]) - run_.sequences.back().again;
    }
    row_stream<B>* streamed = nullptr;
    for (std::size_t k = 0; k != linked_inputs_.size(); ++k) {
      tensor<B>& input = linked_inputs_[k]->value;
      run_.sequences.push_back({static_cast<std::byte*>(input.raw()), input.spec()});
      if (row_stream<B>* const made = c.streamed(linked_numbers_[k]); made != nullptr) {
        streamed = made;
        run_.sequences.back().places = made->at_once();
      }
    }
    for (std::size_t i = 0; i != linked_; ++i)
      detail::expect_room(net_.links()[i], arguments_.links[i].external, run_.sequences[net_.links()[i].sequence],
                          steps);
    kept.make_timesteps(keeps_numbers() ? steps : most_numbers);
    if (keeps_numbers()) kept.number_steps(length);
    if (net_.written(arguments_.timestep) != npos) kept.numbered = 0;
    run_.sequences.push_back({static_cast<std::byte*>(kept.timesteps.raw()), kept.timesteps.spec()});
    if (!keeps_numbers()) run_.sequences.back().places = most_numbers;
    for (auto const& [state, at] : seen_states_) *at = {kept.states[state], nullptr, true};
    for (std::size_t i = 0; i != arguments_.states.size(); ++i) {
      blob<B> const& initial = *state_inputs_[i];
      detail::recurrent_sequence const& states = run_.sequences[i];
      detail::copy_initial_state<B>(states, initial.value.raw(), initial.value.dims());
      std::int64_t const given = states.type.dims[0] - steps;
      states_[i].template clear_unwritten<B>(states, given);
      for (std::int64_t place = 0; place != given; ++place) detail::repeat_place<B>(states, place);
    }
    steps_.run(
        run_, [&](std::int64_t done) { return make_ready(kept, streamed, done); }, trains_ ? &kept : nullptr);
    kept.length = length;
    kept.keeps_steps = trains_;
    if (trains_) keep_links(kept);
  }
  // Keeps linked blobs as places of sequences: of states, and, with keep_steps, of copies of inputs.
  void keep_links(step_values<B>& kept) {
    std::size_t const states = arguments_.states.size();
    std::size_t count = 0;
    auto const keep = [&](std::string const& name, std::size_t state, tensor<B> copy, std::int64_t offset,
                          std::int64_t window) {
      if (count == kept.links.size()) kept.links.emplace_back();
      auto& to = kept.links[count++];
      to.name = name;
      to.state = state;
      to.copy = std::move(copy);
      to.offset = offset;
      to.window = window;
    };
    for (std::size_t i = 0; i != linked_; ++i) {
      detail::linked_place const& link = net_.links()[i];
      if (link.sequence < states)
        keep(link.internal, link.sequence, {}, link.offset, link.window);
      else if (keeps_all_)
        keep(link.internal, npos, linked_inputs_[link.sequence - states]->value.clone(), link.offset, link.window);
    }
    keep(arguments_.timestep, npos, kept.timesteps, 0, 1);
    kept.links.resize(count);
  }
  // Returns true if the numbers of all steps are in memory, not only a ring buffer of as many as run without a pause: a
  // backward pass reads them, or the host cannot write them between steps.
  bool keeps_numbers() const { return trains_ || B::on_device; }
  // Prepares streamed input and numbers for steps after the first `done`; returns the end of the steps that may run.
  std::int64_t make_ready(step_values<B>& kept, row_stream<B>* streamed, std::int64_t done) {
    std::int64_t last = run_.steps;
    if (streamed != nullptr) {
      if (done == 0 || done == streamed_until_) {
        auto const first = static_cast<std::size_t>(done);
        auto const end = std::min(first + streamed->at_once(), static_cast<std::size_t>(run_.steps));
        streamed->make(first, end);
        streamed_until_ = static_cast<std::int64_t>(end);
      }
      last = streamed_until_;
    }
    if (keeps_numbers() || net_.given(arguments_.timestep) == npos) return last;
    last = std::min(last, done + most_numbers);
    auto* const numbers = static_cast<std::int32_t*>(kept.timesteps.raw());
    for (std::int64_t t = done; t != last; ++t) numbers[t % most_numbers] = static_cast<std::int32_t>(t);
    return last;
  }

  // Publishes outputs as views of the states. Leaves unwanted outputs unset if they are not in memory.
  void hand_out(step_values<B>& kept) {
    for (std::size_t i = 0; i != arguments_.aliases.size(); ++i) {
      auto const& alias = arguments_.aliases[i];
      detail::recurrent_sequence const& s = run_.sequences[alias.state];
      std::int64_t const places = s.type.dims[0];
      std::int64_t const first = arguments_.first_place(alias, places);
      if (s.is_ring() && !wanted_[i]) continue;
      std::int64_t const at = s.is_ring() ? first % static_cast<std::int64_t>(s.places) : first;
      alias_outputs_[i]->value = kept.states[alias.state].slice(0, at, at + places - first);
      alias_outputs_[i]->object = nullptr;
      alias_outputs_[i]->is_set = true;
    }
  }

  detail::recurrent_arguments arguments_;
  std::size_t listed_;
  std::vector<bool> replaced_;            // by input: previous value of an output's blob
  std::vector<blob<B>*> written_inputs_;  // that steps write
  operand_frame<B> frame_;
  bool trains_;
  bool keeps_all_;
  detail::linked_step_net<B> net_;
  detail::recurrent_steps<B> steps_;
  std::vector<std::pair<std::string, blob<B>*>> names_;  // of the net around
  blob<B>* sequence_ = nullptr;
  std::vector<blob<B>*> state_inputs_;  // by state
  std::vector<blob<B>*> linked_inputs_;
  std::vector<std::size_t> linked_numbers_;   // of these, among the inputs
  std::uint64_t constants_ = 0;               // op_context::constants_revision of the last run
  std::vector<bool> in_order_;                // by input: see find_in_order
  std::vector<seen_state> seen_states_;       // that ops of the step net read as a whole
  std::vector<blob<B>*> alias_outputs_;       // by alias
  std::vector<std::size_t> alias_numbers_;    // of these outputs
  std::vector<bool> wanted_;                  // by alias
  std::vector<detail::state_places> states_;  // by state
  std::vector<std::string> inputs_;           // names
  std::size_t object_number_ = 0;             // of the output
  blob<B>* object_output_ = nullptr;
  std::size_t object_input_ = npos;  // previous value of the last output's blob
  detail::recurrent_run<B> run_;
  std::size_t linked_ = 0;                                       // links of the arguments; others follow
  std::int64_t streamed_until_ = 0;                              // step
  std::shared_ptr<void const> user_ = std::make_shared<char>();  // identifies this op
  std::shared_ptr<step_values<B>> last_;
};

/// RecurrentNetwork.
template <backend B>
void add_recurrent_network_operators(operators<B>& table) {
  table.template add<recurrent_network_kernel>(
      detail::with_recurrent_arguments(
          op_schema("RecurrentNetwork").inputs(1, npos).outputs(2, npos).shares_results().checks_first())
          .describe(
              "runs a net for each step of input 0, T x N x …; outputs are sequences of its states, then workspaces"));
}

}  // namespace plait
