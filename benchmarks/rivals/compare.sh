#!/usr/bin/env bash
# Interleaves runs of plait and its rivals, on one processor and on two: milliseconds, and multiples of plait's time.
# Requires benchmarks/rivals/setup.sh.
#
#   benchmarks/rivals/compare.sh [mlp] [ROUNDS [STEPS]]   a training step; default: 5 rounds of 60 steps
#   benchmarks/rivals/compare.sh lstm [ROUNDS [STEPS]]    LSTMs over sequences, inference and training; 3 rounds of
#                                                         a second each (0 steps)
#   benchmarks/rivals/compare.sh cells [ROUNDS [STEPS]]   user-defined cells, 3 rounds of 20; also how far results
#                                                         differ
#   benchmarks/rivals/compare.sh operators [ROUNDS]       element-wise chains, softmax, sums; 3 rounds
#   benchmarks/rivals/compare.sh device [ROUNDS [STEPS]]  the cases of lstm and cells on a CUDA device, by the program
#                                                         of cmake --build --preset cuda --target plait_device; 3
#                                                         rounds of 30
#   benchmarks/rivals/compare.sh models FOLDER [ROUNDS]   ONNX models against ONNX Runtime, and the memory of both: the
#                                                         folders in FOLDER are cases in the layout of ONNX's own tests;
#                                                         3 rounds
#   benchmarks/rivals/compare.sh nets [ROUNDS]            SSA, gradients, plans and tiny ops against Caffe2's; 3 rounds
#
# Caffe2 is included if setup.sh has found a Python for it. PLAIT_PYTHON is another Python that has the rivals.
# Prints the median of all rounds' medians, and the fastest step of all.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

subject=mlp
case ${1:-} in mlp | lstm | cells | operators | device | models | nets) subject=$1 && shift ;; esac
if [ $subject = models ]; then cases=$1 && shift; fi
rounds=${1:-$([ $subject = mlp ] && echo 5 || echo 3)}
declare -A usual_steps=([mlp]=60 [lstm]=0 [cells]=20 [operators]= [device]=30 [models]= [nets]=)
steps=${2:-${usual_steps[$subject]}}
python=${PLAIT_PYTHON:-build/rivals/venv/bin/python}
caffe2=build/rivals/caffe2/bin/python
find_program() { find build/release/benchmarks -type f -name "$1"; }
shapes='100,1,256,256 50,32,512,512 20,64,1024,1024 200,16,128,128'
times=$(mktemp)
results=$(mktemp --directory)
trap 'rm -rf "$times" "$results"' EXIT
export OMP_NUM_THREADS

# Each in its own process: OpenMP's threads spin for milliseconds after their last loop.
two_threads() {
  local program=$1 backend
  shift
  for backend in omp tbb; do taskset -c 0,1 "$program" $backend "$@"; done
}

mlp_round() {
  local program=${PLAIT_TRAINING_STEP:-$(find_program plait_training_step)}
  OMP_NUM_THREADS=1
  taskset -c 0 "$program" serial --steps "$steps"
  taskset -c 0 $python benchmarks/rivals/mlp.py torch 1 "$steps"
  taskset -c 0 $python benchmarks/rivals/mlp.py jax 1 "$steps"
  OMP_NUM_THREADS=2
  two_threads "$program" --steps "$steps"
  taskset -c 0,1 $python benchmarks/rivals/mlp.py torch 2 "$steps"
  taskset -c 0,1 $python benchmarks/rivals/mlp.py jax 2 "$steps"
}

# One case at a time, so that the runs that are compared are close in time.
lstm_round() {
  local program=${PLAIT_LSTM:-$(find_program plait_lstm)} onednn='' shape rival
  if ldd "$program" | grep -q dnnl; then onednn=onednn; fi
  for shape in $shapes; do
    OMP_NUM_THREADS=1
    taskset -c 0 "$program" serial $onednn --case $shape --steps "$steps"
    for rival in torch jax onnxruntime openvino; do
      taskset -c 0 $python benchmarks/rivals/lstm.py $rival 1 --case $shape --steps "$steps"
    done
    if [ -x $caffe2 ]; then
      taskset -c 0 $caffe2 benchmarks/rivals/lstm.py caffe2 1 --case $shape --steps "$steps" 2>/dev/null
    fi
    OMP_NUM_THREADS=2
    two_threads "$program" --case $shape --steps "$steps"
    if [ "$onednn" ]; then taskset -c 0,1 "$program" $onednn --case $shape --steps "$steps"; fi
    for rival in torch jax onnxruntime openvino; do
      taskset -c 0,1 $python benchmarks/rivals/lstm.py $rival 2 --case $shape --steps "$steps"
    done
    if [ -x $caffe2 ]; then
      taskset -c 0,1 $caffe2 benchmarks/rivals/lstm.py caffe2 2 --case $shape --steps "$steps" 2>/dev/null
    fi
  done
}

