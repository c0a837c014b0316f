#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How far aiflame-forecast is off, measured with NeuSight's published measurements.

    scripts/forecast-accuracy.py BUILD DATA [--check] [--neusight CHECKOUT]

DATA holds what NeuSight's authors measured and predicted (its README names the source). Prints mean
absolute errors in percent: of whole models, of single operators, and of times that were measured
on one device and are predicted for another. Every method but `table` knows nothing of the device
that it predicts but its peak rates. --check compares all errors with what the program says of
itself. The roofline and the regression are compared with the authors' own: the totals of models,
and with a checkout of github.com/sitar-lab/NeuSight every operator and pass of them.
"""
import argparse
import ast
import collections
import csv
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

FAMILIES = ("linear", "bmm", "elem", "softmax", "ln")
# an operator of each family, such as were measured
MEASURED = ("# aiflame: unit %s\nLinear 4096x4096, 4096x4096_[o] 1\nBMM 64x512x512, 64x512x512_[o] 1\n"
            "VECadd 8192x4096, 8192x4096 -> 8192x4096_[o] 1\nVECsoftmax 8192x4096_[o] 1\nVECln 8192x4096_[o] 1\n")
# NeuSight's name of a device, and ours
DEVICES = {
    "Tesla_P4": "p4", "Tesla_P100-PCIE-16GB": "p100", "Tesla_V100-PCIE-32GB": "v100", "Tesla_T4": "t4",
    "NVIDIA_A100-PCIE-40GB": "a100-pcie-40gb", "NVIDIA_A100_80GB_PCIe": "a100-pcie-80gb",
    "NVIDIA_H100_80GB_HBM3": "h100", "NVIDIA_L4": "l4",
    "AMD_Instinct_MI100": "mi100", "AMD_Instinct_MI210": "mi210", "AMD_Instinct_MI250": "mi250",
}
# the mean errors of NeuSight's own predictions, from its results: inference, training
NEUSIGHT = (9.65, 7.31)
# and of fused models, from the paper's table
NEUSIGHT_FUSED = 14.95


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t" if path.endswith("tsv") else ","))


class Forecast:
    def __init__(self, build, data):
        self.program = os.path.join(build, "bin/aiflame-forecast")
        self.graphs = os.path.join(data, "opgraph")
        self.said = {}

    def run(self, arguments, text=None):
        """Stacks with counts. Keeps what the program says of its error."""
        done = subprocess.run([self.program, *arguments], input=text, capture_output=True, text=True, check=True)
        self.said[tuple(a for a in arguments if not a.endswith(".csv"))] = done.stderr
        out = {}
        for line in done.stdout.splitlines():
            if not line.startswith("# "):
                stack, _, count = line.rpartition(" ")
                out[stack] = out.get(stack, 0) + float(count)
        return out

    def model(self, device, method, tag, layers):
        """Milliseconds of a model."""
        graph = os.path.join(self.graphs, tag + ".csv")
        found = self.run(["--mode", "absolute", "--to", device, "--predictor", method, "--layers", str(layers), graph])
        return sum(found.values()) / 1e6


def neusight_device(data, name, directory, slower=1):
    """NeuSight's own figures of a device, as a device's file; `slower` times as slow."""
    with open(os.path.join(data, "device_configs", name + ".json")) as file:
        figures = json.load(file)
    lines = [f"name {name}", f"bandwidth {figures['Mem_Bw'] / slower} GB/s"]
    lines.append(f"vector fp32 {figures.get('SingleFLOPs', figures.get('SingleFLOPsVEC')) / 1000 / slower} TFLOPS")
    if "SingleFLOPsMM" in figures:
        lines.append(f"matrix fp32 {figures['SingleFLOPsMM'] / 1000 / slower} TFLOPS")
    for family in FAMILIES:
        for row in table(os.path.join(data, "micro", family + ".csv")):
            if row["Device"] == name:
                slope, intercept = float(row["coef"]) * slower, float(row["intercept"]) * slower
                lines.append(f"regression {family} {slope} {intercept}")
    path = os.path.join(directory, f"{name}-{slower}.device")
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    return path


def exactness(forecast, data, layers, directory):
    """The largest relative difference from the authors' own rooflines and regressions."""
    worst = {}
    files = {}
    for row in table(os.path.join(data, "derived/predictions_e2e.tsv")):
        method = {"roofline": "roofline", "micro": "regression"}.get(row["predictor"])
        key = (row["device"], row["tag"])
        if method is None or key not in layers or not os.path.exists(os.path.join(data, "opgraph", row["tag"] + ".csv")):
            continue
        if row["device"] not in files:
            files[row["device"]] = neusight_device(data, row["device"], directory)
        ours = forecast.model(files[row["device"]], method, row["tag"], layers[key])
        difference = abs(ours / float(row["e2e_ms"]) - 1)
        count, most = worst.get(method, (0, 0))
        worst[method] = (count + 1, max(most, difference))
    return worst


