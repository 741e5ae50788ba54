// Ops on a device that work on each element by itself, or cut and join rows, on operands of one size: one kernel makes
// all of them (kernels/element_program.hpp). What only they read is not written to memory.
//
// An op between them that has nothing to do with those before it is run first, so that a step's parts of the input and
// of the product that follows are read by one kernel.
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
#include <plait/exec/detail/kernels/element_program.hpp>
#include <plait/exec/detail/op_groups.hpp>
#include <plait/exec/detail/op_rows.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

namespace detail {

/// Ops that one kernel makes, and those that are run before it.
template <backend B>
struct device_chain {
  enum class role : unsigned char { function, cut, joined, before };
  struct member {
    op_kernel<B>* kernel;
    op_context<B>* context;
    role is = role::before;
    bool begins = false;  // whole outputs are to be made
  };
  // What is read or written of a slot. Parts of rows begin with an offset, and are `pitch` elements apart; of what is
  // no part that is 0.
  struct operand {
    slot const* of;
    std::size_t by;  // member
    operand_moves moves = operand_moves::with_elements;
    std::size_t offset = 0;
    std::size_t pitch = 0;
    std::size_t value = 0;
  };
  // What the program reads or makes.
  struct value {
    std::size_t call = npos;       // that makes it
    std::size_t last_call = npos;  // that needs it
    std::uint8_t cell = 0;
  };
  // What members make.
  struct result {
    slot const* is;
    std::size_t value;  // npos: of no cell, but in memory afterwards
  };
  struct call {
    device_function does;
    std::size_t inputs;
    std::array<std::size_t, device_function::most_inputs> from;
    std::size_t to;
  };

  op_index first = 0;
  std::size_t count = 0;  // elements
  std::size_t width = 0;  // of rows; 0: nothing depends on it
  std::uint8_t lanes = 0;
  std::vector<member> members = {};
  std::vector<operand> reads = {};
  std::vector<operand> writes = {};
  std::vector<call> calls = {};
  std::vector<value> values = {};
  std::vector<result> made = {};
  std::size_t most_writes = 0;  // if all that is made is needed afterwards
  device_function::starter start = nullptr;
  element_program program = {};
  bool overlaps = false;

  void begin(op_index op);
  bool take(group_candidate<B> const& c);
  bool take_function(member& next, group_candidate<B> const& c);
  bool take_segments(member& next, group_candidate<B> const& c);
  result const* find(slot const* s) const {
    auto const at = std::ranges::find(made, s, &result::is);
    return at == made.end() ? nullptr : &*at;
  }
  bool agrees(std::size_t elements, std::size_t row, std::uint8_t in_cell) const;
  bool has_room(std::size_t more_reads, std::size_t more_calls, std::size_t more_writes) const;
  void set(std::size_t elements, std::size_t row, std::uint8_t in_cell);
  std::size_t read(operand o);
  std::size_t value_of(slot const* s, operand_moves moves);
  std::size_t joined_ops() const {
    return members.size() - static_cast<std::size_t>(std::ranges::count(members, role::before, &member::is));
  }
  bool is_worth_it() const { return start != nullptr && joined_ops() > 1; }
  template <class LastUse>
  void finish(LastUse const& last_use);
  void wire();
  element_program::place place_of(operand const& o) const;
  void find_operands();
  bool share_memory() const;
  void run(op_index& op);
};

}  // namespace detail

/// The chains among the ops of a plan on a device, while types and kernels stay as they are.
template <backend B>
class device_chains : public op_chains<detail::device_chain<B>> {
 public:
  /// As element_chains::find. Operands may stand elsewhere in each run. O(operands of a chain, squared).
  template <class At, class LastUse>
  void find(op_index ops, At const& at, LastUse const& last_use) {
    this->clear();
    for (op_index op = 0; op < ops;) {
      detail::device_chain<B> made = this->make(op);
      this->fill(made, ops, at);
      made.finish(last_use);
      op += static_cast<op_index>(std::max<std::size_t>(1, made.members.size()));
      if (made.is_worth_it())
        this->add(std::move(made));
      else
        this->put_back(std::move(made));
    }
  }
};

