// The table of op types that a net can be compiled with.
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

/// Op types of a backend: a value, that can be copied, extended and handed to compile. One's own types stand beside
/// those of standard_operators.hpp, and replace them where they have the same name.
template <backend B>
class operators {
 public:
  using factory = std::unique_ptr<op_kernel<B>> (*)(op_arguments const&, nets_of_op<B> const&);

  /// What the inputs of one op are asked for, before the kernel infers from them; throws as infer does.
  using shape_check = std::function<void(shape_context const&)>;
  /// What ops of a type are asked for in this table alone: throws as op_arguments::fail does, or returns what is left
  /// to ask of shapes; that may be nothing.
  using restriction = shape_check (*)(op_arguments const&);

  struct entry {
    op_schema schema;
    factory make;
    std::vector<restriction> restrictions = {};
    std::optional<std::vector<operand_pair>> in_place_names = {};
  };

  /// An op type whose kernels are Kernel<B>, made from op_arguments, or from these and nets_of_op<B>. It takes the
  /// place of one of the same name. Throws an error where the description contradicts itself (op_schema::check).
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
    schema.check();
    std::string type = schema.type();
    factory const make = [](op_arguments const& a, [[maybe_unused]] nets_of_op<B> const& nets) {
      if constexpr (std::is_constructible_v<Kernel, op_arguments const&, nets_of_op<B> const&>)
        return std::unique_ptr<op_kernel<B>>(std::make_unique<Kernel>(a, nets));
      else
        return std::unique_ptr<op_kernel<B>>(std::make_unique<Kernel>(a));
    };
    entries_.insert_or_assign(std::move(type), std::make_shared<entry const>(entry{std::move(schema), make}));
    return *this;
  }
  /// From now on an op type does without an argument, in this table alone: see op_schema::pass_over. Precondition: the
  /// table has the type.
  operators& pass_over(std::string_view type, std::string_view argument) {
    return change(type, [&](entry& e) { e.schema.pass_over(argument); });
  }
  /// From now on arguments of an op type are what they are, in this table alone: see op_schema::exact_numbers.
  /// Precondition: as of pass_over.
  operators& expect_exact_numbers(std::string_view type) {
    return change(type, [](entry& e) { e.schema.exact_numbers(); });
  }
  /// From now on ops of a type are asked for this, too, in this table alone: what another system refuses is refused.
  /// Precondition: as of pass_over.
  operators& restrict(std::string_view type, restriction asks) {
    return change(type, [&](entry& e) { e.restrictions.push_back(asks); });
  }
  /// From now on an output of such an op may have the name of an input in these pairs only, in this table alone.
  /// Precondition: as of pass_over.
  operators& restrict_names(std::string_view type, std::vector<operand_pair> allowed) {
    return change(type, [&](entry& e) { e.in_place_names = std::move(allowed); });
  }
  operators& add(operators const& others) {
    for (auto const& [type, held] : others.entries_) entries_.insert_or_assign(type, held);
    return *this;
  }

  std::size_t size() const noexcept { return entries_.size(); }
  /// nullptr for a type that is not in the table. What it points to lives as long as a copy of the table.
  std::shared_ptr<entry const> find(std::string_view type) const {
    auto const at = entries_.find(type);
    return at == entries_.end() ? nullptr : at->second;
  }
  /// By name.
  std::vector<op_schema const*> schemas() const {
    std::vector<op_schema const*> made;
    for (auto const& [type, held] : entries_) made.push_back(&held->schema);
    std::ranges::sort(made, {}, [](op_schema const* s) -> std::string const& { return s->type(); });
    return made;
  }

 private:
  // Copies of the table keep the entry as it is.
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

/// The table of every op type that plait runs. Compiling it takes a while, so one file of a program does: it includes
/// standard_operators.hpp and says `template plait::operators<B> const& plait::standard_operators<B>();`. Others need
/// this declaration only.
template <backend B>
[[nodiscard]] operators<B> const& standard_operators();

}  // namespace plait
