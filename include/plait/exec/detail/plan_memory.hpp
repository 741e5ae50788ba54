// Memory planning: arena blocks that intermediate values share by live range, and tensors of kept values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <plait/core/detail/csr.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/detail/fusion/find_groups.hpp>
#include <plait/exec/detail/memory_pool.hpp>
#include <plait/exec/detail/op_order.hpp>
#include <plait/exec/detail/plan_layout.hpp>
#include <plait/exec/detail/saturating.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/exec/tensor.hpp>

namespace plait {

/// Memory of a plan, from the backend's pool. Values leave their block after their last use; blocks are reused
/// greedily: the smallest that fits, else the largest, which grows. O(log(free blocks)) each. Kept values have a tensor
/// each.
template <backend B>
class plan_memory {
 public:
  using value_number = plan_layout::value_number;

  /// Error: out of memory for a value, or for scratch memory of an op (npos).
  struct shortage : memory_error {
    shortage(std::size_t asked_for, value_number v, op_index of_op) : memory_error(asked_for), value(v), op(of_op) {}
    value_number value;
    op_index op;  // npos: the one that writes the value
  };

  /// Prepares for a layout. Without `reuse`, no two storages share a block.
  void reset(plan_layout const& layout, bool reuse) {
    reuse_ = reuse;
    values_.assign(layout.value_count(), memory_of_value());
    parts_.assign(layout.stages().size(), part());
    block_of_.assign(layout.storage_count(), npos);
    value_of_.assign(layout.storage_count(), npos);
    dying_.start_counting(layout.op_count());
    for (std::uint32_t s = 0; s != layout.storage_count(); ++s) dying_.count(layout[s].last_use);
    dying_.end_counting();
    for (auto s = static_cast<std::uint32_t>(layout.storage_count()); s-- != 0;) dying_.place(layout[s].last_use, s);
  }

  /// Allows any order of ops that keeps `order`. A block is reused only if all ops that access its value precede the op
  /// that writes the next. Called after reset.
  void set_order(plan_layout const& layout, op_order order) {
    order_ = std::move(order);
    reuse_ = !order_.empty();
    users_.assign(layout.storage_count(), {});
    for (op_index op = 0; op != layout.op_count(); ++op) {
      for (value_number v : layout.reads(op)) users_[layout.storage_of(v)].push_back(op);
      for (value_number v : layout.writes(op)) users_[layout.storage_of(v)].push_back(op);
    }
    // The last use may be that of a rollback.
    for (std::uint32_t s = 0; s != layout.storage_count(); ++s)
      if (layout[s].last_use < layout.op_count()) users_[s].push_back(layout[s].last_use);
  }

  /// Plans no memory for the output of `maker`, a streamed op of the first stage, and keeps its inputs until the stage
  /// ends. npos: none.
  void set_streamed(op_index maker) noexcept { streamed_ = maker; }

  /// Makes place() only plan, without allocating. The slots' data is meaningless then.
  void measure_only() noexcept { measures_ = true; }

  /// Allocates memory for the outputs of ops `first` to `last`, excluded, of known types, and sets the slots' data. The
  /// ops make up a stage. `groups` are those of the stage, and of stages before. `scratch`, by op of the stage, has the
  /// bytes and receives the address of scratch memory. Throws shortage.
  void place(plan_layout const& layout, std::size_t stage, op_index first, op_index last, fused_groups<B> const& groups,
             std::span<slot> slots, std::span<std::pair<std::size_t, void*>> scratch);

