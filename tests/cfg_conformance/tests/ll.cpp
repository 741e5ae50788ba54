#include "../readers/ll.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "expect_error.hpp"

namespace cfg_conformance {

namespace {

std::string const text = R"(; a comment
@g = global [3 x i8] c"%a\22", align 1
declare i32 @declared(i32)

define dso_local i32 @f(i32 noundef %0, void (i32, i8*)* %1, %struct.S* byval(%struct.S) align 8 %2, i32 %named) #0 personality i8* bitcast (i32 (...)* @p to i8*) {
  %4 = alloca i32, align 4
  switch i32 %0, label %5 [
    i32 0, label %"a b"
    i32 1, label %5
    i32 2, label %8
  ]

5:                                                ; preds = %3, label %8
  %6 = invoke i32 @declared(i32 %0)
          to label %"a b" unwind label %7

7:                                                ; preds = %5
  %lp = landingpad { i8*, i32 }
          cleanup
          catch i8* null
  resume { i8*, i32 } %lp

"a b":
  call void asm sideeffect "br label %7 ; no comment", ""() #1, !dbg !9 ; br label %7
  br i1 true, label %8, label %8

8:
  %x = tail call i32 @declared(i32 %0)
  indirectbr i8* blockaddress(@f, %5), [label %7, label %5]

; uselistorder directives
  uselistorder i32 %0, { 1, 0 }
}

define void @"g h"() {
entry:
  unreachable
}
)";

}  // namespace

TEST_CASE("ll reader: reads blocks, targets and the number of an unlabelled entry") {
  document const from{"M.ll", text};
  auto const all = read_ll(from);
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "f");
  CHECK(all[0].line == 5);
  CHECK(all[1].name == "g h");
  function_graph const f = all[0].graph(from);
  REQUIRE(f.size() == 5);
  CHECK(f.label(0) == "3");
  CHECK(f.label(3) == "a b");
  CHECK(std::ranges::equal(f.successors(0), std::vector{1, 3, 4}));  // merged
  CHECK(std::ranges::equal(f.successors(1), std::vector{3, 2}));
  CHECK(f.successors(2).empty());
  CHECK(std::ranges::equal(f.successors(3), std::vector{4}));
  CHECK(std::ranges::equal(f.successors(4), std::vector{2, 1}));
  CHECK(all[1].graph(from).label(0) == "entry");

  auto const& last = all[0].blocks[4].instructions;
  REQUIRE(last.size() == 2);
  CHECK(last[0].result == "x");
  CHECK(last[0].opcode == "call");
  CHECK(all[0].blocks[2].instructions[0].operands.size() > 6);  // continued
}

// Expected values as printed by `llvm-as | llvm-dis`, with the numbers written out.
TEST_CASE("ll reader: numbers unnamed parameters, blocks and results like LLVM") {
  auto const labels = [](std::string const& head, std::string const& body) {
    document const from{"M.ll", "define " + head + " {\n" + body + "}\n"};
    auto const all = read_ll(from);
    std::vector<std::string> made;
    for (ll_block const& b : all.at(0).blocks) made.push_back(b.label);
    return made;
  };
  using list = std::vector<std::string>;
  auto const entry = [&](std::string const& head) { return labels(head, "  unreachable\n").at(0); };
  CHECK(entry("void @f()") == "0");
  CHECK(entry("void @f(ptr %0)") == "1");
  CHECK(entry("void @f(ptr)") == "1");
  CHECK(entry("void @f(ptr noundef align 8 dereferenceable(8))") == "1");
  CHECK(entry("void @f(ptr, i32, ...)") == "2");
  CHECK(entry("void @f(ptr %0, i32 %1, ...)") == "2");
  CHECK(entry("void @f(...)") == "0");
  CHECK(entry("void @f(%struct.S)") == "1");
  CHECK(entry("void @f(%struct.S %s)") == "0");
  CHECK(entry("void @f(%struct.S %\"0\")") == "0");
  CHECK(entry("void @f(ptr byval(%struct.S) align 8)") == "1");
  CHECK(entry("void @f(ptr byval(%struct.S) align 8 %s)") == "0");
  CHECK(entry("void @f(i32 (ptr, i32)* %0, [2 x { i32, i8 }], <4 x float> %v, ptr addrspace(3) nocapture)") == "3");
  CHECK(entry("void @f(ptr %a, ptr %0, ptr %b, ptr)") == "2");
  CHECK(entry("void @f(ptr %5)") == "6");  // numbers may be left out

  // Blocks and results after it, with and without explicit numbers.
  CHECK(labels("i32 @f(i32 %0, i32)",
               "  %3 = add i32 %0, %1\n"
               "  br label %4\n"
               "4:\n"
               "  %x = add i32 %3, 1\n"
               "  add i32 %x, 2\n"  // %5
               "  store i32 %5, ptr null\n"
               "  br label %6\n"
               "  ret i32 %x\n"  // no label before it: block 6
               "  ret i32 0\n"   // block 7
               "named:\n"
               "  fence seq_cst\n"
               "  ret i32 1\n"
               "  unreachable\n") == list{"2", "4", "6", "7", "named", "8"});
  CHECK(labels("void @f()",
               "  call void @g()\n"
               "  call fastcc void @g(i32 1)\n"
               "  call void (i32, ...) @v(i32 1)\n"
               "  tail call void asm sideeffect \"\", \"\"()\n"
               "  call i32 @h()\n"                          // %1
               "  call noundef i32 (i32, ...) @w(i32 1)\n"  // %2
               "  call void ()* @p()\n"                     // %3, a pointer to such a function
               "  call %struct.S @s(void ()* null)\n"       // %4
               "  call { i32, void ()* } @t()\n"            // %5
               "  load i32, ptr null\n"                     // %6
               "  br label %7\n"
               "  invoke void @g() to label %8 unwind label %8\n"
               "  landingpad { ptr, i32 }\n"
               "          cleanup\n"  // %9
               "  ret void\n"
               "  invoke i32 @h() to label %12 unwind label %8\n"  // block 10, result %11
               "  ret void\n") == list{"0", "7", "8", "10", "12"});
  // Debug records are not instructions.
  CHECK(labels("void @f(ptr %0)",
               "    #dbg_value(ptr %0, !1, !DIExpression(), !2)\n"
               "  br label %2\n"
               "2:\n"
               "    #dbg_label(!3, !4)\n"
               "  ret void\n") == list{"1", "2"});
  document const targets{"M.ll", "define void @f(ptr) {\n  br label %2\n  br label %2\n}\n"};
  CHECK(std::ranges::equal(read_ll(targets).at(0).graph(targets).successors(0), std::vector{1}));
}