namespace detail {

template <backend B>
void device_chain<B>::begin(op_index op) {
  first = op;
  count = width = most_writes = 0;
  lanes = 0;
  members.clear();
  reads.clear();
  writes.clear();
  calls.clear();
  values.clear();
  made.clear();
  start = nullptr;
  program = {};
  overlaps = false;
}

template <backend B>
bool device_chain<B>::take(group_candidate<B> const& c) {
  if (c.kernel == nullptr) return false;
  member next{c.kernel, c.context};
  if (!take_function(next, c) && !take_segments(next, c)) {
    if (members.empty() || c.context->scratch() != nullptr) return false;
    for (slot const* s : c.context->inputs())
      if (find(s) != nullptr) return false;
  }
  members.push_back(next);
  return true;
}

template <backend B>
bool device_chain<B>::take_function(member& next, group_candidate<B> const& of) {
  op_context<B> const& c = *next.context;
  auto const* const pattern = of.find(pattern_kind::elements);
  std::size_t const inputs = c.input_count();
  if (pattern == nullptr || c.output_count() != 1 || inputs == 0 || inputs > device_function::most_inputs) return false;
  device_function const& f = pattern->does;
  std::size_t const elements = c.output_size(0);
  if ((start != nullptr && f.start != start) || !agrees(elements, f.width, f.lanes)) return false;
  if (!has_room(inputs, 1, 1)) return false;
  for (std::size_t i = 0; i != inputs; ++i) {
    bool const moves = f.moves[i] == operand_moves::with_elements;
    result const* const known = find(c.inputs()[i]);
    if (known != nullptr && (known->value == npos || !moves)) return false;
    if (moves && c.size(i) != elements) return false;
  }
  set(elements, f.width, f.lanes);
  start = f.start;
  call does{f, inputs, {}, 0};
  for (std::size_t i = 0; i != inputs; ++i) {
    does.from[i] = value_of(c.inputs()[i], f.moves[i]);
    values[does.from[i]].last_call = calls.size();
  }
  does.to = values.size();
  values.push_back({calls.size(), calls.size()});
  made.push_back({c.outputs()[0], does.to});
  calls.push_back(does);
  ++most_writes;
  next.is = role::function;
  return true;
}

// What is cut is read where it is needed, what is joined is written by who makes it.
template <backend B>
bool device_chain<B>::take_segments(member& next, group_candidate<B> const& of) {
  op_context<B> const& c = *next.context;
  auto const* by = of.find(pattern_kind::split);
  bool const cut = by != nullptr;
  if (!cut) by = of.find(pattern_kind::concatenated);
  if (by == nullptr) return false;
  std::size_t const parts = cut ? c.output_count() : c.input_count();
  std::size_t const elements = cut ? c.output_size(0) : c.size(0);
  if (!agrees(elements, by->width, cell_lanes(size_of(c.type(0)))) || !has_room(parts, 0, parts)) return false;
  if (by->width > std::numeric_limits<std::int32_t>::max() / parts) return false;
  for (slot const* s : c.inputs())
    if (result const* const known = find(s); known != nullptr && (cut || known->value == npos)) return false;
  set(elements, by->width, cell_lanes(size_of(c.type(0))));
  most_writes += parts;
  for (std::size_t k = 0; k != parts; ++k) {
    operand part{nullptr, members.size(), operand_moves::with_elements, k * by->width, parts * by->width};
    if (cut) {
      part.of = c.inputs()[0];
      made.push_back({c.outputs()[k], read(part)});
    } else {
      part.of = c.outputs()[0];
      part.value = value_of(c.inputs()[k], operand_moves::with_elements);
      writes.push_back(part);
    }
  }
  if (!cut)
    for (slot const* s : c.outputs()) made.push_back({s, npos});
  next.is = cut ? role::cut : role::joined;
  return true;
}

template <backend B>
bool device_chain<B>::agrees(std::size_t elements, std::size_t row, std::uint8_t in_cell) const {
  return elements != 0 && elements <= std::numeric_limits<std::int32_t>::max() && (count == 0 || elements == count) &&
         (row == 0 || width == 0 || row == width) && (lanes == 0 || in_cell == lanes);
}

template <backend B>
bool device_chain<B>::has_room(std::size_t more_reads, std::size_t more_calls, std::size_t more_writes) const {
  return reads.size() + more_reads <= element_program::most_reads &&
         calls.size() + more_calls <= element_program::most_calls &&
         most_writes + more_writes <= element_program::most_writes &&
         values.size() + more_reads + more_calls <= element_program::most_cells;
}

template <backend B>
void device_chain<B>::set(std::size_t elements, std::size_t row, std::uint8_t in_cell) {
  count = elements;
  if (row != 0) width = row;
  lanes = in_cell;
}

// The value of an operand in memory.
template <backend B>
std::size_t device_chain<B>::read(operand o) {
  auto const known = std::ranges::find_if(reads, [&](operand const& r) {
    return r.of == o.of && r.moves == o.moves && r.offset == o.offset && r.pitch == o.pitch;
  });
  if (known != reads.end()) return known->value;
  o.value = values.size();
  values.emplace_back();
  reads.push_back(o);
  return o.value;
}

template <backend B>
std::size_t device_chain<B>::value_of(slot const* s, operand_moves moves) {
  result const* const known = find(s);
  return known != nullptr ? known->value : read({s, members.size(), moves});
}

// Ops at the end that need not be run before anything are left alone; of what is made, what is needed afterwards is
// written.
template <backend B>
template <class LastUse>
void device_chain<B>::finish(LastUse const& last_use) {
  while (!members.empty() && members.back().is == role::before) members.pop_back();
  if (!is_worth_it()) return;
  op_index const last = first + static_cast<op_index>(members.size() - 1);
  if (width == 0) width = count;
  for (std::size_t m = 0; m != members.size(); ++m) {
    member& each = members[m];
    if (each.is == role::before) continue;
    for (slot const* s : each.context->outputs()) {
      if (last_use(*s) <= last) continue;
      operand whole{s, m};
      whole.value = find(s)->value;
      if (whole.value != npos)
        writes.push_back(whole);
      else if (s != each.context->outputs()[0])
        each.begins = true;
    }
  }
  wire();
}

// Gives values cells. All that is read is read first; what is made takes over a cell that is needed no more.
template <backend B>
void device_chain<B>::wire() {
  program.count = static_cast<std::uint32_t>(count);
  program.width = static_cast<std::uint32_t>(width);
  program.lanes = count < element_program::many_elements ? std::uint8_t{1} : lanes;
  program.read_count = static_cast<std::uint8_t>(reads.size());
  program.call_count = static_cast<std::uint8_t>(calls.size());
  std::uint8_t cells = 0;
  std::vector<std::uint8_t> free;
  for (operand const& r : reads) values[r.value].cell = cells++;
  for (std::size_t n = 0; n != calls.size(); ++n) {
    call const& each = calls[n];
    element_program::function& to = program.calls[n];
    to = {program.lanes == 1 ? each.does.run_one : each.does.run_several, {}, 0, 0};
    program.selves[n] = each.does.self;
    for (std::size_t i = 0; i != each.inputs; ++i) {
      value& v = values[each.from[i]];
      to.from[i] = v.cell;
      if (v.last_call != n) continue;
      free.push_back(v.cell);
      v.last_call = npos;  // once, though it may be there twice
    }
    std::fill(to.from + each.inputs, std::end(to.from), to.from[0]);  // what is not looked at
    if (free.empty()) free.push_back(cells++);
    to.to = values[each.to].cell = free.back();
    free.pop_back();
    if (values[each.to].last_call == n) free.push_back(to.to);
  }
  program.cells = cells;
  auto const call_before = [this](operand const& w) {
    return values[w.value].call == npos ? 0 : values[w.value].call + 1;
  };
  std::ranges::stable_sort(writes, std::less<>(), call_before);
  for (operand const& w : writes) {
    std::size_t const writer = values[w.value].call;
    if (writer == npos)
      ++program.first_writes;
    else
      ++program.calls[writer].writes;
  }
}

template <backend B>
element_program::place device_chain<B>::place_of(operand const& o) const {
  auto const bytes = size_of(o.of->type.type);
  bool const along_rows = o.moves == operand_moves::with_elements || o.moves == operand_moves::with_columns;
  std::size_t const apart = o.moves == operand_moves::with_elements ? (o.pitch == 0 ? width : o.pitch)
                            : o.moves == operand_moves::with_rows   ? 1
                                                                    : 0;
  return {static_cast<std::byte*>(o.of->data) + o.offset * bytes, static_cast<std::uint32_t>(apart),
          static_cast<std::uint8_t>(along_rows ? 1 : 0), static_cast<std::uint8_t>(bytes), values[o.value].cell};
}

// Notes where the operands are.
template <backend B>
void device_chain<B>::find_operands() {
  bool moved = false;
  auto const note = [&](operand const& o, element_program::place& at) {
    element_program::place const now = place_of(o);
    moved = moved || now.at != at.at;
    at = now;
  };
  for (std::size_t r = 0; r != reads.size(); ++r) note(reads[r], program.reads[r]);
  for (std::size_t w = 0; w != writes.size(); ++w) note(writes[w], program.writes[w]);
  bool const runs_others = joined_ops() != members.size();
  if (moved || runs_others) overlaps = share_memory();
}

// Whether the program, or what is run before it, writes to memory that must be what it was, or what another writes.
template <backend B>
bool device_chain<B>::share_memory() const {
  using place = element_program::place;
  std::less<std::byte const*> const less;
  std::size_t const rows = (count + width - 1) / width;
  auto const length = [&](place const& p) {  // of a row, in bytes
    return static_cast<std::int64_t>(((width - 1) * p.column + 1) * p.bytes);
  };
  auto const end = [&](place const& p) { return p.at + (rows - 1) * p.row * p.bytes + length(p); };
  // All reads come first: what is written may stand where the same element was read.
  auto const meet = [&](place const& a, place const& b) {
    if (!less(a.at, end(b)) || !less(b.at, end(a))) return false;
    if (a.at == b.at && a.row == b.row && a.column == b.column && a.bytes == b.bytes && a.column != 0 && a.row != 0)
      return false;
    std::int64_t const apart = std::int64_t{a.row} * a.bytes;
    if (apart != std::int64_t{b.row} * b.bytes || apart == 0) return true;
    std::int64_t const between = ((b.at - a.at) % apart + apart) % apart;  // parts of the same rows
    return between < length(a) || apart - between < length(b);
  };
  auto const meets_slot = [&](place const& p, slot const& s) {
    auto* const from = static_cast<std::byte const*>(s.data);
    return less(from, end(p)) && less(p.at, from + s.type.bytes());
  };
  for (std::size_t w = 0; w != writes.size(); ++w) {
    for (std::size_t r = 0; r != reads.size(); ++r)
      if (meet(program.writes[w], program.reads[r])) return true;
    for (std::size_t other = 0; other != w; ++other)
      if (meet(program.writes[w], program.writes[other])) return true;
  }
  for (std::size_t m = 0; m != members.size(); ++m) {
    if (members[m].is != role::before) continue;
    op_context<B> const& c = *members[m].context;
    auto const changes = [&](place const& p) {
      return std::ranges::any_of(c.outputs(), [&](slot const* s) { return meets_slot(p, *s); });
    };
    auto const uses = [&](place const& p) {
      return changes(p) || std::ranges::any_of(c.inputs(), [&](slot const* s) { return meets_slot(p, *s); });
    };
    for (std::size_t r = 0; r != reads.size(); ++r)
      if (reads[r].by < m && changes(program.reads[r])) return true;
    for (std::size_t w = 0; w != writes.size(); ++w)
      if (writes[w].by < m && uses(program.writes[w])) return true;
  }
  return false;
}

template <backend B>
void device_chain<B>::run(op_index& op) {
  op = first;
  for (member const& m : members) {
    if (overlaps || m.is == role::before) m.kernel->run(*m.context);
    if (!overlaps && m.begins)
      m.kernel->run_part(*m.context, {.kind = op_part::kinds::outputs, .outputs = ~std::uint64_t{1}});
    ++op;
  }
  --op;
  if (!overlaps) start(program.threads(), program);
}

}  // namespace detail

}  // namespace plait
