#include <cstdio>

#include <plait/netdef/json.hpp>

int main(int, char** argv) { std::puts(plait::to_json(plait::read_netdef_json(argv[1])).c_str()); }
