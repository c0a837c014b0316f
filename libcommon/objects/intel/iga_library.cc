// SPDX-License-Identifier: MIT
#include "libcommon/objects/intel/iga_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcommon/base/program.h"
#include "libcommon/base/write_all.h"

namespace aiflame {
namespace {

// The part of iga/iga.h and iga/kv.h that is used here (libigdfcl-dev 1.0.12504, MIT). IGC 2 has
// the same names in libiga64.so.2. Platforms are looked up by name, so that no list of them is
// needed.
extern "C" {
struct kv_t;
using Gen = int32_t;     // iga_gen_t
using Status = int32_t;  // iga_status_t, 0 is success
using PlatformsList = Status (*)(size_t bytes, Gen* gens, size_t* bytes_required);
using PlatformNames = Status (*)(Gen gen, size_t bytes, const char** names, size_t* bytes_required);
// The last argument is iga::SWSB_ENCODE_MODE; 0 chooses the platform's own.
using Create = kv_t* (*)(Gen gen, const void* code, size_t size, Status* status, char* errors,
                         size_t errors_size, uint32_t swsb_mode);
using Delete = void (*)(kv_t*);
using InstSize = int32_t (*)(const kv_t*, int32_t offset);
using InstSyntax = size_t (*)(const kv_t*, int32_t offset, char* text, size_t size,
                              uint32_t options, const char* (*label)(int32_t, void*),
                              void* label_argument);
}

// IGA's text of one instruction. The longest seen has about 200 bytes.
constexpr size_t kMaxText = 1024;

constexpr size_t kFlush = 65536;

// Not through stdio: its buffer may hold output that the parent has not written yet. A reader that
// is gone needs nothing more.
void flush(std::string& text) {
  [[maybe_unused]] const bool done = write_all(STDOUT_FILENO, text);
  text.clear();
}

class Library {
 public:
  Library() {
    for (const char* name : {"libiga64.so.2", "libiga64.so.1"})
      if (handle_ == nullptr) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    found_ = handle_ != nullptr && find("iga_platforms_list", platforms_list) &&
             find("iga_platform_names", platform_names) && find("kv_create", create) &&
             find("kv_delete", destroy) && find("kv_get_inst_size", size) &&
             find("kv_get_inst_syntax", syntax);
  }

  bool found() const { return found_; }

  // The library's number for a platform, or 0.
  Gen platform(const std::string& wanted) const {
    size_t bytes = 0;
    if (platforms_list(0, nullptr, &bytes) != 0) return 0;
    std::vector<Gen> gens(bytes / sizeof(Gen));
    if (platforms_list(gens.size() * sizeof(Gen), gens.data(), &bytes) != 0) return 0;
    for (const Gen gen : gens) {
      if (platform_names(gen, 0, nullptr, &bytes) != 0) continue;
      std::vector<const char*> names(bytes / sizeof(const char*));
      if (platform_names(gen, names.size() * sizeof(const char*), names.data(), &bytes) != 0)
        continue;
      if (std::find(names.begin(), names.end(), wanted) != names.end()) return gen;
    }
    return 0;
  }

  PlatformsList platforms_list = nullptr;
  PlatformNames platform_names = nullptr;
  Create create = nullptr;
  Delete destroy = nullptr;
  InstSize size = nullptr;
  InstSyntax syntax = nullptr;

 private:
  template <typename Function>
  bool find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    return function != nullptr;
  }

  void* handle_ = nullptr;
  bool found_ = false;
};

}  // namespace

IgaStatus write_iga_listing(const std::string& platform, std::string_view code) {
  if (code.size() > INT32_MAX) return IgaStatus::failed;
  const Library iga;
  if (!iga.found()) return IgaStatus::no_library;
  const Gen gen = iga.platform(platform);
  if (gen == 0) return IgaStatus::unknown_platform;
  // An instruction that cannot be decoded is an error, but the view has the others nevertheless.
  Status status = 0;
  kv_t* const view = iga.create(gen, code.data(), code.size(), &status, nullptr, 0, 0);
  if (view == nullptr) return IgaStatus::failed;
  char text[kMaxText];
  std::string out;
  int32_t size = 0;
  for (int32_t at = 0; (size = iga.size(view, at)) > 0; at += size) {
    if (iga.syntax(view, at, text, sizeof text, 0, nullptr, nullptr) == 0) continue;
    text[kMaxText - 1] = '\0';
    std::string line = text;
    std::replace(line.begin(), line.end(), '\n', ' ');
    out += format("/* [%04X] */ ", static_cast<unsigned>(at));
    out.append(line).push_back('\n');
    if (out.size() >= kFlush) flush(out);
  }
  flush(out);
  iga.destroy(view);
  return IgaStatus::done;
}

}  // namespace aiflame
