# SPDX-License-Identifier: MIT
# stackcollapse-rocprof: rocpd, the SQLite files that rocprofv3 writes since ROCm 7.0.
# shellcheck disable=SC2154  # Bats sets some
load common
load damage

setup() {
  cd "$AIFLAME_ROOT" || return
  tmp=$BATS_TEST_TMPDIR
  rocprof=stackcollapse-rocprof
}

made() { # CASE: the name of its file
  [ -e "$tmp/$1.db" ] || python3 tests/recorded/rocpd.py "$1" "$tmp/$1.db"
  echo "$tmp/$1.db"
}

whole='run123;[unknown launch];-;plain_[G] 4
run123;forward "a"_[r];hipLaunchKernel;-;add<float>_[G] 1000
run123;forward "a"_[r];hipMemcpy;-;Memcpy HtoD_[G] 120
run123;hipLaunchKernel;-;plain_[G] 30'

@test "kernels and copies stand on their calls and roctx ranges, joined by stack ids" {
  run -0 --separate-stderr $rocprof "$(made whole)"
  assert_equal "$output" "# aiflame: event gpu-time, unit ns, weights measured
$whole"
  assert_equal "$stderr" 'stackcollapse-rocprof: gpu-time: 1.154 us of 4 records: 0.35 % without a launch; 0 lost'
  # nothing of the environment
  run ! grep -q SECRET <<< "$output$stderr"
}

@test "tables of version 4: threads, queues and streams are a track's" {
  cmp <($rocprof --streams --threads "$(made tracks)") <($rocprof --streams --threads "$(made whole)")
  run -0 --separate-stderr $rocprof --streams --threads "$(made tracks)"
  [[ $output == *'GPU 0, queue 3, stream 5;run123;[thread 4711];hipLaunchKernel;-;plain_[G] 30'* ]]
}

@test "a merged file: each recording has its own ids" {
  run -0 --separate-stderr $rocprof --rank "$(made merged)"
  assert_equal "$output" "# aiflame: event gpu-time, unit ns, weights measured
$(sed 's/^/rank 0;/' <<< "$whole")
$(sed 's/^/rank 1;/; s/run123/run124/' <<< "$whole")"
}

# sql STATEMENT: a copy of whole.db that was changed
sql() {
  cp "$(made whole)" "$tmp/changed.db"
  python3 -c 'import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute(sys.argv[2]); db.commit()' \
    "$tmp/changed.db" "$1"
}

@test "a row whose event is missing has no category: neither that of another event, nor one from nowhere" {
  local table
  table=$(python3 -c 'import sqlite3, sys
print(*[n for n, in sqlite3.connect(sys.argv[1]).execute("SELECT name FROM sqlite_master") if "rocpd_event" in n])' "$(made whole)")
  # the first event that is left is a range's: the others are no ranges for that
  sql "DELETE FROM $table WHERE category_id != 7"
  run -0 --separate-stderr $rocprof "$tmp/changed.db"
  assert_equal "$(grep -v '^#' <<< "$output")" 'run123;[unknown launch];-;Memcpy HtoD_[G] 120
run123;[unknown launch];-;add<float>_[G] 1000
run123;[unknown launch];-;plain_[G] 34'
  sql "DELETE FROM $table"
  run -0 --separate-stderr $rocprof "$tmp/changed.db"
  assert_equal "$(grep -v '^#' <<< "$output")" 'run123;[unknown launch];-;Memcpy HtoD_[G] 120
run123;[unknown launch];-;add<float>_[G] 1000
run123;[unknown launch];-;plain_[G] 34'
}

@test "a public example, of a report" {
  run -0 --separate-stderr $rocprof tests/data/stackcollapse-rocprof/field-rocpd.db
  assert_equal "$output" '# aiflame: event gpu-time, unit ns, weights measured
[device];hipLaunchKernel;-;add_[G] 1000'
}

@test "PC samples that this file cannot have, and files of others" {
  run -0 --separate-stderr $rocprof "$(made samples)"
  assert_equal "${stderr_lines[0]}" "stackcollapse-rocprof: warning: $tmp/samples.db: its PC samples are not read: rocprofv3's --output-format csv json has them"
  run -1 --separate-stderr $rocprof "$(made other)"
  assert_equal "$output$stderr" "stackcollapse-rocprof: $tmp/other.db: no table 'rocpd_kernel_dispatch': an SQLite file, but not rocprofv3's"
  run -2 --separate-stderr $rocprof < "$(made whole)"
  [[ $stderr == 'stackcollapse-rocprof: an SQLite file is read by its name, not from a pipe'* ]]
}

@test "--idle of rocpd adds up to the window" {
  assert_equal "$($rocprof --idle "$(made whole)" 2> /dev/null | stacks | awk '{ sum += $NF } END { print sum }')" $((1404 - 170))
}

@test "a damaged file: stacks with warnings, or one line; never a crash" {
  local large
  large=$(made large)
  damaged "$large" $(($(stat -c %s "$large") / 60))
  survives "$rocprof"
}
