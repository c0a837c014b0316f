# SPDX-License-Identifier: MIT
# The programs joined by pipes: nothing is lost between them, and they end together.
load common
load recording

setup() { setup_demo; }

@test "record | collapse | draw: the samples captured are the samples drawn" {
  skip_unless_samples
  gpustall-record --objects objects -- "$DEMO/matmul" --size 128 --seconds 1 2> record.err |
    stackcollapse-aiflame --stats stats 2> collapse.err | tee folded | aiflame-svg > out.svg
  local captured
  captured=$(sed -n 's/.*captured \([0-9]*\) gpu-clock samples.*/\1/p' record.err)
  [ "$captured" -gt 100 ]
  assert_equal "$(sum_of folded)" "$captured"
  assert_equal "$(jq '.device["gpu-clock"] | .exact + .apportioned + .presumed + .unattributed' stats)" \
    "$captured"
  grep -F "$(sed -e :a -e 's/\(.*[0-9]\)\([0-9]\{3\}\)/\1,\2/;ta' <<< "$captured") samples, 100%" \
    out.svg
}

@test "an interrupt of the whole pipeline ends the recording, and the picture is drawn" {
  # sends it as a terminal does: to every process of the group
  run -0 python3 - << 'PY'
import glob, os, signal, subprocess, sys
os.mkfifo("never")
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background ignores it
pipeline = subprocess.Popen(
    ["bash", "-c", "gpustall-record -- cat never 2> record.err | stackcollapse-aiflame --stats stats"
     " 2> collapse.err | (aiflame-svg; echo $? > svg.status) > out.svg 2> svg.err"],
    start_new_session=True)

def catches_interrupt(name):
    for path in glob.glob("/proc/[0-9]*/status"):
        try:
            if os.getpgid(int(path.split("/")[2])) != pipeline.pid:
                continue
            status = dict(line.rstrip("\n").split(":\t", 1) for line in open(path) if ":\t" in line)
        except OSError:
            continue
        if status["Name"] == name:
            return int(status["SigCgt"], 16) >> (signal.SIGINT - 1) & 1 == 1 or name == "cat"
    return False

# Waits until the command runs and the filters have come to where they outlive an interrupt. No
# process reports that, but /proc shows it.
for name in ("cat", "stackcollapse-a", "aiflame-svg"):
    while not catches_interrupt(name) and pipeline.poll() is None:
        os.sched_yield()
os.killpg(pipeline.pid, signal.SIGINT)
sys.exit(0 if pipeline.wait(20) is not None else 1)
PY
  grep 'captured 0 gpu-clock samples' record.err
  [ -s stats ] # written after the end of the input
  grep 'ERROR' out.svg # there was nothing to draw, and the picture says so
}

@test "two concatenated recordings are the sum of both" {
  skip_unless_samples
  for i in 1 2; do
    gpustall-record -o "r$i" --objects objects -- "$DEMO/matmul" --size 64 --repeats 30 2> /dev/null
    stackcollapse-aiflame "r$i" > "folded$i" 2> /dev/null
  done
  cat r1 r2 | stackcollapse-aiflame > both 2> /dev/null
  assert_equal "$(sum_of both)" "$(sum_of folded1 folded2)"
}

@test "before and after a change: the difference is drawn with both counts" {
  skip_unless_samples
  gpustall-record -o r1 --objects objects -- "$DEMO/matmul" --size 128 --seconds 1 2> /dev/null
  gpustall-record -o r2 --objects objects -- "$DEMO/matmul" --size 128 --seconds 1 \
    --options '-g -cl-opt-disable' 2> /dev/null
  for i in 1 2; do stackcollapse-aiflame "r$i" > "f$i" 2> /dev/null; done
  aiflame-diff -n f1 f2 > difference
  assert_equal "$(awk '!/^#/ { a += $(NF-1); b += $NF } END { print a == b }' difference)" 1
  aiflame-svg difference > out.svg
  xmllint --noout out.svg
  grep ' before, ' out.svg
}
