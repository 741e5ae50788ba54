// Status inference: propagates a property of values (device, type, layout, …) forward and backward over ops.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <plait/core/detail/npos.hpp>
#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/dataflow/bidirectional_solver.hpp>
#include <plait/net/detail/op_label.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/detail/blob_label.hpp>
#include <plait/ssa/detail/written_outputs.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

struct status_options {
  /// Iterate to a fixpoint. Otherwise one sweep forward and one backward, as in detectron2: enough for nets whose
  /// subgraphs are not connected by their inputs alone.
  bool full_fixpoint = false;
  /// Allow undetermined statuses. Otherwise they are an error, and so is an external output without producer.
  bool allow_unknown = false;
};

/// Conflict: two statuses for one value. `op`, `blob` as in net_error.
struct status_conflict : net_error {
  status_conflict(std::string const& message, std::size_t at, std::string blob_name, value what, operand place,
                  bool output, std::string before, std::string after)
      : net_error(message, at, std::move(blob_name)),
        version(what.version),
        slot(place.slot),
        is_output(output),
        known(std::move(before)),
        proposed(std::move(after)) {}

  std::uint32_t version;  ///< version of the blob
  std::uint32_t slot;     ///< which input or output of the op
  bool is_output;
  std::string known;     ///< the status so far, as text
  std::string proposed;  ///< the status that the op requires
};

/// Values of undetermined status. `blob` is the first, `op` the first op that mentions it.
struct status_unknown : net_error {
  struct entry {
    std::string blob;
    std::uint32_t version;
    friend bool operator==(entry const&, entry const&) = default;
  };
  status_unknown(std::string const& message, std::size_t at, std::vector<entry> all)
      : net_error(message, at, all.front().blob), values(std::move(all)) {}
  std::vector<entry> values;
};

namespace detail {

template <class Status>
std::string status_text(Status const& status) {
  if constexpr (std::is_convertible_v<Status const&, std::string_view>)
    return std::string(std::string_view(status));
  else if constexpr (std::is_enum_v<Status>)
    return std::to_string(static_cast<long long>(status));
  else if constexpr (requires { std::to_string(status); })
    return std::to_string(status);
  else
    return "another status";
}

// Adapts the ops and values of a net to bidirectional_solver.
template <class N>
class net_operand_graph {
 public:
  explicit net_operand_graph(ssa_form<N> const& ssa) : ssa_(&ssa) {}
  std::size_t op_count() const { return ssa_->op_count(); }
  std::span<value const> reads(op_index op) const { return ssa_->reads(op); }
  std::span<value const> writes(op_index op) const { return ssa_->writes(op); }
  std::size_t index(value v) const { return ssa_->index(v); }
  template <class Visit>
  void visit_ops(value v, Visit visit) const {
    if (op_index const by = ssa_->producing_op(v); by != npos) visit(by);
    for (operand const reader : ssa_->consumers(v)) visit(reader.op);
  }

 private:
  ssa_form<N> const* ssa_;
};

// Relation problem: the updater relates the statuses of an op's operands. `text` formats a status for messages.
template <class Status, class N, class Updater, class Text>
class status_inference {
 public:
  using value_type = std::optional<Status>;

  status_inference(N const& n, ssa_form<N> const& ssa, Updater& updater, Text& text)
      : n_(n), ssa_(ssa), updater_(updater), text_(text), range_(plait::ops(n)) {
    statuses_.reset(ssa.value_count(), initial());
    for (auto&& op : range_) {
      if constexpr (by_reference)
        ops_.push_back(&op);
      else
        ops_.push_back(std::forward<decltype(op)>(op));
    }
  }

  void know(value v, Status const& status) {
    if (!ssa_.contains(v))
      raise(net_error("plait: a status is given for a value that the net does not have", {},
                      v.blob < ssa_.blob_bound() ? blob_label(ssa_, v.blob) : std::string()));
    value_type& known = statuses_[ssa_.index(v)];
    if (known && *known != status)
      raise(net_error("plait: version " + std::to_string(v.version) + " of blob '" + blob_label(ssa_, v.blob) +
                          "' is given two statuses, " + text_(*known) + " and " + text_(status),
                      {}, blob_label(ssa_, v.blob)));
    known = status;
  }

  void infer(bool full_fixpoint) {
    net_operand_graph<N> const form(ssa_);
    if (full_fixpoint)
      statuses_.solve(form, *this);
    else
      statuses_.sweep(form, *this);
  }

