// Backward pass of a nested net, and what the rules of control flow share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/detail/npos.hpp>
#include <plait/gradient/detail/backward_engine.hpp>
#include <plait/gradient/detail/forward_values.hpp>
#include <plait/gradient/detail/gradient_context.hpp>
#include <plait/gradient/detail/gradient_options.hpp>
#include <plait/gradient/detail/operand_uses.hpp>
#include <plait/gradient/gradient_rules.hpp>
#include <plait/netdef/arguments.hpp>
#include <plait/netdef/model.hpp>
#include <plait/netdef/traits.hpp>

namespace plait {

/// Backward pass over a nested net, which it keeps alive. Seeds of blobs that do not occur in the net bypass it.
class nested_pass final : public backward_engine<netdef> {
 public:
  /// Pairs of a blob of the nested net and its gradient.
  using seeds = std::vector<std::pair<std::string, std::string>>;

  /// `outside`: the blobs of the enclosing net before the op, by inner name; they may pass through a branch that is not
  /// taken. `around`: gradient_context::surroundings, without its scope if the net shares no blobs with the enclosing
  /// net. `shared`: availability of blobs in the enclosing net, by inner name.
  nested_pass(std::shared_ptr<netdef const> net, seeds const& given, std::vector<std::string> const& outside,
              gradient_rules const& rules, gradient_options const& options, pass_surroundings const& around,
              std::vector<shared_value> shared)
      : nested_pass(net, blobs_of(*net), given, outside, rules, options, around, std::move(shared)) {}

  seeds const& given() const noexcept { return seeds_; }
  netdef const& forward() const noexcept { return *net_; }
  /// Returns the gradient ops as a net named `<name>_grad`.
  netdef gradient_net() {
    netdef made;
    append_to(made);
    if (std::string_view const name = net_->text(net_->name); !name.empty())
      made.name = made.intern(std::string(name) + "_grad");
    return made;
  }
  /// Returns true if the value of a blob before the net has a gradient.
  bool has_gradient_before(std::string_view blob) const {
    return knows(blob) ? gradient_of_given(blob).has_value() : seed_of(blob) != nullptr;
  }
  /// Returns the name of that gradient; for a blob that does not occur in the net it is the gradient after the net. A
  /// sparse gradient is made dense by an op at the end of `net`, since a nested net returns it as one blob.
  std::optional<std::string> gradient_before(std::string_view blob, netdef& net) {
    if (!knows(blob)) {
      std::string const* const seed = seed_of(blob);
      return seed == nullptr ? std::nullopt : std::optional(*seed);
    }
    std::optional<blob_gradient> found = gradient_of_given(blob);
    if (!found) return std::nullopt;
    if (!found->is_sparse()) return std::move(found->values);
    std::string dense = std::string(blob) + "_grad_dense";
    net.add_op("SparseToDense", {found->indices, found->values, blob}, {dense});
    return dense;
  }

  /// Returns the options for nested nets. A value that is overwritten in a loop or branch is lost afterwards: nested
  /// nets save the values that their gradients need and, with recompute, those that cannot be recomputed, except
  /// as_caffe2.
  static gradient_options inside(gradient_options options) {
    options.only.clear();
    if (!options.as_caffe2 && options.overwritten == overwritten_values::refuse)
      options.overwritten = overwritten_values::copy;
    return options;
  }

 private:
  using names = boost::unordered_flat_set<std::string_view>;

  nested_pass(std::shared_ptr<netdef const> const& net, names const& blobs, seeds const& given,
              std::vector<std::string> const& outside, gradient_rules const& rules, gradient_options const& options,
              pass_surroundings const& around, std::vector<shared_value> shared)
      : backward_engine<netdef>(*net, known(blobs, given), rules, inside(options), mentioned(blobs, outside), around,
                                std::move(shared)),
        net_(net),
        seeds_(given) {
    for (auto const& [blob, gradient] : seeds_) {
      reserve_name(gradient);
      gradient_of_.emplace(blob, &gradient);
    }
  }

  std::string const* seed_of(std::string_view blob) const {
    auto const found = gradient_of_.find(blob);
    return found == gradient_of_.end() ? nullptr : found->second;
  }
  static names blobs_of(netdef const& n) {
    names made;
    for (op_def const& op : n.op) {
      for (symbol const blob : op.input) made.insert(n.text(blob));
      for (symbol const blob : op.output) made.insert(n.text(blob));
    }
    return made;
  }
  static std::vector<gradient_seed> known(names const& blobs, seeds const& given) {
    std::vector<gradient_seed> made;
    for (auto const& [blob, gradient] : given)
      if (blobs.contains(blob)) made.emplace_back(blob, std::string_view(gradient));
    return made;
  }
  static std::vector<std::string> mentioned(names const& blobs, std::vector<std::string> const& outside) {
    std::vector<std::string> made;
    for (std::string const& name : outside)
      if (blobs.contains(name)) made.push_back(name);
    return made;
  }

