# SPDX-License-Identifier: MIT
# Names of instructions of a CPU and of AMD GPUs, in objects that are assembled here, and the count
# of those that have none.
load common

# recording OBJECT OFFSET…: one sample at each offset in the object's .text, of kernel `hot`
recording() {
  local object=$1 text offset
  text=$((16#$(readelf -SW "$object" | sed -n 's/.* \.text *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')))
  printf '# gpustall 1\n# device 0 : opencl-cpu, here, period 1000000 ns\n'
  printf '# app 1/1 [000] 1.000000000: PERF_RECORD_MMAP2 1/1: [0x10000(0x10000) @ 0 00:00 0 0]: r-xp %s\n\n' \
    "$PWD/$object"
  shift
  for offset; do
    printf 'app 1/1 [000] 1.000000000: 1 gpu-clock: \n\t%x hot+0x%x (%s)\n\n' \
      $((0x10000 + text + offset)) "$offset" "$PWD/$object"
  done
  printf '# end samples %d launches 0 lost 0\n\n' $#
}

# fold RECORDING: MNEMONIC OFFSET
fold() {
  stackcollapse-aiflame --stats stats.json --gpu-frames=mnemonic,offset "$1" 2> err | stacks |
    sed 's/.*-;//; s/_\[g\]//g; s/ 1$//; s/;/ /'
}

without_llvm() { ! ldconfig -p | grep -q 'libLLVM[-.]'; }

@test "instructions of AVX-512 have names, and the others keep theirs" {
  without_llvm && skip 'libLLVM is not installed (libllvm15)'
  as -o code.o << 'END'
.intel_syntax noprefix
lea rax, [rdi+rsi]
mulss xmm0, [rax]
lock cmpxchg [rbx], edx
rep stosq
vprold zmm3, zmm0, 7
vpternlogd zmm2, zmm0, zmm1, 54
kmovd eax, k0
vpscatterdd [rax+4*zmm1]{k1}, zmm0
vfmadd213sd xmm17, xmm18, xmm19
ret
END
  objdump -d -M intel code.o | sed -n 's/^ *\([0-9a-f]*\):\t[0-9a-f ]*\t\(lock [a-z]*\|rep [a-z]*\|[a-z0-9]*\).*/\2 0x\1/p' \
    | sed 's/rep stos /rep stosq /' > expected
  [ "$(wc -l < expected)" -eq 10 ]
  # shellcheck disable=SC2046 # one word per offset
  recording code.o $(sed 's/.* //' expected) > r
  fold r | sort | diff <(sort expected) -
  [ "$(jq -c '.device."gpu-clock".unnamed | add' stats.json)" -eq 0 ]
  run ! grep unnamed err
}

@test "instructions of an AMD GPU have names" {
  without_llvm && skip 'libLLVM is not installed (libllvm15)'
  command -v llvm-mc > /dev/null || skip 'llvm-mc is not installed (llvm)'
  printf 's_load_dword s0, s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\nglobal_load_dword v0, v[2:3], off\ns_endpgm\n' |
    llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=gfx90a -filetype=obj -o code.o
  recording code.o 0 8 12 20 > r
  fold r | sort | diff - <(printf '%s\n' 'global_load_dword 0xc' 's_endpgm 0x14' 's_load_dword 0x0' 's_waitcnt 0x8')
}

@test "a GPU of AMD that nothing knows loses the mnemonics alone, which are counted with the reason" {
  without_llvm && skip 'libLLVM is not installed (libllvm15)'
  command -v llvm-mc > /dev/null || skip 'llvm-mc is not installed (llvm)'
  echo s_endpgm | llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=gfx90a -filetype=obj -o code.o
  printf '\xf0' | dd of=code.o bs=1 seek=48 conv=notrunc status=none # EF_AMDGPU_MACH
  recording code.o 0 > r
  [ "$(fold r)" = 0x0 ]
  diff - err << 'END'
stackcollapse-aiflame: warning: instructions of an AMD GPU are not named: the number in its code object is of no known GPU
stackcollapse-aiflame: gpu-clock: 1 samples: 0 exact, 0 apportioned, 1 unattributed, 0 lost; 1 of unnamed instructions (1 device unknown to the disassembler)
END
  [ "$(jq .device.\"gpu-clock\".unnamed.unknown_device stats.json)" -eq 1 ]
}

@test "what is no instruction is counted, not named" {
  printf '.byte 6, 0x62, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff\nret\n' | as -o code.o
  recording code.o 0 1 8 0x1000 > r
  fold r | sort | diff - <(printf '%s\n' 0x0 0x1 0x1000 'ret 0x8')
  grep -q '; 3 of unnamed instructions (3 not decodable)$' err ||
    grep -q '; 3 of unnamed instructions (1 no disassembler, 2 not decodable)$' err
  # asked for no mnemonics, nobody misses them
  stackcollapse-aiflame --gpu-frames=offset r 2> err > /dev/null
  run ! grep unnamed err
}

@test "--full-paths joins a relative include directory to the compilation's" {
  mkdir -p build deep/headers
  printf 'static inline float twice(float x) { return x * 2.0f + 1.0f; }\n' > deep/headers/twice.h
  printf '#include "twice.h"\nfloat hot(float *x, int n) { float s = 0; for (int i = 0; i < n; i++) s += twice(x[i]) / x[i]; return s; }\n' > hot.c
  local version compiler
  for version in 4 5; do
    for compiler in gcc clang; do
      command -v $compiler > /dev/null || continue
      "$compiler" "-gdwarf-$version" -O1 -Ideep/headers -shared -fPIC -nostdlib hot.c -o code.so
      # shellcheck disable=SC2046 # one word per offset
      recording code.so $(seq 0 60) > r
      stackcollapse-aiflame --full-paths --gpu-frames=file,line r 2> err | sed 's/.*-;//; s/_\[G\]//g' > folded
      grep -q "^$PWD/hot.c;$PWD/hot.c:2 " folded
      grep -q "^$PWD/hot.c;$PWD/deep/headers/twice.h:1 " folded
      run ! grep ';[^/]' folded
    done
  done
}