  /// Updates the addresses of values of a stage in fed memory, or in that of kept values or results. A tensor for which
  /// in_use(value, tensor) holds must not be written in this run: the value changes to a spare one. Throws shortage.
  template <class InUse>
  void refresh(plan_layout const& layout, std::size_t stage, std::span<slot> slots, InUse in_use) {
    for (value_number v : parts_[stage].moving) {
      memory_of_value& own = values_[v];
      if (own.home != v) {
        value_number const source = layout.stands_in(v);
        own.home = values_[source].home;
        slots[v].data = slots[source].data;
        continue;
      }
      if (in_use(v, own.memory)) {
        std::swap(own.memory, own.spare);
        // The spare may be in use, too.
        if (!own.memory.is_unique() || in_use(v, own.memory)) own.memory = tensor<B>();
      }
      if (own.memory.spec() != slots[v].type || (own.memory.raw() == nullptr && own.memory.bytes() != 0))
        own.memory = make(v, slots[v].type);
      slots[v].data = own.memory.raw();
    }
  }

  /// Takes over the result of an op for a value: a tensor, or, if it is non-owning, the memory of `source`.
  void accept(value_number v, value_number source, tensor<B> result) {
    memory_of_value& own = values_[v];
    own.kept = source == npos || result.owner() != nullptr;
    own.home = own.kept ? v : values_[source].home;
    own.memory = own.kept ? std::move(result) : tensor<B>();
  }
  /// Releases the result, before the op makes another.
  void drop(value_number v) { values_[v].memory = tensor<B>(); }

  /// Moves a kept value to the tensor of its blob, if it fits and no other handle shares it; else to a new one.
  void move_home(value_number v, tensor<B>& held, std::span<slot const> slots) {
    value_number const home = values_[v].home;
    if (home == npos || !values_[home].kept || values_[home].result) return;
    memory_of_value& own = values_[home];
    tensor_spec const& type = slots[home].type;
    if (own.spare.owner() != nullptr) own.spare = tensor<B>();
    bool const fits =
        held.owner() != nullptr && held.is_unique() && held.is_contiguous() && held.bytes() == type.bytes();
    if (fits)
      own.memory = tensor<B>::adopt(held.raw(), type, row_major(type.dims), held.owner());
    else
      own.memory.view(nullptr, type);  // stand_at or refresh follows
  }

  /// Moves a kept value to memory of the caller, until move_home. Returns false if it has no tensor of its own, or one
  /// of another size.
  bool stand_at(value_number v, void* data, std::size_t bytes, std::span<slot const> slots) {
    value_number const home = values_[v].home;
    if (home == npos || !values_[home].kept || values_[home].result || slots[home].type.bytes() != bytes) return false;
    values_[home].memory.view(data, slots[home].type);
    return true;
  }

  /// Returns the tensor of a kept value, of any shape of as many bytes; nullptr if it is in fed memory.
  tensor<B> const* kept(value_number v) const {
    value_number const home = values_[v].home;
    return home == npos || !values_[home].kept ? nullptr : &values_[home].memory;
  }
  /// Returns true if a value shares the memory of another, as its layout allows if their sizes match.
  bool is_shared(plan_layout const& layout, value_number v) const {
    return layout.stands_in(v) != npos && values_[v].home != v;
  }

  /// Returns the value whose memory a value has; npos for fed memory.
  value_number home(value_number v) const { return values_[v].home; }
  /// Returns true if a value has its own tensor, which is not a result.
  bool has_own(value_number v) const { return values_[v].home == v && values_[v].kept && !values_[v].result; }

  /// Returns the bytes of the blocks, which is the peak of intermediate values.
  std::size_t block_bytes() const {
    std::size_t sum = 0;
    for (part const& p : parts_)
      for (block const& b : p.blocks)
        sum = detail::add_sat(sum, measures_ ? memory_pool<B>::block_size(b.bytes) : b.bytes);
    return sum;
  }
  /// Returns the bytes of the tensors of kept values.
  std::size_t kept_bytes() const {
    std::size_t sum = 0;
    for (memory_of_value const& own : values_) sum += own.memory.bytes();
    return sum;
  }

 private:
  struct memory_of_value {
    tensor<B> memory = {};  // of kept values
    tensor<B> spare = {};
    value_number home = npos;  // the value whose memory it has; npos for fed memory
    bool kept = false;         // `memory` is in use
    bool result = false;       // an op determines the address in its run
    bool moves = false;        // the address may change from run to run
  };
  struct block {
    std::size_t bytes;
    std::shared_ptr<void> memory;
    value_number value;                // the largest in it; npos for scratch memory
    op_index op;                       // that writes it
    std::vector<op_index> users = {};  // if ops run in any order: of the value that has left it
  };
  struct part {  // of a stage
    std::vector<block> blocks;
    std::vector<value_number> moving;  // in op order
  };

