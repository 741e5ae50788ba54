// Names for the values of a gradient tape: the one wished for, unless a value that is still needed stands under it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/detail/npos.hpp>
#include <plait/core/symbols.hpp>
#include <plait/gradient/detail/gradient_tape.hpp>

namespace plait {

/// Which blob each value of a tape stands in. A name is free for an output of an op when what stands under it is read
/// by that op or earlier ops only; another name is the wish with a number behind. O(operands), amortised.
class value_names {
 public:
  /// `order`: the tape's ops as they will run.
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

  /// What a value of the net was called, which may have been overwritten.
  void call(symbol name, gradient_operand v) { names_[v.id] = name; }
  /// A value that stands under a name from the start.
  void hold(symbol name, gradient_operand v) {
    names_[v.id] = name;
    holder(name) = v.id;
  }
  /// All values have the names that they wish for, whatever stands there.
  void force_wishes() { force_all_ = true; }
  /// A value that must not lose its name to another one.
  void keep(gradient_operand v) { last_read_[v.id] = forever; }

  void assign() {
    std::uint32_t at = 0;
    for (std::uint32_t op : order_) {
      ++at;
      // An output may stand where an input did that nobody reads any more, unless the op wants them apart.
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

  // The names wished for, as symbols. In a large table the place of a name takes memory longer than all else: each is
  // asked for some names ahead. Not at once, as a hash waits for text that is on its way to memory still.
  void find_wishes() {
    struct wish {
      gradient_operand of;
      std::string text;
    };
    std::array<wish, 32> ring;
    constexpr std::size_t written = 6;  // so many names ago
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
    // Another output of the same op.
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
  std::vector<std::uint32_t> last_read_;  // by value: 1 + place of the last op that reads it; 0 if none does
  std::vector<std::uint32_t> holder_;     // by symbol: the value under it
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> next_;
  bool force_all_ = false;
};

}  // namespace plait
