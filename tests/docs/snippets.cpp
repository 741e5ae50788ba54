// Snippets of the documents: every C++ block names a compiled example that contains it.
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
      snippet s{document.filename().string(), file, {}};
      while (std::getline(in, line) && line != "```") s.text += line + '\n';
      found.push_back(std::move(s));
      file.clear();
    }
  }
  return found;
}

// Returns a document without its code blocks, in which [](…) is not a link.
std::string prose(std::string const& text) {
  std::string made;
  std::istringstream in(text);
  bool code = false;
  for (std::string line; std::getline(in, line);) {
    bool const fence = line.starts_with("```");
    if (!code && !fence) made += line + '\n';
    code ^= fence;
  }
  return made;
}

std::vector<fs::path> documents() {
  std::vector<fs::path> found = {project() / "README.md"};
  for (auto const& entry : fs::directory_iterator(project() / "docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

}  // namespace

TEST_CASE("documents: every C++ block is contained in a compiled example") {
  std::size_t count = 0;
  for (fs::path const& document : documents())
    for (snippet const& s : snippets_of(document)) {
      ++count;
      CAPTURE(s.document);
      CAPTURE(s.text);
      REQUIRE_FALSE(s.file.empty());
      CHECK(content(project() / s.file).find(s.text) != std::string::npos);
    }
  CHECK(count >= 4);
}

TEST_CASE("documents: the README's adaptation has at most fifteen lines") {
  auto const all = snippets_of(project() / "README.md");
  REQUIRE_FALSE(all.empty());
  CHECK(std::ranges::count(all.front().text, '\n') <= 15);
}

TEST_CASE("documents: the README lists every public header, and no other") {
  std::string const readme = content(project() / "README.md");
  fs::path const include = project() / "include";
  for (auto const& entry : fs::recursive_directory_iterator(include / "plait")) {
    if (entry.path().extension() != ".hpp") continue;
    std::string const name = fs::relative(entry.path(), include).generic_string();
    if (name.find("/detail/") != std::string::npos) continue;
    CAPTURE(name);
    CHECK(readme.find('`' + name + '`') != std::string::npos);
  }
  std::size_t at = 0;
  while ((at = readme.find("`plait/", at)) != std::string::npos) {
    std::string const name = readme.substr(at + 1, readme.find('`', at + 1) - at - 1);
    CAPTURE(name);
    if (name.ends_with(".hpp")) CHECK(fs::exists(include / name));
    ++at;
  }
}

TEST_CASE("documents: links between them lead to existing files") {
  for (fs::path const& document : documents()) {
    std::string const text = prose(content(document));
    std::size_t at = 0;
    while ((at = text.find("](", at)) != std::string::npos) {
      std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
      at += 2;
      if (target.starts_with("http") || target.starts_with('#')) continue;
      target = target.substr(0, target.find('#'));
      CAPTURE(document.string());
      CAPTURE(target);
      CHECK(fs::exists(document.parent_path() / target));
    }
  }
}