cells_round() {
  local program=${PLAIT_CELLS:-$(find_program plait_cells)} cell shape kind rival what
  for cell in gru layer_norm_lstm; do
    for shape in $shapes; do
      for kind in infer train; do
        what="--cell $cell --case $shape --$kind --steps $steps --results $results"
        OMP_NUM_THREADS=1
        taskset -c 0 "$program" serial $what
        for rival in torch jax; do taskset -c 0 $python benchmarks/rivals/cells.py $rival 1 $what; done
        OMP_NUM_THREADS=2
        two_threads "$program" $what
        for rival in torch jax; do taskset -c 0,1 $python benchmarks/rivals/cells.py $rival 2 $what; done
      done
    done
  done
}

operators_round() {
  local program=${PLAIT_OPERATORS:-$(find_program plait_operators)} rival
  OMP_NUM_THREADS=1
  taskset -c 0 "$program" serial
  for rival in torch jax; do taskset -c 0 $python benchmarks/rivals/operators.py $rival 1; done
  OMP_NUM_THREADS=2
  two_threads "$program"
  for rival in torch jax; do taskset -c 0,1 $python benchmarks/rivals/operators.py $rival 2; done
}

device_round() {
  local program=${PLAIT_DEVICE:-build/cuda/benchmarks/rnn/plait_device} rival
  OMP_NUM_THREADS=1
  "$program" plan graph --steps "$steps"
  for rival in torch jax; do
    $python benchmarks/rivals/lstm.py $rival 1 --device cuda --steps "$steps"
    $python benchmarks/rivals/cells.py $rival 1 --device cuda --steps "$steps"
  done
}

# A process a case, for its memory.
models_round() {
  local program=${PLAIT_MODELS:-$(find_program plait_models)} model
  OMP_NUM_THREADS=1
  for model in "$cases"/*/model.onnx; do
    taskset -c 0 "$program" "${model%/model.onnx}"
    taskset -c 0 "$program" --onednn "${model%/model.onnx}" || [ $? = 77 ]
    taskset -c 0 $python benchmarks/rivals/models.py "${model%/model.onnx}"
  done
}

nets_round() {
  taskset -c 0 "${PLAIT_NETS:-$(find_program plait_nets)}"
  taskset -c 0 $caffe2 benchmarks/rivals/nets.py caffe2 2>/dev/null
}

echo "load before: $(cut -d ' ' -f 1-3 /proc/loadavg)"
for ((round = 0; round != rounds; ++round)); do
  ${subject}_round
done >"$times"
echo "load after: $(cut -d ' ' -f 1-3 /proc/loadavg)"

if grep -q '^#' "$times"; then
  echo "furthest apart: $(grep '^#' "$times" | awk '{ print $(NF - 1), $0 }' | sort -gr | head -n 1 | cut -d ' ' -f 3-)"
fi
grep -v '^#' "$times" | sort -t $'\t' -k 5,5 -k 2,2n -k 1,1 -k 3,3n | awk -F '\t' -v with_memory=$([ $subject = models ] && echo 1 || echo 0) '
  { key = $5 FS $2 FS $1; if (!(key in count)) order[++keys] = key
    median[key, ++count[key]] = $3; if (!(key in best) || $4 < best[key]) best[key] = $4; memory[key] = $6 }
  END {
    for (i = 1; i <= keys; ++i) {
      split(order[i], part, FS)
      middle[i] = median[order[i], int((count[order[i]] + 1) / 2)]
      set = part[1] FS part[2]
      if (part[3] ~ /^plait/ && (!(set in own) || middle[i] < own[set])) {
        own[set] = middle[i]; own_best[set] = best[order[i]]
      }
    }
    printf "%-38s %-8s %-14s %10s %10s %8s %8s%s\n", "", "threads", "", "median ms", "fastest ms", "times", "times", \
      with_memory ? "       MB" : ""
    for (i = 1; i <= keys; ++i) {
      split(order[i], part, FS)
      set = part[1] FS part[2]
      printf "%-38s %-8s %-14s %10.4g %10.4g %8.2f %8.2f%s\n", part[1], part[2], part[3], middle[i], best[order[i]], \
        middle[i] / own[set], best[order[i]] / own_best[set], with_memory ? sprintf(" %8.1f", memory[order[i]]) : ""
    }
  }'