# The program writes whole nanoseconds. So that short operators have enough digits, all are repeated
# and the device is slowed down, by how long they are: from so many ms on, repetitions, slower.
PRECISION = ((1, 100, 1), (1e-5, 100000, 1), (0, 100000, 10000))


def phase_latencies(forecast, path, device, method, directory, data):
    """Of each pass of each operator of a file of predictions: (the authors' ms, ours)."""
    passes = {"forward": ("FwOps", "fw_latency"), "backward": ("BwOps", "bw_latency"), "accumulate": ("AccOps", "acc_latency")}
    rows = table(path)
    out = []
    for number, (least, repeated, slower) in enumerate(PRECISION):
        most = PRECISION[number - 1][0] if number else float("inf")
        # names that --layers repeats
        lines = ["Name,OpName,FwOps,BwOps,AccOps,InputShapes,OutputShape"]
        theirs = {}
        for place, row in enumerate(rows):
            cells = []
            for passed, (operators, latency) in passes.items():
                taken = least <= float(row[latency]) < most
                cells.append(row[operators] if taken else "[]")
                if taken and (float(row[latency]) > 0 or row[operators] != "[]"):
                    theirs[passed, place] = float(row[latency])
            quoted = ['"' + cell + '"' for cell in (*cells, row["InputShapes"], row["OutputShape"])]
            lines.append(f"_h_0_{place},{row['OpName']}," + ",".join(quoted))
        ours = collections.defaultdict(float)
        found = forecast.run(["--mode", "absolute", "--to", neusight_device(data, device, directory, slower),
                              "--predictor", method, "--layers", str(repeated)], "\n".join(lines) + "\n")
        for stack, count in found.items():
            passed, node, _ = stack.split(";", 2)
            ours[passed, int(node[len("_h_0_"):-len("_[m]")])] += count / 1e6 / repeated / slower
        out.extend((latency, ours[key]) for key, latency in theirs.items())
    return out


def all_phases(forecast, data, neusight):
    """Prints how far the roofline and the regression are from the authors' own, pass by pass."""
    with tempfile.TemporaryDirectory() as directory:
        for method, theirs in (("roofline", "roofline"), ("regression", "micro")):
            count = nothing = wrong = 0
            worst = 0.0
            for path in sorted(glob.glob(os.path.join(neusight, "scripts/asplos/results/prediction/*", theirs, "*.csv"))):
                device = path.split(os.sep)[-3]
                for shipped, ours in phase_latencies(forecast, path, device, method, directory, data):
                    if shipped == 0 or ours == 0:
                        nothing += shipped == ours
                        wrong += shipped != ours
                        continue
                    count += 1
                    worst = max(worst, abs(ours / shipped - 1))
            print(f"{method:12} equals the authors' own in {count} latencies of operators, to {worst:.1e}; {nothing} more are 0 in both")
            if worst > 2e-6 or wrong > 0:
                sys.exit("forecast-accuracy.py: it does not")


def mode_of(tag):
    return "training" if "-train-" in tag else "inference"


def models(forecast, labels, methods):
    """Errors of whole models: {(method, vendor, mode): [percent]}."""
    errors = collections.defaultdict(list)
    for (device, tag), (measured, layers) in labels.items():
        for method in methods:
            predicted = forecast.model(DEVICES[device], method, tag, layers)
            vendor = "AMD" if device.startswith("AMD") else "NVIDIA"
            errors[method, vendor, mode_of(tag)].append(100 * abs(predicted / measured - 1))
    return errors


def servers(forecast, data, layers):
    """Errors of trainings on four GPUs of a server, split by data (dp), tensors (tp) or stages (pp)."""
    errors = {}
    for row in table(os.path.join(data, "derived/labels_e2e.tsv")):
        graph = os.path.join(forecast.graphs, row["tag"] + ".csv")
        if re.search("-(dp|tp|pp)4(_1)?$", row["tag"]) and os.path.exists(graph):
            device = {"NVIDIA_A100-SXM4-40GB": "a100-sxm-40gb", "NVIDIA_H100_80GB_HBM3": "h100"}[row["device"]]
            stages = ["--stages", "4"] if "-pp" in row["tag"] else []
            found = forecast.run(["--mode", "absolute", "--to", device, "--devices", "4", *stages,
                                  "--layers", str(layers[row["tag"].split("-")[0]]), graph])
            errors[row["device"], row["tag"]] = 100 * (sum(found.values()) / 1e6 / float(row["e2e_ms"]) - 1)
    return errors


