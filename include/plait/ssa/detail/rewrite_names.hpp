// SSA renaming of a net in place: a distinct name for every version of a blob.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/core/detail/prefetch.hpp>
#include <plait/core/detail/raise.hpp>
#include <plait/core/errors.hpp>
#include <plait/net/detail/name_map.hpp>
#include <plait/net/detail/nested_names.hpp>
#include <plait/net/detail/op_label.hpp>
#include <plait/net/mutation.hpp>
#include <plait/net/net_traits.hpp>
#include <plait/ssa/versioning.hpp>

namespace plait {

/// Selects the values that are renamed to `<blob>_<version>`.
enum class ssa_naming {
  every_version,     ///< all, version 0 too
  several_versions,  ///< only if the blob occurs in several versions; version 0 keeps its name
};

/// Policy for a versioned name that is the name of another blob, which cannot happen with every_version.
enum class name_collision {
  refuse,  ///< throw net_error
  number,  ///< append `_<k>`, the smallest k from 1 that makes the name free
};

struct ssa_rewrite_options {
  ssa_naming naming = ssa_naming::every_version;
  name_collision collision = name_collision::refuse;
  /// Renames in nested nets, too, and throws net_error if one uses a single name for two versions. Otherwise they keep
  /// the old names and cannot run any more, as in Caffe2's ONNX front end.
  bool nested_nets = true;
  /// Throws for an external output that no op writes even if it is an input, as the ONNX front end does.
  bool require_written_outputs = false;
  /// Names of metadata about external inputs (shapes and types), which are renamed, too.
  std::vector<std::string> value_info = {};
};

/// New names of external inputs and outputs.
struct ssa_rewrite_result {
  name_map inputs;                      ///< new names of declared external inputs
  name_map outputs;                     ///< new names of declared external outputs
  std::vector<std::string> value_info;  ///< in the order of the options
};

/// A net for ssa_rewrite.
template <class N>
concept ssa_rewritable_net =
    renamable_net<N> && renamable_externals<N> && renamable_controls<N> && has_text<N> && nameable_net<N>;

namespace detail {

template <net N>
class ssa_rewriter {
  using traits = net_traits_of<N>;

 public:
  ssa_rewriter(N const& n, ssa_rewrite_options const& options)
      : net_(n), options_(options), ssa_(get_ssa(n, {.subnets = options.nested_nets, .control_inputs = true})) {
    check_outputs();
    name_values();
    if (options.nested_nets) plan_nested();
  }

  std::string input_name(std::string_view blob) const {
    std::string name(blob);
    return options_.naming == ssa_naming::every_version ? name + "_0" : name;
  }

  // Changes the net. Throws only std::bad_alloc.
  ssa_rewrite_result apply(N& n) && {
    ssa_rewrite_result result;
    std::vector<std::optional<name_t<N>>> const made = make_names(n);
    auto const name = [&](value v) -> name_t<N> const& { return *made[ssa_.index(v)]; };
    op_index at = 0;
    for (auto&& op : traits::ops(n)) {
      auto const count = [](auto&& range) { return static_cast<std::size_t>(std::ranges::distance(range)); };
      std::size_t const inputs_end = count(inputs(std::as_const(n), op));
      std::size_t const controls_end = inputs_end + count(control_inputs(std::as_const(n), op));
      std::size_t const outputs_end = count(outputs(std::as_const(n), op));
      for (std::size_t slot = 0; slot != inputs_end; ++slot) traits::set_input(n, op, slot, name(ssa_.reads(at)[slot]));
      if constexpr (has_control_inputs<N>)
        for (std::size_t slot = inputs_end; slot != controls_end; ++slot)
          traits::set_control_input(n, op, slot - inputs_end, name(ssa_.reads(at)[slot]));
      else
        static_cast<void>(controls_end);
      for (std::size_t slot = 0; slot != outputs_end; ++slot)
        traits::set_output(n, op, slot, name(ssa_.writes(at)[slot]));
      if constexpr (nested_editable_net<N>)
        if (auto const found = nested_.find(at); found != nested_.end())
          rename_nested(n, op, found->second, [](N&, subnet_scope) {});
      ++at;
    }
    if constexpr (has_external_inputs<N>)
      for (std::size_t slot = 0; slot != ssa_.external_inputs().size(); ++slot)
        traits::set_external_input(n, slot, name(ssa_.external_inputs()[slot]));
    if constexpr (has_external_outputs<N>)
      for (std::size_t slot = 0; slot != ssa_.external_outputs().size(); ++slot)
        traits::set_external_output(n, slot, name(ssa_.external_outputs()[slot]));
    result.inputs = std::move(inputs_);
    result.outputs = std::move(outputs_);
    for (std::string const& key : options_.value_info) result.value_info.push_back(input_name(key));
    return result;
  }

