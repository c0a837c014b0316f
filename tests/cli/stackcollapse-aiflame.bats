# SPDX-License-Identifier: MIT
# stackcollapse-aiflame: options, errors, gpustall(5) and the behaviour of stackcollapse-perf.pl.
# The gpustall texts here are made by hand, unless a test says otherwise.
load common
load recording

root=$AIFLAME_ROOT
build=$AIFLAME_BUILD
data=$DATA/stackcollapse-aiflame

# Prints output and status of a run whose stderr does not matter.
fold() {
  stackcollapse-aiflame "$@" 2>stderr
}

# stackcollapse-perf.pl's documented algorithm in awk, as a reader of the dialect that does not know
# our programs: it skips comments, a blank line ends a sample, it filters by event, weight = period.
reader_of_perf_script() {
  awk -v want="$1" '
    /^#/ { next }
    /^$/ { if (name != "") sum[name stack] += weight; name = stack = ""; next }
    match($0, /^[^ \t].+[ \t]+[0-9]+\/?[0-9]*[ \t]+/) && match($0, /:[ \t]*[0-9]*[ \t]+[^ \t]+:[ \t]*$/) {
      split(substr($0, RSTART + 1), f); event = f[2]; sub(/:$/, "", event)
      weight = f[1] > 0 ? f[1] : 1
      head = $0; sub(/[ \t]+[0-9]+(\/[0-9]+)?[ \t].*/, "", head); gsub(/ /, "_", head)
      name = event == want ? head : ""
      next
    }
    name != "" && /\(.*\)/ {
      frame = $0; sub(/^[ \t]*[0-9a-zA-Z_]+[ \t]*/, "", frame); sub(/ \([^(]*\)$/, "", frame)
      sub(/\+0x[0-9a-f]+$/, "", frame); sub(/\(.*/, "", frame); stack = ";" frame stack
    }
    END { for (s in sum) print s, sum[s] }' | LC_ALL=C sort
}

# ---- the program ----

@test "--help and the man page name the same options" {
  run -0 --separate-stderr stackcollapse-aiflame --help
  [ -z "$stderr" ]
  diff <(grep -oE '^ +(-[a-z], )?--[a-z-]+' <<<"$output" | grep -oE -- '--[a-z-]+' | sort) \
    <(awk '/^\.SH/ { options = /OPTIONS/ } options && tag; { tag = /^\.TP/ }' \
      "$root/man/stackcollapse-aiflame.1" | sed 's/\\-/-/g' | grep -oE -- '--[a-z-]+' | sort)
}

@test "the man page: options on the second screen, examples within 250 lines, nothing wider than 80" {
  skip_without groff
  groff -t -man -Tascii -rLL=78n -P-cbou "$root/man/stackcollapse-aiflame.1" > page
  [ "$(grep -n '^OPTIONS' page | cut -d: -f1)" -le 48 ]
  [ "$(grep -n -A1 '^EXAMPLES' page | head -n 1 | cut -d: -f1)" -lt "$(grep -n '^DETAILS' page | cut -d: -f1)" ]
  [ "$(grep -n '^DETAILS' page | cut -d: -f1)" -le 250 ]
  run ! grep -nE '.{81}' page
}

@test "--version" {
  run -0 --separate-stderr stackcollapse-aiflame --version
  [[ $output =~ ^stackcollapse-aiflame\ [0-9.]+$ ]]
}

@test "a usage error is one line and exit 2" {
  for arguments in --no-such-option --event '--gpu-frames=file,nothing' '--gpu-frames=' \
    '--gpu-frames=file,file' '--stats=-'; do
    run -2 --separate-stderr stackcollapse-aiflame $arguments </dev/null
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "stackcollapse-aiflame: "*"; try 'stackcollapse-aiflame --help'" ]]
  done
}

@test "a full disk is exit 1" {
  assert_full_disk_noticed stackcollapse-aiflame "$data/cpu.perf-script"
}

@test "unreadable input is one line and exit 1" {
  run -1 --separate-stderr stackcollapse-aiflame missing
  [ "$stderr" = "stackcollapse-aiflame: cannot open 'missing': No such file or directory" ]
  run -1 --separate-stderr stackcollapse-aiflame .
  [ "$stderr" = "stackcollapse-aiflame: cannot read '.': Is a directory" ]
  printf 'PERFILE2\0\1' >perf.data
  run -1 --separate-stderr stackcollapse-aiflame perf.data
  [ "$stderr" = "stackcollapse-aiflame: perf.data: perf.data is cut short in its header" ]
  echo 'no samples at all' >text
  run -1 --separate-stderr stackcollapse-aiflame text
  [ "$stderr" = "stackcollapse-aiflame: text:1: expected perf script text" ]
}

@test "an empty input gives an empty output" {
  run -0 --separate-stderr stackcollapse-aiflame </dev/null
  [ -z "$output$stderr" ]
}

@test "files, standard input and compressed files are summed" {
  run -0 --separate-stderr bash -c \
    "gzip <'$data/cpu.perf-script' >a.gz; zstd -q '$data/cpu.perf-script' -o a.zst 2>/dev/null ||
     cp a.gz a.zst; stackcollapse-aiflame a.gz - a.zst <'$data/cpu.perf-script'"
  [ "$output" = "app;main;work 90" ]
}

# ---- gpustall(5) ----

@test "merged stacks of a recording, and the statistics line" {
  run -0 --separate-stderr stackcollapse-aiflame "$data/matmul.gpustall"
  diff - <(echo "$output") <<'END'
# aiflame: event gpu-stall, unit stalls, period 1004 cycles
[device];[unknown launch];-;[unknown kernel]_[G];other_[g] 2
matmul;main;run_basic;zeCommandListAppendLaunchKernel;-;jit_[G];multiply_basic_[G];mad_[G];send wait_[g];0x8_[g] 3
matmul;main;run_basic;zeCommandListAppendLaunchKernel;-;jit_[G];multiply_basic_[G];sbid_[g];0xa30_[g] 57
matmul;main;run_tiled;-;jit_[G];multiply_tiled_[G];sbid_[g];0x10_[g] 5
other;[unknown launch];-;jit_[G];copy_[G];0x10_[g] 1
END
  diff - <(echo "$stderr") <<'END'
stackcollapse-aiflame: warning: cannot open '/nowhere/3f2a.zebin': No such file or directory; no source and no instructions from it
stackcollapse-aiflame: gpu-stall: 68 samples: 65 exact, 0 apportioned, 3 unattributed, 4 lost; 68 of unnamed instructions (8 no code object, 60 code object not readable); device busy 0.009 s of 0.020 s (45.0 %); not drawn: gpu-time 0.009000000 s
END
}

