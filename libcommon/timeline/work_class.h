// SPDX-License-Identifier: MIT
// What a device does for a program: it computes, exchanges data with other devices, copies, or
// waits for a function of the host in one of its streams (pure). Names tell, as TraceLens and HTA
// decide it, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace aiflame {

// In the order of precedence: computation hides communication, and both hide copies. A function of
// the host is no work of the device: the time that nothing else has is idle time.
enum class WorkClass : uint8_t {
  computation,    // kernels and memsets
  communication,  // kernels of NCCL, RCCL, oneCCL and the like
  copy,           // also a runtime's kernels that do nothing but copy
  host,           // in recordings only
};
inline constexpr size_t kWorkClasses = 4;

// The operation that is a function of the host.
inline constexpr std::string_view kHostFunction = "Host function";

// The frames below communication and copies, as far as nothing covered them, and as far as it did.
inline constexpr std::string_view kExposed = "[exposed]", kHidden = "[hidden]";

// Whether a function or kernel exchanges data between ranks, or waits for that, by its name: those
// of NCCL, RCCL, MPI, Gloo and of profilers that name collectives.
bool is_communication(std::string_view name);

// What a kernel does, by its name with or without an annotation: `gemm<float>_[G]`.
WorkClass class_of_kernel(std::string_view name);
// What an operation of a recording does, which is no kernel: `Memset (under 4 KiB)`.
WorkClass class_of_operation(std::string_view name);

}  // namespace aiflame
