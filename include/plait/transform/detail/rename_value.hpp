// Value renaming: one version of a blob, at its definition and all its uses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/implicit_operands.hpp>
#include <plait/net/detail/name_map.hpp>
#include <plait/net/detail/nested_names.hpp>
#include <plait/net/detail/op_label.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/detail/rename_blobs.hpp>

namespace plait {

/// Operand of an op: the `input`-th blob it reads.
struct op_input {
  op_index op = 0;
  std::uint32_t input = 0;
};

/// Result of an op: the `output`-th blob it writes.
struct op_output {
  op_index op = 0;
  std::uint32_t output = 0;
};

struct rename_options {
  /// rename_input only: other ops may read the value, but an op of the net must write it.
  bool from_producer = false;
  /// Policy for a new name that the net (or its init net) has already.
  name_capture capture = name_capture::refuse;
};

/// One mention of a renamed value.
struct renamed_mention {
  enum class kind { input, control_input, output, external_input, external_output, nested };
  kind what = kind::input;
  op_index op = npos;      ///< npos for externals
  std::uint32_t slot = 0;  ///< 0 for nested: all mentions by nets in the op
  bool init_net = false;
  friend bool operator==(renamed_mention const&, renamed_mention const&) = default;
};

/// Result of a renaming: the changed externals and ops of the net in order, then those of the init net. Empty if the
/// value had the name already.
struct value_rename {
  std::string from;
  std::uint32_t version = 0;
  std::string to;
  std::vector<renamed_mention> changed;
};

namespace detail {

// Lists the mentions of a value, and checks that it can be renamed in all of them.
template <fully_renamable_net N>
constexpr void plan_rename(N const& n, ssa_form<N> const& ssa, value v, std::string_view to, bool init_net,
                           name_capture capture, std::vector<renamed_mention>& mentions) {
  using kind = renamed_mention::kind;
  for (std::uint32_t slot = 0; slot != ssa.external_inputs().size(); ++slot)
    if (ssa.external_inputs()[slot] == v) mentions.push_back({kind::external_input, npos, slot, init_net});

  std::vector<op_index> touching;
  if (auto const by = ssa.producer(v)) touching.push_back(by->op);
  for (operand o : ssa.consumers(v))
    if (touching.empty() || touching.back() != o.op) touching.push_back(o.op);

  auto const key = ssa.name(v);  // a std::string in some nets
  std::string_view const from = key;
  auto next = touching.begin();
  op_index at = 0;
  for (auto it = std::ranges::begin(plait::ops(n)); next != touching.end(); ++it, ++at) {
    if (at != *next) continue;
    ++next;
    auto&& op = *it;
    auto const count = [](auto&& range) { return static_cast<std::uint32_t>(std::ranges::distance(range)); };
    std::uint32_t const inputs_end = count(inputs(n, op));
    std::uint32_t const controls_end = inputs_end + count(control_inputs(n, op));
    bool other_version = false;
    std::uint32_t slot = 0;
    for (value read : ssa.reads(at)) {
      if (read == v && slot < controls_end)
        mentions.push_back(slot < inputs_end ? renamed_mention{kind::input, at, slot, init_net}
                                             : renamed_mention{kind::control_input, at, slot - inputs_end, init_net});
      other_version |= read.blob == v.blob && read != v;
      ++slot;
    }
    std::uint32_t const outputs_end = count(outputs(n, op));
    slot = 0;
    for (value written : ssa.writes(at)) {
      if (written == v && slot < outputs_end) mentions.push_back({kind::output, at, slot, init_net});
      other_version |= written.blob == v.blob && written != v;
      ++slot;
    }

    bool mentioned = false;
    bool taken = false;
    visit_nested_names(n, op, [&](std::string_view name) {
      mentioned |= name == from;
      taken |= name == to;
    });
    if (other_version && (mentioned || binds_nested_net(n, op)))
      raise(net_error("plait: " + op_label(n, at) + " holds a net that knows '" + std::string(from) +
                          "' by one name, but the op " + "uses several versions of it: version " +
                          std::to_string(v.version) + " cannot be renamed alone",
                      at, std::string(from)));
    if (!mentioned) continue;
    if (!nested_editable_net<N>)
      raise(net_error("plait: " + op_label(n, at) + " holds a net that mentions '" + std::string(from) +
                          "', and its type has no way to change nested nets",
                      at, std::string(from)));
    if (taken && capture == name_capture::refuse)
      raise(net_error("plait: new name '" + std::string(to) + "' is taken in a net that " + op_label(n, at) + " holds",
                      at, std::string(to)));
    mentions.push_back({kind::nested, at, 0, init_net});
  }
  for (std::uint32_t slot = 0; slot != ssa.external_outputs().size(); ++slot)
    if (ssa.external_outputs()[slot] == v) mentions.push_back({kind::external_output, npos, slot, init_net});
}

template <class N>
[[noreturn]] void refuse_taken_name(N const& n, ssa_form<N> const& ssa, blob_index b, std::string_view to,
                                    std::string_view which) {
  value const last{b, ssa.version(b)};
  std::string message = "plait: new name '" + std::string(to) + "' is taken in the " + std::string(which) +
                        ": version " + std::to_string(last.version) + " of it is ";
  std::optional<std::size_t> op;
  if (auto const by = ssa.producer(last)) {
    op = by->op;
    message += "written by " + op_label(n, by->op);
  } else if (!ssa.consumers(last).empty()) {
    op = ssa.consumers(last).front().op;
    message += "read by " + op_label(n, *op);
  } else {
    message += "given to the net";
  }
  raise(net_error(message, op, std::string(to)));
}

// Throws if a blob of the net is called `to`.
template <class N>
constexpr void require_free(N const& n, ssa_form<N> const& ssa, std::string_view to, std::string_view which) {
  if (blob_index const b = ssa.find(to); b != npos) refuse_taken_name(n, ssa, b, to, which);
}

template <fully_renamable_net N>
constexpr void apply_mentions(N& n, std::vector<renamed_mention> const& mentions, bool init_net, std::string_view from,
                              std::string_view to) {
  using kind = renamed_mention::kind;
  using traits = net_traits_of<N>;
  name_t<N> const name = make_name(n, to);
  auto&& all = traits::ops(n);
  auto it = std::ranges::begin(all);
  op_index at = 0;
  for (renamed_mention const& mention : mentions) {
    if (mention.init_net != init_net) continue;
    if (mention.op != npos)
      for (; at != mention.op; ++at) ++it;
    if (mention.what == kind::input) traits::set_input(n, *it, mention.slot, name);
    if (mention.what == kind::output) traits::set_output(n, *it, mention.slot, name);
    if constexpr (has_control_inputs<N>)
      if (mention.what == kind::control_input) traits::set_control_input(n, *it, mention.slot, name);
    if constexpr (nested_editable_net<N>)
      if (mention.what == kind::nested) rename_nested(n, *it, name_map{{from, to}}, leave_nested{});
    if constexpr (has_external_inputs<N>)
      if (mention.what == kind::external_input) traits::set_external_input(n, mention.slot, name);
    if constexpr (has_external_outputs<N>)
      if (mention.what == kind::external_output) traits::set_external_output(n, mention.slot, name);
  }
}

inline constexpr ssa_options every_operand{.subnets = true, .control_inputs = true};

template <net N>
constexpr void require_op(ssa_form<N> const& ssa, op_index op) {
  if (op >= ssa.op_count())
    raise(
        net_error("plait: the net has " + std::to_string(ssa.op_count()) + " ops, none at " + std::to_string(op), op));
}

// Implicit operands follow an op's own, so a slot in range of the form need not be in range of the op.
template <net N, class Operands>
constexpr void require_slot(N const& n, op_index op, std::uint32_t slot, char const* what, Operands operands) {
  auto it = std::ranges::begin(plait::ops(n));
  for (op_index at = 0; at != op; ++at) ++it;
  auto const count = static_cast<std::size_t>(std::ranges::distance(operands(*it)));
  if (slot >= count)
    raise(net_error("plait: " + op_label(n, op) + " has no " + what + ' ' + std::to_string(slot) + " (it has " +
                        std::to_string(count) + ')',
                    op));
}

template <class N, class Op>
bool nested_nets_read(N const& n, Op const& op, std::string_view blob) {
  if constexpr (has_subnets<N>) {
    implicit_operands<N> implicit;
    implicit.compute(n, op);
    auto const holds = [&](auto const& keys) { return std::ranges::find(keys, blob) != keys.end(); };
    return holds(implicit.reads()) || holds(implicit.weak_updates());
  } else {
    return false;
  }
}

// Throws if an op other than `reader` reads the value. Control inputs are renamed along and are no readers.
template <class N>
void require_only_reader(N const& n, std::string_view from, op_index reader,
                         std::vector<renamed_mention> const& mentions) {
  auto it = std::ranges::begin(plait::ops(n));
  op_index at = 0;
  for (renamed_mention const& mention : mentions) {
    if (mention.op == npos || mention.op == reader) continue;
    for (; at != mention.op; ++at) ++it;
    bool const reads = mention.what == renamed_mention::kind::input ||
                       (mention.what == renamed_mention::kind::nested && nested_nets_read(n, *it, from));
    if (!reads) continue;
    raise(net_error("plait: '" + std::string(from) + "' is also read by " + op_label(n, mention.op) +
                        "; rename the output of its producer",
                    mention.op, std::string(from)));
  }
}

// Renames a value in both nets. `only_reader`: the op that must be the only reader of the value, npos for no such
// requirement.
template <fully_renamable_net N>
value_rename rename_value(N& n, N* init, ssa_form<N> const& ssa, std::optional<ssa_form<N>> const& init_ssa, value v,
                          std::string_view to, name_capture capture, op_index only_reader) {
  value_rename done{std::string(std::string_view(ssa.name(v))), v.version, std::string(to), {}};
  if (done.from == to) return done;
  if (to.empty()) raise(net_error("plait: '" + done.from + "' cannot be given an empty name", std::nullopt, done.from));
  if (capture == name_capture::refuse) {
    require_free(n, ssa, to, "net");
    if (init_ssa) require_free(*init, *init_ssa, to, "init net");
  }
  plan_rename(std::as_const(n), ssa, v, to, false, capture, done.changed);
  if (only_reader != npos) require_only_reader(std::as_const(n), done.from, only_reader, done.changed);
  if (init_ssa) {
    value const there{init_ssa->find(std::string_view(done.from)), v.version};
    if (there.blob != npos && init_ssa->contains(there))
      plan_rename(std::as_const(*init), *init_ssa, there, to, true, capture, done.changed);
  }
  apply_mentions(n, done.changed, false, done.from, done.to);
  if (init != nullptr) apply_mentions(*init, done.changed, true, done.from, done.to);
  return done;
}

template <fully_renamable_net N>
value_rename rename_output(N& n, N* init, op_output at, std::string_view to, rename_options const& options) {
  std::optional<ssa_form<N>> init_ssa;
  if (init != nullptr) init_ssa = get_ssa(*init, every_operand);
  auto const ssa = init_ssa ? get_ssa(n, *init_ssa, every_operand) : get_ssa(n, every_operand);
  require_op(ssa, at.op);
  require_slot(std::as_const(n), at.op, at.output, "output",
               [&](auto const& op) { return outputs(std::as_const(n), op); });
  return rename_value(n, init, ssa, init_ssa, ssa.writes(at.op)[at.output], to, options.capture, npos);
}

template <fully_renamable_net N>
value_rename rename_input(N& n, N* init, op_input at, std::string_view to, rename_options const& options) {
  std::optional<ssa_form<N>> init_ssa;
  if (init != nullptr) init_ssa = get_ssa(*init, every_operand);
  auto const ssa = init_ssa ? get_ssa(n, *init_ssa, every_operand) : get_ssa(n, every_operand);
  require_op(ssa, at.op);
  require_slot(std::as_const(n), at.op, at.input, "input",
               [&](auto const& op) { return inputs(std::as_const(n), op); });

  value const v = ssa.reads(at.op)[at.input];
  std::string const from(std::string_view(ssa.name(v)));
  if (options.from_producer) {
    if (!ssa.producer(v))
      raise(net_error("plait: no op of the net writes '" + from + "' as " + op_label(n, at.op) + " reads it", at.op,
                      from));
  }
  return rename_value(n, init, ssa, init_ssa, v, to, options.capture, options.from_producer ? npos : at.op);
}

template <fully_renamable_net N>
value_rename rename_version(N& n, N* init, std::string_view blob, std::uint32_t version, std::string_view to,
                            rename_options const& options) {
  std::optional<ssa_form<N>> init_ssa;
  if (init != nullptr) init_ssa = get_ssa(*init, every_operand);
  auto const ssa = init_ssa ? get_ssa(n, *init_ssa, every_operand) : get_ssa(n, every_operand);
  blob_index const b = ssa.find(blob);
  if (b == npos) raise(net_error("plait: no net mentions '" + std::string(blob) + '\'', {}, std::string(blob)));
  if (!ssa.contains({b, version}))
    raise(net_error("plait: '" + std::string(blob) + "' has no version " + std::to_string(version) + ": the last is " +
                        std::to_string(ssa.version(b)),
                    {}, std::string(blob)));
  return rename_value(n, init, ssa, init_ssa, {b, version}, to, options.capture, npos);
}

}  // namespace detail

/// Renames the value that an op writes: at the op, at all readers of that version, where it is an external output at
/// that version, and in nested nets that read or write it. Other versions of the blob keep the name.
///
/// Follows detectron2's rename_op_output, except that names are checked. Throws net_error, changing nothing: for a
/// position the net does not have; for a new name that is empty or occurs already (options.capture); if a nested net
/// would need two names for a blob that it refers to by one. O(operands). Returns the changed mentions.
template <fully_renamable_net N>
value_rename rename_output(N& n, op_output at, std::string_view new_name, rename_options const& options = {}) {
  return detail::rename_output(n, static_cast<N*>(nullptr), at, new_name, options);
}
/// Renames the value that an op writes in a net that runs after an init net.
template <fully_renamable_net N>
value_rename rename_output(N& n, N& init, op_output at, std::string_view new_name, rename_options const& options = {}) {
  return detail::rename_output(n, &init, at, new_name, options);
}

/// Returns a copy of a net in which the value that an op writes is renamed, by the rules of rename_output. A constant
/// expression for a constexpr net, whose names view `new_name`.
template <fully_renamable_net N>
[[nodiscard]] constexpr N with_renamed_output(N n, op_output at, std::string_view new_name,
                                              name_capture capture = name_capture::refuse) {
  auto const ssa = get_ssa(std::as_const(n), detail::every_operand);
  detail::require_op(ssa, at.op);
  detail::require_slot(std::as_const(n), at.op, at.output, "output",
                       [&](auto const& op) { return outputs(std::as_const(n), op); });
  value const v = ssa.writes(at.op)[at.output];
  auto const from = ssa.name(v);
  if (std::string_view(from) == new_name) return n;
  if (new_name.empty()) raise(net_error("plait: a blob cannot be given an empty name"));
  if (capture == name_capture::refuse) detail::require_free(std::as_const(n), ssa, new_name, "net");
  std::vector<renamed_mention> changed;
  detail::plan_rename(std::as_const(n), ssa, v, new_name, false, capture, changed);
  detail::apply_mentions(n, changed, false, from, new_name);
  return n;
}

/// Renames the value that an op reads, there and at its origin: the op that writes it, or the external input. With an
/// init net, versions continue from it, and a value that it writes is renamed in both.
///
/// Follows detectron2's rename_op_input: refuses (net_error) a value that other ops read too, unless from_producer is
/// set; with that, a value that no op of the net writes. Also throws as rename_output does. O(operands).
template <fully_renamable_net N>
value_rename rename_input(N& n, op_input at, std::string_view new_name, rename_options const& options = {}) {
  return detail::rename_input(n, static_cast<N*>(nullptr), at, new_name, options);
}
template <fully_renamable_net N>
value_rename rename_input(N& n, N& init, op_input at, std::string_view new_name, rename_options const& options = {}) {
  return detail::rename_input(n, &init, at, new_name, options);
}

/// Renames one version of a blob, whichever op writes and reads it: that of an external input that no op mentions, say.
/// With an init net, versions continue from it. Follows detectron2's _rename_versioned_blob_in_proto. Throws net_error
/// for a blob or version that the net does not have, and as rename_output does. O(operands).
template <fully_renamable_net N>
value_rename rename_version(N& n, std::string_view blob, std::uint32_t version, std::string_view new_name,
                            rename_options const& options = {}) {
  return detail::rename_version(n, static_cast<N*>(nullptr), blob, version, new_name, options);
}
template <fully_renamable_net N>
value_rename rename_version(N& n, N& init, std::string_view blob, std::uint32_t version, std::string_view new_name,
                            rename_options const& options = {}) {
  return detail::rename_version(n, &init, blob, version, new_name, options);
}

}  // namespace plait
