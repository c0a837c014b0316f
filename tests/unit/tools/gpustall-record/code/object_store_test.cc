// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/code/object_store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace aiflame::record {
namespace {

constexpr int kAllSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

int memfd(const std::string& bytes, int seals) {
  const int fd = memfd_create("object", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  EXPECT_EQ(write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(fcntl(fd, F_ADD_SEALS, seals), 0);
  return fd;
}

ObjectContent content_of(const std::string& bytes) {
  return {memfd(bytes, kAllSeals), bytes.size()};
}

std::string bytes_in(const std::string& path) {
  std::stringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path) << bytes;
}

class ObjectStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  size_t files() const {
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory_))
      ++count;
    return count;
  }

  const std::string root_ = testing::TempDir() + "object_store_test." + std::to_string(getpid());
  const std::string directory_ = root_ + "/objects";
  Budgets budgets_;
};

TEST_F(ObjectStoreTest, AnObjectIsStoredOnceUnderItsHash) {
  ObjectStore store(directory_, budgets_);
  const std::string path = store.save_content(1, content_of("code"), ".zebin");
  EXPECT_EQ(bytes_in(path), "code");
  EXPECT_EQ(path.substr(path.size() - 6), ".zebin");
  EXPECT_EQ(store.save_content(1, content_of("code"), ".zebin"), path);
  EXPECT_NE(store.save_content(1, content_of("other"), ".zebin"), path);
  EXPECT_EQ(files(), 2u);
  EXPECT_EQ(budgets_.used(Kept::copies), 9u);
}

TEST_F(ObjectStoreTest, AFileOfAProcess) {
  ObjectStore store(directory_, budgets_);
  put(root_ + "/kernel.so", std::string(1000000, 'k'));
  const std::string path = store.save_file(static_cast<uint32_t>(getpid()), root_ + "/kernel.so");
  EXPECT_EQ(path.substr(0, directory_.size()), directory_);
  EXPECT_EQ(bytes_in(path), std::string(1000000, 'k'));
}

// A link under the object's name must not lead the recorder, which may be root, to another file.
TEST_F(ObjectStoreTest, APlantedLinkIsReplacedAndNotFollowed) {
  std::string path;
  {
    ObjectStore store(directory_, budgets_);
    path = store.save_content(1, content_of("code"), ".zebin");
  }
  std::filesystem::remove(path);
  const std::string victim = root_ + "/victim";
  put(victim, "precious");
  // as the old recorder named its unfinished copies, and the copies themselves
  for (const std::string& link : {path, path + "." + std::to_string(getpid())})
    std::filesystem::create_symlink(victim, link);
  ObjectStore store(directory_, budgets_);
  EXPECT_EQ(store.save_content(1, content_of("code"), ".zebin"), path);
  EXPECT_EQ(bytes_in(victim), "precious");
  EXPECT_EQ(bytes_in(path), "code");
  EXPECT_FALSE(std::filesystem::is_symlink(path));
}

TEST_F(ObjectStoreTest, AFileOfOtherContentUnderTheObjectsNameIsReplaced) {
  ObjectStore store(directory_, budgets_);
  const std::string path = store.save_content(1, content_of("code"), ".zebin");
  put(path, "lies");
  EXPECT_EQ(store.save_content(1, content_of("code"), ".zebin"), path);
  EXPECT_EQ(bytes_in(path), "code");
}

TEST_F(ObjectStoreTest, ADirectoryOfAnotherUserIsNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  std::filesystem::create_directories(directory_);
  ASSERT_EQ(chown(directory_.c_str(), 65534, 65534), 0);
  EXPECT_EQ(ObjectStore(directory_, budgets_).save_content(1, content_of("code"), ".zebin"), "");
  // nor one of ours that another user's link leads to
  const std::string ours = root_ + "/ours", link = root_ + "/link";
  std::filesystem::create_directories(ours);
  std::filesystem::create_symlink(ours, link);
  ASSERT_EQ(lchown(link.c_str(), 65534, 65534), 0);
  EXPECT_EQ(ObjectStore(link, budgets_).save_content(1, content_of("code"), ".zebin"), "");
  EXPECT_TRUE(std::filesystem::is_empty(ours));
}

TEST_F(ObjectStoreTest, AProcessOverItsBudgetWritesNothing) {
  ObjectStore store(directory_, budgets_);
  ASSERT_TRUE(budgets_.take(Kept::copies, 1, Budgets::total(Kept::copies) * 9 / 16));
  EXPECT_EQ(store.save_content(1, content_of("code"), ".zebin"), "");
  EXPECT_EQ(files(), 0u);
  EXPECT_EQ(budgets_.report().size(), 1u);
  EXPECT_NE(store.save_content(2, content_of("code"), ".zebin"), "");
}

TEST(ObjectContent, OnlyWhatNobodyCanChange) {
  EXPECT_FALSE(content_of("code").empty());
  EXPECT_EQ(content_of("code").view(), "code");
  EXPECT_TRUE(ObjectContent(memfd("code", 0), 4).empty());
  EXPECT_TRUE(ObjectContent(memfd("code", F_SEAL_WRITE), 4).empty());
  EXPECT_TRUE(ObjectContent(memfd("code", kAllSeals), 5).empty());
  EXPECT_TRUE(ObjectContent(open("/dev/zero", O_RDONLY | O_CLOEXEC), 4).empty());
}

}  // namespace
}  // namespace aiflame::record
