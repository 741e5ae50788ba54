// Ops after one another whose rows need nothing but the same rows of each other: each thread runs all of them for its
// rows, and threads meet once instead of once an op.
//
// Small steps of recurrences are one reason: what an op of 16 sequences takes is not much more than what a meeting
// takes. Large operands are the other: functions of elements that are run for a few rows at a time find in the cache
// what the op before has made there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include <plait/exec/backend.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// The groups among the ops of a plan, while types and kernels stay as they are. On devices none are found.
template <backend B>
class row_groups {
 public:
  /// Less than this, in elements merely moved, is not worth a meeting.
  static constexpr std::size_t least_work = 2 * tile_size;
  /// Operands of this many bytes together find no place in a cache of the second level.
  static constexpr std::size_t large_bytes = std::size_t{2} << 20;
  /// What is run at a time of large operands, each: little enough that several are in that cache together.
  static constexpr std::size_t piece_bytes = std::size_t{1} << 15;
  /// Ops of a group of large operands at most: whether it may be run so is asked anew each time.
  static constexpr std::size_t most_large = 32;

  /// An op that may be part of a group; nullptr for one that may not.
  struct candidate {
    op_kernel<B>* kernel = nullptr;
    op_context<B>* context = nullptr;
  };

  /// Looks for groups of small steps, which need several threads. Where operands stand may change afterwards, but not
  /// whether two of them share memory. `at(op)` is the candidate of that number. O(operands of a group, squared).
  template <class At>
  void find(op_index ops, At const& at) {
    groups_.clear();
    if constexpr (!B::on_device)
      if (B::concurrency() != 1) find(ops, at, false);
  }
  /// Looks for groups of large operands, on which whatever can be run in pieces is. What changes afterwards is no
  /// matter: a group that shares memory as it must not when it is run is run one op after the other.
  template <class At>
  void find_large(op_index ops, At const& at) {
    groups_.clear();
    if constexpr (!B::on_device) find(ops, at, true);
  }
  void clear() { groups_.clear(); }

  /// The first op of each group.
  std::vector<op_index> firsts() const {
    std::vector<op_index> made;
    for (group const& g : groups_) made.push_back(g.first);
    return made;
  }
  /// Runs the group that begins with `op`, which is left at its last. Throws what a kernel throws, and leaves it there.
  void run(op_index& op) {
    if constexpr (!B::on_device) {
      group& found = *std::ranges::find(groups_, op, &group::first);
      found.run(op);
      op = found.last - 1;
    }
  }

 private:
  struct member {
    op_kernel<B>* kernel;
    op_context<B>* context;
    row_runs rows;
  };
  // An operand of a part.
  struct narrowed {
    slot here;
    slot const* from;
    std::size_t row_bytes;  // 0: it is the same for all rows
  };
  // The rows of one thread, so many of them at a time.
  struct part {
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t narrowed_to = 0;  // rows that the operands' shapes are of
    std::deque<narrowed> operands = {};
    std::vector<slot*> pointers = {};
    std::vector<op_context<B>> contexts = {};
    std::size_t done = 0;  // members
    std::exception_ptr failure = nullptr;
  };

  struct group {
    group(op_index op, bool is_large) : first(op), last(op), large(is_large) {}

    bool take(candidate const& c);
    bool is_worth_it() const;
    void divide();
    void run(op_index& op);

    bool divides(tensor_spec const& type) const;
    bool clashes(member const& before, member const& next) const;
    bool clashes() const;
    void add_operand(part& p, slot const& from, bool whole) const;
    void narrow(part& p, std::size_t row, std::size_t end) const;
    void run(part& p);

    op_index first;
    op_index last;
    bool large;
    bool by_element = false;  // of operands that are all of one size
    std::size_t rows = 0;
    std::size_t at_once = 0;  // rows
    std::size_t work = 0;
    std::vector<member> members = {};
    std::vector<part> parts = {};
  };

  template <class At>
  void find(op_index ops, At const& at, bool large) {
    for (op_index op = 0; op < ops;) {
      group made(op, large);
      while (made.last != ops && made.take(at(made.last))) {
      }
      op = std::max(op + 1, made.last);
      if (!made.is_worth_it()) continue;
      groups_.push_back(std::move(made));
      groups_.back().divide();
    }
  }