TEST_CASE("ll reader: finds the ends of types and operands") {
  document const from{"M", "store %struct.S* (i32, i8)* addrspace(3)* %v, <2 x i32>* @g, align 4\n"};
  line_reader lines(from);
  REQUIRE(lines.next());
  auto const tokens = tokens_of(lines, lines.line());
  std::size_t const type = end_of_type(tokens, 1);
  CHECK(tokens.at(type).text == "%v");
  std::size_t const comma = end_of_operand(tokens, 1);
  CHECK(comma == type + 1);
  CHECK(tokens.at(end_of_type(tokens, comma + 1)).text == "@g");
  CHECK(tokens.at(end_of_operand(tokens, comma + 1) + 1).text == "align");
  CHECK(end_of_operand(tokens, end_of_operand(tokens, comma + 1) + 1) == tokens.size());
}

TEST_CASE("ll reader: rejects malformed assembly") {
  auto const read = [](document const& from) {
    std::vector<function_graph> graphs;
    for (ll_function const& f : read_ll(from)) graphs.push_back(f.graph(from));
    return graphs;
  };
  auto const fails = [&](std::string const& body, std::size_t line, std::string const& part) {
    expect_error(read, body, line, part);
  };
  fails("define void @f()\n{\n", 1, "on one line");
  fails("define void f() {\n", 1, "on one line");
  fails("define void @f() {\n", 1, "the file ends inside function 'f'");
  fails("define void @f() {\n}\n", 2, "has no blocks");
  fails("define void @f(i32 %0) {\n  %1 = add i32 %0, 1\n  ret void\n}\n", 2, "'1' should be number 2 or above");
  fails("define void @f(i32 %0, i32 %0) {\n", 1, "'0' should be number 1 or above");
  fails("define void @f() {\n  br label %1\n0:\n  ret void\n}\n", 3, "'0' should be number 1 or above");
  fails("define void @f() {\n  %x = add i32 1, 2\n}\n", 3, "without a terminator");
  fails("define void @f() {\na:\n  br label %a\na:\n  ret void\n}\n", 4, "second block 'a'");
  fails("define void @f() {\na:\n  br label %b\n}\n", 3, "no block 'b'");
  fails("define void @f() {\n  br label %\"b\n}\n", 2, "without its end");
  fails("define void @f() {\nodd\n}\n", 2, "expected a label");
  fails("define void @f() {\n      to label %x\n}\n", 2, "expected an instruction");
  fails("define void @f() {\n  %x =\n}\n", 2, "expected an instruction");
  fails("define void @f() {\n  ret void\n}\ndefine void @f() {\n", 4, "second function");
}

}  // namespace cfg_conformance
