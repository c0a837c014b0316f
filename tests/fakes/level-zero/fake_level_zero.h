// SPDX-License-Identifier: MIT
// The devices of the fake Level Zero driver, and their samplers' records. It follows Intel's
// driver (compute-runtime, metric_ip_sampling_*.cpp) where a program can tell the difference.
//
// $FAKE_ZE/script has one command per line; without it there is one GPU at 0000:03:00.0, and no
// sampler:
//   gpu PLACE LAYOUT TILES [NAME]  a GPU with records of pvc, xe2 or xe3p; 0 tiles: it has no
//                                  subdevices. The lines after it are about it
//   group NAME                     its sampler's metric group has another name
//   no-group                       or is not shown, as without permission
//   tdr                            the metric PSDepStall has the name it had before 2026
//   graphs FLAGS                   ze_record_replay_graph_ext_flags_t; otherwise 1, as Intel's
//   reports N                      more than N reports before a notification are refused
//   period NS                      the sampler always takes this period, whatever is requested
//   open TILE RESULT               openings fail with this number,
//   open-after TILE RESULT TIMES   or do so after TIMES openings
//   at TILE                        what the tile's hardware does, from here on:
//     tick [FILE]                  a read ends here; with FILE, what follows waits for that file
//     row CORE ADDRESS NAME=N...   a record, as in tests/fakes/xe; CORE is ignored
//     rows TIMES CORE ADDRESS NAME=N...
//     drop                         a read reports dropped data, and returns no records
//     drop-with                    or returns the following records as well
//     fail RESULT [TIMES]          reads fail
//     calculate RESULT             the next calculation fails
//     hold FIFO                    a read ends here; what follows waits until the FIFO has a
//                                  reader, which is kept waiting
//     release                      the held readers read the end of their FIFO, when each device
//                                  with a hold has reached one; ends a read as well
// The program's calls are written to $FAKE_ZE/log.
#pragma once

#include <level_zero/ze_api.h>
#include <level_zero/zet_api.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tests/fakes/held_readers.h"

namespace fake_ze {

struct Step {
  enum class Kind { tick, rows, drop, drop_with, fail, calculate, hold, release } kind = Kind::tick;
  std::string file;    // the file of a tick, or the FIFO of a hold
  uint64_t times = 1;  // for rows and fail
  std::vector<unsigned char> record;
  ze_result_t result = ZE_RESULT_SUCCESS;
};

}  // namespace fake_ze

struct _zet_metric_handle_t {
  std::string name;
  zet_metric_type_t type = ZET_METRIC_TYPE_EVENT;
};

struct _ze_device_handle_t;

struct _zet_metric_group_handle_t {
  std::string name;
  zet_metric_group_sampling_type_flags_t sampling = ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED;
  std::vector<zet_metric_handle_t> metrics;
  ze_device_handle_t device = nullptr;
  bool counts_stalls = false;
};

struct _ze_device_handle_t {
  std::string name, place, layout;
  uint32_t tile = 0;
  ze_device_handle_t root = nullptr;  // null: this is the root device
  std::vector<ze_device_handle_t> tiles;
  std::vector<zet_metric_group_handle_t> groups;
  uint32_t most_reports = UINT32_MAX, forced_period = 0, graph_flags = 1;
  ze_result_t open_result = ZE_RESULT_SUCCESS;
  uint64_t good_openings = 0;  // openings that succeed before they fail
  std::deque<fake_ze::Step> steps;
  HeldReaders readers;
  bool active = false, streaming = false;
  uint64_t records_read = 0;
};

namespace fake_ze {

// The root devices; reads the script at the first call, and aborts if it cannot parse it.
const std::vector<ze_device_handle_t>& devices();
// Writes a line to $FAKE_ZE/log.
void log(const std::string& line);
// To be called when the program starts the driver: looks for ZET_ENABLE_METRICS, and opens a file
// that child processes inherit, as drivers of 2022 do.
void start();

ze_result_t get_devices(ze_driver_handle_t, uint32_t* count, ze_device_handle_t* out);
ze_result_t get_sub_devices(ze_device_handle_t device, uint32_t* count, ze_device_handle_t* out);
// Group 0 computes and copies, group 1 only copies.
ze_result_t queue_groups(ze_device_handle_t device, uint32_t* count,
                         ze_command_queue_group_properties_t* out);
ze_result_t device_properties(ze_device_handle_t device, ze_device_properties_t* out);
ze_result_t pci_properties(ze_device_handle_t device, ze_pci_ext_properties_t* out);

ze_result_t get_groups(zet_device_handle_t device, uint32_t* count, zet_metric_group_handle_t* out);
ze_result_t group_properties(zet_metric_group_handle_t group, zet_metric_group_properties_t* out);
ze_result_t get_metrics(zet_metric_group_handle_t group, uint32_t* count, zet_metric_handle_t* out);
ze_result_t metric_properties(zet_metric_handle_t metric, zet_metric_properties_t* out);
ze_result_t calculate(zet_metric_group_handle_t group, zet_metric_group_calculation_type_t type,
                      size_t size, const uint8_t* raw, uint32_t* count, zet_typed_value_t* out);
ze_result_t activate(zet_context_handle_t, zet_device_handle_t device, uint32_t count,
                     zet_metric_group_handle_t* groups);
ze_result_t open_streamer(zet_context_handle_t, zet_device_handle_t device,
                          zet_metric_group_handle_t group, zet_metric_streamer_desc_t* description,
                          ze_event_handle_t, zet_metric_streamer_handle_t* out);
ze_result_t read_data(zet_metric_streamer_handle_t streamer, uint32_t most, size_t* size,
                      uint8_t* to);
ze_result_t close_streamer(zet_metric_streamer_handle_t streamer);

}  // namespace fake_ze