@test "--stats is the same as JSON" {
  fold --stats stats.json "$data/matmul.gpustall" >folded
  run -0 jq -r '[.event, .device."gpu-stall".samples, .device."gpu-stall".exact,
    .device."gpu-stall".unattributed, .device."gpu-stall".unnamed.no_object,
    .device."gpu-stall".unnamed.unreadable, .lost, .launches, .busy_seconds, .recorded_seconds] | @csv' \
    stats.json
  [ "$output" = '"gpu-stall",68,65,3,8,60,4,3,0.009,0.02' ]
}

@test "losses beyond all numbers are the greatest number, and more" {
  {
    printf '# gpustall 1\n'
    for _ in 1 2; do printf '# a 7/7 [000]  1.000000000: PERF_RECORD_LOST lost 18446744073709551614\n\n'; done
    printf '# end samples 0 launches 0 lost ?\n\n'
  } > lost
  run -0 --separate-stderr stackcollapse-aiflame --stats stats.json lost
  grep -qF '"lost":18446744073709551615,"lost_unknown":true' stats.json
}

@test "counts out are the samples that the recording says it has" {
  fold "$data/matmul.gpustall" >folded
  [ "$(sum_of folded)" -eq 68 ]
}

@test "cat of two recordings is the sum of both" {
  cat "$data/matmul.gpustall" "$data/matmul.gpustall" | fold >twice
  fold "$data/matmul.gpustall" "$data/matmul.gpustall" | diff twice -
  fold "$data/matmul.gpustall" | awk '!/^#/ {$NF *= 2} 1' | diff twice -
}

@test "source file, inlined function and mnemonic come from the object" {
  # a real object, of this machine's compiler; the test looks up the addresses in it
  g++ -g -O1 -shared -fPIC -o kernel.so "$data/kernel.cc"
  local kernel helper mulss mulss_in_helper
  kernel=$(nm kernel.so | awk '$3 == "scale" {print "0x" $1}')
  helper=$(nm kernel.so | awk '$3 == "helper" {print "0x" $1}')
  mulss=$(objdump -d --no-show-raw-insn kernel.so |
    awk '/<scale>:/ {on = 1} on && /mulss/ {sub(":", "", $1); print "0x" $1; exit}')
  mulss_in_helper=$(objdump -d --no-show-raw-insn kernel.so |
    awk '/<helper>:/ {on = 1} on && /mulss/ {sub(":", "", $1); print "0x" $1; exit}')
  local base=0x700000000000
  at() { printf '%x' $((base + $1)); }
  {
    printf '# gpustall 1\n# app 7/7 [000] 1.000000000: PERF_RECORD_MMAP2 7/7: '
    printf '[0x%x(0x%x) @ 0 00:00 0 0]: r-xp %s\n# launch 1\n\n' $((base)) 0x10000 "$PWD/kernel.so"
    printf 'app 7/8 [000]     1.000000001:          1 gpu-launch: \n'
    printf '\t%16s scale+0x0 (%s)\n\t          4012ab run+0x1 (/app)\n\n' "$(at "$kernel")" "$PWD/kernel.so"
    printf '# slice 1.000000000 1.010000000\n# launched 1 1 0.005000000\n\n'
    printf 'app 7/8 [000]     1.010000000:          3 gpu-clock: \n'
    printf '\t%16s scale+0x%x (%s)\n\n' "$(at "$mulss")" $((mulss - kernel)) "$PWD/kernel.so"
    printf 'app 7/8 [000]     1.010000000:          2 gpu-clock: \n'
    printf '\t%16s helper+0x%x (%s)\n' "$(at "$mulss_in_helper")" $((mulss_in_helper - helper)) "$PWD/kernel.so"
    printf '\t%16s scale+0x0 (%s)\n\n# end samples 5 launches 1 lost 0\n\n' "$(at "$kernel")" "$PWD/kernel.so"
  } >object.gpustall
  run -0 --separate-stderr stackcollapse-aiflame object.gpustall
  diff - <(stacks <<< "$output") <<END
app;run;-;kernel.cc_[G];scale_[G];helper_[G];mulss_[g];$(printf '0x%x' $((mulss_in_helper - helper)))_[g] 2
app;run;-;kernel.cc_[G];scale_[G];scaled_sum_[G];mulss_[g];$(printf '0x%x' $((mulss - kernel)))_[g] 3
END
  run -0 --separate-stderr stackcollapse-aiflame --full-names --full-paths \
    --gpu-frames=kernel,line,file,function object.gpustall
  diff - <(stacks <<< "$output") <<END
app;run;-;scale_[G];$data/kernel.cc:4_[G];$data/kernel.cc_[G];helper_[G] 2
app;run;-;scale_[G];$data/kernel.cc:8_[G];$data/kernel.cc_[G];scaled_sum(float const*, int)_[G] 3
END
  run -0 --separate-stderr stackcollapse-aiflame --event gpu-time object.gpustall
  [ "$(stacks <<< "$output")" = "app;run;-;kernel.cc_[G];scale_[G] 5000000" ]
  # the object with the debug information is missing, or is not an object
  : >kernel.so
  run -0 --separate-stderr stackcollapse-aiflame --gpu-frames=file,kernel object.gpustall
  [ "$(stacks <<< "$output")" = "app;run;-;jit_[G];scale_[G] 5" ]
  [ "${stderr_lines[0]}" = "stackcollapse-aiflame: warning: $PWD/kernel.so: not an ELF object; no source and no instructions from it" ]
}

@test "--gpu-frames chooses levels and their order" {
  run -0 --separate-stderr stackcollapse-aiflame --gpu-frames=reason,kernel "$data/matmul.gpustall"
  [ "${lines[2]}" = "matmul;main;run_basic;zeCommandListAppendLaunchKernel;-;sbid_[g];multiply_basic_[G] 57" ]
  run -0 --separate-stderr stackcollapse-aiflame --full-names --gpu-frames=kernel,function "$data/matmul.gpustall"
  [ "${lines[3]}" = "matmul;main;run_basic;zeCommandListAppendLaunchKernel;-;multiply_basic(float*, int)_[G];mad(float, float)_[G] 3" ]
}

