#!/bin/bash
# SPDX-License-Identifier: MIT
# fuzz.sh check: succeeds if there is a compiler that makes fuzzers.
# fuzz.sh run OUT SECONDS [READER...]: runs the fuzzers in OUT/tests/fuzz, each for SECONDS, on
# corpora in OUT/corpus that begin with those of tests/fuzz/corpus, tests/data and
# tests/recorded/perf_data.py. Findings go to OUT/findings, and the exit status is then 1.
# fuzz.sh merge OUT [READER...]: writes the corpora, minimised, into tests/fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1 AIFLAME_ROOT=$PWD

check() {
  if echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    clang++ -fsanitize=fuzzer -x c++ - -o /dev/null 2> /dev/null; then return; fi
  echo "fuzz.sh: fuzzers are made by clang++ and libFuzzer; as root:" \
    "apt-get install --no-install-recommends clang libclang-rt-14-dev" >&2
  exit 1
}

# Makes small objects of each kind, with the compilers that are installed: DIRECTORY.
make_objects() {
  local dir=$1
  cat > "$dir/x.cc" << 'END'
extern "C" int puts(const char*);
inline __attribute__((always_inline)) float twice(float x) { return x * 2 + 1; }
namespace n { template <int N> struct S { __attribute__((noinline)) static float run(const float* p) {
  float s = 0; for (int i = 0; i < N; ++i) s += twice(p[i]); puts("s"); return s; } }; }
extern "C" float _pocl_kernel_k_workgroup(const float* p) { return n::S<4>::run(p) + twice(*p); }
END
  (
    cd "$dir"
    g++ -O1 -g -c x.cc -o relocatable
    g++ -O1 -g -fPIC -shared -nostdlib x.cc -Wl,-z,noseparate-code -o shared
    g++ -O1 -g -gdwarf-4 -gz=zlib -fPIC -shared -nostdlib x.cc -Wl,-z,noseparate-code -o compressed
    clang++ -O1 -g -fPIC -shared -nostdlib x.cc -Wl,-z,noseparate-code -o clang
    strip -o stripped shared
    objcopy --add-gnu-debuglink=shared stripped linked
    objcopy --compress-debug-sections=zlib-gabi relocatable compressed-relocatable
    # an older objcopy does not know zstd
    objcopy --compress-debug-sections=zstd shared compressed-zstd 2> /dev/null || true
  )
}

