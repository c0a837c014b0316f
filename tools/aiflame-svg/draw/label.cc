// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/label.h"

#include <cstdint>
#include <vector>

#include "libcommon/base/utf8.h"
#include "tools/aiflame-svg/draw/short_forms.h"

namespace aiflame::svg {
namespace {

constexpr double kVerdanaMean = 0.59;
constexpr double kIndent = 3;       // left of the text in its frame
constexpr double kOutdent = 2;      // right of it
constexpr double kShareRoom = 70;   // beside a name: less has no room for its share
constexpr double kTail = 0.4;       // of a cut name: what its end gets
constexpr double kNarrowest = 0.2;  // of the font size: narrower than any character
constexpr std::string_view kCut = "…";

// Advance widths of the characters from ' ' to '~', in thousandths of the font size: the wider of
// Verdana and DejaVu Sans, which replaces Verdana on Linux.
constexpr uint16_t kVerdana[] = {
    352, 401, 460, 838, 636, 1076, 780, 275, 454, 454, 636, 838, 364, 454,  364, 454, 636, 636, 636,
    636, 636, 636, 636, 636, 636,  636, 454, 454, 838, 838, 838, 545, 1000, 684, 686, 698, 771, 632,
    575, 775, 752, 421, 455, 693,  557, 863, 748, 787, 603, 787, 695, 684,  616, 732, 684, 989, 685,
    615, 685, 454, 454, 454, 838,  636, 636, 613, 635, 550, 635, 615, 352,  635, 634, 278, 344, 592,
    278, 974, 634, 612, 635, 635,  427, 521, 394, 634, 592, 818, 592, 592,  525, 636, 454, 636, 838,
};

bool is_square(uint32_t code) {
  return (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xd7a3) ||
         (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe30 && code <= 0xfe6f) ||
         (code >= 0xff00 && code <= 0xffe6) || code == kReplacement;
}

double character_width(uint32_t code, const Font& font) {
  if (code >= 0x300 && code <= 0x36f) return 0;  // combining marks
  if (code >= 0x1f000) return 1.3 * font.size;   // emoji
  if (is_square(code)) return 1.05 * font.size;
  if (font.family != "Verdana") return font.width * font.size;
  const double scale = font.size * font.width / kVerdanaMean;
  if (code >= 0x20 && code < 0x7f) return kVerdana[code - 0x20] * scale / 1000;
  if (code == 0x2026) return scale;  // "…"
  return (code < 0x2000 ? 0.75 : 0.9) * scale;
}

}  // namespace

std::string cut_middle(std::string_view text, double room, const Font& font) {
  struct Character {
    size_t end;
    double width;
  };
  std::vector<Character> characters;
  for (std::string_view rest = text; !rest.empty();) {
    const uint32_t code = take_code_point(rest);
    characters.push_back({text.size() - rest.size(), character_width(code, font)});
  }
  const double free = room - text_width(kCut, font);
  size_t first = 0, last = characters.size();
  double used = 0;
  while (last > 0 && used + characters[last - 1].width <= kTail * free)
    used += characters[--last].width;
  if (characters.size() - last < 2) {  // one character at the end says nothing
    last = characters.size();
    used = 0;
  }
  while (first < last && used + characters[first].width <= free) used += characters[first++].width;
  if (first < 2) return "";
  std::string begin(text.substr(0, characters[first - 1].end));
  std::string_view end = text.substr(characters[last - 1].end);
  // a name that was cut before has dots of its own
  while (begin.ends_with('.') || begin.ends_with(kCut))
    begin.resize(begin.size() - (begin.ends_with('.') ? 1 : kCut.size()));
  while (end.starts_with('.') || end.starts_with(kCut))
    end.remove_prefix(end.starts_with('.') ? 1 : kCut.size());
  return begin.append(kCut).append(end);
}

double text_width(std::string_view text, const Font& font) {
  double width = 0;
  while (!text.empty()) width += character_width(take_code_point(text), font);
  return width;
}

std::string fitting_label(std::string_view name, double width, const Font& font) {
  const double characters = width / (font.size * font.width);
  if (characters < 3) return "";
  const auto most = static_cast<size_t>(characters);
  const double room = width - kIndent - kOutdent;
  const double dots = text_width("..", font);
  // the longest beginning that leaves room for the dots
  size_t cut = 0, count = 0;
  double used = 0;
  std::string_view rest = name;
  while (!rest.empty() && count <= most && used <= room) {
    if (count + 2 <= most && used + dots <= room) cut = name.size() - rest.size();
    used += character_width(take_code_point(rest), font);
    ++count;
  }
  if (rest.empty() && count <= most && used <= room) return std::string(name);
  if (cut == 0) return "";
  return std::string(name.substr(0, cut)) + "..";
}

std::string fitting_form(std::string_view name, double room, const Font& font) {
  if (text_width(name, font) <= room) return std::string(name);
  const std::vector<std::string> forms = short_forms(name);
  for (const std::string& form : forms)
    if (text_width(form, font) <= room) return form;
  return cut_middle(forms.back(), room, font);
}

std::string brief_label(std::string_view name, std::string_view share, double width,
                        const Font& font) {
  const double room = width - kIndent - kOutdent;
  if (room < kNarrowest * font.size) return "";  // so are most frames of a large profile
  std::string label = fitting_form(name, room, font);
  if (label.empty() || share.empty() || room - text_width(label, font) <= kShareRoom) return label;
  return label.append(" ").append(share);
}

}  // namespace aiflame::svg
