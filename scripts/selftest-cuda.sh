# SPDX-License-Identifier: MIT
# The part of gpustall-selftest.sh for NVIDIA GPUs; sourced by it, not run. It records
# tests/demo/cuda_matmul, whose three kernels' times are known from CUDA events, with both kinds of
# sampling, and a training step of PyTorch if that is installed.
# shellcheck shell=bash disable=SC2034,SC2154 # variables from that script, and for it

# name, host function
cuda_kernels='multiply_basic run_basic
multiply_local_access run_local_access
multiply_local_access_and_tiling run_tiled'

# of_table KERNEL COLUMN: from the table that cuda_matmul printed, `KERNEL LAUNCHES DEVICE_S SHARE`
of_table() { awk -v kernel="$1" -v column="$2" '$1 == kernel { print $column }' "$name.out"; }

# record_cuda NAME OPTION... -- COMMAND...: records into NAME.gpustall; false if the command failed
record_cuda() {
  name=$1
  shift
  # a time limit, so that one that hangs does not stop the others
  timeout -k 10 300 gpustall-record --source cupti --objects objects -o "$name.gpustall" "$@" \
    > "$name.out" 2> "$name.err" || {
    local status=$?
    if [ "$status" = 124 ] || [ "$status" = 137 ]; then
      echo 'it did not end within 300 seconds' >> "$name.err"
    fi
    return 1
  }
}

# of_program: the last line of the recorded program
of_program() { grep -v '^gpustall-record: ' "$name.err" | tail -n 1; }

# fold_cuda: folds NAME.gpustall into NAME.folded, by instruction, and prints the messages; with the
# log of PyTorch's compiler, if compiler_log names one
fold_cuda() {
  : > "$name.json" # stays empty if the recording is refused, for a reason that is shown
  stackcollapse-aiflame --strict --event gpu-stall --srcline --gpu-frames=kernel,line,mnemonic,reason,offset \
    ${compiler_log:+--inductor "$compiler_log"} --stats "$name.json" "$name.gpustall" 2> "$name.stats" |
    sed 's/_\[[gG]\]//g' > "$name.folded" || true
  folded=$name.folded
  say "$name: $(grep '^gpustall-record: captured' "$name.err" | sed 's/^gpustall-record: //; s/; wrote.*//')"
  say "$name: $(tail -n 1 "$name.stats" | sed 's/^stackcollapse-aiflame: //')"
  # prints the other messages: a refusal and its remedy, losses
  sed -n '/^gpustall-record: captured/d; s/^gpustall-record: /  /p' "$name.err"
}

# Checks that each captured sample is folded once, and that each loss has a reason.
check_totals() {
  local captured total
  captured=$(sed -n 's/^gpustall-record: captured \([0-9]*\) gpu-stall samples.*/\1/p' "$name.err")
  total=$(sum .)
  check "$name: stalls were sampled" "$total > 0"
  check "$name: $total samples folded, of ${captured:-none} captured (all)" "$total == ${captured:--1}"
  check "$name: reasons without their twins _not_issued" \
    "$(grep -c '_not_issued (\[stall\])$' "$name.gpustall") == 0"
  check "$name: no sample lost or reported twice without an explanation" \
    "$(grep -cE 'counts more samples than it tells of|samples more than it counted|make no sense|of unknown code' "$name.err") == 0"
}

# fold_launches: folds what NAME.gpustall counts into NAME.launches: how often each kernel, copy, fill
# and function of the host ran
fold_launches() {
  stackcollapse-aiflame --event gpu-launch --gpu-frames=kernel "$name.gpustall" 2> launches.log |
    sed 's/_\[[gG]\]//g' > "$name.launches" || true
}

operation='(Memcpy|Memset|Host function)[ ;]'
# ran PATTERN: how often what is so named ran, by NAME.launches
ran() {
  local folded=$name.launches
  sum ";-;$1"
}
kernels_ran() { echo $(($(ran .) - $(ran "$operation"))); }

# check_launches MADE
check_launches() {
  local recorded
  fold_launches
  recorded=$(kernels_ran)
  check "$name: $recorded launches of kernels recorded of $1 made (all)" "$recorded == $1"
}

# check_operations NAME MADE PATTERN
check_operations() {
  check "$name: $(ran "$3") $1 recorded of $2 made (all)" "$(ran "$3") == $2"
}

