// RecurrentNetworkGradient: backpropagation through time (BPTT), with the values that RecurrentNetwork has kept.
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
#include <plait/exec/detail/operators/recurrent_network_output_gradients.hpp>
#include <plait/exec/detail/operators/recurrent_network_states.hpp>
#include <plait/exec/detail/operators/recurrent_network_steps.hpp>
#include <plait/exec/detail/saturating.hpp>
#include <plait/exec/detail/step_values.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/operators.hpp>

namespace plait {

/// Inputs are the gradients of outputs_with_grads, then the inputs and the outputs of RecurrentNetwork; outputs are the
/// gradients of the sequences, of the parameters and of the initial states. A blob of the backward step net that is
/// linked to several places goes to all of them; so do gradients that the net only passes on.
template <backend B>
class recurrent_network_gradient_kernel : public op_kernel<B>, public runs_nets<B> {
 public:
  recurrent_network_gradient_kernel(op_arguments const& a, nets_of_op<B> const& nets)
      : arguments_(a), listed_(a.input_count()), frame_(nets) {
    auto const& with_gradients = a.integers("outputs_with_grads");
    auto const& parameters = a.integers("param");
    std::size_t const given = with_gradients.size();
    std::size_t const made = arguments_.aliases.size() + 1;
    if (given + 1 + made > listed_)
      detail::refuse_recurrence(std::to_string(listed_) + " inputs are no " + std::to_string(given) +
                                " gradients, inputs and " + std::to_string(made) + " outputs of a RecurrentNetwork");
    auto const all_inputs = nets.input_names();
    all_inputs_.assign(all_inputs.begin(), all_inputs.end());
    auto const inputs = all_inputs.subspan(given, listed_ - given - made);
    auto const outputs = all_inputs.subspan(listed_ - made, made);
    std::size_t const wanted = arguments_.sequences.size() + parameters.size() + arguments_.states.size();
    if (a.output_count() != wanted)
      detail::refuse_recurrence(std::to_string(a.output_count()) + " outputs where there should be " +
                                std::to_string(wanted) + ": of the sequences, the parameters and the initial states");
    auto const operand = [&](std::int64_t id, std::string_view what) -> std::string const& {
      if (id < 0 || static_cast<std::size_t>(id) >= inputs.size())
        detail::refuse_recurrence("argument '" + std::string(what) + "' has " + std::to_string(id) +
                                  ", but there are " + std::to_string(inputs.size()) + " inputs");
      return inputs[static_cast<std::size_t>(id)];
    };
    for (std::size_t i = 0; i != all_inputs.size(); ++i) {
      replaced_inputs_.push_back(i >= listed_ &&
                                 std::ranges::find(nets.output_names(), all_inputs[i]) != nets.output_names().end());
      if (!replaced_inputs_[i]) names_.emplace_back(all_inputs[i], at(all_inputs[i]));
    }
    for (std::string const& name : nets.output_names().first(wanted)) outputs_.push_back(at(name));
    counted_ = at(inputs[0]);
    for (std::size_t const id : arguments_.sequences)
      inputs_.push_back(at(operand(static_cast<std::int64_t>(id), "sequences")));
    object_ = at(outputs.back());
    for (auto const& state : arguments_.states)
      initial_.push_back(at(operand(static_cast<std::int64_t>(state.initial), "initial_recurrent_state_ids")));
    for (std::int64_t const id : parameters) parameters_.push_back(at(operand(id, "param")));
    for (std::size_t i = 0; i != given; ++i) {
      if (with_gradients[i] < 0 || static_cast<std::size_t>(with_gradients[i]) >= made - 1)
        detail::refuse_recurrence("outputs_with_grads has " + std::to_string(with_gradients[i]) + " of " +
                                  std::to_string(made - 1) + " outputs");
      std::string const& output = outputs[static_cast<std::size_t>(with_gradients[i])];
      auto const alias = std::ranges::find(arguments_.aliases, output, &detail::recurrent_alias::output);
      if (alias == arguments_.aliases.end())
        detail::refuse_recurrence("'" + output + "' has a gradient, but is not in alias_dst");
      given_.add(at(all_inputs[i]), all_inputs[i], alias->state, alias->offset);
    }
    for (auto const& link : arguments_.links) {
      std::size_t const state = arguments_.find_state(link.external);
      if (state == npos && std::ranges::find(inputs, link.external) == inputs.end())
        detail::refuse_recurrence("link_external has '" + link.external + "', which is neither a state nor an input");
    }
    compile(a, nets, inputs);
  }
  void infer(shape_context& c) override {
    auto const known = std::dynamic_pointer_cast<step_forecast>(c.object(listed_ - 1));
    if (known == nullptr) return;
    auto const type_of = [&](blob<B> const* operand) -> tensor_spec const& {
      std::size_t i = 0;
      while (at(all_inputs_[i]) != operand) ++i;
      return c.input(i);
    };
    std::vector<tensor_spec> types = known->states;
    for (blob<B> const* const input : inputs_) types.push_back(type_of(input));
    for (blob<B> const* const parameter : parameters_) types.push_back(type_of(parameter));
    for (tensor_spec const& type : types) c.hold(memory_pool<B>::block_size(type.bytes()));
    std::size_t output = 0;
    for (std::size_t g = first_sequence(); g != types.size(); ++g) c.output(output++, types[g].type, types[g].dims);
    for (blob<B> const* const initial : initial_) {
      tensor_spec const& type = type_of(initial);
      c.output(output++, type.type, type.dims);
      if (type.dims.rank() == 1) c.hold(memory_pool<B>::block_size(type.bytes()));
    }
    std::vector<tensor_spec> sequences = types;
    for (std::size_t g = first_parameter(); g != sequences.size(); ++g)
      sequences[g].dims = {1, sequences[g].dims.size()};
    auto const steps = static_cast<std::size_t>(type_of(counted_).dims[0]);
    auto const step = net_.forecast(sequences, steps, true, [&](std::string_view name) {
      using given_type = typename detail::linked_step_net<B>::given_type;
      for (step_forecast::blob const& b : known->blobs)
        if (b.name == name) return given_type{b.type, nullptr, b.elements};
      return given_type{type_of(at(name))};
    });
    c.hold(detail::add_sat(step.lane, step.once));
  }
  void run(op_context<B>& c) override {
    frame_.run(c, [&] {
      auto const kept = std::dynamic_pointer_cast<step_values<B>>(object_->object);
      if (kept == nullptr)
        c.fail("the last input is " + to_string(object_->spec()) + ", which should be a list of step workspaces");
      try {
        begin_run(c, *kept);
        go_back(c, *kept);
      } catch (...) {
        release();
        throw;
      }
      release();
      hand_out(c);
    });
  }
  void for_each_net(typename runs_nets<B>::visitor const& visit) const override { steps_.for_each_net(visit); }

