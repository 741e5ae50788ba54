# Nets are run on tensors from files or random ones; what is written can be read.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(WRITE ${WORK}/net.pbtxt "op { type: \"Relu\" input: \"x\" output: \"y\" }\nexternal_input: \"x\"\nexternal_output: \"y\"\n")
plait(0 run ${WORK}/net.pbtxt --random x=2x3 --fetch y=${WORK}/y.npy)
plait(0 run ${WORK}/net.pbtxt --random x=2x3 --fetch y=${WORK}/same.npy)
same_files(${WORK}/y.npy ${WORK}/same.npy)
plait(0 run ${WORK}/net.pbtxt --random x=2x3 --seed 7 --fetch y=${WORK}/other.npy)
file(SHA256 ${WORK}/y.npy first)
file(SHA256 ${WORK}/other.npy second)
if(first STREQUAL second)
  wrong("--seed changes nothing")
endif()
# Relu of what Relu gave is the same.
plait(0 run ${WORK}/net.pbtxt --feed x=${WORK}/y.npy --fetch y=${WORK}/again.npy)
same_files(${WORK}/y.npy ${WORK}/again.npy)
plait(0 run ${WORK}/net.pbtxt --random x=3:float64 --plan --time 3 --trace ${WORK}/trace.json)
matches("${OUT}" "y: float64 3 =")
matches("${OUT}" "0 Relu: x \\[float64 3\\] -> y \\[float64 3\\]")
matches("${OUT}" "3 runs, ")
file(READ ${WORK}/trace.json trace)
json_is("${trace}" Relu traceEvents 0 name)

# Parameters come from an init net.
file(WRITE ${WORK}/init.pbtxt
     "op { type: \"ConstantFill\" output: \"x\" arg { name: \"shape\" ints: 2 } arg { name: \"value\" f: -1.5 } }\n")
plait(0 run ${WORK}/net.pbtxt --init ${WORK}/init.pbtxt)
matches("${OUT}" "y: float32 2 = 0 0\n")

# What is wrong is said with the file, the op and the blob.
plait(1 run ${WORK}/net.pbtxt)
matches("${ERR}" "net.pbtxt:1:4: op 0 \\(Relu\\): the workspace has no blob 'x'")
plait(1 run ${WORK}/net.pbtxt --feed x=${WORK}/net.pbtxt)
matches("${ERR}" "net.pbtxt: byte 0: not a .npy file")
plait(1 run ${WORK}/net.pbtxt --random x=2x)
matches("${ERR}" "'2x' is no shape")
plait(1 run ${WORK}/net.pbtxt --random x=2 --fetch z)
matches("${ERR}" "the net has no blob 'z' to fetch")

plait(0 ops LeakyRelu)
matches("${OUT}" "alpha +float +0.01")
plait(1 ops Nope)
plait(0 ops --markdown)
file(WRITE ${WORK}/operators.md "${OUT}")
same_files(${WORK}/operators.md ${DATA}/../../docs/operators.md)
finish()
