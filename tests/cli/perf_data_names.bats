#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# stackcollapse-aiflame --inline, --srcline and --context on perf.data: the result equals perf's text
# of the same file, for every form of debug information that libdw reads.
load common

# record FILE PERF-OPTIONS... -- PROGRAM...
record() {
  skip_without perf 'perf is not installed'
  skip_unless_samples
  perf record -q -o "$@" > program.out 2> record.err ||
    skip "perf record fails here: $(head -n 1 record.err)"
}

# compiled NAME COMPILER OPTIONS...: compiles tests/recorded/inlined.cc
compiled() {
  local name=$1 compiler=$2
  shift 2
  skip_without "$compiler"
  "$compiler" -O2 -std=c++20 "$@" -o "$name" "$AIFLAME_ROOT/tests/recorded/inlined.cc"
}

# Compares from main on: the C library's start functions have aliases, and files that addr2line
# confuses.
# Without stubs of the procedure linkage table, in which a sample may fall: perf takes some for _init.
from_main() {
  sed -n 's/^app;.*;main\([;:]\)/main\1/p' "$1" | grep -vE 'libstdc|;(_init|[^;]*@plt) ' | sort
}

chain='^app;.*main;shapes::measure_often;shapes::measure;shapes::sum_\[i\];shapes::length_\[i\];shapes::square<float>_\[i\] [0-9]+$'

# has_chain PROGRAM: in its recording, many samples have all three inlined functions
has_chain() {
  cp "$1" app
  record app.data -F 1999 -e cpu-clock:u --call-graph dwarf,4096 -- ./app 0.2
  stackcollapse-aiflame --inline app.data > app.folded
  grep -qE "$chain" app.folded || {
    cut -c 1-300 app.folded >&2
    return 1
  }
  awk -v chain="$chain" '{ all += $NF } $0 ~ /square<float>_\[i\] / { inside += $NF }
    END { exit !(inside * 10 > all) }' app.folded
}

@test "inlined functions are those of perf script --inline, in its order" {
  compiled app g++ -g
  record app.data -F 1999 -e cpu-clock:u --call-graph dwarf,4096 -- ./app 0.3
  perf script -i app.data 2> /dev/null > text
  grep -q '(inlined)' text
  stackcollapse-aiflame text > text.folded
  stackcollapse-aiflame --inline app.data | sed 's/_\[i\]//g' > direct.folded
  grep -q ';shapes::measure;shapes::sum;shapes::length;shapes::square<float> ' direct.folded
  diff <(from_main text.folded) <(from_main direct.folded)
  # without the option, samples of inlined functions count for their callers
  run -0 stackcollapse-aiflame app.data
  [[ $output == *';main;shapes::measure_often;shapes::measure '* ]]
  [[ $output != *square* ]]
}

@test "lines are those of perf script -F +srcline, with and without inlined functions" {
  compiled app g++ -g
  record app.data -F 1999 -e cpu-clock:u --call-graph dwarf,4096 -- ./app 0.3
  perf script --no-inline -F +srcline -i app.data 2> /dev/null |
    stackcollapse-aiflame --srcline > text.folded
  stackcollapse-aiflame --srcline app.data > direct.folded
  grep -qE ';main:inlined\.cc:[0-9]+;.*;shapes::measure:inlined\.cc:[0-9]+ ' direct.folded
  diff <(from_main text.folded) <(from_main direct.folded)
  # with inlined functions that text cannot be parsed: the line comes first
  stackcollapse-aiflame --inline --srcline app.data > inline.folded
  grep -qE ';shapes::sum_\[i\]:inlined\.cc:30;shapes::length_\[i\]:inlined\.cc:25;shapes::square<float>_\[i\]:inlined\.cc:19 ' inline.folded
  stackcollapse-aiflame --inline --context app.data > context.folded
  grep -qE ';shapes::sum_\[i\]:inlined\.cc:[0-9]+;.*square<float>_\[i\]:inlined\.cc:[0-9]+ ' context.folded
}

