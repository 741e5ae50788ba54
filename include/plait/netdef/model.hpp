// NetDef model: the messages of Caffe2's caffe2.proto (2017 to 2022) as plain values, without protobuf.
//
// Field names are the proto's. Optional fields record their presence; repeated fields are vectors. Short strings are
// interned as symbols of their net: an op's name, type, engine, blobs and argument names are numbers, so that analyses
// of a netdef do no string work. A nested net has its own symbol table.
// TRAP: an op_def copied from one netdef into another carries the wrong symbols; use netdef::adopt.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/detail/box.hpp>
#include <plait/core/detail/compact_vector.hpp>
#include <plait/core/detail/small_vector.hpp>
#include <plait/core/detail/symbols.hpp>

namespace plait {

struct netdef;

/// Unknown field, preserved so that it can be written back. From binary: its number and `data`, the bytes of tag and
/// content as they were read. From text or JSON: its name and `data`, the source text of its value.
struct unknown_field {
  std::uint32_t number = 0;
  std::string name;
  std::string data;
  friend bool operator==(unknown_field const&, unknown_field const&) = default;
};

/// DeviceOption. `device_id` is the field that older files call cuda_gpu_id (number 2 in both).
struct device_def {
  std::optional<std::int32_t> device_type;
  std::optional<std::int32_t> device_id;
  std::optional<std::uint32_t> random_seed;
  std::optional<std::string> node_name;
  std::optional<std::int32_t> numa_node_id;
  std::vector<std::string> extra_info;
  std::vector<unknown_field> unknown;
  friend bool operator==(device_def const&, device_def const&) = default;
};

/// TensorProto.DataType. Other numbers occur in files and are kept.
enum class tensor_type : std::int32_t {
  undefined = 0,
  float32 = 1,
  int32 = 2,
  byte = 3,
  string = 4,
  boolean = 5,
  uint8 = 6,
  int8 = 7,
  uint16 = 8,
  int16 = 9,
  int64 = 10,
  float16 = 12,
  float64 = 13,
  zero_collision_hash = 14,
  rebatching_buffer = 15,
};

/// TensorProto.Segment: the segment of a larger tensor that the message holds.
struct segment_def {
  std::optional<std::int64_t> begin;
  std::optional<std::int64_t> end;
  std::vector<unknown_field> unknown;
  friend bool operator==(segment_def const&, segment_def const&) = default;
};

/// TensorProto.
struct tensor_def {
  std::vector<std::int64_t> dims;
  std::optional<tensor_type> data_type;
  std::vector<float> float_data;
  std::vector<std::int32_t> int32_data;
  std::optional<std::string> byte_data;
  std::vector<std::string> string_data;
  std::optional<std::string> name;
  std::optional<device_def> device_detail;
  std::vector<double> double_data;
  std::vector<std::int64_t> int64_data;
  std::optional<segment_def> segment;
  std::optional<std::string> raw_data;
  std::optional<std::uint32_t> data_format;
  std::vector<unknown_field> unknown;
  friend bool operator==(tensor_def const&, tensor_def const&) = default;
};

/// QTensorProto: a quantised tensor.
struct qtensor_def {
  std::vector<std::int64_t> dims;
  std::optional<std::int32_t> precision;
  std::optional<double> scale;
  std::optional<double> bias;
  std::optional<bool> is_signed;
  std::vector<std::int32_t> data;
  std::optional<std::string> name;
  std::optional<tensor_type> data_type;
  std::vector<double> scales;
  std::vector<double> biases;
  std::optional<std::int32_t> axis;
  std::optional<bool> is_multiparam;
  std::vector<unknown_field> unknown;
  friend bool operator==(qtensor_def const&, qtensor_def const&) = default;
};

/// MapFieldEntry.
struct map_entry_def {
  std::optional<std::string> key;
  std::optional<std::string> val;
  std::vector<unknown_field> unknown;
  friend bool operator==(map_entry_def const&, map_entry_def const&) = default;
};

/// BackendOptions.
struct backend_def {
  std::optional<std::string> backend_name;
  std::vector<map_entry_def> option;
  std::vector<unknown_field> unknown;
  friend bool operator==(backend_def const&, backend_def const&) = default;
};

/// PartitionInfo: the devices that a partition of a net may run on.
struct partition_def {
  std::optional<std::string> name;
  std::vector<std::int32_t> device_id;
  std::optional<std::string> extra_info;
  std::vector<backend_def> backend_options;
  std::vector<unknown_field> unknown;
  friend bool operator==(partition_def const&, partition_def const&) = default;
};

/// Argument: usually one of the values is present. `s` and `strings` are bytes.
struct arg_def {
  symbol name;
  std::optional<float> f;
  std::optional<std::int64_t> i;
  std::optional<std::string> s;
  box<tensor_def> t;
  box<netdef> n;
  std::vector<float> floats;
  std::vector<std::int64_t> ints;
  std::vector<std::string> strings;
  std::vector<tensor_def> tensors;
  std::vector<netdef> nets;
  std::vector<qtensor_def> qtensors;
  std::vector<unknown_field> unknown;
};

/// Cold fields of OperatorDef, which few ops have.
struct op_extras {
  symbol engine;
  symbol debug_info;
  symbol domain;
  std::optional<bool> is_gradient_op;
  std::vector<symbol> control_input;
  std::optional<std::int64_t> op_version;
  std::vector<unknown_field> unknown;
};

/// Owner of an op's cold fields; empty for most ops. All ops whose only cold field is is_gradient_op = true share one
/// object (flyweight), so that marking the ops of a large backward net allocates nothing. Copies are deep.
class extras_box {
 public:
  extras_box() = default;
  extras_box(extras_box&& other) noexcept : at_(std::exchange(other.at_, nullptr)) {}
  extras_box(extras_box const& other) : at_(other.is_own() ? new op_extras(*other.at_) : other.at_) {}
  extras_box& operator=(extras_box other) noexcept {
    std::swap(at_, other.at_);
    return *this;
  }
  ~extras_box() {
    if (is_own()) delete at_;
  }

