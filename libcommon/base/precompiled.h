// SPDX-License-Identifier: MIT
// What most sources include, parsed once for all of them: the Makefile forces it upon builds
// without optimisation, where headers take most of the time. No source may count on it, as the
// programs are built without. No <filesystem> or <iomanip>: their std::quoted() is in the way of
// quoted().
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>
