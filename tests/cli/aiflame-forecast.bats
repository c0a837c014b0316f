# SPDX-License-Identifier: MIT
# aiflame-forecast: folded stacks on another device.
load common

NEUSIGHT=$AIFLAME_ROOT/../shared/data/neusight

# two devices of round figures: B computes 4 times as fast, and has twice the bandwidth
make_devices() {
  printf '%s\n' 'name A' 'bandwidth 100 GB/s' 'vector fp32 1 TFLOPS' 'link 100 GB/s' > a.device
  printf '%s\n' '# a comment' 'source nobody' 'name B' 'units 2' 'memory 8 GB' 'cache 4 MB' 'bandwidth 200 GB/s' \
    'vector fp32 4 TFLOPS' 'matrix bf16 16 TFLOPS' 'link 400 GB/s' > b.device
}
forecast() { aiflame-forecast --from ./a.device --to ./b.device --predictor roofline "$@" 2> said; }

@test "help, version, usage" {
  assert_help_and_version aiflame-forecast
  assert_usage_error aiflame-forecast
  assert_usage_error aiflame-forecast --to h100
  assert_usage_error aiflame-forecast --from h100
  assert_usage_error aiflame-forecast --from h100 --to h1000
  assert_usage_error aiflame-forecast --from h100 --to l4 --mode absolute
  assert_usage_error aiflame-forecast --to l4 --mode absolute --predictor habitat
  assert_usage_error aiflame-forecast --from h100 --to l4 --mode sometimes
  assert_usage_error aiflame-forecast --from h100 --to l4 --type int3
  assert_usage_error aiflame-forecast --from h100 --to l4 --layers 0
  assert_usage_error aiflame-forecast --from h100 --to l4 --devices 0
  assert_usage_error aiflame-forecast --from h100 --to l4 - -
}

