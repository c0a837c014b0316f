# The agent and the source `level-zero` are left out without this header.
# SPDX-License-Identifier: MIT
MACHINE_level-zero := x86_64
HEADER_level-zero  := /usr/include/level_zero/ze_ddi.h
PACKAGE_level-zero := libze-dev
