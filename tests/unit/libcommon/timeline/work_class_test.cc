// SPDX-License-Identifier: MIT
#include "libcommon/timeline/work_class.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(WorkClass, CommunicationByName) {
  for (const char* name :
       {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "MPI_Wait", "PMPI_Barrier",
        "nccl:all_gather_[o]", "c10d::ProcessGroup::barrier", "vllm::cross_device_reduce_1stage"})
    EXPECT_TRUE(is_communication(name)) << name;
  for (const char* name : {"reduce_kernel", "gather", "main", "barrier", "mpi4py"})
    EXPECT_FALSE(is_communication(name)) << name;
}

TEST(WorkClass, KernelsThatOnlyCopyAreCopies) {
  EXPECT_EQ(class_of_kernel("__amd_rocclr_copyBufferRectAligned.kd_[G]"), WorkClass::copy);
  EXPECT_EQ(class_of_kernel("MEMORY_COPY_HOST_TO_DEVICE"), WorkClass::copy);
  EXPECT_EQ(class_of_kernel("__amd_rocclr_fillBufferAligned"), WorkClass::computation);
  EXPECT_EQ(class_of_kernel("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t"),
            WorkClass::communication);
  EXPECT_EQ(class_of_kernel("copy_kernel"), WorkClass::computation);
}

TEST(WorkClass, OperationsOfRecordings) {
  EXPECT_EQ(class_of_operation("Memcpy HtoD (Pinned -> Device, 1 to 16 MiB)"), WorkClass::copy);
  EXPECT_EQ(class_of_operation("Memset (under 4 KiB)"), WorkClass::computation);
  EXPECT_EQ(class_of_operation("Host function"), WorkClass::host);
}

}  // namespace
}  // namespace aiflame
