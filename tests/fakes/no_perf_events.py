#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""no_perf_events.py COMMAND...: runs COMMAND where perf_event_open(2) fails with EACCES, as it does
for ordinary users under kernel.perf_event_paranoid=3 and in most containers: a seccomp filter."""
import ctypes
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
PERF_EVENT_OPEN = 298  # x86-64
EACCES = 13
# struct sock_filter { u16 code; u8 jt, jf; u32 k; }: load the call's number; if it is
# perf_event_open, return the error, else allow the call
program = b"".join(
    struct.pack("HBBI", *line)
    for line in (
        (0x20, 0, 0, 0),
        (0x15, 0, 1, PERF_EVENT_OPEN),
        (0x06, 0, 0, 0x00050000 | EACCES),
        (0x06, 0, 0, 0x7FFF0000),
    )
)
code = ctypes.create_string_buffer(program, len(program))


class SockFprog(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


libc = ctypes.CDLL(None, use_errno=True)
prog = SockFprog(len(program) // 8, ctypes.addressof(code))
if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
    PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(prog), 0, 0
):
    sys.exit("no_perf_events.py: " + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[1], sys.argv[1:])
