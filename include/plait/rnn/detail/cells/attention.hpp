// Attention cell: a decoder cell that attends to the outputs of an encoder in every step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/rnn/detail/any_cell.hpp>
#include <plait/rnn/detail/attention.hpp>
#include <plait/rnn/detail/cell_step.hpp>
#include <plait/rnn/recurrent_cell.hpp>

namespace plait {

/// Decoder with attention: the decoder steps with the previous context as an extra input, its output is the query for
/// the new context, and the cell's output is the concatenation of both.
///
/// States and parameters of the decoder are in the scope decoder, except that its (first) output state is called
/// hidden_t_external. Additional states: attention_weighted_encoder_context_t and, with soft coverage, coverage_t,
/// whose width is the encoder's sequence length. Parameters: those of attend. A decoder that ignores extra inputs does
/// not see the context. Follows Caffe2's AttentionCell, except that context and coverage are masked like all states
/// after the end of a decoder's sequence.
struct attention_cell {
  any_cell decoder;
  attention_memory memory;

  static constexpr bool masks = true;

  std::vector<cell_state> states() const {
    std::vector<cell_state> made = decoder.states();
    for (cell_state& state : made) state.name = "decoder/" + state.name;
    made.at(queried()).name = "hidden_t_external";
    made.push_back({"attention_weighted_encoder_context_t", memory.width});
    if (covers()) made.push_back({"coverage_t", cell_state::open_width, memory.initial_coverage});
    return made;
  }
  blob_handle prepare(cell_scope& s, blob_handle const& x) const {
    cell_scope inside = s.within("decoder");
    return decoder.prepare(inside, x);
  }
  std::vector<blob_handle> step(cell_step& s) const {
    std::size_t const own = decoder.states().size();
    attention_state const before{s.states.at(own), covers() ? s.states.at(own + 1) : blob_handle()};
    std::vector<blob_handle> made;
    blob_handle query;
    {
      std::vector<extra_input> more = s.extra;
      more.push_back({before.context, memory.width});
      cell_step inside = s.within("decoder", s.input, of_decoder(s.states), std::move(more));
      made = decoder.step(inside);
      query = decoder.output(inside, made);
    }
    attended const seen = attend(s, memory, query, decoder.output_width(), before);
    made.at(queried()) = s.net.copy(made.at(queried()), "hidden_t_external");
    made.push_back(s.masked(seen.context, before.context, seen.context));
    if (covers()) made.push_back(s.masked(seen.coverage, before.coverage, seen.coverage));
    return made;
  }

  std::vector<std::size_t> output_states() const {
    std::vector<std::size_t> made = decoder.output_states();
    made.push_back(decoder.states().size());
    return made;
  }
  std::int64_t output_width() const { return decoder.output_width() + memory.width; }
  blob_handle output(cell_scope& s, std::vector<blob_handle> const& states) const {
    blob_handle whole;
    {
      cell_scope inside = s.within("decoder");
      whole = decoder.output(inside, of_decoder(states));
    }
    return s.net.concat({whole, states.at(decoder.states().size())}, 2, "states_and_context_combination");
  }

 private:
  bool covers() const { return memory.kind == attention_kind::soft_coverage; }
  std::size_t queried() const { return decoder.output_states().at(0); }
  std::vector<blob_handle> of_decoder(std::vector<blob_handle> const& states) const {
    return {states.begin(), states.begin() + static_cast<std::ptrdiff_t>(decoder.states().size())};
  }
};

PLAIT_CHECK_RECURRENT_CELL(attention_cell);

}  // namespace plait
