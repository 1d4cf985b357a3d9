"""Estimates the times of launches from what study.py measured. analyse.py FOLDER START [WORKLOAD ...] [--rows FILE]

Model: a stretch from the stamp after launch p to the stamp after launch q takes f(p) + c(p+1) + ... + c(q), where c is the time of a
launch and f(p) the cost of a stamp between launch p and the next one. All stretches of all graphs are fitted by weighted least squares;
the variance of a stretch is a constant plus a part for each launch in it. Intervals (95 %) come from a bootstrap over graphs.
"""
import argparse
import json
import pathlib

import numpy as np

SAMPLES = 30


def trimmed_mean(values):
    """Mean along the last axis without a tenth of the values at either end."""
    ordered = np.sort(values, axis=-1)
    cut = ordered.shape[-1] // 10
    return ordered[..., cut:ordered.shape[-1] - cut].mean(axis=-1)


def launch_variances(launches_of, variances):
    """Returns the variance of each stretch, smoothed: a constant plus a part for each launch, by multiplicative updates."""
    columns = np.hstack([launches_of > 0, np.ones((len(launches_of), 1))]).astype(float)
    parts = np.full(columns.shape[1], variances.mean() / 5)
    for _ in range(30):
        fitted = columns @ parts
        parts *= (columns.T @ (variances / fitted ** 2)) / (columns.T @ (1 / fitted) + 1e-30)
    return columns @ parts


class Estimate:
    def __init__(self, arrays, design):
        self.n = n = len(arrays["types"])
        self.iterations = int(arrays[f"{design}/iterations"])
        after, ns = arrays[f"{design}/after"], arrays[f"{design}/ns"].astype(float)
        ends = np.cumsum(arrays[f"{design}/stamps"])
        rows = int(ends[-1]) - len(ends)
        equations, self.gaps, graph = np.zeros((rows, 2 * n)), np.zeros(rows, int), np.zeros(rows, int)
        row = 0
        for number, (first, last) in enumerate(zip([0, *ends], ends)):
            for p, q in zip(after[first:last], after[first + 1:last]):
                equations[row, p % n] = 1
                np.add.at(equations[row], n + np.arange(p + 1, q + 1) % n, 1)
                self.gaps[row], graph[row] = q - p, number
                row += 1
        mean = trimmed_mean(ns)
        spread = 1.4826 * np.median(np.abs(ns - np.median(ns, axis=1, keepdims=True)), axis=1)
        weights = 1 / launch_variances(equations[:, n:], spread ** 2 + 100)
        self.equations, self.mean = equations, mean
        self.parts = []
        for number in range(len(ends)):
            mine = graph == number
            weighted = equations[mine] * weights[mine, None]
            self.parts.append((equations[mine].T @ weighted, weighted.T @ mean[mine]))
        self.whole_by_graph = trimmed_mean(arrays[f"{design}/wholes"].astype(float))
        self.fit = self.solve(np.ones(len(self.parts)))

    def solve(self, counts):
        normal = sum(c * a for c, (a, _) in zip(counts, self.parts) if c)
        right = sum(c * b for c, (_, b) in zip(counts, self.parts) if c)
        # a faint wish for small values decides where no stretch does: launches that may not be stamped apart
        return np.linalg.solve(normal + 1e-9 * np.trace(normal) / len(right) * np.eye(2 * self.n), right)

    def bootstrap(self):
        draw = np.random.default_rng(0)
        graphs = len(self.parts)
        return [self.solve(np.bincount(draw.integers(0, graphs, graphs), minlength=graphs)) for _ in range(SAMPLES)]

    def wholes(self, fit):
        """ns of an iteration in each graph of the whole; the cost of the stamp at its begin is taken off."""
        return (self.whole_by_graph - fit[self.n - 1]) / self.iterations

    def residuals(self):
        """Mean difference between stretches and the fit by length, ns, with its standard error: 0 where times add up."""
        difference = self.mean - self.equations @ self.fit
        return {int(g): [round(float(np.mean(difference[self.gaps == g])), 1),
                         round(float(np.std(difference[self.gaps == g]) / np.sqrt(np.sum(self.gaps == g))), 1)]
                for g in np.unique(self.gaps) if np.sum(self.gaps == g) > 20}


def known_kinds(truth, estimate, fits):
    """Returns for each kind of launch whose time is known: us known, error us, half-width us."""
    places = {}
    for i, t in enumerate(truth):
        if t["of_launches"] > 0:
            kind = " + ".join(truth[k]["kind"] for k in range(i - t["of_launches"] + 1, i + 1))
            places.setdefault(kind, []).append((i, t["of_launches"], t["us"]))
    rows = {}
    for kind, where in sorted(places.items()):
        def found(fit):
            return np.mean([fit[estimate.n + i - k + 1:estimate.n + i + 1].sum() for i, k, _ in where]) / 1e3
        known = np.mean([us for _, _, us in where])
        rows[kind] = [round(float(x), 4) for x in (known, found(estimate.fit) - known, 1.96 * np.std([found(f) for f in fits]))]
    return rows


def analysed(path, design, arrays):
    estimate = Estimate(arrays, design)
    n, fits = estimate.n, estimate.bootstrap()
    wholes = estimate.wholes(estimate.fit)
    whole, total = wholes.mean(), estimate.fit[n:].sum()
    row = {"workload": path.stem, "design": design, "launches": n, "graphs": len(estimate.parts),
           "whole_us": round(whole / 1e3, 3), "wholes_us": [round(w / 1e3, 2) for w in wholes],
           "whole_half_width_percent": round(196 * wholes.std(ddof=1) / np.sqrt(len(wholes)) / whole, 4),
           "sum_us": round(total / 1e3, 3), "error_percent": round(100 * (total / whole - 1), 4),
           "sum_half_width_percent": round(196 * np.std([f[n:].sum() for f in fits]) / whole, 4),
           "stamp_costs_ns": round(float(np.median(estimate.fit[:n]))), "residual_ns_by_gap": estimate.residuals()}
    truth = path.with_suffix(".json")
    if truth.exists():
        row["known_us_error_half_width"] = known_kinds(json.loads(truth.read_text())["launches"], estimate, fits)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("start", help="the machine start, as study.py prints it (boot)")
    parser.add_argument("workloads", nargs="*")
    parser.add_argument("--rows", type=pathlib.Path, help="file that rows are added to")
    options = parser.parse_args()
    for path in sorted(options.folder.glob("*.npz")):
        if options.workloads and path.stem not in options.workloads:
            continue
        arrays = dict(np.load(path))
        for design in [key.split("/")[0] for key in arrays if key.endswith("/after")]:
            row = {"start": options.start, **analysed(path, design, arrays)}
            missed = [k for k, (known, error, _) in row.get("known_us_error_half_width", {}).items() if abs(error) > max(0.05, 0.005 * known)]
            print(f"{row['workload']:10s} {design:11s} whole {row['whole_us']:9.2f} +- {row['whole_half_width_percent']:.3f} %, "
                  f"sum {row['error_percent']:+.3f} +- {row['sum_half_width_percent']:.3f} %"
                  + (f", off by more than 0.5 % and 0.05 us: {missed}" if missed else ""), flush=True)
            if options.rows:
                with options.rows.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
