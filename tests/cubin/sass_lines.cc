// SPDX-License-Identifier: MIT
// Prints a cubin's source lines as NVIDIA's own library finds them, for tests. It needs neither a
// GPU nor a driver for that.
//
//   sass_lines CUBIN FUNCTION SIZE...
//
// prints for each function its name, and `OFFSET FILE:LINE` for each of its instructions, with `-`
// where the library knows no line. make.sh builds it, where the headers of CUPTI are installed.
#include <cupti.h>
#include <cupti_pcsampling.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

int main(int argc, char** argv) {
  if (argc < 2 || argc % 2 != 0) return 2;
  std::ifstream in(argv[1], std::ios::binary);
  const std::string cubin((std::istreambuf_iterator<char>(in)), {});
  for (int i = 2; i < argc; i += 2) {
    std::puts(argv[i]);
    for (uint64_t at = 0; at < std::strtoull(argv[i + 1], nullptr, 0); at += 16) {
      CUpti_GetSassToSourceCorrelationParams question{};
      question.size = CUpti_GetSassToSourceCorrelationParamsSize;
      question.cubin = cubin.data();
      question.cubinSize = cubin.size();
      question.functionName = argv[i];
      question.pcOffset = at;
      if (const CUptiResult result = cuptiGetSassToSourceCorrelation(&question);
          result != CUPTI_SUCCESS) {
        std::fprintf(stderr, "sass_lines: %s: %s: %d\n", argv[1], argv[i],
                     static_cast<int>(result));
        return 1;
      }
      if (question.lineNumber == 0)
        std::printf("0x%llx -\n", static_cast<unsigned long long>(at));
      else
        std::printf("0x%llx %s:%u\n", static_cast<unsigned long long>(at), question.fileName,
                    static_cast<unsigned>(question.lineNumber));
      std::free(question.fileName);
      std::free(question.dirName);
    }
  }
}
