#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes what aiflame-forecast knows of efficiencies, from NeuSight's published measurements.

    scripts/forecast-train.py NEUSIGHT > tools/aiflame-forecast/devices/network.weights
    scripts/forecast-train.py NEUSIGHT --efficiencies

NEUSIGHT is a checkout of github.com/sitar-lab/NeuSight, of which scripts/asplos/data/dataset/test is
read: 8 NVIDIA GPUs that run the operators of transformers. The first form fits the network that
stands in for the efficiency of a device that was not measured, on all devices and on all but each
one; the second prints the lines `efficiency` of the devices' files. Needs numpy. The same input
gives the same output.
"""
import csv
import os
import sys

import numpy as np

DEVICES = {
    "Tesla P4": "p4", "Tesla P100-PCIE-16GB": "p100", "Tesla V100-PCIE-32GB": "v100", "Tesla T4": "t4",
    "NVIDIA A100-PCIE-40GB": "a100-pcie-40gb", "NVIDIA A100 80GB PCIe": "a100-pcie-80gb",
    "NVIDIA H100 80GB HBM3": "h100", "NVIDIA L4": "l4",
}
# tensors that an operator element by element reads
READS = {"add": 2, "mul": 2, "div": 2}
OPERATIONS = {"softmax": 5, "ln": 6}
FILES = {"linear": "linear", "bmm": "bmm", "elem": "elem", "softmax": "softmax", "ln": "ln"}
# Shorter kernels measure the clock of the measurement. Efficiencies are medians, which lean on more.
SHORTEST_TRAINED, SHORTEST_MEDIAN = 1e-4, 3e-4
BINARY = 1e9 / 2**30  # as the program counts bytes of matrices


def device_figures(name):
    """Multiprocessors, operations and bytes a second, of a device's file."""
    here = os.path.dirname(os.path.abspath(__file__))
    found = {}
    with open(os.path.join(here, "../tools/aiflame-forecast/devices", name + ".device")) as file:
        for line in file:
            words = line.split()
            if words and words[0] in ("units", "bandwidth"):
                found[words[0]] = float(words[1])
            elif words[:2] == ["vector", "fp32"]:
                found["rate"] = float(words[2]) * 1e12
    return found["units"], found["rate"], found["bandwidth"] * 1e9


def read(neusight, family):
    """Rows of a family: device (number), sizes, seconds."""
    rows = []
    names = list(DEVICES)
    path = os.path.join(neusight, "scripts/asplos/data/dataset/test", FILES[family] + ".csv")
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            seconds = float(row["Latency"] or "nan") * 1e-3
            if row["Device"] not in DEVICES or not seconds > 0:
                continue
            if family in ("linear", "bmm"):
                sizes = [float(row[size]) for size in "BMNK"]
            else:
                elements = float(row["B"]) * float(row["H"])
                moved = 4 * (1 + READS.get(row["OPName"], 1)) * elements
                sizes = [OPERATIONS.get(row["OPName"], 1) * elements, moved, 0, 0]
            rows.append([names.index(row["Device"]), *sizes, seconds])
    return np.array(rows)


class Measured:
    """The rows of a family, with what the program computes of them."""

    def __init__(self, neusight, family):
        rows = read(neusight, family)
        self.device = rows[:, 0].astype(int)
        self.seconds = rows[:, 5]
        figures = np.array([device_figures(name) for name in DEVICES.values()])
        self.units, self.rate, self.bandwidth = figures[self.device].T
        if family in ("linear", "bmm"):
            b, m, n, k = self.sizes = rows[:, 1:5].T
            operations = 2 * b * m * n * k
            moved = 4 * b * (m * n + n * k + m * k) * BINARY
        else:
            operations, moved = rows[:, 1:3].T
        self.roofline = np.maximum(operations / self.rate, moved / self.bandwidth)

    def inputs(self):
        """What the network sees: log2 of a tile's time to compute over its time to move, and of the waves."""
        b, m, n, k = self.sizes
        rows, columns = side(m), side(k)
        compute = 2 * rows * n * columns / self.rate
        move = 4 * (rows * n + n * columns + rows * columns) / self.bandwidth
        waves = np.ceil(b * np.ceil(m / rows) * np.ceil(k / columns) / self.units)
        return np.stack([np.log2(compute / move), np.log2(waves)], 1)


