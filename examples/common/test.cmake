# Measures the texts of charts in a browser (CHROMIUM): none leaves its picture, and none overlaps another.
#
#   cmake -D CHART=<program> -D CHROMIUM=<browser> -P test.cmake
cmake_minimum_required(VERSION 3.25)

file(GLOB left_behind *.svg)
if(left_behind)
  file(REMOVE ${left_behind})
endif()
execute_process(COMMAND ${CHART} COMMAND_ERROR_IS_FATAL ANY)

set(page "<!DOCTYPE html><meta charset='utf-8'><body>\n")
file(GLOB pictures *.svg)
list(LENGTH pictures count)
foreach(picture IN LISTS pictures)
  cmake_path(GET picture FILENAME name)
  file(READ ${picture} svg)
  string(REPLACE "<svg " "<svg id='${name}' width='720' " svg "${svg}")
  string(APPEND page "${svg}")
endforeach()
file(WRITE texts.html "${page}<pre id='check'></pre><script>
const lines = [];
for (const picture of document.querySelectorAll('svg')) {
  const frame = picture.getBoundingClientRect();
  const texts = [...picture.querySelectorAll('text')].filter(text => text.textContent);
  const boxes = texts.map(text => text.getBoundingClientRect());
  boxes.forEach((box, i) => {
    const named = picture.id + ': ' + texts[i].textContent.slice(0, 40);
    if (box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom)
      lines.push('OUTSIDE ' + named);
    for (let k = 0; k != i; ++k)
      if (Math.min(box.right, boxes[k].right) > Math.max(box.left, boxes[k].left) + 1 &&
          Math.min(box.bottom, boxes[k].bottom) > Math.max(box.top, boxes[k].top) + 2)
        lines.push('OVERLAP ' + named + ' / ' + texts[k].textContent.slice(0, 40));
  });
  lines.push(picture.id + ': ' + texts.length + ' texts measured');
}
document.getElementById('check').textContent = lines.join('\\n');
</script>\n")
execute_process(
  COMMAND ${CHROMIUM} --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run
          --user-data-dir=${CMAKE_CURRENT_BINARY_DIR}/profile --dump-dom file://${CMAKE_CURRENT_BINARY_DIR}/texts.html
  OUTPUT_VARIABLE dom ERROR_VARIABLE err)
if(NOT dom MATCHES "<pre id=\"check\">([^<]*)</pre>")
  message(FATAL_ERROR "the page has not been measured: ${err}")
endif()
set(report "${CMAKE_MATCH_1}")
message("${report}")
string(REGEX MATCHALL "[1-9][0-9]* texts measured" measured "${report}")
list(LENGTH measured pictures_measured)
if(report MATCHES "OUTSIDE|OVERLAP" OR NOT pictures_measured EQUAL count)
  message(FATAL_ERROR "a text does not fit its picture")
endif()
