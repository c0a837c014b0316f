# SPDX-License-Identifier: MIT
# Small inputs that ask for gigabytes or hours: see bombs.py. What they may take is stated here, in
# anonymous memory; what they exceed is an error message of ours, never the system's.
load attack

# in_bounds MEGABYTES NAME...: the reader of each bomb stays below that, within a minute.
in_bounds() {
  local most=$1 name took command
  shift
  if is_sanitized; then most=1000000; fi
  for name in "$@"; do
    mkdir "$name"
    command=$(python3 "$AIFLAME_ROOT/tests/attack/bombs.py" make "$name" "$PWD/$name")
    took=0
    eval "python3 '$AIFLAME_ROOT/tests/attack/bombs.py' run $most 60 $command" \
      > out 2> messages || took=$?
    echo "$name: exit $took: $(cat messages)"
    [ "$took" -le 1 ]
    run -1 grep 'out of memory' messages
    [ "$took" -eq 0 ] || [ ! -s out ] || grep -q 'ERROR' out # the picture that says so
    rm -r "${PWD:?}/$name"
  done
}

@test "perf.data: compressed records that expand" {
  skip_without zstd
  in_bounds 256 build_ids samples processes
  in_bounds 256 build_id_paths mapped_files
  [ -z "${SOAK:-}" ] || in_bounds 256 small_records
}

@test "perf.data: forks that copy mappings, holes that claim to be sections" {
  in_bounds 128 forks sparse_attributes sparse_features
}

@test "objects: holes, and sections without end" {
  in_bounds 64 sparse_symbols sparse_both_tables sparse_names sections notes
  mkdir hole
  eval "$(python3 "$AIFLAME_ROOT/tests/attack/bombs.py" make sparse_symbols "$PWD/hole")" 2> messages
  assert_equal "$(cat messages)" \
    "stackcollapse-aiflame: warning: $PWD/hole/object: not read: most of it is a hole"
}

@test "objects: debug information and unwind tables that unfold" {
  in_bounds 256 line_table line_files register attributes
}

@test "objects: abbreviations without end" {
  [ -n "${SOAK:-}" ] || skip 'part of make soak'
  in_bounds 256 abbreviations
}

@test "text: launches that share samples, deep stacks, long names" {
  skip_without zstd
  in_bounds 448 long_names
  in_bounds 64 script_frames prefixes
  [ -z "${SOAK:-}" ] || in_bounds 512 deep_svg deep_diff
  # 640 bytes for each of a million functions
  [ -z "${SOAK:-}" ] || in_bounds 768 deep_report
  # as many stacks as stackcollapse-aiflame keeps, 8388608, at some 160 bytes
  [ -z "${SOAK:-}" ] || in_bounds 1536 launches
}

@test "text: a gigabyte of names in 360 kB of zstd" {
  skip_without zstd
  in_bounds 768 names_svg names_report names_diff names_export names_trace
  in_bounds 768 names_script names_recording
  mkdir names
  run -1 --separate-stderr eval "$(python3 "$AIFLAME_ROOT/tests/attack/bombs.py" make names_report "$PWD/names")"
  # shellcheck disable=SC2154 # Bats sets stderr
  assert_equal "$stderr" "aiflame-report: $PWD/names/folded: names and stacks take more than 256 MiB and 1024 times the size of the compressed data"
}

@test "files that an input names: jitdumps" {
  in_bounds 128 sparse_jitdump moved_code
}

@test "SQLite: tables without end, chains of views" {
  in_bounds 96 sqlite_rows sqlite_views
  mkdir rows
  run -0 --separate-stderr eval "$(python3 "$AIFLAME_ROOT/tests/attack/bombs.py" make sqlite_rows "$PWD/rows")"
  assert_equal "$output" '# aiflame: event gpu-time, unit ns, weights measured
[device];[unknown launch];-;k_[G] 10'
  # shellcheck disable=SC2154 # Bats sets stderr
  assert_equal "$(head -n 1 <<< "$stderr")" "stackcollapse-nsys: warning: $PWD/rows/export.sqlite: table 'CUDA_CALLCHAINS': \
more than the file has room for: what follows is not read"
}
