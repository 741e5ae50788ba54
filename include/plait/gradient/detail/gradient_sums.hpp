// Fan-out accumulation: sums the gradients of a value with several readers.
//
// Emits the ops and names of Caffe2's IR._MakeSumOps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/gradient/detail/forward_net.hpp>
#include <plait/gradient/detail/gradient_tape.hpp>
#include <plait/net/mutation.hpp>

namespace plait {

/// A contribution to the gradient of a value.
struct gradient_source {
  gradient_operands gradient;
  op_index op = npos;  ///< the forward op that it is derived from; npos: a seed
  bool by_op = false;  ///< computed by a gradient op, not passed through
};

/// Contributions to values with fan-out, in the order they are added. add() is O(1).
class gradient_sources {
 public:
  void reset(std::size_t values) {
    nodes_.clear();
    ends_.clear();
    list_of_.assign(values, npos);
  }
  void add(std::uint32_t value, gradient_source const& source) {
    if (list_of_[value] == npos) {
      list_of_[value] = static_cast<std::uint32_t>(ends_.size());
      ends_.emplace_back();
    }
    end& e = ends_[list_of_[value]];
    auto const number = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({source, npos});
    (e.first == npos ? e.first : nodes_[e.last].next) = number;
    e.last = number;
    ++e.count;
  }
  std::uint32_t count(std::uint32_t value) const { return list_of_[value] == npos ? 0 : ends_[list_of_[value]].count; }
  std::vector<gradient_source> of(std::uint32_t value) const {
    std::vector<gradient_source> made;
    if (list_of_[value] == npos) return made;
    made.reserve(count(value));
    for (std::uint32_t at = ends_[list_of_[value]].first; at != npos; at = nodes_[at].next)
      made.push_back(nodes_[at].source);
    return made;
  }

