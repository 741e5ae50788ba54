// Element-wise group on a device: one kernel computes all ops of the group (kernels/element_program.hpp).
//
// Members are element-wise ops, and ops that split or concatenate rows. What only they read is not written to memory.
// An op between them that is independent of those before runs first, so that parts of a step's input and of the product
// that follows are read by one kernel.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/fusion/fused_group.hpp>
#include <plait/exec/detail/kernels/element_program.hpp>

namespace plait {

/// Ops that one kernel computes, and those that run before it. All reads come first: an output may stand where the same
/// elements were read.
template <backend B>
class device_group final : public fused_group<B> {
 public:
  explicit device_group(op_index op) : fused_group<B>(op) {}

  /// Adds the next op; returns false if the group ends before it. O(operands of the group).
  bool take(fusion_candidate<B> const& c);
  /// After the last op, which may be taken out again: returns true if the kernel computes two ops and more. See
  /// element_group::finish.
  template <class LastUse>
  bool finish(LastUse const& last_use);

  group_kind kind() const noexcept override { return group_kind::elements; }
  std::size_t size() const noexcept override { return members_.size(); }
  void run(op_index& op) override {
    for (std::size_t r = 0; r != reads_.size(); ++r) program_.reads[r] = place_of(reads_[r]);
    for (std::size_t w = 0; w != writes_.size(); ++w) program_.writes[w] = place_of(writes_[w]);
    run_again(op);
  }
  void run_again(op_index& op) override;

 private:
  enum class role : unsigned char { function, split, concatenated, before };
  struct member {
    op_kernel<B>* kernel;
    op_context<B>* context;
    role is = role::before;
    bool begins = false;  // outputs but the first are to be computed
  };
  // Operand of the program. Segments of rows begin at an offset, and are `pitch` elements apart;
  // whole operands have a pitch of 0.
  struct operand {
    slot const* of;
    operand_moves moves = operand_moves::with_elements;
    std::size_t offset = 0;
    std::size_t pitch = 0;
    std::size_t value = 0;
  };
  // Input or result of the program.
  struct value {
    std::size_t call = npos;       // that computes it
    std::size_t last_call = npos;  // that needs it
    std::uint8_t cell = 0;
  };
  // Output of a member.
  struct result {
    slot const* is;
    std::size_t value;  // npos: in no cell, but in memory afterwards
  };
  struct call {
    device_function does;
    std::size_t inputs;
    std::array<std::size_t, device_function::most_inputs> from;
    std::size_t to;
  };

  bool take_function(member& next, fusion_candidate<B> const& c);
  bool take_segments(member& next, fusion_candidate<B> const& c);
  bool may_run_before(op_context<B> const& c) const;
  bool may_write(slot const& s, bool by_elements) const;
  result const* find(slot const* s) const {
    auto const at = std::ranges::find(made_, s, &result::is);
    return at == made_.end() ? nullptr : &*at;
  }
  bool agrees(std::size_t elements, std::size_t row, std::uint8_t in_cell) const;
  bool has_room(std::size_t more_reads, std::size_t more_calls, std::size_t more_writes) const;
  void set(std::size_t elements, std::size_t row, std::uint8_t in_cell);
  std::size_t read(operand o);
  std::size_t value_of(slot const* s, operand_moves moves);
  std::size_t joined_ops() const {
    return members_.size() - static_cast<std::size_t>(std::ranges::count(members_, role::before, &member::is));
  }
  void wire();
  element_program::place place_of(operand const& o) const;

