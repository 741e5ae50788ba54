// Program snapshot: the reachable part of any program copied into a dense_program, in one walk.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <plait/core/assert.hpp>
#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/refused.hpp>
#include <plait/graph/detail/snapshot.hpp>
#include <plait/net/detail/blob_table.hpp>
#include <plait/ssa/detail/dense_program.hpp>
#include <plait/ssa/program_traits.hpp>

namespace plait {

namespace detail {

// Numbers the blobs of a program.
template <program P>
class program_blobs {
 public:
  constexpr void reset(P const&) { keys_.clear(); }
  constexpr std::size_t size() const noexcept { return keys_.size(); }
  constexpr blob_index intern(P const&, block_t<P> const& net, program_name_t<P> const& name) {
    return keys_.intern(name_key(net, name));
  }
  constexpr blob_index intern_key(program_key_t<P> const& key) { return keys_.intern(key); }
  template <class Key>
  constexpr blob_index find(Key const& key) const {
    return keys_.find(key);
  }
  constexpr program_key_t<P> key(blob_index b) const { return keys_[b]; }

 private:
  key_index<program_key_t<P>> keys_;
};

template <has_program_names P>
class program_blobs<P> {
  using traits = program_traits<P>;

 public:
  constexpr void reset(P const& p) { program_ = &p; }
  constexpr std::size_t size() const { return static_cast<std::size_t>(traits::name_count(*program_)); }
  constexpr blob_index intern(P const& p, block_t<P> const&, program_name_t<P> const& name) const {
    return static_cast<blob_index>(traits::name_index(p, name));
  }
  template <class Key>
  constexpr blob_index find(Key const& wanted) const {
    if constexpr (requires { traits::find_name(*program_, wanted); }) {
      auto const i = static_cast<std::size_t>(traits::find_name(*program_, wanted));
      return i < size() ? static_cast<blob_index>(i) : npos;
    } else if constexpr (std::convertible_to<Key const&, program_name_t<P>>) {
      program_name_t<P> const name = wanted;
      auto const i = static_cast<std::size_t>(traits::name_index(*program_, name));
      return i < size() && program_name_t<P>(traits::name_at(*program_, i)) == name ? static_cast<blob_index>(i) : npos;
    } else {
      for (blob_index b = 0; b != size(); ++b)
        if (key(b) == wanted) return b;
      return npos;
    }
  }
  constexpr program_key_t<P> key(blob_index b) const {
    auto const entry = plait::entry(*program_);
    auto&& net = plait::block(*program_, entry);
    // Takes the name by reference, since the key may be a view of it.
    return name_key(net, static_cast<program_name_t<P> const&>(traits::name_at(*program_, b)));
  }

 private:
  P const* program_ = nullptr;
};

}  // namespace detail

/// Maps nodes, ops and blobs to numbers and back, and holds the dense program, as of the last compute(), which reuses
/// the memory. Refers to the program, which must not move. O(program) time and space.
template <program P>
class program_snapshot {
 public:
  using key_type = program_key_t<P>;

  constexpr program_snapshot() = default;
  constexpr explicit program_snapshot(P const& p) { compute(p); }
  template <class Because = because::it_refers_to_the_program_so_a_temporary_is_refused>
  program_snapshot(P const&&) = delete;

  constexpr void compute(P const& p);
  template <class Because = because::it_refers_to_the_program_so_a_temporary_is_refused>
  void compute(P const&&) = delete;

  constexpr flow_snapshot<P> const& graph() const noexcept { return graph_; }
  constexpr dense_program const& code() const noexcept { return code_; }

  // ---- blobs
  constexpr key_type name(blob_index b) const { return blobs_.key(b); }
  /// Returns the blob of a name, npos if there is none. Where the program numbers names, finds all of them, used or
  /// not. Where names are no texts, a look-up by text is linear unless the program has find_name.
  template <class Key>
  constexpr blob_index find(Key const& key) const {
    return blobs_.find(key);
  }

  // ---- ops
  /// Returns the number of the `place`-th op of the block at a node. Precondition: the entry reaches it.
  constexpr op_index op(node_t<P> const& n, std::size_t place) const {
    std::uint32_t const block = graph_.number(n);
    PLAIT_ASSERT(block != npos && place < code_.ops(block).size(), "program_snapshot: no such op");
    return code_.first_op(block) + static_cast<op_index>(place);
  }
  constexpr node_t<P> const& node(op_index op) const { return graph_.node(code_.block(op)); }
  /// Returns the position of an op in its block.
  constexpr std::size_t place(op_index op) const { return op - code_.first_op(code_.block(op)); }

 private:
  flow_snapshot<P> graph_;
  dense_program code_;
  detail::program_blobs<P> blobs_;
};

template <program P>
constexpr void program_snapshot<P>::compute(P const& p) {
  graph_.compute(p);
  code_.clear();
  blobs_.reset(p);
  for (std::uint32_t b = 0; b != graph_.size(); ++b) {
    auto&& net = plait::block(p, graph_.node(b));
    if (b == 0)
      for (auto const& name : external_inputs(net)) code_.add_external_input(blobs_.intern(p, net, name));
    for (auto&& op : ops(net)) {
      for (auto const& name : inputs(net, op)) code_.read(blobs_.intern(p, net, name));
      for (auto const& name : outputs(net, op)) code_.write(blobs_.intern(p, net, name));
      code_.end_op();
    }
    if (graph_.successors(b).empty())
      for (auto const& name : external_outputs(net)) code_.result(blobs_.intern(p, net, name));
    code_.end_block();
  }
  code_.set_blob_count(blobs_.size());
}

}  // namespace plait
