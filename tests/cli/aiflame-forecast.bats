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
  assert_usage_error aiflame-forecast --to l4 --mode absolute --devices 0
  local -a graph=(aiflame-forecast --to h100 --mode absolute)
  assert_usage_error aiflame-forecast --from h100 --to l4 --devices 4
  assert_usage_error aiflame-forecast --from h100 --to l4 --fuse
  assert_usage_error "${graph[@]}" --nodes 0
  assert_usage_error "${graph[@]}" --nodes 2
  assert_usage_error "${graph[@]}" --nodes 2 --network-bandwidth 50
  assert_usage_error "${graph[@]}" --nodes 2 --network-bandwidth 0 --network-latency 5
  assert_usage_error "${graph[@]}" --network-latency 5
  assert_usage_error "${graph[@]}" --devices 4 --layers 12 --stages 5
  assert_usage_error "${graph[@]}" --layers 12 --stages 4
  assert_usage_error "${graph[@]}" --layers 12 --stages 2 --nodes 4 --network-bandwidth 50 --network-latency 5
  assert_usage_error "${graph[@]}" --micro-batches 0
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
net;aten::add 16384x16384, 16384x16384_[o];-;add_[G] 1000
net;aten::add 1024, 1024_[o];-;add_[G] 1000
net;my::op 64_[o];-;op_[G] 1000
net;launch;-;triton_[G] 1000
net;nccl;-;ncclDevKernel_AllReduce_[G] 1000
net;aten::copy_ 64, 64_[o];-;Memcpy HtoD (Pageable -> Device)_[G] 1000
EOF
  forecast in.folded > out.folded
  assert_equal "$(grep -v '^# aiflame-forecast' out.folded)" '# aiflame: event gpu-time-forecast, unit ns
net;aten::add 1024, 1024_[o];-;add_[G] 971
net;aten::add 16384x16384, 16384x16384_[o];-;add_[G] 500
net;aten::copy_ 64, 64_[o];-;Memcpy HtoD (Pageable -> Device)_[G] 1000
net;aten::mm 1024x1024, 1024x1024_[o];-;sgemm_[G] 251
net;launch;-;triton_[G] 500
net;my::op 64_[o];-;op_[G] 999
net;nccl;-;ncclDevKernel_AllReduce_[G] 250'
  assert_equal "$(cat said)" \
    'aiflame-forecast: a forecast for B, measured on A: measured time by the ratio of predictions (scale); error unknown: nothing was measured of 39.1% of it
aiflame-forecast: predictor: peak rates alone (roofline)
aiflame-forecast: of the predicted time: 5.6% linear, 32.9% elem, 22.3% unknown, 11.2% no shapes, 5.6% collective, 22.4% host copy
aiflame-forecast: expected error of the other 60.9%, of an operator: 38% linear, 10% elem; shares are better than totals; if the data are fp32; of NVIDIA'\''s GPUs, since this device was not measured
aiflame-forecast: 22.3% of it: operators that are not known, taken as memory traffic
aiflame-forecast: 11.2% of it: stacks without an operator and its shapes, by the ratio of memory bandwidths
aiflame-forecast: 22.4% of it: copies from or to the host, left as they are
aiflame-forecast: 5.6% of it: collectives, by the ratio of the links
aiflame-forecast: 55.2% of it: neither operator nor kernel tells the type of data, taken for fp32 data
aiflame-forecast: 21.7% of it: larger or smaller than all operators that were measured
aiflame-forecast: all of it: the rate in fp32 of B, 4 TFLOPS, is outside the 5.5 to 67 TFLOPS of the devices that were measured
aiflame-forecast: all of it: the bandwidth of A, 100 GB/s, is outside the 192 to 3350 GB/s of the devices that were measured
aiflame-forecast: all of it: the rate in fp32 of A, 1 TFLOPS, is outside the 5.5 to 67 TFLOPS of the devices that were measured
aiflame-forecast: 7.000 us on A are 4.471 us on B'
  # what standard error says stands in the output, in lines that are no stacks to others
  assert_equal "$(sed -n 's/^# //p' out.folded | tail -n +2)" "$(head -n -1 said)"
  run -1 grep '^#.*[0-9]$' out.folded
  aiflame-diff in.folded out.folded | grep -q 'sgemm_\[G\] 1000 251$'
}

