// Map from the names of the backends that are compiled in to values, such as functions that run on them.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <plait/core/errors.hpp>

namespace example {

/// Map from backend names to T.
template <class T>
class by_backend {
 public:
  by_backend(std::initializer_list<std::pair<std::string const, T>> all) : all_(all) {}

  /// Returns the names in ascending order.
  std::vector<std::string> names() const {
    std::vector<std::string> made;
    for (auto const& [name, what] : all_) made.push_back(name);
    return made;
  }
  /// Throws plait::error for a backend that is not compiled in.
  T const& on(std::string const& backend) const {
    auto const found = all_.find(backend);
    if (found == all_.end()) throw plait::error("there is no backend '" + backend + "'");
    return found->second;
  }

 private:
  std::map<std::string, T> all_;
};

}  // namespace example
