# SPDX-License-Identifier: MIT
# Python functions in the stacks of launches. Recordings are compared with what the program itself
# prints of each launch: see tests/demo/python_launches.py.
load common
load recording

LAUNCHES=$AIFLAME_ROOT/tests/demo/python_launches.py
EVERY='direct nested anonymous methods generator coroutine comprehension callbacks thread
  many_threads recursion recursion_through_c finalizer exception with_statement long_lines
  code_made_again names no_line subinterpreter subinterpreter_of_thread thread_of_subinterpreter
  many_subinterpreters backward_pass backward_pass_in_python backward_passes_at_once native_thread'

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  export OCL_ICD_VENDORS=$AIFLAME_BUILD/tests/libopencl-null.so XDG_CACHE_HOME=$PWD/cache
}

# python_of VERSION: puts the path of one into $python, Debian's before others.
python_of() {
  local candidate
  for candidate in "/usr/bin/python$1" "$(type -P "python$1" || true)" \
    "$HOME"/.pyenv/versions/"$1".*/bin/python"$1"; do
    if [ -x "$candidate" ] && "$candidate" -c '' 2> /dev/null; then
      python=$candidate
      return
    fi
  done
  skip "no Python $1 is installed"
}

# frames_are_right CASE...: checks the frames, with the GIL kept and with the GIL released
frames_are_right() {
  local gil
  for gil in '' --gil; do
    # shellcheck disable=SC2086 # empty means no argument
    gpustall-record --source opencl-cpu -o r -- "$python" -W ignore "$LAUNCHES" $gil "$@" \
      > expected 2> err
    run ! grep -E 'warning|without' err
    "$python" "$AIFLAME_ROOT/tests/recorded/python_frames.py" r expected
    grep -qx "# end samples 0 launches $(awk '{ n += $1 } END { print n }' expected) lost 0" r
  done
}

every_version_is_right() {
  local python
  python_of "$1"
  # shellcheck disable=SC2086 # several words
  frames_are_right $EVERY
  frames_are_right forked
}

@test "functions, files and lines of Python 3.11" { every_version_is_right 3.11; }
@test "functions, files and lines of Python 3.12" { every_version_is_right 3.12; }
@test "functions, files and lines of Python 3.13" { every_version_is_right 3.13; }
@test "functions, files and lines of Python 3.14" { every_version_is_right 3.14; }

# from_outside VERSION CASE…: records by uprobes, with a program that has no agent. Puts what is
# said of the stacks into $output
from_outside() {
  local python
  skip_without_uprobes
  python_of "$1"
  shift
  gpustall-record --source opencl-cpu --launch-stacks uprobe -o r -- \
    "$python" -W ignore "$LAUNCHES" --stay "$@" > expected 2> err
  skip_unless_python_is_read err
  run "$python" "$AIFLAME_ROOT/tests/recorded/python_frames.py" --some r expected
  echo "$output"
  cat err
  [ "$status" -eq 0 ]
  grep -qx "# end samples 0 launches $(awk '{ n += $1 } END { print n }' expected) lost 0" r
}

# Code that stays is named in each stack. 3.11 and 3.12 also make code for a comprehension.
LASTING='direct nested anonymous methods generator coroutine callbacks thread many_threads recursion
  recursion_through_c exception with_statement long_lines'
kernel_reads_every_frame() {
  # shellcheck disable=SC2086 # several words
  from_outside "$1" $LASTING
  [[ $output == *' 0 without' ]]
  run ! grep warning err
  # shellcheck disable=SC2086
  from_outside "$1" --gil $LASTING
  [[ $output == *' 0 without' ]]
}

@test "from outside, functions, files and lines of Python 3.11" { kernel_reads_every_frame 3.11; }
@test "from outside, functions, files and lines of Python 3.12" { kernel_reads_every_frame 3.12; }
@test "from outside, functions, files and lines of Python 3.13" { kernel_reads_every_frame 3.13; }
@test "from outside, functions, files and lines of Python 3.14" { kernel_reads_every_frame 3.14; }

