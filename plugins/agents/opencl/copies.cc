/* SPDX-License-Identifier: MIT */
#include "plugins/agents/opencl/copies.h"

#include <tuple>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/operation_name.h"
#include "plugins/agents/opencl/launches.h"

namespace aiflame::agent::opencl {
namespace {

// Where a call has what its operation is called by. Arguments count from the queue, which is 0.
enum class SizeIs : uint8_t { unknown, argument, region };
struct CopyCall {
  const char* name;    // of the API function
  const char* what;    // "Memcpy HtoD"
  const char* detail;  // as in OperationName
  int blocking;        // the argument cl_bool; 0 = the call does not block
  SizeIs size_is;
  int size;  // the argument
};

constexpr CopyCall kReadBuffer{"clEnqueueReadBuffer", "Memcpy DtoH", "", 2, SizeIs::argument, 4};
constexpr CopyCall kReadBufferRect{
    "clEnqueueReadBufferRect", "Memcpy DtoH", "", 2, SizeIs::region, 5};
constexpr CopyCall kWriteBuffer{"clEnqueueWriteBuffer", "Memcpy HtoD", "", 2, SizeIs::argument, 4};
constexpr CopyCall kWriteBufferRect{
    "clEnqueueWriteBufferRect", "Memcpy HtoD", "", 2, SizeIs::region, 5};
constexpr CopyCall kFillBuffer{"clEnqueueFillBuffer", "Memset", "", 0, SizeIs::argument, 5};
constexpr CopyCall kCopyBuffer{"clEnqueueCopyBuffer", "Memcpy DtoD", "", 0, SizeIs::argument, 5};
constexpr CopyCall kCopyBufferRect{
    "clEnqueueCopyBufferRect", "Memcpy DtoD", "", 0, SizeIs::region, 5};
constexpr CopyCall kReadImage{"clEnqueueReadImage", "Memcpy DtoH", "image", 2, SizeIs::unknown, 0};
constexpr CopyCall kWriteImage{
    "clEnqueueWriteImage", "Memcpy HtoD", "image", 2, SizeIs::unknown, 0};
constexpr CopyCall kFillImage{"clEnqueueFillImage", "Memset", "image", 0, SizeIs::unknown, 0};
constexpr CopyCall kCopyImage{"clEnqueueCopyImage", "Memcpy DtoD", "image", 0, SizeIs::unknown, 0};
constexpr CopyCall kCopyImageToBuffer{
    "clEnqueueCopyImageToBuffer", "Memcpy DtoD", "image", 0, SizeIs::unknown, 0};
constexpr CopyCall kCopyBufferToImage{
    "clEnqueueCopyBufferToImage", "Memcpy DtoD", "image", 0, SizeIs::unknown, 0};
// any memory may be on either side
constexpr CopyCall kSvmMemcpy{"clEnqueueSVMMemcpy", "Memcpy", "SVM", 1, SizeIs::argument, 4};
constexpr CopyCall kSvmMemFill{"clEnqueueSVMMemFill", "Memset", "SVM", 0, SizeIs::argument, 4};
// a device with memory of its own copies what is mapped to the host, and back
constexpr CopyCall kSvmMap{"clEnqueueSVMMap", "Memcpy DtoH", "map", 1, SizeIs::argument, 4};
constexpr CopyCall kSvmUnmap{"clEnqueueSVMUnmap", "Memcpy HtoD", "unmap", 0, SizeIs::unknown, 0};
constexpr CopyCall kMapBuffer{"clEnqueueMapBuffer", "Memcpy DtoH", "map", 2, SizeIs::argument, 5};
constexpr CopyCall kMapImage{
    "clEnqueueMapImage", "Memcpy DtoH", "map, image", 2, SizeIs::unknown, 0};
constexpr CopyCall kUnmap{"clEnqueueUnmapMemObject", "Memcpy HtoD", "unmap", 0, SizeIs::unknown, 0};
constexpr CopyCall kMigrate{
    "clEnqueueMigrateMemObjects", "Memcpy", "migration", 0, SizeIs::unknown, 0};

// `region` is in bytes, rows and slices. 0 where the platform will refuse it.
uint64_t bytes_in(const size_t* region) {
  uint64_t bytes = 1;
  for (int i = 0; region != nullptr && i < 3; ++i)
    if (__builtin_mul_overflow(bytes, region[i], &bytes)) return 0;
  return region == nullptr ? 0 : bytes;
}

template <const CopyCall& kCall, typename Arguments>
uint64_t size_of(const Arguments& passed) {
  if constexpr (kCall.size_is == SizeIs::argument) return std::get<kCall.size>(passed);
  if constexpr (kCall.size_is == SizeIs::region) return bytes_in(std::get<kCall.size>(passed));
  return 0;
}

template <const CopyCall& kCall, typename Arguments>
bool is_blocking(const Arguments& passed) {
  if constexpr (kCall.blocking != 0) return std::get<kCall.blocking>(passed) != CL_FALSE;
  return false;
}

// Reports a copy that `call` makes, whose event is the argument `kEvent`, and makes it.
template <const CopyCall& kCall, size_t kEvent, typename Arguments, typename Make>
cl_int copy_reported(const void* function, const Arguments& passed, Make make) {
  const OperationName name(kCall.what, kCall.detail, size_of<kCall>(passed));
  Launch report{};
  report.kernel_name = name.text();
  report.kernel_name_bytes = name.bytes();
  report.api_function = function;
  report.stack_flags = AGENT_OPERATION;
  return launch_reported(
      std::get<0>(passed), report, std::get<kEvent>(passed),
      [&passed, &make](cl_event* made) {
        auto with_ours = passed;
        std::get<kEvent>(with_ours) = made;
        return make(with_ours);
      },
      is_blocking<kCall>(passed));
}

// clEnqueue…(queue, …, wait_count, wait, event) of the table's entry `Member`.
template <const CopyCall& kCall, auto Member>
struct Copy;

template <const CopyCall& kCall, typename... Arguments,
          cl_int (CL_API_CALL* cl_icd_dispatch::*Member)(cl_command_queue, Arguments...)>
struct Copy<kCall, Member> {
  static inline const void* function = nullptr;  // libOpenCL's function, as the program calls it