  using free_blocks = std::set<std::pair<std::size_t, std::uint32_t>>;  // their bytes and numbers
  std::uint32_t choose(std::vector<block>& blocks, free_blocks& free, std::size_t bytes, value_number v,
                       op_index op) const {
    auto const best = find_free(blocks, free, bytes, op);
    if (best == free.end()) {
      blocks.push_back({bytes, nullptr, v, op});
      return static_cast<std::uint32_t>(blocks.size() - 1);
    }
    std::uint32_t const found = best->second;
    free.erase(best);
    if (blocks[found].bytes < bytes) blocks[found] = {bytes, nullptr, v, op};
    return found;
  }
  // Finds the smallest block that fits, else the largest, of those that the op may write.
  free_blocks::iterator find_free(std::vector<block> const& blocks, free_blocks& free, std::size_t bytes,
                                  op_index op) const {
    constexpr int most_tried = 64;
    int tried = 0;
    auto const may_write = [&](auto const& at) {
      return std::ranges::all_of(blocks[at.second].users, [&](op_index u) { return order_.precedes(u, op); });
    };
    auto const fits = free.lower_bound({bytes, 0});
    for (auto at = fits; at != free.end() && ++tried != most_tried; ++at)
      if (may_write(*at)) return at;
    for (auto at = fits; at != free.begin() && ++tried != most_tried;)
      if (may_write(*--at)) return at;
    return free.end();
  }
  // Throws for the first value that exceeds the capacity, whatever is allocated first.
  static void expect_room(std::size_t bytes, value_number v, op_index op) {
    if (bytes > memory_pool<B>::capacity()) throw shortage(bytes, v, op);
  }
  static tensor<B> make(value_number v, tensor_spec const& type) {
    try {
      return tensor<B>::uninitialized(type.type, type.dims);
    } catch (memory_error const& e) {
      throw shortage(e.bytes, v, npos);
    }
  }
  static void take(block& b) {
    try {
      b.memory = pooled_memory<B>(b.bytes);
    } catch (memory_error const& e) {
      throw shortage(e.bytes, b.value, b.op);
    }
  }

