#!/usr/bin/env bash
# Installs the packages that build, test and demonstrate plait. The only place with package names.
#
#   scripts/bootstrap.sh [demo]     demo: only what scripts/demo.sh builds and runs with
#
# With apt it installs missing packages, as root or through sudo. Elsewhere it lists them and installs nothing. Idempotent:
# if nothing is missing, it only queries dpkg and returns at once.
set -euo pipefail
scope=${1:-all}

say() { printf 'bootstrap: %s\n' "$*"; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    say "root or sudo is needed to install packages" >&2
    exit 1
  fi
}

# ---- apt ----------------------------------------------------------------------------------------------------------

# One line per requirement: alternative packages, the preferred one first. `name>=version` requires at least that version.
needs=(
  "g++>=4:12"
  "cmake>=3.25"
  "ninja-build"
  "pkg-config pkgconf"
  "libboost1.81-dev libboost1.83-dev libboost-dev>=1.81"
  "nlohmann-json3-dev>=3.11"
  "libprotozero-dev>=1.7"
  "doctest-dev>=2.4"
  "libcli11-dev>=2.1"
  "libthrust-dev>=1.17 libcccl-dev"
  "libtbb-dev>=2021"
)
# Optional packages, with which more tests run, or the same ones faster.
wishes=(
  "ccache"
  "graphviz"
  "gdb"
  "chromium chromium-browser"
  "libopenblas-dev"
  "libopenmpi-dev libmpich-dev"
  "openmpi-bin mpich"
  "libdnnl-dev"
  "ocl-icd-opencl-dev"
  "libbenchmark-dev>=1.7"
  "libsleef-dev"
  "libeigen3-dev"
  "protobuf-compiler"
  "libprotobuf-dev"
  "libonnx-dev"
  "libonnx-testdata"
  "llvm-14-dev llvm-15-dev llvm-16-dev llvm-17-dev llvm-18-dev llvm-19-dev llvm-20-dev llvm-21-dev llvm-22-dev llvm-dev>=1:14"
  "clang-16 clang-17 clang-18 clang-19"
  "clang-format-16"
  "libomp-16-dev libomp-17-dev libomp-18-dev libomp-19-dev libomp-dev>=1:16"
  "doxygen"
  "chromium"
  "python3-venv"
  "libclang-rt-16-dev libclang-rt-17-dev libclang-rt-18-dev libclang-rt-19-dev"
)

if [ "$scope" = demo ]; then
  wishes=("graphviz")
  for i in "${!needs[@]}"; do
    case ${needs[i]} in doctest*) unset "needs[i]" ;; esac
  done
fi

# is_at_least VERSION NAME[>=WANTED]
is_at_least() { [ "${2#*>=}" = "$2" ] || dpkg --compare-versions "$1" ge "${2#*>=}"; }

installed() {
  local found
  found=$(dpkg-query -W -f='${db:Status-Status} ${Version}' "${1%%>=*}" 2>/dev/null) || return 1
  [ "${found%% *}" = installed ] && is_at_least "${found#* }" "$1"
}

available() {
  local candidate
  candidate=$(apt-cache policy "${1%%>=*}" 2>/dev/null | sed -n 's/^ *Candidate: //p')
  [ -n "$candidate" ] && [ "$candidate" != "(none)" ] && is_at_least "$candidate" "$1"
}

# met ALTERNATIVES: returns 0 if one of them is installed.
met() {
  local choice
  for choice in $1; do
    if installed "$choice"; then return 0; fi
  done
  return 1
}

all_met() {
  local line
  for line in "$@"; do
    met "$line" || return 1
  done
}

# pick ALTERNATIVES: prints the first that is available on this system.
pick() {
  local choice
  for choice in $1; do
    if available "$choice"; then
      echo "${choice%%>=*}"
      return 0
    fi
  done
  return 1
}

