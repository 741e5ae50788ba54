5"If*
then_netB
i
a
b"Sum:a*
nsJ
1J
2