@test "a forecast of what was never measured says so in its first line, and has no percentage" {
  said() { { aiflame-forecast --from mi300x --to h100 > /dev/null; } 2>&1; }
  run -0 said <<< 'aten::mm 4096x4096, 4096x4096_[o];-;Cijk_Ailk_Bljk_BBS_BH_[G] 1000'
  [[ ${lines[0]} == *'; error unknown: nothing was measured of 100.0% of it' ]]
  [[ $output != *'expected error'* && $output == *'100.0% of it: of another type of data than fp32'* ]]
  # the operator says the type, where the kernel does not
  run -0 said <<< 'aten::mm 4096x4096, 4096x4096 bf16_[o];-;gemm_[G] 1000'
  [[ ${lines[0]} == *'; error unknown: nothing was measured of 100.0% of it' && $output != *'taken for'* ]]
  # fp32 was
  run -0 said <<< 'aten::mm 4096x4096, 4096x4096_[o];-;sgemm_[G] 1000'
  [[ ${lines[0]} == *'(scale)' ]]
  [[ $output == *'expected error: 22% of the total in inference, 16% in training; of an operator: 29% linear; '* ]]
}

@test "the frame of a message's size is no kernel: communication goes by the links" {
  local host='a;c10d::allreduce_ 8816192_[o];record_param_comms 8816192_[o]'
  for size in 'under 64 KiB' '64 KiB to 1 MiB' '1 to 16 MiB' '16 to 256 MiB' '256 MiB and more'; do
    assert_equal "$(aiflame-forecast --from mi300x --to h100 2> /dev/null \
      <<< "$host;-;ncclDevKernel_Generic_[G];allreduce ${size}_[G] 1000000" | stacks)" \
      "$host;-;ncclDevKernel_Generic_[G];allreduce ${size}_[G] 995556"
  done
}

