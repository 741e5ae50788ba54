# Files that are no NetDef are named, by their structure and not by their suffix.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

# bytes(<file> <number>...): writes a file of these bytes, none of them zero.
function(bytes file)
  string(ASCII ${ARGN} text)
  file(WRITE ${WORK}/${file} "${text}")
endfunction()
# An ONNX model: ir_version 8, producer_name "pytorch", producer_version "1.9", graph { name: "g" }, opset_import 13.
bytes(model.pb 8 8 18 7 112 121 116 111 114 99 104 26 3 49 46 57 58 3 18 1 103 66 2 16 13)
# A MetaNetDef: nets { key: "PREDICT_NET_TYPE" value { name: "n" } }.
bytes(meta.pb 18 23 10 16 80 82 69 68 73 67 84 95 78 69 84 95 84 89 80 69 18 3 10 1 110)
bytes(array.pb 147 78 85 77 80 89 1)
bytes(archive.pb 80 75 3 4 10 47 100 97 116 97 46 112 107 108)
# Commands that change nets take none; those that inspect or run them do (see onnx.cmake).
foreach(command IN ITEMS prune share)
  plait(1 ${command} ${WORK}/model.pb)
  matches("${ERR}" "model.pb is an ONNX model \\(ir_version 8, opset 13, producer pytorch 1.9\\), not a NetDef; plait convert makes one of it\n$")
  if(NOT OUT STREQUAL "")
    wrong("plait ${command} of an ONNX model printed: ${OUT}")
  endif()
endforeach()
plait(1 info ${WORK}/meta.pb)
matches("${ERR}" "meta.pb is a MetaNetDef of a Caffe2 predictor with PREDICT_NET_TYPE, not a NetDef")
plait(1 info ${WORK}/array.pb)
matches("${ERR}" "is a NumPy array, not a NetDef; plait run --feed")
plait(1 info ${WORK}/archive.pb)
matches("${ERR}" "is a PyTorch archive, not a NetDef")

# Small NetDefs with the same field numbers are NetDefs, whatever their suffix.
bytes(net.onnx 10 1 110 58 1 120 66 1 121)
plait(0 info --json ${WORK}/net.onnx)
json_is("${OUT}" binary format)
json_is("${OUT}" x external_inputs 0)
bytes(ops.onnx 18 6 10 1 97 18 1 98)
plait(0 info --json ${WORK}/ops.onnx)
json_is("${OUT}" 1 ops)

finish()