  std::shared_ptr<netdef const> net_;
  seeds const seeds_;
  boost::unordered_flat_map<std::string_view, std::string const*> gradient_of_;  // seeds by blob
};

namespace detail {

// Returns the blobs of the enclosing net that nested nets know by the same names.
inline std::vector<std::string> blobs_before(gradient_context const& c) {
  std::vector<std::string> made;
  for (std::size_t i = 0; i != c.input_count(); ++i) made.emplace_back(c.input_name(i));
  return made;
}

// Returns the i-th finished pass. Throws gradient_error if it found problems.
inline nested_pass& pass_at(gradient_rule::frames& done, std::size_t i) {
  auto& pass = static_cast<nested_pass&>(*done[i]);
  pass.check();
  return pass;
}

// Requests the saved copies of a nested net from the enclosing net.
inline void save_inside(gradient_context& c, nested_pass const& pass, std::string_view argument) {
  for (saved_value copy : pass.saved()) {
    copy.path.insert(copy.path.begin(), {c.source(), std::string(argument)});
    c.save(std::move(copy));
  }
}

// Ordered set of names, in order of first appearance.
class name_list {
 public:
  bool add(std::string_view name) {
    if (!known_.insert(std::string(name)).second) return false;
    names_.emplace_back(name);
    return true;
  }
  bool contains(std::string_view name) const { return known_.contains(std::string(name)); }
  std::vector<std::string> const& names() const noexcept { return names_; }

 private:
  std::vector<std::string> names_;
  boost::unordered_flat_set<std::string> known_;
};

// Upward-exposed reads and the writes of a net.
struct net_boundary {
  name_list reads;
  name_list elements;  // reads of more than the shape
  name_list writes;
  void add(netdef const& n) {
    for (op_def const& op : n.op) {
      bool const from_shape = find_argument(n, op, "input_as_shape") != nullptr;
      for (std::size_t i = 0; i != op.input.size(); ++i) {
        std::string_view const name = n.text(op.input[i]);
        if (writes.contains(name)) continue;
        reads.add(name);
        if (use_of_operand(n.text(op.type), i, from_shape) != operand_use::shape) elements.add(name);
      }
      for (symbol const blob : op.output) writes.add(n.text(blob));
    }
  }
};

// Gradients of outputs under the names that nested nets use, distinct from each other and, except as_caffe2, from all
// blobs of the op. A gradient whose name clashes is copied.
class named_gradients {
 public:
  struct entry {
    std::string blob;  ///< the output
    gradient_operand gradient;
    std::string name;
  };

  void add(entry e) {
    by_blob_.emplace(e.blob, entries_.size());
    by_name_.emplace(e.name, entries_.size());
    entries_.push_back(std::move(e));
  }
  /// Marks the last entry as a copy of this gradient.
  void copies(gradient_operand from) { copies_.emplace_back(entries_.size() - 1, from); }

  std::vector<entry> const& entries() const noexcept { return entries_; }
  /// Return the first entry of an output, or of a name; nullptr if there is none.
  entry const* of(std::string_view blob) const { return find(by_blob_, blob); }
  entry const* called(std::string_view name) const { return find(by_name_, name); }

  /// Emits the copies, which replace the gradients of their entries.
  void make_copies(gradient_context& c) {
    for (auto const& [at, from] : copies_) {
      gradient_operand const copy = c.temporary(entries_[at].name);
      c.op("Copy", {from}, {copy}).plain();
      entries_[at].gradient = copy;
    }
  }

 private:
  using places = boost::unordered_flat_map<std::string, std::size_t>;
  entry const* find(places const& in, std::string_view name) const {
    auto const found = in.find(std::string(name));
    return found == in.end() ? nullptr : &entries_[found->second];
  }

