// Type-erased recurrent cell: for containers of cells of several types, or of a type known at run time.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/netdef/detail/blob_handle.hpp>
#include <plait/rnn/detail/cell_step.hpp>
#include <plait/rnn/recurrent_cell.hpp>

namespace plait {

/// Type-erased recurrent cell. Copies share the held cell, which is immutable.
class any_cell {
 public:
  static constexpr bool masks = true;

  // TRAP: same_as must come first, or the concept recurrent_cell<any_cell> would depend on this constructor.
  template <class Cell>
    requires(!std::same_as<Cell, any_cell> && recurrent_cell<Cell>)
  any_cell(Cell cell) : held_(std::make_shared<held<Cell>>(std::move(cell))) {}

  std::vector<cell_state> states() const { return held_->states(); }
  blob_handle prepare(cell_scope& s, blob_handle const& sequence) const { return held_->prepare(s, sequence); }
  std::vector<blob_handle> step(cell_step& s) const { return held_->step(s); }
  std::vector<std::size_t> output_states() const { return held_->output_states(); }
  blob_handle output(cell_scope& s, std::vector<blob_handle> const& states) const { return held_->output(s, states); }
  std::int64_t output_width() const { return held_->output_width(); }

 private:
  struct any_held {
    virtual ~any_held() = default;
    virtual std::vector<cell_state> states() const = 0;
    virtual blob_handle prepare(cell_scope&, blob_handle const&) const = 0;
    virtual std::vector<blob_handle> step(cell_step&) const = 0;
    virtual std::vector<std::size_t> output_states() const = 0;
    virtual blob_handle output(cell_scope&, std::vector<blob_handle> const&) const = 0;
    virtual std::int64_t output_width() const = 0;
  };
  template <class Cell>
  struct held final : any_held {
    using traits = cell_traits<Cell>;
    explicit held(Cell c) : cell(std::move(c)) {}
    std::vector<cell_state> states() const override { return traits::states(cell); }
    blob_handle prepare(cell_scope& s, blob_handle const& x) const override { return traits::prepare(cell, s, x); }
    std::vector<blob_handle> step(cell_step& s) const override { return traits::step(cell, s); }
    std::vector<std::size_t> output_states() const override { return traits::output_states(cell); }
    blob_handle output(cell_scope& s, std::vector<blob_handle> const& states) const override {
      return traits::output(cell, s, states);
    }
    std::int64_t output_width() const override { return traits::output_width(cell); }
    Cell cell;
  };

  std::shared_ptr<any_held const> held_;
};

}  // namespace plait
