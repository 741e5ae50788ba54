#include <cstdio>

#include <plait/netdef/text.hpp>

int main(int, char** argv) { std::puts(plait::to_text(plait::read_netdef_text(argv[1])).c_str()); }