  static CL_API_ENTRY cl_int CL_API_CALL enqueue(cl_command_queue queue, Arguments... arguments) {
    if (!begin_report()) return (lower->*Member)(queue, arguments...);
    return copy_reported<kCall, sizeof...(Arguments)>(
        function, std::make_tuple(queue, arguments...),
        [](const auto& passed) { return std::apply(lower->*Member, passed); });
  }

  static void put(cl_icd_dispatch& layer) { layer.*Member = &enqueue; }
};

// clEnqueueMap…(queue, …, wait_count, wait, event, error), which returns the place.
template <const CopyCall& kCall, typename... Arguments,
          void* (CL_API_CALL* cl_icd_dispatch::*Member)(cl_command_queue, Arguments...)>
struct Copy<kCall, Member> {
  static inline const void* function = nullptr;

  static CL_API_ENTRY void* CL_API_CALL enqueue(cl_command_queue queue, Arguments... arguments) {
    if (!begin_report()) return (lower->*Member)(queue, arguments...);
    constexpr size_t kError = sizeof...(Arguments);
    const auto called = std::make_tuple(queue, arguments...);
    void* mapped = nullptr;
    const cl_int status =
        copy_reported<kCall, kError - 1>(function, called, [&mapped](const auto& passed) {
          cl_int made = CL_SUCCESS;
          auto with_ours = passed;
          std::get<kError>(with_ours) = &made;
          mapped = std::apply(lower->*Member, with_ours);
          return made;
        });
    if (std::get<kError>(called) != nullptr) *std::get<kError>(called) = status;
    return mapped;
  }

  static void put(cl_icd_dispatch& layer) { layer.*Member = &enqueue; }
};

using Table = cl_icd_dispatch;

struct CopyFunction {
  const char* name;
  const void** function;
  void (*put)(Table& layer);
};

template <const CopyCall& kCall, auto Member>
constexpr CopyFunction copy_function() {
  return {kCall.name, &Copy<kCall, Member>::function, &Copy<kCall, Member>::put};
}

constexpr CopyFunction kCopyFunctions[] = {
    copy_function<kReadBuffer, &Table::clEnqueueReadBuffer>(),
    copy_function<kReadBufferRect, &Table::clEnqueueReadBufferRect>(),
    copy_function<kWriteBuffer, &Table::clEnqueueWriteBuffer>(),
    copy_function<kWriteBufferRect, &Table::clEnqueueWriteBufferRect>(),
    copy_function<kFillBuffer, &Table::clEnqueueFillBuffer>(),
    copy_function<kCopyBuffer, &Table::clEnqueueCopyBuffer>(),
    copy_function<kCopyBufferRect, &Table::clEnqueueCopyBufferRect>(),
    copy_function<kReadImage, &Table::clEnqueueReadImage>(),
    copy_function<kWriteImage, &Table::clEnqueueWriteImage>(),
    copy_function<kFillImage, &Table::clEnqueueFillImage>(),
    copy_function<kCopyImage, &Table::clEnqueueCopyImage>(),
    copy_function<kCopyImageToBuffer, &Table::clEnqueueCopyImageToBuffer>(),
    copy_function<kCopyBufferToImage, &Table::clEnqueueCopyBufferToImage>(),
    copy_function<kSvmMemcpy, &Table::clEnqueueSVMMemcpy>(),
    copy_function<kSvmMemFill, &Table::clEnqueueSVMMemFill>(),
    copy_function<kSvmMap, &Table::clEnqueueSVMMap>(),
    copy_function<kSvmUnmap, &Table::clEnqueueSVMUnmap>(),
    copy_function<kMapBuffer, &Table::clEnqueueMapBuffer>(),
    copy_function<kMapImage, &Table::clEnqueueMapImage>(),
    copy_function<kUnmap, &Table::clEnqueueUnmapMemObject>(),
    copy_function<kMigrate, &Table::clEnqueueMigrateMemObjects>(),
};

}  // namespace

void find_copy_functions(const void* (*find)(const void* loader, const char* name),
                         const void* loader) {
  for (const CopyFunction& each : kCopyFunctions) *each.function = find(loader, each.name);
}

void put_copy_functions(cl_icd_dispatch& layer) {
  for (const CopyFunction& each : kCopyFunctions) each.put(layer);
}

}  // namespace aiflame::agent::opencl
