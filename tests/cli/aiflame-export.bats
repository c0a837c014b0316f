# SPDX-License-Identifier: MIT
# aiflame-export: what it writes is read by tests/recorded/export.py, independently, and by the
# programs that it is for, where they are installed.
load common

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  printf '# aiflame: event gpu-stall, unit stalls, period 1004 cycles
# aiflame-launch: launches 12, items 64x1x1, kernel k_[G]
app;main(int);c;c 5
app;main;py::step:train.py:41;-;k.cl_[G];k_[G];k.cl:12_[G];load_[g];sbid_[g];0x40_[g] 57
app;main;py::step:train.py:41;-;k.cl_[G];k_[G];k.cl:12_[G];mad_[g];sync_[g];0x50_[g] 3\n' > stalls
}

formats='pprof otlp perfetto speedscope'

# as_folded FORMAT FILE
as_folded() { python3 "$AIFLAME_ROOT/tests/recorded/export.py" "$@"; }

# needs FORMAT: skips where its decoder is absent
needs() {
  case $1 in otlp | perfetto) skip_without protoc 'protobuf-compiler is not installed' ;; esac
}

@test "help, version, usage" {
  assert_help_and_version aiflame-export
  assert_usage_error aiflame-export
  assert_usage_error aiflame-export --format pprofs
  assert_usage_error aiflame-export --format pprof - -
  assert_usage_error aiflame-export --format pprof --labels 'a b'
  assert_usage_error aiflame-export --format pprof --labels rank,rank
  assert_usage_error aiflame-export --format perfetto --labels rank
  assert_usage_error aiflame-export --format pprof --start yesterday
}

# fields of profile.proto: 0a sample_type, 12 sample, 22 location, 2a function, 32 text
@test "pprof: the bytes of a small profile" {
  printf '# aiflame: event gpu-stall, unit stalls\nmain;scale 57\n' |
    aiflame-export -f pprof --start 1700000000 --duration 1 | gzip -d > p.pb
  {
    printf '\x0a\x04\x08\x01\x10\x02'
    printf '\x12\x07\x0a\x02\x01\x02\x12\x01\x39'
    printf '\x22\x06\x08\x01\x22\x02\x08\x01' # scale, the leaf, is the first
    printf '\x22\x06\x08\x02\x22\x02\x08\x02'
    printf '\x2a\x04\x08\x01\x10\x03\x2a\x04\x08\x02\x10\x04'
    printf '\x48\x80\x80\xa8\xb1\xe3\x9f\xe7\xcb\x17\x50\x80\x94\xeb\xdc\x03'
    printf '\x6a\x02\x05\x06'
    printf '\x32\x00\x32\x09gpu_stall\x32\x05count\x32\x05scale\x32\x04main'
    printf '\x32\x3c# aiflame-export: names of functions are frames of folded(5)'
    printf '\x32\x27# aiflame: event gpu-stall, unit stalls'
  } > expected.pb
  cmp p.pb expected.pb
}

@test "stacks and counts are those of the input, in every format" {
  stacks stalls > expected
  for format in $formats; do
    aiflame-export --format "$format" stalls > out
    case $format in otlp | perfetto) command -v protoc > /dev/null || continue ;; esac
    as_folded "$format" out | diff expected -
    # the same bytes, whatever the way in and out
    aiflame-export -f "$format" -o file < stalls
    cmp file out
    gzip -c stalls | aiflame-export -f "$format" | cmp - out
  done
}

@test "genuine recordings, and a profile of ten thousand stacks: totals in are totals out" {
  for recording in "$DATA"/stackcollapse-aiflame/*.gpustall; do
    stackcollapse-aiflame "$recording" > "${recording##*/}.folded" 2> /dev/null || rm "${recording##*/}.folded"
  done
  awk 'BEGIN { srand(1); for (i = 0; i < 10000; ++i) {
    text = "app"
    for (depth = int(rand() * 20); depth >= 0; --depth) text = text ";a_function_with_a_name_" int(rand() * 3000)
    print text, int(rand() * 99) + 1 } }' | LC_ALL=C sort -u -k 1,1 > made.folded
  for file in *.folded; do
    stacks "$file" > expected
    for format in $formats; do
      case $format in otlp | perfetto) command -v protoc > /dev/null || continue ;; esac
      aiflame-export -f "$format" "$file" > out
      as_folded "$format" out | cmp - expected
    done
  done
}

