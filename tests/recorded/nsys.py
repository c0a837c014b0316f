#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes SQLite files as Nsight Systems exports them, by hand: nsys.py CASE FILE.

Tables and columns have the names and types of schema 3.25 (a genuine export is in ../shared/data/nsys,
and has no call chains, graphs and CPU samples). nsys.py list prints the cases."""
import sqlite3
import sys

PID = [281474976710656 + (n << 24) for n in (111, 112)]
TABLES = """
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL,
  correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL,
  shortName INTEGER NOT NULL, mangledName INTEGER, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,
  eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL,
  returnValue INTEGER NOT NULL, callchainId INTEGER);
"""
NVTX = """CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,
  text TEXT, globalTid INTEGER, textId INTEGER, domainId INTEGER);"""
CHAIN = """CREATE TABLE %s (id INTEGER NOT NULL, symbol INTEGER, module INTEGER, kernelMode INTEGER,
  thumbCode INTEGER, unresolved INTEGER, specialEntry INTEGER, originalIP INTEGER,
  unwindMethod INTEGER, stackDepth INTEGER NOT NULL);"""
STRINGS = {
    1: "gemm", 2: "void gemm<(int)4>(float *)", 3: "_Z4gemmILi4EEvPf", 4: "cudaLaunchKernel_v7000",
    5: "cudaMemcpyAsync_v3020", 6: "cudaGraphLaunch_v10000", 7: "main", 8: "run(float*)",
    9: "/usr/bin/app", 10: "0x7f12ab", 11: "/usr/lib/libtorch.so", 12: "step", 13: "/src/train.py",
    14: "registered; range", 15: "do_syscall_64", 16: "[kernel.kallsyms]"}


def base(db):
    db.executescript(TABLES)
    db.executemany("INSERT INTO StringIds VALUES (?, ?)", STRINGS.items())
    db.executemany("INSERT INTO PROCESSES VALUES (?, ?, ?)",
                   [(PID[0], 111, "/usr/bin/python3"), (PID[1], 112, "my app")])


def kernel(db, start, end, correlation, process=PID[0], node=None, device=0):
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,?,1,7,?,?,2,1,3,?)",
               (start, end, device, correlation, process, node))


def call(db, start, correlation, name=4, process=PID[0], thread=5, chain=0):
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,0,?,?,?,0,?)",
               (start, start + 5, process + thread, correlation, name, chain))


def nvtx(db, start, end, text, kind=59, thread=5, process=PID[0], text_id=None):
    db.execute("INSERT INTO NVTX_EVENTS VALUES (?,?,?,?,?,?,0)",
               (start, end, kind, text, process + thread, text_id))


def chain(db, table, number, frames, order=1):
    for depth, (symbol, module) in list(enumerate(frames))[::order]:
        db.execute(f"INSERT INTO {table} VALUES (?,?,?,0,0,NULL,NULL,1,1,?)",
                   (number, symbol, module, depth))


def whole(db):
    """Two processes with the same correlation ids, ranges of all kinds, copies, fills, a call chain."""
    base(db)
    db.executescript(NVTX + CHAIN % "CUDA_CALLCHAINS" + """
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,
  streamId INTEGER, correlationId INTEGER, globalPid INTEGER, copyKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER,
  streamId INTEGER, correlationId INTEGER, globalPid INTEGER);""")
    nvtx(db, 0, 1000, "step 1")
    nvtx(db, 100, 200, "aten::mm, seq = 12, op_id = 3, sizes = [[4, 4]]")
    nvtx(db, 100, 120, "FSDP::pre_forward (layer), op_id = 7")
    nvtx(db, 150, None, "never closed", kind=60)
    nvtx(db, 400, 500, None, text_id=14)
    nvtx(db, 110, 110, "a mark", kind=34)
    nvtx(db, 0, 1000, "another thread", thread=6)
    call(db, 110, 1)
    call(db, 170, 2, chain=40)
    call(db, 450, 3, name=5)
    call(db, 110, 1, process=PID[1])
    chain(db, "CUDA_CALLCHAINS", 39, [(1, 9)])
    chain(db, "CUDA_CALLCHAINS", 40, [(10, 11), (8, 9), (12, 13), (7, 9)])
    kernel(db, 300, 340, 1)
    kernel(db, 340, 440, 2)
    kernel(db, 300, 1300, 1, PID[1], device=1)
    kernel(db, 500, 507, 99)
    kernel(db, 500, 509, None, None)
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (600, 650, 0, 7, 3, ?, 1)", (PID[0],))
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (700, 703, 0, 7, 98, ?)", (PID[0],))


def graphs(db):
    """A graph whose nodes are traced, captured in a range, and one that is traced as a whole."""
    base(db)
    db.executescript(NVTX + """
CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start INTEGER, end INTEGER, nameId INTEGER, eventClass INTEGER,
  globalTid INTEGER, graphNodeId INTEGER, originalGraphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER,
  graphId INTEGER, graphExecId INTEGER, correlationId INTEGER, globalPid INTEGER, streamId INTEGER);""")
    nvtx(db, 0, 100, "capture")
    nvtx(db, 200, 300, "replay")
    for node in [(50, 7, None), (120, 8, 7)]:
        db.execute("INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (?,?,1,1,?,?,?)",
                   (node[0], node[0], PID[0] + 5, node[1], node[2]))
    call(db, 250, 1, name=6)
    call(db, 350, 2, name=6)
    kernel(db, 260, 270, 1, node=8)
    kernel(db, 270, 290, 1, node=9)
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (360,400,0,3,4,2,?,7)", (PID[0],))


def samples(db):
    """CPU samples; chains in no order."""
    base(db)
    db.executescript(NVTX + CHAIN % "SAMPLING_CALLCHAINS" + """
CREATE TABLE COMPOSITE_EVENTS (id INTEGER NOT NULL PRIMARY KEY, start INTEGER NOT NULL, cpu INTEGER,
  threadState INTEGER, globalTid INTEGER NOT NULL, cpuCycles INTEGER);""")
    nvtx(db, 0, 100, "load")
    for number, time in [(1, 50), (2, 150), (3, 160)]:
        db.execute("INSERT INTO COMPOSITE_EVENTS VALUES (?,?,0,0,?,1)", (number, time, PID[0] + 5))
    chain(db, "SAMPLING_CALLCHAINS", 2, [(15, 16), (7, 9)], order=-1)
    chain(db, "SAMPLING_CALLCHAINS", 1, [(8, 9), (7, 9)])


def idle(db):
    """A gap of each kind: a drained device, a range, nothing, a late launch, a capture that runs later."""
    base(db)
    db.executescript(NVTX)
    db.executemany("INSERT INTO StringIds VALUES (?, ?)",
                   [(20, "cudaStreamSynchronize_v3020"), (21, "cudaStreamBeginCapture_v10000"),
                    (22, "cudaStreamEndCapture_v10000"), (23, "ncclDevKernel_AllReduce_RING_LL")])
    nvtx(db, 0, 250, "step", thread=111)
    nvtx(db, 220, 240, "load", thread=111)
    call(db, 10, 1, thread=111)
    kernel(db, 20, 100, 1)
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (50,110,0,?,2,20,0,0)", (PID[0] + 111,))
    call(db, 130, 3, thread=111)
    kernel(db, 140, 200, 3)
    # another thread launches; its main thread is in two ranges, then in none
    call(db, 290, 4)
    kernel(db, 300, 350, 4)
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (320,400,0,1,9,5,?,23,23,23,NULL)", (PID[0],))
    call(db, 310, 5)
    # what is captured does not run, and what is launched last has not run yet
    call(db, 410, 6, name=21)
    call(db, 420, 7)
    call(db, 430, 8, name=22)
    call(db, 440, 9)


def idle_samples(db):
    """The same with CPU samples: within a range and behind it."""
    idle(db)
    db.executescript(CHAIN % "SAMPLING_CALLCHAINS" + """
CREATE TABLE COMPOSITE_EVENTS (id INTEGER NOT NULL PRIMARY KEY, start INTEGER NOT NULL, cpu INTEGER,
  threadState INTEGER, globalTid INTEGER NOT NULL, cpuCycles INTEGER);""")
    for number, time in [(1, 134), (2, 215), (3, 260), (4, 270)]:
        db.execute("INSERT INTO COMPOSITE_EVENTS VALUES (?,?,0,0,?,1)", (number, time, PID[0] + 111))
    for number in (1, 2, 3, 4):
        chain(db, "SAMPLING_CALLCHAINS", number, [(8, 9), (7, 9)])


def lost(db):
    """The same with launches whose kernels are not recorded."""
    idle(db)
    for number in range(20, 24):
        call(db, 40 + number, number, thread=7)


def kernels_alone(db):
    """An old or small export: no ranges, no calls."""
    base(db)
    db.execute("DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME")
    kernel(db, 10, 30, 1)


def no_end(db):
    db.executescript("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, finish INTEGER);")


def wrong_type(db):
    base(db)
    kernel(db, "soon", 30, 1)


def view(db):
    """A view that never ends, in place of the table."""
    db.executescript("""CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS
  WITH RECURSIVE n(start, end) AS (SELECT 1, 2 UNION ALL SELECT start + 1, end + 1 FROM n)
  SELECT * FROM n;""")


def generated(db):
    """A column that is an expression is not read."""
    db.executescript("""CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER,
  end INTEGER AS (length(hex(zeroblob(100000000)))));
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1);""")


def backwards(db):
    base(db)
    kernel(db, 30, 10, 1)
    kernel(db, 30, 31, 1)


def large(db):
    """Enough rows for many pages."""
    whole(db)
    for i in range(2000):
        call(db, 2000 + 10 * i, 1000 + i)
        nvtx(db, 2000 + 10 * i, 2007 + 10 * i, f"aten::add, op_id = {i}")
        kernel(db, 3000 + 10 * i, 3007 + 10 * i, 1000 + i)


CASES = {case.__name__: case for case in (whole, graphs, samples, idle, idle_samples, lost, kernels_alone, no_end, wrong_type,
                                          view, generated, backwards, large)}


def main():
    if sys.argv[1:] == ["list"]:
        print("\n".join(CASES))
        return
    with sqlite3.connect(sys.argv[2]) as db:
        CASES[sys.argv[1]](db)
    db.close()


main()
