// Equality of nets field by field, and equivalence in what they compute.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/net/detail/nested_arguments.hpp>
#include <plait/netdef/detail/field.hpp>
#include <plait/netdef/detail/message_comparison.hpp>
#include <plait/netdef/detail/schema.hpp>
#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/model.hpp>

namespace plait {

/// Returns true if two nets have the same fields with the same values in the same order. Presence counts, symbols are
/// compared by their text, floats by their bits (any NaN equals any other). Linear, no recursion.
[[nodiscard]] inline bool operator==(netdef const& a, netdef const& b) {
  using netdef_schema::message_view;
  return detail::message_comparison(0).run(message_view(a), a, message_view(b), b);
}

/// Differences that equivalent() ignores.
struct equivalence_options {
  /// Tolerance of float arguments, relative to the larger magnitude.
  double float_tolerance = 1e-6;
  /// Names of arguments to ignore, in nested nets too.
  std::vector<std::string> ignore_args = {};
  /// Compares step nets stored as text as nets, also with one that is stored as a message.
  bool text_nets_as_nets = true;
};

/// First difference of two nets: a path such as op[3].arg[kernel].i, and the values on both sides.
struct net_difference {
  std::string path;
  std::string left;
  std::string right;
  friend bool operator==(net_difference const&, net_difference const&) = default;
};

namespace detail {

class equivalence {
 public:
  explicit equivalence(equivalence_options const& options) : options_(options) {}

  std::optional<net_difference> run(netdef const& a, netdef const& b) {
    work_.push_back({borrow(a), borrow(b), {}});
    for (std::size_t i = 0; i != work_.size() && !found_; ++i) {
      pair const here = work_[i];
      compare(*here.a, *here.b, here.path);
    }
    return std::move(found_);
  }

 private:
  using shared_net = std::shared_ptr<netdef const>;
  struct pair {
    shared_net a;
    shared_net b;
    std::string path;
  };

  static shared_net borrow(netdef const& net) { return {std::shared_ptr<void>(), &net}; }
  bool differ(std::string path, std::string left, std::string right) {
    found_ = net_difference{std::move(path), std::move(left), std::move(right)};
    return false;
  }

  // Compares two lists of blobs.
  template <class Symbols>
  static bool same_names(Symbols const& a, netdef const& net_a, Symbols const& b, netdef const& net_b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](symbol x, symbol y) { return net_a.text(x) == net_b.text(y); });
  }
  template <class Symbols>
  static std::string names_text(Symbols const& names, netdef const& net) {
    std::string text;
    for (symbol const each : names) text += (text.empty() ? "" : ", ") + value_text(each, net);
    return '[' + text + ']';
  }
  template <class Symbols, class Path>
  bool same(Symbols const& a, netdef const& net_a, Symbols const& b, netdef const& net_b, Path const& path) {
    return same_names(a, net_a, b, net_b) || differ(path(), names_text(a, net_a), names_text(b, net_b));
  }

  bool compare(netdef const& a, netdef const& b, std::string const& path) {
    for (std::size_t i = 0; i != std::min(a.op.size(), b.op.size()); ++i) {
      op_def const& x = a.op[i];
      op_def const& y = b.op[i];
      // The path is built only for ops that differ; most do not.
      auto const here = [&] { return path + "op[" + std::to_string(i) + "]."; };
      if (a.text(x.type) != b.text(y.type))
        return differ(here() + "type", std::string(a.text(x.type)), std::string(b.text(y.type)));
      if (!same(x.input, a, y.input, b, [&] { return here() + "input"; }) ||
          !same(x.output, a, y.output, b, [&] { return here() + "output"; }))
        return false;
      if (!same_device(x.device_option, y.device_option))
        return differ(here() + "device_option", device_text(x), device_text(y));
      if (!same_arguments(a, x, b, y, here)) return false;
    }
    if (a.op.size() != b.op.size())
      return differ(path + "op", std::to_string(a.op.size()) + " of them", std::to_string(b.op.size()) + " of them");
    return same(a.external_input, a, b.external_input, b, [&] { return path + "external_input"; }) &&
           same(a.external_output, a, b.external_output, b, [&] { return path + "external_output"; });
  }

  // An absent option differs from an empty one, since the device option of a net applies to the ops that have none; an
  // absent field of an option equals its default.
  static auto device_values(device_def const& d) {
    return std::tuple(d.device_type.value_or(0), d.device_id.value_or(0), d.random_seed.value_or(0),
                      std::string_view(d.node_name ? *d.node_name : std::string_view()), d.numa_node_id.value_or(-1));
  }
  static bool same_device(box<device_def> const& a, box<device_def> const& b) {
    if (!a || !b) return !a && !b;
    return device_values(*a) == device_values(*b) && a->extra_info == b->extra_info;
  }
  static std::string device_text(op_def const& op) {
    if (!op.device_option) return "absent";
    auto const [type, id, seed, node, numa] = device_values(*op.device_option);
    return "type " + std::to_string(type) + ", id " + std::to_string(id) +
           (node.empty() ? "" : ", node " + std::string(node));
  }

