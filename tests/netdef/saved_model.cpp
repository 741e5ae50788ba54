#include <plait/netdef/detail/saved_model.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include <plait/netdef/detail/text_reader.hpp>
#include <plait/netdef/equality.hpp>

#include <support/scratch_folder.hpp>

TEST_CASE("saved model: load_model reads what save_model wrote") {
  test::scratch_folder const folder;
  auto const predict = plait::read_netdef_text(R"(name: "p" op { type: "FC" input: "x" input: "w" output: "y" })");
  auto const init = plait::read_netdef_text(R"(name: "i" op { type: "ConstantFill" output: "w" })");
  plait::save_model(folder.path() / "deep", predict, init);
  plait::save_model(folder.path() / "deep", predict, init);
  plait::saved_model const back = plait::load_model(folder.path() / "deep");
  CHECK(back.predict == predict);
  CHECK(back.init == init);
  CHECK(plait::read_netdef(folder.path() / "deep" / "model.pbtxt") == predict);
  std::ifstream text(folder.path() / "deep" / "model.pbtxt");
  std::string line;
  std::getline(text, line);
  CHECK(line == "name: \"p\"");
}

TEST_CASE("saved model: errors of files are io_errors with the path") {
  test::scratch_folder const folder;
  std::ofstream(folder.path() / "file") << "x";
  auto const path = [](auto const& action) {
    try {
      action();
    } catch (plait::io_error const& problem) {
      return std::filesystem::path(problem.path);
    }
    return std::filesystem::path();
  };
  CHECK(path([&] { plait::save_model(folder.path() / "file", {}, {}); }) == folder.path() / "file");
  CHECK(path([&] { (void)plait::load_model(folder.path() / "none"); }) == folder.path() / "none" / "model.pb");
}
