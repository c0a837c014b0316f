# SPDX-License-Identifier: MIT
# Names in Intel GPU code: from what Intel's compiler writes here, and from genuine objects of five
# generations, if ../shared/data/zebin lies beside the repository.
load common
load recording

ALL=file,kernel,function,line,mnemonic,reason,producer,offset

zebin() { python3 "$AIFLAME_ROOT/tests/recorded/zebin.py" "$@"; }

# compile DEVICE: compiles gpu_kernel.cl to object.zebin
compile() {
  skip_without ocloc 'ocloc is not installed (intel-opencl-icd)'
  cp "$DATA/stackcollapse-aiflame/gpu_kernel.cl" .
  ocloc compile -file gpu_kernel.cl --format zebin -device "$1" -options -g -output_no_suffix \
    -output object.zebin -out_dir . > log || { cat log; return 1; }
}

genuine() { # puts its path into $genuine
  genuine=$AIFLAME_ROOT/../shared/data/zebin/$1
  [ -e "$genuine" ] || skip 'no ../shared/data/zebin'
}

# fold RECORDING LEVELS: the device's frames, without the parts that all of them share
fold() {
  stackcollapse-aiflame --gpu-frames="$2" "$1" 2> err | stacks | sed 's/^app;run_[a-z_]*;-;//; s/_\[[gG]\]//g'
}

@test "each instruction has the line that readelf finds and the mnemonic that iga64 prints" {
  skip_without iga64 'iga64 is not installed (libigc-tools)'
  local device
  for device in pvc dg2; do
    compile "$device"
    zebin flat object.zebin flat
    zebin code object.zebin sum > code
    iga64 -d -p="$([ "$device" = pvc ] && echo xehpc || echo xehpg)" -Xprint-pc code > listing
    readelf --debug-dump=decodedline flat > lines 2> /dev/null
    zebin listed listing lines | sed 's/$/ 1/' | sort > expected
    [ "$(grep -c ':5;.*mul' expected)" -ge 1 ]
    [ "$(wc -l < expected)" -gt 30 ]
    # shellcheck disable=SC2046 # several words
    zebin samples "$PWD/object.zebin" $(sed 's/.*;//; s/ 1//' expected) > recording
    fold recording line,mnemonic,offset | sort | diff expected -
  done
}

@test "an inlined function, and the load that its consumer waits for" {
  compile pvc
  zebin samples "$PWD/object.zebin" > recording
  fold recording "$ALL" > folded
  # the sum needs the value that the line above has loaded
  grep -E '^gpu_kernel.cl;sum;scaled;gpu_kernel.cl:5;(add|mad|sync.nop);sbid;waits for send.ugm at 0x[0-9a-f]+, gpu_kernel.cl:4;0x[0-9a-f]+ 1$' folded
  # the offset shown is the load's
  local load
  load=$(sed -n 's/.*gpu_kernel.cl:5;.*waits for send.ugm at \(0x[0-9a-f]*\),.*/\1/p' folded | head -n 1)
  grep -E "^gpu_kernel.cl;sum;scaled;gpu_kernel.cl:4;send.ugm;sbid;(waits for .*;)?$load 1$" folded
  # only a scoreboard stall has one, and only on request
  sed 's/sbid/send/' recording > other
  run ! grep 'waits for' <(fold other "$ALL")
  run ! grep 'waits for' <(stackcollapse-aiflame recording 2> err)
}

@test "an object with the device's addresses, as the driver hands it out, gives the same" {
  local device
  for device in pvc dg2; do
    compile "$device"
    zebin debug object.zebin driver.zebin
    readelf -h driver.zebin | grep 'EXEC'
    zebin samples "$PWD/object.zebin" > of_compiler
    zebin samples "$PWD/driver.zebin" > of_driver
    fold of_compiler "$ALL" > expected
    grep -q scaled expected
    fold of_driver "$ALL" | diff expected -
  done
}

