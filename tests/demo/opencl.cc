// SPDX-License-Identifier: MIT
#include "tests/demo/opencl.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <vector>

namespace opencl {
namespace {

// The codes a user of the demo can meet; the others are shown as numbers.
const char* status_name(cl_int status) {
  switch (status) {
    case CL_DEVICE_NOT_FOUND:
      return "CL_DEVICE_NOT_FOUND";
    case CL_DEVICE_NOT_AVAILABLE:
      return "CL_DEVICE_NOT_AVAILABLE";
    case CL_COMPILER_NOT_AVAILABLE:
      return "CL_COMPILER_NOT_AVAILABLE";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
      return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
    case CL_OUT_OF_RESOURCES:
      return "CL_OUT_OF_RESOURCES";
    case CL_OUT_OF_HOST_MEMORY:
      return "CL_OUT_OF_HOST_MEMORY";
    case CL_PROFILING_INFO_NOT_AVAILABLE:
      return "CL_PROFILING_INFO_NOT_AVAILABLE";
    case CL_BUILD_PROGRAM_FAILURE:
      return "CL_BUILD_PROGRAM_FAILURE";
    case CL_INVALID_VALUE:
      return "CL_INVALID_VALUE";
    case CL_INVALID_BUILD_OPTIONS:
      return "CL_INVALID_BUILD_OPTIONS";
    case CL_INVALID_BUFFER_SIZE:
      return "CL_INVALID_BUFFER_SIZE";
    case CL_INVALID_KERNEL_NAME:
      return "CL_INVALID_KERNEL_NAME";
    case CL_INVALID_WORK_GROUP_SIZE:
      return "CL_INVALID_WORK_GROUP_SIZE";
    case -1001:
      return "CL_PLATFORM_NOT_FOUND_KHR";
    default:
      return "OpenCL error";
  }
}

cl_device_type device_type(const std::string& name) {
  if (name == "cpu") return CL_DEVICE_TYPE_CPU;
  if (name == "gpu") return CL_DEVICE_TYPE_GPU;
  if (name == "accelerator") return CL_DEVICE_TYPE_ACCELERATOR;
  if (name == "all") return CL_DEVICE_TYPE_ALL;
  throw std::runtime_error("unknown kind of device '" + name + "': cpu, gpu, accelerator or all");
}

std::vector<cl_platform_id> platforms() {
  cl_uint count = 0;
  const cl_int status = clGetPlatformIDs(0, nullptr, &count);
  if (status != -1001) check(status, "clGetPlatformIDs");
  if (status == -1001 || count == 0)
    throw std::runtime_error("no OpenCL platform; on Debian, pocl-opencl-icd makes the CPU one");
  std::vector<cl_platform_id> list(count);
  check(clGetPlatformIDs(count, list.data(), nullptr), "clGetPlatformIDs");
  return list;
}

// `text` up to the terminator that OpenCL counts.
std::string trimmed(const std::string& text) {
  return text.substr(0, text.find('\0'));
}

std::string platform_name(cl_platform_id platform) {
  size_t size = 0;
  check(clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, nullptr, &size), "clGetPlatformInfo");
  std::string name(size, '\0');
  check(clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, name.data(), nullptr),
        "clGetPlatformInfo");
  return trimmed(name);
}

std::optional<cl_device_id> first_device(const std::string& platform, cl_device_type type) {
  for (cl_platform_id candidate : platforms()) {
    if (platform_name(candidate).find(platform) == std::string::npos) continue;
    cl_device_id device = nullptr;
    const cl_int status = clGetDeviceIDs(candidate, type, 1, &device, nullptr);
    if (status == CL_SUCCESS) return device;
    if (status != CL_DEVICE_NOT_FOUND) check(status, "clGetDeviceIDs");
  }
  return std::nullopt;
}

std::string read_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad())
    throw std::runtime_error("cannot read '" + path + "': " + std::strerror(errno ? errno : EIO));
  return text;
}

