# SPDX-License-Identifier: MIT
LIBS_source_opencl-cpu := -lelf -liberty -llzma
