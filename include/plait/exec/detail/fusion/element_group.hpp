// Element-wise group: all ops of the group run for a block of elements, then for the next.
//
// The result of one op is in L1 when the next reads it, and not written to memory at all if only the group reads it;
// only the elements' own functions are called. Sums, products and the like of which each needs the one before are a
// straight line: what they compute does not leave registers.
//
// While a block is computed, the next one is prefetched: the hardware prefetches for a long loop, but not for one that
// ends after a page.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/fusion/fused_group.hpp>
#include <plait/exec/detail/kernels/straight_line.hpp>
#include <plait/exec/kernels/for_each.hpp>

namespace plait {

/// Ops on equal numbers of elements, on single elements for all, and on rows that are repeated. On hosts.
template <backend B>
class element_group final : public fused_group<B> {
 public:
  /// Bytes of each operand in a block: few enough that some operands are in L1 together.
  static constexpr std::size_t block_bytes = std::size_t{1} << 12;
  /// Bytes of all operands in memory from which the next block is prefetched: more than L2 holds; where it does hold
  /// them, prefetching costs a tenth. Blocks are half as long then, as processors track only so many fetches.
  static constexpr std::size_t far_bytes = std::size_t{1} << 22;
  /// Maximum of ops: each is compared with all others.
  static constexpr std::size_t most_ops = 32;
  /// Maximum of operands of an op.
  static constexpr std::size_t most_operands = 16;
  /// Blocks on the stack for values that only the group reads: with those of other operands they fit in L1.
  static constexpr std::size_t most_buffers = 4;

  explicit element_group(op_index op) : fused_group<B>(op) {}

  /// Adds the next op; returns false if the group ends before it. O(operands of the group).
  bool take(fusion_candidate<B> const& c);
  /// After the last op: returns true if there are two and more. `last_use(slot)` is the last op that reads a value; any
  /// number behind the group's for one that is needed after a run.
  template <class LastUse>
  bool finish(LastUse const& last_use) {
    if (members_.size() < 2) return false;
    place_buffers(last_use);
    find_calls(last_use);
    return true;
  }

  group_kind kind() const noexcept override { return group_kind::elements; }
  std::size_t size() const noexcept override { return members_.size(); }
  void run(op_index& op) override {
    find_operands();
    run_again(op);
  }
  void run_again(op_index& op) override;
  bool divides(std::uint32_t storage) const override {
    return detail::divides(std::span<group_member<B> const>(members_), storage);
  }

 private:
  struct operand {
    slot const* from;
    std::size_t bytes;               // of an element; 0: one element for all
    std::byte* data = nullptr;       // in memory; nullptr in a buffer
    std::uint32_t in_buffer = npos;  // which
    std::size_t repeated = 0;        // elements of a row for all rows; 0: none
  };
  // Function called for a block: a member's, or a straight line of several.
  struct call {
    element_function does;
    std::size_t operands;
  };
  struct stream {
    std::byte const* data;
    std::size_t bytes;  // of an element
  };

  std::size_t inputs_of(std::size_t m) const { return members_[m].context->input_count(); }
  std::size_t operands_of(std::size_t m) const { return inputs_of(m) + members_[m].context->output_count(); }
  template <class LastUse>
  void place_buffers(LastUse const& last_use);
  template <class LastUse>
  void find_calls(LastUse const& last_use);
  template <class LastUse>
  std::size_t find_line(std::size_t m, std::size_t at, LastUse const& last_use);
  static void repeat(operand const& o, std::size_t begin, std::size_t length, std::byte* to);
  void find_operands();
  void find_fetched();
  PLAIT_NO_INLINE void run_elements(std::size_t begin, std::size_t end) const;  // has no loop to vectorise

