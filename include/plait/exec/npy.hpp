// NumPy's .npy file format: reading and writing of tensors.
//
// Format versions 1.0 to 3.0 (numpy.lib.format), either byte order, C order and Fortran order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>
#include <plait/exec/detail/element_type.hpp>
#include <plait/exec/detail/shape.hpp>
#include <plait/exec/tensor.hpp>

namespace plait {

namespace detail {

static_assert(std::endian::native == std::endian::little, "plait: .npy files are written as they are in memory");

struct npy_type {
  element_type type;
  std::string_view descr;  // as NumPy writes it
  char letter;             // alternative to the characters after the byte order
};
inline constexpr npy_type npy_types[] = {
    {element_type::float32, "<f4", 'f'}, {element_type::float64, "<f8", 'd'}, {element_type::int32, "<i4", 'i'},
    {element_type::int64, "<i8", 'q'},   {element_type::boolean, "|b1", '?'}, {element_type::uint8, "|u1", 'B'},
    {element_type::float16, "<f2", 'e'}, {element_type::int8, "|i1", 'b'},    {element_type::int16, "<i2", 'h'},
    {element_type::uint16, "<u2", 'H'},  {element_type::uint32, "<u4", 'I'},  {element_type::uint64, "<u8", 'Q'}};

// Parses the header, a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class npy_header {
 public:
  element_type type = element_type::float32;
  bool big_endian = false;
  bool fortran_order = false;
  shape dims;

  /// `long_suffix`: accepts Python 2's integers with suffix L, as NumPy does before version 3.0 of the format.
  npy_header(std::string_view text, std::size_t offset, bool long_suffix)
      : text_(text), offset_(offset), long_suffix_(long_suffix) {
    expect('{');
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    while (!accept('}')) {
      std::string_view const key = quoted();
      expect(':');
      if (key == "descr") {
        if (has_type) fail("a second descr");
        read_type(quoted());
        has_type = true;
      } else if (key == "fortran_order") {
        if (has_order) fail("a second fortran_order");
        std::string_view const order = word();
        if (order != "True" && order != "False") fail("expected True or False for fortran_order");
        fortran_order = order == "True";
        has_order = true;
      } else if (key == "shape") {
        if (has_shape) fail("a second shape");
        read_shape();
        has_shape = true;
      } else {
        fail("an unknown key in the header");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!has_type || !has_order || !has_shape) fail("a header without descr, fortran_order or shape");
    skip();
    if (at_ != text_.size()) fail("something behind the dictionary in the header");
  }

 private:
  [[noreturn]] void fail(std::string_view what) const { throw parse_error({offset_ + at_, 0, 0}, what); }
  void skip() {
    constexpr std::string_view white = " \t\n\r\f";
    while (at_ < text_.size() && white.find(text_[at_]) != white.npos) ++at_;
  }
  bool accept(char c) {
    skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("expected '") + c + "' in the header");
  }
  // Reads a string, also one with Python 2's prefix for Unicode.
  std::string_view quoted() {
    if (accept('u') || accept('U')) {
      if (at_ == text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) fail("expected a quote in the header");
    }
    char const quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect(quote);
    std::size_t const end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail("an open quote in the header");
    std::string_view const found = text_.substr(at_, end - at_);
    at_ = end + 1;
    return found;
  }
  std::string_view word() {
    skip();
    std::size_t const first = at_;
    auto const is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    return text_.substr(first, at_ - first);
  }
  // Reads NumPy's spellings: with a byte order or without one, which means native, and the names of the types.
  void read_type(std::string_view descr) {
    bool const marked = !descr.empty() && std::string_view("<>=|").find(descr[0]) != std::string_view::npos;
    std::string_view const code = descr.substr(marked ? 1 : 0);
    for (npy_type const& known : npy_types)
      if (code == known.descr.substr(1) || code == std::string_view(&known.letter, 1) ||
          (!marked && code == to_string(known.type))) {
        type = known.type;
        big_endian = descr.starts_with('>');
        return;
      }
    fail("elements of type '" + std::string(descr) + "', which tensors do not have");
  }
  void read_shape() {
    expect('(');
    while (!accept(')')) {
      skip();
      std::int64_t extent = 0;
      std::size_t const first = at_;
      for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
        if (at_ - first == 18) fail("an extent that is too large");
        extent = extent * 10 + (text_[at_] - '0');
      }
      if (at_ == first) fail("expected an extent in the shape");
      if (text_[first] == '0' && extent != 0) fail("an extent with leading zeros");
      if (long_suffix_) accept('L');
      try {
        dims.push_back(extent);
      } catch (shape_error const& e) {
        fail(without_prefix(e.what()));
      }
      if (!accept(',')) {
        if (dims.rank() == 1) fail("a number in brackets where a tuple should be: the shape");
        expect(')');
        break;
      }
    }
  }

