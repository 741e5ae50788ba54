// Schema of NetDef: the fields of every message in one table each, which readers, writers and comparison share. Numbers
// and names are those of caffe2.proto.
#pragma once

#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include <plait/netdef/detail/field.hpp>
#include <plait/netdef/model.hpp>

namespace plait::netdef_schema {

// Fields are by increasing number: the order in which writers, like those of protobuf, emit them.

inline constexpr field_descriptor device_fields[]{
    field_of<&device_def::device_type>(1, "device_type", {.device_names = true}),
    field_of<&device_def::device_id>(2, "device_id", {.old_name = "cuda_gpu_id"}),
    field_of<&device_def::random_seed>(3, "random_seed"),
    field_of<&device_def::node_name>(4, "node_name"),
    field_of<&device_def::numa_node_id>(5, "numa_node_id"),
    field_of<&device_def::extra_info>(6, "extra_info"),
};

inline constexpr field_descriptor segment_fields[]{
    field_of<&segment_def::begin>(1, "begin"),
    field_of<&segment_def::end>(2, "end"),
};

inline constexpr field_descriptor tensor_fields[]{
    field_of<&tensor_def::dims>(1, "dims"),
    field_of<&tensor_def::data_type>(2, "data_type"),
    field_of<&tensor_def::float_data>(3, "float_data", {.packed = true}),
    field_of<&tensor_def::int32_data>(4, "int32_data", {.packed = true}),
    field_of<&tensor_def::byte_data>(5, "byte_data", {.bytes = true}),
    field_of<&tensor_def::string_data>(6, "string_data", {.bytes = true}),
    field_of<&tensor_def::name>(7, "name"),
    field_of<&tensor_def::device_detail>(8, "device_detail"),
    field_of<&tensor_def::double_data>(9, "double_data", {.packed = true}),
    field_of<&tensor_def::int64_data>(10, "int64_data", {.packed = true}),
    field_of<&tensor_def::segment>(11, "segment"),
    field_of<&tensor_def::raw_data>(13, "raw_data", {.bytes = true}),
    field_of<&tensor_def::data_format>(15, "data_format"),
};

inline constexpr field_descriptor qtensor_fields[]{
    field_of<&qtensor_def::dims>(1, "dims"),           field_of<&qtensor_def::precision>(2, "precision"),
    field_of<&qtensor_def::scale>(3, "scale"),         field_of<&qtensor_def::bias>(4, "bias"),
    field_of<&qtensor_def::is_signed>(5, "is_signed"), field_of<&qtensor_def::data>(6, "data", {.packed = true}),
    field_of<&qtensor_def::name>(7, "name"),           field_of<&qtensor_def::data_type>(8, "data_type"),
    field_of<&qtensor_def::scales>(9, "scales"),       field_of<&qtensor_def::biases>(10, "biases"),
    field_of<&qtensor_def::axis>(11, "axis"),          field_of<&qtensor_def::is_multiparam>(12, "is_multiparam"),
};

inline constexpr field_descriptor map_entry_fields[]{
    field_of<&map_entry_def::key>(1, "key"),
    field_of<&map_entry_def::val>(2, "val"),
};

inline constexpr field_descriptor backend_fields[]{
    field_of<&backend_def::backend_name>(1, "backend_name"),
    field_of<&backend_def::option>(2, "option"),
};

inline constexpr field_descriptor partition_fields[]{
    field_of<&partition_def::name>(1, "name"),
    field_of<&partition_def::device_id>(2, "device_id"),
    field_of<&partition_def::extra_info>(3, "extra_info"),
    field_of<&partition_def::backend_options>(4, "backend_options"),
};

inline constexpr field_descriptor argument_fields[]{
    field_of<&arg_def::name>(1, "name"),
    field_of<&arg_def::f>(2, "f"),
    field_of<&arg_def::i>(3, "i"),
    field_of<&arg_def::s>(4, "s", {.bytes = true}),
    field_of<&arg_def::floats>(5, "floats"),
    field_of<&arg_def::ints>(6, "ints"),
    field_of<&arg_def::strings>(7, "strings", {.bytes = true}),
    field_of<&arg_def::n>(8, "n"),
    field_of<&arg_def::nets>(9, "nets"),
    field_of<&arg_def::t>(10, "t"),
    field_of<&arg_def::tensors>(11, "tensors"),
    field_of<&arg_def::qtensors>(12, "qtensors"),
};

inline constexpr field_descriptor op_fields[]{
    field_of<&op_def::input>(1, "input"),
    field_of<&op_def::output>(2, "output"),
    field_of<&op_def::name>(3, "name"),
    field_of<&op_def::type>(4, "type"),
    field_of<&op_def::arg>(5, "arg"),
    field_of<&op_def::device_option>(6, "device_option"),
    field_of<&op_extras::engine>(7, "engine"),
    field_of<&op_extras::control_input>(8, "control_input"),
    field_of<&op_extras::is_gradient_op>(9, "is_gradient_op"),
    field_of<&op_extras::debug_info>(10, "debug_info"),
    field_of<&op_extras::domain>(11, "domain"),
    field_of<&op_extras::op_version>(12, "op_version"),
};

inline constexpr field_descriptor net_fields[]{
    field_of<&netdef::name>(1, "name"),
    field_of<&netdef::op>(2, "op"),
    field_of<&netdef::type>(3, "type"),
    field_of<&netdef::num_workers>(4, "num_workers"),
    field_of<&netdef::device_option>(5, "device_option"),
    field_of<&netdef::arg>(6, "arg"),
    field_of<&netdef::external_input>(7, "external_input"),
    field_of<&netdef::external_output>(8, "external_output"),
    field_of<&netdef::partition_info>(9, "partition_info"),
};

/// Field that has values; nullptr: the unknown fields of the message.
struct present_field {
  field_descriptor const* field;
  value_list values;
};

/// Stores the fields of a message that have values, unknown ones last, and returns their number; with MessagesOnly,
/// none of the known fields that hold no messages. Walks over a net spend most of their time here: one call per
/// message, in which the accesses to all members are inlined.
template <auto const& Fields, auto Unknown, bool MessagesOnly>
std::size_t find_present_fields(void const* message, present_field* found) {
  std::size_t count = 0;
  auto const add = [&](field_descriptor const* field, value_list values) {
    if (!values.empty()) found[count++] = {field, values};
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((!MessagesOnly || Fields[I].is_message() ? add(&Fields[I], Fields[I].values(message)) : void()), ...);
  }(std::make_index_sequence<std::size(Fields)>());
  add(nullptr, member_access<Unknown>::values(message));
  return count;
}

struct message_descriptor {
  message_kind kind;
  std::string_view name;  ///< protobuf's, for error messages
  std::span<field_descriptor const> fields;
  std::size_t (*find_present)(void const* message, present_field* found);   ///< see find_present_fields()
  std::size_t (*find_messages)(void const* message, present_field* found);  ///< with MessagesOnly
  field_descriptor unknown;                                                 ///< fields that the model does not have

