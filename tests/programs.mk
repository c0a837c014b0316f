# What tests, demos and benchmarks run, and how it is built; included by the Makefile.
# SPDX-License-Identifier: MIT

$(O)/tests/unit: $(call objects,$(unit_sources) $(tested_sources)) $(libcommon)
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) $(ALL_LDFLAGS) -o $@ $^ $(LIBPERF_LIBS) $(SYMBOL_LIBS) -ltraceevent -lunwind -lre2 \
	  -ldl $(COMMON_LIBS) -lgtest -lgtest_main -lpthread

# Each demo twice: NAME without frame pointers and NAME-fp with; the kernels lie beside them.
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

# the xe driver's sampler, for LD_PRELOAD
$(O)/tests/libxe-fake.so: $(patsubst %.cc,$(O)/agent/%.o,$(call sources,tests/fakes/xe))
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) -shared $(LDFLAGS) -o $@ $^ -ldl -lpthread

# a Level Zero driver without a device, for ZE_ENABLE_ALT_DRIVERS, and a program in three kinds
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

# programs that tests record: frame pointers, no device
recorded := $(patsubst tests/recorded/%.cc,$(O)/tests/%,$(wildcard tests/recorded/*.cc))
$(recorded): $(O)/tests/%: $(O)/demo-fp/tests/recorded/%.o
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) $(LDFLAGS) -o $@ $^ -lpthread

# what make bench measures with
$(O)/tests/measure $(O)/tests/perf_text: $(O)/tests/%: $(O)/demo/tests/bench/%.o
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) $(LDFLAGS) -o $@ $<

# libFuzzer entries, see `make fuzz`
fuzzers := $(patsubst tests/fuzz/%_fuzz.cc,%,$(wildcard tests/fuzz/*_fuzz.cc))
fuzz-programs: $(addprefix $(O)/tests/fuzz/,$(if $(FUZZ),$(FUZZ),$(fuzzers)))

$(O)/obj/tested.a: $(call objects,$(tested_sources))
	@rm -f $@
	$(Q)ar rcs $@ $^

$(O)/tests/fuzz/%: $(O)/obj/tests/fuzz/%_fuzz.o $(O)/obj/tested.a $(libcommon)
	@mkdir -p $(@D)
	@$(if $(V),,echo '  LINK  $@')
	$(Q)$(CXX) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBPERF_LIBS) $(SYMBOL_LIBS) \
	  -ltraceevent -lunwind -lre2 -ldl $(COMMON_LIBS) -lpthread
