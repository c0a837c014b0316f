// SPDX-License-Identifier: MIT
// perf_text KIND MEGABYTES: text in the form of perf script, of a program that does not exist, for
// scripts/bench.sh; the same bytes each time. A program has a number of paths through its call
// graph; the k-th is taken in proportion to 1/k. A sample ends at any of 64 instructions of the
// last function, and is of any of the threads.
//
//   cpp       5000 paths of 15 to 60 frames of C++ with templates, 8 threads
//   kernel    20000 paths of 3 to 6 frames of a C program, below 8 to 24 kernel frames, 16 threads
//   java      8000 paths of 30 to 90 frames of Java in a perf map and in libjvm, 24 threads
//   small     3000 paths of 2 to 5 short frames, 64 threads
//   distinct  as cpp, but each sample has a path of its own
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

uint64_t mix(uint64_t value) {  // splitmix64
  value += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

struct Function {
  std::string name, object;
  uint64_t address;
};

struct Program {
  std::string comm, event;
  unsigned threads = 1;
  uint64_t ways = UINT64_MAX;  // UINT64_MAX: no limit
  unsigned fan = 4;            // callees of each function
  unsigned least = 1, most = 1;
  std::vector<Function> functions;  // walks begin at the first
  unsigned kernel_least = 0, kernel_most = 0;
  std::vector<Function> kernel;
};

std::string word(uint64_t seed, unsigned syllables) {
  static constexpr const char* kSyllables[] = {"ra",  "to", "men", "si", "ker", "lu", "pa", "do",
                                               "vec", "in", "qu",  "ou", "fi",  "ex", "al", "be"};
  std::string out;
  for (unsigned i = 0; i < syllables; ++i) out += kSyllables[mix(seed + i) % 16];
  return out;
}

void add(std::vector<Function>& functions, unsigned count, uint64_t base, auto name, auto object) {
  for (unsigned i = 0; i < count; ++i)
    functions.push_back(
        {name(mix(uint64_t{i} * 7919 + base)), object(mix(i + base)), base + i * 0x240ULL});
}

Program make(std::string_view kind) {
  const auto cpp = [](uint64_t n) {
    const std::string space = word(n % 31, 3) + "::" + word(n % 257, 4);
    switch (n % 5) {
      case 0:
        return space + "::operator()(std::vector<float, std::allocator<float> > const&) const";
      case 1:
        return "std::_Function_handler<void (int), " + space + "::run(int)::{lambda(int)#" +
               std::to_string(n % 4) + "}>::_M_invoke(std::_Any_data const&, int&&)";
      case 2:
        return "void " + space + "<float, " + std::to_string(n % 64) + "ul>::" + word(n, 3) +
               "<std::map<int, std::string> >(std::map<int, std::string>&, unsigned long)";
      default:
        return space + "::" + word(n, 5) + "(int, char const*)";
    }
  };
  const auto c = [](uint64_t n) { return word(n, 2) + "_" + word(n >> 8, 3); };
  const auto library = [](uint64_t n) {
    return "/usr/lib/x86_64-linux-gnu/lib" + word(n % 9, 3) + ".so." + std::to_string(n % 9) + ".1";
  };
  Program out;
  out.event = "cycles:u";
  if (kind == "cpp" || kind == "distinct") {
    out.comm = "worker";
    out.threads = 8;
    out.least = 15, out.most = 60;
    if (kind == "cpp") out.ways = 5000;
    add(out.functions, 4000, 0x401000, cpp, library);
  } else if (kind == "kernel") {
    out.comm = "kworker/u8:3";
    out.event = "cycles";
    out.threads = 16;
    out.ways = 20000;
    out.least = 3, out.most = 6;
    out.kernel_least = 8, out.kernel_most = 24;
    add(out.functions, 300, 0x55d0c0de1000, c, [](uint64_t) { return "/usr/sbin/server"; });
    add(out.kernel, 3000, 0xffffffff81000000, c,
        [](uint64_t n) { return n % 8 == 0 ? "[nf_conntrack]" : "[kernel.kallsyms]"; });
  } else if (kind == "java") {
    out.comm = "java";
    out.event = "cpu-clock";
    out.threads = 24;
    out.least = 30, out.most = 90;
    out.ways = 8000;
    add(
        out.functions, 6000, 0x7f30c0de1000,
        [](uint64_t n) {
          return "Lorg/" + word(n % 13, 3) + "/" + word(n % 101, 3) + "/" + word(n, 4) +
                 "::" + word(n >> 9, 3);
        },
        [](uint64_t n) {
          return n % 11 == 0 ? "/usr/lib/jvm/java-17/lib/server/libjvm.so" : "/tmp/perf-4711.map";
        });
  } else if (kind == "small") {
    out.comm = "nginx";
    out.event = "cpu-clock:pppH";
    out.threads = 64;
    out.least = 2, out.most = 5;
    out.ways = 3000;
    out.fan = 16;
    add(out.functions, 500, 0x401000, c, [](uint64_t) { return "/usr/sbin/nginx"; });
  }
  return out;
}

class Writer {
 public:
  explicit Writer(uint64_t size) : left_(size) {}

  // Returns false when enough is written.
  bool sample(const Program& program, uint64_t number) {
    uint64_t dice = mix(number);
    const auto roll = [&](uint64_t sides) { return (dice = mix(dice)) % sides; };
    const unsigned thread = static_cast<unsigned>(roll(program.threads));
    text_.resize(size_t{64} * 1024);
    at_ = text_.data();
    at_ += std::snprintf(at_, 256, "%s %7u/%-7u [%03u] %6llu.%06llu:     %6llu %s: \n",
                         program.comm.c_str(), 4711, 4711 + thread, thread % 8,
                         static_cast<unsigned long long>(number / 4000) + 100,
                         static_cast<unsigned long long>(number) % 4000 * 250,
                         static_cast<unsigned long long>(roll(3)) + 250000, program.event.c_str());
    const uint64_t instruction = roll(64) * 4;
    if (program.ways != UINT64_MAX) {
      const double share = static_cast<double>(roll(1 << 30)) / (1 << 30);
      dice = mix(static_cast<uint64_t>(std::pow(static_cast<double>(program.ways), share)));
    }
    walk(program.functions, program.fan, program.least + roll(program.most - program.least + 1),
         roll);
    if (!program.kernel.empty())
      walk(program.kernel, program.fan,
           program.kernel_least + roll(program.kernel_most - program.kernel_least + 1), roll);
    calls_.back().offset = instruction;
    // leaf first
    for (size_t i = calls_.size(); i-- > 0;) line(*calls_[i].function, calls_[i].offset);
    calls_.clear();
    *at_++ = '\n';
    const auto size = static_cast<size_t>(at_ - text_.data());
    std::fwrite(text_.data(), 1, size, stdout);
    left_ -= size < left_ ? size : left_;
    return left_ > 0;
  }

 private:
  struct Call {
    const Function* function;
    uint64_t offset;
  };

  void walk(const std::vector<Function>& functions, unsigned fan, uint64_t depth, auto& roll) {
    uint64_t function = 0;
    for (uint64_t i = 0; i < depth; ++i) {
      const uint64_t callee = roll(fan);
      calls_.push_back({&functions[function], 0x13 + callee * 0x11});
      function = mix(function * 64 + callee) % functions.size();
    }
  }

  void line(const Function& function, uint64_t offset) {
    constexpr size_t kWidth = 16;
    *at_++ = '\t';
    char digits[kWidth];
    size_t count = 0;
    for (uint64_t rest = function.address + offset; rest != 0; rest >>= 4)
      digits[count++] = "0123456789abcdef"[rest & 15];
    for (size_t i = count; i < kWidth; ++i) *at_++ = ' ';
    while (count > 0) *at_++ = digits[--count];
    *at_++ = ' ';
    put(function.name);
    at_ += std::snprintf(at_, 32, "+0x%llx (", static_cast<unsigned long long>(offset));
    put(function.object);
    *at_++ = ')';
    *at_++ = '\n';
  }

  void put(const std::string& text) {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }

  uint64_t left_;
  std::vector<Call> calls_;
  std::string text_;  // longer than any sample
  char* at_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  const Program program = make(argc == 3 ? argv[1] : "");
  if (program.functions.empty()) {
    std::fprintf(stderr, "usage: perf_text cpp|kernel|java|small|distinct MEGABYTES\n");
    return 2;
  }
  Writer writer(std::strtoull(argv[2], nullptr, 10) * 1000000);
  uint64_t number = 0;
  while (writer.sample(program, number)) ++number;
  return std::fflush(stdout) == 0 ? 0 : 1;
}
