// Net validation: reports all errors, warnings and notes of a net at once. Constraints of nets at compile time are in
// detail/net_constraints.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/implicit_operands.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>
#include <plait/transform/dead_code_elimination.hpp>
#include <plait/transform/detail/net_constraints.hpp>

namespace plait {

/// Kinds of problems of a net. problem_name returns the name that tools show.
enum class net_problem_kind {
  undeclared_read,       ///< a blob is read that the net neither declares as an input nor writes before
  read_before_write,     ///< like undeclared_read, but a later op writes the blob
  unwritten_output,      ///< an external output that is neither written nor given
  repeated_input,        ///< an external input declared twice
  repeated_output,       ///< an external output declared twice
  output_written_twice,  ///< an op lists one blob twice among its outputs
  empty_name,            ///< a blob without a name, as operand or external
  unreadable_net,        ///< a net inside an op that cannot be read
  overwritten_input,     ///< an op writes an external input
  unused_input,          ///< an external input that no op reads and that is no output
  dead_op,               ///< no external output depends on the op
};

/// Severity of a problem. Caffe2 refuses to create a net with an error; a note is allowed everywhere but worth knowing.
enum class net_problem_severity { error, warning, note };

/// A problem and its location.
struct net_problem {
  net_problem_kind kind;
  net_problem_severity severity;
  std::optional<op_index> op;       ///< the op concerned, if any
  std::optional<std::size_t> slot;  ///< position of the op's input or output, or of the external
  std::string blob;                 ///< the blob concerned; empty: none, or names have no text
  std::string message;              ///< a sentence
  /// The ops around the nested net concerned, outermost first; empty: the net itself. `op` is a position in the
  /// innermost net.
  std::vector<op_index> inside = {};
  std::string type = {};  ///< type of the op, where ops have types
};

struct validate_options {
  /// Count what nested nets read and write, and look for errors and warnings in them.
  bool subnets = true;
  /// Report notes as well.
  bool notes = true;
};

/// Returns the name of a kind of problem: "undeclared read".
[[nodiscard]] constexpr std::string_view problem_name(net_problem_kind kind) {
  switch (kind) {
    case net_problem_kind::undeclared_read:
      return "undeclared read";
    case net_problem_kind::read_before_write:
      return "read before write";
    case net_problem_kind::unwritten_output:
      return "unwritten output";
    case net_problem_kind::repeated_input:
      return "repeated input";
    case net_problem_kind::repeated_output:
      return "repeated output";
    case net_problem_kind::output_written_twice:
      return "output written twice";
    case net_problem_kind::empty_name:
      return "empty name";
    case net_problem_kind::unreadable_net:
      return "unreadable net";
    case net_problem_kind::overwritten_input:
      return "overwritten input";
    case net_problem_kind::unused_input:
      return "unused input";
    case net_problem_kind::dead_op:
      return "dead op";
  }
  return "unknown";
}

namespace detail {

// Path to a nested net: the ops around it, and the prefix of messages about it.
struct nesting_path {
  std::vector<op_index> inside = {};
  std::string prefix = {};
};

template <net N>
class net_validator {
 public:
  net_validator(N const& n, nesting_path const& path, validate_options const& options, std::vector<net_problem>& found)
      : net_(n),
        path_(path),
        options_(options),
        ssa_(get_ssa(n, {.subnets = options.subnets, .control_inputs = true, .skip_unreadable = true})),
        found_(found) {
    for (auto&& op : plait::ops(n)) {
      labels_.push_back("op " + std::to_string(labels_.size()));
      types_.emplace_back();
      own_.push_back({count(plait::inputs(n, op)) + count(plait::control_inputs(n, op)), count(plait::outputs(n, op))});
      if constexpr (typed_net<N>) {
        types_.back() = op_type(n, op);
        labels_.back() += " (" + types_.back() + ')';
      }
    }
  }

  // Reports the nets inside ops that cannot be read, and lists the others, each with its path.
  template <class Nested>
  bool collect_nested(std::vector<Nested>& nested) {
    bool readable = true;
    op_index at = 0;
    for (auto&& op : plait::ops(net_)) {
      nesting_path inner{path_.inside, {}};
      inner.inside.push_back(at);
      auto const collect = [&] {
        for (auto&& s : subnets(net_, op)) {
          inner.prefix = path_.prefix + "in ";
          if constexpr (requires { std::string_view(s.argument); })
            inner.prefix += std::string(s.argument) + " of ";
          else
            inner.prefix += "a net of ";
          inner.prefix += labels_[at] + ": ";
          nested.push_back({std::move(s), inner});
        }
      };
      attempt<net_error>(collect, [&](net_error const& problem) {
        readable = false;
        report(
            {kind::unreadable_net, severity::error, at, {}, {}, std::string(detail::without_prefix(problem.what()))});
      });
      ++at;
    }
    return readable;
  }

