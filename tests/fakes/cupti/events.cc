/* SPDX-License-Identifier: MIT */
// Events of the driver. One has the time at which all that was launched before it has run.
#include <cstdio>
#include <cstdlib>

#include "tests/fakes/cupti/fake_cuda.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

struct Event {
  fake_cuda::Context* context;
  uint64_t time;
};

thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

// The real driver ends the capture then.
void check_captures(const char* call) {
  if (!fake_cuda::is_capturing() || mode == CU_STREAM_CAPTURE_MODE_RELAXED) return;
  std::fprintf(stderr, "fake driver: %s while a stream is captured\n", call);
  std::abort();
}

Event& event_of(CUevent handle, const char* call) {
  auto& event = *reinterpret_cast<Event*>(handle);
  if (event.context != nullptr && !event.context->is_gone) return event;
  std::fprintf(stderr, "fake driver: %s: the event's context is gone\n", call);
  std::abort();
}

}  // namespace

EXPORTED CUresult CUDAAPI cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* other) {
  const CUstreamCaptureMode before = mode;
  mode = *other;
  *other = before;
  return CUDA_SUCCESS;
}

EXPORTED CUresult CUDAAPI cuCtxGetCurrent(CUcontext* out) {
  *out = reinterpret_cast<CUcontext>(fake_cuda::current_context());
  return CUDA_SUCCESS;
}

// With no_events=1 there is no memory for one.
EXPORTED CUresult CUDAAPI cuEventCreate(CUevent* out, unsigned) {
  check_captures("cuEventCreate");
  if (fake_cuda::knob("no_events") != 0) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = reinterpret_cast<CUevent>(new Event{fake_cuda::current_context(), 0});
  return CUDA_SUCCESS;
}

EXPORTED CUresult CUDAAPI cuEventDestroy_v2(CUevent handle) {
  delete &event_of(handle, "cuEventDestroy");
  return CUDA_SUCCESS;
}

EXPORTED CUresult CUDAAPI cuEventRecord(CUevent handle, CUstream) {
  if (fake_cuda::is_capturing()) {
    std::fprintf(stderr, "fake driver: cuEventRecord() is captured\n");
    std::abort();
  }
  Event& event = event_of(handle, "cuEventRecord");
  if (event.context != fake_cuda::current_context()) return CUDA_ERROR_INVALID_HANDLE;
  event.time = fake_cuda::end_of_work();
  return CUDA_SUCCESS;
}
EXPORTED CUresult CUDAAPI cuEventRecord_ptsz(CUevent handle, CUstream stream) {
  return cuEventRecord(handle, stream);
}

EXPORTED CUresult CUDAAPI cuEventQuery(CUevent handle) {
  check_captures("cuEventQuery");
  return event_of(handle, "cuEventQuery").time <= fake_cuda::now_ns() ? CUDA_SUCCESS
                                                                      : CUDA_ERROR_NOT_READY;
}

EXPORTED CUresult CUDAAPI elapsed(float* out, CUevent from,
                                  CUevent to) __asm__("cuEventElapsedTime");
CUresult CUDAAPI elapsed(float* out, CUevent from, CUevent to) {
  const uint64_t ns = event_of(to, "cuEventElapsedTime").time - event_of(from, "").time;
  *out = static_cast<float>(static_cast<double>(ns) / 1e6);
  return CUDA_SUCCESS;
}