def fused(forecast, data, layers):
    """Errors of models that torch.compile has fused."""
    errors = {}
    for row in table(os.path.join(data, "derived/labels_e2e.tsv")):
        tag = row["tag"].removesuffix("-fusion")
        graph = os.path.join(forecast.graphs, tag + ".csv")
        if tag == row["tag"] or row["device"] not in DEVICES or not os.path.exists(graph):
            continue
        found = forecast.run(["--mode", "absolute", "--to", DEVICES[row["device"]], "--fuse",
                              "--layers", str(layers[tag.split("-")[0]]), graph])
        errors[row["device"], row["tag"]] = 100 * (sum(found.values()) / 1e6 / float(row["e2e_ms"]) - 1)
    return errors


def graph_of(rows):
    """Rows of measured operators as a graph: the node N is row N."""
    lines = ["Name,OpName,FwOps,BwOps,AccOps,Prev,Next,InputShapes,OutputShape"]
    for number, row in rows:
        cells = [row["fw_ops"], row["bw_ops"], row["acc_ops"], "", "", row["input_shapes"], row["output_shape"]]
        lines.append(f"{number},{row['opname']}," + ",".join('"' + cell + '"' for cell in cells))
    return "\n".join(lines) + "\n"


def family_of(op):
    return {"Linear": "linear", "BMM": "bmm", "VECsoftmax": "softmax", "VECln": "ln"}.get(op, "elem" if op.startswith("VEC") else None)


def operators(forecast, rows, methods):
    """Errors of single forward operators that took 0.1 ms or longer: {(method, family): [percent]}."""
    errors = collections.defaultdict(list)
    of_device = collections.defaultdict(list)
    for number, row in enumerate(rows):
        if not row["device"].startswith("AMD"):
            of_device[row["device"]].append((number, row))
    for device, some in of_device.items():
        for method in methods:
            found = forecast.run(["--mode", "absolute", "--to", DEVICES[device], "--predictor", method], graph_of(some))
            predicted = {}
            for stack, count in found.items():
                passed, node, _ = stack.split(";", 2)
                if passed == "forward":
                    number = int(node[:-len("_[m]")])
                    predicted[number] = predicted.get(number, 0) + count
            for number, row in some:
                ops = ast.literal_eval(row["fw_ops"])
                measured = float(row["fw_ms"])
                if len(ops) == 1 and family_of(ops[0][0]) and measured >= 0.1:
                    family = family_of(ops[0][0])
                    errors[method, family].append(100 * abs(predicted.get(number, 0) / 1e6 / measured - 1))
    return errors


def measured_stacks(forecast, device, rows):
    """The measured operators of a device as folded text in ns, under a root for each model."""
    shares = forecast.run(["--mode", "absolute", "--to", DEVICES[device], "--predictor", "roofline"], graph_of(rows))
    of_pass = collections.defaultdict(list)
    for stack, count in shares.items():
        passed, node, op = stack.split(";", 2)
        of_pass[passed, int(node[:-len("_[m]")])].append((op, count))
    lines = []
    for number, row in rows:
        for passed, column in (("forward", "fw_ms"), ("backward", "bw_ms"), ("accumulate", "acc_ms")):
            measured = float(row[column]) * 1e6 * int(row["mult"])
            parts = of_pass.get((passed, number), [])
            total = sum(count for _, count in parts)
            for op, count in parts or [("no operator", 1)]:
                part = round(measured * (count / total if total else 1))
                if part > 0:
                    lines.append(f"{row['tag']};{passed};{number};{op} {part}")
    return "# aiflame: event gpu-time, unit ns\n" + "\n".join(lines) + "\n"