# Copies the first inputs of READER into DIRECTORY, from files of the repository.
seed() {
  local reader=$1 dir=$2 scratch packed=tests/fuzz/corpus/$1.tar.zst case file
  if [ -f "$packed" ]; then tar -C "$dir" --zstd -xf "$packed"; fi
  scratch=$(mktemp -d)
  case $reader in
    perf_script) cp tests/data/stackcollapse-aiflame/*.perf-script tests/data/*/*.gpustall "$dir" ;;
    gpustall | annotate)
      for file in tests/data/*/*.gpustall; do tail -n +2 "$file" > "$dir/${file##*/}"; done
      ;;
    perf_data | perf_data_pipe)
      # a file's records differ from a pipe's, but the first bytes tell them apart
      for case in $(python3 tests/recorded/perf_data.py list); do
        python3 tests/recorded/perf_data.py "$case" > "$scratch/$case"
        if [ "$reader" = perf_data ]; then
          cp "$scratch/$case" "$dir/made-$case"
        elif [ "$(od -An -tu8 -j8 -N8 "$scratch/$case" | tr -d ' ')" = 16 ]; then
          tail -c +17 "$scratch/$case" > "$dir/made-$case"
        else
          python3 tests/recorded/perf_data.py piped "$case" > "$dir/made-$case"
        fi
      done
      ;;
    folded)
      for file in tests/data/aiflame-svg/*.in; do
        for case in 0 7 8 '!' 'A' 'd' ; do
          { printf '%s' "$case"; head -c 4000 "$file"; } > "$dir/${file##*/}-$case"
        done
      done
      ;;
    iaprof | ncu | proton | unitrace) cp tests/data/stackcollapse-"$reader"/*.in "$dir" ;;
    nsys)
      for case in $(python3 tests/recorded/nsys.py list); do
        [ "$case" = large ] || python3 tests/recorded/nsys.py "$case" "$dir/made-$case"
      done
      ;;
    rocprof) cp tests/data/stackcollapse-rocprof/*.csv tests/data/stackcollapse-rocprof/*.json "$dir" ;;
    rocpd)
      for case in $(python3 tests/recorded/rocpd.py list); do
        [ "$case" = large ] || python3 tests/recorded/rocpd.py "$case" "$dir/made-$case"
      done
      ;;
    torch_memory)
      for case in $(python3 tests/recorded/torch_memory.py list); do
        for file in 2 4; do
          python3 tests/recorded/torch_memory.py make "$case" "$file" > "$dir/$case-$file"
        done
      done
      python3 tests/recorded/torch_memory.py page "$dir/plain-4" > "$dir/page"
      ;;
    trace)
      for file in tests/data/stackcollapse-trace/*.json; do
        for case in '!' '"' '$' ')' '1' '@'; do
          { printf '%s' "$case"; cat "$file"; } > "$dir/${file##*/}-$case"
        done
      done
      ;;
    forecast)
      printf '0# aiflame: event gpu-time, unit ns\na;aten::addmm 8, 4x2, 2x8_[o];-;sgemm_[G];0x1_[g] 3.5\n' > "$dir/scale"
      printf '1# aiflame: unit calls\na;aten::bmm 2x3x4, 2x4x5 -> 2x3x5_[o] 7\na;my::op 3, 4x4_[o] 1\n' > "$dir/calls"
      {
        printf '1Name,OpName,FwOps,BwOps,AccOps,InputShapes,OutputShape\n'
        printf 'x_h_0_a,Linear,"[[%s, (2, 3, 4)]]",[],[],"[(2, 3)]","(2, 4)"\n' "'Linear'"
        printf 'add,VECadd,"[[%s, (2, 4)]]","[[%s, ((1,), (2,))]]",[],"[(2, 4), (2, 4)]","(2, 4)"\n' "'VECadd'" "'MEM'"
      } > "$dir/graph"
      for file in tools/aiflame-forecast/devices/*; do { printf 3; cat "$file"; } > "$dir/${file##*/}"; done
      ;;
    report) cp tests/data/aiflame-report/*.in tests/data/aiflame-svg/*.in "$dir" ;;
    folded_diff)
      { cat tests/data/aiflame-diff/before.in; printf '\f'; cat tests/data/aiflame-diff/after.in; } \
        > "$dir/before-after"
      ;;
    elf | dwarf)
      make_objects "$scratch"
      rm "$scratch/x.cc"
      for file in "$scratch"/*; do cp "$file" "$dir/made-${file##*/}"; done
      ;;
    zebin)
      if command -v ocloc > /dev/null; then
        for case in dg2 pvc; do
          ocloc compile -file tests/data/stackcollapse-aiflame/gpu_kernel.cl --format zebin \
            -device "$case" -options -g -output_no_suffix -output "$case" -out_dir "$scratch" \
            > /dev/null
          cp "$scratch/$case" "$dir/made-$case"
        done
        python3 tests/recorded/zebin.py debug "$scratch/pvc" "$dir/made-driver"
        python3 tests/recorded/zebin.py code "$scratch/pvc" sum > "$scratch/code"
        iga64 -d -p=xehpc -Xprint-pc "$scratch/code" > "$dir/made-listing" 2> /dev/null || true
      fi
      ;;
    cubin) cp tests/data/cubin/*.cubin "$dir" ;;
    waitcnt)
      printf '\t%s\n' 'global_load_dword v1, v[2:3], off' 's_load_dwordx2 s[0:1], s[4:5], 0x0' \
        's_waitcnt vmcnt(0) lgkmcnt(0)' 'ds_read_b32 v4, v5' 'flat_store_dword v[0:1], v4' \
        's_waitcnt_vscnt null, 0x0' 's_wait_loadcnt_dscnt 0x102' 's_cbranch_scc1 65530' \
        's_swappc_b64 s[30:31], s[4:5]' 's_endpgm' > "$dir/loop"
      ;;
    registers)
      printf '%s\n' 'Nmatrix words: 0123456789abcdef' > "$dir/words"
      # shellcheck disable=SC2016 # the dollar is meant
      printf '%s\n' 'I/* [0000]  */ (W&f0.0) add3 (32|M0)  r6.0<1>:d  -r78.0<1;0>:d  r84.0<8;4,2>:uw  r4.0<0>:d {I@1}' \
        'I/* [0008]  */  send.ugm (32|M0)  r26  r20  r26:2  a0.0  0x08200580  {$3}' \
        'I/* [0010]  */  dpas.8x4 (16|M0)  r10:f  r20:f  r30:bf  r40.0:bf' \
        'Av_div_scale_f64 v[12:13], s[0:1], -|v[8:9]|, v[8:9], a[10:11] :: v_dual_mov_b32 v1, v2' \
        'Cvfmadd231ps %zmm0, 64(%rax,%rcx,4), %zmm2 {%k1} {z}' 'Cimul eax, dword ptr [rsp + 4*r9], 5' \
        > "$dir/texts"
      ;;
    unwind)
      make_objects "$scratch"
      for file in shared stripped clang; do
        for case in '\020\003' '\063\003' '\100\003' '\160\003'; do
          # shellcheck disable=SC2059 # the octal bytes are meant
          {
            printf "$case\0\0"
            for _ in {1..32}; do printf "$case\0\020\0\0\0\0"; done
            cat "$scratch/$file"
          } > "$dir/made-$file-${case//\\/.}"
        done
      done
      ;;
    kallsyms)
      printf 'ffffffff81000000 T _text\nffffffff81000010 T f\nffffffffc0000000 t g\t[mod]\n' \
        > "$dir/symbols"
      ;;
    perf_map) printf '1000 20 jitted\n0x2000 0x10 other(int)\n' > "$dir/map" ;;
    demangle)
      printf '_ZN4mine5ScaleILi2EE3runEPf\n_RNvC6_123foo3bar\n_ZN3foo17h0123456789abcdefE\n' \
        > "$dir/names"
      ;;
    hpctoolkit)
      python3 tests/recorded/hpctoolkit.py make "$scratch"
      for file in profile.db cct.db; do
        python3 tests/recorded/hpctoolkit.py pack "$scratch" "$file" > "$dir/made-$file"
      done
      ;;
    pprof)
      for case in '' unpacked default drop sparse; do
        python3 tests/recorded/pprof.py make "$case" > "$dir/made-$case"
      done
      for file in tests/data/stackcollapse-pprof/*.gz; do gzip -dc "$file" > "$dir/${file##*/}"; done
      ;;
    xplane)
      for case in '' loss tpu threads host empty; do
        python3 tests/recorded/xplane.py make "$case" > "$dir/made-$case"
      done
      ;;
    agent_channel) python3 tests/recorded/agent_ring.py > "$dir/made" ;;
  esac
  rm -rf "$scratch"
}