@test "--tid names the launching thread" {
  run -0 --separate-stderr stackcollapse-aiflame --tid --gpu-frames=kernel "$data/matmul.gpustall"
  [ "${lines[2]}" = "matmul-4711/4713;main;run_basic;zeCommandListAppendLaunchKernel;-;multiply_basic_[G] 60" ]
}

@test "--event gpu-time draws the launches' device time in nanoseconds" {
  run -0 --separate-stderr stackcollapse-aiflame --event=gpu-time "$data/matmul.gpustall"
  diff - <(stacks <<< "$output") <<'END'
matmul;main;run_basic;zeCommandListAppendLaunchKernel;-;jit_[G];multiply_basic_[G] 6000000
matmul;main;run_tiled;-;jit_[G];multiply_tiled_[G] 3000000
END
  [ "${stderr_lines[1]}" = "stackcollapse-aiflame: gpu-time: 0.009000000 s of 3 launches, 0 launches lost; device busy 0.009 s of 0.020 s (45.0 %); not drawn: 68 gpu-stall" ]
}

@test "without stall samples gpu-clock is drawn, without any sample gpu-time" {
  sed 's/gpu-stall: $/gpu-clock: /' "$data/matmul.gpustall" >clock
  run -0 --separate-stderr stackcollapse-aiflame clock
  [[ ${stderr_lines[1]} == *"gpu-clock: 68 samples: 65 exact"* ]]
  sed '/^# slice/,$d' "$data/matmul.gpustall" >time
  printf '# slice 1.0 2.0\n# launched 18 1 0.000000007\n# end samples 0 launches 1 lost 0\n\n' >>time
  run -0 --separate-stderr stackcollapse-aiflame time
  [ "$(stacks <<< "$output")" = "matmul;main;run_tiled;-;jit_[G];multiply_tiled_[G] 7" ]
}