# Prints how many samples a multiprocessor took in a period in which it was busy. An H200 takes one
# in each. It is not judged: other GPUs were not seen, and a window may miss a part.
print_expected() { # SAMPLES BUSY
  awk -v total="$1" -v busy="$2" '
    FNR == NR && /^device: / {
      for (i = 1; i <= NF; ++i) {
        if ($i ~ /^multiprocessors/) units = $(i - 1)
        if ($i == "MHz") mhz = $(i - 1)
      }
    }
    FNR != NR && /^# sampling : / { share = $(NF - 4) / 100 } # "…, 10 % of the time"
    FNR != NR && /^# device / { for (i = 1; i <= NF; ++i) if ($i == "period") period = $(i + 1) }
    END {
      if (units * mhz * period * busy * share == 0) exit
      printf "%.2f samples a multiprocessor and period of %d cycles, at %d MHz\n",
        total * period / (units * mhz * 1e6 * busy * share), period, mhz
    }' "$name.out" "$name.gpustall" | sed "s/^/gpustall-selftest: $name: /"
}

# judge_matmul: judges the recording of cuda_matmul
judge_matmul() {
  local in_kernels with_line with_mnemonic inner kernel function of_kernel busy device launches
  local total exact=0 of_driver lines
  fold_cuda
  check_totals
  total=$(sum .)
  in_kernels=$(sum ';-;multiply_(basic|local_access|local_access_and_tiling);')
  of_driver=$(sum ';-;[[]driver kernel[]]')
  check "$name: $(percent "$in_kernels" "$total") of them in the three kernels (at least 90 %: the driver has its own)" \
    "$total > 0 && $in_kernels >= 0.9 * $total"
  with_line=$(sum ';-;multiply_[a-z_]*;cuda_matmul[.]cu:[0-9]*;')
  check "$name: $(percent "$with_line" "$in_kernels") of the kernels' with a source line (at least 99 %)" \
    "$in_kernels > 0 && $with_line >= 0.99 * $in_kernels"
  lines=$(grep -n '// inner$' "$(dirname "$here")/tests/demo/cuda_matmul.cu" | cut -d: -f1 | paste -sd'|')
  inner=$(sum ";-;multiply_basic;cuda_matmul[.]cu:($lines);")
  check "$name: $(percent "$inner" "$(sum ';-;multiply_basic;')") of multiply_basic's in its loop, cuda_matmul.cu:${lines//|/, } (at least 90 %)" \
    "$inner > 0 && $inner >= 0.9 * $(sum ';-;multiply_basic;')"
  if [ -n "$(type -P nvdisasm "${CUDA_HOME:-/usr/local/cuda}/bin/nvdisasm")" ]; then
    with_mnemonic=$(sum ';-;multiply_[a-z_]*;cuda_matmul[.]cu:[0-9]*;[A-Z][A-Z0-9._]*;')
    check "$name: $(percent "$with_mnemonic" "$in_kernels") of the kernels' with a mnemonic (at least 99 %)" \
      "$in_kernels > 0 && $with_mnemonic >= 0.99 * $in_kernels"
  else
    say "skipped: $name: mnemonics: there is no nvdisasm"
  fi
  while read -r kernel function; do
    of_kernel=$(sum ";-;$kernel;")
    check "$name: $(percent "$(sum ";$function(:[^;]*)?;.*;-;$kernel;")" "$of_kernel") of $kernel's launched by $function (all)" \
      "$of_kernel > 0 && $(sum ";$function(:[^;]*)?;.*;-;$kernel;") == $of_kernel"
    check "$name: $kernel has $(percent "$of_kernel" "$in_kernels") of the samples and $(of_table "$kernel" 4) % of the device's time (within 5 points)" \
      "$in_kernels > 0 && (100 * $of_kernel / ($in_kernels + 1e-9) - $(of_table "$kernel" 4)) ^ 2 <= 25"
  done <<< "$cuda_kernels"
  if [ "$mode" = exact ]; then
    exact=$(sed -n 's/.*"gpu-stall":{"samples":[0-9]*,"exact":\([0-9]*\).*/\1/p' "$name.json")
    check "$name: the launch of ${exact:-no} samples is known (all but $of_driver of the driver's)" \
      "${exact:-0} > 0 && ${exact:-0} == $total - $of_driver"
  fi
  # launches and their time are CUPTI's kernel records: events also count the time between kernels
  stackcollapse-aiflame --event gpu-time --gpu-frames=kernel "$name.gpustall" 2> "$name.time.stats" |
    sed 's/_\[[gG]\]//g' > "$name.time" || true
  folded=$name.time
  busy=$(sum ';-;multiply_' | awk '{ printf "%.6f", $1 * 1e-9 }')
  device=$(awk '$1 ~ /^multiply_/ { s += $3 } END { printf "%.6f", s }' "$name.out")
  check "$name: CUPTI measured $busy s of kernels, events $device s (75 to 110 %)" \
    "$busy >= 0.75 * $device && $busy <= 1.1 * $device"
  launches=$(awk '$1 ~ /^multiply_/ { n += $2 } END { print n + 0 }' "$name.out")
  check_launches "$launches"
  check_operations 'copies to the device' 3 'Memcpy HtoD '
  check_operations 'copies from the device' 3 'Memcpy DtoH '
  check_operations fills 3 'Memset '
  print_expected "$in_kernels" "$busy"
  folded=$name.folded
  say "$name: most of the kernels' samples:"
  most ';-;'
}

