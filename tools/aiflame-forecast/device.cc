// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/device.h"

#include <algorithm>
#include <cmath>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "tools/aiflame-forecast/key_lines.h"

namespace aiflame::forecast {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& path) : lines_(path, "a device's file") {}

  Device read() {
    std::string_view key;
    while (lines_.next(key)) read_value(key);
    require();
    return std::move(device_);
  }

 private:
  void read_value(std::string_view key) {
    if (key == "name") {
      if (!is_printable(lines_.rest()) || lines_.rest().empty())
        lines_.fail("a name is printable text");
      device_.name = lines_.rest();
    } else if (key == "source") {
      device_.sources.emplace_back(lines_.rest());
    } else if (key == "units") {
      device_.units = number("");
    } else if (key == "memory") {
      device_.memory = number("GB") * 1e9;
    } else if (key == "bandwidth") {
      device_.bandwidth = number("GB/s") * 1e9;
    } else if (key == "cache") {
      device_.cache = number("MB") * 1e6;
    } else if (key == "link") {
      device_.link = number("GB/s") * 1e9;
    } else if (key == "vector" || key == "matrix") {
      const size_t type = word(kDataTypeNames, "a data type");
      (key == "vector" ? device_.vector : device_.matrix)[type] = number("TFLOPS") * 1e12;
    } else if (key == "efficiency") {
      const size_t family = measured_family();
      device_.efficiency[family] = number("");
    } else if (key == "regression") {
      const size_t family = measured_family();
      const double slope = next_number();
      device_.regression[family] = Regression{slope, next_number()};
      lines_.end();
    } else {
      lines_.fail("unknown key '" + std::string(key) + "'");
    }
  }

  template <typename Names>
  size_t word(const Names& names, const char* what) {
    const std::string_view name = lines_.value();
    const auto place = find_name(names, name);
    if (!place) lines_.fail("'" + std::string(name) + "' is not " + what);
    return *place;
  }
  size_t measured_family() {
    const size_t family = word(kFamilyNames, "a family of operators");
    if (family >= kMeasuredFamilies) lines_.fail("this family is not measured");
    return family;
  }
  double next_number() {
    const auto value = parse_number<double>(lines_.value());
    if (!value || !std::isfinite(*value)) lines_.fail("expected a number");
    return *value;
  }
  // A positive number with its unit. The bounds keep all that is computed of it finite.
  double number(std::string_view unit) {
    const double value = next_number();
    if (value < 1e-6 || value > 1e9) lines_.fail("the number is out of range");
    if (!unit.empty() && lines_.value() != unit)
      lines_.fail("expected the unit " + std::string(unit));
    lines_.end();
    return value;
  }

  void require() const {
    const auto has_rate = [](const auto& rates) {
      return std::any_of(rates.begin(), rates.end(), [](double rate) { return rate > 0; });
    };
    const char* missing = nullptr;
    if (device_.name.empty()) missing = "name";
    if (device_.bandwidth == 0) missing = "bandwidth";
    if (!has_rate(device_.vector)) missing = "vector";
    if (missing != nullptr)
      throw Error(lines_.name() + ": no line '" + missing + "': not a device's file");
  }

  KeyLines lines_;
  Device device_;
};

}  // namespace

bool Device::is_measured() const {
  return std::any_of(efficiency.begin(), efficiency.end(),
                     [](const auto& one) { return one.has_value(); });
}

bool Device::has_type(DataType type) const {
  const size_t place = static_cast<size_t>(type);
  return vector[place] > 0 || matrix[place] > 0;
}

double Device::rate(bool of_matrix, DataType type) const {
  const size_t wanted = static_cast<size_t>(type);
  if (of_matrix && matrix[wanted] > 0) return matrix[wanted];
  if (vector[wanted] > 0) return vector[wanted];
  // Wider types first, from the next one on, since they hold the same numbers. Not tf32: programs
  // have to allow it.
  for (const bool narrower : {false, true})
    for (size_t step = 1; step < kDataTypes; ++step) {
      if (narrower ? wanted + step >= kDataTypes : step > wanted) break;
      const size_t other = narrower ? wanted + step : wanted - step;
      if (static_cast<DataType>(other) == DataType::tf32) continue;
      if (of_matrix && matrix[other] > 0) return matrix[other];
      if (vector[other] > 0) return vector[other];
    }
  return 0;
}

Device read_device(const std::string& path) {
  Device device = Reader(path).read();
  const size_t slash = path.rfind('/');
  device.file = path.substr(slash == std::string::npos ? 0 : slash + 1);
  if (device.file.ends_with(kDeviceSuffix))
    device.file.resize(device.file.size() - kDeviceSuffix.size());
  return device;
}

}  // namespace aiflame::forecast
