// Which names are taken where a net inside an op shares the blobs of the nets around it.
#pragma once

#include <string_view>

#include <plait/core/symbols.hpp>

namespace plait {

/// The names that a backward pass knows of a net, and those of the nets around it whose blobs are its own: a copy under
/// one of them would be overwritten, or overwrite. Refers to the texts and to the names around.
class scope_names {
 public:
  /// `around`: none for the outermost net, and for one that sees nothing but what is bound.
  explicit scope_names(symbol_table const& texts, scope_names const* around = nullptr)
      : texts_(&texts), around_(around) {}

  /// O(nets around).
  bool contains(std::string_view name) const {
    for (scope_names const* at = this; at != nullptr; at = at->around_)
      if (at->texts_->find(name)) return true;
    return false;
  }

 private:
  symbol_table const* texts_;
  scope_names const* around_;
};

}  // namespace plait
