# How the programs that tests, demos and benchmarks run are built; included by the Makefile.
# SPDX-License-Identifier: MIT

$(O)/tests/unit: $(call objects,$(unit_sources) $(tested_sources)) $(libcommon)
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) $(ALL_LDFLAGS) -o $@ $^ $(LIBPERF_LIBS) -lbpf $(SYMBOL_LIBS) -ltraceevent -lunwind -lre2 -lsqlite3 -lcurl \
	  -ldl $(COMMON_LIBS) -lgtest -lgtest_main -lpthread

# Each demo is built twice: NAME without frame pointers, NAME-fp with. The kernels lie beside them.
demo_shared   := $(patsubst %,tests/demo/%.o,core_time opencl)
demo_programs := $(DEMOS:%=$(O)/tests/demo/%)
demo_kernels  := $(patsubst %,$(O)/%,$(wildcard tests/demo/*.cl))

$(demo_programs): $(O)/tests/demo/%: $(O)/demo/tests/demo/%.o $(addprefix $(O)/demo/,$(demo_shared))
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) $(LDFLAGS) -o $@ $^ -lOpenCL

$(demo_programs:%=%-fp): $(O)/tests/demo/%-fp: $(O)/demo-fp/tests/demo/%.o \
    $(addprefix $(O)/demo-fp/,$(demo_shared))
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) $(LDFLAGS) -o $@ $^ -lOpenCL

$(demo_kernels): $(O)/%: %
	@mkdir -p $(@D)
	$(Q)cp $< $@

# a platform that does nothing, for OCL_ICD_VENDORS
$(O)/tests/libopencl-null.so: tests/fakes/opencl-null/opencl_null.cc $(O)/flags
	@mkdir -p $(@D) $(O)/demo/tests
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) $(DEMO_CXXFLAGS) -fPIC -fvisibility=hidden -shared -MMD -MP \
	  -MF $(O)/demo/tests/opencl_null.d $(LDFLAGS) -o $@ $<

# PyTorch's engine of backward passes, for tests/demo/python_launches.py
$(O)/tests/libautograd-fake.so: tests/fakes/autograd/autograd.cc $(O)/flags
	@mkdir -p $(@D) $(O)/demo/tests
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) $(DEMO_CXXFLAGS) -fPIC -fvisibility=hidden -shared -MMD -MP \
	  -MF $(O)/demo/tests/autograd.d $(LDFLAGS) -o $@ $< -lOpenCL -lpthread

# the xe driver's sampler, for LD_PRELOAD
$(O)/tests/libxe-fake.so: $(patsubst %.cc,$(O)/agent/%.o,$(call sources,tests/fakes/xe))
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) -shared $(LDFLAGS) -o $@ $^ -ldl -lpthread

# vendors' libraries of energy counters, for LD_LIBRARY_PATH under each of their names
fake_vendors := $(filter-out $(if $(filter level-zero,$(energy_here)),,tests/fakes/energy/level_zero.cc),$(call sources,tests/fakes/energy))
$(O)/tests/libenergy-fake.so: $(patsubst %.cc,$(O)/agent-cxx/%.o,$(fake_vendors))
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) -shared $(LDFLAGS) -o $@ $^

# a Level Zero driver without a device, for ZE_ENABLE_ALT_DRIVERS, and a program in three variants
$(O)/tests/liblevel-zero-fake.so: $(patsubst %.cc,$(O)/agent/%.o,$(call sources,tests/fakes/level-zero))
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) -shared $(LDFLAGS) -o $@ $(filter %.o,$^)

ze_programs := $(patsubst %,$(O)/tests/demo/ze_launches%,-dlopen -fp) $(O)/tests/demo/ze_launches
$(ze_programs): tests/demo/ze_launches.cc $(O)/flags
	@mkdir -p $(@D) $(O)/demo/tests
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) $(DEMO_CXXFLAGS) $(if $(filter %-dlopen,$@),-DZE_DLOPEN) \
	  $(if $(filter %-fp,$@),-fno-omit-frame-pointer) -MMD -MP \
	  -MF $(O)/demo/tests/$(@F).d $(LDFLAGS) -o $@ $< $(if $(filter %-dlopen,$@),-ldl,-lze_loader) -lpthread

# stand-ins for CUDA's driver and CUPTI, and programs that run on them; their cubins are in
# tests/data/cubin/demo
cuda_fake := $(O)/tests/cuda
NVCC      := $(firstword $(wildcard $(CUDA_HOME)/bin/nvcc))
cuda_tests := $(cuda_fake)/libcupti.so.13 $(cuda_fake)/libnvidia-files.so $(O)/tests/demo/cuda_launches \
  $(O)/tests/demo/cuda_memory $(O)/tests/demo/cuda_stand_in $(if $(NVCC),$(patsubst %,$(O)/tests/demo/%,cuda_matmul cuda_rate cuda_cases cuda_one.fatbin cuda_other.fatbin))
cuda_object = $(O)/agent-cxx/tests/fakes/cupti/$(1).o
$(O)/agent-cxx/%.o: %.cc $(O)/flags
	@mkdir -p $(@D)
	@$(if $(V),,echo '  CXX   $<')
	$(Q)$(CXX) $(BASE_CXXFLAGS) $(CXXFLAGS) -MMD -MP -c -o $@ $<
$(cuda_fake)/libnvidia-files.so: $(O)/agent-cxx/tests/fakes/nvidia/files.o
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) -shared $(LDFLAGS) -o $@ $^ -ldl
# like the real one, it gives out the addresses of its own functions, whatever is preloaded
$(cuda_fake)/libcuda.so.1: $(foreach part,driver events lookups memory,$(call cuda_object,$(part)))
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) -shared -Wl,-soname,$(@F) -Wl,-Bsymbolic-functions $(LDFLAGS) -o $@ $^ -ldl
$(cuda_fake)/libcupti.so.13: $(foreach part,activity cupti pc_sampling subscribers,$(call cuda_object,$(part))) $(cuda_fake)/libcuda.so.1
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) -shared -Wl,-soname,$(@F) -Wl,-z,defs $(LDFLAGS) -o $@ $^
$(patsubst %,$(O)/tests/demo/cuda_%,launches memory stand_in): $(O)/tests/demo/%: $(O)/demo/tests/demo/%.o \
    $(O)/demo/tests/demo/cuda_runtime.o $(O)/demo/tests/demo/cuda_subscriber.o $(cuda_fake)/libcuda.so.1
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) $(LDFLAGS) -Wl,-rpath,$(abspath $(cuda_fake)) -o $@ $^ -ldl -lpthread
$(O)/demo/tests/demo/cuda_%.o: DEMO_CXXFLAGS += $(cuda_include:%=-isystem %)
cuda_headers := $(addprefix tests/demo/,cuda_check.h multiplications.h numbers.h)
# for users with an NVIDIA GPU, built only with nvcc; no test here can run them without a GPU
$(patsubst %,$(O)/tests/demo/%,cuda_matmul cuda_rate cuda_cases): $(O)/%: %.cu $(cuda_headers)
	@mkdir -p $(@D)
	@$(if $(V),,echo '  NVCC  $@')
	$(Q)$(NVCC) -std=c++17 -O2 -lineinfo -arch=all-major -I. -Xcompiler=-Wall,-Wextra,-Wshadow -o $@ $< \
	  $(if $(filter %_cases,$@),-L$(CUDA_HOME)/lib64/stubs -lcuda)
# two modules with a kernel of the same name
$(O)/tests/demo/cuda_one.fatbin $(O)/tests/demo/cuda_other.fatbin: tests/demo/kernels.cu
	@mkdir -p $(@D)
	@$(if $(V),,echo '  NVCC  $@')
	$(Q)$(NVCC) -fatbin -lineinfo -arch=all-major -DFACTOR=$(if $(filter %_one.fatbin,$@),2,3).0f -o $@ $<

# programs that tests record: frame pointers, no device
recorded := $(patsubst tests/recorded/%.cc,$(O)/tests/%,$(wildcard tests/recorded/*.cc))
$(recorded): $(O)/tests/%: $(O)/demo-fp/tests/recorded/%.o
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) $(LDFLAGS) -o $@ $^ -lpthread

# programs that attack ours, or that are recorded under attack
attack_libraries := $(patsubst tests/attack/%.cc,$(O)/tests/attack/%.so,$(wildcard tests/attack/lib*.cc))
attackers := $(patsubst tests/attack/%.cc,$(O)/tests/attack/%,$(filter-out tests/attack/lib%,$(wildcard tests/attack/*.cc)))
$(attack_libraries): $(O)/tests/attack/%.so: $(O)/agent/tests/attack/%.o
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) -shared $(LDFLAGS) -o $@ $^ -ldl
$(attackers): $(O)/tests/attack/%: $(O)/demo/tests/attack/%.o
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) $(LDFLAGS) $(MORE) -o $@ $^ -ldl -lpthread
# it exports what an interpreter does
$(O)/tests/attack/python_hostile: private MORE := -rdynamic
$(patsubst %,$(O)/tests/attack/%,many_handles many_stacks two_functions): private MORE := -Wl,--no-as-needed -lOpenCL
# the stacks that a uprobe sees are those of frame pointers
$(O)/demo/tests/attack/two_functions.o: DEMO_CXXFLAGS += -fno-omit-frame-pointer

# the programs that make bench measures with
$(O)/tests/measure $(O)/tests/perf_text: $(O)/tests/%: $(O)/demo/tests/bench/%.o
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) $(LDFLAGS) -o $@ $<

# libFuzzer entries, see `make fuzz`
fuzzers := $(patsubst tests/fuzz/%_fuzz.cc,%,$(wildcard tests/fuzz/*_fuzz.cc))
fuzz-programs: $(addprefix $(O)/tests/fuzz/,$(if $(FUZZ),$(FUZZ),$(fuzzers)))

$(O)/obj/tested.a: $(call objects,$(tested_sources))
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(O)/tests/fuzz/%: $(O)/obj/tests/fuzz/%_fuzz.o $(O)/obj/tested.a $(libcommon)
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBPERF_LIBS) -lbpf $(SYMBOL_LIBS) \
	  -ltraceevent -lunwind -lre2 -lsqlite3 -lcurl -ldl $(COMMON_LIBS) -lpthread
