#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""python_loop.py STOP: says that it is ready, and launches an OpenCL kernel every millisecond until
the file STOP exists. It is recorded while it runs."""
import os
import sys
import time

import python_launches


def step(device):
    device.enqueue(*device.arguments)


def main():
    device = python_launches.Device(False)
    print("ready", flush=True)
    while not os.path.exists(sys.argv[1]):
        step(device)
        device.finish()
        time.sleep(0.001)
    print("stopped", flush=True)


main()
