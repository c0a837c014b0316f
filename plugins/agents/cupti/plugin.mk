# The agent and the source `cupti` are left out without CUPTI's headers.
# SPDX-License-Identifier: MIT
CUDA_HOME     ?= /usr/local/cuda
# Without a toolkit, those of PyTorch's wheels will do: nvidia/cu13 of CUDA 13, and of CUDA 12
# nvidia/cuda_cupti and, with cuda.h, nvidia/cuda_runtime.
cuda_toolkit  := $(CUDA_HOME)/include $(wildcard $(CUDA_HOME)/extras/CUPTI/include)
cuda_wheels   := $(if $(wildcard $(cuda_toolkit:%=%/cupti_pcsampling.h)),,$(shell python3 -c \
  'import glob, sys; print(*sorted(found for place in sys.path if place for wheel in ("cu[0-9]*", "cuda_cupti", "cuda_runtime") for found in glob.glob(f"{place}/nvidia/{wheel}/include")))' 2> /dev/null))
cuda_include  := $(if $(wildcard $(cuda_wheels:%=%/cupti_pcsampling.h)),$(cuda_wheels),$(cuda_toolkit))
HEADER_cupti  := $(firstword $(wildcard $(cuda_include:%=%/cupti_pcsampling.h)) $(CUDA_HOME)/include/cupti_pcsampling.h)
PACKAGE_cupti := cuda-cupti-dev, of the CUDA toolkit, in CUDA_HOME, or of PyTorch (pip install nvidia-cuda-cupti nvidia-cuda-runtime)
# the parts that need no CUDA, for the unit tests
tested_agent_parts += $(patsubst %,plugins/agents/cupti/%.cc,cubin function_names node_table settings stall_names)