@test "unknown code in a slice with copies or fills is only presumed to be theirs" {
  run -0 --separate-stderr stackcollapse-aiflame "$data/driver_kernel.gpustall"
  [ "$(stacks <<< "$output")" = '[device];[presumed];-;[unknown kernel]_[G];sbid_[g] 5
[device];[unknown launch];-;[unknown kernel]_[G];sbid_[g] 3' ]
  [[ $stderr == *'8 samples: 0 exact, 0 apportioned, 5 presumed, 3 unattributed, 0 lost;'* ]]
  run -0 --separate-stderr stackcollapse-aiflame --event gpu-time "$data/driver_kernel.gpustall"
  [ "$output" = '# aiflame: event gpu-time, unit ns, weights measured
app;save;zeCommandListAppendMemoryCopy;-;[driver kernel]_[G] 1000000' ]
}

@test "CPU samples are counted, and drawn beside the device with --cpu" {
  run -0 --separate-stderr stackcollapse-aiflame --gpu-frames=kernel "$data/matmul.gpustall" "$data/cpu.perf-script"
  [[ $stderr == *"; not drawn: gpu-time 0.009000000 s, 2 cpu-clock" ]]
  [[ $output != *app* ]]
  run -0 --separate-stderr stackcollapse-aiflame --cpu --gpu-frames=kernel "$data/matmul.gpustall" "$data/cpu.perf-script"
  # 68 stalls are the 9 ms that the launches took
  diff - <(echo "$output") << 'END'
# aiflame: event gpu-stall+cpu-clock, unit ns
[cpu];app;main;work 30
[device];[device];[unknown launch];-;[unknown kernel]_[G] 264706
[device];matmul;main;run_basic;zeCommandListAppendLaunchKernel;-;multiply_basic_[G] 7941176
[device];matmul;main;run_tiled;-;multiply_tiled_[G] 661765
[device];other;[unknown launch];-;copy_[G] 132353
END
  [[ $stderr == *'; drawn as time beside cpu-clock: a sample is 132353 ns; not drawn: gpu-time 0.009000000 s' ]]
  run -0 --separate-stderr stackcollapse-aiflame --event cpu-clock "$data/matmul.gpustall" "$data/cpu.perf-script"
  [ "$output" = '# aiflame: event cpu-clock, unit ns
app;main;work 30' ]
  [[ $stderr == *"cpu-clock: 2 samples; 4 device samples lost; device busy"*"; not drawn: 68 gpu-stall, gpu-time 0.009000000 s"* ]]
}

@test "a recording is read in the middle of perf script text" {
  cat "$data/cpu.perf-script" "$data/matmul.gpustall" "$data/cpu.perf-script" >mixed
  run -0 --separate-stderr stackcollapse-aiflame --event cpu-clock mixed
  [ "$(stacks <<< "$output")" = "app;main;work 60" ]
}

@test "apportioned 3:1 by device time" {
  {
    printf '# gpustall 1\n'
    for n in 1 2; do
      printf '# launch %s\n\napp 7/7 [000]     1.0:          1 gpu-launch: \n' $n
      printf '\t            1000 k+0x0 (o)\n\t              %s f%s+0x1 (/app)\n\n' $n $n
    done
    printf '# slice 1.0 2.0\n# launched 1 1 0.3\n# launched 2 1 0.1\n\n'
    for i in $(seq 1000); do
      printf 'app 7/7 [000]     2.0:          1 gpu-stall: \n\t%16x k+0x%x (o)\n\n' $((0x1000 + i)) "$i"
    done
    printf '# end samples 1000 launches 2 lost 0\n\n'
  } >apportioned
  run -0 --separate-stderr stackcollapse-aiflame --gpu-frames=kernel apportioned
  diff - <(stacks <<< "$output") <<'END'
app;f1;-;k_[G] 750
app;f2;-;k_[G] 250
END
  [[ $stderr == *"1000 samples: 0 exact, 1000 apportioned, 0 unattributed"* ]]
}

@test "samples of a recording without its comments are those of perf" {
  grep -v '^#' "$data/matmul.gpustall" | fold --event gpu-stall --full-names >folded
  [ "$(sum_of folded)" -eq 68 ]
  grep -qxF 'matmul;multiply_basic;sbid 57' folded
}

@test "hundreds of code objects do not run out of file descriptors" {
  g++ -g -O1 -shared -fPIC -o kernel.so "$data/kernel.cc"
  {
    printf '# gpustall 1\n'
    for i in $(seq 300); do
      cp kernel.so "kernel$i.so"
      printf '# a 1/1 [000] 1.0: PERF_RECORD_MMAP2 1/1: [0x%x(0x1000) @ 0x1000 00:00 0 0]: r-xp %s\n' \
        $((i * 0x10000)) "$PWD/kernel$i.so"
      printf '\na 1/1 [000]     1.0:          1 gpu-clock: \n\t%16x scale+0x0 (k)\n\n' \
        $((i * 0x10000 + 0x$(nm kernel.so | awk '$3 == "scale" {print $1}') - 0x1000))
    done
    printf '# end samples 300 launches 0 lost 0\n\n'
  } >many
  run -0 --separate-stderr bash -c 'ulimit -n 256; stackcollapse-aiflame --gpu-frames=file,kernel many'
  [ "$(stacks <<< "$output")" = "a;[unknown launch];-;kernel.cc_[G];scale_[G] 300" ]
  [ "${#stderr_lines[@]}" -eq 1 ]
}

@test "a malformed recording is an error with its line" {
  bad() { # LINE-NUMBER MESSAGE SED-SCRIPT
    sed "$3" "$data/matmul.gpustall" >bad
    run -1 --separate-stderr stackcollapse-aiflame bad
    echo "$stderr"
    [ -z "$output" ]
    [ "${stderr_lines[-1]}" = "stackcollapse-aiflame: bad:$1: $2" ]
  }
  bad 1 'gpustall format 2; this program reads format 1' '1s/1/2/'
  bad 1 "expected '# gpustall VERSION'" '1s/1/one/'
  bad 5 "expected 'pid/tid: [0xADDRESS(0xSIZE) …]: r-xp PATH'" '5s/(0x1000)/(4096)/'
  bad 6 "expected '# launch N' or '# launch ?'" '6s/17/seventeen/'
  bad 8 "expected 'comm pid/tid [device] time: count event:'" '8s/\[000\]//'
  bad 8 'a gpu-launch needs its kernel as first frame' '9,12d'
  bad 10 'expected a frame or a blank line' '10s/(.*//'
  bad 13 'expected a frame or a blank line' '13d'
  bad 8 "a gpu-launch needs '# launch N' before it" '6s/17/?/'
  bad 21 "expected '# slice START END'" '21s/ 5012.01.*//'
  bad 22 "launch 19 is not known" '22s/17/19/'
  bad 22 "expected '# launched N COUNT BUSY'" '22s/ 0.006.*//'
  bad 26 "launch 20 is not known" '24s/17/20/'
  bad 45 "expected 'lost N'" '45s/lost 4/4/'
  bad 51 "expected '# end samples N launches N lost N'" '51s/samples/stalls/'
}

@test "cut at any byte: exit 0, one warning, and a longer one never has less" {
  size=$(stat -c %s "$data/matmul.gpustall")
  before=0
  for ((cut = 1; cut < size; cut += 7)); do
    head -c "$cut" "$data/matmul.gpustall" >cut
    stackcollapse-aiflame --event gpu-stall cut >folded 2>stderr || { echo "cut at $cut"; false; }
    [ "$(grep -c 'cut short' stderr)" -eq 1 ] || { echo "cut at $cut"; cat stderr; false; }
    total=$(sum_of folded)
    [ "$total" -ge "$before" ] || { echo "cut at $cut: $total after $before"; false; }
    before=$total
  done
  [ "$before" -eq 68 ]
}

@test "the warning of a cut tells how far it was read" {
  head -n 27 "$data/matmul.gpustall" >cut
  run -0 --separate-stderr stackcollapse-aiflame --gpu-frames=kernel cut
  [[ ${stderr_lines[*]} == *"warning: cut: recording is cut short; read up to line 25"* ]]
}

# ---- the dialect, for readers that know only perf script ----

@test "gpu-stall weights are right for a reader of perf script" {
  reader_of_perf_script gpu-stall <"$data/matmul.gpustall" | diff - <(cat <<'END'
[device];[unknown];other 2
matmul;multiply_basic;mad;send wait 3
matmul;multiply_basic;sbid 57
matmul;multiply_tiled;sbid 5
other;copy 1
END
  )
}

@test "kernels of one name in two code objects without lines are apart, functions of C++ are not" {
  sample() { # COUNT NAME ADDRESS OBJECT
    printf 'a 1/1 [000] 1.0: %s gpu-clock: \n\t%x %s+0x0 (/o/%s)\n\n' "$1" "$3" "$2" "$4"
  }
  {
    printf '# gpustall 1\n# device 0 : opencl-cpu, here, period 1000000 ns\n'
    for i in 1 2; do
      printf '# a 1/1 [000] 1.0: PERF_RECORD_MMAP2 1/1: [0x%x(0x1000) @ 0 00:00 0 0]: r-xp /o/%d.cubin\n' \
        $((i * 0x10000)) "$i"
    done
    printf '\n'
    sample 5 gemm 0x10000 1.cubin
    sample 3 gemm 0x20000 2.cubin
    sample 1 gemm 0x10000 1.cubin
    sample 4 _Z4copyPfi 0x10100 1.cubin
    sample 2 _Z4copyPfi 0x20100 2.cubin
    printf '# end samples 5 launches 0 lost 0\n\n'
  } > two
  stackcollapse-aiflame --gpu-frames=file,kernel two 2> err | stacks > folded
  assert_equal "$(cat folded)" 'a;[unknown launch];-;jit#2_[G];gemm_[G] 3
a;[unknown launch];-;jit_[G];copy_[G] 6
a;[unknown launch];-;jit_[G];gemm_[G] 6'
  # each is a row of its own
  assert_equal "$(aiflame-report --sections kernel folded 2> err | awk '/^ *[0-9]/ { print $1, $NF }')" '6 copy
6 jit;gemm
3 jit#2;gemm'
}

@test "the same with stackcollapse-perf.pl itself" {
  perl=${STACKCOLLAPSE_PERF:-$(command -v stackcollapse-perf.pl || true)}
  [ -n "$perl" ] || skip "no stackcollapse-perf.pl on PATH or in STACKCOLLAPSE_PERF"
  "$perl" --event-filter=gpu-stall "$data/matmul.gpustall" |
    diff - <(reader_of_perf_script gpu-stall <"$data/matmul.gpustall")
}

@test "comment lines and the blank line after them change nothing for such a reader" {
  grep -v '^#' "$data/matmul.gpustall" | reader_of_perf_script gpu-stall >without
  reader_of_perf_script gpu-stall <"$data/matmul.gpustall" | diff - without
}

@test "PERF_RECORD_MMAP2 and PERF_RECORD_LOST as comments change nothing for such a reader" {
  grep -v PERF_RECORD "$data/matmul.gpustall" | reader_of_perf_script gpu-stall >without
  reader_of_perf_script gpu-stall <"$data/matmul.gpustall" | diff - without
}

@test "without the blank line after comments nothing changes either, but we need the one after a sample" {
  sed '/^# slice/,/^$/{/^$/d}' "$data/matmul.gpustall" >tight
  reader_of_perf_script gpu-stall <tight | diff - <(reader_of_perf_script gpu-stall <"$data/matmul.gpustall")
}

@test "a comm with a leading # would be lost: it is written ?" {
  printf '#1 7/7 [000]     1.0:          5 gpu-stall: \n\t            1010 k+0x10 (o)\n\n' |
    reader_of_perf_script gpu-stall >lost
  [ ! -s lost ]
  printf '?1 7/7 [000]     1.0:          5 gpu-stall: \n\t            1010 k+0x10 (o)\n\n' |
    reader_of_perf_script gpu-stall >kept
  [ "$(cat kept)" = "?1;k 5" ]
}

@test "an unknown process is [device] 0/0" {
  grep -F '[device] 0/0' "$data/matmul.gpustall"
  reader_of_perf_script gpu-stall <"$data/matmul.gpustall" | grep -qxF '[device];[unknown];other 2'
}

# ---- perf script text: stackcollapse-perf.pl, and where it is wrong ----

@test "the 78 outputs of stackcollapse-perf.pl" {
  shared=$root/../shared/data/flamegraph
  [ -d "$shared" ] || skip "no ../shared/data/flamegraph (CDDL test data of FlameGraph)"
  for input in "$shared"/perf-script/*.txt; do
    for option in pid tid kernel jit all addrs; do
      name=$(basename "$input" .txt)
      # one difference is intended: the vdso is not the kernel
      sed 's/\(__vdso_gettimeofday\|\[\[vdso\]\]\)_\[k\]/\1/' \
        "$shared/folded/$name-collapsed-$option.txt" >expected
      stackcollapse-aiflame "--$option" "$input" 2>/dev/null | diff - expected
    done
  done
}

@test "options are those of Getopt::Long: one dash, abbreviations, any case" {
  for option in -kernel --kern --KERNEL --ker; do
    run -0 --separate-stderr stackcollapse-aiflame $option "$data/deviations.perf-script"
    [[ $output == *"_[k]"* ]]
  done
}

@test "where stackcollapse-perf.pl is wrong" {
  run -0 --separate-stderr stackcollapse-aiflame --all "$data/deviations.perf-script"
  diff "$data/deviations.all.out" <(echo "$output")
  [ -z "$stderr" ]
}

@test "the first event is drawn; a tracepoint's arguments do not hide its name" {
  printf 'a 1/1 [000] 1.0: sched:sched_switch: prev_comm=a ==> next_comm=b\n\tff f+0x1 (/a)\n\n' >two
  printf 'a 1/1 [000] 1.0: 7 cycles:u: \n\tff g+0x1 (/a)' >>two
  run -0 --separate-stderr stackcollapse-aiflame two
  [ "$output" = "a;f 1" ]
  [ "$stderr" = "stackcollapse-aiflame: drawn: sched:sched_switch; not drawn: 1 cycles:u" ]
  run -0 --separate-stderr stackcollapse-aiflame --event-filter=cycles:u two
  [ "$output" = "a;g 7" ]
  [ -z "$stderr" ]
  run -0 --separate-stderr stackcollapse-aiflame --event-filter=cycles two
  [ "$output" = "a;g 7" ]
  [ "$stderr" = "stackcollapse-aiflame: drawn: cycles:u; not drawn: 1 sched:sched_switch" ]
}

@test "tracepoints without stacks are a line each, and no symbol's name begins a sample" {
  printf '   sleep  2705 [001] 2.3: raw_syscalls:sys_enter: NR 35 (7f, 0)\n' > lines
  printf 'kworker/u16:3-events_unbound  12 [000] 2.4: sched:sched_switch: prev_comm=x ==> next_comm=y\n' >> lines
  printf '  a b c  7/8 [001] 2.5: sched:sched_switch: prev_comm=z (foo)\n' >> lines
  run -0 --separate-stderr stackcollapse-aiflame --all --event sched:sched_switch lines
  assert_equal "$output" $'a_b_c 1\nkworker/u16:3-events_unbound 1'
  # symbols are any bytes, of /tmp/perf-PID.map say
  printf 'app  10/10 [001] 5.5: 100 cycles: \n\t    7f12 12/13 [000] 5.0: 10 cycles: (/x)\n' > symbols
  printf '\t    4000 9 5.0: probe: (/x)\n\t    4001 main+0x1 (/app)\n\n' >> symbols
  printf 'app  10/10 [001] 5.5: sched:x: arg=1\n\t    4000 1 1.0: 1 e: +0x0 (/tmp/perf-10.map)\n\n' >> symbols
  # a tool that expands tabs
  printf 'app  10/10 [001] 5.5: 3 cycles: \n        4000 9 5.0: probe: (/x)\n        4001 main+0x1 (/app)\n\n' >> symbols
  run -0 --separate-stderr stackcollapse-aiflame --event cycles symbols
  assert_equal "$output" 'app;main;9 5.0: probe: 3
app;main;9 5.0: probe:;12/13 [000] 5.0: 10 cycles: 100'
  [[ $stderr != *warning* ]]
  run -0 --separate-stderr stackcollapse-aiflame --event sched:x symbols
  assert_equal "$output" 'app;1 1.0: 1 e:  1'
}

@test "an address alone is named by its module, an empty symbol is a blank frame" {
  printf 'a 7 1.0: 1 cycles: \n\t10  (/usr/bin/x)\n\t20 (/usr/lib/y.so)\n\t30 [unknown] (/usr/lib/z.so)\n\n' > text
  assert_equal "$(stackcollapse-aiflame text)" 'a;[z.so];[y.so];  1'
}

@test "unrecognised lines are counted in one warning" {
  { cat "$data/cpu.perf-script"; printf 'what is this\nand this\n'; } >odd
  run -0 --separate-stderr stackcollapse-aiflame odd
  [ "$output" = "app;main;work 30" ]
  [ "$stderr" = "stackcollapse-aiflame: warning: 2 lines ignored, first at odd:9: unrecognised line" ]
}

@test "records of perf script --show-mmap-events are no samples" {
  { printf 'app 7/7 [000] 1.000001: PERF_RECORD_MMAP2 7/7: [0x4000(0x1000) @ 0 08:01 3 4]: r-xp /app\n'
    cat "$data/cpu.perf-script"; } >text
  run -0 --separate-stderr stackcollapse-aiflame text
  [ "$output" = "app;main;work 30" ]
  [ -z "$stderr" ]
}

@test "--srcline takes the line after each frame" {
  printf 'a.out 35081 252436.005167:     667783 cycles: \n\t408ebb f+0x8b (/a.out)\n  dist.h:300\n\t4069f5 main+0x9 (/a.out)\n  libc-2.33.so[27b25]\n\t7ffc [unknown] ([unknown])\n  \n\n' >text
  run -0 --separate-stderr stackcollapse-aiflame --srcline text
  [ "$output" = "a.out;[unknown];main:libc-2.33.so;f:dist.h:300 667783" ]
  [ -z "$stderr" ]
}

@test "a recording that has other sums than its end says is drawn, with one warning" {
  sed 's/^# end samples 68/# end samples 67/' "$data/matmul.gpustall" > r
  run -0 --separate-stderr stackcollapse-aiflame r
  fold "$data/matmul.gpustall" | diff - <(printf '%s\n' "${lines[@]}")
  assert_equal "$(grep 'the recording says' <<< "$stderr")" \
    'stackcollapse-aiflame: warning: r:51: the recording says it has 67 samples, but 68 are here'
  run -1 --separate-stderr stackcollapse-aiflame --strict r
  assert_equal "$output" ''
  assert_equal "${stderr_lines[-1]}" \
    'stackcollapse-aiflame: r:51: the recording says it has 67 samples, but 68 are here'
}

@test "recordings that have other launches than their ends say give one warning" {
  printf '%s\n' '# gpustall 1' '# launch 1' '' 'a 1/1 [000]     1.000000000:          1 gpu-launch: ' \
    $'\t               0 k ([kernel])' '' '# slice 1.000000000 2.000000000' '# launched 1 3 -' \
    '# end samples 4 launches 2 lost 0' '' > r
  run -0 --separate-stderr stackcollapse-aiflame r r r
  assert_equal "${stderr_lines[0]}" \
    'stackcollapse-aiflame: warning: r:9: the recording says it has 4 samples and 2 launches, but 0 and 3 are here; 2 more recordings have other sums than they say'
}

# Output of perf for a Python with -X perf, shortened.
python_text() {
  printf '%b\n' 'python3 7 [000] 1.0:          1 cycles: ' \
    '\t    1 compute+0x4 (/usr/lib/libx.so)' \
    '\t    2 list_sort+0x4 (/usr/lib/libpython3.12.so.1.0)' \
    '\t    3 PyObject_Vectorcall+0x4 (/usr/lib/libpython3.12.so.1.0)' \
    '\t    4 _PyEval_EvalFrameDefault+0x4 (/usr/lib/libpython3.12.so.1.0)' \
    '\t    5 py::inner:/x/a.py+0xb (/tmp/perf-7.map)' \
    '\t    6 py_trampoline_evaluator+0x4 (/usr/lib/libpython3.12.so.1.0)' \
    '\t    7 _PyEval_EvalFrameDefault+0x4 (/usr/lib/libpython3.12.so.1.0)' \
    '\t    8 py::<module>:/x/a.py+0xb (/tmp/perf-7.map)' \
    '\t    9 [unknown] (/usr/bin/python3.12)' \
    '\t    a Py_RunMain+0x4 (/usr/lib/libpython3.12.so.1.0)' '' \
    'python3 7 [000] 1.1:          1 cycles: ' \
    '\t    a Py_RunMain+0x4 (/usr/lib/libpython3.12.so.1.0)' ''
}

@test "--strict: a line that fits nowhere is an error, and so is a recording that is cut short" {
  printf 'a 1 [000] 1.0:          1 cycles: \n\t 1 f+0x0 (/a)\n\nwhat is this\n\nand this\n' > odd
  run -1 --separate-stderr stackcollapse-aiflame --strict odd
  assert_equal "$output$stderr" 'stackcollapse-aiflame: odd:4: unrecognised line'
  assert_equal "$(stackcollapse-aiflame odd 2> err)" 'a;f 1'
  head -n 3 odd > clean
  assert_equal "$(stackcollapse-aiflame --strict clean 2>&1)" 'a;f 1'
  printf '# gpustall 1\n\n# slice 1.000000000 1.010000000\n' > cut
  run -1 --separate-stderr stackcollapse-aiflame --strict cut
  assert_equal "$output$stderr" 'stackcollapse-aiflame: cut:3: recording is cut short here'
  # the same line from several threads
  for i in $(seq 4000); do head -n 3 odd; done > many
  cat many odd > long
  run -1 --separate-stderr stackcollapse-aiflame --strict long
  assert_equal "$output$stderr" 'stackcollapse-aiflame: long:12004: unrecognised line'
}

@test "--hide-interpreter leaves CPython's functions out where the Python functions are" {
  python_text > in
  assert_equal "$(stackcollapse-aiflame --hide-interpreter in)" \
    'python3;Py_RunMain 1
python3;py::<module>:/x/a.py;py::inner:/x/a.py;list_sort;compute 1'
  assert_equal "$(stackcollapse-aiflame --hide-interpreter --all --by-time 1000 in)" \
    '1.000;python3;Py_RunMain 1
1.000;python3;py::<module>:/x/a.py_[j];py::inner:/x/a.py_[j];list_sort;compute 1'
}

@test "--by-range makes the instances of a range root frames" {
  by_range() { stackcollapse-aiflame --event gpu-time --by-range "$@" "$data/ranges.gpustall"; }
  run -0 --separate-stderr by_range decode
  # what a graph captured in a range is not launched there
  assert_equal "$output" '# aiflame: event gpu-time, unit ns, weights measured
[outside decode];app;main;cudaLaunchKernel;-;jit_[G];scale_[G] 4000000
[outside decode];app;main;load_[r];cudaGraphLaunch;[cuda graph];decode #9_[r];-;jit_[G];scale_[G] 8000000
decode #1_[r];app;main;inner_[r];cudaLaunchKernel;-;jit_[G];scale_[G] 1000000
decode #2_[r];app;main;cudaLaunchKernel;-;jit_[G];scale_[G] 2000000'
  assert_equal "$stderr" 'stackcollapse-aiflame: gpu-time: 0.015000000 s of 4 launches, 0 launches lost; device busy 0.015 s of 0.010 s (its launches overlap)'
  assert_equal "$(by_range 'inn?r' --by-time 10 --root host 2> err | stacks)" \
    '1.000;[outside inn?r];[unknown host];app;main;cudaLaunchKernel;-;jit_[G];scale_[G] 4000000
1.000;[outside inn?r];[unknown host];app;main;decode #2_[r];cudaLaunchKernel;-;jit_[G];scale_[G] 2000000
1.000;[outside inn?r];[unknown host];app;main;load_[r];cudaGraphLaunch;[cuda graph];decode #9_[r];-;jit_[G];scale_[G] 8000000
1.000;inner_[r];[unknown host];app;main;decode #1_[r];cudaLaunchKernel;-;jit_[G];scale_[G] 1000000'
  # marks and names of agents are no functions of the system's kernel
  assert_equal "$(by_range decode --all 2> err)" "$output"
  by_range 'inn?r' > out 2> err
  grep -qx "stackcollapse-aiflame: hint: instances of 'inn?r' have no numbers: \
gpustall-record --number-ranges tells them apart" err
}

@test "--by-range with a name that is not there is an error with the names that are" {
  run -1 --separate-stderr stackcollapse-aiflame --event gpu-time --by-range step "$data/ranges.gpustall"
  [ -z "$output" ]
  assert_equal "$stderr" "stackcollapse-aiflame: option '--by-range': no range is named 'step'; there are \
'decode' (2), 'inner' (1), 'load' (1)"
  run -1 --separate-stderr stackcollapse-aiflame --by-range step "$data/cpu.perf-script"
  [ -z "$output" ]
  assert_equal "$stderr" "stackcollapse-aiflame: option '--by-range': no range is named 'step', and the input has no ranges"
  assert_usage_error stackcollapse-aiflame --by-range '' x
  assert_usage_error stackcollapse-aiflame --by-range a --cpu x
}

@test "--hide-interpreter does so in recordings, and loses nothing" {
  printf '%b\n' '# gpustall 1' '# launch 1' '' \
    'python3 7/7 [000] 1.000000000:          1 gpu-launch: ' '\t   0 scale ([kernel])' \
    '\t   1 clEnqueueNDRangeKernel+0x0 (/usr/lib/libOpenCL.so.1)' \
    '\t   2 _PyEval_EvalFrameDefault+0x4 (/usr/bin/python3.11)' \
    '\t   0 py::f:/x/a.py:3 ([python])' '\t   0 py::<module>:/x/a.py:9 ([python])' \
    '\t   3 PyEval_EvalCode+0x4 (/usr/bin/python3.11)' '' \
    '# slice 1.000000000 1.010000000' '# launched 1 1 0.000000005' \
    '# end samples 0 launches 1 lost 0' '' > in
  assert_equal "$(stackcollapse-aiflame --event gpu-time --hide-interpreter in 2> err | stacks)" \
    'python3;py::<module>:a.py;py::f:a.py;clEnqueueNDRangeKernel;-;jit_[G];scale_[G] 5'
}

# two_lines: a recording in which one Python function launches a kernel from two of its lines
two_lines() {
  printf '%b\n' '# gpustall 1' ''
  for line in 3 4; do
    printf '%b\n' "# launch $line" '' \
      'python3 7/7 [000] 1.000000000:          1 gpu-launch: ' '\t   0 scale ([kernel])' \
      '\t   1 clEnqueueNDRangeKernel+0x0 (/usr/lib/libOpenCL.so.1)' \
      "\t   0 py::f:/x/a.py:$line ([python])" '\t   0 py::<lambda>:/x/a.py:9 ([python])' ''
  done
  printf '%b\n' '# slice 1.000000000 1.010000000' '# launched 3 1 0.000000005' \
    '# launched 4 1 0.000000006' '# end samples 0 launches 2 lost 0' ''
}

@test "two lines of a Python function are one frame, unless lines are asked for" {
  two_lines > in
  folded() { stackcollapse-aiflame --event gpu-time --gpu-frames=kernel "$@" in 2> err | stacks; }
  local tail='clEnqueueNDRangeKernel;-;scale_[G]'
  assert_equal "$(folded)" "python3;py::<lambda>:a.py:9;py::f:a.py;$tail 11"
  assert_equal "$(folded --full-paths)" "python3;py::<lambda>:/x/a.py:9;py::f:/x/a.py;$tail 11"
  assert_equal "$(folded --srcline)" \
    "python3;py::<lambda>:a.py:9;py::f:a.py:3;$tail 5
python3;py::<lambda>:a.py:9;py::f:a.py:4;$tail 6"
}

# kernels NAME...: a recording in which each kernel ran for 1 ns more than the one before
kernels() {
  printf '%b\n' '# gpustall 1' ''
  local number=0
  for kernel; do
    number=$((number + 1))
    printf '%b\n' "# launch $number" '' 'app 7/7 [000] 1.000000000:          1 gpu-launch: '
    printf '\t   0 %s ([kernel])\n\n' "$kernel"
  done
  printf '%b\n' '# slice 1.000000000 1.010000000'
  for i in $(seq $number); do printf '# launched %d 1 0.%09d\n' "$i" "$i"; done
  printf '# end samples 0 launches %d lost 0\n\n' $number
}

@test "kernels have names that people can read; --full-names keeps them" {
  kernels _ZTSZZ5tworkiiENKUlRN4sycl3_V17handlerEE_clES2_EUlT_E_ \
    'void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int>, at::detail::Array<char*, 1> >(int, at::native::FillFunctor<int>)' \
    'void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<long>, at::detail::Array<char*, 1> >(int, at::native::FillFunctor<long>)' \
    'auto foo(T)::{lambda(int)#1}::operator()(int) const' > in
  folded() { stackcollapse-aiflame --event gpu-time --gpu-frames=kernel "$@" in 2> err | stacks; }
  assert_equal "$(folded)" 'app;-;at::native::vectorized_elementwise_kernel<4, FillFunctor<int>, Array<char*, 1>>_[G] 2
app;-;at::native::vectorized_elementwise_kernel<4, FillFunctor<long>, Array<char*, 1>>_[G] 3
app;-;foo::{lambda(int)#1}_[G] 4
app;-;twork::{lambda(handler&)#1}::{lambda(auto:1)#1}_[G] 1'
  run ! grep warning err
  folded --full-names > full
  grep -qxF 'app;-;twork(int, int)::{lambda(sycl::_V1::handler&)#1}::operator()(sycl::_V1::handler&) const::{lambda(auto:1)#1}_[G] 1' full
  grep -qxF 'app;-;void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int>, at::detail::Array<char*, 1> >(int, at::native::FillFunctor<int>)_[G] 2' full
  # a filter knows each spelling of them
  for pattern in 'twork::*' '*lambda(sycl*' '_ZTSZZ5twork*'; do
    assert_equal "$(folded --kernels "$pattern")" 'app;-;twork::{lambda(handler&)#1}::{lambda(auto:1)#1}_[G] 1'
  done
}

@test "kernels whose short names are equal are added, and a line says so" {
  kernels 'scale(float*)' 'scale(double*)' 'scale(float*)' > in
  assert_equal "$(stackcollapse-aiflame --event gpu-time --gpu-frames=kernel in 2> err | stacks)" \
    'app;-;scale_[G] 6'
  grep -qxF "stackcollapse-aiflame: warning: 1 kernel is drawn as another whose name differs in parameters or namespaces alone, such as 'scale'; --full-names keeps them apart" err
  assert_equal "$(stackcollapse-aiflame --event gpu-time --gpu-frames=kernel --full-names in 2> err | stacks)" \
    'app;-;scale(double*)_[G] 2
app;-;scale(float*)_[G] 4'
  run ! grep warning err
}

@test "--exposed needs a recording that tells, and draws gpu-stall alone" {
  printf '%s\n' '# gpustall 1' '# launch ?' '' 'app 7/7 [000]  1.010000000:         57 gpu-stall: ' \
    "$(printf '\t               0 sbid ([stall])')" "$(printf '\t            1430 scale+0x30 (/tmp/k.so)')" '' \
    '# end samples 57 launches 0 lost 0' '' > "$BATS_TEST_TMPDIR/r"
  run -1 --separate-stderr stackcollapse-aiflame --exposed "$BATS_TEST_TMPDIR/r"
  [ -z "$output" ]
  assert_equal "$stderr" "stackcollapse-aiflame: option '--exposed': no recording tells which stalls are exposed"
  run -2 --separate-stderr stackcollapse-aiflame --exposed --cpu "$BATS_TEST_TMPDIR/r"
  run -2 --separate-stderr stackcollapse-aiflame --exposed --event gpu-clock "$BATS_TEST_TMPDIR/r"
}

@test "gpu-launch counts launches, and is the default where no launch has a time" {
  recording() { # BUSY: of gemm's launches in each of two slices
    printf '%s\n' '# gpustall 1' '# launch 1' '' 'app 7/7 [000] 1.0: 1 gpu-launch: ' ' 0 gemm ([kernel])' \
      ' 100 step+0x0 (/app)' '' '# launch 2' '' 'app 7/8 [000] 1.0: 1 gpu-launch: ' \
      ' 0 Memset ([operation])' ' 200 clear+0x0 (/app)' '' '# slice 1.0 1.1' "# launched 1 2 $1" \
      '# launched 2 5 -' '# slice 1.1 1.2' "# launched 1 3 $1" '# end samples 0 launches 10 lost 0' ''
  }
  cd "$BATS_TEST_TMPDIR" || return
  recording 0.000005 > timed
  recording - > untimed
  local all='app;clear;-;Memset_[G] 5
app;step;-;jit_[G];gemm_[G] 5'
  assert_equal "$(stackcollapse-aiflame untimed 2> said | stacks)" "$all"
  assert_equal "$(cat said)" 'stackcollapse-aiflame: gpu-launch: 10 launches, 0 lost'
  assert_equal "$(stackcollapse-aiflame timed 2> /dev/null | stacks)" 'app;step;-;jit_[G];gemm_[G] 10000'
  assert_equal "$(stackcollapse-aiflame --event gpu-launch timed 2> /dev/null | stacks)" "$all"
  # of the filters and the time as for other events
  assert_equal "$(stackcollapse-aiflame --event gpu-launch --kernels gemm --by-time 100 --stats s timed 2> said | stacks)" \
    '1.000;app;step;-;jit_[G];gemm_[G] 2
1.100;app;step;-;jit_[G];gemm_[G] 3'
  grep -q 'gpu-launch: 10 launches, 0 lost, 5 filtered out' said
  grep -q '"event":"gpu-launch","unit":"launches","device":{"gpu-launch":{"launches":10,"exact":5,.*"filtered":5}' s
  # CPU samples are more than their number
  printf '%s\n' 'app 7/7 [000] 1.0: 1 cpu-clock: ' ' 100 work+0x0 (/app)' '' > cpu
  assert_equal "$(stackcollapse-aiflame cpu untimed 2> said)" 'app;work 1'
  run -2 --separate-stderr stackcollapse-aiflame --event gpu-launch --cpu timed
  assert_equal "${stderr_lines[0]}" "stackcollapse-aiflame: option '--cpu' draws time, and gpu-launch is none; try 'stackcollapse-aiflame --help'"
}
