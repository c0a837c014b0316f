// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-ncu/source_page.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "libcommon/base/count.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/import/csv_reader.h"
#include "libcommon/import/importer.h"
#include "libcommon/io/input.h"

namespace aiflame::ncu {
namespace {

// Rows that say what the next block is about have no more fields than this.
constexpr size_t kTitleFields = 3;

// What a file looks like. There is a block for each launch of a kernel that was profiled (an
// instance). With `--print-source sass`, the default:
//
//   "Kernel Name","void mm<(int)32>(float *, float *)",
//   "Address","Source","# Samples","Instructions Executed",...,"stall_barrier","stall_wait",...
//   "0x7fc48541d900","      IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ","42","3,632",...,"10","32",...
//
// With `--print-source cuda,sass` there is a block for each launch and source file. A row of a
// source line sums up the rows of its instructions, which follow it, so it is not counted. Dots
// stand for instructions of other lines. An instruction that was inlined stands under each line of
// its chain of calls, in whatever order. Quotes in the text of a line are not doubled:
//
//   "File Path","/src/mm.cu"
//   "Function Name","mm"
//   "Line No","Source","Address","Source","# Samples",...
//   "41","asm volatile("ldmatrix" : "=r"(a), "l"(b));","-","-","97",...
//   "","","0x7fc48541d900","      FFMA R8, R2, R3, R8","42",...
//   "","","...","...","-",...
//
// Units may stand in a row below the header. What the profiled program printed, and ncu's own lines
// ("==PROF== Connected to process 4711"), may stand anywhere between the rows.
class SourcePage {
 public:
  SourcePage(const std::string& path, const SourceRules& rules, ImportedStacks& stacks)
      : lines_(path), rules_(rules), stacks_(stacks) {
    launch_ = stacks.child(stacks.root("[device]"), "[unknown launch]");
    launch_ = stacks.child(launch_, "-");
  }

  void read();

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // A source line of a launch. `rows`: of its instructions.
  struct Line {
    uint32_t frame, rows;
  };
  struct Instruction {
    uint64_t address;
    uint32_t frame, line;
  };
  // An instruction's count for one reason.
  struct Counted {
    uint32_t instruction, reason;
    uint64_t count;
  };
  // An instruction stands under a line.
  struct Placed {
    uint32_t instruction, line;
  };
  struct Seen {
    uint32_t instruction;
    uint64_t hash;  // of its counts
  };

  bool is_whole(std::string_view line) const;
  bool split(std::string_view line);
  void read_row();
  bool read_title();
  void begin_block(const SourceColumns& columns);
  void end_instance();
  void read_counts();
  void add_row(std::optional<uint64_t> address, uint64_t sum, uint64_t all);
  void add_counts(uint32_t instruction, uint64_t sum, uint64_t all);
  void begin_line();
  uint32_t find_instruction(uint64_t address);
  void place_instructions();
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(lines_.place() + ": " + what);
  }

  LineReader lines_;
  const SourceRules& rules_;
  ImportedStacks& stacks_;
  uint32_t launch_;

  std::vector<std::string_view> fields_;
  std::string unquoted_;

  // what the rows in front of a header say
  std::optional<std::string> kernel_name_, function_name_, file_path_;
  std::map<std::string, uint64_t> launches_;  // by the kernel's name

  std::optional<SourceColumns> columns_;
  std::vector<uint32_t> reasons_;  // frames of the columns' reasons
  bool is_first_row_ = false;
  std::string kernel_, file_;
  std::set<std::string> files_;  // of this instance
  uint32_t kernel_stack_ = 0;
  std::vector<uint64_t> counts_;  // of the row, by reason

