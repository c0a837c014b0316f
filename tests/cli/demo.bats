# SPDX-License-Identifier: MIT
# The programs that are recorded: they work, and a recording of them agrees with what they print
# about themselves. Two of them skip where other programs have the cores:
# bats file_tags=alone
load common
load recording

setup() { setup_demo; }

@test "matmul's results are right and its table complete, with debug options and without" {
  for options in -g '-g -cl-opt-disable' ''; do
    run -0 --separate-stderr "$DEMO/matmul" --size 64 --repeats 2 --options "$options"
    [[ ${lines[0]} == 'device: '* ]]
    assert_equal "$(printf '%s\n' "${lines[@]}" | awk '/^multiply/ { print $1, $2, NF }')" \
      'multiply_basic 2 4
multiply_local_access 2 4
multiply_local_access_and_tiling 2 4'
    printf '%s\n' "${lines[@]}" |
      grep -E '^waited [0-9.]+ s of [0-9.]+ s for a core \([0-9.]+ %\)$'
  done
}

@test "debug options put file, line and the inlined function into the kernel's object" {
  export POCL_CACHE_DIR=$PWD/pocl
  mkdir pocl
  "$DEMO/matmul" --size 64 --repeats 1 --options -g
  local object
  object=$(find pocl -name multiply_basic.so)
  objdump --dwarf=info "$object" > dwarf
  grep DW_TAG_inlined_subroutine dwarf
  # the line of the hot loop, in the file as it is now, has code
  local line address
  line=$(awk '/sum = multiply_add\(row\[k\], column/ { print FNR }' "$DEMO/matmul.cl")
  address=$(objdump --dwarf=decodedline "$object" |
    awk -v line="$line" '/matmul\.cl +[0-9]+ / && $2 == line { print $3; exit }')
  assert_equal "$(addr2line -e "$object" "$address")" "$(realpath "$DEMO/matmul.cl"):$line"
}

@test "matmul names what is wrong" {
  OCL_ICD_VENDORS=/nonexistent run -1 "$DEMO/matmul"
  assert_equal "$output" \
    'matmul: no OpenCL platform; on Debian, pocl-opencl-icd makes the CPU one'
  run -1 --separate-stderr "$DEMO/matmul" --source nowhere.cl
  assert_equal "$stderr" "matmul: cannot read 'nowhere.cl': No such file or directory"
  echo 'kernel void f( {' > wrong.cl
  run -1 --separate-stderr "$DEMO/matmul" --source wrong.cl
  [[ $stderr == *"matmul: cannot build 'wrong.cl' with options '': CL_BUILD_PROGRAM_FAILURE"* ]]
  [[ $stderr == *"$PWD/wrong.cl:1:"* ]]
  run -2 "$DEMO/matmul" --size 17
  run -2 "$DEMO/matmul" --repeats 0
  run -2 "$DEMO/matmul" --thread=1
  run -1 --separate-stderr bash -c '"$0/matmul" --size 64 --repeats 1 > /dev/full' "$DEMO"
  assert_equal "$stderr" 'matmul: write error: No space left on device'
}

@test "the do-nothing platform gets every launch, and loses no object" {
  export OCL_ICD_VENDORS=$AIFLAME_BUILD/tests/libopencl-null.so
  run -0 "$DEMO/launch_cost" --batches 7 --batch 11 --threads 3 --frames 40
  [[ $output == *'frames 40'* ]]
  assert_equal "$(grep ^null_ <<< "$output")" 'null_contexts 0
null_queues 0
null_programs 0
null_kernels 0
null_events 0
null_launches 231
null_callbacks 0'
}

@test "launches on the do-nothing platform are the same with the agent, which leaves no files" {
  export OCL_ICD_VENDORS=$AIFLAME_BUILD/tests/libopencl-null.so
  run -0 --separate-stderr gpustall-record -o recording --objects objects -- \
    "$DEMO/launch_cost" --batches 7 --batch 11
  assert_equal "$(grep -E '^null_(contexts|queues|programs|kernels|events|launches) ' \
    <<< "$output")" 'null_contexts 0
null_queues 0
null_programs 0
null_kernels 0
null_events 0
null_launches 77'
}

# share FOLDED FUNCTION: the function's percentage of all counts
share() {
  awk -v frame=";$2" '{ all += $NF; if ($0 ~ frame "[;(]") own += $NF }
    END { printf "%.2f", 100 * own / all }' "$1"
}

# assert_near A B POINTS
assert_near() {
  awk -v a="$1" -v b="$2" -v points="$3" 'BEGIN { exit !(a - b <= points && b - a <= points) }' ||
    { echo "$1 is not within $3 of $2" >&2; return 1; }
}

