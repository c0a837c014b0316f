# SPDX-License-Identifier: MIT
# What tests of CUDA's agents share: the stand-ins of tests/fakes/cupti and a GPU that the driver
# shows; `load cuda`.
# shellcheck shell=bash disable=SC2034 # used by the tests that load it

# For a test's setup().
setup_cuda() {
  cd "$BATS_TEST_TMPDIR" || return
  [ -e "$AIFLAME_BUILD/libexec/aiflame/cupti-agent.so" ] ||
    skip 'there are no headers of CUPTI in CUDA_HOME: there is no CUPTI agent'
  one=$DATA/cubin/demo/one.cubin other=$DATA/cubin/demo/other.cubin
  export LD_LIBRARY_PATH=$AIFLAME_BUILD/tests/cuda XDG_CACHE_HOME=$PWD/cache FAKE_NVIDIA=$PWD/nvidia
  unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH
  # a sanitizer's library must be loaded before preloaded ones
  export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
  program=$AIFLAME_BUILD/tests/demo/cuda_launches
  has_gpu 3d
}

# has_gpu BUS...: the driver shows a GPU at each place
has_gpu() {
  mkdir -p "$FAKE_NVIDIA"/{dev,sys/bus/pci/devices,proc/driver/nvidia}
  : > "$FAKE_NVIDIA/dev/nvidiactl"
  local bus
  for bus; do
    mkdir -p "$FAKE_NVIDIA/proc/driver/nvidia/gpus/0000:$bus:00.0"
    printf 'Model: \t\t NVIDIA Stand-in\nBus Location: \t 0000:%s:00.0\n' "$bus" \
      > "$FAKE_NVIDIA/proc/driver/nvidia/gpus/0000:$bus:00.0/information"
  done
}

recorder() { LD_PRELOAD=$AIFLAME_BUILD/tests/cuda/libnvidia-files.so gpustall-record "$@"; }