fuzz() { # OUT READER SECONDS
  local out=$1 reader=$2 seconds=$3 options=() corpus=$1/corpus/$2
  mkdir -p "$corpus" "$out/findings" "$out/log"
  if [ -z "$(find "$corpus" -type f -print -quit)" ]; then seed "$reader" "$corpus"; fi
  if [ -f "tests/fuzz/$reader.dict" ]; then options+=("-dict=tests/fuzz/$reader.dict"); fi
  echo "  FUZZ  $reader, $seconds s"
  # The readers' warnings go to file descriptors that are closed. The longest line is 16 MiB, in a
  # buffer of twice that. An input has 64 KiB at most, so one that takes more memory than this is a
  # bomb; the sanitizer itself takes the rest.
  "$out/tests/fuzz/$reader" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
    -malloc_limit_mb=192 -max_len=65536 -close_fd_mask=3 -reload=0 -print_final_stats=1 \
    -artifact_prefix="$out/findings/$reader-" "${options[@]}" "$corpus" \
    > "$out/log/$reader" 2>&1 && return
  tail -n 40 "$out/log/$reader" >&2
  echo "fuzz.sh: $reader: found something; see $out/findings and $out/log/$reader" >&2
  return 1
}

merge() { # OUT READER
  local out=$1 reader=$2 small
  small=$(mktemp -d)
  "$out/tests/fuzz/$reader" -merge=1 -timeout=10 -close_fd_mask=3 "$small" "$out/corpus/$reader" \
    > "$out/log/$reader.merge" 2>&1
  mkdir -p tests/fuzz/corpus
  tar -C "$small" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - . |
    zstd -q -19 -f -o "tests/fuzz/corpus/$reader.tar.zst"
  echo "$reader: $(find "$small" -type f | wc -l) inputs," \
    "$(stat -c %s "tests/fuzz/corpus/$reader.tar.zst") bytes"
  rm -rf "$small"
}

readers() { # the programs that were built, or those given
  local out=$1 file
  shift
  if [ $# -gt 0 ]; then
    printf '%s\n' "$@"
    return
  fi
  for file in tests/fuzz/*_fuzz.cc; do
    file=${file##*/}
    echo "${file%_fuzz.cc}"
  done
}

case ${1:-} in
  check) check ;;
  run)
    out=$2 seconds=$3 failed=0
    shift 3
    for reader in $(readers "$out" "$@"); do fuzz "$out" "$reader" "$seconds" || failed=1; done
    exit "$failed"
    ;;
  merge)
    out=$2
    shift 2
    for reader in $(readers "$out" "$@"); do merge "$out" "$reader"; done
    ;;
  *)
    echo 'usage: fuzz.sh check | run OUT SECONDS [READER...] | merge OUT [READER...]' >&2
    exit 2
    ;;
esac
