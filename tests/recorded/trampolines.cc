// SPDX-License-Identifier: MIT
// trampolines [SECONDS]: a program to record with --call-graph dwarf, for SECONDS of processor
// time. Like CPython 3.13 with -X perf_jit it calls its functions through code compiled at run
// time, which has no frame pointer, and writes how to unwind that code into jit-PID.dump, in the
// format of the kernel's tools/perf/Documentation/jitdump-specification.txt
// (JIT_CODE_UNWINDING_INFO).
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

// sub $24,%rsp; call *%rdi; add $24,%rsp; ret
constexpr unsigned char kTrampoline[] = {0x48, 0x83, 0xec, 0x18, 0xff, 0xd7,
                                         0x48, 0x83, 0xc4, 0x18, 0xc3};
// .eh_frame of that code, which precedes it by 16 bytes
constexpr unsigned char kEhFrame[] = {
    // the common entry: version 1, "zR", code alignment 1, data alignment -8, the return address is
    // register 16, pointers are relative to themselves and have 4 bytes
    20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7,
    8,        // the frame begins at %rsp + 8
    0x90, 1,  // the return address is 8 bytes before it
    0, 0,
    // the function's entry: it begins 16 + 32 bytes before the field, and has 11 bytes
    20, 0, 0, 0, 28, 0, 0, 0, 0xd0, 0xff, 0xff, 0xff, 11, 0, 0, 0, 0, 0x44, 0x0e,
    32,             // after 4 bytes the frame begins at %rsp + 32
    0x46, 0x0e, 8,  // and after 6 more at %rsp + 8
    0};
static_assert(sizeof kEhFrame == 48);
// .eh_frame_hdr: the forms; the distance to .eh_frame; one function; where it begins, its entry
constexpr unsigned char kHeader[] = {1, 0x1b, 0x03, 0x3b, 0xcc, 0xff, 0xff, 0xff, 1,    0,
                                     0, 0,    0xc0, 0xff, 0xff, 0xff, 0xe8, 0xff, 0xff, 0xff};

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append(std::string& out, const void* bytes, size_t size) {
  out.append(static_cast<const char*>(bytes), size);
}

uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}

void add_record(std::string& dump, uint32_t kind, const std::string& body) {
  put(dump, kind);
  put(dump, static_cast<uint32_t>(16 + body.size()));
  put(dump, now());
  dump += body;
}

// One trampoline's records: how to unwind it, then its code.
void add_trampoline(std::string& dump, const unsigned char* code, uint64_t index,
                    const char* name) {
  std::string unwinding;
  put<uint64_t>(unwinding, sizeof kEhFrame + sizeof kHeader);
  put<uint64_t>(unwinding, sizeof kHeader);
  put<uint64_t>(unwinding, 80);
  append(unwinding, kEhFrame, sizeof kEhFrame);
  append(unwinding, kHeader, sizeof kHeader);
  unwinding.append(12, '\0');
  add_record(dump, 4, unwinding);
  std::string load;
  put<uint32_t>(load, static_cast<uint32_t>(getpid()));
  put<uint32_t>(load, static_cast<uint32_t>(getpid()));
  put(load, reinterpret_cast<uint64_t>(code));
  put(load, reinterpret_cast<uint64_t>(code));
  put<uint64_t>(load, sizeof kTrampoline);
  put(load, index);
  load.append(name).push_back('\0');
  append(load, kTrampoline, sizeof kTrampoline);
  add_record(dump, 0, load);
}

using Function = void (*)();
using Trampoline = void (*)(Function);
Trampoline outer, inner;
volatile unsigned sink;

[[gnu::noinline]] void work() {
  for (unsigned i = 0; i < 100000; ++i) sink = sink + i;
}

[[gnu::noinline]] void evaluate() {
  inner(work);
  sink = sink + 1;  // so that the call is no jump
}

Trampoline make_trampoline(unsigned char* at) {
  std::memcpy(at, kTrampoline, sizeof kTrampoline);
  Trampoline out = nullptr;
  std::memcpy(&out, &at, sizeof out);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
#if defined(__x86_64__)
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 1;
  auto* memory = static_cast<unsigned char*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (memory == MAP_FAILED) return 1;
  outer = make_trampoline(memory);
  inner = make_trampoline(memory + 64);
  std::string dump;
  for (const uint32_t word : {0x4A695444U, 1U, 40U, 62U, 0U}) put(dump, word);
  put(dump, static_cast<uint32_t>(getpid()));
  put(dump, now());
  put<uint64_t>(dump, 0);
  add_trampoline(dump, memory, 0, "py::main");
  add_trampoline(dump, memory + 64, 1, "py::work");
  const std::string path = "jit-" + std::to_string(getpid()) + ".dump";
  const int fd = open(path.c_str(), O_CREAT | O_TRUNC | O_RDWR, 0666);
  if (write(fd, dump.data(), dump.size()) != static_cast<ssize_t>(dump.size())) return 1;
  // perf learns of the file from this mapping
  if (mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED) return 1;
  const auto end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  while (std::clock() < end) outer(evaluate);
  return 0;
#else
  std::fprintf(stderr, "trampolines: of x86-64 alone\n");
  return argc > 0 && argv != nullptr ? 77 : 1;
#endif
}