  std::vector<group> groups_;
};

template <backend B>
bool row_groups<B>::group::divides(tensor_spec const& type) const {
  auto const size = static_cast<std::size_t>(type.dims.size());
  if (by_element) return size == rows;
  std::size_t const rank = type.dims.rank();
  auto const columns = static_cast<std::size_t>(rank < 2 ? 1 : type.dims[rank - 1]);
  return size != 0 && size % (rows * columns) == 0;
}

template <backend B>
bool row_groups<B>::group::take(candidate const& c) {
  if (c.kernel == nullptr || (large && members.size() == most_large)) return false;
  member const next{c.kernel, c.context, c.kernel->by_rows(*c.context)};
  if (next.rows.work == 0 || (large && (!next.rows.in_pieces || next.rows.work < tile_size))) return false;
  if (members.empty()) {  // as many rows as the first op's first output has
    std::size_t o = 0;
    while (o != c.context->output_count() && next.rows.is_whole_output(o)) ++o;
    if (o == c.context->output_count()) return false;
    tensor_spec const& made = c.context->output_spec(o);
    shape const& dims = made.dims;
    rows = static_cast<std::size_t>(dims.rank() == 0 ? 1 : dims.size_to(dims.rank() - 1));
    by_element = large && (rows < B::concurrency() || made.bytes() / rows > piece_bytes);
    if (by_element) rows = static_cast<std::size_t>(dims.size());
    if (rows < 2) return false;
  }
  // What is the same for all rows has their columns, which elements by themselves know nothing of.
  auto const fits = [&](tensor_spec const& type, bool whole) {
    return whole ? !by_element || type.dims.size() == 1 : divides(type);
  };
  for (std::size_t i = 0; i != c.context->input_count(); ++i)
    if (!fits(c.context->input_spec(i), next.rows.is_whole_input(i))) return false;
  for (std::size_t o = 0; o != c.context->output_count(); ++o)
    if (!fits(c.context->output_spec(o), next.rows.is_whole_output(o))) return false;
  for (member const& before : members)
    if (clashes(before, next)) return false;
  work += next.rows.work;
  members.push_back(next);
  ++last;
  return true;
}

template <backend B>
bool row_groups<B>::group::is_worth_it() const {
  if (members.size() < 2) return false;
  if (!large) return work >= least_work;
  std::size_t bytes = 0;
  for (member const& m : members)
    for (slot const* made : m.context->outputs()) bytes += made->type.bytes();
  return bytes >= large_bytes;
}

// Whether memory that one of two ops writes is another's, but for the same rows of one tensor.
template <backend B>
bool row_groups<B>::group::clashes(member const& before, member const& next) const {
  auto const meet = [](slot const* a, bool a_whole, slot const* b, bool b_whole) {
    auto const from = [](slot const* s) { return static_cast<std::byte const*>(s->data); };
    std::size_t const a_bytes = a->type.bytes();
    std::size_t const b_bytes = b->type.bytes();
    std::less<std::byte const*> const less;
    bool const apart = !less(from(a), from(b) + b_bytes) || !less(from(b), from(a) + a_bytes);
    if (apart) return false;
    return a_whole || b_whole || from(a) != from(b) || a_bytes != b_bytes;
  };
  auto const inputs_meet = [&](member const& reader, slot const* written, bool whole) {
    for (std::size_t i = 0; i != reader.context->input_count(); ++i)
      if (meet(reader.context->inputs()[i], reader.rows.is_whole_input(i), written, whole)) return true;
    return false;
  };
  for (std::size_t o = 0; o != before.context->output_count(); ++o) {
    slot const* const written = before.context->outputs()[o];
    bool const whole = before.rows.is_whole_output(o);
    if (inputs_meet(next, written, whole)) return true;
    for (std::size_t p = 0; p != next.context->output_count(); ++p)
      if (meet(next.context->outputs()[p], next.rows.is_whole_output(p), written, whole)) return true;
  }
  for (std::size_t o = 0; o != next.context->output_count(); ++o)
    if (inputs_meet(before, next.context->outputs()[o], next.rows.is_whole_output(o))) return true;
  return false;
}

