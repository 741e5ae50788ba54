// NetDef writer for protobuf's binary wire format (".pb").
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <protozero/types.hpp>
#include <protozero/varint.hpp>

#include <plait/core/errors.hpp>
#include <plait/netdef/detail/expressible.hpp>
#include <plait/netdef/detail/field.hpp>
#include <plait/netdef/detail/message_walk.hpp>
#include <plait/netdef/detail/output_buffer.hpp>
#include <plait/netdef/detail/schema.hpp>
#include <plait/netdef/detail/write_options.hpp>
#include <plait/netdef/model.hpp>

namespace plait {
namespace detail {

inline constexpr format_rules binary_format{
    .name = "binary",
    .distinct_names = false,
    .can_write_text = nullptr,
    .can_write_field = [](netdef_schema::message_descriptor const&,
                          unknown_field const& field) { return field.number != 0; },
};

/// Sink that only counts bytes.
struct byte_counter {
  std::uint64_t count = 0;
  void varint(std::uint64_t value) { count += static_cast<unsigned>(protozero::length_of_varint(value)); }
  void bytes(std::string_view text) { count += text.size(); }
  template <class Bits>
  void fixed(Bits) {
    count += sizeof(Bits);
  }
};

struct byte_sink {
  output_buffer& out;
  void varint(std::uint64_t value) {
    if (value < 0x80) {
      out << static_cast<char>(value);
      return;
    }
    char bytes[protozero::max_varint_length];
    int const length = protozero::add_varint_to_buffer(bytes, value);
    out << std::string_view(bytes, static_cast<std::size_t>(length));
  }
  void bytes(std::string_view text) { out << text; }
  template <class Bits>
  void fixed(Bits bits) {
    char bytes[sizeof(Bits)];
    for (std::size_t i = 0; i != sizeof(Bits); ++i) bytes[i] = static_cast<char>(bits >> (8 * i) & 0xFF);
    out << std::string_view(bytes, sizeof bytes);
  }
};

template <class Sink, class T>
void put_scalar(Sink& sink, T const& value, netdef const& net) {
  if constexpr (std::is_same_v<T, float>) {
    sink.fixed(std::bit_cast<std::uint32_t>(value));
  } else if constexpr (std::is_same_v<T, double>) {
    sink.fixed(std::bit_cast<std::uint64_t>(value));
  } else if constexpr (std::is_enum_v<T>) {
    put_scalar(sink, static_cast<std::int32_t>(value), net);
  } else if constexpr (std::is_integral_v<T>) {
    // Negative 32-bit numbers are sign-extended to 64 bits, as protobuf requires.
    sink.varint(
        static_cast<std::uint64_t>(static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, T>>(value)));
  } else {
    std::string_view const text = text_of(value, net);
    sink.varint(text.size());
    sink.bytes(text);
  }
}

template <class T>
constexpr std::uint32_t wire_type() {
  if constexpr (std::is_same_v<T, float>) return 5;
  if constexpr (std::is_same_v<T, double>) return 1;
  if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) return 0;
  return 2;
}

template <class Sink>
void put_field(Sink& sink, netdef_schema::field_descriptor const& field, netdef_schema::value_list values,
               netdef const& net) {
  netdef_schema::visit_values(field.kind, values, [&]<class T>(std::span<T const> each_of) {
    if (field.format.packed) {
      byte_counter counter;
      for (T const& each : each_of) put_scalar(counter, each, net);
      sink.varint(field.number << 3 | 2);
      sink.varint(counter.count);
    }
    for (T const& each : each_of) {
      if (!field.format.packed) sink.varint(field.number << 3 | wire_type<T>());
      put_scalar(sink, each, net);
    }
  });
}

/// First pass of the writer: checks that the format can express the net, and computes the sizes of all messages, in the
/// order of the walk.
class size_visitor {
 public:
  explicit size_visitor(write_options const& options) : check_(binary_format, options) {}

  std::vector<std::uint64_t> sizes;

  void value(netdef_schema::field_descriptor const& field, netdef_schema::value_list values, netdef const& net) {
    byte_counter counter;
    put_field(counter, field, values, net);
    here() += counter.count;
  }
  void begin(netdef_schema::field_descriptor const& field, std::size_t index, std::size_t count) {
    check_.begin(field, index, count);
    open_.push_back(sizes.size());
    sizes.push_back(0);
  }
  void end(netdef_schema::field_descriptor const& field, std::size_t index, std::size_t count) {
    check_.end(field, index, count);
    std::uint64_t const size = here();
    open_.pop_back();
    byte_counter counter;
    counter.varint(field.number << 3 | 2);
    counter.varint(size);
    here() += counter.count + size;
  }
  void unknown(netdef_schema::message_descriptor const& type, std::span<unknown_field const> fields) {
    check_.unknown(type, fields);
    for (unknown_field const& field : fields)
      if (binary_format.can_write_field(type, field)) here() += field.data.size();
  }
  std::uint64_t total() const { return total_; }

 private:
  std::uint64_t& here() { return open_.empty() ? total_ : sizes[open_.back()]; }
  expressible_check check_;
  std::vector<std::size_t> open_;
  std::uint64_t total_ = 0;
};

class binary_writer {
 public:
  binary_writer(output_buffer& out, std::vector<std::uint64_t> const& sizes) : sink_{out}, next_(sizes.data()) {}

  void value(netdef_schema::field_descriptor const& field, netdef_schema::value_list values, netdef const& net) {
    put_field(sink_, field, values, net);
  }
  void begin(netdef_schema::field_descriptor const& field, std::size_t, std::size_t) {
    sink_.varint(field.number << 3 | 2);
    sink_.varint(*next_++);
  }
  void end(netdef_schema::field_descriptor const&, std::size_t, std::size_t) {}
  void unknown(netdef_schema::message_descriptor const& type, std::span<unknown_field const> fields) {
    for (unknown_field const& field : fields)
      if (binary_format.can_write_field(type, field)) sink_.bytes(field.data);
  }

 private:
  byte_sink sink_;
  std::uint64_t const* next_;
};

inline void write_binary(output_buffer& out, netdef const& net, write_options const& options) {
  size_visitor measure(options);
  message_walk(measure).run(net);
  if (measure.total() > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
    throw net_error("plait: the net takes more than the 2 GiB that protobuf's binary format allows");
  binary_writer writer(out, measure.sizes);
  message_walk(writer).run(net);
  out.flush();
}

}  // namespace detail

/// Writes a net in protobuf's binary format, fields in the order of the schema, numbers of tensors packed as Caffe2
/// packs them. Linear, in two passes: sizes of messages first. Throws net_error before anything is written if the
/// format cannot express the net (see write_options) or the net is larger than 2 GiB; failures of the stream are left
/// in its state.
inline void write_netdef_binary(std::ostream& out, netdef const& net, write_options const& options = {}) {
  detail::output_buffer buffered(out);
  detail::write_binary(buffered, net, options);
}

/// Returns the net in protobuf's binary format as a string of bytes; throws like write_netdef_binary().
[[nodiscard]] inline std::string to_binary(netdef const& net, write_options const& options = {}) {
  detail::output_buffer collected;
  detail::write_binary(collected, net, options);
  return collected.take();
}

}  // namespace plait
