#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""python_frames.py [--some] RECORDING EXPECTED: checks that the Python functions in the launches' stacks of
a gpustall(5) recording are those that tests/demo/python_launches.py says it launched from, line by
line, and as often. With --some, stacks may be without Python functions, and their number is printed
too. Prints how many stacks and launches there were; differences go to standard error, with status
1."""
import collections
import re
import sys


def expected_stacks(path):
    """Maps frames joined by ';', outermost first, to their number of launches."""
    out = collections.Counter()
    with open(path, encoding="ascii") as lines:
        for line in lines:
            count, frames = line.rstrip("\n").split(" ", 1)
            out[frames.encode("ascii").decode("unicode_escape")] += int(count)
    return out


def recorded_stacks(path):
    stacks, launches = {}, collections.Counter()
    number, frames = None, None
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            if match := re.match(r"# launch (\d+)$", line):
                number = int(match[1])
            elif match := re.match(r"# launched (\d+) (\d+) ", line):
                launches[int(match[1])] += int(match[2])
            elif line.endswith(" gpu-launch: \n"):
                frames = stacks[number] = []
            elif line.endswith(" gpu-call: \n"):
                frames = []  # launches nothing
            elif match := re.match(r"\t +0 py::(.*) \(\[python\]\)$", line):
                frames.append(match[1])
    out = collections.Counter()
    for number, frames in stacks.items():
        out[";".join(reversed(frames))] += launches[number]
    return out


def main():
    arguments = sys.argv[1:]
    some = arguments[0] == "--some"
    recorded, expected = (read(path) for read, path in
                          zip((recorded_stacks, expected_stacks), arguments[some:]))
    lacking = recorded.pop("", 0) if some else 0
    print("%d stacks, %d launches" % (len(recorded), sum(recorded.values())) +
          (", %d without" % lacking if some else ""))
    wrong = sum(recorded.values()) + lacking != sum(expected.values())
    for frames in sorted(set(recorded) | set(expected)):
        if recorded[frames] > expected[frames] or (recorded[frames] < expected[frames] and not some):
            wrong = True
            print("recorded %d, expected %d: %.600s" % (recorded[frames], expected[frames],
                                                        ascii(frames)), file=sys.stderr)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