@test "the devices are those of the files, each with its sources" {
  local file
  aiflame-forecast --list-devices > list
  assert_equal "$(grep -v '^#' list | cut -d' ' -f1)" \
    "$(cd "$AIFLAME_ROOT/tools/aiflame-forecast/devices" && printf '%s\n' *.device | sed 's/\.device//')"
  [ "$(grep -vc '^#' list)" -ge 19 ]
  for file in "$AIFLAME_ROOT"/tools/aiflame-forecast/devices/*.device; do
    grep -q '^source .' "$file"
    echo 'a 1' | aiflame-forecast --mode bounds --from "$file" --to h100 > /dev/null
  done
}

@test "each stack by the ratio of what bounds it; the rest by memory, by links, or as it is" {
  make_devices
  cat > in.folded << 'EOF'
# aiflame: event gpu-time, unit ns
net;aten::mm 1024x1024, 1024x1024_[o];-;sgemm_[G] 1000
net;aten::add 1024, 1024_[o];-;add_[G] 1000
net;my::op 64_[o];-;op_[G] 1000
net;launch;-;triton_[G] 1000
net;nccl;-;ncclDevKernel_AllReduce_[G] 1000
net;aten::copy_ 64, 64_[o];-;Memcpy HtoD (Pageable -> Device)_[G] 1000
EOF
  forecast in.folded > out.folded
  assert_equal "$(grep -v '^# aiflame-forecast' out.folded)" '# aiflame: event gpu-time-forecast, unit ns
net;aten::add 1024, 1024_[o];-;add_[G] 500
net;aten::copy_ 64, 64_[o];-;Memcpy HtoD (Pageable -> Device)_[G] 1000
net;aten::mm 1024x1024, 1024x1024_[o];-;sgemm_[G] 250
net;launch;-;triton_[G] 500
net;my::op 64_[o];-;op_[G] 500
net;nccl;-;ncclDevKernel_AllReduce_[G] 250'
  assert_equal "$(cat said)" \
    'aiflame-forecast: a forecast for B, measured on A: measured time by the ratio of predictions (scale)
aiflame-forecast: predictor: peak rates alone (roofline)
aiflame-forecast: of the predicted time: 8.3% linear, 16.7% elem, 16.7% unknown, 16.7% no shapes, 8.3% collective, 33.3% host copy
aiflame-forecast: expected error: 29% of the total in inference, 24% in training; of an operator: 38% linear, 38% bmm, 10% elem, 13% softmax, 30% ln; shares are better than totals
aiflame-forecast: 16.7% of it: operators that are not known, taken as memory traffic
aiflame-forecast: 16.7% of it: stacks without an operator and its shapes, by the ratio of memory bandwidths
aiflame-forecast: 33.3% of it: copies from or to the host, left as they are
aiflame-forecast: 8.3% of it: collectives, by the ratio of the links
aiflame-forecast: 33.3% of it: no kernel'\''s name tells the type of data, taken for fp32 data
aiflame-forecast: 16.7% of it: larger or smaller than all operators that were measured
aiflame-forecast: 6.000 us on A are 3.000 us on B'
  # what standard error says stands in the output, in lines that are no stacks to others
  assert_equal "$(sed -n 's/^# //p' out.folded | tail -n +2)" "$(head -n -1 said)"
  run -1 grep '^#.*[0-9]$' out.folded
  aiflame-diff in.folded out.folded | grep -q 'sgemm_\[G\] 1000 250$'
}

@test "the same device gives the input again, and the sum of rounded counts is the rounded sum" {
  make_devices
  for i in $(seq 1000); do echo "net;aten::mm ${i}x64, 64x${i}_[o];-;k$((i % 7))_[G] $((i % 5 + 1))"; done |
    LC_ALL=C sort -k1,3 > in.folded
  aiflame-forecast --from h100 --to h100 in.folded 2> said | stacks | LC_ALL=C sort > same
  LC_ALL=C sort in.folded | cmp - same
  forecast in.folded | stacks > out
  local before after
  before=$(awk '{ sum += $NF } END { print sum }' in.folded)
  after=$(awk '{ sum += $NF } END { print sum }' out)
  [ "$(tail -n 1 said)" = "aiflame-forecast: $(sed ':a; s/\B[0-9]\{3\}\>/,&/; ta' <<< "$before") samples on A are $after samples on B" ]
  # the share that memory bounds on B is scaled by less
  [ "$after" -ge $((before / 4)) ]
  [ "$after" -le $((before / 2)) ]
}

@test "instructions of the device go; decimals stay; files are one" {
  make_devices
  printf 'a;-;k_[G];mad_[g];0x10_[g] 1.5\n' > one
  printf 'a;-;k_[G];send_[g];0x20_[g] 2\n' > two
  assert_equal "$(forecast one two | grep -v '^#')" 'a;-;k_[G] 1.8'
  tail -n 1 said | grep -qF '3.5 samples on A are 1.8 samples on B'
}

@test "absolute: calls by predicted time, without a measurement" {
  make_devices
  printf '# aiflame: unit calls\nnet;aten::mm 1000x1000, 1000x1000_[o] 2\nnet;aten::add 1000, 1000_[o] 10\nnet;x 7\n' > list
  aiflame-forecast --mode absolute --predictor roofline --to ./a.device list > out 2> said
  # 2 * 10^9 operations at 10^12 a second; 12000 bytes at 10^11 a second
  assert_equal "$(grep -v '^# aiflame-forecast' out)" '# aiflame: event gpu-time-forecast, unit ns
net;aten::add 1000, 1000_[o] 1200
net;aten::mm 1000x1000, 1000x1000_[o] 4000000'
  grep -qF '7 calls without shapes, or between devices, have no time here' said
  tail -n 1 said | grep -qF '19 calls are 4.001 ms on A'
}

@test "an operator graph: its layers repeated, its collectives by the link, gradients beside the backward pass" {
  make_devices
  cat > graph.csv << 'EOF'
Name,OpName,FwOps,BwOps,AccOps,Prev,Next,InputShapes,OutputShape
embed,EMBEDDING,"[['MEM', ((1,), (250000,))]]",[],[],set(),set(),"[(1,)]","(250000,)"
net_h_0_fc,Linear,"[['Linear', (1000, 1000, 1000)]]","[['Linear', (1000, 1000, 1000)], ['ALLREDUCE_ASYNC', (9000000,)]]",[],set(),set(),"[(1000, 1000)]","(1000, 1000)"
net_h_0_sync,Linear,"[['ALLREDUCE', (900000,)]]",[],[],set(),set(),"[(1000, 1000)]","(1000, 1000)"
add,VECadd,"[['VECadd', (10, 2500)]]",[],[],set(),set(),"[(10, 2500), (2500,)]","(10, 2500)"
head,Linear,"[['Linear', (1000, 1000, 1000)]]",[],[],set(),set(),"[(1000, 1000)]","(1000, 1000)"
EOF
  # 10^12 operations, 10^11 bytes a second; copies and links in units of 2^30 for 10^9 bytes:
  #   embed (1 + 250000) * 4 / 10^11 * 10^9 / 2^30 = 9313 ns;  linear 2 * 10^9 / 10^12 = 2 ms
  #   add, of the layer, (25000 + 2500 + 25000) * 4 / 10^11 = 2100 ns
  #   900000 * 4 * 3 / (0.36 * 10^11) * 10^9 / 2^30 = 279397 ns;  9000000 of them 2793968 ns, beside 2 ms
  # rounded so that they add up to the rounded total
  aiflame-forecast --mode absolute --predictor roofline --to ./a.device --layers 2 --devices 4 graph.csv 2> said |
    stacks > out
  assert_equal "$(cat out)" 'backward;net_h_0_fc_[m];ALLREDUCE_ASYNC 9000000_[o] 1587935
backward;net_h_0_fc_[m];Linear 1000x1000, 1000x1000_[o] 4000000
forward;add_[m];VECadd 10x2500, 2500 -> 10x2500_[o] 4200
forward;embed_[m];MEM 1, 250000_[o] 9314
forward;head_[m];Linear 1000x1000, 1000x1000_[o] 2000000
forward;net_h_0_fc_[m];Linear 1000x1000, 1000x1000_[o] 4000000
forward;net_h_0_sync_[m];ALLREDUCE 900000_[o] 558793'
  grep -qF 'not in it: 4.000 ms of all-reduces, hidden beside the backward pass' said
  # without --devices they have no time, and that is said
  aiflame-forecast --mode absolute --predictor roofline --to ./a.device graph.csv 2> said | stacks > out
  run -1 grep ALLREDUCE out
  grep -qF '2 calls without shapes, or between devices, have no time here' said
  # the fuzzer's: a list that never ended
  sed 's/"\[(1,)\]"/"[)"/' graph.csv > endless.csv
  run -1 --separate-stderr aiflame-forecast --mode absolute --to ./a.device endless.csv
  # shellcheck disable=SC2154 # Bats sets it
  assert_equal "$stderr" 'aiflame-forecast: endless.csv:2: InputShapes is not a list'
  sed -i 's/(250000,)"/(250000,"/' graph.csv
  run -1 --separate-stderr aiflame-forecast --mode absolute --to ./a.device graph.csv
  # shellcheck disable=SC2154 # Bats sets it
  assert_equal "$stderr" 'aiflame-forecast: graph.csv:2: OutputShape is not a shape'
  [ -z "$output" ]
}

@test "bounds: two counts, the least and the greatest" {
  make_devices
  printf '# aiflame: event gpu-time, unit ns\na;k 1000\n' > in.folded
  aiflame-forecast --mode bounds --from ./a.device --to ./b.device in.folded 2> said |
    grep -v '^#' > out
  assert_equal "$(cat out)" 'a;k 250 500'
  tail -n 1 said | grep -qF '1.000 us on A are 250 ns to 500 ns on B'
}

@test "what is no time, and what is malformed, is refused with nothing written" {
  make_devices
  local line
  refused() {
    run -1 --separate-stderr aiflame-forecast --from ./a.device --to ./b.device "$@"
    [ -z "$output" ]
  }
  printf '# aiflame: event gpu-stall, unit stalls\na 1\n' > in
  refused in
  # shellcheck disable=SC2154 # Bats sets it
  assert_equal "$stderr" 'aiflame-forecast: in:1: counts are stalls (gpu-stall): only time can be forecast'
  printf '# aiflame: unit calls\na 1\n' > in
  refused in
  assert_equal "$stderr" 'aiflame-forecast: in:1: counts are calls: calls have no time to scale: --mode absolute predicts it'
  printf 'a 1\nb\n' > in
  refused in
  assert_equal "$stderr" 'aiflame-forecast: in:2: missing count'
  printf 'a 18446744073709551615\n' > in
  refused in
  assert_equal "$stderr" 'aiflame-forecast: the predicted times are too large to be written'
  printf 'a 18446744073709551615\na 1\n' > in
  refused in
  assert_equal "$stderr" 'aiflame-forecast: in:2: the count is too large'
  printf 'Name,OpName,FwOps,BwOps,AccOps,InputShapes,OutputShape\n' > in
  refused in
  assert_equal "$stderr" 'aiflame-forecast: in:1: a graph has no measured time: --mode absolute predicts it'
  for line in 'name' 'bandwidth 1' 'bandwidth 1 MB/s' 'bandwidth -1 GB/s' 'vector fp31 1 TFLOPS' 'efficiency memory 1' \
    'speed 1' 'cache 1 MB or so' 'units nan' 'memory 1e300 GB'; do
    { cat a.device; echo "$line"; } > wrong.device
    run -1 --separate-stderr aiflame-forecast --mode absolute --to ./wrong.device /dev/null
    [[ $stderr = 'aiflame-forecast: ./wrong.device:5: '* ]]
  done
  echo 'name C' > wrong.device
  run -1 --separate-stderr aiflame-forecast --mode absolute --to ./wrong.device /dev/null
  assert_equal "$stderr" "aiflame-forecast: ./wrong.device: no line 'vector': not a device's file"
}

@test "a write that fails is noticed" {
  echo 'a 1' > in
  run -1 --separate-stderr bash -c 'aiflame-forecast --from v100 --to h100 in > /dev/full'
  [[ $stderr = *'aiflame-forecast: write error: No space left on device' ]]
}

@test "roofline and regression are the authors' own, and the errors are those that the program tells" {
  skip_without python3
  [ -d "$NEUSIGHT" ] || skip 'no ../shared/data/neusight beside the sources'
  "$AIFLAME_ROOT/scripts/forecast-accuracy.py" "$AIFLAME_BUILD" "$NEUSIGHT" --check > table
  cat table
  [ "$(grep -c 'equals the authors. own in 70 models' table)" -eq 2 ]
}

@test "a genuine trace of PyTorch becomes a forecast, a picture and a difference" {
  local traces=$AIFLAME_ROOT/../shared/data/traces
  [ -d "$traces" ] || skip 'no ../shared/data/traces beside the sources'
  stackcollapse-trace --shapes "$traces/mi300_qwen1.5-0.5b.json.gz" > before 2> /dev/null
  aiflame-forecast --from mi300x --to h100 before > after 2> said
  assert_equal "$(stacks before | sed 's/ [0-9]*$//')" "$(stacks after | sed 's/ [0-9]*$//')"
  tail -n 1 said | grep -qF ' on AMD Instinct MI300X are '
  aiflame-svg after > picture.svg
  grep -q '</svg>' picture.svg
  aiflame-diff before after | aiflame-svg > change.svg
  grep -q '</svg>' change.svg
}
