# The agent and the source `cupti` are left out without CUPTI's headers.
# SPDX-License-Identifier: MIT
CUDA_HOME     ?= /usr/local/cuda
cuda_include  := $(CUDA_HOME)/include $(wildcard $(CUDA_HOME)/extras/CUPTI/include)
HEADER_cupti  := $(firstword $(wildcard $(cuda_include:%=%/cupti_pcsampling.h)) $(CUDA_HOME)/include/cupti_pcsampling.h)
PACKAGE_cupti := cuda-cupti-dev, of the CUDA toolkit, in CUDA_HOME
# the parts that need no CUDA, for the unit tests
tested_agent_parts += $(patsubst %,plugins/agents/cupti/%.cc,cubin function_names settings stall_names)
