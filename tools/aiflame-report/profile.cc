// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/profile.h"

#include <algorithm>
#include <map>
#include <set>

#include "libcommon/base/count_sum.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/folded/columns.h"
#include "libcommon/folded/folded.h"
#include "libcommon/folded/range_choice.h"
#include "libcommon/folded/time_slice.h"
#include "libcommon/io/file_kind.h"
#include "libcommon/io/input.h"
#include "libcommon/timeline/idle_causes.h"
#include "libcommon/timeline/work_class.h"
#include "tools/aiflame-report/device_time.h"

namespace aiflame::report {
namespace {

// What stackcollapse-aiflame --root and the importers' --rank write: "rank 3".
constexpr std::string_view kRankFrame = "rank ";
constexpr std::string_view kRangeMark = "_[r]";
// They are among so many first frames.
constexpr size_t kRoots = 8;

// The number of the instance that --by-range puts in front: 12 of "decode #12_[r];python3".
std::optional<uint64_t> instance_of(std::string_view stack) {
  const std::string_view frame = first_frame(stack);
  if (!frame.ends_with(kRangeMark)) return std::nullopt;
  return numbered_range(without_annotation(frame)).number;
}

// The number of the step that `stackcollapse-trace --by-step` puts among the first frames:
// 7 of "rank 3;ProfilerStep#7_[r];py::train:train.py".
std::optional<uint64_t> step_of(std::string_view stack) {
  if (const auto instance = instance_of(stack)) return instance;
  for (size_t i = 0; i < kRoots && !stack.empty(); ++i) {
    std::string_view frame = first_frame(stack);
    stack.remove_prefix(std::min(frame.size() + 1, stack.size()));
    frame = without_annotation(frame);
    if (take_prefix(frame, "ProfilerStep#")) return parse_number<uint64_t>(frame);
  }
  return std::nullopt;
}

// Makes each key another. Returns the new numbers by the old ones.
template <typename Key, typename Change>
std::vector<uint32_t> renumber(NumberedTable<Key>& table, const Change& change) {
  NumberedTable<Key> changed;
  std::vector<uint32_t> numbers;
  for (uint32_t number = 0; number < table.size(); ++number)
    numbers.push_back(changed.number(change(table.key(number))));
  table = std::move(changed);
  return numbers;
}

}  // namespace

void Profile::read(const std::string& path) {
  read_lines(path, false);
}

void Profile::read_side(const std::string& path) {
  read_lines(path, true);
}

void Profile::read_lines(const std::string& path, bool may_differ) {
  LineReader reader(open_folded(path));
  FileQuantity quantity;
  bool empty = true;
  counts_time_ = false;
  std::optional<bool> sliced;
  std::string structure, first_line;
  std::string_view line;
  while (reader.next(line)) {
    if (is_blank_or_comment(line)) {
      if (is_quantity_line(line)) quantity.read(line, reader.line_number());
      counts_time_ = quantity.quantity().is_time();
      if (is_launch_fact_line(line)) launches_.read(line);
      if (is_note_line(line)) notes_.read(line);
      continue;
    }
    FoldedLine folded;
    if (may_differ && runs_.front().stacks == 0 && !difference_) {
      first_line = line;
      difference_ = has_two_counts(quantity.quantity(), reader, first_line);
      line = first_line;
      if (difference_) begin_run();
    }
    if (!split_folded(line, difference_, folded)) throw Error(reader.place() + ": missing count");
    if (!sliced) sliced = is_slice(first_frame(folded.stack));
    if (*sliced && !take_slice(folded.stack))
      throw Error(reader.place() + ": no slice of time, and the first line has one");
    if (!*sliced && keeps_slices_) begin_step(step_of(folded.stack));
    structure_ = match_ == Match::structure && (difference_ || !may_differ);
    if (structure_) folded.stack = structure_of_stack(folded.stack, structure);
    const auto add_text = [&](std::string_view text) {
      const std::optional<Count> count = parse_count(text);
      if (!count || !add(folded.stack, *count))
        throw Error(reader.place() + ": " + kCountsTooLarge);
      empty = empty && count->value == 0;
    };
    if (difference_) {
      if (folded.count_before.empty())
        throw Error(reader.place() + ": one count, and the first line has two");
      run_ = 0;
      add_text(folded.count_before);
      run_ = 1;
    }
    add_text(folded.count);
  }
  begin_slice(std::nullopt);
  if (empty) empty_inputs_.push_back(path);
  add_quantity(std::move(quantity));
}

// Cuts the slice off a stack; false if it does not begin with one.
bool Profile::take_slice(std::string_view& stack) {
  const std::string_view frame = first_frame(stack);
  if (!is_slice(frame)) return false;
  begin_slice(slice_start(frame));
  stack.remove_prefix(std::min(frame.size() + 1, stack.size()));
  return true;
}

void Profile::begin_slice(std::optional<uint64_t> start) {
  in_slice_ = keeps_slices_ && start.has_value();
  if (in_slice_) runs_[run_].blocks.begin(*start);
}

void Profile::begin_step(std::optional<uint64_t> number) {
  in_slice_ = keeps_slices_ && number.has_value();
  if (in_slice_) runs_[run_].blocks.begin_step(*number);
}

void Profile::finish() {
  for (Run& run : runs_) run.blocks.finish();
  join_kernels();
}

// Joins the kernels of a name, and what is inside them, unless some run has several of the name.
void Profile::join_kernels() {
  std::set<uint32_t> apart;  // names
  for (const Run& run : runs_) {
    std::map<uint32_t, uint32_t> files;  // by name
    const std::vector<Cost>& costs = run.costs[static_cast<size_t>(Kind::kernel)];
    for (uint32_t number = 0; number < costs.size(); ++number) {
      const Kernel& kernel = kernel_table_.key(number);
      if (costs[number].total == 0 || kernel.file == kNoFrame) continue;
      const auto [first, is_new] = files.emplace(kernel.name, kernel.file);
      if (!is_new && first->second != kernel.file) apart.insert(kernel.name);
    }
  }
  const std::vector<uint32_t> kernels = renumber(kernel_table_, [&](Kernel key) {
    if (!apart.contains(key.name)) key.file = kNoFrame;
    return key;
  });
  join(Kind::kernel, kernels);
  join(Kind::instruction, renumber(instructions_, [&](Instruction key) {
         if (key.kernel != kNoKernel) key.kernel = kernels[key.kernel];
         return key;
       }));
  const std::vector<uint32_t> findings = renumber(findings_, [&](Finding key) {
    key.kernel = kernels[key.kernel];
    return key;
  });
  join(Kind::finding, findings);
  const std::vector<uint32_t> places = renumber(finding_places_, [&](FindingPlace key) {
    key.finding = findings[key.finding];
    return key;
  });
  std::vector<uint64_t> counts(finding_places_.size());
  for (size_t place = 0; place < places.size(); ++place)
    counts[places[place]] += finding_place_counts_[place];
  finding_place_counts_ = std::move(counts);
  for (std::vector<uint32_t>& kind : kernels_)
    for (uint32_t& kernel : kind)
      if (kernel < kNoKernel) kernel = kernels[kernel];
}

// Gives the things of a kind other numbers: several may become one, which has the sum of their
// costs. No stack is of two of them.
void Profile::join(Kind kind, const std::vector<uint32_t>& numbers) {
  const auto index = static_cast<size_t>(kind);
  for (Run& run : runs_) {
    std::vector<Cost> costs;
    for (size_t number = 0; number < run.costs[index].size(); ++number) {
      const Cost& cost = run.costs[index][number];
      const uint32_t to = numbers[number];
      if (to >= costs.size()) costs.resize(to + size_t{1});
      costs[to].total += cost.total;
      costs[to].self += cost.self;
    }
    run.costs[index] = std::move(costs);
    std::vector<Run::Series> series;
    for (size_t number = 0; number < run.series[index].size(); ++number) {
      const Run::Series& one = run.series[index][number];
      const uint32_t to = numbers[number];
      if (to >= series.size()) series.resize(to + size_t{1});
      run.blocks.add(series[to].total, one.total);
      run.blocks.add(series[to].self, one.self);
    }
    run.series[index] = std::move(series);
  }
  std::vector<uint32_t> kernels;
  for (size_t number = 0; number < kernels_[index].size(); ++number) {
    const uint32_t to = numbers[number];
    if (to >= kernels.size()) kernels.resize(to + size_t{1}, kNoStack);
    kernels[to] = kernels_[index][number];
  }
  kernels_[index] = std::move(kernels);
}

bool Profile::add(std::string_view stack, Count count) {
  Run& run = runs_[run_];
  if (!use_decimals(count.decimals) || !widen(count, decimals_) ||
      !add_checked(run.total, count.value))
    return false;
  ++run.stacks;
  if (count.value == 0) return true;
  if (run.smallest == 0 || count.value < run.smallest) run.smallest = count.value;
  frames_.split(stack);
  ++serial_;
  if (in_slice_) run.blocks.add(run.whole, count.value);
  find_layers(frames_.roles(), layers_);
  const std::vector<uint32_t>& path = frames_.path();
  // the outermost frame of the device
  const size_t kernel = layers_.kernel;
  kernel_ = kNoKernel;
  if (kernel != Layers::kNone) {
    const bool has_file = kernel > 0 && frames_.roles()[kernel - 1] == FrameRole::file;
    kernel_ = kernel_table_.number({has_file ? path[kernel - 1] : kNoFrame, path[kernel]});
  }
  const auto count_one = [&](Kind kind, size_t place, bool self) {
    this->count(kind, path[place], count.value, self, kernel <= place);
  };
  const bool is_idle = count_device(count.value);
  // what stands on idle time is no work of operators and functions
  if (is_idle) {
    count_idle(count.value);
    layers_.functions.clear();
    layers_.operators.clear();
    layers_.modules.clear();
  }
  for (const size_t place : layers_.functions)
    count_one(Kind::function, place, place == layers_.functions.back());
  for (const size_t place : layers_.operators)
    count_one(Kind::framework_operator, place, place == layers_.operators.back());
  count_modules(count.value);
  for (const size_t place : layers_.lines)
    count_one(Kind::line, place, place == layers_.lines.back());
  if (kernel != Layers::kNone)
    this->count(Kind::kernel, kernel_, count.value, kernel == layers_.functions.back(), true);
  if (layers_.reason != Layers::kNone) count_one(Kind::reason, layers_.reason, true);
  count_instruction(count.value);
  count_finding(stack, count.value);
  count_rank(count.value, is_idle);
  count_memory(count.value);
  if (counts_frames_)
    for (size_t i = 0; i < path.size(); ++i) count_one(Kind::frame, i, i + 1 == path.size());
  if (!run.matched.empty()) {
    const uint64_t matched = frames_.matches();
    for (size_t i = 0; i < run.matched.size(); ++i) {
      if ((matched >> i & 1) == 0) continue;
      run.matched[i] += count.value;
      if (in_slice_) run.blocks.add(run.matched_series[i], count.value);
    }
  }
  return true;
}

// When counts get finer, everything is in the finer unit from here on.
bool Profile::use_decimals(unsigned decimals) {
  for (; decimals_ < decimals; ++decimals_) {
    for (uint64_t& one : finding_place_counts_) one *= 10;
    rank_work_.multiply(10);
    for (Run& run : runs_) {
      // no other sum is greater than the total
      if (!multiply_checked(run.total, 10)) return false;
      run.smallest *= 10;
      for (uint64_t& one : run.matched) one *= 10;
      for (std::vector<Cost>& costs : run.costs) {
        for (Cost& cost : costs) {
          cost.total *= 10;
          cost.self *= 10;
        }
      }
    }
  }
  return true;
}

void Profile::count(Kind kind, uint32_t number, uint64_t count, bool self, bool in_kernel) {
  const auto index = static_cast<size_t>(kind);
  std::vector<uint64_t>& counted = counted_[index];
  std::vector<Cost>& costs = runs_[run_].costs[index];
  if (number >= counted.size()) counted.resize(number + size_t{1});
  if (number >= costs.size()) costs.resize(number + size_t{1});
  const bool first = counted[number] != serial_;
  if (first) costs[number].total += count;
  counted[number] = serial_;
  if (self) costs[number].self += count;
  if (in_slice_) {
    Run& run = runs_[run_];
    std::vector<Run::Series>& series = run.series[index];
    if (number >= series.size()) series.resize(number + size_t{1});
    if (first) run.blocks.add(series[number].total, count);
    if (self) run.blocks.add(series[number].self, count);
  }
  std::vector<uint32_t>& kernels = kernels_[index];
  if (number >= kernels.size()) kernels.resize(number + size_t{1}, kNoStack);
  const uint32_t kernel = in_kernel ? kernel_ : kNoKernel;
  if (kernels[number] == kNoStack) kernels[number] = kernel;
  if (kernels[number] == kernel) return;
  // kernels of one name may turn out to be one
  const auto name = [this](uint32_t one) {
    return one < kNoKernel ? kernel_table_.key(one).name : kNoFrame;
  };
  if (name(kernels[number]) != name(kernel)) kernels[number] = kNoKernel;
}

// PyTorch numbers the modules of a class, of which a model has hundreds: they are added up.
void Profile::count_modules(uint64_t count) {
  for (const size_t place : layers_.modules) {
    std::string_view name = without_annotation(frames_.names().text(frames_.path()[place]));
    const size_t number = name.find_last_not_of("0123456789") + 1;
    if (number > 1 && number < name.size() && name[number - 1] == '_')
      name.remove_suffix(name.size() - number + 1);
    this->count(Kind::module_class, modules_.number(name), count, place == layers_.modules.back(),
                false);
  }
}

// An instruction is identified by its kernel, the function that its offset counts from, and the
// offset; without it, by the source line.
void Profile::count_instruction(uint64_t count) {
  if (layers_.mnemonic == Layers::kNone && layers_.offset == Layers::kNone) return;
  const auto text = [&](size_t place) {
    return without_annotation(frames_.names().text(frames_.path()[place]));
  };
  std::string name;
  if (layers_.kernel != Layers::kNone) {
    name = text(layers_.kernel);
    const size_t holder = layers_.functions.back();
    if (holder != layers_.kernel) name.append(";").append(text(holder));
  }
  if (layers_.offset != Layers::kNone)
    name.append(name.empty() ? "" : "+").append(text(layers_.offset));
  else if (!layers_.lines.empty() && structure_)
    name.append(name.empty() ? "" : " ").append(text(layers_.lines.back()));
  if (layers_.mnemonic != Layers::kNone)
    name.append(name.empty() ? "" : " ").append(text(layers_.mnemonic));
  const uint32_t number = instructions_.number({kernel_, instruction_texts_.number(name)});
  this->count(Kind::instruction, number, count, true, true);
}

// `stackcollapse-aiflame --exposed` puts each stall under one of two roots.
void Profile::count_finding(std::string_view stack, uint64_t count) {
  if (layers_.kernel == Layers::kNone || layers_.reason == Layers::kNone) return;
  const std::vector<uint32_t>& path = frames_.path();
  const uint32_t number = findings_.number({kernel_, path[layers_.reason]});
  const std::string_view root = first_frame(stack);
  const bool is_hidden = root == "[hidden]";
  tells_exposed_ = tells_exposed_ || is_hidden || root == "[exposed]";
  this->count(Kind::finding, number, count, !is_hidden, true);
  if (is_hidden) return;
  FindingPlace place{number};
  if (!layers_.lines.empty()) place.line = path[layers_.lines.back()];
  if (layers_.mnemonic != Layers::kNone) place.mnemonic = path[layers_.mnemonic];
  if (layers_.offset != Layers::kNone) place.offset = path[layers_.offset];
  const uint32_t at = finding_places_.number(place);
  if (at >= finding_place_counts_.size()) finding_place_counts_.resize(at + size_t{1});
  finding_place_counts_[at] += count;
}

// Returns whether the stack is idle time. Samples of stalls have marks, too, and a reason.
bool Profile::count_device(uint64_t count) {
  if (layers_.reason != Layers::kNone) return false;
  const std::vector<uint32_t>& path = frames_.path();
  roots_.clear();
  for (size_t i = 0; i < std::min(path.size(), kMarkedFrames); ++i)
    roots_.push_back(frames_.names().text(path[i]));
  const bool has_kernel = layers_.kernel != Layers::kNone;
  const DeviceTime time = device_time_of(
      roots_, has_kernel ? frames_.names().text(path[layers_.kernel]) : std::string_view());
  // folded stalls without their reasons have the marks, too
  if (time.marked && !time.idle && !counts_time_) return false;
  tells_device_time_ = tells_device_time_ || time.marked;
  if (!time.row.empty())
    this->count(Kind::device, device_rows_.number(time.row), count, !time.hidden, false);
  if (!time.cause.empty())
    this->count(Kind::device, device_rows_.number(time.cause), count, true, false);
  return time.idle;
}

void Profile::count_idle(uint64_t count) {
  const std::vector<uint32_t>& path = frames_.path();
  size_t begin = path.size();
  while (!is_idle_frame(frames_.names().text(path[begin - 1]))) --begin;
  for (const size_t place : layers_.functions)
    if (place >= begin)
      this->count(Kind::idle, path[place], count, place == layers_.functions.back(), false);
}

// Ranks are among the first frames, as stackcollapse-aiflame --root host,rank writes them.
void Profile::count_rank(uint64_t count, bool is_idle) {
  const std::vector<uint32_t>& path = frames_.path();
  const auto end = path.begin() + static_cast<std::ptrdiff_t>(std::min(path.size(), kRoots));
  const auto rank = std::find_if(path.begin(), end, [this](uint32_t frame) {
    return frames_.names().text(frame).starts_with(kRankFrame);
  });
  if (rank == end) return;
  const bool is_work = !is_idle && !communicates();
  this->count(Kind::rank, *rank, count, is_work, false);
  rank_work_.see(*rank);
  if (!is_work) return;
  RankWork::Key key{*rank, RankWork::kNone, RankWork::kNone};
  if (layers_.kernel != Layers::kNone)
    key.place = path[layers_.kernel];
  else if (!layers_.functions.empty())
    key.place = path[layers_.functions.back()];
  if (layers_.reason != Layers::kNone) key.reason = path[layers_.reason];
  rank_work_.add(key, count);
}

// Memory is held by the function that asked for it, the innermost one that the stack has.
void Profile::count_memory(uint64_t count) {
  constexpr std::string_view kLifetimes[] = {"[held over]", "[freed soon]", "[freed later]",
                                             "[not freed]"};
  const std::vector<uint32_t>& path = frames_.path();
  const auto end = path.begin() + static_cast<std::ptrdiff_t>(std::min(path.size(), kRoots));
  const auto lifetime = std::find_if(path.begin(), end, [&](uint32_t frame) {
    return std::find(std::begin(kLifetimes), std::end(kLifetimes), frames_.names().text(frame)) !=
           std::end(kLifetimes);
  });
  if (lifetime == end) return;
  this->count(Kind::memory, holders_.number({path.back(), *lifetime}), count, true, false);
}

bool Profile::communicates() const {
  return std::any_of(layers_.functions.begin(), layers_.functions.end(), [this](size_t place) {
    return is_communication(frames_.names().text(frames_.path()[place]));
  });
}

// "matmul.cl;" in front of the name of a kernel of which there are several.
std::string Profile::file_prefix(const Kernel& kernel) const {
  return kernel.file == kNoFrame ? "" : frame_text(kernel.file) + ";";
}

std::vector<std::string> Profile::kernels_of_name(const std::string& name) const {
  std::vector<std::string> out;
  for (uint32_t number = 0; number < kernel_table_.size(); ++number)
    if (kernel_table_.key(number).file != kNoFrame &&
        frame_text(kernel_table_.key(number).name) == name)
      out.push_back(this->name(Kind::kernel, number));
  std::sort(out.begin(), out.end());
  return out;
}

std::string Profile::frame_text(uint32_t frame) const {
  return frame == kNoFrame ? "" : std::string(without_annotation(frames_.names().text(frame)));
}

bool Profile::has(Kind kind) const {
  return std::any_of(runs_.begin(), runs_.end(),
                     [&](const Run& run) { return !run.costs[static_cast<size_t>(kind)].empty(); });
}

uint32_t Profile::size(Kind kind) const {
  if (kind == Kind::launch) return 0;
  if (kind == Kind::finding) return static_cast<uint32_t>(findings_.size());
  if (kind == Kind::memory) return static_cast<uint32_t>(holders_.size());
  if (kind == Kind::kernel) return static_cast<uint32_t>(kernel_table_.size());
  if (kind == Kind::instruction) return static_cast<uint32_t>(instructions_.size());
  return kind == Kind::module_class ? modules_.size()
         : kind == Kind::device     ? device_rows_.size()
                                    : frames_.names().size();
}

std::string Profile::name(Kind kind, uint32_t number) const {
  if (kind == Kind::kernel) {
    const Kernel& kernel = kernel_table_.key(number);
    return file_prefix(kernel) + frame_text(kernel.name);
  }
  if (kind == Kind::instruction) {
    const Instruction& instruction = instructions_.key(number);
    std::string text(instruction_texts_.text(instruction.text));
    if (instruction.kernel == kNoKernel) return text;
    return file_prefix(kernel_table_.key(instruction.kernel)) + text;
  }
  if (kind == Kind::module_class) return std::string(modules_.text(number));
  if (kind == Kind::device) return std::string(device_rows_.text(number));
  if (kind == Kind::finding)
    return name(Kind::reason, finding(number).reason) + " in " +
           name(Kind::kernel, finding(number).kernel);
  if (kind == Kind::memory) {
    const std::string_view lifetime = frames_.names().text(holders_.key(number).lifetime);
    return std::string(frames_.names().text(holders_.key(number).holder)) + ", " +
           std::string(lifetime.substr(1, lifetime.size() - 2));
  }
  if (kind == Kind::rank)
    return std::string(frames_.names().text(number).substr(kRankFrame.size()));
  const std::string_view frame = frames_.names().text(number);
  // only the annotation distinguishes functions of the CPU and of a device
  const bool whole = kind == Kind::function || kind == Kind::frame || kind == Kind::idle;
  return std::string(whole ? frame : without_annotation(frame));
}

Cost Profile::cost(Kind kind, uint32_t number, size_t run) const {
  const std::vector<Cost>& costs = runs_[run].costs[static_cast<size_t>(kind)];
  return number < costs.size() ? costs[number] : Cost();
}

const TimeSeries& Profile::series(Kind kind, uint32_t number, size_t run, bool self) const {
  static const TimeSeries kNone;
  const std::vector<Run::Series>& all = runs_[run].series[static_cast<size_t>(kind)];
  if (number >= all.size()) return kNone;
  return self ? all[number].self : all[number].total;
}

std::optional<uint32_t> Profile::kernel_of(Kind kind, uint32_t number) const {
  const std::vector<uint32_t>& kernels = kernels_[static_cast<size_t>(kind)];
  if (number >= kernels.size() || kernels[number] >= kNoKernel) return std::nullopt;
  // what is known by its own name alone may be in each of the kernels of one name
  if (kind != Kind::kernel && kind != Kind::instruction && kind != Kind::finding &&
      kernel_table_.key(kernels[number]).file != kNoFrame)
    return std::nullopt;
  return kernels[number];
}

bool Profile::find(Kind kind, const std::string& name, uint32_t& number) const {
  switch (kind) {
    case Kind::module_class:
      return modules_.find(name, number);
    case Kind::device:
      return device_rows_.find(name, number);
    case Kind::kernel:
    case Kind::instruction:
    case Kind::finding:
    case Kind::memory:
      for (number = 0; number < size(kind); ++number)
        if (this->name(kind, number) == name) return true;
      return false;
    case Kind::launch:
      return false;
    case Kind::rank:
      return frames_.names().find(std::string(kRankFrame) + name, number);
    case Kind::framework_operator:
      return frames_.names().find(name + "_[o]", number);
    case Kind::function:
    case Kind::frame:
    case Kind::idle:
      return frames_.names().find(name, number);
    case Kind::line:
      return frames_.names().find(name + "_[G]", number);
    case Kind::reason:
      return frames_.names().find(name + "_[g]", number);
  }
  return false;
}

}  // namespace aiflame::report
