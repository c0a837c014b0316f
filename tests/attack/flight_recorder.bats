# SPDX-License-Identifier: MIT
# The flight recorder under a storm of signals: its memory stays where it is, however many launches
# pass through the ring (ten million in `make soak`), and each part can be read alone.
load attack

# rss_of PID: kB
rss_of() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status" 2> /dev/null || true; }

@test "the ring's memory is flat, and parts at 100 random moments can be read alone" {
  local recorder signals=0 rss first='' most=0 part
  mkfifo whole
  python3 "$AIFLAME_ROOT/tests/recorded/launch_stream.py" "$(scale 5000 100000)" 100 | tee copy > whole &
  gpustall-record --source replay --input whole -o r --overwrite --ring 2M --switch-output 2> err &
  recorder=$!
  until [ -e r ]; do :; done # until then a signal would end the shell that becomes the recorder
  while rss=$(rss_of "$recorder") && [ -n "$rss" ]; do
    [ "$(grep -c dump err)" -lt 1 ] || first=${first:-$rss}
    if [ "$rss" -gt "$most" ]; then most=$rss; fi
    if [ "$signals" -lt 100 ]; then
      kill -USR2 "$recorder" 2> /dev/null || break
      signals=$((signals + 1))
    fi
    # random moments, which no event marks
    sleep "0.0$((RANDOM % 90 + 10))"
  done
  wait "$recorder"
  cat err
  echo "memory: $first kB after the first part, $most kB at most"
  is_sanitized || [ "$most" -le $((first + 8 * 1024)) ]
  for part in r.*; do
    stackcollapse-aiflame "$part" > /dev/null 2> fold.err
    run -1 grep 'cut short' fold.err
  done
  awk '/^# end/ { samples += $4; launches += $6 } END { print samples, launches }' r.* > parts
  sed -n 's/.*overwritten in the ring: \([0-9]*\) samples and \([0-9]*\) launches/\1 \2/p' err >> parts
  assert_equal "$(awk '{ s += $1; l += $2 } END { print s, l }' parts)" \
    "$(awk '/^# end/ { print $4, $6 }' copy)"
}
