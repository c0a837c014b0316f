# SPDX-License-Identifier: MIT
# The fake of the xe driver, tests/fakes/xe: `load fake_xe`, and FAKE_XE is the test's directory.
# shellcheck shell=bash disable=SC2119,SC2120 # only some tests have arguments

# Intel's own Level Zero driver must not start for fake GPUs.
export ZE_ENABLE_ALT_DRIVERS=/nowhere/no-driver.so

# gpu [MINOR DRIVER MODEL PLACE]: a render node as the kernel lists it
gpu() {
  local minor=${1:-128} driver=${2:-xe} model=${3:-E20B} place=${4:-0000:03:00.0}
  local device=root/sys/class/drm/renderD$minor/device
  mkdir -p root/dev/dri "$device"
  : > "root/dev/dri/renderD$minor"
  printf '%s\n' "DRIVER=$driver" PCI_CLASS=30000 "PCI_ID=8086:$model" "PCI_SLOT_NAME=$place" \
    > "$device/uevent"
}

# battlemage: one GPU; the test appends to its script
battlemage() {
  gpu
  printf '%s\n' 'node 128 xe' 'sampler 64 251 502 753 1004 1255 1506 1757' \
    'gt 0 0 0 20 1' 'gt 1 1 0 13 1' 'at 0' > script
}

# recorder ARGUMENT...: gpustall-record with the fake; a sanitizer lets the fake load first
preload=(env "ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"
  "LD_PRELOAD=$AIFLAME_BUILD/tests/libxe-fake.so")
recorder() { "${preload[@]}" gpustall-record "$@"; }