 private:
  std::string text(blob_index b) const { return std::string(std::string_view(ssa_.name(b))); }

  void check_outputs() const {
    if (!ssa_.unwritten_outputs().empty()) {
      std::string const blob = text(ssa_.unwritten_outputs().front());
      raise(net_error("plait: external output '" + blob + "' is neither written by an op nor an input of the net", {},
                      blob));
    }
    if (!options_.require_written_outputs || ssa_.external_inputs().empty()) return;
    for (value v : ssa_.external_outputs())
      if (ssa_.producing_op(v) == npos)
        raise(net_error("plait: external output '" + text(v.blob) + "' is not written by an op", {}, text(v.blob)));
  }

  // Creates the names of all values that occur, by value. TRAP: call before the first change of the net, since new
  // names may be created from text in its ops.
  std::vector<std::optional<name_t<N>>> make_names(N& n) const {
    std::vector<std::optional<name_t<N>>> made(ssa_.value_count());
    std::string buffer;
    auto const make = [&](value v) {
      if (auto& name = made[ssa_.index(v)]; !name) name = make_name(n, name_of(v, buffer));
    };
    // Prefetches the old names, and some ops later what creating the new ones needs.
    auto const each_new = [&](op_index op, auto const& visit) {
      if (op >= ssa_.op_count()) return;
      for (value v : ssa_.reads(op))
        if (!made[ssa_.index(v)]) visit(v);
      for (value v : ssa_.writes(op)) visit(v);
    };
    auto const prefetch = [&](op_index op) {
      if constexpr (requires { traits::prefetch_name(n, std::string_view()); }) {
        each_new(op + 20, [&](value v) { detail::prefetch(std::string_view(ssa_.name(v)).data(), 0); });
        each_new(op + 8, [&](value v) { traits::prefetch_name(n, name_of(v, buffer)); });
      }
    };
    if constexpr (requires { traits::reserve(n, std::size_t{}, std::size_t{}); })
      traits::reserve(n, 0, ssa_.value_count());
    for (op_index op = 0; op != ssa_.op_count(); ++op) {
      prefetch(op);
      for (value v : ssa_.reads(op)) make(v);
      for (value v : ssa_.writes(op)) make(v);
    }
    for (value v : ssa_.external_inputs()) make(v);
    for (value v : ssa_.external_outputs()) make(v);
    return made;
  }

  // The versions that occur, and their number by blob.
  struct occurrences {
    std::vector<bool> values;
    std::vector<std::uint32_t> versions;
  };
  occurrences count_versions() const {
    occurrences found{std::vector<bool>(ssa_.value_count()), std::vector<std::uint32_t>(ssa_.blob_bound())};
    auto const count = [&](value v) {
      if (found.values[ssa_.index(v)]) return;
      found.values[ssa_.index(v)] = true;
      ++found.versions[v.blob];
    };
    for (value v : ssa_.external_inputs()) count(v);
    for (op_index op = 0; op != ssa_.op_count(); ++op) {
      for (value v : ssa_.reads(op)) count(v);
      for (value v : ssa_.writes(op)) count(v);
    }
    for (value v : ssa_.external_outputs()) count(v);
    return found;
  }

  bool keeps_name(value v) const {
    return options_.naming == ssa_naming::several_versions && (v.version == 0 || single_[v.blob]);
  }

  // Returns the new name of a value: text of the net, of this object, or of the buffer. Recomputed each time: storing a
  // million names costs more than writing them.
  std::string_view name_of(value v, std::string& buffer) const {
    std::string_view const blob(ssa_.name(v));
    if (keeps_name(v)) return blob;
    if (!numbered_.empty())
      if (auto const found = numbered_.find(ssa_.index(v)); found != numbered_.end()) return found->second;
    std::array<char, 11> version = {'_'};
    char const* const end = std::to_chars(version.data() + 1, version.data() + version.size(), v.version).ptr;
    buffer.assign(blob).append(static_cast<char const*>(version.data()), end);
    return buffer;
  }