@test "from outside, code that has gone when it is to be named leaves native frames, never others" {
  from_outside 3.11 direct code_made_again names finalizer
  [[ $output == *', '[1-9]*' without' ]]
  grep -q 'py::direct:' r
  grep -qE 'warning: [0-9]+ stacks? (is|are) without Python functions, though there are some: they could not be read$' err
}

@test "from outside, launches in two interpreters at a time have no Python functions" {
  from_outside 3.12 direct subinterpreter
  [[ $output == *' 2 without' ]]
  grep -q 'py::direct:' r
}

@test "from outside, a forked child has its functions once the recorder knows it" {
  from_outside 3.11 forked
  grep -q 'py::forked:' r
}

@test "from outside, a Python in a pid namespace of its own" {
  skip_without_uprobes
  local python
  python_of 3.11
  unshare -pfm --mount-proc true 2> err || skip "no pid namespace can be made: $(cat err)"
  gpustall-record --source opencl-cpu --launch-stacks uprobe -o r -- \
    unshare -pfm --mount-proc "$python" "$LAUNCHES" --stay direct > expected 2> err
  skip_unless_python_is_read err
  "$python" "$AIFLAME_ROOT/tests/recorded/python_frames.py" r expected
}

@test "from outside, Python 3.10 is one that is not known" {
  skip_without_uprobes
  local python
  python_of 3.10
  gpustall-record --source opencl-cpu --launch-stacks uprobe -o r -- \
    "$python" "$AIFLAME_ROOT/tests/demo/python_cost.py" 5 1000 > out 2> err
  skip_unless_python_is_read err
  grep -qE 'warning: process [0-9]+: a Python of unknown version, whose frames cannot be read here' err
  grep -qx '# end samples 0 launches 1000 lost 0' r
  run ! grep -q '\[python\]' r
}

# Checks the layouts that the agents use against the headers of the installed Pythons.
layout_is_right() {
  local python include
  python_of "$1"
  include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
  [ -e "$include/internal/pycore_frame.h" ] || skip "no headers of Python $1 are installed"
  skip_without g++
  g++ -std=c++20 -fpermissive -w -I"$include" -I"$include/internal" -I"$AIFLAME_ROOT" \
    -fsyntax-only "$AIFLAME_ROOT/tests/data/python/layout.cc"
}

@test "the layout of Python 3.11" { layout_is_right 3.11; }
@test "the layout of Python 3.12" { layout_is_right 3.12; }
@test "the layout of Python 3.13" { layout_is_right 3.13; }
@test "the layout of Python 3.14" { layout_is_right 3.14; }

@test "a recursion that is too deep is cut at its outer end, and a line says so" {
  local python
  python_of 3.11
  gpustall-record --source opencl-cpu -o r -- "$python" "$LAUNCHES" deep_recursion > expected 2> err
  grep -qx 'gpustall-record: warning: 1 stack is without the outermost callers: of a deeper one 256 native frames are kept, 512 in all' err
  grep -q 'py::launch:' r
  [ "$(grep -c 'py::recursion:' r)" -gt 400 ]
  awk '/ gpu-launch: $/, /^$/' r > launch
  run ! grep -q 'py::<module>' launch
  grep -qx '# end samples 0 launches 1 lost 0' r
}

@test "names that no format expects stay in one line each, and become no script" {
  skip_without xmllint
  local python
  python_of 3.11
  gpustall-record --source opencl-cpu -o r -- "$python" "$LAUNCHES" hostile > expected 2> err
  local launches
  launches=$(wc -l < expected)
  grep -qx "# end samples 0 launches $launches lost 0" r
  # each launch's functions are there: the launching one, hostile(), main() and the module
  assert_equal "$(grep -ac 'py::launch:.*:[0-9]* (\[python\])$' r)" "$launches"
  assert_equal "$(grep -ac 'py::hostile:.*:[0-9]* (\[python\])$' r)" "$launches"
  grep -aqF 'py::<module>:/tmp/a;b\012c\011d\033[0m.py:1 ([python])' r
  grep -aqF 'py::<module>:# gpustall 1:1 ([python])' r
  # cut at the least useful end, to at most 4096 bytes
  grep -aqE 'py::<module>:\.\.\.ong/(long/)*f\.py:1 ' r
  grep -aqE 'py::n{1021}\.\.\.:' r
  run ! grep -aqE '.{6000}' r
  stackcollapse-aiflame --event gpu-time r > folded 2> err
  grep -aqF ';py::<module>:a:b\012c\011d\033[0m.py;' folded
  # shellcheck disable=SC2016 # the dollar belongs to the pattern
  grep -aqF ";py::<module>:<script>'\"&.py;" folded
  grep -aqF ';py::f (x):' folded
  assert_equal "$(sum_of folded)" \
    "$(awk '/^# launched/ { split($5, s, "."); n += s[1] * 1000000000 + s[2] } END { print n }' r)"
  aiflame-svg folded > out.svg
  xmllint --noout out.svg
  run ! grep -q '<script>.\?&' out.svg
}

