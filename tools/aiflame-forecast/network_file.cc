// SPDX-License-Identifier: MIT
#include <cmath>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "tools/aiflame-forecast/key_lines.h"
#include "tools/aiflame-forecast/network.h"

namespace aiflame::forecast {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& path) : lines_(path, "a file of weights") {}

  Networks read() {
    std::string_view key;
    while (lines_.next(key)) {
      if (key != "network") lines_.fail("unknown key '" + std::string(key) + "'");
      read_network();
    }
    return std::move(networks_);
  }

 private:
  void read_network() {
    const std::string_view name = lines_.value();
    const auto place = find_name(kFamilyNames, name);
    if (!place || !is_product(static_cast<Family>(*place)))
      lines_.fail("'" + std::string(name) + "' is not a family of products");
    const Family family = static_cast<Family>(*place);
    const std::string_view device = lines_.value();
    if (device.empty()) lines_.fail("expected a device");
    if (networks_.has(family, device)) lines_.fail("the same device again");
    Network network;
    for (std::array<double, 3>* weights : {&network.gain, &network.loss})
      for (double& weight : *weights) weight = number();
    for (Network::Range* range : {&network.intensity, &network.waves}) {
      range->low = number();
      range->high = number();
      if (range->low > range->high) lines_.fail("a range ends before it begins");
    }
    lines_.end();
    networks_.add(family, device, network);
  }

  // The bound keeps all that is computed of it finite.
  double number() {
    constexpr double kMost = 100;
    const auto value = parse_number<double>(lines_.value());
    if (!value || !(std::abs(*value) <= kMost)) lines_.fail("expected a number from -100 to 100");
    return *value;
  }

  KeyLines lines_;
  Networks networks_;
};

}  // namespace

Networks read_networks(const std::string& path) {
  return Reader(path).read();
}

}  // namespace aiflame::forecast
