// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/pipeline.h"

#include "libcommon/base/program.h"

namespace aiflame::record {

Pipeline::Pipeline(GpustallWriter& writer, const std::string& event, uint64_t origin,
                   uint64_t interval_ns, const std::string& objects_directory, Budgets& budgets)
    : now_(origin),
      writer_(writer),
      tables_(origin, budgets),
      joiner_(origin, interval_ns, tables_.budgets, tables_.ledger),
      code_(objects_directory, tables_.kernels, joiner_, tables_.budgets),
      source_(tables_, code_, joiner_),
      agents_(origin, tables_, code_, joiner_),
      slice_writer_(writer_, event, tables_) {}

void Pipeline::begin(const std::vector<std::string>& header) {
  writer_.begin();
  for (const std::string& line : header) writer_.header(line);
  writer_.flush();
}

void Pipeline::set_time(uint64_t now) {
  now_ = now;
  agents_.set_time(now);
}

void Pipeline::write(uint64_t settled, bool all) {
  for (const std::string& line : agents_.take_header_lines()) writer_.header(line);
  if (all) agents_.end_slices();
  if (all) joiner_.end_recording(now_);
  agents_.place_losses();
  code_.place_unloads(now_);
  Slice slice;
  bool any = false;
  while (joiner_.take_next(settled, all, slice)) {
    slice_writer_.write(slice);
    any = true;
  }
  if (any) writer_.flush();
}

void Pipeline::end(uint64_t agents) {
  CaptureTotals& totals = tables_.totals;
  totals.turned_away = agents;
  if (agents > 0) writer_.lost({"[device]", 0, 0, 0, now_}, GpustallWriter::kUnknown, "gpu-launch");
  writer_.end();
  static_cast<RecordingCounts&>(totals) = writer_.taken();
  totals.no_room = tables_.ledger.lost(Counted::samples, LossCause::no_room);
  check_ledger();
}

void Pipeline::check_ledger() const {
  const std::string mistake = tables_.ledger.check(joiner_.holding());
  if (!mistake.empty()) throw Error("internal: " + mistake);
}

}  // namespace aiflame::record
