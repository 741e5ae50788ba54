#!/usr/bin/env bash
# Makes a virtual environment with the newest PyTorch (for CPUs), JAX, ONNX Runtime and OpenVINO that PyPI has:
# build/rivals/venv. With Python 3.6 or 3.7, which PLAIT_OLD_PYTHON may name, also one with Caffe2 from the wheel of
# PyTorch 1.0: build/rivals/caffe2.
#
#   benchmarks/rivals/setup.sh
#
# Keeps existing environments; remove build/rivals for newer ones.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

venv=build/rivals/venv
[ -x $venv/bin/python ] || python3 -m venv $venv
if ! $venv/bin/python -c 'import torch, jax, numpy' 2>/dev/null; then
  $venv/bin/pip install --quiet torch numpy jax
fi
$venv/bin/python -c 'import onnx, onnxruntime, openvino' 2>/dev/null ||
  $venv/bin/pip install --quiet onnx onnxruntime openvino
$venv/bin/python - <<'END'
import jax, onnxruntime, openvino, sys, torch
print("Python", sys.version.split()[0], "torch", torch.__version__, "jax", jax.__version__, "onnxruntime",
      onnxruntime.__version__, "openvino", openvino.__version__)
END

old=${PLAIT_OLD_PYTHON:-}
for each in python3.7 python3.6; do
  if [ -z "$old" ] && $each -c '' 2>/dev/null; then old=$each; fi
done
if [ -z "$old" ]; then
  echo "no Caffe2: there is neither Python 3.6 nor 3.7 (PLAIT_OLD_PYTHON)"
  exit
fi
venv=build/rivals/caffe2
[ -x $venv/bin/python ] || $old -m venv $venv
$venv/bin/python -c 'from caffe2.python import core' 2>/dev/null ||
  $venv/bin/pip install --quiet torch==1.0.0 'numpy<1.22' 'protobuf<3.20' future six
$venv/bin/python - 2>/dev/null <<'END'
import sys, torch
from caffe2.python import workspace
print("Python", sys.version.split()[0], "Caffe2 of torch", torch.__version__, "operators", len(workspace.RegisteredOperators()))
END
