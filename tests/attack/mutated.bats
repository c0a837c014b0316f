# SPDX-License-Identifier: MIT
# Damaged inputs of each kind, in number: see mutated.py. The fuzzers look inside of the readers; this
# runs the programs themselves, with their threads, children and messages.
load attack

# mutated KIND SHORT LONG
mutated() {
  python3 "$AIFLAME_ROOT/tests/attack/mutated.py" "$1" "${SEED:-1}" "$(scale "$2" "$3")"
}

@test "mutated perf.data" { mutated perf_data 60 20000; }
@test "mutated objects" { mutated object 30 10000; }
@test "mutated code" { mutated code 20 10000; }
@test "mutated cubins" { mutated cubin 20 10000; }
@test "mutated code and perf.data, annotated" { mutated annotated 40 20000; }
@test "mutated recordings" { mutated recording 40 10000; }
@test "mutated perf script text" { mutated script 40 10000; }
@test "mutated folded stacks" { mutated folded 40 10000; }
@test "mutated jitdumps" { mutated jitdump 40 10000; }