  bool is_net() const { return kind == message_kind::net; }
  bool is_op() const { return kind == message_kind::op; }
};

template <auto const& Fields, auto Unknown>
constexpr message_descriptor describe(message_kind kind, std::string_view name) {
  return {kind,
          name,
          Fields,
          &find_present_fields<Fields, Unknown, false>,
          &find_present_fields<Fields, Unknown, true>,
          field_of<Unknown>(0, "unknown")};
}

/// Messages by message_kind.
inline constexpr message_descriptor messages[]{
    describe<net_fields, &netdef::unknown>(message_kind::net, "NetDef"),
    describe<op_fields, &op_extras::unknown>(message_kind::op, "OperatorDef"),
    describe<argument_fields, &arg_def::unknown>(message_kind::argument, "Argument"),
    describe<device_fields, &device_def::unknown>(message_kind::device, "DeviceOption"),
    describe<tensor_fields, &tensor_def::unknown>(message_kind::tensor, "TensorProto"),
    describe<qtensor_fields, &qtensor_def::unknown>(message_kind::qtensor, "QTensorProto"),
    describe<segment_fields, &segment_def::unknown>(message_kind::segment, "TensorProto.Segment"),
    describe<partition_fields, &partition_def::unknown>(message_kind::partition, "PartitionInfo"),
    describe<backend_fields, &backend_def::unknown>(message_kind::backend, "BackendOptions"),
    describe<map_entry_fields, &map_entry_def::unknown>(message_kind::map_entry, "MapFieldEntry"),
};

inline constexpr std::size_t max_fields = [] {
  std::size_t most = 0;
  for (message_descriptor const& each : messages) most = most < each.fields.size() ? each.fields.size() : most;
  return most;
}();

constexpr message_descriptor const& message_of(message_kind kind) { return messages[static_cast<std::size_t>(kind)]; }
constexpr message_descriptor const& message_of(field_descriptor const& field) { return message_of(field.child); }

/// Message of a net that is being visited.
struct message_view {
  message_descriptor const* type;
  void const* at;

  template <class T>
  explicit message_view(T const& object) : type(&message_of(message_kind_of<T>)), at(&object) {}
  message_view(field_descriptor const& field, value_list values, std::size_t index)
      : type(&message_of(field)), at(static_cast<std::byte const*>(values.data) + index * field.size_of) {}

  value_list values(field_descriptor const& field) const { return field.values(at); }
  std::span<unknown_field const> unknown() const { return type->unknown.values(at).as<unknown_field>(); }
  /// Returns true if no field is present.
  bool is_empty() const {
    for (field_descriptor const& each : type->fields)
      if (!values(each).empty()) return false;
    return unknown().empty();
  }
  /// Returns the message as a net, `around` if it is none: the net whose symbol table it uses.
  netdef const* net(netdef const* around) const { return type->is_net() ? static_cast<netdef const*>(at) : around; }
};

/// Message of a net that is being read.
struct mutable_message {
  message_descriptor const* type;
  void* at;

  explicit mutable_message(netdef& net) : type(&message_of(message_kind::net)), at(&net) {}
  /// Adds a message to a field, or refers to that of a singular field.
  mutable_message(field_descriptor const& field, void* parent) : type(&message_of(field)), at(field.add(parent)) {}

  void add_unknown(unknown_field field) const { type->unknown.store(at, std::move(field)); }
  netdef* net(netdef* around) const { return type->is_net() ? static_cast<netdef*>(at) : around; }
};

}  // namespace plait::netdef_schema
