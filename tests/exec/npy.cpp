#include <plait/exec/npy.hpp>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <plait/exec/serial.hpp>

namespace {

using tensor = plait::tensor<plait::serial>;

TEST_CASE_TEMPLATE("npy: what is written is read", T, float, double, std::int32_t, std::int64_t, bool, std::uint8_t) {
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

// As numpy.save writes numpy.asfortranarray([[1, 2, 3], [4, 5, 6]], "<i4").
std::string fortran_file() {
  std::string const header = "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }\n";
  std::string file = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header;
  for (char const c : std::string("\x1\x4\x2\x5\x3\x6")) file += c + std::string(3, '\0');
  return file;
}

TEST_CASE("npy: Fortran order is turned into ours") {
  std::istringstream file(fortran_file());
  auto const read = plait::read_npy<plait::serial>(file);
  CHECK(read.dims() == plait::shape{2, 3});
  CHECK(read.values<std::int32_t>() == std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("npy: bytes of a bool are true or false, and the last comma may be missing") {
  std::string const header = "{'descr': '|b1', 'shape': (4,), 'fortran_order': False}\n";
  std::istringstream file(std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
                          std::string("\x2\x0\xff\x1", 4));
  CHECK(plait::read_npy<plait::serial>(file).values<bool>() == std::vector<bool>{true, false, true, true});
}

TEST_CASE("npy: quotes may be double, and blanks tabs") {
  std::string const header = "{\"descr\":\t\"<i4\", 'shape': (1,), 'fortran_order': False}\t\n";
  std::istringstream file(std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
                          std::string("\x7\0\0\0", 4));
  CHECK(plait::read_npy<plait::serial>(file).values<std::int32_t>() == std::vector<std::int32_t>{7});
}

TEST_CASE("npy: a file that is cut off anywhere, or is none, is refused where it is wrong") {
  std::string const whole = fortran_file();
  for (std::size_t length = 0; length != whole.size(); ++length) {
    std::istringstream file(whole.substr(0, length));
    CHECK_THROWS_AS(static_cast<void>(plait::read_npy<plait::serial>(file)), plait::parse_error);
  }
  auto const refusal = [](std::string bytes) -> std::string {
    std::istringstream file(bytes);
    try {
      static_cast<void>(plait::read_npy<plait::serial>(file));
    } catch (plait::parse_error const& e) {
      return e.what();
    }
    return "";
  };
  auto const with = [&](std::string const& from, std::string const& to) {
    std::string changed = whole;
    return changed.replace(changed.find(from), from.size(), to);
  };
  CHECK(refusal("no such file") == "byte 0: not a .npy file");
  CHECK(refusal(with("<i4", ">i4")).find("elements of type '>i4'") != std::string::npos);
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
