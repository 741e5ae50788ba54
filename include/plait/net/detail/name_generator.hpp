// Unique names (gensym): for nets, and for the blobs of a net.
//
// Follows Caffe2's core.Net (_get_next_net_name, NextName, NextBlob, NextScopedBlob), except that taken names are kept
// in the object and not in a registry of the process, that every name returned counts as taken, and that the counter of
// a loaded net is read with all its digits.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <plait/net/net_traits.hpp>

namespace plait {

/// Returns each name once: a name that is taken gets a number, name_1, name_2, … Amortised O(length).
class unique_names {
 public:
  /// Returns `wanted`, joined to the prefix by '/', with a number if that is taken. The result is taken from then on.
  std::string next(std::string_view wanted, std::string_view prefix = {}) {
    std::string base(prefix);
    if (!prefix.empty() && !wanted.empty()) base += '/';
    base += wanted;
    return number(std::move(base), "_", 1, {});
  }

  /// Takes a name; returns false if it was taken already.
  bool take(std::string_view name) { return taken_.insert(std::string(name)).second; }
  bool taken(std::string_view name) const { return taken_.contains(std::string(name)); }

  /// Takes and returns base + suffix if that is free, else base + separator + k + suffix with the smallest free k from
  /// `first` on. Names are never released, so the search resumes where the last one for the same base, separator and
  /// suffix ended.
  std::string number(std::string base, std::string_view separator, std::uint64_t first, std::string_view suffix) {
    std::string name = base + std::string(suffix);
    if (take(name)) return name;
    base += separator;
    std::uint64_t& k = next_.try_emplace(base + '\0' + std::string(suffix), first).first->second;
    do {
      name = base + std::to_string(k++) + std::string(suffix);
    } while (!take(name));
    return name;
  }

 private:
  boost::unordered_flat_set<std::string> taken_;
  boost::unordered_flat_map<std::string, std::uint64_t> next_;
};

/// Generates names for new blobs of one net. Returns no name twice, nor one the net has already.
class name_generator {
 public:
  /// Constructs a generator for a net yet to be built.
  explicit name_generator(std::string_view net_name) : net_name_(net_name) {}

  /// Constructs a generator for an existing net: the names of its blobs are taken, and next_name() continues after the
  /// largest number in use. O(operands).
  template <has_text N>
  name_generator(std::string_view net_name, N const& n) : net_name_(net_name) {
    for (auto const& name : plait::external_inputs(n)) take(text(n, name));
    for (auto const& name : plait::external_outputs(n)) take(text(n, name));
    for (auto&& op : plait::ops(n)) {
      for (auto const& name : plait::inputs(n, op)) take(text(n, name));
      for (auto const& name : plait::outputs(n, op)) take(text(n, name));
    }
  }

  /// Takes a name, so that it is never returned.
  void take(std::string_view name) {
    names_.take(name);
    if (auto const number = counter(name)) next_ = std::max(next_, *number + 1);
  }
  bool taken(std::string_view name) const { return names_.taken(name); }

  /// Returns `<net>_blob_<n>`, counting up.
  std::string next_name() {
    for (;;) {
      std::string name = net_name_ + "_blob_" + std::to_string(next_++);
      if (names_.take(name)) return name;
    }
  }
  /// Returns `<net>/<prefix>`, then `<net>/<prefix>_2`, …; with an output's number, `:<id>` follows.
  std::string next_name(std::string_view prefix, std::optional<std::size_t> output = {}) {
    if (prefix.empty()) return next_name();
    return names_.number(net_name_ + '/' + std::string(prefix), "_", 2, output ? ':' + std::to_string(*output) : "");
  }
  /// Returns the prefix itself, then `<prefix>_auto_0`, `<prefix>_auto_1`, …
  std::string next_blob(std::string_view prefix = "unnamed") {
    return names_.number(std::string(prefix), "_auto_", 0, {});
  }
  /// Returns next_blob() in a name scope, which ends in its own separator ("layer1/").
  std::string next_scoped_blob(std::string_view scope, std::string_view prefix = "unnamed") {
    return next_blob(std::string(scope) + std::string(prefix));
  }

 private:
  template <class N, class Name>
  static std::string_view text(N const& n, Name const& name) {
    return name_text(n, static_cast<name_t<N> const&>(name));
  }

  // Returns the n of `<net>_blob_<n>`, unless it is too large ever to be counted up to.
  std::optional<std::uint64_t> counter(std::string_view name) const {
    if (!name.starts_with(net_name_)) return std::nullopt;
    name.remove_prefix(net_name_.size());
    if (!name.starts_with("_blob_")) return std::nullopt;
    name.remove_prefix(6);
    std::uint64_t n = 0;
    auto const [end, problem] = std::from_chars(name.data(), name.data() + name.size(), n);
    if (name.empty() || end != name.data() + name.size() || problem != std::errc() || n >= (std::uint64_t{1} << 62))
      return std::nullopt;
    return n;
  }

  std::string net_name_;
  unique_names names_;
  std::uint64_t next_ = 0;
};

}  // namespace plait
