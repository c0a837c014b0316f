#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""strict_perf_events.py LOG COMMAND...: runs COMMAND, as root, on a stand-in for Debian's kernel with
kernel.perf_event_paranoid=3: perf_event_open(2) fails with EACCES in a thread that does not use
the machine's CAP_SYS_ADMIN at that moment, and the setting reads 3. LOG gets a line for each call: "refused COMM" or
"allowed COMM". Its exit status is COMMAND's.

A seccomp filter asks this process about each call, by seccomp_unotify(2)."""
import ctypes
import fcntl
import os
import select
import socket
import struct
import sys
import tempfile

SETTING = "/proc/sys/kernel/perf_event_paranoid"
CLONE_NEWNS, MS_REC, MS_PRIVATE, MS_BIND = 0x20000, 0x4000, 1 << 18, 0x1000
SECCOMP, SET_MODE_FILTER, NEW_LISTENER = 317, 1, 8  # x86-64
PERF_EVENT_OPEN = 298  # x86-64
ALLOW, ASK = 0x7FFF0000, 0x7FC00000
RECEIVE, ANSWER = 0xC0502100, 0xC0182101  # ioctl(2)s of the listener
CONTINUE = 1
EACCES = 13
CAP_SYS_ADMIN = 21

libc = ctypes.CDLL(None, use_errno=True)


class SockFprog(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def check(result, what):
    if result < 0:
        sys.exit(f"strict_perf_events.py: {what}: {os.strerror(ctypes.get_errno())}")
    return result


def show_setting():
    """In a mount namespace of COMMAND's own."""
    check(libc.unshare(CLONE_NEWNS), "unshare")
    check(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "mount /")
    with tempfile.NamedTemporaryFile(mode="w") as file:
        file.write("3\n")
        file.flush()
        os.chmod(file.name, 0o644)
        check(libc.mount(file.name.encode(), SETTING.encode(), None, MS_BIND, None), "mount " + SETTING)


def install_filter():
    # struct sock_filter { u16 code; u8 jt, jf; u32 k; }: load the call's number; if it is
    # perf_event_open, ask, else allow the call
    program = b"".join(
        struct.pack("HBBI", *line)
        for line in ((0x20, 0, 0, 0), (0x15, 0, 1, PERF_EVENT_OPEN), (0x06, 0, 0, ASK), (0x06, 0, 0, ALLOW))
    )
    code = ctypes.create_string_buffer(program, len(program))
    filter_ = SockFprog(len(program) // 8, ctypes.addressof(code))
    return check(libc.syscall(SECCOMP, SET_MODE_FILTER, NEW_LISTENER, ctypes.byref(filter_)), "seccomp")


def is_admin(tid):
    if os.readlink(f"/proc/{tid}/ns/user") != os.readlink("/proc/self/ns/user"):
        return False
    with open(f"/proc/{tid}/status") as status:
        for line in status:
            if line.startswith("CapEff:"):
                return int(line.split()[1], 16) >> CAP_SYS_ADMIN & 1
    return False


def answer_calls(listener, log):
    """Until no process has the filter any more."""
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    while not poll.poll()[0][1] & select.POLLHUP:
        # struct seccomp_notif { u64 id; u32 pid, flags; struct seccomp_data data; }
        call = bytearray(80)
        try:
            fcntl.ioctl(listener, RECEIVE, call)
            number, tid = struct.unpack_from("QI", call)
            allowed = is_admin(tid)
            with open(f"/proc/{tid}/comm") as comm:
                log.write(("allowed " if allowed else "refused ") + comm.read())
            log.flush()
            # struct seccomp_notif_resp { u64 id; s64 val; s32 error; u32 flags; }
            answer = (number, 0, 0, CONTINUE) if allowed else (number, 0, -EACCES, 0)
            fcntl.ioctl(listener, ANSWER, struct.pack("QqiI", *answer))
        except FileNotFoundError:
            pass  # the thread has ended


ours, theirs = socket.socketpair()
child = os.fork()
if child == 0:
    show_setting()
    socket.send_fds(theirs, [b"x"], [install_filter()])
    ours.close()
    theirs.close()
    os.execvp(sys.argv[2], sys.argv[2:])
theirs.close()
_, listeners, _, _ = socket.recv_fds(ours, 1, 1)
if listeners:
    with open(sys.argv[1], "w") as log_file:
        answer_calls(listeners[0], log_file)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