  std::vector<arg_def const*> sorted_arguments(netdef const& net, op_def const& op) const {
    std::vector<arg_def const*> arguments;
    for (arg_def const& argument : op.arg)
      if (std::find(options_.ignore_args.begin(), options_.ignore_args.end(), net.text(argument.name)) ==
          options_.ignore_args.end())
        arguments.push_back(&argument);
    std::stable_sort(arguments.begin(), arguments.end(),
                     [&](arg_def const* x, arg_def const* y) { return net.text(x->name) < net.text(y->name); });
    return arguments;
  }

  template <class Here>
  bool same_arguments(netdef const& a, op_def const& x, netdef const& b, op_def const& y, Here const& here) {
    if (x.arg.empty() && y.arg.empty()) return true;
    auto const left = sorted_arguments(a, x);
    auto const right = sorted_arguments(b, y);
    for (std::size_t i = 0; i != std::max(left.size(), right.size()); ++i) {
      std::string_view const in_a = i < left.size() ? a.text(left[i]->name) : std::string_view();
      std::string_view const in_b = i < right.size() ? b.text(right[i]->name) : std::string_view();
      if (i == left.size() || (i != right.size() && in_b < in_a))
        return differ(here() + "arg[" + std::string(in_b) + "]", "absent", "present");
      if (i == right.size() || in_a < in_b)
        return differ(here() + "arg[" + std::string(in_a) + "]", "present", "absent");
      if (!same_argument(a, *left[i], b, *right[i], a.text(x.type), here)) return false;
    }
    return true;
  }

  // Appends the nets that an argument holds. Returns true if its string is a net in text form; any other text stays a
  // string.
  bool nets_of(arg_def const& argument, bool may_be_text, std::vector<shared_net>& nets) const {
    if (argument.n) nets.push_back(borrow(*argument.n));
    for (netdef const& net : argument.nets) nets.push_back(borrow(net));
    if (!may_be_text || !argument.s) return false;
    if (argument.s->empty()) return true;
    try {
      nets.push_back(std::make_shared<netdef const>(read_netdef_text(*argument.s)));
      return true;
    } catch (parse_error const&) {
      return false;
    }
  }

  template <class Here>
  bool same_argument(netdef const& a, arg_def const& x, netdef const& b, arg_def const& y, std::string_view op_type,
                     Here const& here) {
    std::string_view const name = a.text(x.name);
    auto const path = [&] { return here() + "arg[" + std::string(name) + "]."; };
    bool const may_be_text = options_.text_nets_as_nets && holds_text_net(op_type, name);
    std::vector<shared_net> left, right;
    bool const text_left = nets_of(x, may_be_text, left);
    bool const text_right = nets_of(y, may_be_text, right);

    for (netdef_schema::field_descriptor const& field : netdef_schema::argument_fields) {
      netdef_schema::value_list const in_x = field.values(&x), in_y = field.values(&y);
      auto const field_path = [&] { return path() + std::string(field.name); };
      bool const is_text =
          field.number == 4 && (text_left || text_right) && (text_left || !x.s) && (text_right || !y.s);
      if (is_text || field.number == 1 || field.child == netdef_schema::message_kind::net) continue;
      if (field.is_message()) {
        if (!same_messages(field, a, in_x, b, in_y, field_path)) return false;
      } else if (!same_values(field.kind, in_x, a, in_y, b, options_.float_tolerance)) {
        return differ(field_path(), field_text(field, in_x, a), field_text(field, in_y, b));
      }
    }

    if (left.size() != right.size())
      return differ(path() + "n", std::to_string(left.size()) + " nets", std::to_string(right.size()) + " nets");
    for (std::size_t i = 0; i != left.size(); ++i)
      work_.push_back({left[i], right[i], path() + (left.size() == 1 ? "n." : "nets[" + std::to_string(i) + "].")});
    return true;
  }

  // Compares tensors, the messages in arguments that are not nets.
  template <class Path>
  bool same_messages(netdef_schema::field_descriptor const& field, netdef const& net_a, netdef_schema::value_list a,
                     netdef const& net_b, netdef_schema::value_list b, Path const& path) {
    if (a.size != b.size) return differ(path(), count_text(field, a), count_text(field, b));
    message_comparison compare(options_.float_tolerance);
    for (std::size_t i = 0; i != a.size; ++i) {
      netdef_schema::message_view const x(field, a, i), y(field, b, i);
      if (!compare.run(x, net_a, y, net_b)) return differ(path() + '.' + compare.path, compare.left, compare.right);
    }
    return true;
  }

  equivalence_options const& options_;
  std::vector<pair> work_;
  std::optional<net_difference> found_;
};

}  // namespace detail

/// Returns the first semantic difference of two nets, or nothing if they are equivalent. Compares ops in order (type,
/// inputs, outputs, device, arguments as a map by name) and external inputs and outputs in order; floats up to a
/// tolerance, nested nets as nets. Ignores names of nets and ops, engines, versions and unknown fields. Linear except
/// for the sorting of each op's arguments; no recursion.
[[nodiscard]] inline std::optional<net_difference> first_difference(netdef const& a, netdef const& b,
                                                                    equivalence_options const& options = {}) {
  return detail::equivalence(options).run(a, b);
}

/// Returns true if first_difference() finds none.
[[nodiscard]] inline bool equivalent(netdef const& a, netdef const& b, equivalence_options const& options = {}) {
  return !first_difference(a, b, options);
}

}  // namespace plait
