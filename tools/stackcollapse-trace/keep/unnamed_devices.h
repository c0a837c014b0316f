// SPDX-License-Identifier: MIT
// Events without a category that are a device's, by the names of their processes.
//
// torch_npu (Ascend) names its processes: "Python", "CANN" (the runtime), "Ascend Hardware", and
// "Overlap Analysis", which repeats the hardware's time in other words. What the hardware did joins
// the host by arrows: async_npu from the operator, HostToDevice from the runtime, whose threads
// have the numbers of Python's.
//
//   {"ph":"M","name":"process_name","pid":800,"args":{"name":"Ascend Hardware"}}
//   {"ph":"X","name":"MatMulV3","pid":800,"tid":3,"ts":"1704161511422904.204","dur":1.35,
//    "args":{"Task Type":"AI_CORE","Stream Id":3}}
//   {"ph":"f","cat":"async_npu","id":17,"pid":800,"tid":3,"ts":"1704161511422904.204"}
//
// torch.autograd's profiler before PyTorch 1.8 has two processes, whose numbers are texts:
//
//   {"ph":"X","name":"add","ts":101.524,"dur":134.49,"tid":1,"pid":"CPU functions"}
//   {"ph":"X","name":"add","ts":102.957,"dur":134.176,"tid":0,"pid":"CUDA functions"}
//   {"ph":"f","cat":"cpu_to_cuda","id":0,"ts":102.957,"tid":0,"pid":"CUDA functions"}
//
// rocprof before rocprofv3 writes numbers as texts, and microseconds; DurationNs has the rest:
//
//   {"args":{"name":"CPU HIP API"},"ph":"M","pid":2,"name":"process_name"}
//   {"args":{"name":"GPU0"},"ph":"M","pid":6,"name":"process_name"}
//   {"ph":"X","name":"hipLaunchKernel","pid":"2","tid":"4711","ts":"100","dur":"6"}
//   {"ph":"X","name":"add(float*)","pid":"6","tid":"1","ts":"104","dur":"3",
//    "args":{"DurationNs":"3431"}}
//   {"ts":100,"ph":"s","cat":"DataFlow","id":5,"pid":2,"tid":4711,"name":"dep"}
//   {"ts":104,"ph":"t","cat":"DataFlow","id":5,"pid":6,"tid":1,"name":"dep"}
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

inline constexpr std::string_view kAutogradHost = "CPU functions";

// TensorFlow 1 (timeline.py) tells each kernel twice: on its stream, and in one process for all.
// What the host did has the device's name, too: "/job:localhost/…/device:GPU:0 Compute".
//
//   {"ph":"M","name":"process_name","pid":5,"args":{"name":"/device:GPU:0/stream:all Compute"}}
//   {"ph":"M","name":"process_name","pid":7,"args":{"name":"/device:GPU:0/stream:13 Compute"}}
//   {"ph":"M","name":"process_name","pid":9,"args":{"name":"/device:GPU:0/memcpy Compute"}}
//   {"ph":"X","cat":"Op","name":"MatMul","pid":5,"tid":0,"ts":110,"dur":50,
//    "args":{"name":"dense/MatMul","op":"MatMul"}}

// Of a process.
bool is_rocprof_host(std::string_view name);

// Whether a thread is a stream of such a device.
bool is_unnamed_device(const Trace& trace, uint32_t thread);
// Whether it is one of copies alone.
bool is_unnamed_copier(const Trace& trace, uint32_t thread);

// By thread: of one of CANN's, the thread of Python that has its number; else the thread itself.
std::vector<uint32_t> find_python_threads(const Trace& trace);

}  // namespace aiflame::trace