  std::vector<entry> entries_;
  std::vector<std::pair<std::size_t, gradient_operand>> copies_;  // entry and what it copies
  places by_blob_;
  places by_name_;
};

inline named_gradients name_gradients(gradient_context& c, bool private_copies) {
  named_gradients made;
  name_list used;
  if (!c.as_caffe2()) {
    for (std::size_t i = 0; i != c.input_count(); ++i) used.add(c.input_name(i));
    for (std::size_t o = 0; o != c.output_count(); ++o) used.add(c.output_name(o));
  }
  for (std::size_t o = 0; o != c.output_count(); ++o) {
    if (!c.has_gradient(o)) continue;
    gradient_operand const g = c.output_gradient(o);
    std::string name = c.text(g);
    bool const copied = !used.add(name) || private_copies;
    if (copied) {
      name = std::string(c.output_name(o)) + '_' + name + "_DEDUP";
      while (!used.add(name)) name += '_';
    }
    made.add({std::string(c.output_name(o)), g, std::move(name)});
    if (copied) made.copies(g);
  }
  return made;
}

// Operands of an op and their names in nested nets.
using bound_operands = std::vector<std::pair<gradient_operand, std::string>>;

// Marks the operands of a gradient op whose shape alone its nested nets read.
inline void mark_shapes(made_op op, bound_operands const& bound, net_boundary const& nets) {
  boost::unordered_flat_set<std::uint32_t> read;
  for (auto const& [operand, name] : bound)
    if (nets.elements.contains(name) || !nets.reads.contains(name)) read.insert(operand.id);
  for (auto const& [operand, name] : bound)
    if (!read.contains(operand.id)) op.shape_only(operand);
}

inline nested_pass::seeds seeds_of(named_gradients const& named) {
  nested_pass::seeds made;
  for (auto const& e : named.entries()) made.emplace_back(e.blob, e.name);
  return made;
}

inline std::string gradient_op_name(gradient_context const& c) {
  return c.name().empty() ? std::string() : std::string(c.name()) + "_grad";
}

// Binds operands to their names in nested nets. Caffe2 does not update nested nets when it renames one of several
// gradients.
inline void bind_operands(gradient_context const& c, made_op op, bound_operands const& bound) {
  if (c.as_caffe2()) return;
  for (auto const& [operand, name] : bound) op.bound_as(operand, name);
}

// Returns the operand of a forward blob after the op: the output of that name, else the input.
inline gradient_operand blob_after(gradient_context const& c, std::string_view name) {
  if (std::size_t const o = c.find_output(name); o != npos) return c.output(o);
  if (std::size_t const i = c.find_input(name); i != npos) return c.input(i);
  return {};
}

// Returns the availability of the op's blobs in the enclosing net. `inside(name)`: the inner name of a blob, empty if
// it has none.
template <class Inside>
std::vector<shared_value> shared_values(gradient_context const& c, Inside inside) {
  std::vector<shared_value> made;
  if (c.as_caffe2()) return made;
  auto const add = [&](std::string_view name, gradient_operand before) {
    std::string known(inside(name));
    if (known.empty()) return;
    made.push_back(
        {std::move(known), c.forward().availability(blob_after(c, name)), before && c.forward().is_set(before)});
  };
  for (std::size_t i = 0; i != c.input_count(); ++i) add(c.input_name(i), c.input(i));
  for (std::size_t o = 0; o != c.output_count(); ++o)
    if (c.find_input(c.output_name(o)) == npos) add(c.output_name(o), {});
  return made;
}
inline std::vector<shared_value> shared_values(gradient_context const& c) {
  return shared_values(c, [](std::string_view name) { return name; });
}

// Source of the shape that an input has before the forward op, for nested nets of a gradient op: the name of an
// operand, or of a copy that the forward net saves before an op of the net at `path`. `written`: the nets that need the
// zeros write the blob.
struct shape_before {
  std::string name;
  gradient_operand operand;
  bool may_be_unset = false;
};
inline shape_before find_shape_before(gradient_context& c, std::size_t input, bool written,
                                      std::vector<saved_value::step> path, op_index position) {
  std::string const blob(c.input_name(input));
  gradient_operand const before = c.input(input);
  gradient_operand const after = blob_after(c, blob);
  if (c.as_caffe2()) return {blob, after};
  bool const is_set = c.forward().is_set(before);
  if ((!written || before == after) && c.forward().availability(after) == value_availability::kept)
    return {blob, after, !is_set};
  if (gradient_operand const like = c.forward().find_shaped(before)) {
    std::string name = c.text(like);
    gradient_operand const known = blob_after(c, name);  // nested nets know this value by the name, if any
    if (!known || known == like || c.forward().find_shaped(known) == like)
      return {std::move(name), known ? known : like};
  }
  std::string name = blob + "_saved";
  for (std::size_t k = 0; c.surroundings().scope->contains(name); ++k) name = blob + "_saved_" + std::to_string(k);
  c.tape().texts.intern(name);
  c.save({std::move(path), position, blob, name, !is_set});
  return {std::move(name), {}};
}

// Appends zeros of that shape. If the blob is unset, the branch that computes it was not taken, and the zeros are only
// combined with other such zeros.
inline void add_zeros(netdef& net, shape_before const& like, std::string const& name) {
  if (like.may_be_unset) {
    net.add_op("ZerosLike", {like.name}, {name});
    return;
  }
  op_def& fill = net.add_op("ConstantFill", {like.name}, {name});
  fill.arg.push_back(make_argument(net, {"value", 0.0f}));
}

}  // namespace detail

}  // namespace plait
