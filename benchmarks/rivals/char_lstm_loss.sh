#!/usr/bin/env bash
# Compares the losses of examples/char_lstm with those of the same model in PyTorch, from the same parameters on the same
# text: fails if one of 200 differs by more than 1e-4 of it. Requires benchmarks/rivals/setup.sh.
#
#   benchmarks/rivals/char_lstm_loss.sh [OPTION...]   the options of char_lstm_loss.py
#
# The programs are those of PLAIT_BUILD_DIR, default build/demo, where scripts/demo.sh leaves them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

programs=${PLAIT_BUILD_DIR:-build/demo}/examples
python=${PLAIT_RIVALS_PYTHON:-build/rivals/venv/bin/python}
exec "$python" benchmarks/rivals/char_lstm_loss.py "$programs/char_lstm/char_lstm" "$programs/plait_cli/plait" \
  examples/data/tides.txt "$@"
