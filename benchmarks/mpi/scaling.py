#!/usr/bin/env python3
"""Step time of data-parallel training on many ranks, as a model fitted to plait_bench_mpi on few.

    for n in 1 2 3 4; do mpirun -np $n --bind-to none plait_bench_mpi; done > few.jsonl
    benchmarks/mpi/scaling.py few.jsonl [--latency-us L --bandwidth-gb B]

A sum of n bytes over p ranks takes 2 ceil(log2 p) L + 2 n (p - 1) / p / B (R. Rabenseifner, ICCS 2004): the latency L
and the bandwidth B are fitted to the sums that were measured, or given, for another network. A step is the forward pass,
a third of the time, and a backward pass that completes one bucket after another; a bucket is exchanged when it is
complete and those before it have been.
"""

import argparse
import json
import math


def sum_ms(size, ranks, latency, bandwidth):
    if ranks == 1:
        return 0.0
    return 2 * math.ceil(math.log2(ranks)) * latency + 2 * size * (ranks - 1) / ranks / bandwidth


def fit(runs):
    """Least squares of relative errors, over a grid that is refined: latency in ms, bandwidth in bytes a ms."""
    points = [(size, run["ranks"], ms) for run in runs if run["ranks"] > 1 for size, ms in run["sums"]]

    def error(latency, bandwidth):
        return sum((math.log(sum_ms(n, p, latency, bandwidth) / ms)) ** 2 for n, p, ms in points)

    best = (1e-2, 1e6)
    step = 4.0
    while step > 1.001:
        around = [(best[0] * a, best[1] * b) for a in (1 / step, 1, step) for b in (1 / step, 1, step)]
        found = min(around, key=lambda at: error(*at))
        if found == best:
            step = math.sqrt(step)
        best = found
    return best, math.exp(math.sqrt(error(*best) / len(points))) - 1


def step_ms(run, compute, ranks, latency, bandwidth):
    buckets = run["buckets"]
    exchanged = 0.0
    for k in range(buckets):
        ready = compute / 3 + compute * 2 / 3 * (k + 1) / buckets
        exchanged = max(exchanged, ready) + sum_ms(run["bucket_bytes"], ranks, latency, bandwidth)
    return max(compute, exchanged)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs")
    parser.add_argument("--latency-us", type=float)
    parser.add_argument("--bandwidth-gb", type=float)
    given = parser.parse_args()
    runs = [json.loads(line) for line in open(given.runs) if line.startswith("{")]

    (latency, bandwidth), off = fit(runs)
    print(f"Latency {latency * 1e3:.1f} us, bandwidth {bandwidth / 1e6:.2f} GB/s; a sum is off by a factor of {1 + off:.2f}.\n")
    print("| ranks | compute | exchange | step | model | off |")
    print("|---:|---:|---:|---:|---:|---:|")
    for run in runs:
        model = step_ms(run, run["compute_ms"], run["ranks"], latency, bandwidth)
        print(
            f"| {run['ranks']} | {run['compute_ms']:.2f} ms | {run['exchange_ms']:.2f} ms | {run['step_ms']:.2f} ms "
            f"| {model:.2f} ms | {100 * (model / run['step_ms'] - 1):+.0f} % |"
        )
    if given.latency_us:
        latency = given.latency_us / 1e3
    if given.bandwidth_gb:
        bandwidth = given.bandwidth_gb * 1e6
    one = runs[0]
    print(f"\nLatency {latency * 1e3:.1f} us, bandwidth {bandwidth / 1e6:.2f} GB/s:\n")
    print("| ranks | exchange of all buckets | step | efficiency |")
    print("|---:|---:|---:|---:|")
    for p in (2**k for k in range(1, 11)):
        model = step_ms(one, one["compute_ms"], p, latency, bandwidth)
        exchange = one["buckets"] * sum_ms(one["bucket_bytes"], p, latency, bandwidth)
        print(f"| {p} | {exchange:.2f} ms | {model:.2f} ms | {100 * one['compute_ms'] / model:.0f} % |")


if __name__ == "__main__":
    main()