@test "frame-pointer chains have inlined functions too, callers by their calls" {
  record app.data -F 1999 -e cpu-clock:u -g -- "$AIFLAME_BUILD/tests/inlined" 0.2
  stackcollapse-aiflame --inline app.data > app.folded
  grep -q ';shapes::measure;shapes::sum_\[i\];shapes::length_\[i\];shapes::square<float>_\[i\] ' app.folded
  # never the line after the call: main's line is the one of its call
  stackcollapse-aiflame --srcline app.data > lines.folded
  line=$(grep -n 'all += shapes::measure_often' "$AIFLAME_ROOT/tests/recorded/inlined.cc" | cut -d: -f 1)
  awk -v want=";main:inlined.cc:$line;" '/;main:.*shapes::measure/ { all++; if (index($0, want)) right++ }
    END { exit !(all > 0 && all == right) }' lines.folded
}

@test "DWARF 4, DWARF 5, compressed sections, clang, link-time optimisation" {
  for options in '-gdwarf-4' '-gdwarf-5' '-g -gz' '-g -flto'; do
    # shellcheck disable=SC2086
    compiled program g++ -fno-omit-frame-pointer $options
    has_chain program
  done
  compiled program clang++ -g -fno-omit-frame-pointer
  has_chain program
  compiled program clang++ -gdwarf-5 -fno-omit-frame-pointer
  has_chain program
}

@test "split DWARF" {
  for options in '-gdwarf-4 -gsplit-dwarf' '-gdwarf-5 -gsplit-dwarf'; do
    # shellcheck disable=SC2086
    compiled program g++ -fno-omit-frame-pointer $options
    has_chain program
  done
  # without its files there are no names, and no warning
  rm -f -- *.dwo
  run -0 --separate-stderr stackcollapse-aiflame --inline app.data
  [ -z "$stderr" ]
  [[ $output != *square* ]]
  # a file that blocks does not hold it up either
  for file in $(strings -a program | grep '\.dwo$' | sort -u); do mkfifo "$(basename "$file")"; done
  timeout 20 bash -c 'stackcollapse-aiflame --inline app.data > /dev/null'
}

@test "a debug file beside the object, and one by build id in perf's cache" {
  skip_without objcopy
  compiled program g++ -g -fno-omit-frame-pointer
  objcopy --only-keep-debug program program.debug
  objcopy --strip-debug --add-gnu-debuglink=program.debug program
  has_chain program
  id=$(readelf -n program | sed -n 's/.*Build ID: //p')
  export HOME=$PWD/home
  mkdir -p "$HOME/.debug/.build-id/${id:0:2}/${id:2}"
  mv program.debug "$HOME/.debug/.build-id/${id:0:2}/${id:2}/debug"
  stackcollapse-aiflame --inline app.data > cache.folded
  cmp app.folded cache.folded
  # a file of another build is not used
  compiled other g++ -g -fno-omit-frame-pointer -DOTHER -O1
  objcopy --only-keep-debug other program.debug
  rm -r "$HOME"
  run -0 stackcollapse-aiflame --inline app.data
  [[ $output != *square* ]]
}

@test "debug information that dwz moved into another file" {
  skip_without dwz
  compiled program g++ -g -fno-omit-frame-pointer
  compiled second g++ -g -fno-omit-frame-pointer
  dwz -m common.dwz program second || skip 'dwz finds nothing to share'
  readelf -SW program | grep -q gnu_debugaltlink || skip 'dwz finds nothing to share'
  has_chain program
}

@test "Rust's functions are named as perf names them" {
  skip_without rustc
  cat > app.rs <<'END'
#[inline(always)]
fn triple(x: u64) -> u64 { (0..100).fold(x, |a, b| unsafe { std::ptr::read_volatile(&(a ^ b)) }.wrapping_mul(3)) }
#[inline(never)]
pub fn grind(rounds: u64) -> u64 { (0..rounds).map(triple).fold(0, |a, b| a ^ b) }
fn main() {
    let end = std::time::Instant::now() + std::time::Duration::from_millis(300);
    let mut sum = 0;
    while std::time::Instant::now() < end { sum ^= grind(1000); }
    println!("{}", sum);
}
END
  rustc -O -g -o app app.rs 2> rustc.err || skip "rustc fails: $(tail -n 1 rustc.err)"
  record app.data -F 999 -e cpu-clock:u --call-graph dwarf,4096 -- ./app
  names() { sed -n 's/^app;.*;app::main;/main;/p' | tr ';' '\n' | sed -E 's/ [0-9]+$//' | sort -u; }
  perf script -i app.data 2> /dev/null | stackcollapse-aiflame | names > text.names
  stackcollapse-aiflame --inline app.data | sed 's/_\[i\]//g' | names > direct.names
  grep -q '^app::grind$' direct.names
  grep -q '^app::triple$' direct.names
  diff text.names direct.names
}