@test "an unknown Python has native frames alone, and one line says so" {
  skip_without g++
  printf '%s\n' 'extern "C" const unsigned long Py_Version = 0x030f00f0;' \
    'extern "C" void* _PyEval_EvalFrameDefault(void*, void*, int) { return nullptr; }' > fake.cc
  g++ -shared -fPIC -o libfake.so fake.cc
  gpustall-record --source opencl-cpu -o r -- env LD_PRELOAD="$PWD/libfake.so" \
    "$AIFLAME_BUILD/tests/demo/forks" > out 2> err
  assert_equal "$(grep -c 'Python 3.15' err)" 1
  grep -qE '^gpustall-record: warning: process [0-9]+: Python 3.15, whose frames cannot be read here: its stacks are without Python functions$' err
  grep -q '# end samples 0 launches [1-9]' r
  run ! grep -q 'python' r
}

@test "Python 3.10 is one that is not known" {
  local python
  python_of 3.10
  gpustall-record --source opencl-cpu -o r -- "$python" "$AIFLAME_ROOT/tests/demo/python_cost.py" \
    5 1000 > out 2> err
  grep -qE 'warning: process [0-9]+: Python 3.10, whose frames cannot be read here' err
  grep -qx '# end samples 0 launches 1000 lost 0' r
  run ! grep -q '\[python\]' r
}

@test "one that says it is 3.12 and is built otherwise is not walked" {
  skip_without g++
  printf '%s\n' 'extern "C" const unsigned long Py_Version = 0x030c01f0;' \
    'long types[4][20];' \
    'extern "C" { extern long PyCode_Type __attribute__((alias("types")));' \
    'extern long PyFrame_Type __attribute__((alias("types")));' \
    'extern long PyUnicode_Type __attribute__((alias("types")));' \
    'extern long PyBytes_Type __attribute__((alias("types")));' \
    'void* _PyThreadState_UncheckedGet() { __builtin_trap(); }' \
    'void* PyGILState_GetThisThreadState() { __builtin_trap(); }' \
    'void* _PyEval_EvalFrameDefault(void*, void*, int) { return nullptr; } }' > fake.cc
  g++ -shared -fPIC -w -o libfake.so fake.cc
  gpustall-record --source opencl-cpu -o r -- env LD_PRELOAD="$PWD/libfake.so" \
    "$AIFLAME_BUILD/tests/demo/forks" > out 2> err
  grep -q 'Python 3.12, whose frames cannot be read here' err
}

# python_that_says WHERE VALUE: a stand-in for 3.14 that publishes the offsets of 3.14 (16: whether it
# has no GIL), but at WHERE, in bytes, VALUE
python_that_says() {
  skip_without g++
  cat > fake.cc << 'END'
extern "C" const unsigned long Py_Version = 0x030e00f0;
long code[20] = {0, 0, 0, 0, 208}, frame[20] = {0, 0, 0, 0, 152}, text[20] = {0, 0, 0, 0, 64}, other[20];
struct Runtime { char cookie[8]; unsigned long word[99]; };
constexpr Runtime with(long where, unsigned long value) {
  Runtime out = {{'x', 'd', 'e', 'b', 'u', 'g', 'p', 'y'}, {}};
  // thread, frame and code begin at 176, 248 and 312
  const long known[][2] = {{208, 72}, {216, 152}, {256, 8}, {264, 0}, {272, 56}, {288, 74},
                           {320, 112}, {336, 128}, {344, 136}, {352, 68}, {384, 208}};
  for (auto& one : known) out.word[one[0] / 8 - 1] = one[1];
  out.word[where / 8 - 1] = value;
  return out;
}
extern "C" {
extern long PyCode_Type __attribute__((alias("code"))), PyFrame_Type __attribute__((alias("frame"))),
    PyUnicode_Type __attribute__((alias("text"))), PyBytes_Type __attribute__((alias("other")));
Runtime _PyRuntime = with(WHERE, VALUE);
void* PyThreadState_GetUnchecked() { return nullptr; }
void* PyGILState_GetThisThreadState() { return nullptr; }
void* _PyEval_EvalFrameDefault(void*, void*, int) { return nullptr; }
}
END
  g++ -std=c++20 -shared -fPIC -w -DWHERE="$1" -DVALUE="$2" -o libfake.so fake.cc
  gpustall-record --source opencl-cpu -o r -- env LD_PRELOAD="$PWD/libfake.so" \
    "$AIFLAME_BUILD/tests/demo/forks" > out 2> err
  grep -q '# end samples 0 launches [1-9]' r
}

