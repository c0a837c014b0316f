# SPDX-License-Identifier: MIT
# libelf is outside: Debian's libelf.a is for programs alone
LIBS_source_opencl-cpu = -lelf $(call static,iberty lzma)
