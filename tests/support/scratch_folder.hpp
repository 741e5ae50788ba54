// Temporary folder for the files of a test, shared with no other test and no other run.
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <system_error>

namespace test {

/// Creates an empty folder and removes it with its contents.
class scratch_folder {
 public:
  scratch_folder() {
    std::random_device number;
    do path_ = std::filesystem::temp_directory_path() / ("plait_test_" + std::to_string(number()));
    while (!std::filesystem::create_directory(path_));
  }
  scratch_folder(scratch_folder const&) = delete;
  scratch_folder& operator=(scratch_folder const&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::filesystem::path const& path() const { return path_; }
  /// Writes a file and returns its path.
  std::string write(std::string const& name, std::string const& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace test