# record_quietly PERCENT COMMAND...: records into ./recording, with stdout in ./table. Records again
# if the program's threads had to wait for a core for more than PERCENT of their time; skips the test
# if the machine stays too busy
record_quietly() {
  local attempt limit=$1
  shift
  for attempt in 1 2 3; do
    gpustall-record -o recording --objects objects -- "$@" > table || return
    awk -v limit="$limit" '$1 == "waited" { exit !($2 <= limit / 100 * $5) }' table && return
    echo "attempt $attempt: $(grep waited table)" >&2
  done
  skip "the machine is busy: the threads waited more than $limit % of their time for a core"
}

@test "each kernel's share of the samples is its share of device time" {
  skip_unless_samples
  record_quietly 1 "$DEMO/matmul" --options -g
  stackcollapse-aiflame --stats stats recording > folded
  local kernel_share kernel
  while read -r kernel kernel_share; do
    assert_near "$(awk -v k=";${kernel}_[G]" '{ all += $NF; if (index($0, k)) own += $NF }
      END { print 100 * own / all }' folded)" "$kernel_share" 3
  done < <(awk '/^multiply/ { print $1, $4 }' table)
  jq -e '.device[.event] | .exact >= 0.99 * .samples' stats
  # nothing is lost between the recording and the picture
  assert_equal "$(sum_of folded)" \
    "$(at_end samples recording)"
}

@test "each kernel stands on the host function that launched it" {
  skip_unless_samples
  gpustall-record -o recording --objects objects -- "$DEMO/matmul" --seconds 1
  stackcollapse-aiflame recording | grep -v '^#' > folded
  assert_equal "$(grep -oE 'run_(basic|local_access|tiled)|multiply_(basic|local_[a-z_]+)_\[G\]' folded | paste -d' ' - - |
    sort -u)" 'run_basic multiply_basic_[G]
run_local_access multiply_local_access_[G]
run_tiled multiply_local_access_and_tiling_[G]'
}

# samples_in EXTENDED-REGULAR-EXPRESSION: the samples of the stacks in ./folded that match
samples_in() { grep -E "$1" folded | sum_of; }

# hottest FUNCTION: the mnemonic with the most samples in ./folded
hottest() {
  awk -v function_frame=";${1}_[G];" 'index($0, function_frame) && sub(/_\[g\] [0-9]+$/, "") {
      sub(/.*;/, "")
      ++n[$0]
    }
    END { for (each in n) if (n[each] > n[best]) best = each
          print best }' <(awk '{ for (i = 0; i < $NF; ++i) print }' folded)
}

@test "optimised kernels: three towers, each narrower, with lines and the instruction that waits" {
  skip_unless_samples
  gpustall-record -o recording --objects objects -- "$DEMO/matmul" --seconds 2 --options -g > table
  stackcollapse-aiflame --gpu-frames file,kernel,function,line,mnemonic recording | grep -v '^#' > folded
  local basic local tiled all
  basic=$(samples_in ';matmul.cl_\[G\];multiply_basic_\[G\];')
  local=$(samples_in ';matmul.cl_\[G\];multiply_local_access_\[G\];')
  tiled=$(samples_in ';matmul.cl_\[G\];multiply_local_access_and_tiling_\[G\];')
  all=$(sum_of folded)
  echo "$basic $local $tiled of $all"
  [ "$basic" -gt "$((local * 3 / 2))" ]
  [ "$local" -gt "$((tiled * 3 / 2))" ]
  [ "$tiled" -gt 0 ]
  # most samples have a line
  [ "$(samples_in ';matmul.cl:[0-9]+_\[G\]')" -gt "$((all / 2))" ]
  # where the samples are: not in the loop's counting, and most of all at a load or multiplication
  local loop
  for loop in row_times_row rows_times_columns; do
    # of short loops no single one leads on every processor
    [ "$(($(samples_in ";${loop}_\[G\];.*;(v[^;]*|[^;]*[sp][sd])_\[g\]") * 2))" -gt "$(samples_in ";${loop}_\[G\];")" ]
  done
  [[ $(hottest row_times_column) =~ ^v?(mov[sua]p?[sd]|mul[sp]s|add[sp]s|fmadd[0-9]*[sp]s)$ ]]
}

