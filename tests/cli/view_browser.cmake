# Pages of plait view in a browser (CHROMIUM): view_check.js uses the page as a user does.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

# browse(<page> <hash>): sets DOM to the document after its scripts have run.
function(browse page hash)
  execute_process(
    COMMAND ${CHROMIUM} --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run
            --window-size=1280,900 --user-data-dir=${WORK}/profile --virtual-time-budget=20000
            --dump-dom file://${page}${hash}
    OUTPUT_VARIABLE dom ERROR_VARIABLE err RESULT_VARIABLE result)
  if(NOT result EQUAL 0 OR NOT dom MATCHES "data-ready=\"1\"")
    wrong("the page ${page}${hash} does not become ready, status ${result}: ${err}")
  endif()
  set(DOM "${dom}" PARENT_SCOPE)
endfunction()

# checked(<net> <argument>...): runs view_check.js in the page of a net.
function(checked net)
  get_filename_component(name ${net} NAME_WE)
  plait(0 view ${net} ${ARGN} -o ${WORK}/${name}.html)
  file(READ ${WORK}/${name}.html page)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/view_check.js script)
  string(REPLACE "</body>" "<script>\n${script}</script>\n</body>" page "${page}")
  file(WRITE ${WORK}/${name}_checked.html "${page}")
  browse(${WORK}/${name}_checked.html "")
  if(NOT DOM MATCHES "<pre id=\"check\">([^<]*)</pre>")
    wrong("${name}: the check has not run")
    return()
  endif()
  set(report "${CMAKE_MATCH_1}")
  message(STATUS "${name}:\n${report}")
  if(report MATCHES "WRONG" OR NOT report MATCHES "all checks have run")
    wrong("${name}: see the report")
  endif()
endfunction()

# A net of 2,000 ops: 500 residual blocks with an op in place, and an If behind them; with its gradient.
set(text "name: \"long\"\nexternal_input: \"x\"\nexternal_output: \"loss\"\nexternal_output: \"out\"\n")
set(before x)
foreach(i RANGE 1 500)
  string(APPEND text "op { type: \"FC\" input: \"${before}\" input: \"v${i}\" input: \"a${i}\" output: \"f${i}\" }\n"
                "op { type: \"Relu\" input: \"f${i}\" output: \"f${i}\" }\n"
                "op { type: \"FC\" input: \"f${i}\" input: \"w${i}\" input: \"b${i}\" output: \"g${i}\" }\n"
                "op { type: \"Sum\" input: \"${before}\" input: \"g${i}\" output: \"y${i}\" }\n")
  set(before y${i})
endforeach()
string(APPEND text "op { type: \"SumElements\" input: \"${before}\" output: \"loss\" }\n"
       "op { type: \"Negative\" input: \"loss\" output: \"unused\" }\n"
       "op { type: \"If\" input: \"big\" input: \"loss\" output: \"out\" arg { name: \"then_net\" n {\n"
       "  op { type: \"Scale\" input: \"loss\" output: \"out\" } } } }\n"
       "external_input: \"big\"\n")
file(WRITE ${WORK}/long.pbtxt "${text}")
checked(${WORK}/long.pbtxt --y loss)
checked(demo_net.pbtxt --y p)
file(WRITE ${WORK}/empty.pbtxt "")
plait(0 view ${WORK}/empty.pbtxt -o ${WORK}/empty.html)
browse(${WORK}/empty.html "")

# Addresses.
browse(${WORK}/demo_net.html "#select=h:2")
matches("${DOM}" "<h2 id=\"chosen\">h:2</h2>")
matches("${DOM}" "id=\"producer\"><li><button class=\"link\"[^>]*>1 Relu</button>")
matches("${DOM}" "id=\"readers\"><li><button[^>]*>2 FC</button></li><li><button[^>]*>4 FC</button></li>")
matches("${DOM}" "id=\"chain\"><li><button[^>]*>h:1</button></li><li><button[^>]*>h:2</button>")
browse(${WORK}/demo_net.html "#select=2/mixed&ssa=0")
matches("${DOM}" "id=\"path\"><li><span>else_net of <button[^>]*>9 If</button>")
browse(${WORK}/demo_net.html "#search=sigm")
matches("${DOM}" "id=\"results\"><li><button[^>]*>5 Sigmoid</button>")

# Names that look like markup stay text.
file(WRITE ${WORK}/names.pbtxt "name: \"<b id='bold'>\"\n"
     "op { type: \"<i id='slanted'>\" input: \"</script>\" output: \"a\\377\" }\n")
plait(0 view ${WORK}/names.pbtxt -o ${WORK}/names.html)
browse(${WORK}/names.html "#select=op:0")
matches("${DOM}" "<h2 id=\"chosen\">0 &lt;i id='slanted'&gt;</h2>")
if(DOM MATCHES "<i id|<b id")
  wrong("a name has become markup")
endif()
finish()