# recorded_launches KERNEL: its launches, by the comments of $folded
recorded_launches() {
  sed -n "s/^# aiflame-launch: launches \([0-9]*\),.* kernel .*$1.*/\1/p" "$folded" |
    awk '{ n += $1 } END { print n + 0 }'
}

# printed WORD: the number after it in what the program printed
printed() { awk -v word="$1" '$1 == word { print $2 }' "$name.out"; }

# judge_operations: judges the case of that name, in which a graph copies, fills and calls the host
judge_operations() {
  local of_host
  check_operations copies "$(printed copies)" 'Memcpy DtoD '
  check_operations fills "$(printed fills)" 'Memset '
  of_host=$(ran 'Host function ')
  if [ "$of_host" = 0 ]; then
    say "$name: no functions of the host recorded: right before CUPTI 13.1, which has no records of them"
  else
    check_operations 'functions of the host' "$(printed host_functions)" 'Host function '
  fi
  check "$name: the graph's copies and fills stand where they were captured" \
    "$(captured_at copy 'Memcpy DtoD ') == $(printed copies) && $(captured_at fill 'Memset ') == $(printed copies)"
}

# captured_at FUNCTION PATTERN: how often what is so named ran in a graph, captured in that function
captured_at() {
  local folded=$name.launches
  sum ";run_graph;.*;[[]cuda graph[]];.*;?$1;.*;-;$2"
}

# Cases in which samples are easily given to the wrong launch: see cuda_cases.cu.
selftest_cases() {
  local case in_kernels
  if [ ! -e "$demo/cuda_cases" ]; then
    say "skipped: cuda-reload and others: there is no $demo/cuda_cases; make test-programs"
    return
  fi
  mode=continuous
  for case in reload both graphs threads contexts forks operations; do
    if ! record_cuda "cuda-$case" --period 16384 -- "$demo/cuda_cases" "$case" 200 "$demo/cuda_one.fatbin" "$demo/cuda_other.fatbin"; then
      check "$name: the program runs as it does alone: $(of_program)" 0
      continue
    fi
    fold_cuda
    check_totals
    check_launches "$(printed launches)"
    in_kernels=$(sum ';-;scale;')
    check "$name: the launches of $(percent "$(sum ';(run_one|run_other|run_graph|[^;]*threads[^;]*);.*;-;scale;')" "$in_kernels") of the kernels' samples are known (at least 99 %)" \
      "$in_kernels > 0 && $(sum ';(run_one|run_other|run_graph|[^;]*threads[^;]*);.*;-;scale;') >= 0.99 * $in_kernels"
    case $case in
      operations) judge_operations ;;
      # a loop of three times the length, and what both kernels do besides
      reload | both) check "$name: run_other's kernel has $(percent "$(sum ';run_other;')" "$in_kernels") of the samples (70 to 77 %: three times the work)" \
        "$(sum ';run_other;') >= 0.70 * $in_kernels && $(sum ';run_other;') <= 0.77 * $in_kernels" ;;
    esac
  done
}

# attach NAME PID: records a program that runs already, into NAME.gpustall. The agent needs
# some tenths of a second to begin.
attach() {
  record_cuda "$1" --duration 2 -p "$2"
}