@test "one sum instead of two makes the second kernel slower, and no other" {
  skip_unless_samples
  local sums
  for sums in 1 2; do
    gpustall-record -o "recording$sums" --objects objects -- "$DEMO/matmul" --repeats 40 \
      --options "-g -D SUMS=$sums" > table
    stackcollapse-aiflame --gpu-frames kernel,function "recording$sums" > "folded$sums"
  done
  cp folded1 folded
  local one two
  one=$(samples_in ';row_times_row_\[G\] ')
  cp folded2 folded
  two=$(samples_in ';row_times_row_\[G\] ')
  echo "$one, $two"
  [ "$one" -gt "$((two * 11 / 10))" ]
}

@test "a stripped program has the names that .gnu_debugdata keeps" {
  skip_unless_samples
  skip_without objcopy
  skip_without xz
  # as find-debuginfo of rpm does it
  nm --format=posix --defined-only "$DEMO/matmul" | awk '$2 ~ /[tT]/ { print $1 }' | sort > functions
  objcopy --only-keep-debug "$DEMO/matmul" debug
  objcopy -S --remove-section .comment --keep-symbols=functions debug mini
  xz mini
  strip -o matmul "$DEMO/matmul"
  cp "$DEMO/matmul.cl" .
  gpustall-record -o recording --objects objects -- ./matmul --size 256 --repeats 3 > table
  stackcollapse-aiflame recording > folded
  ! grep run_basic folded || false
  objcopy --add-section .gnu_debugdata=mini.xz matmul
  gpustall-record -o recording --objects objects -- ./matmul --size 256 --repeats 3 > table
  stackcollapse-aiflame recording > folded
  grep -E ';main;.*multiply;.*run_checked;run_basic;clEnqueueNDRangeKernel;' folded
}

@test "make demo draws three pictures, and the summary has the kernels in order" {
  skip_unless_samples
  # the programs as they were built; what is drawn goes into a directory of its own
  mkdir -p out/tests
  ln -s "$AIFLAME_BUILD/bin" out/bin
  ln -s "$AIFLAME_BUILD/libexec" out/libexec
  ln -s "$DEMO" out/tests/demo
  DEMO_ATTEMPTS=1 run -0 --separate-stderr "$AIFLAME_ROOT/scripts/demo.sh" out -g
  [[ $output == *"$PWD/out/demo.svg "* ]]
  # the compiler's doubts about its own debug information are kept from the user
  [[ $stderr != *'!dbg'* ]]
  local picture
  for picture in demo demo-time demo-change; do
    xmllint --noout "out/$picture.svg"
    grep -q 'multiply_local_access_and_tiling' "out/$picture.svg"
  done
  assert_equal "$(awk '$1 ~ /^multiply_/ { print $1 }' out/demo.summary)" \
    "$(sort -k4 -rn out/demo.summary | awk '$1 ~ /^multiply_/ { print $1 }')"
  # the picture says that the machine was busy if it was, and not otherwise
  local waited busy=''
  waited=$(sed -n 's/^exact: .*; waited for a core: \([0-9.]*\) %.*/\1/p' out/demo.summary)
  if awk -v waited="$waited" 'BEGIN { exit !(waited > 1) }'; then
    busy="busy machine: threads waited $waited % of their time"
  fi
  assert_equal "$(grep -o -m 1 'busy machine: threads waited [0-9.]* % of their time' out/demo.svg | head -n 1)" "$busy"
}

@test "README shows a picture of the demo, and names the paths that make demo writes" {
  local picture page
  for page in . tests/data; do
    for picture in $(sed -n 's/^!\[.*](\(.*\.svg\))$/\1/p' "$AIFLAME_ROOT/$page/README.md"); do
      [ "$(stat -c %s "$AIFLAME_ROOT/$page/$picture")" -lt 480000 ] # 240 000 of it is the page itself
      xmllint --noout "$AIFLAME_ROOT/$page/$picture"
    done
  done
  picture=tests/demo/demo.svg
  [ "$(stat -c %s "$AIFLAME_ROOT/$picture")" -lt 350000 ]
  xmllint --noout "$AIFLAME_ROOT/$picture"
  local frame
  for frame in multiply_basic multiply_local_access multiply_local_access_and_tiling matmul.cl:; do
    grep -qF "$frame" "$AIFLAME_ROOT/$picture"
  done
  ! grep -F '[libc.so.6]' "$AIFLAME_ROOT/$picture" || false
  for picture in demo demo-time demo-change; do
    grep -qF "build/$picture.svg" "$AIFLAME_ROOT/README.md"
    grep -qF "out/$picture.svg" "$AIFLAME_ROOT/scripts/demo.sh"
  done
}

