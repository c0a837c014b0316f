// SPDX-License-Identifier: MIT
// A vendor's library, found by the dynamic linker. Its functions are looked up by name, since
// versions differ in what they have.
#pragma once

#include <string>
#include <vector>

namespace aiflame::energy {

class Library {
 public:
  // The first of `names` that can be loaded. It stays loaded.
  explicit Library(const std::vector<const char*>& names);

  bool is_there() const { return library_ != nullptr; }
  // Why a library that is there cannot be loaded; "" where there is none.
  const std::string& obstacle() const { return obstacle_; }

  template <typename Function>
  [[nodiscard]] bool find(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(symbol(name));
    if (function == nullptr) missing_ = name;
    return function != nullptr;
  }
  // "libnvidia-ml.so.1 has no nvmlInit_v2": of the last function that was not found.
  std::string lack() const { return name_ + " has no " + missing_; }

 private:
  void* symbol(const char* name) const;

  void* library_ = nullptr;
  std::string name_, obstacle_;
  const char* missing_ = "";
};

}  // namespace aiflame::energy
