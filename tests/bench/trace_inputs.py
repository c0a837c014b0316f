#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Inputs of the programs stackcollapse-SOURCE for make bench, and Python's own reading of them.

trace_inputs.py make PROGRAM FILE KERNELS
trace_inputs.py sum PROGRAM FILE   the weights by name, with what Python itself has for the format

PROGRAM is nsys, rocprof-json, rocprof-csv, ncu, unitrace, iaprof or proton. What has stalls has
them for 100 instructions of each hundredth kernel.
"""
import csv
import itertools
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


NCU_REASONS = ("barrier", "branch", "dispatch", "drain", "imc", "lg", "long_sb", "math", "membar", "mio",
               "misc", "no_inst", "not_selected", "selected", "short_sb", "sleep", "tex", "wait")


def make_ncu(path, kernels):
    """Nsight Compute's source page: a table for each kernel."""
    columns = ["Address", "Source", "Warp Stall Sampling (All Cycles)", "Instructions Executed"]
    columns += ["stall_" + reason for reason in NCU_REASONS]
    with open(path, "w", encoding="ascii") as out:
        for kernel in range(kernels // 100):
            out.write(f'"Kernel Name","void gemm<{kernel}>(float *, const float *)",\n')
            out.write(",".join(f'"{column}"' for column in columns) + "\n")
            for i in range(100):
                out.write(f'"{16 * i}","      FFMA R{i}, R2, R3, R4","19","32"' + ',"1"' * 17 + ',"2"\n')


def make_unitrace(path, kernels):
    header = ("Kernel, IP[Address], Active[Events], ControlStall[Events], PipeStall[Events], SendStall[Events], "
              "DistStall[Events], SbidStall[Events], SyncStall[Events], InstrFetchStall[Events], "
              "OtherStall[Events]")
    with open(path, "w", encoding="ascii") as out:
        out.write(f"\n=== Device #0 Metrics ===\n\n{header}\n")
        for i in range(kernels):
            out.write(f'"gemm{i // 100}(float*, int)", {i % 100 * 16:x}, 1, 2, 3, 4, 5, 6, 7, 8, 9\n')


def make_iaprof(path, kernels):
    """Ten kernels' stalls in each interval; each kernel has a stack of its own."""
    count = kernels // 100
    with open(path, "w", encoding="ascii") as out:
        for i in range(count):
            out.write(f"string\t{i + 1}\t_start;main;run_{i}(int, float*)\n"
                      f"string\t{count + i + 1}\tgemm_{i}\n"
                      f"kernel\t{0x1000000 + 0x10000 * i:#x}\t{i + 1}\t4711\t{i + 1}\t0\t{count + i + 1}\n")
        out.write(f"string\t{2 * count + 1}\tadd\n")
        for i in range(kernels):
            if i % 1000 == 0:
                out.write(f"interval\t{i // 1000}\t{i // 1000 / 100:f}\n")
            out.write(f"eustall\t{16 * (i % 100):#x}\t{2 * count + 1}" + "\t1" * 10 + "\n")


def make_proton(path, kernels):
    """Each layer of a hundred has its kernels."""
    layer = kernels // 100
    children = [{"frame": {"name": f"layer_{i}", "type": "function"}, "metrics": {}, "children": [
        {"frame": {"name": f"gemm_{i}_{k}", "type": "function"}, "children": [],
         "metrics": {"count": 1, "time (ns)": 90, "device_id": "0", "device_type": "CUDA"}}
        for k in range(layer)]} for i in range(100)]
    with open(path, "w", encoding="ascii") as out:
        json.dump([{"frame": {"name": "ROOT", "type": "function"}, "metrics": {}, "children": children},
                   {"CUDA": {"0": {"arch": "90", "bus_width": 5120, "clock_rate": 1980000,
                                   "memory_clock_rate": 2619000, "num_sms": 132}}}], out, indent=1)


def sum_ncu(path):
    name, columns = None, None
    with open(path, newline="", encoding="ascii") as file:
        for row in csv.reader(file):
            if row[0] == "Kernel Name":
                name = row[1]
            elif row[0] == "Address":
                columns = [i for i, column in enumerate(row) if column.startswith("stall_")]
            else:
                yield (name, row[0]), sum(int(row[i]) for i in columns)


def sum_unitrace(path):
    with open(path, newline="", encoding="ascii") as file:
        for row in csv.reader(itertools.islice(file, 4, None), skipinitialspace=True):
            yield (row[0], row[1]), sum(map(int, row[2:]))


def sum_iaprof(path):
    with open(path, encoding="ascii") as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if fields[0] == "eustall":
                yield fields[1], sum(map(int, fields[3:]))


def sum_proton(path):
    with open(path, "rb") as file:
        nodes = [json.load(file)[0]]
    while nodes:
        node = nodes.pop()
        nodes += node["children"]
        yield node["frame"]["name"], node["metrics"].get("time (ns)", 0)


FORMATS = {"nsys": (make_sqlite, sum_sqlite), "rocprof-json": (make_json, sum_json),
           "rocprof-csv": (make_csv, sum_csv), "ncu": (make_ncu, sum_ncu),
           "unitrace": (make_unitrace, sum_unitrace), "iaprof": (make_iaprof, sum_iaprof),
           "proton": (make_proton, sum_proton)}


def main():
    make, read = FORMATS[sys.argv[2]]
    if sys.argv[1] == "make":
        make(sys.argv[3], int(sys.argv[4]))
        return
    sums = {}
    for key, weight in read(sys.argv[3]):
        sums[key] = sums.get(key, 0) + weight
    print(len(sums), sum(sums.values()))


main()
