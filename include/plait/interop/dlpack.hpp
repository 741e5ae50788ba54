// DLPack: zero-copy exchange of tensors with other frameworks.
//
//   #include <dlpack/dlpack.h>
//   auto t = plait::from_dlpack<plait::serial>(managed);          // takes ownership
//   DLManagedTensor* m = plait::to_dlpack<DLManagedTensor>(t);    // m->deleter(m) releases it
//
// Duck-typed: includes no header of DLPack, and works with every version of its DLManagedTensor and with version 1 of
// DLManagedTensorVersioned.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <plait/core/errors.hpp>
#include <plait/exec/backend.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/tensor.hpp>

namespace plait {

namespace detail {

struct dlpack_type {
  element_type type;
  int code;  // 0 signed, 1 unsigned, 2 float, 4 bfloat, 6 bool
  int bits;
};
inline constexpr dlpack_type dlpack_types[] = {
    {element_type::float32, 2, 32}, {element_type::float64, 2, 64},  {element_type::int32, 0, 32},
    {element_type::int64, 0, 64},   {element_type::uint8, 1, 8},     {element_type::boolean, 6, 8},
    {element_type::float16, 2, 16}, {element_type::bfloat16, 4, 16}, {element_type::int8, 0, 8},
    {element_type::int16, 0, 16},   {element_type::uint16, 1, 16},   {element_type::uint32, 1, 32},
    {element_type::uint64, 1, 64}};

inline constexpr int dlpack_cpu = 1;
inline constexpr int dlpack_cuda = 2;
template <backend B>
inline constexpr int dlpack_device = B::on_device ? dlpack_cuda : dlpack_cpu;

template <class Managed>
concept dlpack_versioned = requires(Managed m) {
  m.version.major;
  m.flags;
};
inline constexpr std::uint64_t dlpack_read_only = 1;

}  // namespace detail

/// Returns a tensor that aliases the memory of a DLPack tensor, and calls its deleter when the last handle is gone.
/// Throws shape_error, and leaves `managed` to the caller, for an element type or a device that the backend does not
/// have, more than 8 dimensions, a versioned struct of another major version than 1, and read-only memory, since ops
/// may write in place.
template <backend B, class Managed>
[[nodiscard]] tensor<B> from_dlpack(Managed* managed) {
  if constexpr (detail::dlpack_versioned<Managed>) {
    if (managed->version.major != 1)
      throw shape_error("plait: a DLPack tensor of version " + std::to_string(managed->version.major) +
                        ", where only version 1 is supported");
    if ((managed->flags & detail::dlpack_read_only) != 0)
      throw shape_error("plait: a read-only DLPack tensor: copy it first");
  }
  auto const& given = managed->dl_tensor;
  auto const type = std::ranges::find_if(detail::dlpack_types, [&](detail::dlpack_type const& known) {
    return known.code == static_cast<int>(given.dtype.code) && known.bits == static_cast<int>(given.dtype.bits);
  });
  if (type == std::ranges::end(detail::dlpack_types) || given.dtype.lanes != 1)
    throw shape_error("plait: a DLPack tensor of type code " + std::to_string(static_cast<int>(given.dtype.code)) +
                      " with " + std::to_string(static_cast<int>(given.dtype.bits)) +
                      " bits, which is not an element type of tensors");
  if (static_cast<int>(given.device.device_type) != detail::dlpack_device<B>)
    throw shape_error("plait: a DLPack tensor on device type " +
                      std::to_string(static_cast<int>(given.device.device_type)) + ", not on that of the backend " +
                      std::string(B::name));
  if (given.ndim < 0) throw shape_error("plait: a DLPack tensor of " + std::to_string(given.ndim) + " dimensions");
  shape dims;
  for (int axis = 0; axis < given.ndim; ++axis) dims.push_back(given.shape[axis]);
  strides steps = row_major(dims);
  if (given.strides != nullptr)
    for (int axis = 0; axis < given.ndim; ++axis) steps[static_cast<std::size_t>(axis)] = given.strides[axis];
  std::shared_ptr<void> owner(static_cast<void*>(managed), [](void* at) {
    auto* const m = static_cast<Managed*>(at);
    if (m->deleter != nullptr) m->deleter(m);
  });
  return tensor<B>::adopt(static_cast<std::byte*>(given.data) + given.byte_offset, {type->type, dims}, steps,
                          std::move(owner));
}

/// Exports a tensor to another framework: the result aliases its memory, and keeps it alive until its deleter is
/// called. Strides are kept. Throws shape_error for an element type without a DLPack type here.
template <class Managed, backend B>
[[nodiscard]] Managed* to_dlpack(tensor<B> const& t) {
  struct holder {
    tensor<B> shared;
    std::array<std::int64_t, shape::max_rank> extents = {};
    strides steps = {};
    Managed managed = {};
  };
  auto made = std::make_unique<holder>();
  made->shared = t;
  std::ranges::copy(t.dims(), made->extents.begin());
  made->steps = t.strides();
  auto& out = made->managed.dl_tensor;
  auto const type = std::ranges::find(detail::dlpack_types, t.type(), &detail::dlpack_type::type);
  if (type == std::ranges::end(detail::dlpack_types))
    throw shape_error("plait: a tensor of " + to_string(t.spec()) + " has no DLPack type");
  out.data = made->shared.raw();
  out.device.device_type =
      static_cast<std::remove_reference_t<decltype(out.device.device_type)>>(detail::dlpack_device<B>);
  out.device.device_id = 0;
  if constexpr (detail::has_device_number<B>)
    out.device.device_id = static_cast<decltype(out.device.device_id)>(B::device_of(t.raw()));
  out.ndim = static_cast<std::remove_reference_t<decltype(out.ndim)>>(t.rank());
  out.dtype.code = static_cast<std::remove_reference_t<decltype(out.dtype.code)>>(type->code);
  out.dtype.bits = static_cast<std::remove_reference_t<decltype(out.dtype.bits)>>(type->bits);
  out.dtype.lanes = 1;
  out.shape = made->extents.data();
  out.strides = made->steps.data();
  out.byte_offset = 0;
  if constexpr (detail::dlpack_versioned<Managed>) made->managed.version.major = 1;
  made->managed.manager_ctx = made.get();
  made->managed.deleter = [](Managed* m) { delete static_cast<holder*>(m->manager_ctx); };
  return &made.release()->managed;
}

}  // namespace plait