  // Plans the names and resolves collisions. Only unversioned names can collide: the last '_' of a versioned name
  // separates blob and version.
  void name_values() {
    std::string buffer;
    if (options_.naming == ssa_naming::several_versions) {
      occurrences const occur = count_versions();
      single_.resize(ssa_.blob_bound());
      for (blob_index b = 0; b != ssa_.blob_bound(); ++b) single_[b] = occur.versions[b] == 1;
      auto const is_kept = [&](std::string_view name) {
        blob_index const b = ssa_.find(name_key_t<N>(name));
        if (b == npos) return false;
        value const given{b, 0};
        return single_[b] || (ssa_.contains(given) && occur.values[ssa_.index(given)]);
      };
      std::vector<value> colliding;
      for (blob_index b : ssa_.blobs())
        for (value v{b, 0}; v.version <= ssa_.version(b); ++v.version) {
          if (!occur.values[ssa_.index(v)] || keeps_name(v)) continue;
          std::string_view const name = name_of(v, buffer);
          if (!is_kept(name)) continue;
          if (options_.collision == name_collision::refuse) {
            auto const by = ssa_.producer(v);
            raise(net_error("plait: version " + std::to_string(v.version) + " of blob '" + text(b) +
                                "' would be named '" + std::string(name) + "', which is the name of another blob",
                            by ? std::optional<std::size_t>(by->op) : std::nullopt, std::string(name)));
          }
          colliding.push_back(v);
        }
      if (!colliding.empty()) number(colliding, occur.values);
    }
    inputs_.reserve(ssa_.external_inputs().size());
    std::span<value const> const given = ssa_.external_inputs();
    for (std::size_t i = 0; i != given.size(); ++i) {
      if (i + 8 < given.size()) inputs_.prefetch(std::string_view(ssa_.name(given[i + 8])));
      inputs_.set(std::string_view(ssa_.name(given[i])), name_of(given[i], buffer));
    }
    for (value v : ssa_.external_outputs()) outputs_.set(std::string_view(ssa_.name(v)), name_of(v, buffer));
  }

  void number(std::vector<value> const& colliding, std::vector<bool> const& occurs) {
    std::string buffer;
    boost::unordered_flat_set<std::string> taken;
    for (blob_index b : ssa_.blobs())
      for (value v{b, 0}; v.version <= ssa_.version(b); ++v.version)
        if (occurs[ssa_.index(v)]) taken.emplace(name_of(v, buffer));
    for (value v : colliding) {
      std::string const base = std::string(name_of(v, buffer)) + '_';
      std::string name;
      std::uint64_t k = 0;
      do name = base + std::to_string(++k);
      while (!taken.insert(name).second);
      numbered_.emplace(ssa_.index(v), std::move(name));
    }
  }

  // Plans the new names inside nested nets: for each op those of its operands' blobs, at one version each.
  void plan_nested() {
    if constexpr (has_subnets<N>) {
      op_index at = 0;
      for (auto&& op : plait::ops(net_)) {
        if (has_nested_nets(net_, op)) plan_nested(at, op);
        ++at;
      }
    }
  }
  template <class Op>
  void plan_nested(op_index at, Op const& op) {
    boost::unordered_flat_set<std::string> mentioned;
    visit_nested_names(net_, op, [&](std::string_view name) { mentioned.emplace(name); });
    bool const binds = binds_nested_net(net_, op);
    name_map renamed;
    std::string buffer;
    auto const operand_of = [&](value v) {
      std::string const from = text(v.blob);
      if (!binds && !mentioned.contains(from)) return;
      std::string_view const to = name_of(v, buffer);
      if (auto const other = renamed.find(from); other && *other != to)
        raise(net_error("plait: a net in " + op_label(net_, at) + " knows blob '" + from +
                            "' by one name, but the op uses '" + std::string(*other) + "' and '" + std::string(to) +
                            "' for it",
                        at, from));
      renamed.set(from, to);
    };
    for (value v : ssa_.reads(at)) operand_of(v);
    for (value v : ssa_.writes(at)) operand_of(v);
    auto const changes = [&](std::string_view from, std::string_view to) {
      return from != to && mentioned.contains(std::string(from));
    };
    for (auto const& [from, to] : renamed)
      if (changes(from, to) && mentioned.contains(std::string(to)) && !renamed.contains(to))
        raise(net_error(
            "plait: new name '" + std::string(to) + "' is taken in a net that " + op_label(net_, at) + " holds", at,
            std::string(to)));
    if constexpr (!nested_editable_net<N>) {
      for (auto const& [from, to] : renamed)
        if (changes(from, to))
          raise(net_error("plait: " + op_label(net_, at) + " holds a net that mentions '" + std::string(from) +
                              "', and its type has no way to change nested nets",
                          at, std::string(from)));
    }
    if (!renamed.empty()) nested_.emplace(at, std::move(renamed));
  }

