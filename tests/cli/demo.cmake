# Golden files: the output for the net of demo.sh, which newcomers see.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

plait(0 info demo_net.pbtxt)
same("${OUT}" info.txt)
plait(0 check demo_net.pbtxt)
same("${OUT}" check.txt)
plait(0 ssa demo_net.pbtxt)
same("${OUT}" ssa.txt)
plait(0 prune --dry-run demo_net.pbtxt)
same("${OUT}" prune.txt)
plait(0 subgraph demo_net.pbtxt --from h --to mixed)
same("${OUT}" subgraph.txt)
plait(0 prune demo_net.pbtxt)
same("${OUT}" pruned.pbtxt)

# No line is wider than the terminal, and truncated cells end with an ellipsis.
set(ENV{COLUMNS} 40)
plait(0 ssa demo_net.pbtxt)
same("${OUT}" ssa_40.txt)
finish()