@test "one that says other offsets than its version has is not walked, nor one without a GIL" {
  python_that_says 208 72
  run ! grep 'frames cannot be read' err
  python_that_says 288 70
  grep -q ': Python 3.14, whose frames cannot be read here' err
  python_that_says 16 1
  grep -q ': Python 3.14 without a GIL, whose frames cannot be read here' err
}

# ---- programs that bring their Python, and other interfaces ------------------------------------

@test "a program that embeds Python, loaded for itself alone" {
  local library=libpython3.11.so.1.0
  ldconfig -p | grep -q "$library " || skip "no $library is installed"
  gpustall-record --source opencl-cpu -o r -- "$AIFLAME_BUILD/tests/demo/embeds_python" "$library" \
    > out 2> err
  run ! grep -E 'warning|without' err
  grep -qx gone out
  # each launch's frames between launch() and main() or the thread's start, outermost last
  assert_equal "$(awk '
    /^# launch [0-9]/ { number = $3; getline; getline; stack[number] = ""; inside = 0
      while ((getline line) > 0 && line != "") {
        name = line; sub(/^\t *[0-9a-f]+ /, "", name); sub(/\+0x[0-9a-f]* .*/, "", name)
        sub(/ \(\[python\]\)$/, "", name); sub(/^\(anonymous namespace\)::/, "", name)
        if (name == "main" || name ~ /^std::/) break
        if (inside && line !~ /libpython/) stack[number] = stack[number] " " name
        if (name == "launch") inside = 1 } }
    /^# launched / { count[$3] += $4 }
    END { for (number in count) print count[number] stack[number] }' r | sort)" '1 after
1 before
1 beside
1 unloaded
2 launch_for_python py::inner:embedded.py:3 py::outer:embedded.py:5 py::<module>:embedded.py:6 run
3 launch_for_python py::inner:embedded.py:3 py::outer:embedded.py:5 py::<module>:embedded.py:1 run'
  grep -qx '# end samples 0 launches 9 lost 0' r
}

@test "Level Zero's launches from Python have its functions too" {
  [ -e "$AIFLAME_BUILD/libexec/aiflame/level-zero/libze_tracing_layer.so.1" ] ||
    skip 'libze-dev is not installed: there is no Level Zero agent'
  local python
  python_of 3.11
  cat > train.py << 'END'
import sys, time
sys.path.insert(0, sys.argv[1])
import workers

class Model:
    def forward(self, device):
        device.launch()

def train(model, device):
    for _ in range(4):
        model.forward(device)
        time.sleep(0.001)
        device.wait()

train(Model(), workers.LevelZero(b'work_100us'))
END
  ZE_ENABLE_ALT_DRIVERS=$AIFLAME_BUILD/tests/liblevel-zero-fake.so PYTHONDONTWRITEBYTECODE=1 \
    gpustall-record --source opencl-cpu -o r -- "$python" train.py "$AIFLAME_ROOT/tests/demo" 2> err
  run ! grep -E 'warning|without' err
  stackcollapse-aiflame --event gpu-time --hide-interpreter --full-paths --srcline r 2> err | stacks > folded
  local file=$PWD/train.py
  local outer=";py::<module>:$file:15;py::train:$file:11;py::Model.forward:$file:7"
  grep -qE "$outer;py::LevelZero.launch:$AIFLAME_ROOT/tests/demo/workers.py:[0-9]+;.*zeCommandListAppendLaunchKernel;-;jit_\[G\];work_100us_\[G\] 400000$" folded
  assert_equal "$(wc -l < folded)" 1
  grep -qx '# end samples 0 launches 4 lost 0' r
}

