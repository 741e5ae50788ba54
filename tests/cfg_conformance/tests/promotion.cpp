#include "../readers/promotion.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace cfg_conformance {

namespace {

ll_function function(document const& from) { return read_ll(from).at(0); }

document body(std::string const& lines) {
  return {"M.ll", "define i32 @f(i32 %x, i32* %y) {\nentry:\n" + lines + "}\n"};
}

std::vector<std::string> names(promotion_round const& round) {
  std::vector<std::string> made;
  made.reserve(round.variables.size());
  for (variable const& v : round.variables) made.push_back(v.name + ": " + v.type);
  return made;
}

std::vector<std::string> promotable(std::string const& lines) {
  document const from = body(lines);
  ll_function const f = function(from);
  return names(promoter(f).next());
}

using list = std::vector<std::string>;

}  // namespace

TEST_CASE("promotion: finds accesses by block, in order, with stored values") {
  document const from = body(
      "  %v = alloca i32, align 4\n  %\"w w\" = alloca { i32, %t* }, align 8\n  store i32 %x, i32* %v, align 4, !dbg "
      "!1\n"
      "  br label %next\nnext:\n  %1 = load i32, i32* %v\n  store i32 %1, i32* %v\n"
      "  store { i32, %t* } { i32 1, %t* null }, { i32, %t* }* %\"w w\"\n  store i32 undef, i32* %v\n  ret i32 %1\n");
  ll_function const f = function(from);
  promoter p(f);
  promotion_round const round = p.next();
  REQUIRE(names(round) == list{"v: i32", "w w: { i32 , %t * }"});
  REQUIRE(round.blocks.size() == 2);
  REQUIRE(round.blocks[0].size() == 1);
  CHECK(round.blocks[0][0].is_store);
  CHECK(round.blocks[0][0].value == "%x");
  REQUIRE(round.blocks[1].size() == 4);
  CHECK_FALSE(round.blocks[1][0].is_store);
  CHECK(round.blocks[1][0].value == "%1");
  CHECK(round.blocks[1][1].value == "%1");
  CHECK(round.blocks[1][2].variable == 1);
  CHECK(round.blocks[1][2].value == "={ i32 , %t * } { i32 1 , %t * null }");
  CHECK(round.blocks[1][3].value.empty());
  CHECK(p.block_of("%1") == 1u);
  CHECK_FALSE(p.block_of("%x"));
  CHECK(p.next().variables.empty());
}

TEST_CASE("promotion: rejects volatile accesses, mixed types and escaping addresses") {
  std::string const v = "  %v = alloca i32\n";
  std::string const end = "  ret i32 0\n";
  CHECK(promotable(v + end) == list{"v: i32"});
  CHECK(promotable(v + "  store volatile i32 1, i32* %v\n" + end).empty());
  CHECK(promotable(v + "  %l = load volatile i32, i32* %v\n" + end).empty());
  CHECK(promotable(v + "  %l = load atomic i32, i32* %v seq_cst, align 4\n" + end) == list{"v: i32"});
  CHECK(promotable(v + "  store atomic i32 1, i32* %v release, align 4\n" + end) == list{"v: i32"});
  CHECK(promotable(v + "  %l = call i32 @c(i32* %v)\n" + end).empty());
  CHECK(promotable(v + "  %l = ptrtoint i32* %v to i64\n" + end).empty());
  CHECK(promotable(v + "  store i32* %v, i32** %y\n" + end).empty());
  CHECK(promotable(v + "  %l = load i64, ptr %v\n" + end).empty());
  CHECK(promotable(v + "  %l = load i32, ptr %v\n" + end) == list{"v: i32"});
  CHECK(promotable(v + "  %b = bitcast i32* %v to float*\n" + end) == list{"v: i32"});
  CHECK(promotable(v + "  %b = bitcast i32* %v to float*\n  %l = load float, float* %b\n" + end).empty());
  CHECK(promotable(v + "  %b = bitcast i32* %v to i8*\n  call void @llvm.lifetime.start.p0i8(i64 4, i8* %b)\n" + end) ==
        list{"v: i32"});
  CHECK(promotable(v + "  %b = getelementptr inbounds i32, i32* %v, i64 0, !dbg !3\n" + end) == list{"v: i32"});
  CHECK(promotable(v + "  %b = getelementptr inbounds i32, i32* %v, i64 1\n" + end).empty());
  CHECK(promotable(v + "  call void @llvm.dbg.declare(metadata i32* %v, metadata !1, metadata !DIExpression())\n" +
                   end) == list{"v: i32"});
  // A type of the same name is not a use; a variable outside the entry block is not a candidate.
  CHECK(promotable(v + "  %l = load %v, %v* %y\n" + end) == list{"v: i32"});
  CHECK(promotable("  br label %b\nb:\n" + v + end).empty());
}

TEST_CASE("promotion: a later round promotes the target of a promoted pointer") {
  document const from = body(
      "  %v = alloca i32\n  %w = alloca i32\n  %p = alloca i32*\n  store i32* %v, i32** %p\n"
      "  %q = load i32*, i32** %p\n  store i32 1, i32* %q\n  ret i32 0\n");
  ll_function const f = function(from);
  promoter p(f);
  promotion_round const first = p.next();
  REQUIRE(names(first) == list{"w: i32", "p: i32 *"});
  p.replace("%q", first.blocks[0][0].value);
  CHECK(p.resolved("%q") == "%v");
  promotion_round const second = p.next();
  REQUIRE(names(second) == list{"v: i32"});
  REQUIRE(second.blocks[0].size() == 1);
  CHECK(second.blocks[0][0].value == "=i32 1");

  promoter other(f);
  (void)other.next();
  other.replace("%q", "%v");
  other.use_in_phi("%v");
  CHECK(other.next().variables.empty());

  promoter third(f);
  (void)third.next();
  third.replace("%q", "%v");
  third.leave(0, 3);  // the store of %v is still there
  CHECK(third.next().variables.empty());
}

}  // namespace cfg_conformance