  // of this instance
  uint32_t line_ = kNone;  // of the rows that follow
  std::vector<Line> source_lines_;
  std::vector<Instruction> instructions_;
  std::vector<Placed> placed_;
  std::vector<Counted> counted_;
  std::unordered_map<uint64_t, Seen> seen_;  // by address
  uint64_t start_ = UINT64_MAX;              // the lowest address
  bool has_instructions_ = false;
  uint64_t sum_of_lines_ = 0;
};

void SourcePage::read() {
  std::string_view line;
  while (lines_.next(line)) {
    if (!is_whole(line)) {
      if (columns_) warn_of_cut(lines_.place());
      break;
    }
    if (split(line))
      read_row();
    else if (columns_ && line.starts_with('"'))
      fail("its quotes do not match");
  }
  end_instance();
  if (!columns_)
    throw Error(lines_.name() +
                ": has no source page of Nsight Compute; ncu --import FILE --csv --page source "
                "writes one");
}

// A row, whose text may hold quotes that are not doubled. What is between the fields in front of it
// and those behind it is then the text.
bool SourcePage::split(std::string_view line) {
  const bool is_csv = split_csv(line, fields_, unquoted_);
  // a text such as `f(a","b)` makes more fields of it
  if (is_csv && (!columns_ || fields_.size() <= columns_->count + 1 ||
                 SourceColumns::parse(fields_, rules_.samples)))
    return true;
  line = trim_right(line);
  if (!columns_ || line.size() < 2 || !line.starts_with('"') || !line.ends_with('"')) return is_csv;
  line = line.substr(1, line.size() - 2);
  constexpr std::string_view kSeparator = "\",\"";
  const size_t behind = columns_->count - columns_->first_text - 1;
  fields_.clear();
  for (size_t i = 0; i < columns_->first_text; ++i) {
    const size_t end = line.find(kSeparator);
    if (end == std::string_view::npos) return false;
    fields_.push_back(line.substr(0, end));
    line.remove_prefix(end + kSeparator.size());
  }
  for (size_t i = 0; i < behind; ++i) {
    const size_t begin = line.rfind(kSeparator);
    if (begin == std::string_view::npos) return false;
    fields_.push_back(line.substr(begin + kSeparator.size()));
    line = line.substr(0, begin);
  }
  fields_.push_back(line);
  std::reverse(fields_.begin() + static_cast<ptrdiff_t>(columns_->first_text), fields_.end());
  return true;
}

// Only the last line may be cut. Its last field is whole if its quote is closed.
bool SourcePage::is_whole(std::string_view line) const {
  return lines_.terminated() || trim_right(line).ends_with('"') || trim_right(line).empty();
}

void SourcePage::read_row() {
  if (fields_.size() < 2) return;  // of no table
  const bool is_instruction = fields_.front().starts_with("0x");
  if (!is_instruction && read_title()) return;
  std::optional<SourceColumns> columns;
  if (!is_instruction) columns = SourceColumns::parse(fields_, rules_.samples);
  if (columns) {
    begin_block(*columns);
  } else if (columns_) {
    // an empty field may end a line
    if (fields_.size() == columns_->count + 1 && fields_.back().empty()) fields_.pop_back();
    if (fields_.size() == columns_->count)
      read_counts();
    else if (!lines_.terminated())
      warn_of_cut(lines_.place());
    else if (fields_.size() > kTitleFields)
      fail(format("has %zu fields, and the header has %zu", fields_.size(), columns_->count));
  }
}

bool SourcePage::read_title() {
  const std::string_view key = fields_[0];
  auto* const value = key == "Kernel Name"                       ? &kernel_name_
                      : key == "Function Name"                   ? &function_name_
                      : key == "File Path" || key == "File Name" ? &file_path_
                                                                 : nullptr;
  if (value == nullptr) return false;
  *value = fields_[1];
  return true;
}

void SourcePage::begin_block(const SourceColumns& columns) {
  if (columns.reasons.empty() && !columns.samples)
    fail(
        rules_.samples == Samples::all
            ? "no column of a stall reason ('stall_wait'); ncu --section SourceCounters counts them"
            : "no column of an exposed stall ('stall_wait (Not Issued)')");
  const std::string name = kernel_name_     ? *kernel_name_
                           : function_name_ ? *function_name_
                                            : kernel_;
  const std::string file = file_path_.value_or("");
  // a further file of the same launch, or another launch
  if (!columns_ || kernel_name_ || name != kernel_ || files_.contains(file)) {
    end_instance();
    kernel_ = name;
    const uint64_t launch = ++launches_[name];
    std::string frame = kernel_frame(name, rules_.names);
    if (rules_.instances)
      frame.insert(frame.rfind("_[G]"), format(" #%llu", static_cast<unsigned long long>(launch)));
    kernel_stack_ = stacks_.child(launch_, frame);
  }
  file_ = file;
  files_.insert(file);
  kernel_name_ = function_name_ = file_path_ = std::nullopt;
  line_ = kNone;
  columns_ = columns;
  reasons_.clear();
  for (const SourceColumns::Reason& reason : columns.reasons)
    reasons_.push_back(stacks_.frame(reason_frame(reason.name)));
  is_first_row_ = true;
}

void SourcePage::end_instance() {
  place_instructions();
  uint32_t last = kNone, stack = 0, offset = 0;  // an instruction has several reasons
  for (const Counted& one : counted_) {
    const Instruction& it = instructions_[one.instruction];
    if (one.instruction != last) {
      stack = kernel_stack_;
      if (it.line != kNone) stack = stacks_.child(stack, source_lines_[it.line].frame);
      stack = stacks_.child(stack, it.frame);
      offset = stacks_.frame(offset_frame(it.address - start_));
      last = one.instruction;
    }
    stacks_.add(stacks_.child(stacks_.child(stack, one.reason), offset), one.count);
  }
  if (!has_instructions_ && sum_of_lines_ > 0) {
    stacks_.read(sum_of_lines_);
    stacks_.lose("source lines without instructions", sum_of_lines_);
  }
  source_lines_.clear();
  instructions_.clear();
  placed_.clear();
  counted_.clear();
  seen_.clear();
  start_ = UINT64_MAX;
  files_.clear();
  has_instructions_ = false;
  sum_of_lines_ = 0;
}

// Of the lines of an inlined instruction, the one with the fewest instructions says most: a line of
// a template that calls everything says nothing.
void SourcePage::place_instructions() {
  for (const auto& [instruction, line] : placed_) {
    uint32_t& best = instructions_[instruction].line;
    if (best == kNone || source_lines_[line].rows < source_lines_[best].rows) best = line;
  }
}

void SourcePage::read_counts() {
  const bool is_first = std::exchange(is_first_row_, false);
  std::optional<uint64_t> address;
  if (columns_->address) {
    std::string_view text = fields_[*columns_->address];
    take_prefix(text, "0x");
    address = parse_hex(text);
  }
  counts_.clear();
  uint64_t sum = 0;
  for (const SourceColumns::Reason& reason : columns_->reasons) {
    const auto count = parse_samples(fields_[reason.column]);
    if (!count && is_first && !address) return;  // units
    if (!count || !add_checked(sum, *count))
      fail("'" + std::string(fields_[reason.column]) + "' is not a number of samples");
    counts_.push_back(*count);
  }
  const auto all = columns_->samples ? parse_samples(fields_[*columns_->samples]) : sum;
  if (!all && is_first && !address) return;
  if (!all) fail("'" + std::string(fields_[*columns_->samples]) + "' is not a number of samples");
  add_row(address, sum, *all);
}

void SourcePage::add_row(std::optional<uint64_t> address, uint64_t sum, uint64_t all) {
  const uint64_t weight = std::max(sum, all);
  begin_line();
  if (columns_->address && !address) {
    const bool is_of_line = columns_->line && line_ != kNone;
    if (is_of_line && !add_checked(sum_of_lines_, weight)) fail("the counts are too large");
    if (is_of_line || weight == 0) return;
    stacks_.read(weight);
    stacks_.lose("rows without an address", weight);
    return;
  }
  has_instructions_ = true;
  const auto known = static_cast<uint32_t>(instructions_.size());
  const uint32_t instruction = address ? find_instruction(*address) : kNone;
  if (instruction < known || weight == 0) return;
  stacks_.read(weight);
  add_counts(instruction, sum, all);
}

// kNone: a row without an address, of source text alone.
void SourcePage::add_counts(uint32_t instruction, uint64_t sum, uint64_t all) {
  uint32_t stack = kernel_stack_;
  if (instruction == kNone && line_ != kNone)
    stack = stacks_.child(stack, source_lines_[line_].frame);
  else if (instruction == kNone)
    stack = stacks_.child(stack, instruction_frame(fields_[columns_->text]));
  const auto add = [&](uint32_t reason, uint64_t count) {
    if (instruction == kNone)
      stacks_.add(stacks_.child(stack, reason), count);
    else
      counted_.push_back({instruction, reason, count});
  };
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    add(reasons_[i], counts_[i]);
    if (columns_->reasons[i].name == "selected") stacks_.part("issued, not stalled", counts_[i]);
  }
  if (all > sum) {
    add(stacks_.frame("[unknown]_[g]"), all - sum);
    stacks_.part("without a reason", all - sum);
  } else if (sum > all) {
    stacks_.part("more than the sum that the file states", sum - all);
  }
}

