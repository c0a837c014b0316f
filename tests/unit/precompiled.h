// SPDX-License-Identifier: MIT
// The same for unit tests, in every build: see libcommon/base/precompiled.h.
#pragma once

#include <gtest/gtest.h>

#include "libcommon/base/precompiled.h"