  // Reports errors and warnings of this net.
  void run() {
    externals(ssa_.external_inputs(), net_problem_kind::repeated_input, "external input ");
    reads();
    writes();
    externals(ssa_.external_outputs(), net_problem_kind::repeated_output, "external output ");
    for (std::size_t slot = 0; slot != ssa_.external_outputs().size(); ++slot) {
      value const v = ssa_.external_outputs()[slot];
      if (is_unwritten(v.blob))
        add(net_problem_kind::unwritten_output, net_problem_severity::error, {}, slot, v.blob,
            "external output " + quoted(v.blob) + " is neither written by an op nor an input of the net");
    }
  }

  // Reports notes. `readable`: true if all nested nets are; an unreadable one may use any blob.
  void notes(bool readable) {
    std::vector<bool> given(ssa_.blob_bound());
    std::vector<bool> wanted(ssa_.blob_bound());
    for (value v : ssa_.external_outputs()) wanted[v.blob] = true;
    for (std::size_t slot = 0; slot != ssa_.external_inputs().size(); ++slot) {
      value const v = ssa_.external_inputs()[slot];
      if (given[v.blob]) continue;
      given[v.blob] = true;
      if (readable && ssa_.consumers(v).empty() && !(wanted[v.blob] && ssa_.version(v.blob) == v.version))
        add(kind::unused_input, severity::note, {}, slot, v.blob, "external input " + quoted(v.blob) + " is not used");
    }
    for (op_index op = 0; op != ssa_.op_count(); ++op) {
      std::size_t slot = 0;
      for (value v : ssa_.writes(op)) {
        if (given[v.blob]) {
          given[v.blob] = false;  // the first writer only
          add(kind::overwritten_input, severity::note, op, slot, v.blob,
              labels_[op] + " overwrites external input " + quoted(v.blob));
        }
        ++slot;
      }
    }
    if constexpr (has_external_outputs<N>) {
      if (!readable) return;
      // A net without external outputs is run for its side effects, or its outputs were never declared.
      if (ssa_.external_outputs().empty() || !ssa_.unwritten_outputs().empty()) return;
      dead_op_options const dead{
          .keep_ops_without_outputs = true, .prune_external_inputs = false, .subnets = options_.subnets};
      for (op_index op : find_dead_ops(net_, dead).ops)
        report({kind::dead_op, severity::note, op, {}, {}, "no external output depends on " + labels_[op]});
    }
  }

 private:
  using kind = net_problem_kind;
  using severity = net_problem_severity;

  template <class Range>
  static std::size_t count(Range&& range) {
    return static_cast<std::size_t>(std::ranges::distance(range));
  }
  std::string text(blob_index b) const {
    if constexpr (has_text<N>)
      return std::string(std::string_view(ssa_.name(b)));
    else
      return {};
  }
  std::string quoted(blob_index b) const {
    if constexpr (has_text<N>)
      return '\'' + text(b) + '\'';
    else
      return '#' + std::to_string(b);
  }
  void add(kind what, severity how, std::optional<op_index> op, std::optional<std::size_t> slot, blob_index b,
           std::string message) {
    report({what, how, op, slot, text(b), std::move(message)});
  }
  void report(net_problem problem) {
    problem.message.insert(0, path_.prefix);
    problem.inside = path_.inside;
    if (problem.op) problem.type = types_[*problem.op];
    found_.push_back(std::move(problem));
  }
  bool is_unwritten(blob_index b) {
    if (unwritten_.empty()) {
      unwritten_.resize(ssa_.blob_bound());
      for (blob_index u : ssa_.unwritten_outputs()) unwritten_[u] = true;
    }
    return unwritten_[b];
  }

  void externals(std::span<value const> values, kind repeated, std::string const& what) {
    std::vector<bool> seen(ssa_.blob_bound());
    for (std::size_t slot = 0; slot != values.size(); ++slot) {
      blob_index const b = values[slot].blob;
      if (seen[b]) add(repeated, severity::warning, {}, slot, b, what + quoted(b) + " is declared more than once");
      seen[b] = true;
      no_name(b, {}, slot);
    }
  }
  void no_name(blob_index b, std::optional<op_index> op, std::size_t slot) {
    if constexpr (has_text<N>)
      if (std::string_view(ssa_.name(b)).empty())
        add(kind::empty_name, severity::warning, op, slot, b,
            (op ? labels_[*op] : std::string("the net")) + " lists a blob without a name");
  }

