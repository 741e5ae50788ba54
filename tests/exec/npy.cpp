#include <plait/exec/npy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <plait/exec/backends/serial/serial.hpp>

namespace {

using tensor = plait::tensor<plait::serial>;

TEST_CASE_TEMPLATE("npy: a round trip is exact", T, float, double, std::int32_t, std::int64_t, bool, std::uint8_t) {
  for (plait::shape const& dims : {plait::shape{}, plait::shape{6}, plait::shape{2, 3}, plait::shape{0, 3},
                                   plait::shape{1, 2, 3, 1, 1, 1, 1, 1}}) {
    std::vector<T> elements;
    for (std::int64_t i = 0; i != dims.size(); ++i) elements.push_back(static_cast<T>(i % 2));
    std::stringstream file;
    plait::write_npy(file, tensor::from(elements, dims));
    CHECK((file.str().size() - static_cast<std::size_t>(dims.size()) * sizeof(T)) % 64 == 0);
    auto const read = plait::read_npy<plait::serial>(file);
    CHECK(read.dims() == dims);
    CHECK(read.template values<T>() == elements);
  }
}

// Returns a file with that header, in the format of numpy.lib.format.
std::string npy_file(std::string const& header, std::string const& elements, char version = 1) {
  std::string file = std::string("\x93NUMPY") + version + '\0';
  for (std::size_t i = 0; i != (version == 1 ? 2 : 4); ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return file + header + elements;
}

std::string header_of(std::string const& descr, std::string const& dims, bool fortran_order = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran_order ? "True" : "False") + ", 'shape': " + dims +
         ", }\n";
}

tensor read_bytes(std::string const& bytes) {
  std::istringstream file(bytes);
  return plait::read_npy<plait::serial>(file);
}

// Returns "byte N: message", or nothing if the file is accepted.
std::string refusal(std::string const& bytes) {
  try {
    static_cast<void>(read_bytes(bytes));
  } catch (plait::parse_error const& e) {
    return e.what();
  }
  return "";
}

// Returns the file that numpy.save writes for numpy.asfortranarray([[1, 2, 3], [4, 5, 6]], "<i4").
std::string fortran_file() {
  std::string elements;
  for (char const c : std::string("\x1\x4\x2\x5\x3\x6")) elements += c + std::string(3, '\0');
  return npy_file(header_of("<i4", "(2, 3)", true), elements);
}

TEST_CASE("npy: Fortran order is converted to row-major order") {
  auto const read = read_bytes(fortran_file());
  CHECK(read.dims() == plait::shape{2, 3});
  CHECK(read.values<std::int32_t>() == std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
  CHECK(read_bytes(npy_file(header_of("<i4", "()", true), std::string("\x7\0\0\0", 4))).values<std::int32_t>() ==
        std::vector<std::int32_t>{7});
  CHECK(read_bytes(npy_file(header_of("<i4", "(3, 0, 2)", true), "")).dims() == plait::shape{3, 0, 2});
}

TEST_CASE("npy: any nonzero byte of a bool is true, and the last comma may be missing") {
  std::string const header = "{'descr': '|b1', 'shape': (4,), 'fortran_order': False}\n";
  CHECK(read_bytes(npy_file(header, std::string("\x2\x0\xff\x1", 4))).values<bool>() ==
        std::vector<bool>{true, false, true, true});
}

// The bytes are those of numpy.array([1, -2], dtype).tobytes(), the most significant byte first.
TEST_CASE("npy: elements of either byte order are read, under every name of their type") {
  auto const swapped = [](std::string bytes, std::size_t size) {
    for (std::size_t i = 0; i != bytes.size(); i += size)
      std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                   bytes.begin() + static_cast<std::ptrdiff_t>(i + size));
    return bytes;
  };
  auto const check = [&]<class T>(std::vector<T> const& elements, std::string const& big, std::string const& code,
                                  std::string const& letter, std::string const& name) {
    std::size_t const size = big.size() / elements.size();
    std::string const little = swapped(big, size);
    std::string const dims = '(' + std::to_string(elements.size()) + ",)";
    for (std::string const& each : {code, letter}) {
      CAPTURE(each);
      CHECK(read_bytes(npy_file(header_of('>' + each, dims), big)).values<T>() == elements);
      for (std::string const order : {"<", "=", "|", ""})
        CHECK(read_bytes(npy_file(header_of(order + each, dims), little)).values<T>() == elements);
    }
    auto const read = read_bytes(npy_file(header_of(name, dims), little));
    CHECK(read.type() == plait::element_type_of<T>);
    CHECK(read.template values<T>() == elements);
    CHECK(refusal(npy_file(header_of('<' + name, dims), little)).find("elements of type") != std::string::npos);
  };
  using bytes = std::string;
  check(std::vector<float>{1, -2}, bytes("\x3f\x80\0\0\xc0\0\0\0", 8), "f4", "f", "float32");
  check(std::vector<double>{1, -2}, bytes("\x3f\xf0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0", 16), "f8", "d", "float64");
  check(std::vector<plait::float16>{{0x3c00}, {0xc000}}, bytes("\x3c\0\xc0\0", 4), "f2", "e", "float16");
  check(std::vector<std::int32_t>{1, -2}, bytes("\0\0\0\x1\xff\xff\xff\xfe", 8), "i4", "i", "int32");
  check(std::vector<std::int64_t>{1, -2}, bytes("\0\0\0\0\0\0\0\x1\xff\xff\xff\xff\xff\xff\xff\xfe", 16), "i8", "q",
        "int64");
  check(std::vector<std::uint8_t>{1, 254}, bytes("\x1\xfe"), "u1", "B", "uint8");
  check(std::vector<bool>{true, false}, bytes("\x1\0", 2), "b1", "?", "bool");
  // In Fortran order, too: numpy.asfortranarray([[1, 2], [3, 4]], ">i4").
  CHECK(read_bytes(npy_file(header_of(">i4", "(2, 2)", true), bytes("\0\0\0\x1\0\0\0\x3\0\0\0\x2\0\0\0\x4", 16)))
            .values<std::int32_t>() == std::vector<std::int32_t>{1, 2, 3, 4});
  CHECK(read_bytes(npy_file(header_of(">f8", "()"), bytes("\x3f\xf0\0\0\0\0\0\0", 8))).values<double>() ==
        std::vector<double>{1});
  CHECK(read_bytes(npy_file(header_of(">f8", "(0, 4)"), "")).dims() == plait::shape{0, 4});
}

TEST_CASE("npy: headers of Python 2 and with other blanks are read, malformed ones refused") {
  std::string const one("\x7\0\0\0", 4);
  for (std::string const header : {"{'descr': '<i4', 'fortran_order': False, 'shape': (1L,), }\n",
                                   "{'descr': '<i4', 'fortran_order': False, 'shape': (1L, 1), }\n",
                                   "{'descr': '<i4', 'fortran_order': False, 'shape': (1 L , 1L)}",
                                   "{u'descr': u'<i4', u'fortran_order': False, u'shape': (1L,), }\n",
                                   "{U\"descr\": U\"<i4\", 'fortran_order': False, 'shape': ()}",
                                   "{\"descr\":\t\"<i4\", 'shape': (1,), 'fortran_order': False}\t\n",
                                   " \n{ 'descr'\r\n:\t'<i4' , 'fortran_order' :\fFalse, 'shape' : ( 1 , ) , } \n\n",
                                   "{'shape':(),'fortran_order':True,'descr':'<i4'}"}) {
    CAPTURE(header);
    for (char const version : {'\1', '\2'})
      CHECK(read_bytes(npy_file(header, one, version)).values<std::int32_t>() == std::vector<std::int32_t>{7});
    // As in NumPy: version 3.0 is newer than Python 2.
    CHECK((refusal(npy_file(header, one, '\3')) == "") == (header.find('L') == header.npos));
  }
  CHECK(read_bytes(npy_file(header_of("<i4", "(0L, 3L)"), "")).dims() == plait::shape{0, 3});
  for (std::string const dims :
       {"3L", "(3L)", "(L,)", "(3LL,)", "(3l,)", "(3L 3L)", "(3.0,)", "(-3,)", "(03,)", "(,)", "(3,,)", "(3", "[3]",
        "None", "(True,)", "(9223372036854775808,)", "(999999999999999999, 0)", "(1,1,1,1,1,1,1,1,1)",
        "(1000000000,1000000000,1000000000)"})
    CHECK_MESSAGE(refusal(npy_file(header_of("<i4", dims), std::string(36, '\0'))) != "", dims);
  for (std::string const descr : {"", "<", ">", "<f16", "<c8", "<m8", "<V2", "|O", "<f4,<f4", " <f4", "<f4 ", "F4",
                                  "!f4", "<<f4", "<f04", "Float32"})
    CHECK_MESSAGE(
        refusal(npy_file(header_of(descr, "(1,)"), std::string(8, '\0'))).find("elements of type '" + descr) !=
            std::string::npos,
        descr);
  for (std::string const header :
       {"", "{}", "{'descr': b'<i4', 'fortran_order': False, 'shape': ()}", "{'descr': u '<i4'}",
        "{'descr': '<i4', 'fortran_order': 0, 'shape': ()}", "{'descr': '<i4', 'fortran_order': Truely, 'shape': ()}",
        "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': ()}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': ()},",
        "{'descr': '<i4' 'fortran_order': False, 'shape': ()}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (),,}"})
    CHECK_MESSAGE(refusal(npy_file(header, one)) != "", header);
}

TEST_CASE("npy: versions 1.0, 2.0 and 3.0 are read, others refused") {
  std::string const header = header_of("<i4", "(1,)");
  std::string const one("\x7\0\0\0", 4);
  for (char const version : {'\1', '\2', '\3'})
    CHECK(read_bytes(npy_file(header, one, version)).values<std::int32_t>() == std::vector<std::int32_t>{7});
  for (auto const& [major, minor] : std::vector<std::pair<char, char>>{
           {'\0', '\0'}, {'\1', '\1'}, {'\2', '\1'}, {'\3', '\1'}, {'\4', '\0'}, {'\xff', '\0'}}) {
    std::string file = npy_file(header, one);
    file[6] = major;
    file[7] = minor;
    CHECK(refusal(file).starts_with("byte 6: a version of the format"));
  }
}

TEST_CASE("npy: bytes after the last element are refused at their offset") {
  for (std::string const& whole : {fortran_file(), npy_file(header_of("<f4", "()"), std::string(4, '\0')),
                                   npy_file(header_of("<f4", "(0,)"), "")}) {
    CHECK(refusal(whole) == "");
    std::string const expected = "byte " + std::to_string(whole.size()) + ": the file goes on behind the last element";
    CHECK(refusal(whole + '\0') == expected);
    CHECK(refusal(whole + whole) == expected);
  }
}

TEST_CASE("npy: a truncated file is refused at its end, a malformed one with the reason") {
  std::string const whole = fortran_file();
  for (std::size_t length = 0; length != whole.size(); ++length) {
    CHECK(
        refusal(whole.substr(0, length)).starts_with("byte " + std::to_string(length) + ": the file ends too early: "));
  }
  auto const with = [&](std::string const& from, std::string const& to) {
    std::string changed = whole;
    return changed.replace(changed.find(from), from.size(), to);
  };
  CHECK(refusal("no such file") == "byte 0: not a .npy file");
  CHECK(refusal(with("<i4", "<c8")).find("elements of type '<c8'") != std::string::npos);
  CHECK(refusal(with("<i4", "Zi4")).find("elements of type 'Zi4'") != std::string::npos);
  CHECK(refusal(with("True", "true")).find("expected True or False") != std::string::npos);
  CHECK(refusal(with("'fortran_order': True,", "                      ")).find("without descr, fortran_order") !=
        std::string::npos);
  CHECK(refusal(with("(2, 3)", "(2,-3)")).find("expected an extent") != std::string::npos);
  CHECK(refusal(with("'shape'", "'sharp'")).find("an unknown key") != std::string::npos);
  CHECK(refusal(with("'fortran_order': True,", "'shape': (2, 3),       ")).find("a second shape") != std::string::npos);
  CHECK(refusal(with("(2, 3), }", "(99999999")).find("a number in brackets") != std::string::npos);
  CHECK(refusal(with("(2, 3), }", "(2, 3), }x")).find("something behind the dictionary") != std::string::npos);
  CHECK(refusal(with("'fortran_order': True,", "'descr': '<i4',       ")).find("a second descr") != std::string::npos);
}

}  // namespace
