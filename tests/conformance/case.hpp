// Recorded case (shared/reference/FORMAT.md): the function under test and its inputs.
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <plait/netdef/model.hpp>

namespace conformance {

// Objects keep the order of the file, which is that of parameters.
using json = nlohmann::ordered_json;

/// Thrown for a case file that is not in the format. Counts as a failure of that file.
struct malformed_case : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown for what this build of the runner cannot run.
struct unsupported_case : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct test_case {
  std::filesystem::path file;
  std::filesystem::path root;  ///< the folder that holds cases/; net_file is relative to it
  std::string kind;
  std::string name;
  std::string what;
  bool refused = false;               ///< `error: true`
  std::optional<std::string> defect;  ///< the error in the recorded expectation
  json data;
};

/// Reads a case file. Throws malformed_case.
test_case load_case(std::filesystem::path const& file, std::filesystem::path const& root);

/// Returns the member `key` of an object as a T. Throws malformed_case, naming key and type, if it is missing or not a
/// T.
template <class T>
T member(json const& object, std::string_view key) {
  auto const found = object.find(std::string(key));
  if (found == object.end() || found->is_null()) throw malformed_case("key '" + std::string(key) + "' is missing");
  try {
    return found->template get<T>();
  } catch (json::exception const& problem) {
    throw malformed_case("key '" + std::string(key) + "': " + problem.what());
  }
}

/// Like member(), but returns `fallback` if the key is missing or null.
template <class T>
T member(json const& object, std::string_view key, T fallback) {
  auto const found = object.find(std::string(key));
  if (found == object.end() || found->is_null()) return fallback;
  return member<T>(object, key);
}

/// Inputs of a case. The function under test may change the nets that it gets; the originals are kept, to check that a
/// refused case leaves its inputs unchanged.
class case_inputs {
 public:
  /// The expected result: as the case asks, or `by_default` that of plait without options for the recorded system, even
  /// if the recorded result is not a defect.
  enum class mode { by_case, by_default };
  explicit case_inputs(test_case const& c, mode how = mode::by_case) : case_(c), how_(how) {}

  test_case const& source() const { return case_; }
  /// Returns true if the result must be that of the recorded system, its quirks included, where plait has an option for
  /// that. False for cases marked as a defect: they test what plait does by default.
  bool as_recorded() const { return !case_.defect && how_ == mode::by_case; }
  /// Returns `net`, or the content of `net_file`.
  plait::netdef& net();
  /// Returns the net in text form under `key`; nullptr if it is missing or null. An empty string is an empty net.
  plait::netdef* optional_net(std::string_view key);
  /// Returns `args`, or an empty object if there is none.
  json const& args() const;
  template <class T>
  T arg(std::string_view key) const {
    return member<T>(args(), key);
  }
  template <class T>
  T arg(std::string_view key, T fallback) const {
    return member<T>(args(), key, std::move(fallback));
  }
  json const& data() const { return case_.data; }

  /// Returns the original of the net handed out first.
  plait::netdef const& original() const { return nets_.front().before; }
  /// Returns the key of a net that has changed; nothing if none has.
  std::optional<std::string> changed() const;

 private:
  struct handed_out {
    std::string key;
    plait::netdef now;
    plait::netdef before;
  };
  plait::netdef& hand_out(std::string key, plait::netdef net);

  test_case const& case_;
  mode how_;
  std::deque<handed_out> nets_;  // a deque does not move its elements
};

/// Reads a net in text form. Throws malformed_case.
plait::netdef parse_net(std::string_view text, std::string_view key);

}  // namespace conformance
