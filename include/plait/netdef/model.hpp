// The NetDef of Caffe2 (caffe2.proto, 2017 to 2022) as plain values, without protobuf.
//
// Field names are the proto's. Optional fields know whether they were given; repeated fields are vectors. Short strings
// are symbols of the net they stand in: an op's name, type, engine, blobs and argument names are numbers, which is what
// makes the analyses of a netdef free of string work. Nested nets are nets of their own, with a table of their own.
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
#include <plait/core/symbols.hpp>

namespace plait {

struct netdef;

/// A field no plait format knows, kept so that it can be written back. From binary: its number and `data`, the bytes of
/// tag and content as they stood. From text or JSON: its name and `data`, the source text of its value.
struct unknown_field {
  std::uint32_t number = 0;
  std::string name;
  std::string data;
  friend bool operator==(unknown_field const&, unknown_field const&) = default;
};

/// DeviceOption. `device_id` is the field that older files call cuda_gpu_id (number 2 both).
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

/// TensorProto.Segment: the part of a larger tensor that is given.
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

/// PartitionInfo: which devices one part of a net may run on.
struct partition_def {
  std::optional<std::string> name;
  std::vector<std::int32_t> device_id;
  std::optional<std::string> extra_info;
  std::vector<backend_def> backend_options;
  std::vector<unknown_field> unknown;
  friend bool operator==(partition_def const&, partition_def const&) = default;
};

/// Argument: usually one of the values is given. `s` and `strings` are bytes.
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

/// The fields of OperatorDef that few ops have.
struct op_extras {
  symbol engine;
  symbol debug_info;
  symbol domain;
  std::optional<bool> is_gradient_op;
  std::vector<symbol> control_input;
  std::optional<std::int64_t> op_version;
  std::vector<unknown_field> unknown;
};

/// The extras of an op, if it has any. Those that say no more than that an op is of a backward net are one for all such
/// ops: marking the ops of a large one takes no memory. Copies are deep.
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
    return const_cast<op_extras&>(*at_);  // which no other op has
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

/// OperatorDef. An op is one cache line, operands within it for up to four inputs and two outputs: analyses of large
/// nets are as fast as memory delivers their ops. What few ops have lives behind one pointer.
///
/// TRAP: the stable algorithms of libstdc++ 12 (std::stable_sort, std::inplace_merge) take memory that is not aligned
/// so large: sort pointers to ops instead, or with std::sort.
struct alignas(64) op_def {
  small_vector<symbol, 4> input;
  small_vector<symbol, 2> output;
  symbol type;
  symbol name;
  box<device_def> device_option;
  compact_vector<arg_def> arg;
  extras_box rare;

  /// Engine, control inputs and so on, to read: all absent unless given.
  op_extras const& extras() const { return *rare; }
  /// The same, to set. Only to mark an op as one of a backward net, rare.mark_gradient() takes no memory.
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

  /// The symbol of a text, made if need be.
  plait::symbol intern(std::string_view text) { return symbols.intern(text); }
  /// The symbol of a text, or "no string" if the net does not know it.
  plait::symbol find(std::string_view text) const { return symbols.find(text); }
  std::string_view text(plait::symbol s) const { return symbols[s]; }

  /// Appends an op and returns it, to be completed. The reference lives until the next op is added.
  op_def& add_op(std::string_view op_type, std::initializer_list<std::string_view> inputs,
                 std::initializer_list<std::string_view> outputs) {
    op_def& added = op.emplace_back();
    added.type = intern(op_type);
    for (std::string_view blob : inputs) added.input.push_back(intern(blob));
    for (std::string_view blob : outputs) added.output.push_back(intern(blob));
    return added;
  }

  /// A copy of an op (an argument) of another net, in this net's symbols.
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
