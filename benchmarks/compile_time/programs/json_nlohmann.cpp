#include <cstdio>

#include <nlohmann/json.hpp>

int main(int, char** argv) { std::puts(nlohmann::json::parse(argv[1]).dump(2).c_str()); }
