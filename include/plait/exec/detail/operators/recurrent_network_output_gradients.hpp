// Gradients of the outputs of a RecurrentNetwork, which its gradient adds to those of its states.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plait/exec/backend.hpp>
#include <plait/exec/detail/blob.hpp>
#include <plait/exec/detail/kernels/fill.hpp>
#include <plait/exec/detail/moving_storage.hpp>
#include <plait/exec/detail/operators/recurrent_network_lane.hpp>
#include <plait/exec/detail/operators/recurrent_network_links.hpp>
#include <plait/exec/op_kernel.hpp>

namespace plait::detail {

template <backend B>
class output_gradients {
 public:
  using sequences = std::span<recurrent_sequence const>;

  /// Adds the gradient of an output: the places of a state from `offset` on, counted from the end if negative.
  void add(blob<B>* from, std::string name, std::size_t state, std::int64_t offset) {
    gradients_.push_back({from, std::move(name), state, offset});
  }
  /// Throws shape_error for a gradient of another type than its places. `of` are the gradients of states.
  void expect_types(op_context<B> const& c, sequences of) const {
    for (gradient const& g : gradients_) {
      tensor_spec wanted = of[g.state].type;
      wanted.dims.set(0, wanted.dims[0] - first_place(g, of));
      if (g.from->object != nullptr || g.from->spec() != wanted)
        c.fail("gradient '" + g.name + "' is " + to_string(g.from->spec()) + ", which should be " + to_string(wanted));
    }
  }
  /// Sets places of sequence `s`, `last` excluded, that no step replaces: to zeros and, for a state, the gradients of
  /// outputs.
  void initialize(sequences of, std::size_t s, std::int64_t first, std::int64_t last) const {
    recurrent_sequence const& to = of[s];
    if (first >= last) return;
    fill<B>(reinterpret_cast<std::uint8_t*>(to.at(first)), static_cast<std::size_t>(last - first) * to.step_bytes(),
            std::uint8_t{0});
    for (gradient const& g : gradients_) {
      if (g.state != s) continue;
      std::int64_t const begins = first_place(g, of);
      std::int64_t const place = std::max(first, begins);
      if (place >= last) continue;
      auto const* const elements = static_cast<std::byte const*>(g.from->value.raw());
      add_elements<B>(to.at(place), elements + static_cast<std::size_t>(place - begins) * to.step_bytes(), to.type.type,
                      static_cast<std::size_t>(last - place) * to.step_elements());
    }
  }
  /// Appends what is added to the places of a state that link `link` replaces.
  void collect(sequences of, std::size_t state, std::size_t link, std::vector<moving_addend>& to) const {
    recurrent_sequence const& s = of[state];
    for (gradient const& g : gradients_)
      if (g.state == state)
        to.push_back({link, s.type.type, s.step_elements(), static_cast<std::byte const*>(g.from->value.raw()),
                      first_place(g, of)});
  }

 private:
  struct gradient {
    blob<B>* from;
    std::string name;
    std::size_t state;
    std::int64_t offset;
  };
  static std::int64_t first_place(gradient const& g, sequences of) {
    return g.offset >= 0 ? g.offset : of[g.state].type.dims[0] + g.offset;
  }

  std::vector<gradient> gradients_;
};

}  // namespace plait::detail