 private:
  // Blob of the forward step that the backward step reads. Its sequence follows those of gradients.
  struct forward_value {
    std::string name;
    blob<B>* input = nullptr;  // of which it is places
    std::size_t state = npos;  // of which it is places
    std::int64_t offset = 0;   // of these places
  };

  blob<B>* at(std::string_view name) { return &frame_.blobs().local(name); }
  // Gradients are numbered: those of states, then of sequences, then of parameters.
  std::size_t first_sequence() const { return arguments_.states.size(); }
  std::size_t first_parameter() const { return first_sequence() + arguments_.sequences.size(); }

  void compile(op_arguments const& a, nets_of_op<B> const& nets, std::span<std::string const> inputs) {
    std::vector<detail::recurrent_link> links = detail::read_recurrent_links(a, "backward_link");
    auto const& parameters = a.integers("param");
    std::vector<std::string> sums = detail::renamed_texts(a, "param_grads");
    if (sums.empty())
      for (std::int64_t const id : parameters) sums.push_back(inputs[static_cast<std::size_t>(id)] + "_grad");
    detail::expect_same_length("param_grads", sums.size(), "param", parameters.size());
    for (auto const& link : links) made_.push_back(link.internal);
    made_.insert(made_.end(), sums.begin(), sums.end());
    if (nets.has("backward_step_net")) net_.compile(nets, "backward_step_net", &made_);
    auto const number = [&](detail::recurrent_link const& link) {
      for (std::size_t i = 0; i != arguments_.states.size(); ++i)
        if (link.external == arguments_.states[i].gradient) return i;
      for (std::size_t k = 0; k != arguments_.sequences.size(); ++k)
        if (detail::names_gradient(a, link.external, inputs[arguments_.sequences[k]], nets.output_names()[k]))
          return first_sequence() + k;
      detail::refuse_recurrence("backward_link_external has '" + link.external +
                                "', which is the gradient of neither a state nor a sequence");
    };
    for (auto const& op : net_.link_ops()) see(op.link.external, number(op.link));
    for (auto const& link : links) see(link.external, number(link));
    std::size_t const by_ops = net_.take_link_ops(links);
    net_.connect(links, by_ops, true, number);
    for (auto const& made : net_.links())
      for (auto const& read : net_.links())
        if (detail::is_read_as_filled(made, read))
          detail::refuse_recurrence("the gradient '" + made.internal + "' reaches through a window the place of '" +
                                    read.internal + "' in the same step, which has no gradient");
    // Steps overwrite the places of a sequence if a single link, of window 1, targets it; else they add to them.
    for (std::size_t s = 0; s != first_parameter(); ++s) {
      detail::linked_place* only = nullptr;
      std::size_t count = 0;
      for (auto& link : net_.links())
        if (link.target && link.sequence == s) {
          only = &link;
          ++count;
        }
      bool const replaces = count == 1 && only->window == 1;
      replaced_.push_back(replaces ? only->offset : -1);
      for (auto& link : net_.links())
        if (link.sequence == s) link.added = !replaces;
    }
    for (auto const& link : links) externals_.push_back(link.external);
    for (std::size_t p = 0; p != sums.size(); ++p) {
      std::uint32_t const value = net_.written(sums[p]);
      bool const linked = std::ranges::find(links, sums[p], &detail::recurrent_link::internal) != links.end();
      if (value == npos && !linked)
        detail::refuse_recurrence("param_grads has '" + sums[p] + "', which the backward step net does not make");
      net_.links().push_back({.internal = sums[p],
                              .sequence = first_parameter() + p,
                              .target = true,
                              .added = true,
                              .value = value,
                              .moves = false});
      externals_.push_back(sums[p]);
    }
    own_links_ = net_.links().size();
    find_forward_values(nets);
    auto around = seen_;
    around.insert(around.end(), names_.begin(), names_.end());
    // Gradients of outputs are added to the gradients of states that steps compute.
    net_.finish(around, detail::blobs_of<B>(seen_),
                [&](std::size_t s) { return s >= first_sequence() && s < first_parameter(); });
    if (!seen_.empty()) net_.forbid_fusion();
    steps_.connect(net_, detail::executor_limits(a), true, seen_.empty());
  }

