#!/usr/bin/env bash
# Runs a program on three ranks, the last of them in a network namespace of its own, which the program cuts off by the
# command in PLAIT_TEST_CUT_OFF. For Open MPI. Exits with 77 where namespaces may not be made.
#
#   cut_off.sh <mpiexec> <program> <argument>...
set -eu
mpiexec=$1
shift
name=pl$$
net=198.18.$(($$ % 256))
skip() {
  echo "skipped: $1"
  exit 77
}
command -v ip >/dev/null || skip "iproute2 is not installed"
ip netns add "$name" 2>/dev/null || skip "network namespaces may not be made here"
trap 'ip link delete "${name}a" 2>/dev/null || true; ip netns delete "$name"' EXIT
ip link add "${name}a" type veth peer name "${name}b" netns "$name" || skip "veth pairs may not be made here"
ip address add "$net.1/30" dev "${name}a"
ip link set "${name}a" up
ip -n "$name" address add "$net.2/30" dev "${name}b"
ip -n "$name" link set "${name}b" up
ip -n "$name" link set lo up
export PLAIT_TEST_CUT_OFF="ip link set ${name}a down"
# Ranks find their server, and each other, through the pair alone.
export PMIX_MCA_ptl_base_remote_connections=1 PMIX_MCA_ptl_base_if_include="${name}a,${name}b"
export PMIX_MCA_ptl_tcp_remote_connections=1 PMIX_MCA_ptl_tcp_if_include="${name}a,${name}b"
export OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include="$net.0/30" OMPI_MCA_pml=ob1
"$mpiexec" --allow-run-as-root --oversubscribe --bind-to none --enable-recovery -np 2 "$@" : -np 1 ip netns exec "$name" "$@"