def pairs(forecast, rows, labels, methods):
    """Errors of times measured on one NVIDIA GPU and scaled to another: whole models by (method, mode),
    single operators by (method, family)."""
    errors = collections.defaultdict(list)
    forward = {(row["device"], row["tag"], row["op_name"]): float(row["fw_ms"]) for row in rows}
    of_device = collections.defaultdict(list)
    for number, row in enumerate(rows):
        # to or from AMD's GPUs, of which no efficiencies were measured, the table is the roofline
        if not row["device"].startswith("AMD"):
            of_device[row["device"]].append((number, row))
    for device, some in of_device.items():
        text = measured_stacks(forecast, device, some)
        tags = {row["tag"] for _, row in some}
        for other in of_device:
            if other == device or not any((other, tag) in labels for tag in tags):
                continue
            for method in methods:
                found = forecast.run(["--from", DEVICES[device], "--to", DEVICES[other], "--predictor", method], text)
                sums = collections.defaultdict(float)
                for stack, count in found.items():
                    tag, passed, number, _ = stack.split(";", 3)
                    sums[tag] += count
                    row = rows[int(number)]
                    measured = forward.get((other, tag, row["op_name"]), 0)
                    ops = ast.literal_eval(row["fw_ops"])
                    if passed == "forward" and measured >= 0.1 and len(ops) == 1 and family_of(ops[0][0]):
                        predicted = count / int(row["mult"]) / 1e6
                        errors[method, family_of(ops[0][0])].append(100 * abs(predicted / measured - 1))
                for tag in tags:
                    if (other, tag) in labels:
                        measured = labels[other, tag][0]
                        errors[method, mode_of(tag)].append(100 * abs(sums[tag] / 1e6 / measured - 1))
    return errors


def mean(values):
    return statistics.mean(values) if values else float("nan")


def said_errors(text):
    """The figures of the program's line on its error: inference, training, and by family."""
    line = next(line for line in text.splitlines() if "expected error" in line)
    numbers = re.search(r"error: (\d+)% of the total in inference, (\d+)% in training", line)
    if not numbers:
        return None
    families = {family: int(number) for number, family in re.findall(r"(\d+)% (linear|bmm|elem|softmax|ln)", line)}
    return int(numbers[1]), int(numbers[2]), families


def report(forecast, data):
    """Prints the tables. Returns what the program should say: {method or (scale, method): errors}."""
    layers, labels = {}, {}
    for row in table(os.path.join(data, "derived/labels_e2e.tsv")):
        key = (row["device"], row["tag"])
        if not row["num_layer"].isdigit():
            continue
        layers[key] = int(row["num_layer"])
        if row["device"] in DEVICES and os.path.exists(os.path.join(data, "opgraph", row["tag"] + ".csv")):
            labels[key] = (float(row["e2e_ms"]), int(row["num_layer"]))
    rows = table(os.path.join(data, "derived/labels_perop.tsv"))
    known = {(row["device"], row["tag"]) for row in rows}
    labels = {key: label for key, label in labels.items() if key in known}

    with tempfile.TemporaryDirectory() as directory:
        for method, (count, most) in exactness(forecast, data, layers, directory).items():
            print(f"{method:12} equals the authors' own in {count} models, to {most:.1e}")
            if most > 2e-6:
                sys.exit("forecast-accuracy.py: it does not")

    methods = ("roofline", "others", "network", "table")
    of_models = models(forecast, labels, methods)
    print("\nwhole models          NVIDIA inf.  NVIDIA tr.   AMD inf.     AMD tr.")
    for method in methods:
        cells = [of_models[method, vendor, mode] for vendor in ("NVIDIA", "AMD") for mode in ("inference", "training")]
        print(f"{method:20}" + "".join(f"{mean(cell):7.1f} ({len(cell):2})" for cell in cells))
    print(f"{'NeuSight itself':20}{NEUSIGHT[0]:7.2f}     {NEUSIGHT[1]:7.2f}")

    of_operators = operators(forecast, rows, methods)
    print("\nsingle operators    " + "".join(f"{family:>9}" for family in FAMILIES))
    for method in methods:
        print(f"{method:20}" + "".join(f"{mean(of_operators[method, family]):9.1f}" for family in FAMILIES))

    scaled = pairs(forecast, rows, labels, (*methods, "habitat"))
    print("\nmeasured elsewhere    inference    training" + "".join(f"{family:>9}" for family in FAMILIES))
    for method in (*methods, "habitat"):
        cells = [scaled[method, mode] for mode in ("inference", "training")]
        print(f"{method:20}" + "".join(f"{mean(cell):7.1f} ({len(cell):3})" for cell in cells)
              + "".join(f"{mean(scaled[method, family]):9.1f}" for family in FAMILIES))

    of_model = {tag.split("-")[0]: count for (_, tag), count in layers.items() if count > 0}
    of_servers = servers(forecast, data, of_model)
    print("\nfour GPUs of a server (table)")
    for (device, tag), error in of_servers.items():
        print(f"{device:24}{tag:32}{error:+7.1f}")
    print(f"mean absolute error {mean([abs(error) for error in of_servers.values()]):.1f} ({len(of_servers)}); NeuSight itself 7.7")

    of_fused = fused(forecast, data, of_model)
    print("\nfused (table)")
    for (device, tag), error in of_fused.items():
        print(f"{device:24}{tag:32}{error:+7.1f}")
    print(f"mean absolute error {mean([abs(error) for error in of_fused.values()]):.1f} ({len(of_fused)}); NeuSight itself {NEUSIGHT_FUSED}")

    expected = {}
    for method in methods:
        families = {family: mean(of_operators[method, family]) for family in FAMILIES}
        expected[method] = (mean(of_models[method, "NVIDIA", "inference"]), mean(of_models[method, "NVIDIA", "training"]), families)
    for method in (*methods, "habitat"):
        expected["scale", method] = (mean(scaled[method, "inference"]), mean(scaled[method, "training"]),
                                      {family: mean(scaled[method, family]) for family in FAMILIES})
    return expected


