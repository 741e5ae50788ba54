# The program itself: what counts as equal and different, exit statuses, missing and malformed files.
cmake_minimum_required(VERSION 3.25)

# fresh(): an empty folder of modules.
macro(fresh)
  file(REMOVE_RECURSE ${WORK})
  file(MAKE_DIRECTORY ${WORK})
endmacro()

# conformance(<status> <regex> <argument>...)
function(conformance status regex)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE result)
  if(NOT result STREQUAL status OR NOT "${out}${err}" MATCHES "${regex}")
    message(SEND_ERROR "${ARGN}: status ${result}, expected ${status}, and in the output ${regex}:\n${out}${err}")
  endif()
endfunction()

set(graph "func f 3\n0 entry : 1 2\n1 a : 2\n2 b :\n")
set(n "{4294967295,4294967295} [0]")
set(tree "DominatorTree for function: f\n  [1] %entry ${n}\n    [2] %a ${n}\n    [2] %b ${n}\nRoots: %entry \n")

# Usage; nothing to compare.
fresh()
conformance(0 "usage" --help)
conformance(0 "plait_cfg_conformance [0-9]" --version)
conformance(0 "dominators M.domtree.txt\n" --list)
conformance(2 "no folder")
conformance(2 "unknown option" --nonsense ${WORK})
conformance(2 "no modules" ${WORK})
conformance(2 "nowhere" ${WORK}/nowhere)
file(WRITE ${WORK}/M.cfg.txt "${graph}")
conformance(2 "nothing to compare" ${WORK})
conformance(2 "M dominators: no M.domtree.txt\n" --verbose ${WORK})

# Equal; the graph read from M.cfg.txt, or from M.ll.
file(WRITE ${WORK}/M.domtree.txt "${tree}")
conformance(0 "M +dominators +1 +1 +0\n" ${WORK})
conformance(2 "nothing to compare" --analyses loops ${WORK})
conformance(0 "M +dominators +1 +1 +0\n" --analyses=loops,dominators ${WORK})
conformance(0 "all +2 +2 +0\n" ${WORK} ${WORK})
file(REMOVE ${WORK}/M.cfg.txt)
conformance(2 "nothing to compare" ${WORK})
conformance(2 "M all analyses: no M.cfg.txt" --verbose ${WORK})
file(WRITE ${WORK}/M.ll "define void @f() {\nentry:\n  br i1 true, label %a, label %b\na:\n  br label %b\nb:\n  ret void\n}\n")
conformance(0 "M +dominators +1 +1 +0\n" ${WORK})

# Different: the first difference, or all.
string(REPLACE "    [2] %b" "      [3] %b" wrong "${tree}")
string(REPLACE "Roots: %entry" "Roots: %a" wrong "${wrong}")
file(WRITE ${WORK}/M.domtree.txt "${wrong}")
set(first "different M dominators f\n    %b is below %a in LLVM's tree, below %entry in plait's\n")
conformance(1 "${first}    and 1 more .--verbose.\nmodule.*M +dominators +1 +0 +1\n" ${WORK})
conformance(1 "${first}    LLVM's roots are %a, plait's %entry\nmodule" --verbose ${WORK})
string(REPLACE "%b" "%c" wrong "${tree}")
file(WRITE ${WORK}/M.domtree.txt "${wrong}")
conformance(1 "LLVM has block %c, which the flow graph lacks\n    %b is below %entry in plait's tree, not in LLVM's" --verbose ${WORK})
string(REPLACE "    [2] %b ${n}\n" "" wrong "${tree}")
file(WRITE ${WORK}/M.domtree.txt "${wrong}")
conformance(1 "%b is below %entry in plait's tree, not in LLVM's tree at all" ${WORK})

# Functions that only one side has.
file(WRITE ${WORK}/M.domtree.txt "")
conformance(1 "different M dominators f\n    LLVM's results do not have this function" ${WORK})
string(REPLACE ": f" ": g" more "${tree}")
file(WRITE ${WORK}/M.domtree.txt "${tree}${more}")
conformance(1 "different M dominators g\n    only LLVM's results have this function.*M +dominators +2 +1 +1" ${WORK})

# Malformed files end their analysis with the line, not the run.
file(WRITE ${WORK}/A.cfg.txt "func f 3\n0 entry : 1\n")
file(WRITE ${WORK}/A.domtree.txt "${tree}")
file(WRITE ${WORK}/B.cfg.txt "${graph}")
file(WRITE ${WORK}/B.domtree.txt "DominatorTree for function: f\n  [2] %a ${n}\n")
file(WRITE ${WORK}/M.domtree.txt "${tree}")
conformance(2 "A.cfg.txt:2: .*M +dominators +1 +1 +0|M +dominators +1 +1 +0\n.*A.cfg.txt:2: " ${WORK})
conformance(2 "B.domtree.txt:2: depth 2 without its parent" ${WORK})

# Frontiers.
fresh()
set(rows "DominanceFrontier for function: f\n  DomFrontier for BB %entry is:\t\n  DomFrontier for BB %a is:\t %b\n")
file(WRITE ${WORK}/M.cfg.txt "${graph}")
file(WRITE ${WORK}/M.domfrontier.txt "${rows}  DomFrontier for BB %b is:\t\n")
conformance(0 "M +frontiers +1 +1 +0\n" ${WORK})
file(WRITE ${WORK}/M.domfrontier.txt "${rows}")
conformance(1 "LLVM has no frontier of %b" ${WORK})
string(REPLACE "\t %b" "\t %a" wrong "${rows}")
file(WRITE ${WORK}/M.domfrontier.txt "${wrong}  DomFrontier for BB %b is:\t %c\n")
conformance(1 "the frontier of %a has %a in LLVM only\n    the frontier of %a has %b in plait only\n    LLVM has block %c" --verbose ${WORK})
