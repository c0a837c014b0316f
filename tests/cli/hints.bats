# SPDX-License-Identifier: MIT
# What gpustall-record says when something is missing: it must be what was really seen.
load common
load await
load recording

setup() {
  setup_demo
  export OCL_ICD_VENDORS=$AIFLAME_BUILD/tests/libopencl-null.so
}

# hints: the lines of `err` after the summary, with process numbers as N
hints() { sed '0,/captured/d; s/ ([0-9]*)/ (N)/g; s/^gpustall-record: //' err; }

as_nobody() { setpriv --reuid=65534 --clear-groups "$@"; }

@test "a failure leaves no empty file, and an older one as it was" {
  echo older > old
  local failing
  for failing in '-- ./missing' '--source nowhere -- true' '--bogus' '-p 2147483646' \
    '--source replay --input missing' '--source replay --input text' '--device 77 -- true'; do
    echo text > text
    # shellcheck disable=SC2086 # words
    run ! gpustall-record -o new $failing
    # shellcheck disable=SC2086
    run ! gpustall-record -o old $failing
    [ ! -e new ]
    assert_equal "$(cat old)" older
  done
  # what comes through replaces it
  gpustall-record -o old -- true
  assert_equal "$(head -n 1 old)" '# gpustall 1'
}

@test "a process that outlives the command is named" {
  mkfifo never
  gpustall-record -o r -- sh -c '(read -r line < never) &' 2> err
  release never
  assert_equal "$(hints)" "\
warning: 1 process outlives the command, with which the recording ends: sh (N)
hint: no program loaded an agent: none of the processes had used OpenCL, Level Zero or CUDA by then"
  # not one that the command waited for
  gpustall-record -o r -- sh -c 'true & wait' 2> err
  run ! grep outlive err
}

# uses_opencl COMMAND: runs Python with COMMAND in front; it loads OpenCL, calls it unless COMMAND
# sets IDLE, and stays until the recording has ended
uses_opencl() {
  skip_unless_samples
  skip_without python3
  cat > use.py << 'END'
import ctypes, os
opencl = ctypes.CDLL("libOpenCL.so.1")
if "IDLE" not in os.environ:
    opencl.clGetPlatformIDs(0, None, ctypes.byref(ctypes.c_uint()))
open("ready", "w").close()
open("never").close()
END
  mkfifo ready never
  gpustall-record --source opencl-cpu -o r -- sh -c "$1"' python3 use.py & cat ready' 2> err
  release never
}

@test "a runtime without its agent: the variable that was changed on the way is named" {
  uses_opencl 'env -u OPENCL_LAYERS'
  assert_equal "$(hints | tail -n 1)" "hint: python3 (N) loaded OpenCL, but not its agent: \
OPENCL_LAYERS had been changed or removed on the way to it"
}

@test "a runtime that is loaded and not used" {
  uses_opencl 'env IDLE=1'
  assert_equal "$(hints | tail -n 1)" "hint: python3 (N) loaded OpenCL, but not its agent: it \
called none of its functions, or its version does not know OPENCL_LAYERS"
}

