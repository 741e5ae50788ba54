// Snippets of the documents: every C++ block names a compiled file that contains it, in a comment before it,
// `<!-- file: examples/your_ir.cpp -->`. Links are checked by check_links.py.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

namespace fs = std::filesystem;

fs::path project() { return fs::path(PLAIT_TEST_DATA_DIR).parent_path().parent_path(); }

std::string content(fs::path const& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE_MESSAGE(in.is_open(), path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

struct snippet {
  std::string document;
  std::string file;  // named by the preceding marker; empty: no marker
  std::string text;
};

std::vector<snippet> snippets_of(fs::path const& document) {
  constexpr std::string_view marker = "<!-- file: ";
  std::vector<snippet> found;
  std::istringstream in(content(document));
  std::string line;
  std::string file;
  while (std::getline(in, line)) {
    if (line.starts_with(marker)) {
      file = line.substr(marker.size(), line.find(" -->") - marker.size());
    } else if (line == "```cpp") {
      snippet s{fs::relative(document, project()).generic_string(), file, {}};
      while (std::getline(in, line) && line != "```") s.text += line + '\n';
      found.push_back(std::move(s));
      file.clear();
    }
  }
  return found;
}

std::vector<fs::path> documents() {
  std::vector<fs::path> found = {project() / "README.md", project() / "CONTRIBUTING.md"};
  for (auto const& entry : fs::recursive_directory_iterator(project() / "docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

}  // namespace

TEST_CASE("documents: every C++ block is contained in a compiled file") {
  std::size_t count = 0;
  for (fs::path const& document : documents())
    for (snippet const& s : snippets_of(document)) {
      ++count;
      CAPTURE(s.document);
      CAPTURE(s.text);
      REQUIRE_FALSE(s.file.empty());
      CHECK(content(project() / s.file).find(s.text) != std::string::npos);
    }
  CHECK(count >= 30);
}

TEST_CASE("documents: the README's adaptation has at most fifteen lines") {
  auto const all = snippets_of(project() / "README.md");
  REQUIRE_FALSE(all.empty());
  CHECK(std::ranges::count(all.front().text, '\n') <= 15);
}

TEST_CASE("documents: the table of headers has every public header, and no other") {
  std::string const page = content(project() / "docs" / "reference" / "headers.md");
  fs::path const include = project() / "include";
  for (auto const& entry : fs::recursive_directory_iterator(include / "plait")) {
    if (entry.path().extension() != ".hpp") continue;
    std::string const name = fs::relative(entry.path(), include).generic_string();
    if (name.find("/detail/") != std::string::npos) continue;
    CAPTURE(name);
    CHECK(page.find('`' + name + '`') != std::string::npos);
  }
  std::size_t at = 0;
  while ((at = page.find("`plait/", at)) != std::string::npos) {
    std::string const name = page.substr(at + 1, page.find('`', at + 1) - at - 1);
    CAPTURE(name);
    if (name.ends_with(".hpp")) CHECK(fs::exists(include / name));
    ++at;
  }
}

TEST_CASE("documents: the README has at most 150 lines") {
  std::string const readme = content(project() / "README.md");
  CHECK(std::ranges::count(readme, '\n') <= 150);
}