  // Links blobs of the forward step: those of its links, at the last place in time, which the step has written; the
  // number of the step; and values that it has kept.
  void find_forward_values(nets_of_op<B> const& nets) {
    auto const add = [&](forward_value value, std::int64_t window) {
      auto const is_linked = [&](detail::linked_place const& link) { return link.internal == value.name; };
      if (net_.given(value.name) == npos || std::ranges::any_of(net_.links(), is_linked)) return;
      net_.links().push_back({.internal = value.name,
                              .sequence = first_parameter() + parameters_.size() + forward_.size(),
                              .window = window,
                              .source = true,
                              .lasting = true});
      forward_.push_back(std::move(value));
    };
    for (auto const& link : arguments_.links) {
      bool const last = std::ranges::none_of(arguments_.links, [&](detail::recurrent_link const& other) {
        return other.internal == link.internal && std::pair(other.offset, &other) > std::pair(link.offset, &link);
      });
      std::size_t const state = arguments_.find_state(link.external);
      if (last) add({link.internal, state == npos ? at(link.external) : nullptr, state, link.offset}, link.window);
    }
    add({arguments_.timestep}, 1);
    for (std::string const& name : nets.names_made("step_net")) add({name}, 1);
  }

  // Lets ops of the backward step net read the gradients of a sequence as a whole.
  void see(std::string const& name, std::size_t sequence) {
    if (!net_.reads(name)) return;
    seen_.emplace_back(name, &whole_.local(name));
    seen_sequences_.push_back(sequence);
  }
  void release() {
    steps_.release();
    for (auto const& [name, at] : seen_) at->clear();
  }

