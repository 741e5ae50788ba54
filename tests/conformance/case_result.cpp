#include "case_result.hpp"

#include "hash_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

#include <plait/core/errors.hpp>
#include <plait/netdef/detail/text_reader.hpp>

namespace conformance {

namespace {

using strings = std::vector<std::string>;

void append(strings& all, strings more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::string shortened(std::string text) {
  constexpr std::size_t limit = 200;
  if (text.size() > limit) text = text.substr(0, limit) + "...";
  return text;
}

std::string difference(std::string const& path, std::string const& expected, std::string const& got) {
  return path + ": expected " + shortened(expected) + ", got " + shortened(got);
}

std::optional<double> number(json const& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

bool close(double expected, double got, tolerance const& within) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (std::isinf(expected) || std::isinf(got)) return expected == got;
  return std::abs(got - expected) <= within.absolute + within.relative * std::abs(expected);
}

bool equal_scalars(json const& expected, json const& got, tolerance const& within) {
  if (expected.is_number_integer() && got.is_number_integer()) return expected == got;
  auto const a = number(expected);
  auto const b = number(got);
  return a && b ? close(*a, *b, within) : expected == got;
}

json sorted(json list) {
  std::sort(list.begin(), list.end(), [](json const& a, json const& b) { return a.dump() < b.dump(); });
  return list;
}

// ---- nets

std::string listing(plait::netdef const& n, auto const& names) {
  std::string text = "[";
  for (plait::symbol name : names) text += (text.size() == 1 ? "'" : ", '") + std::string(n.text(name)) + '\'';
  return text + ']';
}

strings texts(plait::netdef const& n, auto const& names, bool any_order) {
  strings all;
  for (plait::symbol name : names) all.emplace_back(n.text(name));
  if (any_order) std::ranges::sort(all);
  return all;
}

struct net_comparer {
  net_comparison const& how;
  strings found = {};

  void names(std::string const& path, plait::netdef const& a, auto const& expected, plait::netdef const& b,
             auto const& got, bool any_order = false) {
    if (texts(a, expected, any_order) != texts(b, got, any_order))
      found.push_back(difference(path, listing(a, expected), listing(b, got)));
  }

  template <class T>
  void equal(std::string const& path, T const& expected, T const& got) {
    if (!(expected == got)) found.push_back(path + ": differs");
  }
  void floats(std::string const& path, std::vector<float> const& expected, std::vector<float> const& got) {
    json const a = expected;
    json const b = got;
    append(found, json_differences(a, b, path, how.floats));
  }

  void device(std::string const& path, plait::box<plait::device_def> const& a, plait::box<plait::device_def> const& b) {
    if (a.has_value() != b.has_value()) {
      found.push_back(difference(path, a ? "a device option" : "none", b ? "one" : "none"));
      return;
    }
    if (!a) return;
    equal(path + ".device_type", a->device_type.value_or(0), b->device_type.value_or(0));
    equal(path + ".device_id", a->device_id.value_or(0), b->device_id.value_or(0));
    equal(path + ".random_seed", a->random_seed.value_or(0), b->random_seed.value_or(0));
    equal(path + ".node_name", a->node_name.value_or(""), b->node_name.value_or(""));
    equal(path + ".numa_node_id", a->numa_node_id.value_or(-1), b->numa_node_id.value_or(-1));
    equal(path + ".extra_info", a->extra_info, b->extra_info);
  }

  // Returns the net that an argument holds as a message or as text, or nothing.
  static std::optional<plait::netdef> held_net(plait::arg_def const& arg, plait::arg_def const& other) {
    if (arg.n) return *arg.n;
    bool const may_be_text = other.n.has_value() || (arg.s && other.s && arg.s != other.s);
    if (!may_be_text || !arg.s || arg.s->empty()) return std::nullopt;
    try {
      return plait::read_netdef_text(*arg.s);
    } catch (plait::parse_error const&) {
      return std::nullopt;
    }
  }

  // Recursive: the depth is that of the nested nets, which the reader limits.
  void argument(std::string const& path, plait::arg_def const& a, plait::arg_def const& b) {
    auto const net_a = held_net(a, b);
    auto const net_b = held_net(b, a);
    if (net_a && net_b) {
      net(path, *net_a, *net_b);
      return;
    }
    auto const one = [](std::optional<float> const& f) { return f ? std::vector<float>{*f} : std::vector<float>{}; };
    floats(path + ".f", one(a.f), one(b.f));
    if (a.i != b.i)
      found.push_back(
          difference(path + ".i", a.i ? std::to_string(*a.i) : "none", b.i ? std::to_string(*b.i) : "none"));
    if (a.s != b.s) found.push_back(difference(path + ".s", a.s.value_or("none"), b.s.value_or("none")));
    floats(path + ".floats", a.floats, b.floats);
    append(found, json_differences(json(a.ints), json(b.ints), path + ".ints"));
    equal(path + ".strings", a.strings, b.strings);
    equal(path + ".n", a.n.has_value(), b.n.has_value());
    equal(path + ".t", a.t.has_value(), b.t.has_value());
    if (a.t && b.t) equal(path + ".t", *a.t, *b.t);
    equal(path + ".tensors", a.tensors, b.tensors);
    equal(path + ".qtensors", a.qtensors, b.qtensors);
    equal(path + ".nets", a.nets.size(), b.nets.size());
    for (std::size_t i = 0; i != std::min(a.nets.size(), b.nets.size()); ++i)
      net(path + ".nets[" + std::to_string(i) + ']', a.nets[i], b.nets[i]);
  }

  bool ignored(std::string_view name) const {
    return std::ranges::find(how.ignore_args, name) != how.ignore_args.end();
  }

  void arguments(std::string const& path, plait::netdef const& a, plait::compact_vector<plait::arg_def> const& expected,
                 plait::netdef const& b, plait::compact_vector<plait::arg_def> const& got) {
    auto const called = [](plait::netdef const& n, plait::compact_vector<plait::arg_def> const& args,
                           std::string_view name) {
      return std::ranges::find_if(args, [&](plait::arg_def const& arg) { return n.text(arg.name) == name; });
    };
    for (plait::arg_def const& arg : expected) {
      std::string const name(a.text(arg.name));
      if (ignored(name)) continue;
      auto const other = called(b, got, name);
      if (other == got.end())
        found.push_back(path + ": argument '" + name + "' is missing");
      else
        argument(path + ".arg['" + name + "']", arg, *other);
    }
    for (plait::arg_def const& arg : got) {
      std::string const name(b.text(arg.name));
      if (!ignored(name) && called(a, expected, name) == expected.end())
        found.push_back(path + ": argument '" + name + "' is not expected");
    }
  }

  void net(std::string const& path, plait::netdef const& a, plait::netdef const& b) {
    if (a.op.size() != b.op.size())
      found.push_back(difference(path, std::to_string(a.op.size()) + " ops", std::to_string(b.op.size())));
    for (std::size_t i = 0; i != std::min(a.op.size(), b.op.size()); ++i) {
      plait::op_def const& x = a.op[i];
      plait::op_def const& y = b.op[i];
      std::string const at = path + ".op[" + std::to_string(i) + ']';
      if (a.text(x.type) != b.text(y.type))
        found.push_back(difference(at + ".type", std::string(a.text(x.type)), std::string(b.text(y.type))));
      names(at + ".input", a, x.input, b, y.input);
      names(at + ".output", a, x.output, b, y.output);
      device(at + ".device_option", x.device_option, y.device_option);
      arguments(at, a, x.arg, b, y.arg);
    }
    names(path + ".external_input", a, a.external_input, b, b.external_input, how.any_external_order);
    names(path + ".external_output", a, a.external_output, b, b.external_output, how.any_external_order);
  }
};

}  // namespace

std::vector<std::string> json_differences(json const& expected, json const& got, std::string const& path,
                                          tolerance const& within, case_result::order elements) {
  if (expected.is_array() && got.is_array()) {
    if (elements == case_result::order::any)
      return json_differences(sorted(expected), sorted(got), path + " (sorted)", within);
    strings found;
    if (expected.size() != got.size())
      return {difference(path, expected.dump() + " (" + std::to_string(expected.size()) + " elements)",
                         got.dump() + " (" + std::to_string(got.size()) + ')')};
    for (std::size_t i = 0; i != expected.size(); ++i)
      append(found, json_differences(expected[i], got[i], path + '[' + std::to_string(i) + ']', within));
    return found;
  }
  if (expected.is_object() && got.is_object()) {
    strings found;
    for (auto const& [key, value] : expected.items()) {
      if (auto const other = got.find(key); other == got.end())
        found.push_back(path + '.' + key + ": expected " + shortened(value.dump()) + ", got nothing");
      else
        append(found, json_differences(value, *other, path + '.' + key, within));
    }
    for (auto const& [key, value] : got.items())
      if (!expected.contains(key)) found.push_back(path + '.' + key + ": not expected, got " + shortened(value.dump()));
    return found;
  }
  if (equal_scalars(expected, got, within)) return {};
  return {difference(path, expected.dump(), got.dump())};
}

std::vector<std::string> net_differences(plait::netdef const& expected, plait::netdef const& got,
                                         std::string const& path, net_comparison const& how) {
  net_comparer comparer{how};
  comparer.net(path, expected, got);
  return std::move(comparer.found);
}

std::vector<std::string> differences(json const& expect, case_result const& got, test_case const& c) {
  net_comparison how;
  how.ignore_args = member<strings>(c.data, "ignore_args", {});
  how.any_external_order = member<bool>(c.data, "hash_order", false);
  tolerance within;
  within.relative = member<double>(c.data, "rtol", within.relative);
  within.absolute = member<double>(c.data, "atol", within.absolute);

  strings found;
  for (auto const& [key, wanted] : expect.items()) {
    auto const field = std::ranges::find(got.fields(), key, &case_result::field::key);
    if (field == got.fields().end()) {
      if (!wanted.is_null()) found.push_back(key + ": expected " + shortened(wanted.dump()) + ", got nothing");
    } else if (auto const* net = std::get_if<plait::netdef>(&field->value)) {
      plait::netdef const expected = parse_net(member<std::string>(expect, key), "expect." + key);
      if (how.any_external_order)
        append(found, net_differences(ordered(expected), ordered(*net), key, how));
      else
        append(found, net_differences(expected, *net, key, how));
    } else {
      append(found, json_differences(wanted, std::get<json>(field->value), key, within, field->elements));
    }
  }
  return found;
}

}  // namespace conformance
