# SPDX-License-Identifier: MIT
# Stalls of an Intel GPU, as both of their sources are to record them: `load stalls`.
# shellcheck shell=bash disable=SC2034 # of the tests that load it

# samples [FILE]: the sum of the samples written
samples() { awk '$6 == "gpu-stall:" { n += $5 } END { print n + 0 }' "${1:-r}"; }

# stalls [FILE]: DEVICE ADDRESS REASON COUNT, sorted
stalls() {
  awk '$6 == "gpu-stall:" { device = $3; count = $5; getline; reason = $2; getline
    n[device " " $1 " " reason] += count }
    END { for (key in n) print key, n[key] }' "${1:-r}" | sort
}

# Records for a fake's script: each reason of Xe2, of two samplers, in two reads; and the stalls
# that they are, 565 samples.
xe2_records=('row 0 0x12345678 tdr=1 other=2 control=3 pipestall=4 send=5'
  'row 1 0x12345678 dist_acc=6 sbid=7 sync=8 inst_fetch=9 active=10'
  'row 0 0xfffffff8 sbid=255' tick 'row 0 0x12345678 active=255')
xe2_stalls='[000] 12345678 active 265
[000] 12345678 control 3
[000] 12345678 dist_acc 6
[000] 12345678 inst_fetch 9
[000] 12345678 other 2
[000] 12345678 pipestall 4
[000] 12345678 sbid 7
[000] 12345678 send 5
[000] 12345678 sync 8
[000] 12345678 tdr 1
[000] fffffff8 sbid 255'