  // Checks inputs, and allocates gradients, zeroed where steps add to them.
  void begin_run(op_context<B>& c, step_values<B>& kept) {
    shape const& dims = counted_->value.dims();
    if (counted_->object != nullptr || dims.rank() < 2)
      c.fail("the sequence is " + to_string(counted_->spec()) + ", which should be one of steps of rows");
    length_ = dims[0];
    if (!kept.keeps_steps || kept.length != static_cast<std::size_t>(length_) ||
        kept.states.size() != arguments_.states.size())
      c.fail("the forward run has kept " + std::to_string(kept.keeps_steps ? kept.length : 0) + " steps of " +
             std::to_string(length_));
    gradients_.resize(first_parameter() + parameters_.size());
    run_.sequences.clear();
    for (std::size_t s = 0; s != gradients_.size(); ++s) {
      tensor_spec type = s < first_sequence()    ? kept.states[s].spec()
                         : s < first_parameter() ? inputs_[s - first_sequence()]->spec()
                                                 : parameters_[s - first_parameter()]->spec();
      renew(gradients_[s], type, c, replaced_inputs_);
      if (s >= first_parameter()) type.dims = {1, type.dims.size()};
      run_.sequences.emplace_back(static_cast<std::byte*>(gradients_[s].raw()), type);
    }
    show_forward_values(kept);
    for (std::size_t i = 0; i != own_links_; ++i)
      if (net_.links()[i].moves)
        detail::expect_room(net_.links()[i], externals_[i], run_.sequences[net_.links()[i].sequence], length_);
    given_.expect_types(c, run_.sequences);
    for (std::size_t s = 0; s != gradients_.size(); ++s) {
      bool const parameter = s >= first_parameter();
      std::int64_t const places = parameter ? 1 : run_.sequences[s].type.dims[0];
      std::int64_t const replaced = parameter ? -1 : replaced_[s];
      if (replaced < 0) {
        given_.initialize(run_.sequences, s, 0, places);
      } else {
        given_.initialize(run_.sequences, s, 0, std::min(replaced, places));
        given_.initialize(run_.sequences, s, std::min(replaced + length_, places), places);
      }
    }
  }

  void show_forward_values(step_values<B>& kept) {
    run_.each.clear();
    unset_.resize(static_cast<std::size_t>(length_));
    for (std::size_t k = 0; k != forward_.size(); ++k) {
      forward_value const& f = forward_[k];
      auto* const value = kept.find(f.name);
      auto const show = [&](tensor<B>& whole, std::int64_t offset) {
        detail::recurrent_sequence& s = run_.sequences.emplace_back(static_cast<std::byte*>(whole.raw()), whole.spec());
        s.data = s.at(offset);
      };
      if (value != nullptr && value->each.empty()) {
        run_.sequences.push_back(
            detail::recurrent_sequence::of_values(static_cast<std::byte*>(value->array.raw()), value->type));
      } else if (value == nullptr && (f.input != nullptr || f.state != npos)) {
        show(f.input != nullptr ? f.input->value : kept.states[f.state], f.offset);
      } else if (value == nullptr && f.name == arguments_.timestep) {
        show(kept.timesteps, 0);
      } else {
        run_.sequences.emplace_back(nullptr, tensor_spec());
        run_.each.emplace_back(own_links_ + k, value == nullptr ? &unset_ : &value->each);
      }
    }
  }