  // ---- bidirectional_problem
  static value_type initial() { return std::nullopt; }
  void transfer(op_index op, std::span<value_type> in, std::span<value_type> out) {
    if constexpr (by_reference)
      updater_(*ops_[op], in, out);
    else
      updater_(ops_[op], in, out);
  }
  // Sets an unknown status; throws on a conflict with a known one.
  bool join(op_index op, std::uint32_t slot, bool is_output, value_type& known, value_type const& said) const {
    if (!said || known == said) return false;
    if (known) raise(conflict(op, slot, is_output, *known, *said));
    known = said;
    return true;
  }

  void require_all() const {
    std::vector<status_unknown::entry> missing;
    std::vector<bool> listed(statuses_.size());
    op_index first = npos;
    auto const check = [&](op_index op, value v) {
      std::size_t const at = ssa_.index(v);
      if (statuses_[at] || listed[at]) return;
      listed[at] = true;
      if (missing.empty()) first = op;
      missing.push_back({blob_label(ssa_, v.blob), v.version});
    };
    for (op_index op = 0; op != ops_.size(); ++op) {
      for (value v : ssa_.reads(op)) check(op, v);
      for (value v : ssa_.writes(op)) check(op, v);
    }
    if (missing.empty()) return;
    constexpr std::size_t shown = 10;
    std::string message = "plait: the known statuses do not determine those of";
    for (std::size_t i = 0; i != missing.size() && i != shown; ++i)
      message += (i == 0 ? " '" : ", '") + missing[i].blob + "' (version " + std::to_string(missing[i].version) + ')';
    if (missing.size() > shown) message += " and " + std::to_string(missing.size() - shown) + " more";
    raise(status_unknown(message, first, std::move(missing)));
  }

  std::vector<value_type> take() { return statuses_.take(); }

 private:
  // Random access to ops: handles by value, all others by address.
  static constexpr bool by_reference = std::is_lvalue_reference_v<op_ref_t<N>>;
  using handle = std::conditional_t<by_reference, std::add_pointer_t<op_ref_t<N>>, std::remove_cvref_t<op_ref_t<N>>>;

  status_conflict conflict(op_index op, std::uint32_t slot, bool output, Status const& known,
                           Status const& said) const {
    value const v = output ? ssa_.writes(op)[slot] : ssa_.reads(op)[slot];
    std::string const blob = blob_label(ssa_, v.blob);
    std::string const message = "plait: " + op_label(n_, op) + " takes " + (output ? "output " : "input ") +
                                std::to_string(slot) + ", version " + std::to_string(v.version) + " of blob '" + blob +
                                "', to be " + text_(said) + ", but it is " + text_(known);
    return status_conflict(message, op, blob, v, {op, slot}, output, text_(known), text_(said));
  }

  N const& n_;
  ssa_form<N> const& ssa_;
  Updater& updater_;
  Text& text_;
  decltype(plait::ops(std::declval<N const&>())) range_;  // may own the ops
  std::vector<handle> ops_;
  bidirectional_solver<value_type> statuses_;  // by value
};

}  // namespace detail

/// Infers a status for every value that an op of the net mentions; the result is indexed by ssa.index(value).
///
/// `known` is a range of pairs (value, Status). `updater(op, in, out)` is called with an op and the statuses of its
/// inputs and outputs, two spans of std::optional<Status>, empty where unknown, and fills in what follows from them; it
/// must be monotone: it sets the same whenever it is called with more known. `text(status)` formats a status for
/// messages.
///
/// Throws net_error if a known value is not the net's or has two statuses, status_conflict if an op contradicts a known
/// status, status_unknown if a status stays undetermined, net_error if an external output has no value (see
/// status_options for both). The two sweeps take O(operands) and the calls of the updater; a full fixpoint visits an op
/// at most once for each operand that it learns. Follows detectron2's _generic_status_identifier.
template <class Status, net N, std::ranges::input_range Known, class Updater, class Text>
[[nodiscard]] std::vector<std::optional<Status>> infer_status(N const& n, ssa_form<N> const& ssa, Known&& known,
                                                              Updater&& updater, status_options const& options,
                                                              Text&& text) {
  detail::status_inference<Status, N, std::remove_reference_t<Updater>, std::remove_reference_t<Text>> inference(
      n, ssa, updater, text);
  for (auto const& [v, status] : known) inference.know(v, status);
  inference.infer(options.full_fixpoint);
  if (!options.allow_unknown) {
    inference.require_all();
    detail::require_written_outputs(ssa);
  }
  return inference.take();
}

/// Infers statuses that are strings or numbers, which messages show as they are.
template <class Status, net N, std::ranges::input_range Known, class Updater>
[[nodiscard]] std::vector<std::optional<Status>> infer_status(N const& n, ssa_form<N> const& ssa, Known&& known,
                                                              Updater&& updater, status_options const& options = {}) {
  return infer_status<Status>(n, ssa, std::forward<Known>(known), std::forward<Updater>(updater), options,
                              detail::status_text<Status>);
}

}  // namespace plait
