"""How exact are stamps in an unbroken chain of launches? study.py OUT CHAIN.so KNOWN.so [--designs a,b] [WORKLOAD ...]

For each workload and design, instances with stamps at drawn places are played, and 16 instances of the whole (stamps at its ends
only) among them. Distances of stamps go to OUT/<workload>.npz; `analyse.py` makes estimates of them.
"""
import argparse
import ctypes
import json
import pathlib
import subprocess
import time
from dataclasses import dataclass, replace

import numpy as np
import torch

from chains import Chain, Instance, Library, Switched, draw_of, random_gaps
from models import MODELS, captured, small_additions

WHOLES = 16


@dataclass(frozen=True)
class Design:
    """Stamps `least` to `most` launches apart; `instances` graphs, each played `plays` times."""

    least: int = 1
    most: int = 8
    instances: int = 96
    plays: int = 8
    lead: bool = True  # a whole iteration before the measured one, and some launches after it
    gate: int = 1
    creation: str = "shuffled"  # or "wholes last": after all graphs of the sum
    order: str = "shuffled"  # or "created": each instance is made, played and closed before the next; "switched": one graph for all


BASE = Design()
DESIGNS = {
    "gaps 1-8": BASE,
    "gaps 1-4": replace(BASE, most=4, instances=60),
    "wholes last 1-8": replace(BASE, creation="wholes last"),
    "wholes last 1-4": replace(BASE, most=4, instances=60, creation="wholes last"),
    "gaps 1-16": replace(BASE, most=16, instances=160, plays=6),
    "gaps 2-8": replace(BASE, least=2),
    "no gate": replace(BASE, gate=0),
    "no lead": replace(BASE, lead=False),
    "as created": replace(BASE, order="created"),
    "24 instances": replace(BASE, instances=24, plays=32),
    "switched": replace(BASE, order="switched", instances=48),
}


def per_launch_us(instance, launches, plays=15):
    return float(np.median([instance.play()[0] for _ in range(plays)])) * 1e-3 / launches


def played(chain, design, positions, wholes, launches, draw):
    """Returns the distances (plays x distances) of each instance, then of each whole."""
    everything = positions + wholes
    readings = [[] for _ in everything]
    if design.order == "switched":
        switched = Switched(chain, launches)
        for i, after in enumerate(everything):
            readings[i] = switched.play(after, design.plays)
        switched.close()
    elif design.order == "created":
        order = list(range(len(everything)))
        draw.shuffle(order)
        for i in order:
            instance = Instance(chain, everything[i], launches)
            readings[i] = [instance.play(design.gate) for _ in range(design.plays + 1)][1:]
            instance.close()
    else:
        order = list(range(len(everything)))
        if design.creation == "shuffled":
            draw.shuffle(order)
        made = {i: Instance(chain, everything[i], launches) for i in order}
        instances = [made[i] for i in range(len(everything))]
        for i in order:
            instances[i].play(design.gate)
        for _ in range(design.plays):
            order = list(range(len(everything)))
            draw.shuffle(order)
            for i in order:
                readings[i].append(instances[i].play(design.gate))
        for instance in instances:
            instance.close()
    return [np.array(r) for r in readings]


def measure(chain, whole_ns, design):
    n = chain.length
    iterations = max(1, int(np.ceil(1e6 / whole_ns)))
    lead, tail = (n, min(n, 32)) if design.lead else (1, 0)
    first, last = lead - 1, lead - 1 + iterations * n
    draw = draw_of(n)
    positions = [random_gaps(chain, first, last, design.least, design.most, draw) for _ in range(design.instances)]
    wholes = [[first, last]] * WHOLES
    readings = played(chain, design, positions, wholes, last + 1 + tail, draw)
    return iterations, positions, readings[:design.instances], readings[design.instances:]


def study(name, chain, out, designs):
    n = chain.length
    alone = Instance(chain, [n - 1, 2 * n - 1], 3 * n)
    whole_ns = float(np.median([alone.play()[0] for _ in range(30)]))
    alone.close()
    arrays = {"types": chain.types, "first_whole_ns": whole_ns}
    for design in designs:
        begin = time.time()
        iterations, positions, readings, wholes = measure(chain, whole_ns, DESIGNS[design])
        arrays[f"{design}/iterations"] = iterations
        arrays[f"{design}/after"] = np.concatenate([np.asarray(p, np.int32) for p in positions])
        arrays[f"{design}/stamps"] = np.array([len(p) for p in positions])
        arrays[f"{design}/ns"] = np.concatenate([r.T.astype(np.uint32) for r in readings])
        arrays[f"{design}/wholes"] = np.array(wholes)[:, :, 0]
        medians = np.median(arrays[f"{design}/wholes"], axis=1) / iterations / 1e3
        print(f"{name}: {n} launches, {design}: whole first {whole_ns / 1e3:.2f} us, by instance {np.round(medians, 2)}; "
              f"{time.time() - begin:.1f} s", flush=True)
    np.savez_compressed(out / f"{name}.npz", **arrays)


def known_chain(library, path, seed, truth):
    known = ctypes.CDLL(path)
    known.make_known_program.restype = known.known_graph.restype = ctypes.c_void_p
    known.known_graph.argtypes = [ctypes.c_void_p]
    known.write_known_truth.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    program = known.make_known_program(seed)
    known.write_known_truth(program, str(truth).encode())
    return Chain(library, known.known_graph(program))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("chain")
    parser.add_argument("known")
    parser.add_argument("--designs", default=",".join(DESIGNS))
    parser.add_argument("workloads", nargs="*")
    options = parser.parse_args()
    library = Library(options.chain)
    print(subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.sm,temperature.gpu,power.draw", "--format=csv,noheader"],
                         capture_output=True, text=True, check=False).stdout.strip())
    print("boot", pathlib.Path("/proc/sys/kernel/random/boot_id").read_text()[:8], "clock's shortest and mean step, ns:", library.ticks())
    seeds = {"known": 1, "pairs": 0}
    for name in options.workloads or [*seeds, *MODELS]:
        if name in seeds:
            chain = known_chain(library, options.known, seeds[name], options.out / f"{name}.json")
        else:
            graph, run = captured(MODELS[name])
            chain = Chain(library, graph.raw_cuda_graph())
        study(name, chain, options.out, options.designs.split(","))
        graph = run = None
        torch.cuda.empty_cache()
    control_graph, _keep = captured(small_additions)
    print(f"control graph at the end: {per_launch_us(Instance(Chain(library, control_graph.raw_cuda_graph()), [-1, 599], 600), 600):.4f} us a launch")


if __name__ == "__main__":
    main()