  std::vector<memory_of_value> values_;
  std::vector<part> parts_;
  csr<std::uint32_t> dying_;                  // storages by the op that uses them last
  std::vector<std::uint32_t> block_of_;       // by storage, of the stage that is being placed
  std::vector<value_number> value_of_;        // by storage: the first in the block
  op_order order_;                            // if ops do not run in their order in the net
  std::vector<std::vector<op_index>> users_;  // by storage, then
  op_index streamed_ = npos;
  bool reuse_ = true;
  bool measures_ = false;
};

template <backend B>
void plan_memory<B>::place(plan_layout const& layout, std::size_t stage, op_index first, op_index last,
                           fused_groups<B> const& groups, std::span<slot> slots,
                           std::span<std::pair<std::size_t, void*>> scratch) {
  std::vector<block>& blocks = parts_[stage].blocks;
  std::vector<value_number>& moving = parts_[stage].moving;
  blocks.clear();
  moving.clear();
  free_blocks free;
  auto const stays = [&](std::uint32_t s, op_index op) {
    return stage == 0 && streamed_ <= op &&
           std::ranges::any_of(layout.reads(streamed_), [&](value_number v) { return layout.storage_of(v) == s; });
  };
  auto const leave = [&](std::uint32_t at) { free.emplace(blocks[at].bytes, at); };
  bool const any_order = !order_.empty();
  std::vector<std::pair<value_number, std::uint32_t>> placed;  // values and their blocks; npos: as their source
  std::vector<std::uint32_t> scratch_block(last - first, npos);

  // A group is one point in time: blocks of values that die in it are reused by later ops, or by values of the same
  // size that the group accesses in the same chunks.
  struct held_block {
    std::uint32_t number;
    tensor_spec const* type;  // nullptr: not accessed in chunks
  };
  auto group = std::ranges::lower_bound(groups, first, {}, [](auto const& g) { return g->first; });
  std::vector<held_block> held;
  auto const take_over = [&](value_number v, op_index op) {
    auto const& type = slots[v].type;
    if (held.empty() || !(*group)->divides(slots[v].storage)) return choose(blocks, free, type.bytes(), v, op);
    auto const at = std::ranges::find_if(held, [&](held_block const& h) {
      return h.type != nullptr && h.type->bytes() == type.bytes() && size_of(h.type->type) == size_of(type.type);
    });
    if (at == held.end()) return choose(blocks, free, type.bytes(), v, op);
    std::uint32_t const found = at->number;
    held.erase(at);
    return found;
  };
  for (op_index op = first; op != last; ++op) {
    bool const in_group = group != groups.end() && (*group)->first <= op;
    bool const ends_group = in_group && op + 1 == (*group)->first + (*group)->size();
    for (value_number v : layout.writes(op)) {
      if (layout.gives_results(op)) {
        values_[v].result = values_[v].moves = true;
        continue;
      }
      if (!measures_) expect_room(slots[v].type.bytes(), v, op);
      auto const s = layout.storage_of(v);
      value_number const source = layout.stands_in(v);
      memory_of_value& own = values_[v];
      if (source != npos && slots[source].type.bytes() == slots[v].type.bytes()) {
        own.home = values_[source].home;
        own.moves = values_[source].moves || own.home == npos || values_[own.home].kept;
        if (own.moves)
          moving.push_back(v);
        else
          placed.emplace_back(v, npos);
        continue;
      }
      own.home = v;
      own.moves = false;
      if (op == streamed_) continue;
      own.kept = layout[s].kept != npos;
      if (own.kept) {
        if (!measures_ && own.memory.spec() != slots[v].type) own.memory = make(v, slots[v].type);
        slots[v].data = own.memory.raw();
        moving.push_back(v);
      } else {
        std::uint32_t const at = take_over(v, op);
        placed.emplace_back(v, at);
        if (source != npos) continue;  // the storage may have another block: this one is not reused
        block_of_[s] = at;
        value_of_[s] = v;
      }
    }
    if (std::size_t const bytes = scratch[op - first].first; bytes != 0) {
      if (!measures_) expect_room(bytes, npos, op);
      scratch_block[op - first] = choose(blocks, free, bytes, npos, op);
      if (any_order) blocks[scratch_block[op - first]].users = {op};
      if (reuse_) leave(scratch_block[op - first]);
    }
    if (!reuse_) continue;
    for (std::uint32_t s : dying_[op]) {
      if (block_of_[s] == npos || stays(s, op)) continue;
      value_number const v = value_of_[s];
      if (any_order) blocks[block_of_[s]].users = users_[s];
      if (in_group && !ends_group)
        held.push_back({block_of_[s], (*group)->divides(slots[v].storage) ? &slots[v].type : nullptr});
      else
        leave(block_of_[s]);
    }
    if (!ends_group) continue;
    for (held_block const& h : held) leave(h.number);
    held.clear();
    ++group;
  }

  for (auto const& [v, at] : placed) block_of_[layout.storage_of(v)] = npos;

  if (measures_) return;
  for (block& b : blocks) take(b);
  for (auto const& [v, at] : placed)
    slots[v].data = at == npos ? slots[layout.stands_in(v)].data : blocks[at].memory.get();
  for (value_number v : moving)
    if (values_[v].home != v) slots[v].data = slots[layout.stands_in(v)].data;
  for (op_index op = first; op != last; ++op)
    if (scratch_block[op - first] != npos) scratch[op - first].second = blocks[scratch_block[op - first]].memory.get();
}

}  // namespace plait
