#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Inputs of the programs stackcollapse-SOURCE for make bench, and Python's own reading of them.

trace_inputs.py make FILE.sqlite|FILE.json|FILE.csv KERNELS
trace_inputs.py sum FILE       the kernels' time by name, with what Python itself has for the format
"""
import csv
import json
import sqlite3
import sys

PROCESS = 281474976710656 + (111 << 24)


def make_sqlite(path, kernels):
    """Nsight Systems: two calls and four ranges for each kernel, on four threads."""
    db = sqlite3.connect(path)
    db.executescript("""PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, mangledName INTEGER, gridX INTEGER, gridY INTEGER,
  gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, localMemoryTotal INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER);""")
    db.executemany("INSERT INTO StringIds VALUES (?, ?)",
                   [(i, f"_Z4gemmILi{i}EEvPf") for i in range(200)] +
                   [(1000, "cudaLaunchKernel_v7000"), (1001, "cudaEventRecord_v3020")])
    db.execute("INSERT INTO PROCESSES VALUES (?, 111, 'python3')", (PROCESS,))
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,0,7,?,?,?,32,50,1,128,1,1,250871808)",
                   ((100 * i + 50000, 100 * i + 50090, 2 * i, PROCESS, i % 200) for i in range(kernels)))
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,0,?,?,?,0)",
                   ((50 * i, 50 * i + 20, PROCESS + 5 + i % 4, i, 1000 + i % 2)
                    for i in range(2 * kernels)))
    db.executemany("INSERT INTO NVTX_EVENTS VALUES (?,?,59,?,?)",
                   ((25 * i - 5, 25 * i + 24 + i % 7 * 60, f"aten::op_{i % 50}, op_id = {i}",
                     PROCESS + 5 + i % 4) for i in range(4 * kernels)))
    db.commit()


def make_json(path, kernels):
    """rocprofv3: a dispatch and a call of HIP for each kernel."""
    call = ('{"size":88,"kind":2,"operation":0,"correlation_id":{"internal":%d,"external":0},'
            '"start_timestamp":%d,"end_timestamp":%d,"thread_id":908}')
    dispatch = ('{"size":184,"kind":11,"operation":2,"thread_id":908,"correlation_id":{"internal":%d,'
                '"external":0},"start_timestamp":%d,"end_timestamp":%d,"dispatch_info":{"size":72,'
                '"agent_id":{"handle":37946},"queue_id":{"handle":16},"kernel_id":%d,"dispatch_id":%d,'
                '"private_segment_size":0,"group_segment_size":0,"workgroup_size":{"x":512,"y":1,"z":1},'
                '"grid_size":{"x":512,"y":1,"z":1}},"stream_id":{"handle":0}}')
    symbols = [{"kernel_id": i, "kernel_name": f"_Z4gemmILi{i}EEvPf.kd"} for i in range(200)]
    names = [{"kind": "NONE", "operations": []}] * 2 + [{"kind": "HIP", "operations": ["hipLaunchKernel"]}]
    with open(path, "w", encoding="ascii") as out:
        out.write('{"rocprofiler-sdk-tool":[{"strings":{"buffer_records":%s},"kernel_symbols":%s,'
                  '"buffer_records":{"kernel_dispatch":[' % (json.dumps(names), json.dumps(symbols)))
        out.write(",".join(dispatch % (i, 100 * i, 100 * i + 90, i % 200, i) for i in range(kernels)))
        out.write('],"hip_api":[')
        out.write(",".join(call % (i, 50 * i, 50 * i + 9) for i in range(kernels)))
        out.write("]}}]}")


def make_csv(path, kernels):
    """rocprofv3: a kernel trace."""
    with open(path, "w", encoding="ascii") as out:
        out.write('"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id",'
                  '"Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","LDS_Block_Size",'
                  '"Workgroup_Size_X","Grid_Size_X"\n')
        for i in range(kernels):
            out.write(f'"KERNEL_DISPATCH","Agent 4",1,1,834304,{i},{i % 200},"void gemm<{i % 200}>'
                      f'(float*, float const*)",{i},{100 * i},{100 * i + 90},0,64,1024\n')


def sum_sqlite(path):
    db = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    calls = {(thread & ~0xffffff, call): name for thread, call, name in
             db.execute("SELECT globalTid, correlationId, nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME")}
    for start, end, process, call, name in db.execute(
            "SELECT start, end, globalPid, correlationId, mangledName FROM CUPTI_ACTIVITY_KIND_KERNEL"):
        yield (calls.get((process, call)), name), end - start


def sum_json(path):
    with open(path, "rb") as file:
        for process in json.load(file)["rocprofiler-sdk-tool"]:
            for one in process["buffer_records"]["kernel_dispatch"]:
                yield one["dispatch_info"]["kernel_id"], one["end_timestamp"] - one["start_timestamp"]


def sum_csv(path):
    with open(path, newline="", encoding="ascii") as file:
        for row in csv.DictReader(file):
            yield row["Kernel_Name"], int(row["End_Timestamp"]) - int(row["Start_Timestamp"])


def main():
    kind = sys.argv[2].rsplit(".", 1)[1]
    if sys.argv[1] == "make":
        {"sqlite": make_sqlite, "json": make_json, "csv": make_csv}[kind](sys.argv[2], int(sys.argv[3]))
        return
    sums = {}
    for key, time in {"sqlite": sum_sqlite, "json": sum_json, "csv": sum_csv}[kind](sys.argv[2]):
        sums[key] = sums.get(key, 0) + time
    print(len(sums), sum(sums.values()))


main()
