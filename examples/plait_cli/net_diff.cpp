#include "net_diff.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>

#include <plait/netdef/equality.hpp>
#include <plait/netdef/write.hpp>

#include "op_text.hpp"
#include "sequence_diff.hpp"

namespace cli {

namespace {

using plait::netdef;
using plait::op_def;

// Returns a net of one op with what counts in a comparison, arguments sorted by name.
netdef alone(netdef const& net, op_def const& op) {
  netdef made;
  op_def copy = made.adopt(op, net);
  copy.name = {};
  copy.rare = {};
  std::vector<plait::arg_def> arguments(copy.arg.begin(), copy.arg.end());
  std::vector<plait::arg_def*> order;
  for (plait::arg_def& a : arguments) order.push_back(&a);
  std::ranges::stable_sort(order, {}, [&](plait::arg_def const* a) { return made.text(a->name); });
  copy.arg.clear();
  for (plait::arg_def* a : order) copy.arg.push_back(std::move(*a));
  made.op.push_back(std::move(copy));
  return made;
}

// Numbers of equal keys.
class key_numbers {
 public:
  std::uint32_t operator()(std::string key) {
    return numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

std::string outputs_key(netdef const& net, op_def const& op) {
  std::string key;
  for (plait::symbol const blob : op.output) key += std::string(net.text(blob)) + '\0';
  return key;
}

// Keys of an op, from the one that decides first; an empty key equals no other.
std::vector<std::string> keys_of(netdef const& net, op_def const& op) {
  std::vector<plait::diagnostic> ignored;
  std::string const type(net.text(op.type));
  std::string const outputs = outputs_key(net, op);
  return {plait::to_bytes(alone(net, op), plait::netdef_format::binary, {.diagnostics = &ignored}),
          outputs.empty() ? "" : type + '\0' + outputs, outputs, type};
}

struct op_gap {
  std::size_t a, a_end, b, b_end;
};

// Aligns the ops of two nets, level by level of their keys.
std::vector<std::pair<std::size_t, std::size_t>> align(netdef const& a, netdef const& b) {
  std::vector<std::vector<std::uint32_t>> of_a, of_b;  // by level
  std::uint32_t unique = 0;
  auto const number = [&](netdef const& net, std::vector<std::vector<std::uint32_t>>& levels,
                          std::vector<key_numbers>& numbers) {
    for (op_def const& op : net.op) {
      std::vector<std::string> keys = keys_of(net, op);
      levels.resize(keys.size());
      numbers.resize(keys.size());
      for (std::size_t i = 0; i != keys.size(); ++i)
        levels[i].push_back(keys[i].empty() ? UINT32_MAX - unique++ : numbers[i](std::move(keys[i])));
    }
  };
  std::vector<key_numbers> numbers;
  number(a, of_a, numbers);
  number(b, of_b, numbers);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  if (of_a.empty() || of_b.empty()) return pairs;
  std::vector<op_gap> gaps{{0, a.op.size(), 0, b.op.size()}};
  for (std::size_t level = 0; level != of_a.size(); ++level) {
    std::vector<op_gap> left;
    for (op_gap const& g : gaps) {
      std::span const part_a = std::span<std::uint32_t const>(of_a[level]).subspan(g.a, g.a_end - g.a);
      std::span const part_b = std::span<std::uint32_t const>(of_b[level]).subspan(g.b, g.b_end - g.b);
      std::size_t from_a = g.a, from_b = g.b;
      for (auto const& [x, y] : common_subsequence(part_a, part_b)) {
        pairs.emplace_back(g.a + x, g.b + y);
        left.push_back({from_a, g.a + x, from_b, g.b + y});
        from_a = g.a + x + 1;
        from_b = g.b + y + 1;
      }
      left.push_back({from_a, g.a_end, from_b, g.b_end});
    }
    std::erase_if(left, [](op_gap const& g) { return g.a == g.a_end || g.b == g.b_end; });
    gaps = std::move(left);
  }
  std::ranges::sort(pairs);
  return pairs;
}

// Returns an argument as the only one of a net of one op, to compare it alone.
netdef alone(netdef const& net, op_def const& op, plait::arg_def const& argument) {
  netdef made;
  op_def& copy = made.add_op(net.text(op.type), {}, {});
  copy.arg.push_back(made.adopt(argument, net));
  return made;
}

// Appends the difference of an argument, with the first difference within a net that it holds.
void compare_argument(std::string const& name, netdef const& net_a, op_def const& a, plait::arg_def const* in_a,
                      netdef const& net_b, op_def const& b, plait::arg_def const* in_b,
                      std::vector<op_change>& changes) {
  op_change change{"argument", name, {}, {}};
  if (in_a != nullptr) change.before = argument_text(*in_a);
  if (in_b != nullptr) change.after = argument_text(*in_b);
  if (in_a != nullptr && in_b != nullptr) {
    auto const found = plait::first_difference(alone(net_a, a, *in_a), alone(net_b, b, *in_b), {.float_tolerance = 0});
    if (!found) return;
    if (change.before == change.after) {  // they differ in what the text leaves out
      std::string const prefix = "op[0].arg[" + name + "].";
      std::string const path = found->path.substr(found->path.starts_with(prefix) ? prefix.size() : 0);
      change.before = path + " = " + found->left;
      change.after = path + " = " + found->right;
    }
  }
  changes.push_back(std::move(change));
}

std::vector<op_change> compare(netdef const& net_a, op_def const& a, netdef const& net_b, op_def const& b) {
  std::vector<op_change> changes;
  auto const add = [&](char const* what, std::string const& before, std::string const& after) {
    if (before == after) return;
    op_change change{what, {}, {}, {}};
    if (!before.empty()) change.before = before;
    if (!after.empty()) change.after = after;
    changes.push_back(std::move(change));
  };
  add("type", std::string(net_a.text(a.type)), std::string(net_b.text(b.type)));
  add("inputs", joined(texts(net_a, a.input)), joined(texts(net_b, b.input)));
  add("outputs", joined(texts(net_a, a.output)), joined(texts(net_b, b.output)));
  std::map<std::string, std::pair<plait::arg_def const*, plait::arg_def const*>> arguments;
  for (plait::arg_def const& x : a.arg) arguments[std::string(net_a.text(x.name))].first = &x;
  for (plait::arg_def const& x : b.arg) arguments[std::string(net_b.text(x.name))].second = &x;
  for (auto const& [name, pair] : arguments)
    compare_argument(name, net_a, a, pair.first, net_b, b, pair.second, changes);
  add("device", device_text(net_a, a), device_text(net_b, b));
  if (changes.empty()) {  // such as the node name of a device
    auto const rest = plait::first_difference(alone(net_a, a), alone(net_b, b), {.float_tolerance = 0});
    if (rest) changes.push_back({rest->path.substr(rest->path.find('.') + 1), {}, rest->left, rest->right});
  }
  return changes;
}

externals_change compare(std::vector<std::string> const& a, std::vector<std::string> const& b) {
  externals_change made;
  std::map<std::string_view, std::ptrdiff_t> counts;
  for (std::string const& name : a) ++counts[name];
  for (std::string const& name : b) --counts[name];
  for (std::string const& name : a)
    if (auto& left = counts[name]; left > 0 && left-- > 0) made.removed.push_back(name);
  for (std::string const& name : b)
    if (auto& left = counts[name]; left < 0 && left++ < 0) made.added.push_back(name);
  made.reordered = made.removed.empty() && made.added.empty() && a != b;
  return made;
}

}  // namespace

net_diff diff_nets(netdef const& before, netdef const& after) {
  net_diff made;
  std::size_t a = 0;
  std::size_t b = 0;
  auto const skip = [&](std::size_t to_a, std::size_t to_b) {
    for (; a != to_a; ++a) made.removed.push_back(a);
    for (; b != to_b; ++b) made.added.push_back(b);
  };
  for (auto const& [x, y] : align(before, after)) {
    skip(x, y);
    auto changes = compare(before, before.op[x], after, after.op[y]);
    if (!changes.empty()) made.changed.push_back({x, y, std::move(changes)});
    a = x + 1;
    b = y + 1;
  }
  skip(before.op.size(), after.op.size());
  made.inputs = compare(texts(before, before.external_input), texts(after, after.external_input));
  made.outputs = compare(texts(before, before.external_output), texts(after, after.external_output));
  return made;
}

}  // namespace cli