// `text` as the inside of a C string literal.
std::string quoted(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string build_log(cl_program program, cl_device_id device) {
  size_t size = 0;
  if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size)) return "";
  std::string log(size, '\0');
  if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr))
    return "";
  return trimmed(log);
}

}  // namespace

void check(cl_int status, const char* call) {
  if (status == CL_SUCCESS) return;
  throw std::runtime_error(std::string(call) + ": " + status_name(status) + " (" +
                           std::to_string(status) + ")");
}

cl_device_id find_device(const std::string& platform, const std::string& type) {
  std::optional<cl_device_id> device;
  if (type.empty()) {
    device = first_device(platform, CL_DEVICE_TYPE_CPU);
    if (!device) device = first_device(platform, CL_DEVICE_TYPE_ALL);
  } else {
    device = first_device(platform, device_type(type));
  }
  if (device) return *device;
  std::string have;
  for (cl_platform_id candidate : platforms()) have += "\n  platform: " + platform_name(candidate);
  throw std::runtime_error("no OpenCL device of the kind asked for; there is:" + have);
}

std::string device_name(cl_device_id device) {
  cl_platform_id platform = nullptr;
  check(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(cl_platform_id), &platform, nullptr),
        "clGetDeviceInfo");
  size_t size = 0;
  check(clGetDeviceInfo(device, CL_DEVICE_NAME, 0, nullptr, &size), "clGetDeviceInfo");
  std::string name(size, '\0');
  check(clGetDeviceInfo(device, CL_DEVICE_NAME, size, name.data(), nullptr), "clGetDeviceInfo");
  return platform_name(platform) + ", " + trimmed(name);
}

Context make_context(cl_device_id device) {
  cl_int status = CL_SUCCESS;
  Context context(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status));
  check(status, "clCreateContext");
  return context;
}

Queue make_profiling_queue(const Context& context, cl_device_id device) {
  cl_int status = CL_SUCCESS;
  Queue queue(clCreateCommandQueue(context.get(), device, CL_QUEUE_PROFILING_ENABLE, &status));
  check(status, "clCreateCommandQueue");
  return queue;
}

Program build_program(const Context& context, cl_device_id device, const std::string& path,
                      const std::string& options) {
  const std::string text = read_file(path);
  const std::string source =
      "#line 1 \"" + quoted(std::filesystem::canonical(path)) + "\"\n" + text;
  const char* pointer = source.c_str();
  const size_t length = source.size();
  cl_int status = CL_SUCCESS;
  Program program(clCreateProgramWithSource(context.get(), 1, &pointer, &length, &status));
  check(status, "clCreateProgramWithSource");
  status = clBuildProgram(program.get(), 1, &device, options.c_str(), nullptr, nullptr);
  if (status != CL_SUCCESS) {
    throw std::runtime_error("cannot build '" + path + "' with options '" + options +
                             "': " + status_name(status) + " (" + std::to_string(status) + ")\n" +
                             build_log(program.get(), device));
  }
  return program;
}

Program build_text(const Context& context, cl_device_id device, const char* source) {
  cl_int status = CL_SUCCESS;
  Program program(clCreateProgramWithSource(context.get(), 1, &source, nullptr, &status));
  check(status, "clCreateProgramWithSource");
  check(clBuildProgram(program.get(), 1, &device, "", nullptr, nullptr), "clBuildProgram");
  return program;
}

Kernel make_kernel(const Program& program, const char* name) {
  cl_int status = CL_SUCCESS;
  Kernel kernel(clCreateKernel(program.get(), name, &status));
  check(status, "clCreateKernel");
  return kernel;
}

Interval device_interval(const Event& event) {
  Interval interval;
  check(clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_START, sizeof interval.start,
                                &interval.start, nullptr),
        "clGetEventProfilingInfo");
  check(clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof interval.end,
                                &interval.end, nullptr),
        "clGetEventProfilingInfo");
  return interval;
}

std::string beside_executable(const char* name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

}  // namespace opencl
