# The agent `cuda` is left out without the headers of `cupti`: it needs CUDA's, and shares the file
# for NVTX.
# SPDX-License-Identifier: MIT
HEADER_cuda      = $(HEADER_cupti)
PACKAGE_cuda     = $(PACKAGE_cupti)
SHARED_agent_cuda := plugins/agents/cupti/nvtx.cc
# the agents' own objects bind dlsym to the C library's versions (old_libc.h), so ours has another name
LIBS_agent_cuda  := -Wl,--defsym=dlsym=aiflame_cuda_dlsym -Wl,-Bsymbolic-functions