  // Reports each blob once: a net that forgot to declare its inputs would otherwise list every use of them.
  void reads() {
    std::vector<bool> declared(ssa_.blob_bound());
    for (value v : ssa_.external_inputs()) declared[v.blob] = true;
    std::vector<bool> reported(ssa_.blob_bound());
    bool const strict = !ssa_.external_inputs().empty();
    // Nested nets may read blobs of outer nets: then the op counts as reading them.
    bool const is_expected = strict || path_.inside.empty();
    for (op_index op = 0; op != ssa_.op_count(); ++op) {
      std::size_t slot = 0;
      for (value v : ssa_.reads(op)) {
        if (slot < own_[op].reads) no_name(v.blob, op, slot);  // nested nets report theirs
        if (v.version == 0 && !declared[v.blob] && !reported[v.blob] && is_expected) {
          reported[v.blob] = true;
          bool const later = ssa_.version(v.blob) != 0;
          add(later ? kind::read_before_write : kind::undeclared_read, strict ? severity::error : severity::warning, op,
              slot, v.blob,
              labels_[op] + " reads " + quoted(v.blob) + ", which is no external input" +
                  (later ? " and is written only later" : " and is never written"));
        }
        ++slot;
      }
    }
  }

  void writes() {
    std::vector<op_index> last_writer(ssa_.blob_bound(), npos);
    for (op_index op = 0; op != ssa_.op_count(); ++op) {
      std::size_t slot = 0;
      for (value v : ssa_.writes(op)) {
        if (slot < own_[op].writes) no_name(v.blob, op, slot);
        if (last_writer[v.blob] == op)
          add(kind::output_written_twice, severity::warning, op, slot, v.blob,
              labels_[op] + " lists " + quoted(v.blob) + " more than once among its outputs");
        last_writer[v.blob] = op;
        ++slot;
      }
    }
  }

  N const& net_;
  nesting_path const& path_;
  validate_options const& options_;
  ssa_form<N> ssa_;
  std::vector<std::string> labels_;  // by op
  std::vector<std::string> types_;
  struct operand_counts {
    std::size_t reads;
    std::size_t writes;
  };
  std::vector<operand_counts> own_;  // by op, without operands of nested nets
  std::vector<bool> unwritten_;
  std::vector<net_problem>& found_;
};

}  // namespace detail

/// Returns all problems of a net: nested nets that cannot be read, externals, ops in order by kind; then those of the
/// nested nets, outer ones first; then notes, of the net itself. The errors are those for which Caffe2 refuses to
/// construct a net: undeclared reads where inputs are declared, outputs never written, and nested nets that cannot be
/// read (the operands of such an op are unknown, so nothing is then reported as unused). Never throws on a bad net.
/// O(operands · depth of nesting).
template <net N>
[[nodiscard]] std::vector<net_problem> validate(N const& n, validate_options const& options = {}) {
  std::vector<net_problem> found;
  detail::nesting_path const here;
  detail::net_validator<N> outermost(n, here, options, found);
  if constexpr (has_subnets<N>) {
    if (options.subnets) {
      using subnet_t = std::ranges::range_value_t<decltype(subnets(n, *std::ranges::begin(plait::ops(n))))>;
      struct entry {
        subnet_t subnet;
        detail::nesting_path path;
      };
      std::vector<entry> stack;
      bool readable = true;
      auto const look = [&](detail::net_validator<N>& validator) {
        std::vector<entry> nested;
        readable &= validator.collect_nested(nested);
        validator.run();
        std::ranges::move(nested | std::views::reverse, std::back_inserter(stack));
      };
      look(outermost);
      std::deque<subnet_t> held;  // nets live in what holds them, or in one of these
      while (!stack.empty()) {
        entry next = std::move(stack.back());
        stack.pop_back();
        held.push_back(std::move(next.subnet));
        detail::net_validator<N> validator(*held.back().net, next.path, options, found);
        look(validator);
      }
      if (options.notes) outermost.notes(readable);
      return found;
    }
  }
  outermost.run();
  if (options.notes) outermost.notes(true);
  return found;
}

}  // namespace plait
