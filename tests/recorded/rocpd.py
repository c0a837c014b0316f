#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes SQLite files as rocprofv3 writes them (rocpd), by hand: rocpd.py CASE FILE.

Tables and columns are those of schema 3.0 (ROCm 7.0 and 7.1); `tracks` has those of 4.1, where threads,
queues and streams have moved into rocpd_track. rocpd.py list prints the cases."""
import sqlite3
import sys

STRINGS = ["hipLaunchKernel", "hipMemcpy", "roctxThreadRangeA", "MEMORY_COPY_HOST_TO_DEVICE", "HIP_RUNTIME_API_EXT",
           "KERNEL_DISPATCH", "MARKER_CORE_RANGE_API", "MEMORY_COPY"]


def tables(db, u, tracks):
    on = "track_id INTEGER" if tracks else "nid INTEGER, pid INTEGER, tid INTEGER"
    where = "" if tracks else ", agent_id INTEGER, queue_id INTEGER, stream_id INTEGER"
    copy = "" if tracks else ", queue_id INTEGER, stream_id INTEGER"
    db.executescript(f"""
CREATE TABLE rocpd_metadata{u} (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
CREATE TABLE rocpd_string{u} (id INTEGER PRIMARY KEY, guid TEXT, string TEXT);
CREATE TABLE rocpd_info_process{u} (id INTEGER PRIMARY KEY, pid INTEGER, command TEXT, environment TEXT);
CREATE TABLE rocpd_info_thread{u} (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, name TEXT);
CREATE TABLE rocpd_info_agent{u} (id INTEGER PRIMARY KEY, type TEXT, absolute_index INTEGER, type_index INTEGER);
CREATE TABLE rocpd_info_kernel_symbol{u} (id INTEGER PRIMARY KEY, kernel_name TEXT, display_name TEXT,
  code_object_id INTEGER);
CREATE TABLE rocpd_event{u} (id INTEGER PRIMARY KEY, category_id INTEGER, stack_id INTEGER,
  parent_stack_id INTEGER, correlation_id INTEGER, call_stack TEXT, line_info TEXT, extdata TEXT);
CREATE TABLE rocpd_track{u} (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER,
  queue_id INTEGER, stream_id INTEGER);
CREATE TABLE rocpd_region{u} (id INTEGER PRIMARY KEY, {on}, start BIGINT, "end" BIGINT, name_id INTEGER,
  event_id INTEGER);
CREATE TABLE rocpd_kernel_dispatch{u} (id INTEGER PRIMARY KEY, {on}{where}, kernel_id INTEGER,
  dispatch_id INTEGER, start BIGINT, "end" BIGINT, event_id INTEGER);
CREATE TABLE rocpd_memory_copy{u} (id INTEGER PRIMARY KEY, {on}{copy}, start BIGINT, "end" BIGINT, name_id INTEGER,
  size BIGINT, src_agent_id INTEGER, dst_agent_id INTEGER, event_id INTEGER);""")


class Recording:
    def __init__(self, db, u, pid, tracks=False):
        self.db, self.u, self.pid, self.tracks, self.events = db, u, pid, tracks, 0
        tables(db, u, tracks)
        self.add("metadata", 1, "schema_version", "4.1.0" if tracks else "3")
        for number, text in enumerate(STRINGS, 1):
            self.add("string", number, "g", text)
        self.add("info_process", pid, pid, f"/opt/run{pid} --secret x", "SECRET=must never be shown")
        self.add("info_thread", 1, pid, 4711, "main")
        self.add("info_agent", 1, "CPU", 0, 0)
        self.add("info_agent", 2, "GPU", 1, 0)
        self.add("info_kernel_symbol", 10, "_Z3addPf.kd", "void add<float>(float*)", 1)
        self.add("info_kernel_symbol", 11, "plain.kd", None, 1)
        self.add("track", 1, 1, pid, 1, 2, 3, 5)

    def add(self, table, *values):
        self.db.execute(f"INSERT INTO rocpd_{table}{self.u} VALUES ({','.join('?' * len(values))})", values)

    # correlation ids are 0, as rocprofv3 writes them: only stack ids join
    def event(self, category, stack, extdata="{}"):
        self.events += 1
        self.add("event", self.events, category, stack, 0, 0, "{}", "{}", extdata)
        return self.events

    def on(self):
        return [1] if self.tracks else [1, self.pid, 1]

    def region(self, number, name, start, end, category, stack, extdata="{}"):
        self.add("region", number, *self.on(), start, end, name, self.event(category, stack, extdata))

    def dispatch(self, number, kernel, start, end, stack):
        where = [] if self.tracks else [2, 3, 5]
        self.add("kernel_dispatch", number, *self.on(), *where, kernel, number, start, end, self.event(6, stack))

    def copy(self, number, start, end, stack):
        where = [] if self.tracks else [3, 5]
        self.add("memory_copy", number, *self.on(), *where, start, end, 4, 4096, 1, 2, self.event(8, stack))

    def fill(self):
        self.region(1, 3, 50, 400, 7, 1, '{"message": "forward \\"a\\""}')
        self.region(2, 1, 100, 150, 5, 7)
        self.region(3, 2, 160, 300, 5, 8)
        self.region(4, 1, 500, 510, 5, 9)
        self.dispatch(1, 10, 200, 1200, 7)
        self.dispatch(2, 11, 1300, 1330, 9)
        self.dispatch(3, 11, 1400, 1404, 77)  # its launch is not there
        self.copy(1, 170, 290, 8)


def whole(db):
    Recording(db, "_00000a1b", 123).fill()


def tracks(db):
    Recording(db, "_00000a1b", 123, tracks=True).fill()


def merged(db):
    for u, pid in ("_00000a1b", 123), ("_00000a1c", 124):
        Recording(db, u, pid).fill()


def samples(db):
    Recording(db, "_00000a1b", 123).fill()
    db.execute("CREATE TABLE rocpd_gpu_pc_sample_00000a1b (id INTEGER)")


def other(db):
    db.execute("CREATE TABLE StringIds (id INTEGER)")


def large(db):
    one = Recording(db, "_00000a1b", 123)
    for i in range(1, 20001):
        one.region(i, 1, 100 * i, 100 * i + 20, 5, i)
        one.dispatch(i, 10, 100 * i + 30, 100 * i + 30 + i % 50, i)


CASES = {f.__name__: f for f in (whole, tracks, merged, samples, other, large)}
if __name__ == "__main__":
    if sys.argv[1] == "list":
        print(*CASES)
    else:
        connection = sqlite3.connect(sys.argv[2])
        CASES[sys.argv[1]](connection)
        connection.commit()
