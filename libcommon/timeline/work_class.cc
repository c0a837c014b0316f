// SPDX-License-Identifier: MIT
#include "libcommon/timeline/work_class.h"

#include "libcommon/text/text_match.h"

namespace aiflame {

bool is_communication(std::string_view name) {
  return starts_with_any(name, {"MPI_", "PMPI_", "gloo::", "ucp_", "ucc_"}) ||
         contains_any(name, {"nccl",          "rccl",       "NCCL",
                             "RCCL",          "oneccl",     "c10d::",
                             "all_reduce",    "allreduce",  "AllReduce",
                             "Allreduce",     "all_gather", "allgather",
                             "AllGather",     "Allgather",  "reduce_scatter",
                             "ReduceScatter", "all_to_all", "alltoall",
                             "AllToAll",      "Alltoall",   "cross_device_reduce"});
}

WorkClass class_of_kernel(std::string_view name) {
  // ROCm copies by kernels where an engine cannot: __amd_rocclr_copyBufferRectAligned.kd. unitrace
  // has a copy under the name of the call: zeCommandListAppendMemoryCopy(H2D)[1024 bytes].
  if (starts_with_any(name,
                      {"MEMORY_COPY_", "__amd_rocclr_copyBuffer", "zeCommandListAppendMemoryCopy",
                       "clEnqueueReadBuffer", "clEnqueueWriteBuffer", "clEnqueueCopyBuffer"}))
    return WorkClass::copy;
  return is_communication(name) ? WorkClass::communication : WorkClass::computation;
}

WorkClass class_of_operation(std::string_view name) {
  if (name == kHostFunction) return WorkClass::host;
  return name.starts_with("Memset") ? WorkClass::computation : WorkClass::copy;
}

}  // namespace aiflame
