// Ops after one another whose rows need nothing but the same rows of each other: each thread runs all of them for its
// rows, and threads meet once instead of once an op.
//
// Small steps of recurrences are why: what an op of 16 sequences takes is not much more than what a meeting takes.
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

/// The groups among the ops of a plan, while types and kernels stay as they are. On devices, and where one thread is
/// all there is, none are found.
template <backend B>
class row_groups {
 public:
  /// Less than this, in elements merely moved, is not worth a meeting.
  static constexpr std::size_t least_work = 2 * tile_size;

  /// An op that may be part of a group; nullptr for one that may not.
  struct candidate {
    op_kernel<B>* kernel = nullptr;
    op_context<B>* context = nullptr;
  };

  /// Looks for groups. Where operands stand may change afterwards, but not whether two of them share memory. `at(op)`
  /// is the candidate of that number. O(operands of a group, squared).
  template <class At>
  void find(op_index ops, At const& at) {
    groups_.clear();
    if constexpr (!B::on_device) {
      if (B::concurrency() == 1) return;
      for (op_index op = 0; op < ops;) {
        group made(op);
        while (made.last != ops && made.take(at(made.last))) {
        }
        op = std::max(op + 1, made.last);
        if (made.members.size() < 2 || made.work < least_work) continue;
        groups_.push_back(std::move(made));
        groups_.back().divide();
      }
    }
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
    std::size_t offset;  // in bytes
  };
  // The rows of one thread.
  struct part {
    std::deque<narrowed> operands = {};
    std::vector<slot*> pointers = {};
    std::vector<op_context<B>> contexts = {};
    std::size_t done = 0;  // members
    std::exception_ptr failure = nullptr;
  };

  struct group {
    explicit group(op_index op) : first(op), last(op) {}

    bool take(candidate const& c);
    void divide();
    void run(op_index& op);

    bool clashes(member const& before, member const& next) const;
    void narrow(part& p, slot const& from, bool whole, std::size_t row, std::size_t end) const;

    op_index first;
    op_index last;
    std::size_t rows = 0;
    std::size_t work = 0;
    std::vector<member> members = {};
    std::vector<part> parts = {};
  };

  std::vector<group> groups_;
};

template <backend B>
bool row_groups<B>::group::take(candidate const& c) {
  if (c.kernel == nullptr) return false;
  member const next{c.kernel, c.context, c.kernel->by_rows(*c.context)};
  if (next.rows.work == 0) return false;
  std::size_t count = rows;
  if (members.empty()) {  // as many rows as the first op's first output has
    std::size_t o = 0;
    while (o != c.context->output_count() && next.rows.is_whole_output(o)) ++o;
    if (o == c.context->output_count()) return false;
    shape const& dims = c.context->output_spec(o).dims;
    count = static_cast<std::size_t>(dims.rank() == 0 ? 1 : dims.size_to(dims.rank() - 1));
    if (count < 2) return false;
  }
  auto const divides = [&](tensor_spec const& type) {
    auto const size = static_cast<std::size_t>(type.dims.size());
    std::size_t const rank = type.dims.rank();
    auto const columns = static_cast<std::size_t>(rank < 2 ? 1 : type.dims[rank - 1]);
    return size != 0 && size % (count * columns) == 0;
  };
  for (std::size_t i = 0; i != c.context->input_count(); ++i)
    if (!next.rows.is_whole_input(i) && !divides(c.context->input_spec(i))) return false;
  for (std::size_t o = 0; o != c.context->output_count(); ++o)
    if (!next.rows.is_whole_output(o) && !divides(c.context->output_spec(o))) return false;
  for (member const& before : members)
    if (clashes(before, next)) return false;
  rows = count;
  work += next.rows.work;
  members.push_back(next);
  ++last;
  return true;
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
void row_groups<B>::group::narrow(part& p, slot const& from, bool whole, std::size_t row, std::size_t end) const {
  narrowed made{from, &from, 0};
  if (!whole) {
    shape const& dims = from.type.dims;
    std::size_t const elements = static_cast<std::size_t>(dims.size()) / rows;
    auto const size = static_cast<std::int64_t>(elements * (end - row));
    std::int64_t const columns = dims.rank() == 0 ? 1 : dims[dims.rank() - 1];
    made.offset = row * elements * size_of(from.type.type);
    made.here.type.dims = size % columns == 0 ? shape{size / columns, columns} : shape{size};
  }
  p.operands.push_back(made);
  p.pointers.push_back(&p.operands.back().here);
}

template <backend B>
void row_groups<B>::group::divide() {
  std::size_t const count = std::min<std::size_t>(rows, B::concurrency());
  std::size_t operands = 0;
  for (member const& m : members) operands += m.context->input_count() + m.context->output_count();
  parts.resize(count);
  for (std::size_t k = 0; k != count; ++k) {
    part& p = parts[k];
    p.pointers.reserve(operands);
    for (member const& m : members) {
      std::size_t const begin = p.pointers.size();
      for (std::size_t i = 0; i != m.context->input_count(); ++i)
        narrow(p, *m.context->inputs()[i], m.rows.is_whole_input(i), k * rows / count, (k + 1) * rows / count);
      for (std::size_t o = 0; o != m.context->output_count(); ++o)
        narrow(p, *m.context->outputs()[o], m.rows.is_whole_output(o), k * rows / count, (k + 1) * rows / count);
      slot* const* const at = p.pointers.data() + begin;
      p.contexts.push_back(
          op_context<B>({at, m.context->input_count()}, {at + m.context->input_count(), m.context->output_count()}));
    }
  }
}

template <backend B>
void row_groups<B>::group::run(op_index& op) {
  for (member const& m : members) {
    m.kernel->begin_rows(*m.context);
    ++op;
  }
  for_each_part<B>(parts.size(), [this](std::size_t k) {
    part& p = parts[k];
    try {
      for (narrowed& o : p.operands) o.here.data = static_cast<std::byte*>(o.from->data) + o.offset;
      for (p.done = 0; p.done != members.size(); ++p.done) members[p.done].kernel->run_rows(p.contexts[p.done]);
    } catch (...) {
      p.failure = std::current_exception();
    }
  });
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
