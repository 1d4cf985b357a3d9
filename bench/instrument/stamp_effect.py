"""How do stamps nearby change what launches take? stamp_effect.py RESULTS.jsonl ... [--rows FILE]

Reads the rows of kjoule runs on a GPU. Fits launch times to the stretches of the graphs with many stamps, and compares them with the
stretches of the graphs with few: the difference, by the number of launches in the stretch, is 0 where times add up.
"""
import argparse
import json
import pathlib

import numpy as np

BINS = [(1, 4), (5, 8), (9, 16), (17, 24), (25, 32), (33, 48), (49, 64)]


def stretches(rounds, kind):
    """Returns for each stretch the places of its two stamps, and its mean and spread in ns."""
    found = []
    for round_ in rounds:
        for graph in round_[kind]:
            place = graph["first"]
            for gap, mean, spread in zip(graph["gaps"], graph["mean_ns"], graph["spread_ns"]):
                found.append((place, place + gap, mean, spread))
                place += gap
    return found


def fitted(rows, launches):
    """Returns the cost of a stamp after each launch and the time of each launch, ns, by least squares."""
    normal, right = np.zeros((2 * launches, 2 * launches)), np.zeros(2 * launches)
    for first, last, mean, spread in rows:
        weight = 1 / (spread ** 2 + 100 + 2500 * (last - first))
        terms = np.array([first % launches, *(launches + place % launches for place in range(first + 1, last + 1))])
        normal[np.ix_(terms, terms)] += weight
        right[terms] += weight * mean
    normal[np.diag_indices(2 * launches)] *= 1 + 1e-9
    normal[np.diag_indices(2 * launches)] += 1e-12
    solved = np.linalg.solve(normal, right)
    return solved[:launches], solved[launches:]


def summary(path):
    rounds = [row for row in map(json.loads, path.open(encoding="utf-8")) if row["kind"] == "round"]
    launches = rounds[0]["launches"]
    costs, times = fitted(stretches(rounds, "dense"), launches)
    passed = np.concatenate([[0], np.cumsum(np.tile(times, 2 + stretches(rounds, "sparse")[-1][1] // launches))])
    sparse = stretches(rounds, "sparse")
    length = np.array([last - first for first, last, _, _ in sparse])
    excess = np.array([mean - costs[first % launches] - (passed[last + 1] - passed[first + 1]) for first, last, mean, _ in sparse])
    bins = {}
    for low, high in BINS:
        its = excess[(length >= low) & (length <= high)]
        if len(its) > 1:
            bins[f"{low}-{high}"] = [round(float(its.mean())), round(float(its.std(ddof=1) / np.sqrt(len(its)))), len(its)]
    return {"run": path.stem, "launches": launches, "rounds": len(rounds), "dense_sum_us": round(float(times.sum()) / 1e3, 3),
            "excess_ns_error_stretches_by_launches": bins}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+", type=pathlib.Path)
    parser.add_argument("--rows", type=pathlib.Path, help="file that rows are added to")
    options = parser.parse_args()
    for path in options.results:
        row = summary(path)
        print(json.dumps(row))
        if options.rows:
            with options.rows.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
