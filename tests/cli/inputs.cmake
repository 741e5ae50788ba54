# plait run: constants, random tensors of every type, all that is missing at once, and the operand at fault.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(WRITE ${WORK}/copy.pbtxt "op { type: \"Copy\" input: \"x\" output: \"y\" }\nexternal_input: \"x\" external_output: \"y\"\n")
# feeds(<value> <tensor>): a feed gives this tensor.
function(feeds value expected)
  plait(0 run ${WORK}/copy.pbtxt --feed "x=${value}")
  if(NOT OUT STREQUAL "y: ${expected}\n")
    wrong("--feed x=${value}: ${OUT}")
  endif()
endfunction()
feeds("0.5" "float32 scalar = 0.5")
feeds("-3:int32" "int32 scalar = -3")
feeds("true" "bool scalar = 1")
feeds("[1, 2,3]:int64" "int64 3 = 1 2 3")
feeds("[[1,2],[3,4]]" "float32 2x2 = 1 2 3 4")
feeds("[[1.5],[-2]]:float16" "float16 2x1 = 1.5 -2")
feeds("[true,false]" "bool 2 = 1 0")
feeds("[0,1]:bool" "bool 2 = 0 1")
feeds("[255]:uint8" "uint8 1 = 255")
feeds("[]:int32" "int32 0 =")
feeds("[9223372036854775807]:int64" "int64 1 = 9223372036854775807")

# refuses(<status> <option> <value> <regex>)
function(refuses status option value regex)
  plait(${status} run ${WORK}/copy.pbtxt ${option} "x=${value}")
  matches("${ERR}" "${regex}")
endfunction()
refuses(2 --feed "[[1,2],[3]]" "--feed x=[^\n]*: the arrays of one level have different lengths\n$")
refuses(2 --feed "[1,[2]]" "different lengths")
refuses(2 --feed "[1" "'\\[1' is not an array of numbers")
refuses(2 --feed "[\"a\"]" "\"a\" is neither a number nor a boolean")
refuses(2 --feed "[256]:uint8" "256 is out of the range of uint8")
refuses(2 --feed "1e300" "1e\\+300 is out of the range of float32")
refuses(2 --feed "0.5:int32" "0.5 is not an integer, as int32 requires")
refuses(2 --feed "true:int32" "true is not a number")
refuses(2 --feed "1:itn32" "'itn32' is not an element type; did you mean 'int32'")
refuses(1 --feed "${WORK}" ": is a folder\n$")
refuses(1 --feed "nowhere.npy" "^nowhere.npy: cannot be opened; a constant is a number, true, false or an array")

# Random tensors: every type, and a range without its end.
foreach(type IN ITEMS float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool)
  plait(0 run ${WORK}/copy.pbtxt --random x=3x2:${type})
  matches("${OUT}" "^y: ${type} 3x2 = ")
endforeach()
plait(0 run ${WORK}/copy.pbtxt --random x=8:uint8)
matches("${OUT}" "^y: uint8 8 =( [01])+\n$")
plait(0 run ${WORK}/copy.pbtxt "--random" "x=8:int64[7,8)")
matches("${OUT}" "^y: int64 8 =( 7)+\n$")
plait(0 run ${WORK}/copy.pbtxt "--random" "x=8:int8[-128,-126)")
matches("${OUT}" "^y: int8 8 =( -12[78])+\n$")
plait(0 run ${WORK}/copy.pbtxt "--random" "x=8:float32[10,11)")
matches("${OUT}" "^y: float32 8 =( 10(\\.[0-9]+)?)+\n$")
foreach(bad IN ITEMS "8:uint8[0,257)" "8:uint8[-1,2)" "8:bool[0,3)")
  refuses(2 --random "${bad}" "exceeds the range of ")
endforeach()
refuses(2 --random "8:int64[3,3)" "it has no elements")
refuses(2 --random "8:int64[0,3]" "written .LOW,HIGH., without HIGH itself")
refuses(2 --random "8:int64[0,0.5)" "its bounds are not of type int64")
refuses(2 --random "8:uint" "'uint' is not an element type; did you mean")

# All that is missing is reported at once, with what is known about it; nothing runs.
file(WRITE ${WORK}/many.pbtxt
     "op { type: \"Conv\" input: \"data\" input: \"w\" input: \"b\" output: \"c\" arg { name: \"kernel\" i: 3 } }\n"
     "op { type: \"Cnov\" name: \"second\" input: \"c\" output: \"d\" }\n"
     "op { type: \"FC\" input: \"rows\" input: \"m\" input: \"n\" output: \"e\" }\n"
     "op { type: \"LabelCrossEntropy\" input: \"e\" input: \"label\" output: \"loss\" }\n")