@test "functions that are inlined and called, and what they wait for, in an object of 2026" {
  genuine helper.pvc.zebin
  zebin samples "$genuine" 0x170 0x210 0x240 0x250 0x2c0 0x360 0x450 > recording
  ldconfig -p | grep -q libiga64 || skip 'libiga64 is not installed (libigc1)'
  assert_equal "$(fold recording "$ALL" | sort -t' ' -k1,1)" "$(sort << 'END'
helper.cl;with_helpers;dot_step;helper.cl:3;mad;sbid;0x250 1
helper.cl;with_helpers;dot_step;helper.cl:7;send.ugm;sbid;0x210 1
helper.cl;with_helpers;dot_step;helper.cl:7;sync.nop;sbid;waits for send.ugm at 0x218, helper.cl:7;0x240 1
helper.cl;with_helpers;helper.cl:18;macl;sbid;waits for send.ugm at 0x60, helper.cl:16;0x170 1
helper.cl;with_helpers;helper.cl:22;call;sbid;0x2c0 1
helper.cl;with_helpers;slow_tail;helper.cl:13;math.sqt;sbid;0x360 1
helper.cl;with_helpers;slow_tail;helper.cl:14;sync.allwr;sbid;0x450 1
END
)"
}

@test "a GPU newer than the library loses the mnemonic alone, and a hint says how to get it" {
  genuine matmul.bmg.zebin
  zebin samples "$genuine" 0x150 > recording
  run -0 --separate-stderr env PATH="$AIFLAME_BUILD/bin" \
    stackcollapse-aiflame --kernels multiply_basic recording
  assert_equal "$(stacks <<< "$output")" \
    'app;run_multiply_basic;-;matmul.cl_[G];multiply_basic_[G];sbid_[g];0x150_[g] 1'
  if ldconfig -p | grep -q libiga64 || command -v iga64 > /dev/null; then
    [[ $stderr == *'warning: instructions of xe2 are not named: the libiga64 that is installed is older than this GPU'* ]]
    [[ $stderr == *'hint: a newer iga64 is used where it is on PATH'* ]]
  else
    [[ $stderr == *'instructions of xe2 are not named'* ]]
  fi
  [ "$(grep -c 'are not named' <<< "$stderr")" -eq 1 ]
}

@test "an iga64 on PATH that knows the GPU names its instructions" {
  local generation kernel
  for generation in bmg lnl ptl; do
    genuine matmul.$generation.zebin
    # stands in for a newer release: prints what that printed for the kernel whose code it is given
    mkdir -p bin
    cat > bin/iga64 << END
#!/bin/bash
[ "\$*" = "-d -p=$([ $generation = ptl ] && echo xe3 || echo xe2) -Xprint-pc /dev/fd/3" ] || exit 1
for code in "$PWD"/code.*; do
  if cmp -s /dev/fd/3 "\$code"; then cat "${genuine%.zebin}.\${code##*/code.}.asm"; exit; fi
done
[ "\$(wc -c < /dev/fd/3)" -eq 16 ] && echo '/* [0000]  */         illegal'
END
    chmod +x bin/iga64
    zebin kernels "$genuine" > kernels
    while read -r kernel _; do zebin code "$genuine" "$kernel" > "code.$kernel"; done < kernels
    zebin samples "$genuine" > recording
    PATH=$PWD/bin:$PATH fold recording kernel,mnemonic,offset | sort > actual
    run ! grep 'not named' err
    for kernel in code.*; do
      kernel=${kernel#code.}
      zebin listed "${genuine%.zebin}.$kernel.asm" | sed "s/^/$kernel;/; s/$/ 1/"
    done | sort > expected
    [ "$(wc -l < expected)" -gt 250 ]
    # each offset is there; the others are in the middle of an instruction
    [ -z "$(comm -23 expected actual)" ]
  done
}

@test "a damaged object takes names away, no samples" {
  genuine matmul.pvc.zebin
  local cut
  zebin samples "$genuine" > whole
  for cut in 0 10 63 100 5000 12000 17000 21000 21760 22800; do
    head -c "$cut" "$genuine" > damaged.zebin
    sed "s:$genuine:$PWD/damaged.zebin:g" whole > recording
    stackcollapse-aiflame --gpu-frames="$ALL" recording > folded 2> err
    [ "$(sum_of folded)" -eq "$(grep -c gpu-stall: recording)" ]
  done
}
