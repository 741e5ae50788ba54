#!/usr/bin/env bash
# The training step of plait, PyTorch and JAX in turns, on one processor and on two: milliseconds a step, and how many
# times plait's each takes. benchmarks/rivals/setup.sh comes first.
#
#   benchmarks/rivals/compare.sh [ROUNDS [STEPS]]      default: 5 rounds of 60 steps
#
# Medians are those of all rounds' medians; the fastest step of all is beside them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

rounds=${1:-5}
steps=${2:-60}
python=build/rivals/venv/bin/python
program=${PLAIT_TRAINING_STEP:-$(find build/release/benchmarks -type f -name plait_training_step)}
times=$(mktemp)
trap 'rm -f "$times"' EXIT
export OMP_NUM_THREADS

echo "load before: $(cut -d ' ' -f 1-3 /proc/loadavg)"
for ((round = 0; round != rounds; ++round)); do
  OMP_NUM_THREADS=1
  taskset -c 0 "$program" serial --steps "$steps"
  taskset -c 0 $python benchmarks/rivals/mlp.py torch 1 "$steps"
  taskset -c 0 $python benchmarks/rivals/mlp.py jax 1 "$steps"
  OMP_NUM_THREADS=2
  taskset -c 0,1 "$program" omp tbb --steps "$steps"
  taskset -c 0,1 $python benchmarks/rivals/mlp.py torch 2 "$steps"
  taskset -c 0,1 $python benchmarks/rivals/mlp.py jax 2 "$steps"
done >"$times"
echo "load after: $(cut -d ' ' -f 1-3 /proc/loadavg)"

sort -t $'\t' -k 2,2n -k 1,1 -k 3,3n "$times" | awk -F '\t' '
  { key = $2 FS $1; if (!(key in count)) order[++keys] = key
    median[key, ++count[key]] = $3; if (!(key in best) || $4 < best[key]) best[key] = $4 }
  END {
    for (i = 1; i <= keys; ++i) {
      split(order[i], part, FS)
      middle[i] = median[order[i], int((count[order[i]] + 1) / 2)]
      if (part[2] ~ /^plait/ && (!(part[1] in own) || middle[i] < own[part[1]])) {
        own[part[1]] = middle[i]; own_best[part[1]] = best[order[i]]
      }
    }
    printf "%-8s %-14s %10s %10s %8s %8s\n", "threads", "", "median ms", "fastest ms", "times", "times"
    for (i = 1; i <= keys; ++i) {
      split(order[i], part, FS)
      printf "%-8s %-14s %10.2f %10.2f %8.2f %8.2f\n", part[1], part[2], middle[i], best[order[i]], \
        middle[i] / own[part[1]], best[order[i]] / own_best[part[1]]
    }
  }'