  void go_back(op_context<B>& c, step_values<B>& kept) {
    for (std::size_t i = 0; i != seen_.size(); ++i) *seen_[i].second = {gradients_[seen_sequences_[i]], nullptr, true};
    if (net_.written(arguments_.timestep) != npos) kept.numbered = 0;
    run_.steps = length_;
    run_.backward = true;
    run_.options = &c.options();
    run_.addends.clear();
    for (std::size_t i = 0; i != own_links_; ++i) {
      std::size_t const state = net_.links()[i].sequence;
      if (net_.links()[i].target && state < first_sequence() && replaced_[state] >= 0)
        given_.collect(run_.sequences, state, i, run_.addends);
    }
    steps_.run(
        run_, [&](std::int64_t) { return length_; }, nullptr);
  }

  void hand_out(op_context<B> const& c) {
    auto const give = [](blob<B>& to, tensor<B> value) {
      to.value = std::move(value);
      to.object = nullptr;
      to.is_set = true;
    };
    std::size_t const before = arguments_.sequences.size() + parameters_.size();
    summed_.resize(arguments_.states.size());
    for (std::size_t o = 0; o != before; ++o) give(*outputs_[o], gradients_[first_sequence() + o]);
    for (std::size_t i = 0; i != arguments_.states.size(); ++i) {
      shape const& dims = initial_[i]->value.dims();
      tensor<B> const& all = gradients_[i];
      tensor<B> made;
      if (dims.rank() == 1) {
        renew(summed_[i], {all.type(), dims}, c, replaced_inputs_);
        made = summed_[i];
        bool const real = visit_type<float, double>(all.type(), [&]<class T>(T) {
          detail::sum_rows<B>(made.template data<T>(), all.template data<T>(), static_cast<std::size_t>(all.dims()[1]),
                              static_cast<std::size_t>(dims[0]));
        });
        if (!real) fill<B>(static_cast<std::uint8_t*>(made.raw()), made.bytes(), std::uint8_t{0});
      } else {
        made = all.slice(0, 0, dims.rank() == 3 ? dims[0] : 1).reshape(dims);
      }
      give(*outputs_[before + i], std::move(made));
    }
  }

  detail::recurrent_arguments arguments_;
  std::size_t listed_;
  operand_frame<B> frame_;
  detail::linked_step_net<B> net_;
  detail::recurrent_steps<B> steps_;
  std::vector<std::string> all_inputs_;  // names
  std::vector<std::string> externals_;   // by link of steps_; those of parameters come last
  workspace<B> whole_;
  std::vector<std::pair<std::string, blob<B>*>> seen_;   // sequences of gradients that ops read as a whole, in whole_
  std::vector<std::size_t> seen_sequences_;              // their numbers
  std::vector<std::string> made_;                        // blobs wanted of the backward step net
  std::vector<std::pair<std::string, blob<B>*>> names_;  // of the net around
  blob<B>* counted_ = nullptr;                           // input whose places are the steps
  std::vector<blob<B>*> inputs_;                         // by sequence that has a gradient
  blob<B>* object_ = nullptr;
  std::vector<blob<B>*> initial_;  // by state
  std::vector<blob<B>*> parameters_;
  std::vector<blob<B>*> outputs_;
  detail::output_gradients<B> given_;
  std::vector<bool> replaced_inputs_;  // by input: previous value of an output's blob
  std::vector<forward_value> forward_;
  std::vector<blob<B>> unset_;          // by step: stand for values that the forward run has not kept
  std::vector<std::int64_t> replaced_;  // by sequence: the offset of the link that fills it; -1 if steps add to it
  std::vector<tensor<B>> gradients_;    // of states, sequences, parameters
  std::vector<tensor<B>> summed_;       // of initial states that are repeated over the batch
  detail::recurrent_run<B> run_;
  std::size_t own_links_ = 0;  // of gradients; those of forward values follow
  std::int64_t length_ = 0;
};

/// RecurrentNetworkGradient.
template <backend B>
void add_recurrent_network_gradient_operators(operators<B>& table) {
  table.template add<recurrent_network_gradient_kernel>(
      detail::with_recurrent_arguments(
          op_schema("RecurrentNetworkGradient").inputs(2, npos).outputs(1, npos).checks_first())
          .describe("gradients of the sequences, the parameters and the initial states of a RecurrentNetwork"));
}

}  // namespace plait
