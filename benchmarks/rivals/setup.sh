#!/usr/bin/env bash
# Makes a virtual environment with the newest PyTorch (for CPUs), JAX, ONNX Runtime and OpenVINO that PyPI has:
# build/rivals/venv.
#
#   benchmarks/rivals/setup.sh
#
# What is there already stays; remove build/rivals/venv for newer ones.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

venv=build/rivals/venv
[ -x $venv/bin/python ] || python3 -m venv $venv
if ! $venv/bin/python -c 'import torch, jax, numpy' 2>/dev/null; then
  # PyTorch's own index has the builds without CUDA, which are a tenth in size; PyPI's work as well.
  $venv/bin/pip install --quiet torch --index-url https://download.pytorch.org/whl/cpu ||
    $venv/bin/pip install --quiet torch
  $venv/bin/pip install --quiet numpy jax
fi
$venv/bin/python -c 'import onnx, onnxruntime, openvino' 2>/dev/null ||
  $venv/bin/pip install --quiet onnx onnxruntime openvino
$venv/bin/python - <<'END'
import jax, onnxruntime, openvino, sys, torch
print("Python", sys.version.split()[0], "torch", torch.__version__, "jax", jax.__version__, "onnxruntime",
      onnxruntime.__version__, "openvino", openvino.__version__)
END
