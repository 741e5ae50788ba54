// Name scopes: the names in use in a net and in the enclosing nets whose blobs it shares.
#pragma once

#include <string_view>

#include <plait/core/detail/symbols.hpp>

namespace plait {

/// The names of a net and of the enclosing nets whose blobs it shares: a saved copy with one of them would be
/// overwritten, or overwrite a blob. Refers to the symbol table and to the enclosing scope.
class scope_names {
 public:
  /// `around`: nullptr for the outermost net and for closed nets, which see bound names only.
  explicit scope_names(symbol_table const& texts, scope_names const* around = nullptr)
      : texts_(&texts), around_(around) {}

  /// Returns true if a name is in use. O(enclosing nets).
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
