#include <plait/netdef/saved_model.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include <plait/netdef/equality.hpp>
#include <plait/netdef/text_reader.hpp>

namespace {

// A folder that goes with the test.
struct scratch {
  std::filesystem::path at = std::filesystem::temp_directory_path() / "plait_saved_model_test";
  scratch() { std::filesystem::remove_all(at); }
  scratch(scratch const&) = delete;
  scratch& operator=(scratch const&) = delete;
  ~scratch() { std::filesystem::remove_all(at); }
};

}  // namespace

TEST_CASE("a model comes back from its folder") {
  scratch const folder;
  auto const predict = plait::read_netdef_text(R"(name: "p" op { type: "FC" input: "x" input: "w" output: "y" })");
  auto const init = plait::read_netdef_text(R"(name: "i" op { type: "ConstantFill" output: "w" })");
  plait::save_model(folder.at / "deep", predict, init);
  plait::save_model(folder.at / "deep", predict, init);
  plait::saved_model const back = plait::load_model(folder.at / "deep");
  CHECK(back.predict == predict);
  CHECK(back.init == init);
  CHECK(plait::read_netdef(folder.at / "deep" / "model.pbtxt") == predict);
  std::ifstream text(folder.at / "deep" / "model.pbtxt");
  std::string line;
  std::getline(text, line);
  CHECK(line == "name: \"p\"");
}

TEST_CASE("what cannot be written or read is an io_error with the path") {
  scratch const folder;
  std::filesystem::create_directories(folder.at);
  std::ofstream(folder.at / "file") << "x";
  auto const path = [](auto const& action) {
    try {
      action();
    } catch (plait::io_error const& problem) {
      return std::filesystem::path(problem.path);
    }
    return std::filesystem::path();
  };
  CHECK(path([&] { plait::save_model(folder.at / "file", {}, {}); }) == folder.at / "file");
  CHECK(path([&] { (void)plait::load_model(folder.at / "none"); }) == folder.at / "none" / "model.pb");
}
