// What passes between the steps of a recurrence and places of sequences, by its links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <plait/core/detail/npos.hpp>
#include <plait/exec/detail/blob.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/kernels/accumulate.hpp>
#include <plait/exec/detail/kernels/fill.hpp>
#include <plait/exec/detail/operators/recurrent_network_arguments.hpp>
#include <plait/exec/detail/operators/recurrent_network_links.hpp>
#include <plait/exec/detail/operators/recurrent_network_series.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/tensor.hpp>

namespace plait::detail {

/// to[i] += from[i], for tensors of float or double.
template <backend B>
void add_elements(void* to, void const* from, element_type type, std::size_t count) {
  if (!accumulate<B>(type, to, from, count))
    refuse_recurrence("gradients of " + std::string(to_string(type)) + " cannot be added");
}

/// Has a blob be places of a sequence.
template <backend B>
void set_view(blob<B>& at, recurrent_sequence const& s, std::int64_t place, std::int64_t window) {
  if (window == 1) {
    at.value.view(s.at(place), s.step);
  } else {
    tensor_spec several = s.type;
    several.dims.set(0, window);
    at.value.view(s.at(place), several);
  }
  at.object = nullptr;
  at.is_set = true;
}

/// Has the blob of a source be its places at step t or, if it is filled, memory for what is there. Only of the first
/// source of a blob.
template <backend B>
void open_source(blob<B>& at, linked_place const& link, recurrent_sequence const& s, std::int64_t t) {
  if (!link.filled) return set_view(at, s, link.place(t), link.window);
  tensor_spec room = s.type;
  room.dims.set(0, link.window);
  bool const usable = at.is_set && at.object == nullptr && at.value.spec() == room && at.value.owner() != nullptr &&
                      at.value.is_unique();
  if (!usable) at.value = tensor<B>::uninitialized(room.type, room.dims);
  at.object = nullptr;
  at.is_set = true;
}
/// After open_source: puts what is at the source's places into a blob that is filled, or adds it.
template <backend B>
void fill_source(blob<B>& at, linked_place const& link, recurrent_sequence const& s, std::int64_t t) {
  std::size_t const bytes = s.step_bytes() * static_cast<std::size_t>(link.window);
  if (link.first_source) return B::copy(at.value.raw(), s.at(link.place(t)), bytes);
  if (at.value.bytes() != bytes || at.value.type() != s.type.type)
    refuse_recurrence("'" + link.internal + "' is linked to sequences of different steps");
  add_elements<B>(at.value.raw(), s.at(link.place(t)), s.type.type,
                  s.step_elements() * static_cast<std::size_t>(link.window));
}

/// Has a plan write values where they are to be in the end.
template <backend B>
void put_targets(plan<B>& p, std::span<linked_place const> links, step_series<B> const& series,
                 std::span<recurrent_sequence const> sequences, std::int64_t t) {
  for (linked_place const& link : links)
    if (link.may_be_put() && (!link.added || series.sums(link.value))) {
      recurrent_sequence const& s = sequences[link.sequence];
      p.write_to(link.value, s.at(link.place(t)), s.step_bytes() * static_cast<std::size_t>(link.window));
    }
}

/// Takes what a step has made of a target to its places: what the plan could write there itself is there.
template <backend B>
void deliver(void const* from, tensor_spec const& type, linked_place const& link, recurrent_sequence const& s,
             std::int64_t t) {
  std::size_t const bytes = s.step_bytes() * static_cast<std::size_t>(link.window);
  std::byte* const to = s.at(link.place(t));
  if (type.type != s.type.type || type.bytes() != bytes) {
    tensor_spec room = s.type;
    room.dims.set(0, link.window);
    refuse_recurrence("'" + link.internal + "' is " + to_string(type) + " after step " + std::to_string(t) +
                      ", but linked to " + to_string(room));
  }
  if (link.added)
    add_elements<B>(to, from, type.type, static_cast<std::size_t>(type.dims.size()));
  else if (from != to)
    B::copy(to, from, bytes);
}
/// The same of a value of a plan, or, of what a net only passes on, of the blob.
template <backend B>
void deliver(plan<B> const* p, blob<B> const& passed, linked_place const& link, recurrent_sequence const& s,
             std::int64_t t) {
  if (p != nullptr && link.value != npos)
    deliver<B>(p->value(link.value).data, p->value(link.value).type, link, s, t);
  else
    deliver<B>(passed.value.raw(), passed.spec(), link, s, t);
}

/// Adds what is given for the place of a target at step t: given(link, t, add) calls add(elements) for each.
template <backend B, class Given>
void add_given(linked_place const& link, recurrent_sequence const& s, std::int64_t t, Given const& given) {
  given(link, t,
        [&](void const* elements) { add_elements<B>(s.at(link.place(t)), elements, s.type.type, s.step_elements()); });
}

}  // namespace plait::detail