@test "text of perf script has inlined functions too, where its symbols tell the place" {
  compiled app g++ -g
  record app.data -F 1999 -e cpu-clock:u --call-graph dwarf,4096 -- ./app 0.3
  stackcollapse-aiflame --inline app.data > direct.folded
  perf script --no-inline -i app.data 2> /dev/null > text
  stackcollapse-aiflame --inline text > text.folded
  diff <(from_main direct.folded) <(from_main text.folded)
  # without offsets, or for an object that was moved, by names
  sed -E 's/\+0x[0-9a-f]+ / /' text | stackcollapse-aiflame --inline > no_offset.folded
  diff <(from_main direct.folded) <(from_main no_offset.folded)
  stackcollapse-aiflame --inline --context text > context.folded
  grep -qE ';shapes::sum_\[i\]:inlined\.cc:[0-9]+;.*square<float>_\[i\]:inlined\.cc:[0-9]+ ' context.folded
  # a missing file is drawn unchanged, and no shell runs its name
  # shellcheck disable=SC2016 # meant literally
  printf 'a 1/1 1.0: 1 c: \n\t10 f+0x1 ($(touch ran).so)\n\t10 g+0x1 (/nowhere;touch ran;)\n\n' > strange
  run -0 --separate-stderr stackcollapse-aiflame --inline strange
  assert_equal "$output" 'a;g;f 1'
  [ ! -e ran ]
}

# jit_shares FOLDED: each function's percentage of the samples in these functions
jit_shares() {
  awk '{ name = $0; sub(/ [0-9]+$/, "", name); sub(/.*;/, "", name); count[name] += $NF; all += $NF }
    END { for (name in count) printf "%s %d\n", name, 100 * count[name] / all }' "$1"
}

@test "code compiled at run time is named by its dump, at the time it was loaded" {
  record app.data -k mono -F 1999 -e cpu-clock:u -g -- "$AIFLAME_BUILD/tests/jitted" 0.8
  stackcollapse-aiflame --jit app.data > app.folded
  # half of the time, a quarter and a quarter; tolerant, because the machine may be busy
  jit_shares app.folded > shares
  awk '{ share[$1] = $2 } END { exit !(share["steady_[j]"] > 30 && share["first_[j]"] > 12 &&
    share["second_[j]"] > 12) }' shares
  stackcollapse-aiflame --srcline app.data > lines.folded
  grep -qE ';steady:steady\.lang:8 [0-9]+$' lines.folded
  # the file that perf inject makes of it, with an object for each function
  perf inject --jit -i app.data -o injected.data
  stackcollapse-aiflame --jit injected.data > injected.folded
  perf script --no-inline -i injected.data 2> /dev/null | stackcollapse-aiflame --jit > text.folded
  diff app.folded injected.folded
  stacks app.folded | diff - text.folded
}

@test "code compiled at run time is unwound by its dump, as after perf inject" {
  record app.data -k mono -F 1999 -e cpu-clock:u --call-graph dwarf,4096 -- "$AIFLAME_BUILD/tests/trampolines" 0.3
  stackcollapse-aiflame app.data | stacks > app.folded
  grep -q ';main;py::main;(anonymous namespace)::evaluate;py::work;(anonymous namespace)::work [0-9]*$' app.folded
  # nearly all of the time is below main
  awk '{ all += $NF } /;main;py::main;/ { below += $NF } END { exit !(below * 10 > all * 8) }' app.folded
  perf inject --jit -i app.data -o injected.data
  stackcollapse-aiflame injected.data | stacks | diff app.folded -
}

@test "a damaged dump is reported, and the rest is named" {
  record app.data -k mono -F 999 -e cpu-clock:u -g -- "$AIFLAME_BUILD/tests/jitted" 0.4
  dump=$(echo jit-*.dump)
  printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >> "$dump"
  run -0 --separate-stderr stackcollapse-aiflame app.data
  [[ $stderr == *"/$dump: is no jitdump, or only in part; code may lack its name" ]]
  [[ $output == *';steady '* ]]
  mv "$dump" elsewhere
  mkfifo "$dump"
  run -0 --separate-stderr timeout 20 stackcollapse-aiflame app.data
  [[ $output != *';steady '* ]]
}
