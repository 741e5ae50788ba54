#include <cstdio>

#include <plait/netdef/binary.hpp>

int main(int, char** argv) { std::puts(plait::to_binary(plait::read_netdef_binary(argv[1])).c_str()); }
