// SPDX-License-Identifier: MIT
#include "plugins/agents/cupti/function_names.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace aiflame::agent::cupti {
namespace {

std::vector<std::string> released;
void release(void* name) {
  released.emplace_back(static_cast<char*>(name));
  std::free(name);
}

TEST(FunctionNames, ThatComeAgainAreSharedAndStay) {
  released.clear();
  FunctionNames names(release);
  char one[] = "one", other[] = "other";
  for (int read = 0; read < 5000; ++read) {
    char* records[] = {other, one, one, read % 2 == 0 ? one : other};
    names.take(records, 4);
  }
  EXPECT_TRUE(released.empty());
}

TEST(FunctionNames, OfManyFunctionsStay) {
  released.clear();
  FunctionNames names(release);
  std::vector<std::string> functions(9000);
  for (size_t i = 0; i < functions.size(); ++i) {
    functions[i] = "function" + std::to_string(i / 2);
    char* record = functions[i].data();
    names.take(&record, 1);
  }
  EXPECT_TRUE(released.empty());
}

TEST(FunctionNames, ThatAreCopiesAreFreedOnce) {
  released.clear();
  FunctionNames names(release);
  size_t made = 0;
  for (int read = 0; read < 2000; ++read) {
    // a read's records share theirs, or do not
    char* name = strdup(read % 3 == 0 ? "scale" : "add");
    char* records[] = {name, strdup("scale"), name};
    made += 2;
    names.take(records, 3);
    if (read == 1000) {
      EXPECT_TRUE(released.empty());
    }
  }
  for (int read = 0; read < 100; ++read) {
    std::vector<char*> records(100);
    for (char*& record : records) record = strdup("add");
    made += records.size();
    names.take(records.data(), records.size());
  }
  EXPECT_EQ(released.size(), made);
}

}  // namespace
}  // namespace aiflame::agent::cupti
