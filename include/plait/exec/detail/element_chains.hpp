// Ops after one another that work on each element by itself, on operands of one size: all of them are run for a few
// elements, then for the next few. What one has made is in the first cache still when the next reads it, is not written
// to memory at all if only the chain reads it, and nothing but the elements' own functions is called for each op. Sums,
// products and the like of which each needs the one before are a line: what they make does not leave registers.
//
// Where operands come from memory, functions would wait for it by turns: one that reads it, and others that only
// compute. So while a few elements are worked on, the next ones are fetched. The processor does so for one loop by
// itself, but not for a loop that ends after as much as a page.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/kernels/straight_line.hpp>
#include <plait/exec/detail/op_groups.hpp>
#include <plait/exec/kernels/for_each.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

namespace detail {

/// Ops on the same elements, run for some of them at a time.
template <backend B>
struct element_chain {
  static constexpr std::size_t most_operands = 16;  // of an op

  struct operand {
    slot const* from;
    std::size_t bytes;               // of an element; 0: one element for all
    std::byte* data = nullptr;       // in memory; nullptr in a buffer
    std::uint32_t in_buffer = npos;  // which
  };
  struct member {
    op_kernel<B>* kernel;
    op_context<B>* context;
    element_function does;
    std::size_t inputs;
    std::size_t operands;  // inputs and outputs
  };
  // What is called for a block: a member's function, or a line of several.
  struct call {
    element_function does;
    std::size_t operands;
  };
  struct stream {
    std::byte const* data;
    std::size_t bytes;  // of an element
  };

  op_index first = 0;
  std::size_t count = 0;  // elements
  std::size_t block = 0;  // of these, at a time
  bool overlaps = false;
  bool one_loop = false;  // one call over memory: blocks of any size do
  std::vector<member> members = {};
  std::vector<operand> operands = {};  // of all members
  std::vector<call> calls = {};
  std::vector<std::uint32_t> called_with = {};  // of all calls: which operands
  std::vector<std::unique_ptr<straight_line>> lines = {};
  std::vector<stream> fetched = {};  // what is in memory, if that is more than is near
  std::vector<void*> whole = {};     // where the operands are, if the chain is one loop

  void begin(op_index op) {
    first = op;
    count = block = 0;
    overlaps = one_loop = false;
    members.clear();
    operands.clear();
    calls.clear();
    called_with.clear();
    lines.clear();
    fetched.clear();
    whole.clear();
  }
  bool take(group_candidate<B> const& c);
  template <class LastUse>
  void place_buffers(LastUse const& last_use);
  template <class LastUse>
  void find_calls(LastUse const& last_use);
  template <class LastUse>
  std::size_t find_line(std::size_t m, std::size_t at, LastUse const& last_use);
  void find_operands();
  void find_fetched();
  bool share_memory() const;
  void run(op_index& op);
  PLAIT_NO_INLINE void run(std::size_t begin, std::size_t end) const;  // has no loop to vectorise
};

}  // namespace detail

/// The chains among the ops of a plan, while types and kernels stay as they are. Those of devices: device_chains.hpp.
template <backend B>
class element_chains : public op_chains<detail::element_chain<B>> {
 public:
  /// What is run at a time, of each operand: little enough that some of them are in the first cache together.
  static constexpr std::size_t block_bytes = std::size_t{1} << 12;
  /// From so much in memory on, of all operands, the next block is fetched: second caches do not hold that, and where
  /// they do it costs a tenth. Blocks are half as long then: no more is asked for at once than processors wait for at a
  /// time.
  static constexpr std::size_t far_bytes = std::size_t{1} << 22;
  /// Ops of a chain at most: whether they may be run so is asked of each pair of them.
  static constexpr std::size_t most_ops = 32;
  /// Blocks for what only the chain reads, of the stack: with those of other operands they fit in the first cache.
  static constexpr std::size_t most_buffers = 4;

  /// Looks for chains of two ops and more; `at(op)` is the candidate of that number, `last_use(slot)` the last op that
  /// needs what is written there, any number behind the chain's for what is needed after a run. What memory operands
  /// stand in may change afterwards: a chain that shares memory as it must not when it is run is run one op after the
  /// other.
  template <class At, class LastUse>
  void find(op_index ops, At const& at, LastUse const& last_use) {
    this->clear();
    for (op_index op = 0; op < ops;) {
      detail::element_chain<B> made = this->make(op);
      op = this->fill(made, ops, at);
      if (made.members.size() < 2) {
        this->put_back(std::move(made));
        continue;
      }
      made.place_buffers(last_use);
      made.find_calls(last_use);
      this->add(std::move(made));
    }
  }
};