plait(1 run ${WORK}/many.pbtxt)
matches("${ERR}" "many.pbtxt:2:4: op 1 \\(Cnov 'second'\\): there is no op type 'Cnov'; did you mean 'Conv'\\?\n")
matches("${ERR}" "many.pbtxt:\n  input 'data' is unset: float32 NxCxHxW; --feed data=FILE.npy or --random data=NxCxHxW\n")
matches("${ERR}" "\n  input 'w' is unset: float32 MxCx3x3; --feed w=FILE.npy or --random w=MxCx3x3\n")
matches("${ERR}" "\n  input 'rows' is unset: float32 NxK; ")
matches("${ERR}" "\n  input 'm' is unset: float32 MxK; ")
matches("${ERR}" "\n  input 'label' is unset: int32 N; --feed label=FILE.npy or --random label=N:int32\n")
matches("${ERR}" "\n  parameters usually come from an init net: --init FILE\n$")
if(NOT OUT STREQUAL "")
  wrong("a run that lacks inputs printed: ${OUT}")
endif()
# Tensors of the init net tell extents; an op between does not hide them; control inputs need no value.
file(WRITE ${WORK}/weights.pbtxt
     "op { type: \"ConstantFill\" output: \"w\" arg { name: \"shape\" ints: 4 ints: 3 ints: 5 ints: 5 } }\n"
     "op { type: \"ConstantFill\" output: \"b\" arg { name: \"shape\" ints: 4 } }\n")
file(WRITE ${WORK}/image.pbtxt
     "op { type: \"Relu\" input: \"data\" output: \"r\" control_input: \"done\" }\n"
     "op { type: \"Conv\" input: \"r\" input: \"w\" input: \"b\" output: \"c\" arg { name: \"kernel\" i: 5 } }\n")
plait(1 run ${WORK}/image.pbtxt --init ${WORK}/weights.pbtxt)
matches("${ERR}" "^[^\n]*image.pbtxt: input 'data' is unset: float32 Nx3xHxW; [^\n]* --random data=Nx3xHxW\n$")
# value_info.json beside the net tells all.
file(MAKE_DIRECTORY ${WORK}/model)
file(COPY_FILE ${WORK}/image.pbtxt ${WORK}/model/predict_net.pbtxt)
file(WRITE ${WORK}/model/value_info.json "{\"data\": [1, [1, 3, 8, 8]]}")
plait(1 run ${WORK}/model/predict_net.pbtxt --init ${WORK}/weights.pbtxt)
matches("${ERR}" "input 'data' is unset: float32 1x3x8x8; --feed data=FILE.npy or --random data=1x3x8x8\n$")

# An init net beside the net is named.
file(COPY_FILE ${WORK}/weights.pbtxt ${WORK}/model/init_net.pbtxt)
plait(1 run ${WORK}/model/predict_net.pbtxt)
matches("${ERR}" "\n  parameters usually come from an init net: --init ${WORK}/model/init_net.pbtxt\n$")

# Without external outputs the blobs that no op reads are printed.
plait(0 run ${WORK}/image.pbtxt --init ${WORK}/weights.pbtxt --random data=1x3x5x5)
matches("${OUT}" "^c: float32 1x4x1x1 = 0 0 0 0\n$")
matches("${ERR}" "image.pbtxt: the net declares no external outputs; blobs that no op reads are printed\n$")
plait(0 run ${WORK}/image.pbtxt --init ${WORK}/weights.pbtxt --random data=1x3x5x5 --quiet)
matches("${OUT}" "^c: float32")
if(NOT ERR STREQUAL "")
  wrong("run --quiet says: ${ERR}")
endif()

# The image is at fault, not the weights.
plait(1 run ${WORK}/image.pbtxt --init ${WORK}/weights.pbtxt --random data=3x224x224)
matches("${ERR}" "image.pbtxt:2:4: op 1 \\(Conv\\): input 0 'r' is float32 3x224x224, which should have 4 dimensions, N×C×H×W; ")
plait(1 run ${WORK}/image.pbtxt --init ${WORK}/weights.pbtxt --random data=1x1x9x9)
matches("${ERR}" "input 0 'r' is float32 1x1x9x9, which should have an extent of 3 in axis 1, as input 1 'w' is float32 4x3x5x5")
finish()
