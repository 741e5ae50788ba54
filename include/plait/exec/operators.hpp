// Operator table: the op types with which a net can be compiled.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <plait/core/assert.hpp>
#include <plait/core/detail/hash.hpp>
#include <plait/core/errors.hpp>
#include <plait/exec/detail/nets_of_op.hpp>
#include <plait/exec/detail/op_arguments.hpp>
#include <plait/exec/detail/op_schema.hpp>
#include <plait/exec/op_kernel.hpp>
#include <plait/net/detail/operand_pair.hpp>

namespace plait {

/// Operator table of a backend: a value that can be copied, extended and passed to compile. User-defined op types
/// replace those of standard_operators.hpp with the same name.
template <backend B>
class operators {
 public:
  using factory = std::function<std::unique_ptr<op_kernel<B>>(op_arguments const&, nets_of_op<B> const&)>;

  struct entry {
    op_schema schema;
    factory make;
    std::vector<op_restriction> restrictions = {};
    std::optional<std::vector<operand_pair>> in_place_names = {};
  };

  /// Adds an op type with kernels Kernel<B>, constructed from op_arguments, or from these and nets_of_op<B>. Replaces
  /// one of the same name. Throws an error if the schema is inconsistent (op_schema::check).
  template <template <class> class Kernel>
  operators& add(op_schema schema) {
    return add<Kernel<B>>(std::move(schema));
  }
  template <std::derived_from<op_kernel<B>> Kernel>
  operators& add(op_schema schema) {
    static_assert(!std::is_abstract_v<Kernel>, "plait: the kernel lacks infer(shape_context&) or run(op_context<B>&)");
    static_assert(std::is_abstract_v<Kernel> || std::is_constructible_v<Kernel, op_arguments const&> ||
                      std::is_constructible_v<Kernel, op_arguments const&, nets_of_op<B> const&>,
                  "plait: the kernel cannot be made from (op_arguments const&), nor from that and (nets_of_op<B> "
                  "const&)");
    // Through a pointer: std::function is instantiated once, not for each kernel.
    std::unique_ptr<op_kernel<B>> (*const make)(op_arguments const&, nets_of_op<B> const&) =
        [](op_arguments const& a, [[maybe_unused]] nets_of_op<B> const& nets) -> std::unique_ptr<op_kernel<B>> {
      if constexpr (std::is_constructible_v<Kernel, op_arguments const&, nets_of_op<B> const&>)
        return std::make_unique<Kernel>(a, nets);
      else
        return std::make_unique<Kernel>(a);
    };
    return add(std::move(schema), make);
  }
  /// Adds an op type whose kernels a function makes. Throws like the other overload.
  operators& add(op_schema schema, factory make) {
    schema.check();
    std::string type = schema.type();
    entries_.insert_or_assign(std::move(type),
                              std::make_shared<entry const>(entry{std::move(schema), std::move(make)}));
    return *this;
  }
  /// Adds the op types of an object that has add_to(operators&): see static_cells.hpp.
  template <class OpType>
    requires requires(OpType const& type, operators& table) { type.add_to(table); }
  operators& add(OpType const& type) {
    type.add_to(*this);
    return *this;
  }
  /// Makes an op type ignore an argument, in this table only: see op_schema::pass_over. Precondition: the table has the
  /// type.
  operators& pass_over(std::string_view type, std::string_view argument) {
    return change(type, [&](entry& e) { e.schema.pass_over(argument); });
  }
  /// Requires exact numbers in arguments of an op type, in this table only: see op_schema::exact_numbers.
  /// Precondition: as for pass_over.
  operators& expect_exact_numbers(std::string_view type) {
    return change(type, [](entry& e) { e.schema.exact_numbers(); });
  }
  /// Adds a restriction to an op type, in this table only, to refuse what another system refuses. Precondition: as for
  /// pass_over.
  operators& restrict(std::string_view type, op_restriction asks) {
    return change(type, [&](entry& e) { e.restrictions.push_back(asks); });
  }
  /// Restricts the in-place pairs of an op type, in which an output may have the name of an input, in this table only.
  /// Precondition: as for pass_over.
  operators& restrict_names(std::string_view type, std::vector<operand_pair> allowed) {
    return change(type, [&](entry& e) { e.in_place_names = std::move(allowed); });
  }
  operators& add(operators const& others) {
    for (auto const& [type, held] : others.entries_) entries_.insert_or_assign(type, held);
    return *this;
  }

  std::size_t size() const noexcept { return entries_.size(); }
  /// Returns nullptr for a type that is not in the table. The entry lives as long as any copy of the table.
  std::shared_ptr<entry const> find(std::string_view type) const {
    auto const at = entries_.find(type);
    return at == entries_.end() ? nullptr : at->second;
  }
  /// Returns the schemas in the order of names.
  std::vector<op_schema const*> schemas() const {
    std::vector<op_schema const*> made;
    for (auto const& [type, held] : entries_) made.push_back(&held->schema);
    std::ranges::sort(made, {}, [](op_schema const* s) -> std::string const& { return s->type(); });
    return made;
  }

 private:
  // Replaces the entry, so that copies of the table keep the old one.
  template <class Change>
  operators& change(std::string_view type, Change const& how) {
    auto const at = entries_.find(type);
    PLAIT_ASSERT(at != entries_.end(), "operators: the table has no such type");
    entry changed = *at->second;
    how(changed);
    at->second = std::make_shared<entry const>(std::move(changed));
    return *this;
  }

  struct hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return hash_text(name); }
  };
  boost::unordered_flat_map<std::string, std::shared_ptr<entry const>, hash, std::equal_to<>> entries_;
};

/// Returns the table of every op type of plait. It takes long to compile, so one file of a program instantiates it: it
/// includes standard_operators.hpp and has `template plait::operators<B> const& plait::standard_operators<B>();`. Other
/// files only need this declaration.
template <backend B>
[[nodiscard]] operators<B> const& standard_operators();

}  // namespace plait