  std::size_t count_ = 0;  // elements
  std::size_t block_ = 0;  // elements at a time
  bool one_loop_ = false;  // one call over memory: blocks of any size do
  // Small: a net of thousands of ops has thousands of short groups.
  boost::container::small_vector<group_member<B>, 2> members_;
  boost::container::small_vector<operand, 6> operands_;  // of all members
  boost::container::small_vector<call, 2> calls_;
  boost::container::small_vector<std::uint32_t, 6> called_with_;  // of all calls: which operands
  std::vector<std::unique_ptr<straight_line>> lines_;
  std::vector<stream> fetched_;  // operands in memory, if they are prefetched
  std::vector<void*> whole_;     // addresses of the operands, if the group is one loop
};

template <backend B>
bool element_group<B>::take(fusion_candidate<B> const& c) {
  auto const* const pattern = c.find(pattern_kind::elements);
  if (pattern == nullptr || members_.size() == most_ops || c.context->output_count() == 0) return false;
  std::size_t const elements = c.context->output_size(0);
  if (elements < 2 || (count_ != 0 && elements != count_)) return false;
  if (c.context->input_count() + c.context->output_count() > most_operands) return false;
  group_member<B> next{c.kernel, c.context, *pattern};
  std::size_t widest = 1;
  std::size_t const before = operands_.size();
  auto const refuse = [&] {
    operands_.resize(before);
    return false;
  };
  for (slot const* s : c.context->inputs()) {
    auto const size = static_cast<std::size_t>(s->type.dims.size());
    bool const repeated = size != elements && size != 1;
    if (repeated && size != pattern->width) return refuse();
    if (size != elements) next.by.whole_inputs |= std::uint64_t{1} << (operands_.size() - before);
    operands_.push_back({.from = s,
                         .bytes = size == elements || repeated ? size_of(s->type.type) : 0,
                         .repeated = repeated ? size : 0});
  }
  for (slot const* s : c.context->outputs()) {
    if (static_cast<std::size_t>(s->type.dims.size()) != elements) return refuse();
    operands_.push_back({.from = s, .bytes = size_of(s->type.type)});
  }
  if (detail::clashes(next, next)) return refuse();
  if (std::ranges::any_of(members_, [&](auto const& m) { return detail::clashes(m, next); })) return refuse();
  for (std::size_t k = before; k != operands_.size(); ++k) widest = std::max(widest, operands_[k].bytes);
  block_ = members_.empty() ? block_bytes / widest : std::min(block_, block_bytes / widest);
  members_.push_back(next);
  count_ = elements;
  return true;
}

// Finds values that only the group needs, and gives each a buffer from where it is written to where it is last read.
template <backend B>
template <class LastUse>
void element_group<B>::place_buffers(LastUse const& last_use) {
  struct buffer {
    slot const* holds = nullptr;
    op_index until = 0;
  };
  std::array<buffer, most_buffers> buffers;
  auto const last = this->first + static_cast<op_index>(members_.size() - 1);
  auto const find = [&](slot const* s) { return std::ranges::find(buffers, s, &buffer::holds); };
  operand* o = operands_.data();
  for (op_index op = this->first; op <= last; ++op) {
    std::size_t const m = op - this->first;
    for (std::size_t k = 0; k != operands_of(m); ++k, ++o) {
      auto at = find(o->from);
      bool const is_output = k >= inputs_of(m);
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
void element_group<B>::find_calls(LastUse const& last_use) {
  std::size_t at = 0;
  for (std::size_t m = 0; m != members_.size();) {
    std::size_t const taken = find_line(m, at, last_use);
    if (taken == 0) {
      calls_.push_back({members_[m].by.does, operands_of(m)});
      for (std::size_t k = 0; k != operands_of(m); ++k) called_with_.push_back(static_cast<std::uint32_t>(at + k));
    }
    for (std::size_t const end = m + std::max<std::size_t>(taken, 1); m != end; ++m) at += operands_of(m);
  }
  // An unused result has a buffer, with room for one block only, as has a repeated row.
  one_loop_ = calls_.size() == 1 && std::ranges::all_of(called_with_, [this](std::uint32_t k) {
                return operands_[k].in_buffer == npos && operands_[k].repeated == 0;
              });
  if (one_loop_) block_ = count_;
}

// Makes a straight line of the members from m on, whose operands begin with `at`, as far as each is the only reader of
// the result before. Returns the number of these members; 0 if not two.
template <backend B>
template <class LastUse>
std::size_t element_group<B>::find_line(std::size_t m, std::size_t at, LastUse const& last_use) {
  auto made = std::make_unique<straight_line>(operands_[at].bytes == 0);
  std::vector<std::uint32_t> with{static_cast<std::uint32_t>(at)};
  slot const* handed = operands_[at].from;
  std::size_t result = at;
  std::size_t taken = 0;
  bool repeats = false;  // a call has room for one repeated row
  for (; m + taken != members_.size(); ++taken) {
    element_function const& next = members_[m + taken].by.does;
    simple_function const f = next.simple;
    if (f == simple_function::none || next.type != members_[m].by.does.type) break;
    operand const* const own = operands_.data() + at;
    bool const is_left = own[0].from == handed;
    bool const two = takes_two(f);
    if (taken != 0 && (two ? is_left == (own[1].from == handed) : !is_left)) break;
    bool const repeats_here = own[0].repeated != 0 || (two && own[1].repeated != 0);
    if (repeats && repeats_here) break;
    if (!made->add(is_left ? f : exchanged(f), two && own[is_left ? 1 : 0].bytes == 0)) break;
    if (two) with.push_back(static_cast<std::uint32_t>(at + (is_left ? 1 : 0)));
    repeats = repeats || repeats_here;
    result = at + inputs_of(m + taken);
    at += operands_of(m + taken);
    operand const& out = operands_[result];
    bool const goes_on = out.in_buffer != npos && last_use(*out.from) == this->first + m + taken + 1;
    handed = goes_on ? out.from : nullptr;
  }
  if (taken < 2) return 0;
  with.push_back(static_cast<std::uint32_t>(result));
  visit_type<float, double>(members_[m].by.does.type, [&]<class T>(T) {
    calls_.push_back({{made->template loop<T>(), made.get()}, with.size()});
  });
  called_with_.insert(called_with_.end(), with.begin(), with.end());
  lines_.push_back(std::move(made));
  return taken;
}

template <backend B>
void element_group<B>::find_operands() {
  bool moved = false;
  for (operand& o : operands_) {
    if (o.in_buffer != npos) continue;
    auto* const now = static_cast<std::byte*>(o.from->data);
    moved = moved || o.data != now;
    o.data = now;
  }
  if (!moved) return;
  find_fetched();
  whole_.clear();
  if (one_loop_)
    for (std::uint32_t const k : called_with_) whole_.push_back(operands_[k].data);
}

template <backend B>
void element_group<B>::find_fetched() {
  fetched_.clear();
  if (one_loop_ || count_ * sizeof(double) * operands_.size() < far_bytes) return;
  std::size_t bytes = 0;
  for (operand const& o : operands_) {
    if (o.in_buffer != npos || o.bytes == 0 || o.repeated != 0 ||
        std::ranges::find(fetched_, o.data, &stream::data) != fetched_.end())
      continue;
    fetched_.push_back({o.data, o.bytes});
    bytes += count_ * o.bytes;
  }
  if (bytes < far_bytes) fetched_.clear();
}

// Writes a block of the rows that a repeated row stands for.
template <backend B>
void element_group<B>::repeat(operand const& o, std::size_t begin, std::size_t length, std::byte* to) {
  std::size_t const width = o.repeated * o.bytes;
  std::size_t from = begin % o.repeated * o.bytes;
  for (std::size_t left = length * o.bytes; left != 0; from = 0) {
    std::size_t const count = std::min(left, width - from);
    std::memcpy(to, o.data + from, count);
    to += count;
    left -= count;
  }
}

template <backend B>
void element_group<B>::run_elements(std::size_t begin, std::size_t end) const {
  alignas(64) std::array<std::byte, most_buffers * block_bytes> buffers;
  alignas(64) std::array<std::byte, block_bytes> rows;
  std::array<void*, most_operands> at;
  std::size_t const step = fetched_.empty() ? block_ : block_ / 2;
  for (; begin < end; begin += step) {
    std::size_t const length = std::min(step, end - begin);
    std::size_t const ahead = std::min(step, end - begin - length);
    std::uint32_t const* with = called_with_.data();
    for (std::size_t n = 0; n != calls_.size(); ++n) {
      // As much before each call. TRAP: GCC removes the call of a function that only prefetches.
      for (stream const& s : fetched_) {
        std::size_t const cached = ahead * s.bytes / 64;
        std::byte const* const from = s.data + (begin + length) * s.bytes;
        for (std::size_t i = cached * n / calls_.size(); i != cached * (n + 1) / calls_.size(); ++i)
          __builtin_prefetch(from + i * 64);
      }
      for (std::size_t k = 0; k != calls_[n].operands; ++k, ++with) {
        operand const& o = operands_[*with];
        if (o.repeated != 0)
          repeat(o, begin, length, static_cast<std::byte*>(at[k] = rows.data()));
        else
          at[k] = o.in_buffer == npos ? o.data + begin * o.bytes : buffers.data() + o.in_buffer * block_bytes;
      }
      calls_[n].does.run(calls_[n].does.self, at.data(), length);
    }
  }
}

template <backend B>
void element_group<B>::run_again(op_index& op) {
  if (count_ <= tile_size && !whole_.empty())
    calls_[0].does.run(calls_[0].does.self, whole_.data(), count_);
  else if (count_ <= tile_size)
    run_elements(0, count_);
  else
    for_each_tile<B>(count_, tile_size, [this](std::size_t begin, std::size_t end) { run_elements(begin, end); });
  op = this->first + static_cast<op_index>(members_.size() - 1);
}

}  // namespace plait
