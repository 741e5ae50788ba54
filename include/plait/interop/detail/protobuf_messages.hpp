// Editing protobuf messages by duck typing: repeated fields and arguments, for the adapters of classes that protoc
// generated. Includes no header of protobuf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <plait/net/mutation.hpp>

namespace plait::detail {

/// Erases the elements at ascending indices; the others keep their order. O(elements).
template <class Repeated>
void erase_at(Repeated& items, std::span<std::uint32_t const> places) {
  if (places.empty()) return;
  int kept = static_cast<int>(places.front());
  auto gone = places.begin();
  for (int i = kept; i != items.size(); ++i) {
    if (gone != places.end() && static_cast<int>(*gone) == i)
      ++gone;
    else
      items.SwapElements(kept++, i);
  }
  items.DeleteSubrange(kept, items.size() - kept);
}

/// Moves the last element to an index; the elements from there on move up. O(elements behind it).
template <class Repeated>
void move_last_to(Repeated& items, std::size_t place) {
  for (int i = items.size() - 1; i > static_cast<int>(place); --i) items.SwapElements(i, i - 1);
}

/// Merges the elements from `first` on into those before: the i-th of them moves in front of the element with index
/// places[i]; places ascend. O(elements).
template <class Repeated>
void merge_tail(Repeated& items, std::size_t first, std::span<std::uint32_t const> places) {
  using message = std::remove_cvref_t<decltype(*items.Mutable(0))>;
  std::vector<message*> order;
  order.reserve(static_cast<std::size_t>(items.size()));
  std::size_t next = 0;
  for (std::size_t i = 0; i <= first; ++i) {
    for (; next != places.size() && places[next] == i; ++next)
      order.push_back(items.Mutable(static_cast<int>(first + next)));
    if (i != first) order.push_back(items.Mutable(static_cast<int>(i)));
  }
  Repeated merged;
  merged.Reserve(static_cast<int>(order.size()));
  for (message* each : order) merged.Add()->Swap(each);
  items.Swap(&merged);
}

/// Returns the first message with the name; nullptr if there is none.
template <class Repeated>
auto const* find_named(Repeated const& items, std::string_view name) {
  for (int i = 0; i != items.size(); ++i)
    if (items.Get(i).name() == name) return &items.Get(i);
  return decltype(&items.Get(0)){nullptr};
}

/// Returns the first message with the name, or appends a new one, which has no name yet.
template <class Repeated>
auto& find_or_add_named(Repeated& items, std::string_view name) {
  for (int i = 0; i != items.size(); ++i)
    if (items.Get(i).name() == name) return *items.Mutable(i);
  return *items.Add();
}

/// Erases all messages with the name. O(messages).
template <class Repeated>
void erase_named(Repeated& items, std::string_view name) {
  std::vector<std::uint32_t> gone;
  for (int i = 0; i != items.size(); ++i)
    if (items.Get(i).name() == name) gone.push_back(static_cast<std::uint32_t>(i));
  erase_at(items, gone);
}

/// Overwrites an argument of NetDef, or an attribute of ONNX, with a specification.
template <class Message>
void store_argument(Message& made, argument_spec const& spec) {
  struct store {
    Message& made;
    void operator()(std::int64_t value) const { made.set_i(value); }
    void operator()(float value) const { made.set_f(value); }
    void operator()(std::string const& value) const { made.set_s(value); }
    void operator()(std::vector<std::int64_t> const& values) const {
      for (std::int64_t const value : values) made.add_ints(value);
    }
    void operator()(std::vector<float> const& values) const {
      for (float const value : values) made.add_floats(value);
    }
    void operator()(std::vector<std::string> const& values) const {
      for (std::string const& value : values) made.add_strings(value);
    }
  };
  made.Clear();
  made.set_name(spec.name);
  std::visit(store{made}, spec.value);
}

}  // namespace plait::detail