# ---- pyopencl ----------------------------------------------------------------------------------

# pyopencl_program: writes a program whose launching lines are marked, and puts the path of the
# interpreter that has pyopencl into $python
pyopencl_program() {
  local candidate
  python=
  for candidate in /usr/bin/python3 python3; do
    "$candidate" -c 'import pyopencl' 2> /dev/null && python=$candidate && break
  done
  [ -n "$python" ] || skip 'python3-pyopencl is not installed'
  # on PoCL
  unset OCL_ICD_VENDORS
  export POCL_CACHE_DIR=$BATS_FILE_TMPDIR/pocl
  mkdir -p "$POCL_CACHE_DIR"
  cat > train.py << 'END'
import pyopencl as cl

SOURCE = """
kernel void scale(global float *a) {
  float sum = a[get_global_id(0)];
  for (int i = 0; i < 2000; ++i) sum = sum * 0.999f + 1.0f;
  a[get_global_id(0)] = sum;
}"""

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
scale = cl.Program(context, SOURCE).build().scale
memory = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096 * 4)


class Model:
    def forward(self):
        scale(queue, (4096,), None, memory)  # in forward

    def backward(self):
        for size in (1024, 4096):
            scale(queue, (size,), None, memory)  # in backward


def train(model, steps):
    for _ in range(steps):
        model.forward()  # forward
        list(map(lambda f: f(), [model.backward]))  # backward
        queue.finish()


train(Model(), 20)  # train
END
}

# line_of MARKER: the number of its line in the program
line_of() { awk -v marker="# $1" 'substr($0, length($0) - length(marker) + 1) == marker { print FNR }' train.py; }

@test "a pyopencl program's stacks have its functions, with file and line" {
  local python
  pyopencl_program
  gpustall-record --source opencl-cpu -o r -- "$python" "$PWD/train.py" 2> err
  stackcollapse-aiflame --event gpu-time --hide-interpreter --full-paths --srcline r 2> err | stacks > folded
  local file=$PWD/train.py
  local top
  top=";py::<module>:$file:$(line_of train);py::train:$file"
  grep -qF "$top:$(line_of forward);py::Model.forward:$file:$(line_of 'in forward');" folded
  grep -qF "$top:$(line_of backward);" folded
  grep -qF ";py::train.<locals>.<lambda>:$file:$(line_of backward);py::Model.backward:$file:$(line_of 'in backward');" folded
  # nothing but these: every line has one of the two
  run ! grep -vE 'py::Model\.(forward|backward):/' folded
  run ! grep -E 'Eval|Vectorcall|PyObject_Call|;\[python3' folded
  # C functions between Python's stay
  grep -q 'clEnqueueNDRangeKernel;-;' folded
  # without lines, a function is one frame
  stackcollapse-aiflame --event gpu-time --hide-interpreter r > short 2> err
  grep -qE ';py::<module>:train.py;py::train:train.py;py::Model.forward:train.py;.*;-;' short
  assert_equal "$(sum_of short)" "$(sum_of folded)"
  # the same samples with the interpreter's frames
  stackcollapse-aiflame --event gpu-time r > whole 2> err
  grep -q ';_PyEval_EvalFrameDefault;' whole
  assert_equal "$(sum_of folded)" "$(sum_of whole)"
}

@test "samples of a pyopencl program are of its functions" {
  local python
  skip_unless_samples
  pyopencl_program
  gpustall-record --source opencl-cpu -o r -- "$python" "$PWD/train.py" 2> err
  stackcollapse-aiflame --hide-interpreter r > folded 2> err
  awk '{ n += $NF } /py::Model\.(forward|backward):/ { python += $NF }
    END { print n, python; exit !(n > 20 && python >= 0.9 * n) }' folded
}