template <backend B>
bool row_groups<B>::group::clashes() const {
  for (auto next = members.begin(); next != members.end(); ++next)
    for (auto before = members.begin(); before != next; ++before)
      if (clashes(*before, *next)) return true;
  return false;
}

template <backend B>
void row_groups<B>::group::add_operand(part& p, slot const& from, bool whole) const {
  p.operands.push_back({from, &from, whole ? 0 : from.type.bytes() / rows});
  p.pointers.push_back(&p.operands.back().here);
}

// Makes the operands those of some rows.
template <backend B>
void row_groups<B>::group::narrow(part& p, std::size_t row, std::size_t end) const {
  bool const other_count = std::exchange(p.narrowed_to, end - row) != end - row;
  for (narrowed& o : p.operands) {
    o.here.data = static_cast<std::byte*>(o.from->data) + row * o.row_bytes;
    if (!other_count || o.row_bytes == 0) continue;
    shape const& dims = o.from->type.dims;
    auto const size = static_cast<std::int64_t>(static_cast<std::size_t>(dims.size()) / rows * (end - row));
    std::int64_t const columns = dims.rank() == 0 ? 1 : dims[dims.rank() - 1];
    o.here.type.dims = !by_element && size % columns == 0 ? shape{size / columns, columns} : shape{size};
  }
}

template <backend B>
void row_groups<B>::group::divide() {
  std::size_t const count = std::min<std::size_t>(rows, B::concurrency());
  std::size_t operands = 0;
  std::size_t widest = 1;
  for (member const& m : members) {
    operands += m.context->input_count() + m.context->output_count();
    for (slot const* made : m.context->outputs()) widest = std::max(widest, made->type.bytes() / rows);
    for (std::size_t i = 0; i != m.context->input_count(); ++i)
      if (!m.rows.is_whole_input(i)) widest = std::max(widest, m.context->input_spec(i).bytes() / rows);
  }
  at_once = large ? std::max<std::size_t>(1, piece_bytes / widest) : rows;
  parts.resize(count);
  for (std::size_t k = 0; k != count; ++k) {
    part& p = parts[k];
    p.first = k * rows / count;
    p.last = (k + 1) * rows / count;
    p.pointers.reserve(operands);
    for (member const& m : members) {
      std::size_t const begin = p.pointers.size();
      for (std::size_t i = 0; i != m.context->input_count(); ++i)
        add_operand(p, *m.context->inputs()[i], m.rows.is_whole_input(i));
      for (std::size_t o = 0; o != m.context->output_count(); ++o)
        add_operand(p, *m.context->outputs()[o], m.rows.is_whole_output(o));
      slot* const* const at = p.pointers.data() + begin;
      p.contexts.push_back(
          op_context<B>({at, m.context->input_count()}, {at + m.context->input_count(), m.context->output_count()}));
    }
  }
}

template <backend B>
void row_groups<B>::group::run(part& p) {
  for (std::size_t row = p.first; row != p.last;) {
    std::size_t const end = std::min(p.last, row + at_once);
    narrow(p, row, end);
    for (p.done = 0; p.done != members.size(); ++p.done) members[p.done].kernel->run_rows(p.contexts[p.done]);
    row = end;
  }
}

template <backend B>
void row_groups<B>::group::run(op_index& op) {
  if (large && clashes()) {
    for (member const& m : members) {
      m.kernel->run(*m.context);
      ++op;
    }
    return;
  }
  for (member const& m : members) {
    m.kernel->begin_rows(*m.context);
    ++op;
  }
  auto const run_part = [this](std::size_t k) {
    try {
      run(parts[k]);
    } catch (...) {
      parts[k].failure = std::current_exception();
    }
  };
  if (parts.size() == 1)
    run_part(0);
  else
    for_each_part<B>(parts.size(), run_part);
  std::exception_ptr failure;
  for (part& p : parts) {  // of several, what one op after the other would have met
    if (p.failure && (!failure || first + p.done < op)) {
      failure = p.failure;
      op = first + static_cast<op_index>(p.done);
    }
    p.failure = nullptr;
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace plait
