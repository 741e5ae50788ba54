#!/usr/bin/env bash
# Runs every benchmark and writes docs/performance.md: medians of plait and its rivals, measured in one run of one program.
#
#   scripts/benchmark.sh [FILTER]     FILTER: a regular expression; prints instead of writing the document
#
# Takes some twenty minutes on an idle machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Transparent huge pages for malloc, for all rivals alike, where the system grants them on request only: in a virtual
# machine a TLB miss on a small page costs more than the measured code.
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1

# OpenBLAS selects its oldest kernels on processors that it does not know: Debian's version on Intel's since Sapphire
# Rapids.
if grep -q 'vendor_id.*GenuineIntel' /proc/cpuinfo && grep -qw avx512f /proc/cpuinfo; then
  export OPENBLAS_CORETYPE=${OPENBLAS_CORETYPE:-SkylakeX}
fi

filter=${1:-}
scripts/bootstrap.sh >&2
cmake --preset release --log-level=WARNING >&2
programs=$(cmake --build build/release --target help | sed -nE 's/^(plait_bench_[a-z_]+): phony$/\1/p' | grep -v -E '_(protos|main)$')
# shellcheck disable=SC2086
cmake --build build/release --target $programs >&2

# Names are what/…/variant/input or variant/input. One table per `what`: one row per input, one column per variant.
tables() {
  awk -v program="$1" '
    function show(ns) {
      return ns < 1e3 ? sprintf("%.3g ns", ns) : ns < 1e6 ? sprintf("%.3g µs", ns / 1e3) \
           : ns < 1e9 ? sprintf("%.3g ms", ns / 1e6) : sprintf("%.3g s", ns / 1e9)
    }
    # Parses the JSON, which has one field per line; CSV requires the same counters everywhere.
    /"name": / { name = $0; sub(/^[^:]*: "/, "", name); sub(/",$/, "", name) }
    /"cpu_time": / { cpu_time = $2 + 0 }
    /"time_unit": / && name ~ /_median$/ {
      unit = /"us"/ ? 1e3 : /"ms"/ ? 1e6 : /"s"/ ? 1e9 : 1
      sub(/_median$/, "", name)
      parts = split(name, part, "/")
      input = part[parts]; variant = part[parts - 1]; what = parts > 2 ? part[1] : program
      for (i = 2; i < parts - 1; ++i) what = what ", " part[i]
      if (!(what in seen_what)) { seen_what[what] = ++whats; what_at[whats] = what }
      if (!((what, variant) in seen_variant)) { seen_variant[what, variant] = ++variants[what]; variant_at[what, variants[what]] = variant }
      if (!((what, input) in seen_input)) { seen_input[what, input] = ++inputs[what]; input_at[what, inputs[what]] = input }
      time[what, variant, input] = cpu_time * unit
    }
    # Runs are interleaved at random: columns with plait first, rows by the time of the first column.
    function swap(table, what, a, b,   kept) { kept = table[what, a]; table[what, a] = table[what, b]; table[what, b] = kept }
    function column(name) { return (name ~ /^plait/ ? "0" : "1") name }
    END {
      for (w = 1; w <= whats; ++w) {
        what = what_at[w]
        for (i = 2; i <= variants[what]; ++i)
          for (j = i; j > 1 && column(variant_at[what, j - 1]) > column(variant_at[what, j]); --j) swap(variant_at, what, j - 1, j)
        first = variant_at[what, 1]
        for (i = 2; i <= inputs[what]; ++i)
          for (j = i; j > 1 && time[what, first, input_at[what, j - 1]] > time[what, first, input_at[what, j]]; --j) swap(input_at, what, j - 1, j)
        printf "### %s\n\n| input |", what
        for (v = 1; v <= variants[what]; ++v) printf " %s |", variant_at[what, v]
        printf "\n|---|"
        for (v = 1; v <= variants[what]; ++v) printf "---:|"
        printf "\n"
        for (i = 1; i <= inputs[what]; ++i) {
          input = input_at[what, i]
          printf "| %s |", input
          for (v = 1; v <= variants[what]; ++v) {
            ns = time[what, variant_at[what, v], input]
            if (ns == "") printf " |"
            else if (input ~ /^[0-9]+$/) printf " %s (%.3g ns each) |", show(ns), ns / input
            else printf " %s |", show(ns)
          }
          printf "\n"
        }
        printf "\n"
      }
    }'
}

# One table per first part of the names: one row per remainder, one column per counter.
counters() {
  awk '
    $1 !~ /_median$/ { next }
    {
      sub(/_median$/, "", $1)
      gsub(/\/(iterations:[0-9]+|manual_time)/, "", $1)
      what = rest = $1
      sub(/\/.*/, "", what)
      if (!sub(/^[^\/]*\//, "", rest)) rest = what
      gsub(/[\/:]/, " ", rest)
      header = "| input | time |"
      line = "|---|---:|"
      row = "| " rest " | " $2 " " $3 " |"
      for (i = 7; i <= NF; ++i) {
        split($i, part, "=")
        header = header " " part[1] " |"
        line = line "---:|"
        row = row " " (part[2] ~ /^[0-9.]+$/ ? sprintf("%.3g", part[2]) : part[2]) " |"
      }
      if (what != last || header != last_header) printf "%s### %s\n\n%s\n%s\n", last == "" ? "" : "\n", what, header, line
      last = what
      last_header = header
      print row
    }
    END { printf "\n" }'
}

report() {
  cat <<TEXT
# Performance

Made by \`scripts/benchmark.sh\`; CPU time, medians of five repetitions, rivals in the same program and the same run.
"each" is the time divided by the number of ops.

- Machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores
- Compiler: $(c++ --version | head -n 1), the \`release\` preset
- Memory: large pages (\`GLIBC_TUNABLES=$GLIBC_TUNABLES\`)
- Load while measuring: $(cut -d ' ' -f 1 /proc/loadavg)

TEXT
  for program in $programs; do
    echo "## ${program#plait_bench_}"
    echo
    if [ "$program" = plait_bench_exec ]; then  # each row has its own ratios, measured in interleaved runs
      "$(find build/release/benchmarks -type f -name "$program")" --benchmark_repetitions=5 --benchmark_min_time=0.1 \
        --benchmark_display_aggregates_only=true ${filter:+--benchmark_filter="$filter"} 2>/dev/null | counters
      continue
    fi
    "$(find build/release/benchmarks -type f -name "$program")" --benchmark_repetitions=5 --benchmark_min_time=0.1 \
      --benchmark_enable_random_interleaving=true --benchmark_format=json ${filter:+--benchmark_filter="$filter"} 2>/dev/null |
      tables "${program#plait_bench_}"
  done
  if [ -z "$filter" ]; then
    echo "## Front-end time of the headers"
    echo
    benchmarks/compile_time/run.sh
    cat benchmarks/notes.md
  fi
}

if [ -n "$filter" ]; then
  report
else
  report >build/performance.md
  mv build/performance.md docs/performance.md
  echo "docs/performance.md is new"
fi
