# SPDX-License-Identifier: MIT
"""Exports of Nsight Systems with little in the file and much to read, for bombs.py. endless_rows(): each page
of the call chains' tree names the same page below it 40 times. views(): the call chains are a view, of a view
that reads one twice, and so on."""
import os
import sqlite3
import struct

PAGE = 512
TABLES = {
    "StringIds": "id INTEGER PRIMARY KEY, value TEXT",
    "CUPTI_ACTIVITY_KIND_KERNEL":
        "start INTEGER, end INTEGER, globalPid INTEGER, correlationId INTEGER, shortName INTEGER,"
        " deviceId INTEGER, contextId INTEGER, streamId INTEGER",
    "CUPTI_ACTIVITY_KIND_RUNTIME":
        "start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER,"
        " callchainId INTEGER",
    "CUDA_CALLCHAINS": "id INTEGER, symbol INTEGER, module INTEGER, stackDepth INTEGER",
}


def tables(path):
    if os.path.exists(path):
        os.remove(path)
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA page_size={PAGE}")
    for name, columns in TABLES.items():
        database.execute(f"CREATE TABLE {name}({columns})")
    database.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,1,1,1,0,1,7)",
                         [(10, 20)])
    database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1,5,1,1,1,3)")
    database.execute("INSERT INTO StringIds VALUES (1,'k')")
    return database


def endless_rows(path):
    database = tables(path)
    database.executemany("INSERT INTO CUDA_CALLCHAINS VALUES (?,1,1,?)",
                         [(at, at) for at in range(8)])
    database.commit()
    leaf, = database.execute(
        "SELECT rootpage FROM sqlite_master WHERE name = 'CUDA_CALLCHAINS'").fetchone()
    database.close()
    data = bytearray(open(path, "rb").read())
    pages = len(data) // PAGE
    # the leaf moves to the end; its own place gets the tree's root
    data += data[(leaf - 1) * PAGE:leaf * PAGE]
    below = pages + 1
    levels = []
    for level in range(8):
        # an inner page: its kind, no free block, the number of cells, where they begin, the last child
        cells = [struct.pack(">IB", below, 1 + cell) for cell in range(40)]
        start = PAGE - 5 * len(cells)
        page = struct.pack(">BHHHBI", 5, 0, len(cells), start, 0, below)
        page += b"".join(struct.pack(">H", start + 5 * cell) for cell in range(len(cells)))
        levels.append(page.ljust(start, b"\0") + b"".join(cells))
        below = pages + 2 + level
    data += b"".join(levels[:-1])
    data[(leaf - 1) * PAGE:leaf * PAGE] = levels[-1]
    struct.pack_into(">I", data, 28, len(data) // PAGE)  # the file's size in pages
    open(path, "wb").write(data)


def views(path):
    database = tables(path)
    name = "CUDA_CALLCHAINS"
    database.execute(f"DROP TABLE {name}")
    database.execute(f"CREATE TABLE {name}0({TABLES[name]})")
    for number in range(60):
        last = number == 59
        database.execute(
            f"CREATE VIEW {name if last else f'{name}{number + 1}'} AS SELECT a.* FROM "
            f"{name}{number} a, {name}{number} b UNION SELECT * FROM {name}{number} ORDER BY 1")
    database.commit()
    database.close()
