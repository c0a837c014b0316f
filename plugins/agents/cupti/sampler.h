/* SPDX-License-Identifier: MIT
 *
 * PC sampling of one context. When CUPTI refuses, a message says so, and the program continues
 * without samples.
 */
#pragma once

#include <cstdint>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/cupti/cupti_library.h"
#include "plugins/agents/cupti/settings.h"

namespace aiflame::agent::cupti {

class Sampler {
 public:
  // To be called in the callback for the creation of `context`. Null without memory, or when CUPTI
  // refuses.
  static Sampler* start(const Cupti& cupti, const Settings& settings, CUcontext context,
                        uint32_t device, const char* device_name);
  // Reports all samples that CUPTI has, also the driver's own and the lost ones. settle() does the
  // work that a read has found to be due.
  void read();
  // Reads only what CUPTI has put aside. To be called before a module is loaded, as CUPTI tells
  // code apart by its place on the device, which the new module may get; with `exact` also after
  // each launch.
  void read_flushed();

  // The functions from here on are for the program's own threads only: see worker.h.

  // With windows only: starts and stops taking samples. False when CUPTI refuses.
  [[nodiscard]] bool open_window();
  void close_window();
  // Does the work that a read has found to be due.
  void settle();
  // Reads the rest and frees the sampler. The context may be about to go.
  void finish();
  // The context is gone: no more calls about it, and the rest is lost.
  void abandon();

  CUcontext context() const { return context_; }
  bool has_due() const { return due_ != Due::nothing; }

 private:
  struct Buffers;
  // After a read that CUPTI refused, sampling is set up anew, or ends.
  enum class Due : uint8_t { nothing, renewal, end };

  Sampler(const Cupti& cupti, const Settings& settings, CUcontext context, uint32_t device,
          const char* device_name);
  [[nodiscard]] bool enable();
  [[nodiscard]] bool configure();
  CUptiResult set(CUpti_PCSamplingConfigurationInfo* attributes, size_t count) const;
  CUptiResult set_rate();
  void report_period() const;
  [[nodiscard]] bool take_reasons();
  [[nodiscard]] bool tell_reason(uint32_t number);
  uint32_t find_reason(const char* name) const;
  bool has_flushed() const;
  [[nodiscard]] bool read_calls(bool in_callback);
  void disable();
  void report_full_buffer();
  void recover();
  void doubt_period();
  void take(const CUpti_PCSamplingData& data);
  void take(const CUpti_PCSamplingPCData& pc);
  void name_kernel(const char* function, Sample& sample);
  void report(const Sample& sample, uint32_t awaited);
  void report_awaiting(bool is_last);
  void take_counts(const CUpti_PCSamplingData& data);
  void compare_counts();

  const Cupti& cupti_;
  const Settings& settings_;
  const CUcontext context_;
  const uint32_t device_;
  char device_name_[112];
  Buffers* buffers_ = nullptr;
  Due due_ = Due::nothing;
  size_t reason_count_ = 0;
  bool is_enabled_ = false, is_configured_ = false;
  bool has_windows_ = false, is_open_ = false;
  bool has_reported_full_ = false, has_reported_window_ = false;
  bool are_buffers_cupti_s_ = false;  // for good
  // CUPTI's own are left as they are: ours did not work on this GPU.
  bool has_cupti_s_period_ = false, has_cupti_s_buffer_ = false;
  uint32_t recoveries_ = 0;
  uint64_t reads_ = 0, samples_ = 0;
  uint64_t kernel_ns_before_ = 0;  // what had run when sampling began
  // In the current drain: the samples that CUPTI counts (totalSamples), and those that it explains:
  // handed out, dropped, and the driver's own.
  uint64_t counted_ = 0, received_ = 0;
  uint64_t uncounted_ = 0;  // over all drains: received beyond what CUPTI counted
  bool has_reported_withheld_ = false, has_reported_unknown_code_ = false;
};

}  // namespace aiflame::agent::cupti