@test "a runtime of CUDA without its agent" {
  skip_unless_samples
  skip_without python3
  [ -e "$AIFLAME_BUILD/libexec/aiflame/cupti-agent.so" ] || skip 'the agent cupti is not built'
  mkfifo ready never
  gpustall-record --source opencl-cpu -o r -- sh -c 'env -u CUDA_INJECTION64_PATH python3 -c "
import ctypes
ctypes.CDLL(\"$0\")
open(\"ready\", \"w\").close()
open(\"never\").close()" & cat ready' "$AIFLAME_BUILD/tests/cuda/libcuda.so.1" 2> err
  release never
  assert_equal "$(hints | tail -n 1)" "hint: python3 (N) loaded CUDA, but not its agent: \
CUDA_INJECTION64_PATH had been changed or removed on the way to it"
}

@test "a user's own agent for CUDA stays, and the hint says so" {
  skip_unless_samples
  skip_without python3
  [ -e "$AIFLAME_BUILD/libexec/aiflame/cupti-agent.so" ] || skip 'the agent cupti is not built'
  mkfifo ready never
  CUDA_INJECTION64_PATH=/mine.so gpustall-record --source opencl-cpu -o r -- sh -c 'python3 -c "
import ctypes
ctypes.CDLL(\"$0\")
open(\"ready\", \"w\").close()
open(\"never\").close()" & cat ready' "$AIFLAME_BUILD/tests/cuda/libcuda.so.1" 2> err
  release never
  assert_equal "$(hints | tail -n 1)" "hint: python3 (N) loaded CUDA, but not its agent: \
CUDA_INJECTION64_PATH was set already, or the agent is not installed"
}

@test "an agent that was loaded and does not reach the recorder" {
  uses_opencl 'env -u AIFLAME_AGENT'
  assert_equal "$(hints | tail -n 1)" "hint: python3 (N) loaded the agent for OpenCL, which did \
not report: AIFLAME_AGENT had not reached the program"
}

@test "a program that hides the recorder's directory and closes its descriptors is seen" {
  skip_unless_samples
  skip_without python3
  [ "$(id -u)" -eq 0 ] || skip 'namespaces need root'
  unshare -m true 2> err || skip "no namespaces here: $(cat err)"
  # as podman run without --preserve-fds does
  XDG_RUNTIME_DIR=$PWD gpustall-record -o r -- unshare -m python3 -c 'import os, subprocess, sys
subprocess.run(["mount", "-t", "tmpfs", "none", os.environ["AIFLAME_AGENT"].split(":")[4]], check=True)
sys.exit(subprocess.run(sys.argv[1:], close_fds=True).returncode)' "$DEMO/forks" > out 2> err
  assert_equal "$(hints | uniq)" "hint: forks (N) loaded the agent for OpenCL, which could not reach \
the recorder; see 'Who is recorded' in gpustall-launches(7)"
}

@test "a network namespace of its own hides nothing" {
  [ "$(id -u)" -eq 0 ] || skip 'namespaces need root'
  unshare -n true 2> err || skip "no namespaces here: $(cat err)"
  gpustall-record -o r -- unshare -n "$DEMO/forks" > out 2> err
  assert_equal "$(at_end launches)" 10
}

@test "what perf does not show is not denied" {
  skip_without python3
  python3 "$AIFLAME_ROOT/tests/fakes/no_perf_events.py" gpustall-record -o r -- true 2> err
  assert_equal "$(hints)" "hint: no program loaded an agent: whether one used OpenCL, Level Zero \
or CUDA was not seen: cannot open perf events: Permission denied"
}

@test "launches without samples: the reason" {
  skip_unless_samples
  gpustall-record --source opencl-cpu -o r -- "$DEMO/forks" > out 2> err
  assert_equal "$(hints)" "hint: no samples: the kernels ran on no device of source 'opencl-cpu'; \
see --list"
  gpustall-record --source opencl-cpu --sampling off -o r -- "$DEMO/forks" > out 2> err
  assert_equal "$(hints)" ''
  skip_without python3
  printf '%s\n' 'import ctypes' 'ctypes.CDLL("libOpenCL.so.1").clGetPlatformIDs(0, None, ctypes.byref(ctypes.c_uint()))' > use.py
  gpustall-record --source opencl-cpu -o r -- python3 use.py 2> err
  assert_equal "$(hints)" 'hint: no launches: the program that loaded an agent launched no kernel'
}

@test "kernels that are shorter than the period" {
  skip_unless_samples
  unset OCL_ICD_VENDORS
  gpustall-record --source opencl-cpu --period 1000000000 -o r --objects objects -- \
    "$DEMO/matmul" --size 16 --repeats 1 > out 2> err
  [[ $(hints) == 'hint: no samples: the kernels ran for '*' in all, and one is taken each 1.000 s; see --period' ]]
}

@test "tracefs of root's alone is not one that is not mounted" {
  [ -e /sys/kernel/tracing/uprobe_events ] || skip 'tracefs is not mounted'
  [ "$(stat -c %a /sys/kernel/tracing)" = 700 ] || skip 'tracefs is not of root alone'
  [ "$(id -u)" -eq 0 ] || skip 'only root can become another user'
  skip_unless_samples
  build_for_others
  chmod 777 .
  unset OCL_ICD_VENDORS
  as_nobody sh -c 'sleep 60 & exec gpustall-record --source opencl-cpu --duration 0.1 -o - -p $!' > out 2> err
  grep -q 'libOpenCL.so.1 stay without names, .*: tracefs is root.s alone$' err
  run ! grep -q 'not mounted' err
}

@test "a remedy that is in place already is not given" {
  local level
  level=$(cat /proc/sys/kernel/perf_event_paranoid)
  [ "$level" -le 2 ] || skip 'kernel.perf_event_paranoid forbids samples'
  [ "$(id -u)" -eq 0 ] || skip 'only root can become another user'
  # this shell is root's
  build_for_others
  chmod 777 .
  as_nobody gpustall-record -o r -p $$ 2> err && return 1
  assert_equal "$(cat err)" "gpustall-record: source 'opencl-cpu': cannot open perf events: \
Permission denied: process $$ is another user's: record it as root"
  skip_without python3
  run -125 --separate-stderr python3 "$AIFLAME_ROOT/tests/fakes/no_perf_events.py" \
    gpustall-record --source opencl-cpu -o r -p $$
  assert_equal "$stderr" "gpustall-record: source 'opencl-cpu': cannot open perf events: Permission \
denied though kernel.perf_event_paranoid is $level: a container's or a service's filter of system calls \
forbids them"
}
