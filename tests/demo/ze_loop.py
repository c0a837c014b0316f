#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ze_loop.py STOP: prepares a Level Zero kernel and a command list, says that it is ready, and runs
both every millisecond until the file STOP exists: step() launches `work_20us`, submit() executes a
list that put_in() has put `work_30us` into. It is recorded while it runs."""
import ctypes
import os
import sys
import time

MODULE_DESC, KERNEL_DESC, CONTEXT_DESC = 0x1b, 0x1d, 0xd
QUEUE_DESC, LIST_DESC = 0xe, 0xf  # ze_structure_type_t
NATIVE = 1  # ze_module_format_t
HANDLE = ctypes.c_void_p


class Desc(ctypes.Structure):
    """ze_context_desc_t, ze_command_list_desc_t and ze_command_queue_desc_t, as far as not zero."""
    _fields_ = [("stype", ctypes.c_uint), ("next", HANDLE), ("rest", ctypes.c_uint * 8)]


class ModuleDesc(ctypes.Structure):
    _fields_ = [("stype", ctypes.c_uint), ("next", HANDLE), ("format", ctypes.c_uint),
                ("bytes", ctypes.c_size_t), ("content", ctypes.c_char_p),
                ("flags", ctypes.c_char_p), ("constants", HANDLE)]


class KernelDesc(ctypes.Structure):
    _fields_ = [("stype", ctypes.c_uint), ("next", HANDLE), ("flags", ctypes.c_uint),
                ("name", ctypes.c_char_p)]


class Groups(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


def call(name, *arguments):
    result = getattr(LOADER, name)(*arguments)
    if result != 0:
        raise RuntimeError("%s: 0x%x" % (name, result & 0xffffffff))


def made(name, *arguments):
    """Calls a function whose last parameter is for a new handle."""
    handle = HANDLE()
    call(name, *arguments, ctypes.byref(handle))
    return handle


def first(name, *arguments):
    return made(name, *arguments, ctypes.byref(ctypes.c_uint(1)))


def kernel_of(context, device, name):
    description = ModuleDesc(MODULE_DESC, None, NATIVE, len(name) + 1, name + b"\n", None, None)
    module = HANDLE()
    call("zeModuleCreate", context, device, ctypes.byref(description), ctypes.byref(module), None)
    return made("zeKernelCreate", module, ctypes.byref(KernelDesc(KERNEL_DESC, None, 0, name)))


def launch(to, kernel):
    call("zeCommandListAppendLaunchKernel", to, kernel, ctypes.byref(Groups(1, 1, 1)), None, 0, None)


def put_in(to, kernel):
    launch(to, kernel)


def step(immediate, kernel):
    launch(immediate, kernel)


def submit(queue, filled):
    call("zeCommandQueueExecuteCommandLists", queue, 1, ctypes.byref(filled), None)
    call("zeCommandQueueSynchronize", queue, ctypes.c_uint64(-1))


def main():
    call("zeInit", 0)
    driver = first("zeDriverGet")
    device = first("zeDeviceGet", driver)
    context = made("zeContextCreate", driver, ctypes.byref(Desc(CONTEXT_DESC)))
    queue_description = ctypes.byref(Desc(QUEUE_DESC))
    queue = made("zeCommandQueueCreate", context, device, queue_description)
    immediate = made("zeCommandListCreateImmediate", context, device, queue_description)
    filled = made("zeCommandListCreate", context, device, ctypes.byref(Desc(LIST_DESC)))
    short = kernel_of(context, device, b"work_20us")
    put_in(filled, kernel_of(context, device, b"work_30us"))
    call("zeCommandListClose", filled)
    print("ready", flush=True)
    while not os.path.exists(sys.argv[1]):
        step(immediate, short)
        submit(queue, filled)
        time.sleep(0.001)
    print("stopped", flush=True)


LOADER = ctypes.CDLL("libze_loader.so.1")
main()