def side(size):
    """Of a tile: a power of two."""
    return np.clip(2.0 ** np.ceil(np.log2(size)), 32, 128)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def fit(measured, devices):
    """The network of some devices: two outputs of the inputs, g and a, with
    utilisation = sigmoid(g) * (1 - sigmoid(a) / waves). Minimises the error of the logarithm of the
    time (Huber's), each device with the same weight. Adam, all rows in each step."""
    use = np.isin(measured.device, devices) & (measured.seconds >= SHORTEST_TRAINED)
    inputs = measured.inputs()[use]
    log_rest = np.log(measured.roofline[use] / measured.seconds[use])
    device = measured.device[use]
    weight = 1 / np.bincount(device, minlength=len(DEVICES))[device]
    weight /= weight.sum()
    low, high = np.percentile(inputs, 1, axis=0), np.percentile(inputs, 99, axis=0)
    clamped = np.clip(inputs, low, high)
    middle, spread = clamped.mean(0), clamped.std(0)
    x = np.concatenate([np.ones((len(clamped), 1)), (clamped - middle) / spread], 1)
    waves = 2.0 ** inputs[:, 1]
    parameters = np.array([[0.5, 0, 0], [-3.0, 0, 0]])
    first, second = np.zeros((2, 3)), np.zeros((2, 3))
    steps, huber = 2000, 0.3
    for step in range(1, steps + 1):
        g, a = sigmoid(x @ parameters[0]), sigmoid(x @ parameters[1])
        loss = weight * np.clip((log_rest - np.log(g) - np.log(1 - a / waves)) / huber, -1, 1)
        gradient = np.stack([-loss * (1 - g), loss * a * (1 - a) / waves / (1 - a / waves)]) @ x
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        rate = 0.03 if step < steps / 2 else 0.003
        parameters -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    # weights of the inputs as they are
    weights = parameters[:, 1:] / spread
    bias = parameters[:, 0] - weights @ middle
    return np.concatenate([bias[:1], weights[0], bias[1:], weights[1], low[:1], high[:1], low[1:], high[1:]])


def print_network(neusight):
    print("# SPDX-License-Identifier: MIT")
    print("# Made by scripts/forecast-train.py: the utilisation of a device by products in fp32. DEVICE is the one that was")
    print("# left out, `all` none. g and a are each a bias and the weights of two inputs; then the inputs' ranges.")
    print("# network FAMILY DEVICE  G G1 G2  A A1 A2  LOW1 HIGH1 LOW2 HIGH2")
    for family in ("linear", "bmm"):
        measured = Measured(neusight, family)
        for out in (None, *range(len(DEVICES))):
            devices = [number for number in range(len(DEVICES)) if number != out]
            name = "all" if out is None else list(DEVICES.values())[out]
            print(f"network {family} {name} " + " ".join(f"{value:.4f}" for value in fit(measured, devices)))


def print_efficiencies(neusight):
    for family in FILES:
        measured = Measured(neusight, family)
        for number, name in enumerate(DEVICES.values()):
            use = (measured.device == number) & (measured.seconds >= SHORTEST_MEDIAN)
            if use.any():
                print(f"{name} efficiency {family} {np.median(measured.roofline[use] / measured.seconds[use]):.3f}")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if "--efficiencies" in sys.argv[2:]:
        print_efficiencies(sys.argv[1])
    else:
        print_network(sys.argv[1])


if __name__ == "__main__":
    main()