  explicit operator bool() const noexcept { return at_ != nullptr; }
  op_extras const& operator*() const { return at_ != nullptr ? *at_ : none(); }
  op_extras const* operator->() const { return &**this; }
  op_extras& edit() {
    if (!is_own()) at_ = new op_extras(**this);
    return const_cast<op_extras&>(*at_);  // not shared with another op
  }
  void mark_gradient() {
    if (at_ == nullptr)
      at_ = &gradient_mark();
    else if (at_->is_gradient_op != true)
      edit().is_gradient_op = true;
  }

 private:
  static op_extras const& none() {
    static op_extras const empty;
    return empty;
  }
  static op_extras const& gradient_mark() {
    static op_extras const mark = [] {
      op_extras made;
      made.is_gradient_op = true;
      return made;
    }();
    return mark;
  }
  bool is_own() const noexcept { return at_ != nullptr && at_ != &gradient_mark(); }

  op_extras const* at_ = nullptr;
};

/// OperatorDef in one cache line, with inline storage for up to four inputs and two outputs: analyses of large nets are
/// bound by memory bandwidth. The fields that few ops have are behind one pointer (hot/cold splitting).
///
/// TRAP: the stable algorithms of libstdc++ 12 (std::stable_sort, std::inplace_merge) allocate buffers without this
/// alignment: sort pointers to ops instead, or use std::sort.
struct alignas(64) op_def {
  small_vector<symbol, 4> input;
  small_vector<symbol, 2> output;
  symbol type;
  symbol name;
  box<device_def> device_option;
  compact_vector<arg_def> arg;
  extras_box rare;

  /// Returns the cold fields (engine, control inputs and so on) for reading; all are absent in an op that has none.
  op_extras const& extras() const { return *rare; }
  /// Returns the cold fields for writing, and allocates them if need be. rare.mark_gradient() marks an op as one of a
  /// backward net without an allocation.
  op_extras& edit_extras() { return rare.edit(); }
};

/// NetDef. A value: copies are independent.
struct netdef {
  plait::symbol name;
  plait::symbol type;
  std::optional<std::int32_t> num_workers;
  box<device_def> device_option;
  std::vector<op_def> op;
  std::vector<arg_def> arg;
  std::vector<plait::symbol> external_input;
  std::vector<plait::symbol> external_output;
  std::vector<partition_def> partition_info;
  std::vector<unknown_field> unknown;
  symbol_table symbols;

  /// Returns the symbol of a text, and interns it if it is new.
  plait::symbol intern(std::string_view text) { return symbols.intern(text); }
  /// Returns the symbol of a text, or the empty symbol if the net does not have it.
  plait::symbol find(std::string_view text) const { return symbols.find(text); }
  std::string_view text(plait::symbol s) const { return symbols[s]; }

  /// Appends an op and returns it for completion. The reference is valid until the next op is added.
  op_def& add_op(std::string_view op_type, std::initializer_list<std::string_view> inputs,
                 std::initializer_list<std::string_view> outputs) {
    op_def& added = op.emplace_back();
    added.type = intern(op_type);
    for (std::string_view blob : inputs) added.input.push_back(intern(blob));
    for (std::string_view blob : outputs) added.output.push_back(intern(blob));
    return added;
  }

  /// Returns a copy of an op (an argument) of another net, with its symbols translated to this net's.
  op_def adopt(op_def const& other, netdef const& from);
  arg_def adopt(arg_def const& other, netdef const& from);
};

inline arg_def netdef::adopt(arg_def const& other, netdef const& from) {
  arg_def copy = other;
  if (copy.name) copy.name = intern(from.text(copy.name));
  return copy;
}

inline op_def netdef::adopt(op_def const& other, netdef const& from) {
  auto const moved = [&](plait::symbol& s) {
    if (s) s = intern(from.text(s));
  };
  op_def copy = other;
  for (plait::symbol& blob : copy.input) moved(blob);
  for (plait::symbol& blob : copy.output) moved(blob);
  moved(copy.type);
  moved(copy.name);
  op_extras const& rare = copy.extras();
  if (!rare.control_input.empty() || rare.engine || rare.debug_info || rare.domain) {
    op_extras& own = copy.edit_extras();
    for (plait::symbol& blob : own.control_input) moved(blob);
    for (plait::symbol* text : {&own.engine, &own.debug_info, &own.domain}) moved(*text);
  }
  for (arg_def& argument : copy.arg) moved(argument.name);
  return copy;
}

}  // namespace plait
