// SPDX-License-Identifier: MIT
// jitted [SECONDS]: a program to record, for SECONDS of processor time. It compiles functions at
// run time and records them in jit-PID.dump in its directory, in the format of the kernel's
// tools/perf/Documentation/jitdump-specification.txt: `first` and, for the second half of the time
// at the same address, `second`; `steady` all the time, with its lines.
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

// push %rbp; mov %rsp,%rbp; mov $N,%ecx; 1: dec %ecx; jnz 1b; pop %rbp; ret
constexpr unsigned char kLoop[] = {0x55, 0x48, 0x89, 0xe5, 0xb9, 0x00, 0x00, 0x10,
                                   0x00, 0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3};

uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

class Dump {
 public:
  Dump() {
    const std::string path = "jit-" + std::to_string(getpid()) + ".dump";
    fd_ = open(path.c_str(), O_CREAT | O_TRUNC | O_RDWR, 0666);
    std::string header;
    put<uint32_t>(header, 0x4A695444);
    put<uint32_t>(header, 1);
    put<uint32_t>(header, 40);
    put<uint32_t>(header, 62);  // EM_X86_64
    put<uint32_t>(header, 0);
    put<uint32_t>(header, static_cast<uint32_t>(getpid()));
    put<uint64_t>(header, now());
    put<uint64_t>(header, 0);
    write_all(header);
    // perf learns of the file from this mapping
    if (mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd_, 0) == MAP_FAILED) std::abort();
  }
  ~Dump() { close(fd_); }
  Dump(const Dump&) = delete;
  Dump& operator=(const Dump&) = delete;

  void lines(const unsigned char* code, const char* file) {
    std::string body;
    put(body, reinterpret_cast<uint64_t>(code));
    put<uint64_t>(body, 2);
    for (const uint32_t line : {7U, 8U}) {
      put(body, reinterpret_cast<uint64_t>(code) + (line == 7 ? 0 : 9));
      put<uint32_t>(body, line);
      put<uint32_t>(body, 0);
      body.append(line == 7 ? file : "\xff").push_back('\0');
    }
    record(2, body);
  }

  void load(const unsigned char* code, uint64_t index, const char* name) {
    std::string body;
    put<uint32_t>(body, static_cast<uint32_t>(getpid()));
    put<uint32_t>(body, static_cast<uint32_t>(getpid()));
    put(body, reinterpret_cast<uint64_t>(code));
    put(body, reinterpret_cast<uint64_t>(code));
    put<uint64_t>(body, sizeof kLoop);
    put(body, index);
    body.append(name).push_back('\0');
    body.append(reinterpret_cast<const char*>(kLoop), sizeof kLoop);
    record(0, body);
  }

 private:
  void record(uint32_t kind, const std::string& body) {
    std::string out;
    put(out, kind);
    put(out, static_cast<uint32_t>(16 + body.size()));
    put(out, now());
    write_all(out + body);
  }
  void write_all(const std::string& bytes) {
    if (write(fd_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  }

  int fd_ = -1;
};

void run(void* code, double seconds) {
  // processor time, so that a busy machine gives as many samples
  const auto end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  void (*function)() = nullptr;
  std::memcpy(&function, &code, sizeof function);
  while (std::clock() < end) function();
}

}  // namespace

int main(int argc, char** argv) {
#if defined(__x86_64__)
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 1;
  auto* memory = static_cast<unsigned char*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (memory == MAP_FAILED) return 1;
  unsigned char *steady = memory, *changing = memory + 256;
  std::memcpy(steady, kLoop, sizeof kLoop);
  std::memcpy(changing, kLoop, sizeof kLoop);
  Dump dump;
  dump.lines(steady, "/src/steady.lang");
  dump.load(steady, 0, "steady");
  dump.load(changing, 1, "first");
  run(steady, seconds / 4);
  run(changing, seconds / 4);
  dump.load(changing, 2, "second");
  run(changing, seconds / 4);
  run(steady, seconds / 4);
  return 0;
#else
  std::fprintf(stderr, "jitted: of x86-64 alone\n");
  return argc > 0 && argv != nullptr ? 77 : 1;
#endif
}
