#include <plait/dataflow/detail/op_functions.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <support/smallest_program.hpp>

#include <plait/ssa/detail/program_snapshot.hpp>

namespace {

using program = test::smallest_program;
using net = program::basic_block;
using op = plait::op_ref_t<net>;
using constants = std::span<std::optional<int>>;
using known = std::span<std::optional<int> const>;

// The accepted result and parameter types of each callback.
static_assert(plait::op_predicate_of<bool (*)(net const&, op), program>);
static_assert(plait::op_predicate_of<int (*)(net const&, op), program>);
static_assert(!plait::op_predicate_of<void (*)(net const&, op), program>);
static_assert(!plait::op_predicate_of<bool (*)(op), program>);
static_assert(!plait::op_predicate_of<bool (*)(net const&, op), int>);

static_assert(plait::copy_source_of<std::optional<std::size_t> (*)(net const&, op, std::size_t), program>);
static_assert(plait::copy_source_of<std::optional<short> (*)(net const&, op, std::size_t), program>);
static_assert(!plait::copy_source_of<std::size_t (*)(net const&, op, std::size_t), program>);
static_assert(!plait::copy_source_of<std::optional<std::string> (*)(net const&, op, std::size_t), program>);
static_assert(!plait::copy_source_of<std::optional<std::size_t> (*)(net const&, op), program>);

static_assert(plait::constant_evaluator_of<void (*)(net const&, op, known, constants), int, program>);
static_assert(!plait::constant_evaluator_of<void (*)(net const&, op, constants, constants), int, program>);
static_assert(!plait::constant_evaluator_of<void (*)(net const&, op, known, constants), long, program>);

static_assert(plait::branch_decider_of<std::optional<std::size_t> (*)(net const&, op, known, known), int, program>);
static_assert(plait::branch_decider_of<std::size_t (*)(net const&, op, known, known), int, program>);
static_assert(!plait::branch_decider_of<void (*)(net const&, op, known, known), int, program>);
static_assert(!plait::branch_decider_of<std::optional<std::string> (*)(net const&, op, known, known), int, program>);

}  // namespace

TEST_CASE("op functions: copied_inputs takes ops by number and returns npos for no copy") {
  test::smallest_net const n = {{{"Copy", {"a"}, {"b"}}, {"Swap", {"b", "a"}, {"c", "d"}}, {"Relu", {"c"}, {"e"}}}};
  program const p(n);
  plait::program_snapshot<program> const snapshot(p);
  plait::op_handles<program> const handles(p, snapshot);
  auto const source = [](auto const& block, auto at, std::size_t output) -> std::optional<std::size_t> {
    if (block.type(at) == "Copy") return 0;
    if (block.type(at) == "Swap") return 1 - output;
    return std::nullopt;
  };
  auto const copied = plait::detail::copied_inputs(handles, source);
  CHECK(copied(0, 0) == 0);
  CHECK(copied(1, 0) == 1);
  CHECK(copied(1, 1) == 0);
  CHECK(copied(2, 0) == plait::npos);
}