// A number in the column of lines begins a line.
void SourcePage::begin_line() {
  // the numbers of a listing without a file tell nothing
  if (!columns_->line || (file_.empty() && !columns_->address)) return;
  const auto number = parse_number<uint64_t>(fields_[*columns_->line]);
  if (!number || *number == 0) return;
  line_ = static_cast<uint32_t>(source_lines_.size());
  const std::string& file = file_.empty() ? "[unknown]" : file_;
  source_lines_.push_back({stacks_.frame(device_file_frame(file, *number, rules_.names)), 0});
}

// The instruction of the row: one that is there, if the row shows it again under another line, or a
// new one.
uint32_t SourcePage::find_instruction(uint64_t address) {
  start_ = std::min(start_, address);
  auto instruction = static_cast<uint32_t>(instructions_.size());
  bool is_new = true;
  if (columns_->line) {
    uint64_t hash = 0;
    for (const uint64_t count : counts_) hash = (hash ^ (hash >> 32) ^ count) * 0x9e3779b97f4a7c15;
    const auto [at, is_first] = seen_.try_emplace(address, Seen{instruction, hash});
    is_new = is_first || at->second.hash != hash;
    if (!is_new) instruction = at->second.instruction;
  }
  if (is_new)
    instructions_.push_back(
        {address, stacks_.frame(instruction_frame(fields_[columns_->text])), kNone});
  if (line_ != kNone) {
    ++source_lines_[line_].rows;
    placed_.push_back({instruction, line_});
  }
  return instruction;
}

}  // namespace

std::optional<uint64_t> parse_samples(std::string_view cell) {
  cell = trim_left(cell);
  if (cell.empty() || cell == "-" || cell.ends_with("n/a")) return 0;
  // "1,024.00" with --print-fp
  const size_t point = cell.find('.');
  if (point != std::string_view::npos &&
      cell.find_first_not_of('0', point + 1) != std::string_view::npos)
    return std::nullopt;
  std::string digits;
  for (const char c : cell.substr(0, point))
    if (c != ',') digits += c;
  return parse_number<uint64_t>(digits);
}

void read_source_page(const std::string& path, const SourceRules& rules, ImportedStacks& stacks) {
  SourcePage(path, rules, stacks).read();
}

}  // namespace aiflame::ncu
