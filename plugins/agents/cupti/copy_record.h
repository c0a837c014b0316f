/* SPDX-License-Identifier: MIT
 *
 * What CUPTI's records of copies (CUpti_ActivityMemcpy5, Memcpy6), of copies between devices
 * (MemcpyPtoP4) and of fills (Memset4) have in common.
 */
#pragma once

#include <cstdint>

namespace aiflame::agent::cupti {

struct CopyRecord {
  uint32_t kind;
  uint8_t copy_kind, source_kind, destination_kind, flags;  // of a fill: its value
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
  uint32_t after[3];
  uint32_t correlation_between_devices;
  uint64_t node;  // not of a copy between devices
  uint64_t node_between_devices;
};

}  // namespace aiflame::agent::cupti