apt_install() { as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@"; }

with_apt() {
  # Remembers unavailable optional packages until this file changes, so that they are not searched each time.
  local stamp line package packages=() unmet=()
  stamp=$(dirname "$0")/../build/.bootstrapped-$scope

  if all_met "${needs[@]}" && { all_met "${wishes[@]}" || [ "$stamp" -nt "$0" ]; }; then
    say "all packages are there"
    return
  fi

  say "reading the package lists (apt-get update)"
  as_root apt-get update -qq || say "apt-get update failed; going on with the lists there are" >&2

  for line in "${needs[@]}"; do
    if met "$line"; then
      continue
    elif package=$(pick "$line"); then
      packages+=("$package")
    else
      unmet+=("$line")
    fi
  done
  if [ ${#unmet[@]} -ne 0 ]; then
    say "this system does not offer these; install them by hand and set CMAKE_PREFIX_PATH to where they are:" >&2
    printf '  one of: %s\n' "${unmet[@]}" >&2
    exit 1
  fi
  if [ ${#packages[@]} -ne 0 ]; then
    say "installing what plait needs: ${packages[*]}"
    apt_install "${packages[@]}"
  fi

  for line in "${wishes[@]}"; do
    if met "$line"; then
      continue
    elif package=$(pick "$line"); then
      say "installing $package"
      apt_install "$package" || say "could not install $package; going on without it" >&2
    else
      say "not offered by this system, going on without: ${line%% *}"
    fi
  done
  mkdir -p "$(dirname "$stamp")"
  touch "$stamp"
}

# MkDocs for scripts/docs.sh, in the versions of scripts/site/requirements.txt. The copy of that file says that all are there.
docs_venv() {
  local wanted venv
  wanted=$(dirname "$0")/site/requirements.txt
  venv=$(dirname "$0")/../build/docs-venv
  if cmp -s "$wanted" "$venv/requirements.txt"; then return 0; fi
  say "installing MkDocs in build/docs-venv"
  if rm -rf "$venv" && python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"; then
    cp "$wanted" "$venv/requirements.txt"
  else
    say "could not install MkDocs; going on without it" >&2
  fi
}

# ---- elsewhere ----------------------------------------------------------------------------------------------------

without_apt() {
  local missing=() compiler='' name
  for name in "${CXX:-c++}" g++ clang++; do
    if command -v "$name" >/dev/null; then
      compiler=$name
      break
    fi
  done
  [ -n "$compiler" ] || missing+=("a C++20 compiler: GCC 12 or clang 16 or later")
  if ! { command -v cmake >/dev/null && { echo 3.25 && cmake --version; } | sed -n 's/^cmake version //;1,2p' | sort -CV; }; then
    missing+=("CMake 3.25 or later")
  fi
  command -v ninja >/dev/null || missing+=("Ninja")
  header() {
    if [ -n "$compiler" ] && ! echo "#include <$1>" | "$compiler" -std=c++20 -E -x c++ - >/dev/null 2>&1; then
      missing+=("$2: <$1> is not on the compiler's include path")
    fi
  }
  header boost/unordered/unordered_flat_map.hpp "Boost 1.81 or later (headers)"
  header nlohmann/json.hpp "nlohmann_json 3.11 or later"
  header protozero/pbf_reader.hpp "protozero 1.7 or later (headers)"
  if [ "$scope" = all ]; then header doctest/doctest.h "doctest 2.4 or later"; fi
  header CLI/CLI.hpp "CLI11 2.1 or later"
  header thrust/version.h "Thrust 1.17 or later, or CCCL (headers)"
  header tbb/version.h "oneTBB 2021 or later"
  if [ -n "$compiler" ] && ! echo 'int main() {}' | "$compiler" -fopenmp -x c++ - -o /dev/null >/dev/null 2>&1; then
    missing+=("OpenMP for $compiler")
  fi
  if [ ${#missing[@]} -eq 0 ]; then
    say "this system has no apt; all that is needed is there"
  else
    say "this system has no apt; please install:" >&2
    printf '  %s\n' "${missing[@]}" >&2
    say "optional: ccache, graphviz, gdb, chromium, an MPI, Google Benchmark, protobuf, LLVM 14 or later, clang 16 with libFuzzer" >&2
    exit 1
  fi
}

if command -v apt-get >/dev/null; then
  with_apt
  if [ "$scope" = all ]; then docs_venv; fi
else
  without_apt
fi
