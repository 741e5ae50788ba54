# Components: headers, link dependencies and packages of each. A new one is one call here; targets, install rules, the
# package config and the header checks follow from it. Order: a component follows those that it links.
#
#   HEADERS  its files and folders below include/plait
#   LINKS    link interface of plait::<name>: other components and targets of the packages in FINDS
#   FINDS    arguments of find_package, one string per package
#   ALLOWS   third-party headers it may include, by the start of their path; see tests/headers
#   OPTIONAL left out without an error where a package is missing, even at top level

# Descriptions of op types (schemas) need no Thrust, and recurrence reads them, too.
plait_component(plait HEADERS version.hpp plait.hpp core graph net ssa dataflow transform exec/detail/op_schema.hpp
                              exec/detail/op_arguments.hpp
  LINKS Boost::headers FINDS "Boost 1.81")

plait_component(netdef HEADERS netdef.hpp netdef
  LINKS plait::plait nlohmann_json::nlohmann_json protozero::protozero FINDS "nlohmann_json 3.11" "Protozero 1.7"
  ALLOWS nlohmann/ protozero/)

plait_component(gradient HEADERS gradient.hpp gradient
  LINKS plait::netdef)

plait_component(rnn HEADERS rnn.hpp rnn
  LINKS plait::gradient)

plait_component(boost_graph HEADERS interop/boost_graph.hpp interop/detail/boost_dependency_graph.hpp
  LINKS plait::plait Boost::headers
  ALLOWS boost/graph/)

plait_component(protobuf HEADERS interop/protobuf.hpp interop/detail
  LINKS plait::plait)

plait_component(onnx HEADERS onnx.hpp interop/onnx_graph.hpp interop/onnx
  LINKS plait::rnn plait::protobuf)

plait_component(llvm OPTIONAL HEADERS interop/llvm.hpp
  LINKS plait::plait LLVM::core FINDS "LLVMCore 14"
  ALLOWS llvm/)

plait_component(exec HEADERS exec.hpp exec
  LINKS plait::plait Thrust::headers FINDS ThrustHeaders
  ALLOWS thrust/ cub/)

plait_component(dlpack HEADERS interop/dlpack.hpp
  LINKS plait::exec
  ALLOWS thrust/ cub/)

# Sources of the library plait::runtime (PlaitRuntime.cmake).
plait_component(runtime_sources HEADERS runtime.hpp runtime
  LINKS plait::exec plait::onnx
  ALLOWS thrust/ cub/)

plait_component(check_gradient HEADERS exec/check_gradient.hpp
  LINKS plait::exec plait::gradient
  ALLOWS thrust/ cub/)

plait_component(exec_omp HEADERS exec/backends/omp/omp.hpp
  LINKS plait::exec OpenMP::OpenMP_CXX FINDS "OpenMP COMPONENTS CXX")

plait_component(exec_tbb HEADERS exec/backends/tbb/tbb.hpp exec/backends/tbb/detail/parallel.hpp
  LINKS plait::exec TBB::tbb FINDS TBB
  ALLOWS tbb/)

plait_component(exec_cblas OPTIONAL HEADERS exec/backends/cblas/cblas.hpp
  LINKS plait::exec CBLAS::cblas FINDS CBLAS
  ALLOWS cblas.h)

plait_component(exec_onednn OPTIONAL HEADERS exec/backends/onednn/onednn.hpp
  LINKS plait::exec OneDNN::onednn OpenMP::OpenMP_CXX FINDS "OneDNN 2.6...<3" "OpenMP COMPONENTS CXX"
  ALLOWS oneapi/dnnl/)

# The target of C++, as projects need not enable C; the bindings of C++ are not used.
plait_component(mpi OPTIONAL HEADERS exec/mpi.hpp exec/detail/operators/mpi/api.hpp exec/detail/operators/mpi/call.hpp
                                     exec/detail/operators/mpi/channel.hpp exec/detail/operators/mpi/collective_kernels.hpp
                                     exec/detail/operators/mpi/communicator.hpp exec/detail/operators/mpi/error.hpp
                                     exec/detail/operators/mpi/exchanges.hpp exec/detail/operators/mpi/job.hpp exec/detail/operators/mpi/kernel.hpp
                                     exec/detail/operators/mpi/message_kernels.hpp exec/detail/operators/mpi/messages.hpp
                                     exec/detail/operators/mpi/overlap_kernels.hpp exec/detail/operators/mpi/progress.hpp
                                     exec/detail/operators/mpi/roll_call.hpp
  LINKS plait::exec MPI::MPI_CXX FINDS "MPI 3.1 COMPONENTS CXX"
  ALLOWS thrust/ cub/ mpi.h)

# For files compiled by nvcc: tests/cuda checks these headers by using them.
plait_component(exec_cuda OPTIONAL HEADERS exec/backends/cuda/cuda.hpp exec/backends/cuda/cublas.hpp
                                           exec/backends/cuda/cuda_graph.hpp
                                           exec/backends/cuda/detail/cublas_row_product.hpp
  LINKS plait::exec CUDA::cudart CUDA::cublas CUDA::cublasLt FINDS CUDAToolkit
  ALLOWS cublas)

# Components that programs without nvcc and MPI can link.
set(plait_host_components ${plait_components})
list(REMOVE_ITEM plait_host_components exec_cuda mpi)
