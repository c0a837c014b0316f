# SPDX-License-Identifier: MIT
# Text that nobody would write: random bytes where folded stacks are expected.
load attack

# random_stacks SEED: folded stacks whose frames are random bytes, the same for the same seed.
random_stacks() {
  python3 - "$1" << 'END'
import random, sys
random.seed(int(sys.argv[1]))
sys.stdout.buffer.write(b"%064d 1\n" % 0)  # a NUL among the first 64 bytes is refused
for _ in range(200):
    frames = (bytes(random.choice(range(256)) for _ in range(random.randrange(1, 40))) for _ in range(5))
    stack = b";".join(frame.replace(b"\n", b"") for frame in frames)
    sys.stdout.buffer.write(stack + b" %d\n" % random.randrange(1, 1000))
END
}

@test "random bytes as names: aiflame-svg draws a well-formed picture, without controls" {
  for seed in $(seq "$(scale 20 2000)"); do
    random_stacks "$seed" > stacks
    aiflame-svg stacks > out.svg 2> messages
    python3 -c 'import xml.dom.minidom as m; m.parse("out.svg")'
    run -1 grep -aPc '[\x00-\x08\x0b-\x1f\x7f]' messages
  done
}