# Programs that run already. One is recorded three times; the second recorder is killed. The launches
# of another one are counted. Code that was loaded before has no instructions.
selftest_attach() {
  local settings pid kernel total of_kernels recorded
  if [ ! -e "$demo/cuda_rate" ]; then
    say "skipped: cuda-attach: there is no $demo/cuda_rate; make test-programs"
    return
  fi
  mapfile -t settings < <(gpustall-record --source cupti --listen "$PWD/agents" --print-env)
  env "${settings[@]}" "$demo/cuda_matmul" --repeats 100000 > attach.program 2>&1 &
  pid=$!
  sleep 2
  for name in cuda-attach-1 cuda-attach-killed cuda-attach-2; do
    if [ "$name" = cuda-attach-killed ]; then
      gpustall-record --source cupti --objects objects -o "$name.gpustall" -p "$pid" 2> "$name.err" &
      sleep 3
      kill -KILL $!
      wait $! || true
      check "$name: a recording whose recorder was killed has samples" \
        "$(grep -c ' gpu-stall: $' "$name.gpustall") > 0"
      continue
    fi
    if ! attach "$name" "$pid"; then
      check "$name: a program that runs is recorded: $(tail -n 1 "$name.err")" 0
      continue
    fi
    fold_cuda
    check_totals
    total=$(sum .)
    of_kernels=$(sum ';-;(jit;)?multiply_(basic|local_access|local_access_and_tiling)')
    check "$name: $(percent "$of_kernels" "$total") of the samples in the program's kernels by name (at least 90 %)" \
      "$total > 0 && $of_kernels >= 0.9 * $total"
    while read -r kernel _; do
      check "$name: $kernel is launched by its function" \
        "$(sum ";run_[a-z_]*(:[^;]*)?;.*;-;(jit;)?$kernel;") > 0"
    done <<< "$cuda_kernels"
  done
  kill "$pid" 2> kill.err || true
  wait "$pid" 2> kill.err || true

  env "${settings[@]}" "$demo/cuda_rate" --rate 2000 --seconds 7 > attach-rate.out 2>&1 &
  pid=$!
  sleep 2
  if attach cuda-attach-rate "$pid"; then
    fold_launches
    recorded=$(kernels_ran)
    check "$name: $recorded launches, at 2000 a second (2000 to 4500 in 2 seconds)" \
      "$recorded >= 2000 && $recorded <= 4500"
  else
    check "$name: a program that runs is recorded: $(tail -n 1 "$name.err")" 0
  fi
  wait "$pid" || check "$name: the program ends as it does alone: $(tail -n 1 attach-rate.out)" 0
  say "$name: the launches of a millisecond took at most $(awk '$1 == "longest_tick_s" { print 1e3 * $2 }' attach-rate.out) ms"
}

# Three kernels with known times, in both ways of sampling.
selftest_matmul() {
  for mode in continuous exact; do
    if ! record_cuda "cuda-$mode" --sampling="$mode" -- "$demo/cuda_matmul" --seconds "$program_seconds"; then
      check "$name: the program runs as it does alone: $(of_program)" 0
      continue
    fi
    judge_matmul
  done
  # keeps a recording small enough to become test data: one slice
  if [ -n "$is_kept" ]; then
    record_cuda cuda-small --interval 60000 -- "$demo/cuda_matmul" --seconds 1 ||
      say "cuda-small: not recorded: $(of_program)"
  fi
}

# The checks in the order in which they run: where time is short, the last ones are left out.
cuda_checks='matmul cases attach time memory graph beside kernels torch profiler compiled'

selftest_cuda() {
  local program_seconds=$((seconds > 0 ? seconds : 1)) mode name folded one begin
  if [ ! -e "$demo/cuda_matmul" ]; then
    say "cuda: skipped: there is no $demo/cuda_matmul: nvcc of the CUDA toolkit is needed, in CUDA_HOME; make test-programs"
    return
  fi
  if ! "$demo/cuda_matmul" --repeats 1 > cuda-alone.out 2>&1; then
    say "cuda: skipped: the program does not run, even alone: $(tail -n 1 cuda-alone.out)"
    return
  fi
  ran=1
  for one in $cuda_checks; do
    case " ${checks:-$cuda_checks} " in *" $one "*) ;; *) continue ;; esac
    begin=$SECONDS
    "selftest_$one"
    say "check $one took $((SECONDS - begin)) s"
  done
}