@test "stackcollapse-pprof gives back what was exported, comments and all" {
  for recording in "$DATA"/stackcollapse-aiflame/*.gpustall; do
    stackcollapse-aiflame "$recording" > one 2> /dev/null || continue
    aiflame-export -f pprof one | stackcollapse-pprof 2> /dev/null | cmp - one
  done
  stackcollapse-trace "$DATA/stackcollapse-trace/kineto.json" > one 2> /dev/null
  aiflame-export -f pprof one | stackcollapse-pprof 2> /dev/null | cmp - one
  # names that an importer would shorten elsewhere
  printf 'app;f<int>(int)_[i];_ZN1a4growEm 5\napp;py::f(x):/home/x/train.py:41 7\n' > one
  aiflame-export -f pprof one | stackcollapse-pprof 2> err | cmp - one
  assert_equal "$(cat err)" 'stackcollapse-pprof: stacks: 12 samples of 2 records; 0 lost'
  printf '# aiflame: event gpu-clock, unit samples, period 1003009 ns\na;b 3\n' > one
  aiflame-export -f pprof one | stackcollapse-pprof 2> /dev/null | cmp - one
  # the time, where it is asked for
  assert_equal "$(aiflame-export -f pprof one | stackcollapse-pprof --sample-type gpu_clock 2> /dev/null | tail -1)" \
    'a;b 3009027'
}

@test "go tool pprof reads totals, units, periods, files and lines" {
  skip_without go 'golang-go is not installed'
  export HOME=$PWD
  aiflame-export -f pprof --start 1700000000 --duration 2 stalls > p.pb.gz
  go tool pprof -raw p.pb.gz 2> /dev/null > raw
  grep -q '^gpu_stall/count' raw
  grep -q '^PeriodType: cycles count' raw
  grep -q '^Period: 1004' raw
  grep -q '^Duration: 2' raw
  grep -q 'py::step:train.py:41 train.py:41 ' raw
  grep -q 'main(int) ' raw
  go tool pprof -top p.pb.gz 2> /dev/null | grep -q '^Showing nodes accounting for 65, 100% of 65 total'
  printf '# aiflame: event gpu-clock, unit samples, period 1000000 ns\na;b 3\n' | aiflame-export -f pprof > p.pb.gz
  go tool pprof -top p.pb.gz 2> /dev/null | grep -q 'accounting for 3ms, 100% of 3ms total'
  go tool pprof -top -sample_index gpu_samples p.pb.gz 2> /dev/null | grep -q 'for 3, 100% of 3 total'
}

@test "labels leave the stacks, and nothing else changes" {
  sed 's/^app/&;rank 3/' stalls > ranked
  aiflame-export -f pprof --labels reason,mnemonic,rank,absent ranked > out
  assert_equal "$(as_folded pprof out)" 'app;main(int);c;c 5 rank=3
app;main;py::step:train.py:41;-;k.cl_[G];k_[G];k.cl:12_[G];0x40_[g] 57 mnemonic=load rank=3 reason=sbid
app;main;py::step:train.py:41;-;k.cl_[G];k_[G];k.cl:12_[G];0x50_[g] 3 mnemonic=mad rank=3 reason=sync'
  as_folded pprof out > expected
  if command -v protoc > /dev/null; then
    aiflame-export -f otlp --labels reason,mnemonic,rank ranked > out.otlp
    as_folded otlp out.otlp | diff expected -
  fi
  # stackcollapse-pprof makes frames of them again
  assert_equal "$(stackcollapse-pprof --labels rank out 2> /dev/null | stacks | head -1)" 'rank 3;app;main(int);c;c 5'
  # one frame always stays; equal stacks are added up, equal labels or not
  printf 'rank x 5\n' | aiflame-export -f pprof --labels rank > out
  assert_equal "$(as_folded pprof out)" 'rank x 5'
  printf 'a;rank x 5\na;rank x 6\na;rank y 7\n' | aiflame-export -f pprof --labels rank > out
  assert_equal "$(as_folded pprof out)" 'a 11 rank=x
a 7 rank=y'
}

@test "events: one profile each, but in pprof, which is of one" {
  printf '# aiflame: event gpu-time, unit ns\napp;k_[G] 4000\n' > times
  run -1 --separate-stderr aiflame-export -f pprof stalls times
  [ -z "$output" ]
  assert_equal "$stderr" 'aiflame-export: times: counts are ns (gpu-time), those of stalls are stalls of 1004 cycles (gpu-stall); a pprof profile is of one event: export each by itself'
  stacks stalls times | LC_ALL=C sort > expected
  for format in otlp perfetto speedscope; do
    case $format in otlp | perfetto) command -v protoc > /dev/null || continue ;; esac
    aiflame-export -f "$format" stalls times > out
    as_folded "$format" out | diff expected -
  done
  aiflame-export -f speedscope stalls times > out
  assert_equal "$(jq -c '[.profiles[] | [.name, .unit, .endValue]]' out)" \
    '[["stalls of 1004 cycles (gpu-stall)","none",65],["ns (gpu-time)","nanoseconds",4000]]'
  # one event in two files, and one that does not say what it counts
  printf 'app;x 2\n' > unknown
  aiflame-export -f speedscope stalls unknown stalls > out
  assert_equal "$(jq -c '[.profiles[].endValue]' out)" '[132]'
  cat stalls times > both
  run -1 --separate-stderr aiflame-export -f otlp both
  assert_equal "$stderr" 'aiflame-export: both:6: counts are ns (gpu-time), those of line 1 are stalls of 1004 cycles (gpu-stall); give each event as a file of its own'
}

@test "Perfetto: slices of time are the times of samples" {
  needs perfetto
  printf '5012.010;app;main 3\n5012.020;app;main 4\n[unknown time];app;main 5\n' | aiflame-export -f perfetto > out
  assert_equal "$(as_folded perfetto out)" '[unknown time];app;main 5
app;main 3 time=5012010000000
app;main 4 time=5012020000000'
}

@test "counts with fractions, and too large ones" {
  printf '# aiflame: event t, unit ms\na 0.5\na;b 2\n' > ms
  aiflame-export -f pprof ms > out
  assert_equal "$(as_folded pprof out)" 'a 500000
a;b 2000000'
  printf 'a 1\nb 0.5\n' > half
  for format in pprof otlp perfetto; do
    run -1 --separate-stderr aiflame-export -f "$format" half
    [ -z "$output" ]
    assert_equal "$stderr" "aiflame-export: half:2: the count has a fraction, and $format holds whole numbers; speedscope holds both"
  done
  aiflame-export -f speedscope half > out
  assert_equal "$(as_folded speedscope out)" 'a 1
b 0.5'
  printf 'a 9223372036854775807\n' | aiflame-export -f pprof > out
  assert_equal "$(as_folded pprof out)" 'a 9223372036854775807'
  run -1 --separate-stderr aiflame-export -f pprof - <<< 'a 9223372036854775808'
  [[ $stderr = *'<stdin>: the counts are too large: together they are more than 2^63 count' ]]
  printf '# aiflame: event gpu-clock, unit samples, period 9000000000000000000 ns\na 2\n' > period
  run -1 --separate-stderr aiflame-export -f pprof period
  [ -z "$output" ]
  [[ $stderr = *'together they are more than 2^63 nanoseconds' ]]
}

@test "an error in the last line leaves no output, and an old file as it was" {
  cp stalls bad
  echo 'app;main' >> bad
  for format in $formats; do
    run -1 --separate-stderr aiflame-export -f "$format" stalls bad
    [ -z "$output" ]
    assert_equal "$stderr" 'aiflame-export: bad:6: missing count'
  done
  echo old > file
  run -1 aiflame-export -f pprof -o file bad
  [ "$(cat file)" = old ]
  run -1 --separate-stderr aiflame-export -f pprof - <<< 'a;b 3 4'
  assert_equal "$stderr" "aiflame-export: <stdin>:1: two counts, of a difference; export each side, and compare them by 'go tool pprof -diff_base'"
  run -1 --separate-stderr aiflame-export -f pprof absent
  assert_equal "$stderr" "aiflame-export: cannot open 'absent': No such file or directory"
  for format in $formats; do assert_full_disk_noticed aiflame-export -f "$format" stalls; done
}

@test "hostile text: controls are escaped, empty frames named, deep stacks refused" {
  printf 'a;\033[2J;\xff;"\\;;b 1\n' > hostile
  for format in $formats; do
    case $format in otlp | perfetto) command -v protoc > /dev/null || continue ;; esac
    aiflame-export -f "$format" hostile > out
    assert_equal "$(as_folded "$format" out)" 'a;\033[2J;\377;"\;[unknown];b 1'
  done
  : > empty
  for format in $formats; do
    case $format in otlp | perfetto) command -v protoc > /dev/null || continue ;; esac
    aiflame-export -f "$format" empty > out
    assert_equal "$(as_folded "$format" out)" ''
  done
  awk 'BEGIN { for (i = 0; i < 65536; ++i) printf "a;"; print "a 1" }' > deep
  run -1 --separate-stderr aiflame-export -f pprof deep
  assert_equal "$stderr" 'aiflame-export: deep:1: more than 65536 frames'
}

@test "memory does not grow with the stacks" {
  is_sanitized && skip 'sanitizers take memory of their own'
  awk 'BEGIN { for (i = 0; i < 400000; ++i)
    print "app;f" i % 7 ";f" int(i / 7) % 53 ";f" int(i / 371) % 53 ";f" int(i / 19663) ";leaf", i }' > many
  for format in $formats; do (ulimit -v 100000 && aiflame-export -f "$format" many) > out; done
  [ -s out ]
}
