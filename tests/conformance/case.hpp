// A recorded case (shared/reference/FORMAT.md): what it asks, and the inputs it gives.
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

// Objects keep the order of the file: parameters are given in it.
using json = nlohmann::ordered_json;

/// A case file that is not in the format. Counts as a failure of that file.
struct malformed_case : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Something this build of the runner does not know how to run.
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
  std::optional<std::string> defect;  ///< what is wrong with the recorded expectation
  json data;
};

/// Reads a case file. Throws malformed_case.
test_case load_case(std::filesystem::path const& file, std::filesystem::path const& root);

/// The member `key` of an object as a T. Throws malformed_case, naming key and type, where it is missing or no T.
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

/// The same with a value for objects where the key is missing or null.
template <class T>
T member(json const& object, std::string_view key, T fallback) {
  auto const found = object.find(std::string(key));
  if (found == object.end() || found->is_null()) return fallback;
  return member<T>(object, key);
}

/// The inputs of a case. Nets that are handed out may be changed by the function under test; the originals are kept, so
/// that a refused case can be held to leave its input as it was.
class case_inputs {
 public:
  /// What the answer is to be: `own_way` for that of plait by itself, also where the recorded one is not a defect.
  enum class manner { by_case, own_way };
  explicit case_inputs(test_case const& c, manner how = manner::by_case) : case_(c), how_(how) {}

  test_case const& source() const { return case_; }
  /// Whether the answer is to be what the recorded system gave, its quirks included, where plait has an option for
  /// that. Not for cases marked as a defect: these are about what plait does by itself.
  bool as_recorded() const { return !case_.defect && how_ == manner::by_case; }
  /// `net`, or what is in `net_file`.
  plait::netdef& net();
  /// The net in text form under `key`; nullptr where it is missing or null. An empty string is an empty net.
  plait::netdef* optional_net(std::string_view key);
  /// `args`, an empty object where there is none.
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

  /// The net handed out first, as it was.
  plait::netdef const& original() const { return nets_.front().before; }
  /// The key of a net that is not as it was; nothing if all are.
  std::optional<std::string> changed() const;

 private:
  struct handed_out {
    std::string key;
    plait::netdef now;
    plait::netdef before;
  };
  plait::netdef& hand_out(std::string key, plait::netdef net);

  test_case const& case_;
  manner how_;
  std::deque<handed_out> nets_;  // a deque does not move what it holds
};

/// Reads a net in text form. Throws malformed_case.
plait::netdef parse_net(std::string_view text, std::string_view key);

}  // namespace conformance