 private:
  struct node {
    gradient_source source;
    std::uint32_t next;
  };
  struct end {
    std::uint32_t first = npos;
    std::uint32_t last = npos;
    std::uint32_t count = 0;
  };
  std::vector<node> nodes_;
  std::vector<end> ends_;
  std::vector<std::uint32_t> list_of_;  // by value: index into ends_
};

/// Returns the sort key of a gradient among those that an op's gradient ops, the ops of the tape from `first` on,
/// compute: dense ones in order of computation, then sparse ones; passed_on if none of these ops computes it.
inline constexpr std::uint64_t passed_on = ~std::uint64_t{0};
inline std::uint64_t order_of_making(gradient_tape const& tape, std::uint32_t first, gradient_operands g) {
  for (gradient_operand const v : {g.values, g.indices})
    if (tape.is_made(v) && tape.made(v).maker != npos && tape.made(v).maker >= first)
      return std::uint64_t{g.is_sparse()} << 63 | std::uint64_t{tape.made(v).maker} << 31 | tape.made(v).position;
  return passed_on;
}

/// Returns the op whose device a sum of gradients is placed on: that of the first gradient computed by an op, else that
/// of the first one passed through, which Caffe2 ignores. npos: none.
inline op_index op_to_follow(std::vector<gradient_source> const& sources, bool as_caffe2) {
  op_index found = npos;
  for (gradient_source const& s : sources) {
    if (s.by_op) return s.op != npos || as_caffe2 ? s.op : found;
    if (found == npos && !as_caffe2) found = s.op;
  }
  return found;
}

/// Returns true if gradients are on one device. Follows device_option_equal: all CPUs are equal, other devices compare
/// by number; a gradient that is passed through has no device. A fill of ones without a forward op has none either,
/// which Caffe2 takes for the CPU.
template <gradient_net N>
bool same_devices(forward_net<N> const& net, std::vector<gradient_source> const& sources, bool as_caffe2) {
  std::optional<std::int64_t> first;
  for (gradient_source const& s : sources) {
    if (!s.by_op || (s.op == npos && !as_caffe2)) continue;
    device_spec const d = s.op == npos ? device_spec() : net.device(s.op).value_or(device_spec());
    std::int64_t const key = d.kind == device_kind::cpu ? -1 : d.id.value_or(0);
    if (first.value_or(key) != key) return false;
    first = key;
  }
  return true;
}

namespace detail {

// Follows `like` to the value whose name v gets.
inline gradient_operand named_like(gradient_tape const& tape, gradient_operand v) {
  while (tape.is_made(v) && tape.made(v).like != npos) v = {tape.made(v).like};
  return v;
}

// Renames one of several contributions to `_<its name>_autosplit_<k>`. For a value with the forced name of another one,
// renames that one.
inline void split_name(gradient_tape& tape, gradient_operand v, std::uint32_t k) {
  auto const next = [&](gradient_operand of) { return gradient_operand{tape.made(of).like}; };
  while (tape.made(v).forced && tape.is_made(next(v))) v = next(v);
  gradient_operand const named = named_like(tape, v);
  gradient_tape::made_value const of = tape.is_made(named) ? tape.made(named) : gradient_tape::made_value();
  gradient_tape::made_value& aside = tape.made(v);
  aside.like = npos;
  aside.wish = of.split == npos ? of.wish : tape.texts.intern(tape.wish(named));
  aside.of_blob = of.split == npos && of.of_blob;
  aside.split = k;
}

inline std::string without_suffix(std::string_view text, std::string_view suffix) {
  if (text.ends_with(suffix)) text.remove_suffix(suffix.size());
  return std::string(text);
}

}  // namespace detail

/// Appends the ops that sum two or more gradients, all dense or all sparse: a Sum, or a Concat of the indices and one
/// of the rows. `placed`: the op whose device they are placed on, npos for none. The sum gets the name of the first
/// gradient computed by an op, else `<blob>_grad`; sets `problem` if a gradient that is passed through has this name.
inline gradient_operands add_gradients(gradient_tape& tape, std::vector<gradient_source> const& sources,
                                       std::string_view blob, op_index placed, std::string& problem) {
  inherited const placement{placed != npos, false, false};
  gradient_source const* base = nullptr;
  for (gradient_source const& s : sources)
    if (s.by_op && base == nullptr) base = &s;
  std::string const plain = std::string(blob).append(gradient_tape::gradient_suffix);
  auto const made_here = [&](gradient_operand v) { return tape.is_made(v) && tape.made(v).maker != npos; };
  auto const wish = [&](gradient_operand v) { return tape.wish(detail::named_like(tape, v)); };
  auto const check_passed_on = [&](gradient_operand v, std::string const& sum) {
    if (wish(v) == sum)
      problem = "a gradient of '" + std::string(blob) + "' that is passed through has the name of the sum";
  };
  std::vector<gradient_operand> terms;

  if (!sources.front().gradient.is_sparse()) {
    std::string const sum = base != nullptr ? wish(base->gradient.values) : plain;
    std::uint32_t split = 0;
    std::size_t base_at = 0;
    for (gradient_source const& s : sources) {
      if (&s == base)
        base_at = terms.size();
      else if (s.by_op)
        detail::split_name(tape, s.gradient.values, split++);
      else
        check_passed_on(s.gradient.values, sum);
      terms.push_back(s.gradient.values);
    }
    std::swap(terms[0], terms[base_at]);  // Sum can work in place on its first input only
    gradient_operand const total =
        base != nullptr ? tape.make_value_like(base->gradient.values) : tape.make_value(plain);
    tape.add("Sum", placed, terms, std::array{total}, placement);
    return {total, {}};
  }

  std::string stem = plain;
  if (base != nullptr)
    stem = made_here(base->gradient.indices) ? detail::without_suffix(tape.wish(base->gradient.indices), "_indices")
                                             : detail::without_suffix(tape.wish(base->gradient.values), "_values");
  auto const join = [&](gradient_operand gradient_operands::*member, std::string_view what) {
    terms.clear();
    std::uint32_t split = 0;
    for (gradient_source const& s : sources) {
      gradient_operand const v = s.gradient.*member;
      if (s.by_op && made_here(v))
        detail::split_name(tape, v, split++);
      else
        check_passed_on(v, stem);
      terms.push_back(v);
    }
    std::string const name = stem + '_' + std::string(what) + "_concat";
    gradient_operand const all = tape.make_value(name);
    std::uint32_t const op =
        tape.add("Concat", placed, terms, std::array{all, tape.make_value(name + "_split")}, placement);
    tape.edit_details(op).arguments.push_back({"axis", std::int64_t{0}});
    return all;
  };
  gradient_operand const indices = join(&gradient_operands::indices, "indices");
  return {join(&gradient_operands::values, "values"), indices};
}

}  // namespace plait