  N const& net_;
  ssa_rewrite_options const& options_;
  ssa_form<N> ssa_;
  std::vector<bool> single_;                                      // by blob: only one version occurs
  boost::unordered_flat_map<std::size_t, std::string> numbered_;  // by value: names that collided
  name_map inputs_;
  name_map outputs_;
  boost::unordered_flat_map<op_index, name_map> nested_;
};

// Checks that an init net only fills tensors from given values: its blobs are external inputs of the net, at version 0.
template <class N>
void check_given_tensors(N const& init) {
  boost::unordered_flat_set<std::string> written;
  std::size_t at = 0;
  for (auto&& op : plait::ops(init)) {
    std::string_view const type = op_type(init, op);
    if (!type.starts_with("GivenTensor") || type.find("Fill", 11) == std::string_view::npos)
      raise(net_error("plait: " + op_label(init, at) + " of the init net is no GivenTensor…Fill", at));
    std::size_t count = 0;
    for (auto const& name : outputs(init, op)) {
      std::string blob(name_text(init, static_cast<name_t<N> const&>(name)));
      if (++count > 1)
        raise(net_error("plait: " + op_label(init, at) + " of the init net has several outputs", at, std::move(blob)));
      if (!written.insert(blob).second) raise(net_error("plait: the init net writes '" + blob + "' twice", at, blob));
    }
    if (count == 0) raise(net_error("plait: " + op_label(init, at) + " of the init net has no output", at));
    ++at;
  }
}

}  // namespace detail

/// Renames the blobs of a net so that each version has a distinct name: afterwards no op is in-place and no blob is
/// written twice (except by an op that lists one output twice). Follows _ssa_rewrite of Caffe2's ONNX front ends, of
/// 2018 (every_version) and PyTorch 1.x (several_versions), and in addition checks names and renames nested nets.
///
/// Throws net_error and changes nothing for an external output that is neither written nor an input, for a collision
/// (options.collision), and for a nested net that cannot be renamed (options.nested_nets). O(operands + nested nets).
template <ssa_rewritable_net N>
ssa_rewrite_result ssa_rewrite(N& n, ssa_rewrite_options const& options = {}) {
  return detail::ssa_rewriter<N>(std::as_const(n), options).apply(n);
}

/// Renames a net and the init net that fills its parameters, whose blobs are all version 0. Also throws net_error if an
/// op of the init net is anything but a GivenTensor…Fill with one output.
template <ssa_rewritable_net N>
  requires typed_net<N>
ssa_rewrite_result ssa_rewrite(N& n, N& init, ssa_rewrite_options const& options = {}) {
  detail::check_given_tensors(std::as_const(init));
  detail::ssa_rewriter<N> rewriter(std::as_const(n), options);
  name_map given;
  auto const each = [&](auto const& names) {
    for (auto const& name : names) {
      std::string_view const text = name_text(init, static_cast<name_t<N> const&>(name));
      given.set(text, rewriter.input_name(text));
    }
  };
  each(external_inputs(init));
  for (auto&& op : plait::ops(std::as_const(init))) {
    each(inputs(init, op));
    each(control_inputs(init, op));
    each(outputs(init, op));
  }
  each(external_outputs(init));
  ssa_rewrite_result result = std::move(rewriter).apply(n);
  detail::rename_mentions(init, given);
  return result;
}

}  // namespace plait
