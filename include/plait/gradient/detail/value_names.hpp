// Name assignment for the values of a gradient tape, like register allocation: no live value is overwritten.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/symbols.hpp>
#include <plait/gradient/detail/gradient_tape.hpp>

namespace plait {

/// Assigns a blob to each value of a tape: its wish if that name is free, else the wish with a numeric suffix. A name
/// is free for an output of an op if the value that holds it is dead: no later op reads it. O(operands), amortised.
class value_names {
 public:
  /// `order`: the tape's ops in execution order.
  value_names(gradient_tape& tape, std::span<std::uint32_t const> order) : tape_(&tape), order_(order) {
    names_.resize(tape.value_count());
    last_read_.assign(tape.value_count(), 0);
    std::uint32_t at = 0;
    for (std::uint32_t op : order) {
      ++at;
      for (gradient_operand in : tape.inputs(op)) last_read_[in.id] = at;
    }
    find_wishes();
    holder_.assign(tape.texts.size(), npos);
  }

  /// Sets the name of a forward value that may be overwritten by now.
  void call(symbol name, gradient_operand v) { names_[v.id] = name; }
  /// Lets a value hold a name from the start.
  void hold(symbol name, gradient_operand v) {
    names_[v.id] = name;
    holder(name) = v.id;
  }
  /// Grants all wishes, even names of live values (as_caffe2).
  void force_wishes() { force_all_ = true; }
  /// Keeps a value live to the end, so that no other value gets its name.
  void keep(gradient_operand v) { last_read_[v.id] = forever; }

  void assign() {
    std::uint32_t at = 0;
    for (std::uint32_t op : order_) {
      ++at;
      // In place: an output may take the name of an input that dies at this op, unless the op forbids it.
      std::uint32_t const needed_from = tape_->ops()[op].not_in_place ? at : at + 1;
      for (gradient_operand out : tape_->outputs(op)) {
        gradient_tape::made_value const& made = tape_->made(out);
        symbol name = names_[made.like == npos ? out.id : made.like];
        if (!made.forced && !force_all_ && !is_free(name, needed_from, op)) name = fresh(name, needed_from, op);
        names_[out.id] = name;
        holder(name) = out.id;
      }
    }
  }

  symbol operator[](gradient_operand v) const { return names_[v.id]; }

 private:
  static constexpr std::uint32_t forever = npos;

  // Interns the wishes. In a large table cache misses dominate, so that slots are prefetched some names ahead: not
  // immediately, since the hash would stall on the text, whose stores are still in flight.
  void find_wishes() {
    struct wish {
      gradient_operand of;
      std::string text;
    };
    std::array<wish, 32> ring;
    constexpr std::size_t written = 6;  // age, in names, at which the text is hashed
    std::size_t next = 0;
    auto const settle = [&]() -> wish& {
      tape_->texts.prefetch(ring[(next + ring.size() - written) % ring.size()].text);
      wish& oldest = ring[next++ % ring.size()];
      if (oldest.of) names_[oldest.of.id] = tape_->texts.intern(oldest.text);
      return oldest;
    };
    for (std::uint32_t op : order_)
      for (gradient_operand out : tape_->outputs(op)) {
        gradient_tape::made_value const& made = tape_->made(out);
        if (made.like != npos) continue;
        names_[out.id] = made.wish;
        if (!made.of_blob && made.split == npos) continue;
        wish& w = settle();
        w.of = out;
        tape_->write_wish(made, w.text);
      }
    for (std::size_t i = 0; i != ring.size(); ++i) settle();
  }

  std::uint32_t& holder(symbol name) {
    if (name.id >= holder_.size()) holder_.resize(tape_->texts.size(), npos);
    return holder_[name.id];
  }
  bool is_free(symbol name, std::uint32_t needed_from, std::uint32_t op) {
    std::uint32_t const held = holder(name);
    if (held == npos) return true;
    if (last_read_[held] >= needed_from) return false;
    // Outputs of one op need distinct names.
    return held < tape_->forward_count() || tape_->made({held}).maker != op;
  }
  symbol fresh(symbol wish, std::uint32_t needed_from, std::uint32_t op) {
    std::string const base = std::string(tape_->texts[wish]) + '_';
    std::uint32_t& k = next_[wish.id];
    symbol name;
    do {
      name = tape_->texts.intern(base + std::to_string(++k));
    } while (!is_free(name, needed_from, op));
    return name;
  }

  gradient_tape* tape_;
  std::span<std::uint32_t const> order_;
  std::vector<symbol> names_;             // by value
  std::vector<std::uint32_t> last_read_;  // by value: 1 + position of the last reader; 0 if none
  std::vector<std::uint32_t> holder_;     // by symbol: the value that holds the name
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> next_;
  bool force_all_ = false;
};

}  // namespace plait
