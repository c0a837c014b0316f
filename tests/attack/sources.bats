# SPDX-License-Identifier: MIT
# Debug information that names files which are no sources: aiflame-annotate prints none of them,
# because its pages are made to be shared.
# shellcheck disable=SC2154 # Bats sets stderr
load attack

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  skip_without gcc
  mkdir work secret
  echo 'int secret_line;' > secret/s.c
  echo 'int own_line;' > work/own.c
  cd work || return
  ln -s ../secret/s.c link.c
  export SECRET=secret_variable
  # each function is said to be the first line of another file
  local name number=0
  for name in /proc/self/environ /proc/self/cwd/own.c /sys/kernel/uevent_helper /dev/zero /etc/passwd \
    "$BATS_TEST_TMPDIR/secret/s.c" ../secret/s.c ../../../../../../etc/passwd link.c own.c; do
    printf '# 1 "%s"\nint k%d(int a) { return a * 3; }\n' "$name" $((number++))
  done > k.c
  gcc -g -O1 -shared -o k.so k.c
  nm k.so | awk -v object="$PWD/k.so" '
    BEGIN { print "# gpustall 1\n# launch ?\n\n# app 7/7 [000]  1.000000000: PERF_RECORD_MMAP2 7/7: " \
      "[0x1000(0x1000) @ 0x1000 00:00 0 0]: r-xp " object "\n" }
    $3 ~ /^k[0-9]+$/ {
      ++count
      print "app 7/7 [000]  1.010000000: 10 gpu-stall: \n\t 0 wait ([stall])\n\t " $1 " " $3 "+0x0 (" object ")\n"
    }
    END { print "# end samples " 10 * count " launches 0 lost 0\n" }' > recording
}

@test "debug information cannot make a listing of any file" {
  local option
  for option in --all --line --json --html=-; do
    aiflame-annotate "$option" recording > out 2> err
    run -1 grep -aE 'secret_line|secret_variable|root:' out
  done
  # a prefix makes nothing of the kernel's a source
  aiflame-annotate --source-prefix / --all recording > out 2> err
  run -1 grep -a secret_variable out
  grep -q secret_line out
  # nor does the root directory, when it is the current one
  local here=$PWD
  cd /
  aiflame-annotate --all "$here/recording" > "$here/out" 2> "$here/err"
  cd "$here"
  run -1 grep -aE 'secret_line|root:' out
}

@test "sources below the current directory and below --source-prefix are shown, others told" {
  run -0 --separate-stderr aiflame-annotate --all recording
  assert_equal "$(grep -c own_line <<< "$output")" 2 # by its name, and by one that leads to it
  assert_equal "$(grep -c 'source outside' <<< "$stderr")" 1
  grep -qxF "aiflame-annotate: warning: source outside: '/etc/passwd' and 1 more were not read; \
--source-prefix '/etc' reads most" <<< "$stderr"
  aiflame-annotate --all --source-prefix ../secret recording > out 2> err
  # by its own name, from below, and by the link
  assert_equal "$(grep -c secret_line out)" 3
  run -1 grep -a root: out
}