@test "idle time stays: an operator that the device waited for did no work of its" {
  printf '# aiflame: event gpu-time, unit ns\n%s\n' '[gpu idle];[host busy];aten::add 4096x4096_[o] 1000' \
    'aten::add 4096x4096_[o];-;add_[G] 1000' > in
  run -0 --separate-stderr aiflame-forecast --from a100-sxm-40gb --to h100 in
  grep -qFx '[gpu idle];[host busy];aten::add 4096x4096_[o] 1000' <<< "$output"
  ! grep -qFx 'aten::add 4096x4096_[o];-;add_[G] 1000' <<< "$output" || false
  grep -q 'of it: idle time and its causes, left as they are$' <<< "$stderr"
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
  grouped() { sed ':a; s/\B[0-9]\{3\}\>/,&/; ta' <<< "$1"; }
  assert_equal "$(tail -n 1 said)" "aiflame-forecast: $(grouped "$before") samples on A are $(grouped "$after") samples on B"
  # the share that memory bounds on B is scaled by less, and what any kernel takes is not scaled
  [ "$after" -ge $((before / 4)) ]
  [ "$after" -lt "$before" ]
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

@test "operators of a graph that are no products are fused, and a fused graph is read" {
  make_devices
  cat > graph.csv << 'EOF'
Name,OpName,FwOps,BwOps,AccOps,Prev,Next,InputShapes,OutputShape
fc,Linear,"[['Linear', (1000, 1000, 1000)]]",[],[],set(),{'gelu'},"[(1000, 1000)]","(1000, 1000)"
gelu,VECgelu,"[['VECgelu', (1000, 1000)]]",[],[],{'fc'},{'add'},"[(1000, 1000)]","(1000, 1000)"
add,VECadd,"[['VECadd', (1000, 1000)]]",[],[],{'gelu'},{'out'},"[(1000, 1000), (1000,)]","(1000, 1000)"
EOF
  run_graph() { aiflame-forecast --mode absolute --predictor roofline --to ./a.device "$@" 2> said | stacks; }
  # 10^6 elements of 4 bytes: two read and two written, 160 us; fused, one of each, 80 us
  assert_equal "$(run_graph graph.csv)" 'forward;add_[m];VECadd 1000x1000, 1000 -> 1000x1000_[o] 80040
forward;fc_[m];Linear 1000x1000, 1000x1000_[o] 2000000
forward;gelu_[m];VECgelu 1000x1000 -> 1000x1000_[o] 80000'
  assert_equal "$(run_graph --fuse graph.csv)" 'forward;fc_[m];Linear 1000x1000, 1000x1000_[o] 2000000
forward;gelu~add_[m];VECadd 1000x1000 -> 1000x1000_[o] 80000'
  # as NeuSight writes it
  cat > fused.csv << 'EOF'
Name,OpName,FwOps,BwOps,AccOps,Prev,Next,InputShapes,OutputShape
gelu~add,fused,"[['VECgelu', (1000, 1000)], ['VECadd', (1000, 1000)]]",[],[],{'fc'},{'out'},"[(1000, 1000)]","(1000, 1000)"
EOF
  assert_equal "$(run_graph fused.csv)" 'forward;gelu~add_[m];VECadd 1000x1000 -> 1000x1000_[o] 80000'
  sed -i "s/{'out'}/{'out'/" fused.csv
  run -1 --separate-stderr aiflame-forecast --mode absolute --to ./a.device fused.csv
  # shellcheck disable=SC2154 # Bats sets it
  assert_equal "$stderr" 'aiflame-forecast: fused.csv:2: Next is not a set of names'
}

@test "a pipeline: one micro-batch through all stages, each further one through the slowest; servers by the network" {
  make_devices
  cat > graph.csv << 'EOF'
Name,OpName,FwOps,BwOps,AccOps,Prev,Next,InputShapes,OutputShape
net_h_0_fc,Linear,"[['Linear', (1000, 1000, 1000)]]",[],[],set(),set(),"[(1000, 1000)]","(1000, 1000)"
sendrecv,sendrecv,"[['SENDRECV', (9000000,)]]",[],[],set(),set(),[],[]
head,Linear,"[['Linear', (1000, 500, 1000)]]",[],[],set(),set(),"[(1000, 500)]","(1000, 1000)"
sync,allreduce,"[['ALLREDUCE', (900000,)]]",[],[],set(),set(),[],[]
EOF
  run_graph() { aiflame-forecast --mode absolute --predictor roofline --to ./a.device "$@" graph.csv 2> said | stacks; }
  # A layer takes 2 ms, a send 36 * 10^6 / (0.36 * 10^11) * 10^9 / 2^30 = 931323 ns, the head 1 ms, and the
  # all-reduce 279397 ns. 4 stages of 2 layers, 3 micro-batches: the first runs 8 layers, 3 sends, the head; the
  # last stage, with the head and the all-reduce, is the slowest: 2 * 2 layers, 2 heads more
  assert_equal "$(run_graph --devices 4 --layers 8 --stages 4 --micro-batches 3)" \
    'forward;head_[m];Linear 1000x500, 500x1000_[o] 3000000
forward;net_h_0_fc_[m];Linear 1000x1000, 1000x1000_[o] 24000000
forward;sendrecv_[m];SENDRECV 9000000_[o] 2793968
forward;sync_[m];ALLREDUCE 900000_[o] 838190'
  # 2 servers: one send of three takes 10 us + 36 * 10^6 / 10^10 s = 3.61 ms; the all-reduce in a server of four, and
  # 2 * 1 steps of 10 us + 3.6 * 10^6 / 2 / 10^10 s between both: 279397 + 380000 ns
  assert_equal "$(run_graph --devices 4 --nodes 2 --network-bandwidth 10 --network-latency 10 --layers 8 --stages 4)" \
    'forward;head_[m];Linear 1000x500, 500x1000_[o] 1000000
forward;net_h_0_fc_[m];Linear 1000x1000, 1000x1000_[o] 16000000
forward;sendrecv_[m];SENDRECV 9000000_[o] 5472645
forward;sync_[m];ALLREDUCE 900000_[o] 659397'
  grep -qF 'collectives, at 72% of the link'\''s rate in one direction, and between servers as the network was said to be' said
  grep -qF 'expected error of a training on several servers: not known, none was measured' said
}

@test "the network tells the utilisation of a device that was not measured" {
  printf '%s\n' 'name C' 'units 100' 'bandwidth 1000 GB/s' 'vector fp32 20 TFLOPS' > c.device
  printf '# aiflame: unit calls\naten::mm 1000x1000, 1000x1000_[o] 1000\naten::bmm 8x64x64, 8x64x64_[o] 1000\n' > list
  aiflame-forecast --mode absolute --to ./c.device list 2> said | stacks > out
  # by the formula of aiflame-forecast(1) from the weights `all`, in Python
  skip_without python3
  python3 - "$AIFLAME_ROOT/tools/aiflame-forecast/devices/network.weights" > expected << 'EOF'
import math, sys
weights = {}
for line in open(sys.argv[1]):
    words = line.split()
    if words[0] == "network" and words[2] == "all":
        weights[words[1]] = [float(word) for word in words[3:]]
rate, bandwidth, units = 20e12, 1000e9, 100
sigmoid = lambda x: 1 / (1 + math.exp(-x))
def seconds(family, b, m, n, k, tile):
    w = weights[family]
    waves = math.ceil(b * math.ceil(m / tile) * math.ceil(k / tile) / units)
    intensity = math.log2((2 * tile * tile * n / rate) / (4 * (2 * tile * n + tile * tile) / bandwidth))
    x, y = min(max(intensity, w[6]), w[7]), min(max(math.log2(waves), w[8]), w[9])
    used = sigmoid(w[0] + w[1] * x + w[2] * y) * (1 - sigmoid(w[3] + w[4] * x + w[5] * y) / waves)
    operations, moved = 2 * b * m * n * k, 4 * b * (m * n + n * k + m * k) * 1e9 / 2**30
    return max(operations / rate, moved / bandwidth) / used
bmm, mm = 1e12 * seconds("bmm", 8, 64, 64, 64, 64), 1e12 * seconds("linear", 1, 1000, 1000, 1000, 128)
print(f"aten::bmm 8x64x64, 8x64x64_[o] {round(bmm)}")
print(f"aten::mm 1000x1000, 1000x1000_[o] {round(bmm + mm) - round(bmm)}")
EOF
  assert_equal "$(cat out)" "$(cat expected)"
  grep -qF "100.0% of it: a device's utilisation was not measured: a network tells it, of its rates" said
  grep -qF "; of NVIDIA's GPUs, since this device was not measured" said
  # of another type of data it says nothing
  aiflame-forecast --mode absolute --to b200 --type bf16 list 2> said > out
  grep -qF '100.0% of it: the mean efficiency of other devices stands in' said
  grep -qF 'the bandwidth of NVIDIA B200 SXM 180 GB, 8000 GB/s, is outside the 192 to 3350 GB/s of the devices' said
  # of a device that it was trained on, it is asked without that training
  aiflame-forecast --mode absolute --to l4 --predictor network list 2> /dev/null | stacks > with
  sed '/^name/s/.*/name other/' "$AIFLAME_ROOT/tools/aiflame-forecast/devices/l4.device" > other.device
  aiflame-forecast --mode absolute --to ./other.device --predictor network list 2> /dev/null | stacks > without
  run -1 cmp with without
}

@test "weights that are malformed are refused with their line" {
  local line
  mkdir -p prefix/bin prefix/share/aiflame
  cp "$(command -v aiflame-forecast)" prefix/bin
  cp -r "$AIFLAME_ROOT/tools/aiflame-forecast/devices" prefix/share/aiflame
  echo 'a 1' > in
  prefix/bin/aiflame-forecast --from v100 --to h100 in > /dev/null
  for line in 'networks' 'network elem all 1 2 3 4 5 6 0 1 0 1' 'network linear' 'network linear x 1 2 3 4 5 6 0 1 0' \
    'network linear x 1 2 3 4 5 6 0 1 0 nan' 'network linear x 1 2 3 4 5 6 0 1 0 101' \
    'network linear x 1 2 3 4 5 6 1 0 0 1' 'network linear x 1 2 3 4 5 6 0 1 0 1 2' \
    'network linear all 1 2 3 4 5 6 0 1 0 1'; do
    printf 'network linear all 0 0 0 0 0 0 0 0 0 0\n%s\n' "$line" > prefix/share/aiflame/devices/network.weights
    run -1 --separate-stderr prefix/bin/aiflame-forecast --from v100 --to h100 in
    # shellcheck disable=SC2154 # Bats sets it
    [[ $stderr = *'/share/aiflame/devices/network.weights:2: '* ]]
    [ -z "$output" ]
  done
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
  # models that were traced on two devices, as the manual has them
  [ ! -d "$NEUSIGHT/../forecast-pairs" ] || grep -Ex 'mean error, both directions +43\.4 % +as it is +29\.2 %' table
}

@test "a genuine trace of PyTorch becomes a forecast, a picture and a difference" {
  local traces=$AIFLAME_ROOT/../shared/data/traces
  [ -d "$traces" ] || skip 'no ../shared/data/traces beside the sources'
  stackcollapse-trace --shapes "$traces/mi300_qwen1.5-0.5b.json.gz" > before 2> /dev/null
  # it says the type of the operators' inputs
  grep -q ';aten::mm [0-9x, ]* bf16_\[o\];' before
  aiflame-forecast --from mi300x --to h100 before > after 2> said
  assert_equal "$(stacks before | sed 's/ [0-9]*$//')" "$(stacks after | sed 's/ [0-9]*$//')"
  tail -n 1 said | grep -qF ' on AMD Instinct MI300X are '
  aiflame-svg after > picture.svg
  grep -q '</svg>' picture.svg
  aiflame-diff before after | aiflame-svg > change.svg
  grep -q '</svg>' change.svg
}