@test "a program that is built from a string has one source name in all recordings" {
  skip_unless_samples
  local i
  for i in 1 2; do
    rm -rf "$POCL_CACHE_DIR"
    mkdir "$POCL_CACHE_DIR" # PoCL gives the source another random name
    gpustall-record -o "$i" --objects objects -- \
      /usr/bin/python3 "$AIFLAME_ROOT/tests/demo/text_program.py" 2> err
    stackcollapse-aiflame --gpu-frames file,kernel "$i" > "$i.folded" 2> err
    ! grep -F 'PoCL made up' err || false
    sed -n 's/.*;-;\(.*\) [0-9]*$/\1/p' "$i.folded" > "$i.frames"
  done
  grep -qxE 'source_[A-P]{8}\.cl_\[G\];work_\[G\]' 1.frames
  assert_equal "$(< 2.frames)" "$(< 1.frames)"
  aiflame-annotate 1 2> err > /dev/null
  grep -qE "^aiflame-annotate: warning: no source: '.*/source_[A-P]{8}\.cl': the program was built from a string, of which PoCL keeps no file$" err
}

@test "without PoCL's cache nothing names a program that is built from a string, and a line says so" {
  skip_unless_samples
  POCL_KERNEL_CACHE=0 gpustall-record -o r --objects objects -- \
    /usr/bin/python3 "$AIFLAME_ROOT/tests/demo/text_program.py" 2> err
  stackcollapse-aiflame --gpu-frames file,kernel r 2> err | grep -qE ';-;tempfile_[A-Za-z0-9]{6}\.cl_\[G\];work_\[G\] '
  grep -qE "^stackcollapse-aiflame: warning: 'tempfile_[A-Za-z0-9]{6}\.cl': PoCL made up the name of the source, which another recording has not: device frames do not compare$" err
}

@test "two callers of one kernel, in turn: each gets its own samples, exactly" {
  skip_unless_samples
  # One launch at a time: waiting delays both functions alike, but some launches more than others.
  record_quietly 30 "$DEMO/callers" turn
  stackcollapse-aiflame --stats stats recording > folded
  assert_near "$(share folded run_heavy)" "$(awk '$1 == "run_heavy" { print $4 }' table)" 3
  assert_near "$(share folded run_light)" "$(awk '$1 == "run_light" { print $4 }' table)" 3
  jq -e '.device[.event] | .exact >= 0.99 * .samples' stats
}

@test "two callers of one kernel at once: overlapping samples are apportioned by time" {
  skip_unless_samples
  [ "$(nproc)" -ge 2 ] || skip 'needs two cores'
  # Idle machines show 2 to 5 % here, because the platform's threads wake each other up. If threads
  # really share a core, the device time of both functions grows, and their samples do not.
  record_quietly 10 "$DEMO/callers" threads
  stackcollapse-aiflame --stats stats recording > folded
  assert_near "$(share folded run_heavy)" "$(awk '$1 == "run_heavy" { print $4 }' table)" 3
  assert_near "$(share folded run_light)" "$(awk '$1 == "run_light" { print $4 }' table)" 3
  jq -e '.device[.event] | .apportioned > 0 and .unattributed <= 0.01 * .samples' stats
}

@test "the size of each launch: in the recording, in the report and with the kernel's frame" {
  gpustall-record --objects objects -o r -- "$DEMO/matmul" --size 64 --repeats 3 > /dev/null 2> err
  assert_equal "$(grep -c '^# size' r)" 3
  stackcollapse-aiflame --event gpu-time r 2> /dev/null > folded
  assert_equal "$(grep '^# aiflame-launch' folded)" \
    '# aiflame-launch: launches 3, items 64x64x1, group 16x16x1, kernel multiply_basic_[G]
# aiflame-launch: launches 3, items 64x64x1, group 16x16x1, kernel multiply_local_access_[G]
# aiflame-launch: launches 3, items 16x16x1, group 4x4x1, kernel multiply_local_access_and_tiling_[G]'
  aiflame-report --sections launch folded > report
  assert_equal "$(grep '^ *[0-9]' report | sed 's/^ *//; s/  */ /g')" \
    '3 64x64 16x16 - - - - - - multiply_basic
3 64x64 16x16 - - - - - - multiply_local_access
3 16x16 4x4 - - - - - - multiply_local_access_and_tiling'
  assert_equal "$(aiflame-report --json --sections launch folded |
    jq -c '.sections[0].rows[0]')" \
    '{"name":"multiply_basic","launches":3,"items":[64,64,1],"group":[16,16,1]}'
  aiflame-svg folded > svg
  grep -A1 -F '<title>multiply_basic (' svg | grep -F '3 launches of 64x64 work-items, in groups of 16x16</title>'
  # programs that do not know the lines pass over them
  assert_equal "$(aiflame-diff --confidence 0 folded folded | grep -c '^#')" 1
}
