#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""controls.py inputs: writes inputs of every kind into the working directory, each with every
control in every place where a text comes in, and prints `NAME COUNT`: the sum of its counts.
controls.py value: prints all controls in one text, for options, paths and the environment.
controls.py count: prints how many there are.
controls.py check FILE...: fails where a file has one of them, or is not UTF-8."""
import importlib.util
import os
import re
import sys

CONTROLS = {
    "escape": b"\x1b[2J", "bell": b"\x07", "backspace": b"\x08", "tab": b"\t", "return": b"\r", "feed": b"\x0b",
    "delete": b"\x7f", "csi": b"\xc2\x9b2J", "osc": b"\xc2\x9d", "nel": b"\xc2\x85",
    "lre": "\u202a".encode(), "rlo": "\u202e".encode(), "pdf": "\u202c".encode(),
    "lri": "\u2066".encode(), "rli": "\u2067".encode(), "pdi": "\u2069".encode(),
    "lrm": "\u200e".encode(), "rlm": "\u200f".encode(), "alm": "\u061c".encode(),
    "lines": "\u2028".encode(), "paragraphs": "\u2029".encode(), "zero": "\u200b".encode(),
    "joiner": "\u2060".encode(), "mark": "\ufeff".encode(), "noncharacter": b"\xef\xbf\xbe",
    "raw": b"\x9b2J", "byte": b"\xff", "overlong": b"\xc0\x9b", "surrogate": b"\xed\xa0\x80",
    "cut": b"\xe2\x80", "cut4": b"\xf0\x9f\x94", "beyond": b"\xf4\x90\x80\x80",
}
# What no output may have. Newlines end lines; joiners of emoji and of scripts are text.
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
                       "\ufff9-\ufffb\ufffe\uffff]")


def marked(name):
    return [(name.encode() + b"<" + kind.encode() + control + b">") for kind, control in CONTROLS.items()]


def script():
    out, count = [b"# captured on    : now" + b"".join(CONTROLS.values()) + b"\n"], 0

    def sample(comm=b"app", symbol=b"run", dso=b"/bin/app", event=b"cycles", argument=b""):
        return (comm + b" 7/8 [000]     1.000000: " + (b"       10 " if not argument else b"") + event + b": "
                + argument + b"\n\t      401000 " + symbol + b"+0x5 (" + dso + b")\n\t      402000 [unknown] ("
                + dso + b")\n\n")

    for place in ("comm", "symbol", "dso", "argument"):
        for text in marked(place):
            out.append(sample(**{place: text}))
            count += 1 if place == "argument" else 10
    return b"".join(out), count


def script_events():
    out = [b"app 7/8 [000]     1.000000:         10 cycles: \n\t      401000 run+0x5 (/bin/app)\n\n"]
    for text in marked("event"):
        text = text.replace(b"\t", b"").replace(b"\r", b"")
        out.append(b"app 7/8 [000]     1.000000:         10 " + text + b": \n\t      401000 run+0x5 (/bin/app)\n\n")
    return b"".join(out), 10


def script_mistakes():
    """Lines that fit nowhere, which messages name."""
    return b"".join(text + b"\n" for text in marked("what is this")), 0


def gpustall():
    head = [b"# gpustall 1\n\n"]
    for key in (b"host", b"command", b"clock", b"device 0"):
        head += [b"# " + key + b" : " + text + b"\n\n" for text in marked("header")]
    body, count, number = [], 0, 0
    places = ("comm", "kernel", "object", "function", "library", "python", "reason")
    for place in places:
        for text in marked(place):
            number += 1
            given = {name: name.encode() for name in places}
            given[place] = text
            g = {name.encode(): value for name, value in given.items()}
            body.append(b"# launch %d\n\n" % number)
            body.append(b"%(comm)s 7/8 [000]     1.000000000:          1 gpu-launch: \n"
                        b"\t    800000000a00 %(kernel)s+0x0 (/tmp/%(object)s)\n"
                        b"\t               0 py::%(python)s:/x.py:3 ([python])\n"
                        b"\t          401000 %(function)s+0x5 (/lib/%(library)s)\n\n" % g)
            body.append(b"%(comm)s 7/8 [000]     1.010000000:          3 gpu-stall: \n"
                        b"\t               0 %(reason)s ([stall])\n"
                        b"\t    800000000a30 %(kernel)s+0x30 (/tmp/%(object)s)\n\n" % g)
            count += 3
    end = b"# end samples %d launches 0 lost 0\n\n" % count
    return b"".join(head + [b"# slice 1.000000000 1.010000000\n\n"] + body + [end]), count


def folded():
    out, count = [], 0
    for place in ("root", "middle", "leaf", "kernel_[G]", "reason_[g]"):
        for text in marked(place):
            if "[" in place:
                text = text + b"_[G]" if "G" in place else text + b"_[g]"
            stack = {"root": text + b";a;b", "middle": b"a;" + text + b";b"}.get(place, b"a;-;k.cl_[G];" + text)
            # a line without controls comes first: it is kept in another way
            out.append(b"clean;" + place.encode() + b"_%d 1\n" % count + stack + b" 2\n")
            count += 3
    return b"".join(out), count


def folded_mistakes():
    return b"a;b 1\n" + b"".join(text + b"\n" for text in marked("no count")), 1


def attributes():
    return b"".join(b"a\ttitle=" + text.replace(b"\t", b"") + b"\n" for text in marked("title")), 0


def perf_data():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../recorded/perf_data.py")
    spec = importlib.util.spec_from_file_location("perf_data", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)

    def text(string, pad=8):
        data = (string if isinstance(string, bytes) else string.encode()) + b"\0"
        return data + b"\0" * (-len(data) % pad)

    made.text = text
    data, count, at = [], 0, 0
    for number, name in enumerate(marked("comm")):
        data += [made.comm(name, pid=100 + number),
                 made.sample([made.CONTEXT_KERNEL, 0xFFFFFFFF90000000], pid=100 + number)]
        count += 10
    for name in marked("ksymbol"):
        at += 0x1000
        data += [made.ksymbol(name, made.MAIN + at), made.sample([made.CONTEXT_KERNEL, made.MAIN + at + 8])]
        count += 10
    for name in marked("/dso"):
        at += 0x1000
        data += [made.mmap2(name, at, 0x1000), made.user_sample(at + 8, 100)]
        count += 1
    data.append(made.mmap2(b"[kernel.kallsyms]_text" + CONTROLS["escape"], made.MAIN, 0x1000, pid=-1, misc=1))
    return made.in_file([made.attribute(made.USUAL)], b"".join(data)), count


INPUTS = {"script.txt": script, "events.txt": script_events, "mistakes.txt": script_mistakes,
          "recording.gpustall": gpustall, "stacks.folded": folded, "mistakes.folded": folded_mistakes,
          "names.tab": attributes, "perf.data": perf_data}


def check(paths):
    found = 0
    for path in paths:
        data = open(path, "rb").read()
        try:
            text = data.decode()
            bad = FORBIDDEN.search(text)
            near = bad and text[max(0, bad.start() - 40):bad.end() + 20]
        except UnicodeDecodeError as error:
            bad, near = True, data[max(0, error.start - 40):error.end + 20]
        if bad:
            found += 1
            print(f"{path}: {near!a}", file=sys.stderr)
    return 1 if found else 0


def main():
    if sys.argv[1] == "inputs":
        for name, make in INPUTS.items():
            data, count = make()
            with open(name, "wb") as out:
                out.write(data)
            print(name, count)
        return 0
    if sys.argv[1] == "value":
        sys.stdout.buffer.write(b"v" + b"_".join(CONTROLS.values()))
        return 0
    if sys.argv[1] == "count":
        print(len(CONTROLS))
        return 0
    return check(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