def model_pairs(build, data):
    """Prints how far models are off that were traced on two devices, both directions together, and
    how far they are off where each time is left as it is. Their data are bf16, so that no part of
    a forecast was fitted to such."""
    folder = os.path.join(data, "..", "forecast-pairs")
    if not os.path.exists(folder + ".tsv"):
        return
    measured = {(row["model"].replace("/", "_"), row["device"]): int(row["kernel_ns"])
                for row in table(folder + ".tsv")}
    names = {"h100": "h100", "mi300": "mi300x"}
    off, same = collections.defaultdict(list), collections.defaultdict(list)
    for path in sorted(glob.glob(os.path.join(folder, "*.json.gz"))):
        device, model = os.path.basename(path).split("__")[0].split(".", 1)
        other = next(name for name in names if name != device)
        folded = subprocess.run([os.path.join(build, "bin", "stackcollapse-trace"), "--shapes", path],
                                capture_output=True, text=True, check=True)
        done = subprocess.run([os.path.join(build, "bin", "aiflame-forecast"), "--from", names[device],
                               "--to", names[other]],
                              input=folded.stdout, capture_output=True, text=True, check=True)
        if "error unknown" not in done.stderr.splitlines()[0]:
            sys.exit(f"forecast-accuracy.py: the forecast of {model} does not say that its error is unknown")
        times = [sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                     if not line.startswith("#")) for text in (folded.stdout, done.stdout)]
        # of the kernels and of what else the device did, in the same relation
        predicted = measured[model, device] * times[1] / times[0]
        actual = measured[model, other]
        off[device].append(100 * abs(predicted / actual - 1))
        same[device].append(100 * abs(measured[model, device] / actual - 1))
        print(f"{model:32} {device:6} -> {other:6} {100 * (predicted / actual - 1):+6.1f} %"
              f"   as it is {100 * (measured[model, device] / actual - 1):+6.1f} %")
    for device in off:
        print(f"{'mean error from ' + device:52} {mean(off[device]):6.1f} %   as it is {mean(same[device]):6.1f} %")
    everything = [sum(errors.values(), []) for errors in (off, same)]
    print(f"{'mean error, both directions':52} {mean(everything[0]):6.1f} %   as it is {mean(everything[1]):6.1f} %")


def check(forecast, expected):
    """Whether the program says what was found, to a percent."""
    wrong = 0
    for key, errors in expected.items():
        method = key if isinstance(key, str) else key[1]
        arguments = ["--mode", "absolute", "--to", "v100"] if isinstance(key, str) else ["--from", "t4", "--to", "v100"]
        forecast.run([*arguments, "--predictor", method], MEASURED % ("calls" if isinstance(key, str) else "ns"))
        said = said_errors(forecast.said[(*arguments, "--predictor", method)])
        found = [round(errors[0]), round(errors[1]), *(round(errors[2][family]) for family in errors[2])]
        told = [] if said is None else [said[0], said[1], *(said[2].get(family, -1) for family in errors[2])]
        if len(told) != len(found) or any(abs(a - b) > 1 for a, b in zip(found, told)):
            print(f"forecast-accuracy.py: {key}: found {found}, the program says {told}", file=sys.stderr)
            wrong = 1
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("data")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--neusight", metavar="CHECKOUT")
    options = parser.parse_args()
    forecast = Forecast(options.build, options.data)
    if options.neusight:
        all_phases(forecast, options.data, options.neusight)
    expected = report(forecast, options.data)
    model_pairs(options.build, options.data)
    if options.check:
        sys.exit(check(forecast, expected))


if __name__ == "__main__":
    main()