  std::size_t count_ = 0;  // elements
  std::size_t width_ = 0;  // of rows; 0: nothing depends on it
  std::uint8_t lanes_ = 0;
  std::vector<member> members_;
  std::vector<operand> reads_;
  std::vector<operand> writes_;
  std::vector<call> calls_;
  std::vector<value> values_;
  std::vector<result> made_;
  std::size_t most_writes_ = 0;  // if all results are needed afterwards
  device_function::starter start_ = nullptr;
  element_program program_ = {};
};

template <backend B>
bool device_group<B>::take(fusion_candidate<B> const& c) {
  if (c.kernel == nullptr) return false;
  member next{c.kernel, c.context};
  if (!take_function(next, c) && !take_segments(next, c)) {
    if (members_.empty() || !may_run_before(*c.context)) return false;
  }
  members_.push_back(next);
  return true;
}

// Returns true if an op reads nothing that the members before write, and writes nothing that they access.
template <backend B>
bool device_group<B>::may_run_before(op_context<B> const& c) const {
  auto const is_made = [this](slot const* s) {
    return std::ranges::any_of(made_, [s](result const& r) { return r.is->storage == s->storage; });
  };
  auto const is_read = [this](slot const* s) {
    return std::ranges::any_of(reads_, [s](operand const& r) { return r.of->storage == s->storage; });
  };
  return std::ranges::none_of(c.inputs(), is_made) &&
         std::ranges::none_of(c.outputs(), [&](slot const* s) { return is_made(s) || is_read(s); });
}

// Returns true if no read is of the storage of an output, but of the same elements.
template <backend B>
bool device_group<B>::may_write(slot const& s, bool by_elements) const {
  return std::ranges::none_of(reads_, [&](operand const& r) {
    return r.of->storage == s.storage && !(by_elements && r.moves == operand_moves::with_elements && r.pitch == 0 &&
                                           r.of->type.bytes() == s.type.bytes());
  });
}

template <backend B>
bool device_group<B>::take_function(member& next, fusion_candidate<B> const& of) {
  op_context<B> const& c = *next.context;
  auto const* const pattern = of.find(pattern_kind::elements);
  std::size_t const inputs = c.input_count();
  if (pattern == nullptr || c.output_count() != 1 || inputs == 0 || inputs > device_function::most_inputs) return false;
  device_function const& f = pattern->does;
  std::size_t const elements = c.output_size(0);
  if ((start_ != nullptr && f.start != start_) || !agrees(elements, f.width, f.lanes)) return false;
  if (!has_room(inputs, 1, 1)) return false;
  for (std::size_t i = 0; i != inputs; ++i) {
    bool const moves = f.moves[i] == operand_moves::with_elements;
    result const* const known = find(c.inputs()[i]);
    if (known != nullptr && (known->value == npos || !moves)) return false;
    if (moves && c.size(i) != elements) return false;
    if (!moves && c.inputs()[i]->storage == c.outputs()[0]->storage) return false;
  }
  if (!may_write(*c.outputs()[0], true)) return false;
  set(elements, f.width, f.lanes);
  start_ = f.start;
  call does{f, inputs, {}, 0};
  for (std::size_t i = 0; i != inputs; ++i) {
    does.from[i] = value_of(c.inputs()[i], f.moves[i]);
    values_[does.from[i]].last_call = calls_.size();
  }
  does.to = values_.size();
  values_.push_back({calls_.size(), calls_.size()});
  made_.push_back({c.outputs()[0], does.to});
  calls_.push_back(does);
  ++most_writes_;
  next.is = role::function;
  return true;
}

// Segments of a split are read where they are needed; those of a concatenation are written by the op that computes
// them.
template <backend B>
bool device_group<B>::take_segments(member& next, fusion_candidate<B> const& of) {
  op_context<B> const& c = *next.context;
  auto const* by = of.find(pattern_kind::split);
  bool const cut = by != nullptr;
  if (!cut) by = of.find(pattern_kind::concatenated);
  if (by == nullptr) return false;
  std::size_t const parts = cut ? c.output_count() : c.input_count();
  std::size_t const elements = cut ? c.output_size(0) : c.size(0);
  if (!agrees(elements, by->width, detail::cell_lanes(size_of(c.type(0)))) || !has_room(parts, 0, parts)) return false;
  if (by->width > std::numeric_limits<std::int32_t>::max() / parts) return false;
  for (slot const* s : c.inputs())
    if (result const* const known = find(s); known != nullptr && (cut || known->value == npos)) return false;
  auto const may_be_written = [&](slot const* s) {
    return may_write(*s, cut) &&
           std::ranges::none_of(c.inputs(), [s](slot const* in) { return in->storage == s->storage; });
  };
  if (!std::ranges::all_of(c.outputs(), may_be_written)) return false;
  set(elements, by->width, detail::cell_lanes(size_of(c.type(0))));
  most_writes_ += parts;
  for (std::size_t k = 0; k != parts; ++k) {
    operand part{nullptr, operand_moves::with_elements, k * by->width, parts * by->width};
    if (cut) {
      part.of = c.inputs()[0];
      made_.push_back({c.outputs()[k], read(part)});
    } else {
      part.of = c.outputs()[0];
      part.value = value_of(c.inputs()[k], operand_moves::with_elements);
      writes_.push_back(part);
    }
  }
  if (!cut)
    for (slot const* s : c.outputs()) made_.push_back({s, npos});
  next.is = cut ? role::split : role::concatenated;
  return true;
}

template <backend B>
bool device_group<B>::agrees(std::size_t elements, std::size_t row, std::uint8_t in_cell) const {
  return elements != 0 && elements <= std::numeric_limits<std::int32_t>::max() && (count_ == 0 || elements == count_) &&
         (row == 0 || width_ == 0 || row == width_) && (lanes_ == 0 || in_cell == lanes_);
}

template <backend B>
bool device_group<B>::has_room(std::size_t more_reads, std::size_t more_calls, std::size_t more_writes) const {
  return reads_.size() + more_reads <= element_program::most_reads &&
         calls_.size() + more_calls <= element_program::most_calls &&
         most_writes_ + more_writes <= element_program::most_writes &&
         values_.size() + more_reads + more_calls <= element_program::most_cells;
}

template <backend B>
void device_group<B>::set(std::size_t elements, std::size_t row, std::uint8_t in_cell) {
  count_ = elements;
  if (row != 0) width_ = row;
  lanes_ = in_cell;
}

// The value of an operand in memory.
template <backend B>
std::size_t device_group<B>::read(operand o) {
  auto const known = std::ranges::find_if(reads_, [&](operand const& r) {
    return r.of == o.of && r.moves == o.moves && r.offset == o.offset && r.pitch == o.pitch;
  });
  if (known != reads_.end()) return known->value;
  o.value = values_.size();
  values_.emplace_back();
  reads_.push_back(o);
  return o.value;
}

template <backend B>
std::size_t device_group<B>::value_of(slot const* s, operand_moves moves) {
  result const* const known = find(s);
  return known != nullptr ? known->value : read({s, moves});
}

// Ops at the end that would only run before are left alone; results that are needed afterwards are written.
template <backend B>
template <class LastUse>
bool device_group<B>::finish(LastUse const& last_use) {
  while (!members_.empty() && members_.back().is == role::before) members_.pop_back();
  if (start_ == nullptr || joined_ops() < 2) return false;
  op_index const last = this->first + static_cast<op_index>(members_.size() - 1);
  if (width_ == 0) width_ = count_;
  for (std::size_t m = 0; m != members_.size(); ++m) {
    member& each = members_[m];
    if (each.is == role::before) continue;
    for (slot const* s : each.context->outputs()) {
      if (last_use(*s) <= last) continue;
      operand whole{s};
      whole.value = find(s)->value;
      if (whole.value != npos)
        writes_.push_back(whole);
      else if (s != each.context->outputs()[0])
        each.begins = true;
    }
  }
  wire();
  return true;
}

// Gives values cells. All reads come first; a result takes over a cell that is needed no more.
template <backend B>
void device_group<B>::wire() {
  program_.count = static_cast<std::uint32_t>(count_);
  program_.width = static_cast<std::uint32_t>(width_);
  program_.lanes = count_ < element_program::many_elements ? std::uint8_t{1} : lanes_;
  program_.read_count = static_cast<std::uint8_t>(reads_.size());
  program_.call_count = static_cast<std::uint8_t>(calls_.size());
  std::uint8_t cells = 0;
  std::vector<std::uint8_t> free;
  for (operand const& r : reads_) values_[r.value].cell = cells++;
  for (std::size_t n = 0; n != calls_.size(); ++n) {
    call const& each = calls_[n];
    element_program::function& to = program_.calls[n];
    to = {program_.lanes == 1 ? each.does.run_one : each.does.run_several, {}, 0, 0};
    program_.selves[n] = each.does.self;
    for (std::size_t i = 0; i != each.inputs; ++i) {
      value& v = values_[each.from[i]];
      to.from[i] = v.cell;
      if (v.last_call != n) continue;
      free.push_back(v.cell);
      v.last_call = npos;  // once, though it may be there twice
    }
    std::fill(to.from + each.inputs, std::end(to.from), to.from[0]);  // not read
    if (free.empty()) free.push_back(cells++);
    to.to = values_[each.to].cell = free.back();
    free.pop_back();
    if (values_[each.to].last_call == n) free.push_back(to.to);
  }
  program_.cells = cells;
  auto const call_before = [this](operand const& w) {
    return values_[w.value].call == npos ? 0 : values_[w.value].call + 1;
  };
  std::ranges::stable_sort(writes_, std::less<>(), call_before);
  for (operand const& w : writes_) {
    std::size_t const writer = values_[w.value].call;
    if (writer == npos)
      ++program_.first_writes;
    else
      ++program_.calls[writer].writes;
  }
}

template <backend B>
element_program::place device_group<B>::place_of(operand const& o) const {
  auto const bytes = size_of(o.of->type.type);
  bool const along_rows = o.moves == operand_moves::with_elements || o.moves == operand_moves::with_columns;
  std::size_t const apart = o.moves == operand_moves::with_elements ? (o.pitch == 0 ? width_ : o.pitch)
                            : o.moves == operand_moves::with_rows   ? 1
                                                                    : 0;
  return {static_cast<std::byte*>(o.of->data) + o.offset * bytes, static_cast<std::uint32_t>(apart),
          static_cast<std::uint8_t>(along_rows ? 1 : 0), static_cast<std::uint8_t>(bytes), values_[o.value].cell};
}

template <backend B>
void device_group<B>::run_again(op_index& op) {
  op = this->first;
  for (member const& m : members_) {
    if (m.is == role::before) m.kernel->run(*m.context);
    if (m.begins) m.kernel->run_part(*m.context, {.kind = op_part::kinds::outputs, .outputs = ~std::uint64_t{1}});
    ++op;
  }
  --op;
  start_(program_.threads(), program_);
}

}  // namespace plait
