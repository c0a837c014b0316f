# SPDX-License-Identifier: MIT
# Kernels in which one known line is what another line waits for, by the vendors' compilers: who the
# victim waits for, and where its chain ends. SOAK=1: for more GPUs, and all shapes for Intel's.
# bats file_tags=long
load common

# planted TARGET [SHAPE…]: the compiler has left at least 4 of 5 kernels as they were meant, and the
# cause of all of these is found
planted() {
  skip_without python3
  mkdir -p "$1" && cd "$1" || return
  python3 "$AIFLAME_ROOT/tests/planted/planted.py" "$@" > said || {
    cat said
    return 1
  }
  local found changed
  read -r found changed < <(sed -n 's/.*: found \([0-9]*\), changed \([0-9]*\), .*/\1 \2/p' said)
  [ "$found" -ge $((4 * changed)) ] || return
  [ "$found" -ge "${least:-10}" ] || return
  [ "$1" = x86 ] || second_reading "$1".object* # .objects has one for each kernel
  cd "$BATS_TEST_TMPDIR" || return
}

# second_reading OBJECT…: what instructions wait for is what another program finds
second_reading() {
  local -a objects
  mapfile -t objects < <(find "$@" -type f ! -name '*.spv' ! -name '*.commands' | sort)
  python3 "$AIFLAME_ROOT/tests/planted/producers.py" "${objects[@]}"
}

# each FEW… -- MORE…: these targets; with SOAK=1, the others as well
each() {
  local target least=100
  for target; do
    if [ "$target" != -- ]; then planted "$target"; elif [ -z "${SOAK:-}" ]; then return; fi
  done
}

@test "x86-64: a victim's cause is the planted line" {
  skip_without clang
  planted x86
}

@test "AMD: a victim's cause is the planted line" {
  skip_without clang
  each gfx90a gfx1030 -- gfx906 gfx908
  skip_without clang-15
  each -- gfx940 gfx1100
}

@test "NVIDIA: a victim's cause is the planted line" {
  skip_without nvcc
  each sm_75 sm_90 sm_120 -- sm_80 sm_100
}

@test "Intel: a victim's cause is the planted line" {
  skip_without ocloc 'ocloc is not installed (intel-opencl-icd)'
  if [ -n "${SOAK:-}" ]; then
    each dg2 pvc
  else
    planted dg2 decoy_after
    planted pvc loop
  fi
}

@test "on genuine objects, instructions wait for what a second reading finds" {
  local genuine=$AIFLAME_ROOT/../shared/data/hpctoolkit vendor
  [ -d "$genuine" ] || skip 'no ../shared/data/hpctoolkit'
  for vendor in amd intel nvidia; do
    second_reading "$genuine/$vendor"/*.gpubin > said
    # enough of them: no vendor's code was read in vain
    [ "$(sed 's/.*producers \([0-9]*\),.*/\1/' said)" -ge 20 ]
  done
}