namespace detail {

template <backend B>
bool element_chain<B>::take(group_candidate<B> const& c) {
  auto const* const pattern = c.find(pattern_kind::elements);
  if (pattern == nullptr || members.size() == element_chains<B>::most_ops || c.context->output_count() == 0)
    return false;
  std::size_t const elements = c.context->output_size(0);
  std::size_t const operand_count = c.context->input_count() + c.context->output_count();
  if (elements < 2 || (count != 0 && elements != count) || operand_count > most_operands) return false;
  std::size_t widest = 1;
  auto const add = [&](slot const* s, bool may_be_one) {
    auto const size = static_cast<std::size_t>(s->type.dims.size());
    if (size != elements && (!may_be_one || size != 1)) return false;
    std::size_t const bytes = size == elements ? size_of(s->type.type) : 0;
    widest = std::max(widest, bytes);
    operands.push_back({s, bytes});
    return true;
  };
  std::size_t const before = operands.size();
  bool fits = true;
  for (slot const* s : c.context->inputs()) fits = fits && add(s, true);
  for (slot const* s : c.context->outputs()) fits = fits && add(s, false);
  if (!fits) {
    operands.resize(before);
    return false;
  }
  members.push_back({c.kernel, c.context, pattern->does, c.context->input_count(), operand_count});
  count = elements;
  block = members.size() == 1 ? element_chains<B>::block_bytes / widest
                              : std::min(block, element_chains<B>::block_bytes / widest);
  return true;
}

// Finds what only the chain needs, and gives it a buffer from where it is written to where it is last read.
template <backend B>
template <class LastUse>
void element_chain<B>::place_buffers(LastUse const& last_use) {
  struct buffer {
    slot const* holds = nullptr;
    op_index until = 0;
  };
  std::array<buffer, element_chains<B>::most_buffers> buffers;
  auto const last = first + static_cast<op_index>(members.size() - 1);
  auto const find = [&](slot const* s) { return std::ranges::find(buffers, s, &buffer::holds); };
  operand* o = operands.data();
  for (op_index op = first; op <= last; ++op) {
    member const& m = members[op - first];
    for (std::size_t k = 0; k != m.operands; ++k, ++o) {
      auto at = find(o->from);
      bool const is_output = k >= m.inputs;
      if (is_output && at == buffers.end() && last_use(*o->from) <= last) {
        at = find(nullptr);
        if (at != buffers.end()) *at = {o->from, last_use(*o->from)};
      }
      if (at != buffers.end()) o->in_buffer = static_cast<std::uint32_t>(at - buffers.begin());
    }
    // Only now: a function may read an input after it has begun to write an output.
    for (buffer& b : buffers)
      if (b.until <= op) b = {};
  }
}

template <backend B>
template <class LastUse>
void element_chain<B>::find_calls(LastUse const& last_use) {
  std::size_t at = 0;
  for (std::size_t m = 0; m != members.size();) {
    std::size_t const taken = find_line(m, at, last_use);
    if (taken == 0) {
      calls.push_back({members[m].does, members[m].operands});
      for (std::size_t k = 0; k != members[m].operands; ++k) called_with.push_back(static_cast<std::uint32_t>(at + k));
    }
    for (std::size_t const end = m + std::max<std::size_t>(taken, 1); m != end; ++m) at += members[m].operands;
  }
  // A result that nobody reads stands in a buffer, which has room for a block.
  one_loop = calls.size() == 1 &&
             std::ranges::all_of(called_with, [this](std::uint32_t k) { return operands[k].in_buffer == npos; });
  if (one_loop) block = count;
}

// Makes a line of the members from m on, whose operands begin with `at`, as far as each takes over what only it needs
// of the one before. How many that are; 0 if not two.
template <backend B>
template <class LastUse>
std::size_t element_chain<B>::find_line(std::size_t m, std::size_t at, LastUse const& last_use) {
  auto made = std::make_unique<straight_line>(operands[at].bytes == 0);
  std::vector<std::uint32_t> with{static_cast<std::uint32_t>(at)};
  slot const* handed = operands[at].from;
  std::size_t result = at;
  std::size_t taken = 0;
  for (; m + taken != members.size(); ++taken) {
    member const& next = members[m + taken];
    simple_function const f = next.does.simple;
    if (f == simple_function::none || next.does.type != members[m].does.type) break;
    operand const* const own = operands.data() + at;
    bool const is_left = own[0].from == handed;
    bool const two = takes_two(f);
    if (taken != 0 && (two ? is_left == (own[1].from == handed) : !is_left)) break;
    if (!made->add(is_left ? f : exchanged(f), two && own[is_left ? 1 : 0].bytes == 0)) break;
    if (two) with.push_back(static_cast<std::uint32_t>(at + (is_left ? 1 : 0)));
    result = at + next.inputs;
    at += next.operands;
    operand const& out = operands[result];
    bool const goes_on = out.in_buffer != npos && last_use(*out.from) == first + m + taken + 1;
    handed = goes_on ? out.from : nullptr;
  }
  if (taken < 2) return 0;
  with.push_back(static_cast<std::uint32_t>(result));
  visit_type<float, double>(members[m].does.type, [&]<class T>(T) {
    calls.push_back({{made->template loop<T>(), made.get()}, with.size()});
  });
  called_with.insert(called_with.end(), with.begin(), with.end());
  lines.push_back(std::move(made));
  return taken;
}

// Notes where the operands are.
template <backend B>
void element_chain<B>::find_operands() {
  bool moved = false;
  for (operand& o : operands) {
    if (o.in_buffer != npos) continue;
    auto* const now = static_cast<std::byte*>(o.from->data);
    moved = moved || o.data != now;
    o.data = now;
  }
  if (!moved) return;
  overlaps = share_memory();
  find_fetched();
  whole.clear();
  if (one_loop)
    for (std::uint32_t const k : called_with) whole.push_back(operands[k].data);
}

template <backend B>
void element_chain<B>::find_fetched() {
  fetched.clear();
  if (one_loop) return;
  std::size_t bytes = 0;
  for (operand const& o : operands) {
    if (o.in_buffer != npos || o.bytes == 0 || std::ranges::find(fetched, o.data, &stream::data) != fetched.end())
      continue;
    fetched.push_back({o.data, o.bytes});
    bytes += count * o.bytes;
  }
  if (bytes < element_chains<B>::far_bytes) fetched.clear();
}

// Whether memory that one op writes is another's, or another operand's of its own, but for the same elements.
template <backend B>
bool element_chain<B>::share_memory() const {
  std::less<std::byte const*> const less;
  auto const end = [this](operand const& o) {
    return o.data + (o.bytes == 0 ? size_of(o.from->type.type) : count * o.bytes);
  };
  auto const meet = [&](operand const& a, operand const& b) {
    if (a.in_buffer != npos || b.in_buffer != npos) return false;
    if (a.data == b.data && a.bytes == b.bytes && a.bytes != 0) return false;
    return less(a.data, end(b)) && less(b.data, end(a));
  };
  std::size_t at = 0;
  for (member const& writer : members) {
    for (std::size_t o = at + writer.inputs; o != at + writer.operands; ++o)
      for (operand const& other : operands)
        if (meet(operands[o], other)) return true;
    at += writer.operands;
  }
  return false;
}

template <backend B>
void element_chain<B>::run(std::size_t begin, std::size_t end) const {
  alignas(64) std::array<std::byte, element_chains<B>::most_buffers * element_chains<B>::block_bytes> buffers;
  std::array<void*, most_operands> at;
  std::size_t const step = fetched.empty() ? block : block / 2;
  for (; begin < end; begin += step) {
    std::size_t const length = std::min(step, end - begin);
    std::size_t const ahead = std::min(step, end - begin - length);
    std::uint32_t const* with = called_with.data();
    for (std::size_t n = 0; n != calls.size(); ++n) {
      // Before each call as much. Not a function of its own: GCC takes one that only fetches for one that does nothing.
      for (stream const& s : fetched) {
        std::size_t const cached = ahead * s.bytes / 64;
        std::byte const* const from = s.data + (begin + length) * s.bytes;
        for (std::size_t i = cached * n / calls.size(); i != cached * (n + 1) / calls.size(); ++i)
          __builtin_prefetch(from + i * 64);
      }
      for (std::size_t k = 0; k != calls[n].operands; ++k, ++with) {
        operand const& o = operands[*with];
        at[k] = o.in_buffer == npos ? o.data + begin * o.bytes
                                    : buffers.data() + o.in_buffer * element_chains<B>::block_bytes;
      }
      calls[n].does.run(calls[n].does.self, at.data(), length);
    }
  }
}

template <backend B>
void element_chain<B>::run(op_index& op) {
  if (overlaps) {
    for (member const& m : members) {
      m.kernel->run(*m.context);
      ++op;
    }
    --op;
    return;
  }
  if (count <= tile_size && !whole.empty())
    calls[0].does.run(calls[0].does.self, whole.data(), count);
  else if (count <= tile_size)
    run(0, count);
  else
    for_each_tile<B>(count, tile_size, [this](std::size_t begin, std::size_t end) { run(begin, end); });
  op += static_cast<op_index>(members.size() - 1);
}

}  // namespace detail

}  // namespace plait