  std::string_view text_;
  std::size_t offset_;
  bool long_suffix_;
  std::size_t at_ = 0;
};

/// Content of a .npy file: its header, and its elements in native byte order.
struct npy_content {
  npy_header header;
  std::string bytes;
};

inline npy_content read_npy_content(std::istream& in) {
  std::size_t offset = 0;
  auto const read = [&](std::size_t count) {
    std::string bytes;
    while (bytes.size() < count) {  // in chunks: a header with a false size allocates no memory
      std::size_t const chunk = std::min<std::size_t>(count - bytes.size(), std::size_t{1} << 20);
      std::size_t const before = bytes.size();
      bytes.resize(before + chunk);
      in.read(bytes.data() + before, static_cast<std::streamsize>(chunk));
      std::size_t const found = before + static_cast<std::size_t>(in.gcount());
      if (found != before + chunk)
        throw parse_error({offset + found, 0, 0},
                          "the file ends too early: " + std::to_string(count - found) + " bytes are missing");
    }
    offset += count;
    return bytes;
  };
  std::string const magic = read(8);
  if (!magic.starts_with("\x93NUMPY")) throw parse_error({0, 0, 0}, "not a .npy file");
  char const version = magic[6];
  if (version < 1 || version > 3 || magic[7] != 0)
    throw parse_error({6, 0, 0}, "a version of the format that is not known: expected 1.0, 2.0 or 3.0");
  std::string const length = read(version == 1 ? 2 : 4);
  std::size_t header_size = 0;
  for (std::size_t i = length.size(); i-- != 0;) header_size = header_size << 8 | static_cast<unsigned char>(length[i]);
  std::size_t const header_at = offset;
  std::string const text = read(header_size);
  npy_header const header(text, header_at, version < 3);
  std::string bytes = read(tensor_spec{header.type, header.dims}.bytes());
  if (in.peek() != std::istream::traits_type::eof())
    throw parse_error({offset, 0, 0}, "the file goes on behind the last element");
  if (std::size_t const size = size_of(header.type); header.big_endian && size > 1)
    for (auto first = bytes.begin(); first != bytes.end(); first += static_cast<std::ptrdiff_t>(size))
      std::reverse(first, first + static_cast<std::ptrdiff_t>(size));
  if (header.type == element_type::boolean)  // any other byte is not a valid bool
    for (char& byte : bytes) byte = byte != 0 ? 1 : 0;
  return {header, std::move(bytes)};
}

}  // namespace detail

/// Writes a tensor. Throws shape_error for bfloat16, which NumPy does not have.
template <backend B>
void write_npy(std::ostream& out, tensor<B> const& t) {
  auto const known = std::ranges::find(detail::npy_types, t.type(), &detail::npy_type::type);
  if (known == std::ranges::end(detail::npy_types))
    throw shape_error("plait: NumPy has no " + std::string(to_string(t.type())));
  std::string header = "{'descr': '" + std::string(known->descr) + "', 'fortran_order': False, 'shape': (";
  for (std::int64_t const extent : t.dims()) header += std::to_string(extent) + ", ";
  if (t.rank() > 1) header.resize(header.size() - 2);
  header += "), }";
  header.append(64 - (header.size() + 11) % 64, ' ');
  header += '\n';
  out.write("\x93NUMPY\x01\x00", 8);
  out.put(static_cast<char>(header.size() & 0xff));
  out.put(static_cast<char>(header.size() >> 8));
  out << header;
  tensor<B> const contiguous = t.contiguous();
  std::vector<char> bytes(t.bytes());
  B::copy_to_host(bytes.data(), contiguous.raw(), bytes.size());
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Returns the tensor in a file, which must be the whole stream. Throws parse_error, with the offset in bytes, for
/// other file formats, for a file that is truncated or continues after its last element, and for element types that
/// tensors lack.
template <backend B>
[[nodiscard]] tensor<B> read_npy(std::istream& in) {
  auto const [header, bytes] = detail::read_npy_content(in);
  shape stored;
  if (header.fortran_order)
    for (std::size_t axis = header.dims.rank(); axis-- != 0;) stored.push_back(header.dims[axis]);
  else
    stored = header.dims;
  tensor<B> made = tensor<B>::uninitialized(header.type, stored);
  B::copy_from_host(made.raw(), bytes.data(), bytes.size());
  if (!header.fortran_order) return made;
  std::vector<std::size_t> order;
  for (std::size_t axis = stored.rank(); axis-- != 0;) order.push_back(axis);
  return made.transpose(order).contiguous();
}

}  // namespace plait
