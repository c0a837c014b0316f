// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-ncu/source_page.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "libcommon/base/count.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/device/function_name.h"
#include "libcommon/import/csv_reader.h"
#include "libcommon/io/input.h"

namespace aiflame::ncu {
namespace {

// What a file looks like. There is a block for each launch of a kernel that was profiled (an
// instance). With `--print-source sass`, the default:
//
//   "Kernel Name","void mm<(int)32>(float *, float *)",
//   "Address","Source","# Samples","Instructions Executed",...,"stall_barrier","stall_wait",...
//   "0x7fc48541d900","      IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ","42","3,632",...,"10","32",...
//
// With `--print-source cuda,sass` there is a block for each launch and source file. A row of a
// source line sums up the rows of its instructions, which follow it, so it is not counted. An
// instruction that was inlined stands under more than one line:
//
//   "File Path","/src/mm.cu"
//   "Function Name","mm"
//   "Line No","Source","Address","Source","# Samples",...
//   "41","  sum += a[i] * b[i];","-","-","97",...
//   "","","0x7fc48541d900","      FFMA R8, R2, R3, R8","42",...
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
  // An instruction's count for one reason; its offset is known when the block has been read.
  struct Counted {
    uint32_t stack;
    uint64_t address, count;
  };

  bool is_whole(std::string_view line) const;
  void read_row();
  bool read_title();
  void begin_block(const SourceColumns& columns);
  void end_instance();
  void read_counts();
  void add_row(std::optional<uint64_t> address, uint64_t sum, uint64_t all);
  uint32_t code_stack(std::optional<uint64_t> address);
  bool is_repeated(uint64_t address);
  void fail(const std::string& what) const { throw Error(lines_.place() + ": " + what); }

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
  uint64_t line_ = 0;
  std::vector<uint64_t> counts_;  // of the row, by reason
  std::vector<Counted> counted_;
  std::unordered_map<uint64_t, std::vector<uint64_t>> seen_;  // counts by address
  bool has_instructions_ = false;
  uint64_t sum_of_lines_ = 0;
};

void SourcePage::read() {
  std::string_view line;
  while (lines_.next(line)) {
    if (lines_.line_number() == 1) {
      take_prefix(line, "\xef\xbb\xbf");  // a byte order mark
      if (line.starts_with("\xff\xfe")) fail("is UTF-16; convert it with iconv -f UTF-16");
    }
    if (!is_whole(line)) {
      warn("%s: the file is cut in this line, which is not used", lines_.place().c_str());
      break;
    }
    if (split_csv(line, fields_, unquoted_)) {
      read_row();
    } else if (columns_ && line.starts_with('"')) {
      fail("its quotes do not match");
    }
  }
  end_instance();
  if (!columns_)
    throw Error(lines_.name() +
                ": has no source page of Nsight Compute; ncu --import FILE --csv --page source "
                "writes one");
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
      warn("%s: the file is cut in this line, which is not used", lines_.place().c_str());
    else if (is_instruction)
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
  line_ = 0;
  columns_ = columns;
  reasons_.clear();
  for (const SourceColumns::Reason& reason : columns.reasons)
    reasons_.push_back(stacks_.frame(reason_frame(reason.name)));
  is_first_row_ = true;
}

void SourcePage::end_instance() {
  uint64_t start = UINT64_MAX;
  for (const Counted& one : counted_) start = std::min(start, one.address);
  for (const auto& [address, counts] : seen_) start = std::min(start, address);
  uint64_t address = 0;
  std::optional<uint32_t> offset;  // of that address: rows have several reasons
  for (const Counted& one : counted_) {
    if (!offset || address != one.address)
      offset = stacks_.frame(offset_frame(one.address - start));
    address = one.address;
    stacks_.add(stacks_.child(one.stack, *offset), one.count);
  }
  if (!has_instructions_ && sum_of_lines_ > 0) {
    stacks_.read(sum_of_lines_);
    stacks_.lose("source lines without instructions", sum_of_lines_);
  }
  counted_.clear();
  seen_.clear();
  files_.clear();
  has_instructions_ = false;
  sum_of_lines_ = 0;
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
  if (columns_->line)
    if (const auto line = parse_number<uint64_t>(fields_[*columns_->line])) line_ = *line;
  if (columns_->address && !address) {
    const bool is_line = columns_->line && line_ > 0;
    if (is_line && !add_checked(sum_of_lines_, weight)) fail("the counts are too large");
    if (is_line || weight == 0) return;
    stacks_.read(weight);
    stacks_.lose("rows without an address", weight);
    return;
  }
  has_instructions_ = true;
  if (address && is_repeated(*address)) return;
  if (weight == 0) return;
  stacks_.read(weight);
  const uint32_t code = code_stack(address);
  const auto add = [&](uint32_t reason, uint64_t count) {
    const uint32_t stack = stacks_.child(code, reason);
    if (address)
      counted_.push_back({stack, *address, count});
    else
      stacks_.add(stack, count);
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

// The frames from the kernel to the instruction.
uint32_t SourcePage::code_stack(std::optional<uint64_t> address) {
  uint32_t stack = kernel_stack_;
  if (line_ > 0 && !file_.empty())
    stack = stacks_.child(stack, device_file_frame(file_, line_, rules_.names));
  // without an address, the text of a source file is no instruction
  if (address || file_.empty())
    stack = stacks_.child(stack, instruction_frame(fields_[columns_->text]));
  return stack;
}

// Whether the row shows an instruction again, for another line that it was inlined into. The first
// instruction of a kernel may have no samples, so addresses are kept in any case.
bool SourcePage::is_repeated(uint64_t address) {
  // without lines, the first row is the kernel's start, and no row is repeated
  if (!columns_->line && !seen_.empty()) return false;
  const auto [at, is_new] = seen_.try_emplace(address, counts_);
  return !is_new && at->second == counts_;
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
