#include <plait/net/detail/name_generator.hpp>

#include <set>
#include <string>

#include <doctest/doctest.h>

#include <net/test_nets.hpp>

TEST_CASE("unique_names: a taken name gets a number") {
  plait::unique_names names;
  CHECK(names.next("net") == "net");
  CHECK(names.next("net") == "net_1");
  CHECK(names.next("net") == "net_2");
  CHECK(names.next("net", "train") == "train/net");
  CHECK(names.next("", "train") == "train");
  CHECK(names.take("net_3"));
  CHECK_FALSE(names.take("net_3"));
  CHECK(names.next("net") == "net_4");
  CHECK(names.next("net_1") == "net_1_1");
  CHECK(names.taken("net_4"));
  CHECK_FALSE(names.taken("net_5"));
}

TEST_CASE("name_generator: names of blobs follow Caffe2") {
  plait::name_generator names("net");
  CHECK(names.next_name() == "net_blob_0");
  CHECK(names.next_name() == "net_blob_1");
  CHECK(names.next_name("fc") == "net/fc");
  CHECK(names.next_name("fc") == "net/fc_2");
  CHECK(names.next_name("fc", 1) == "net/fc:1");
  CHECK(names.next_name("fc", 1) == "net/fc_2:1");
  CHECK(names.next_name("fc", 1) == "net/fc_3:1");
  CHECK(names.next_blob("w") == "w");
  CHECK(names.next_blob("w") == "w_auto_0");
  CHECK(names.next_scoped_blob("layer/", "w") == "layer/w");
  CHECK(names.next_scoped_blob("layer/", "w") == "layer/w_auto_0");
  CHECK(names.next_blob() == "unnamed");
  names.take("w_auto_1");
  CHECK(names.next_blob("w") == "w_auto_2");
  names.take("net_blob_2");
  CHECK(names.next_name("") == "net_blob_3");
}

TEST_CASE_TEMPLATE("name_generator: a loaded net's counter is read with all its digits", N, PLAIT_TEXT_NETS) {
  auto const n = test::make_net<N>({{{"Relu", {"x"}, {"net_blob_8"}}, {"Relu", {"net_blob_8"}, {"net_blob_137"}}},
                                    {"x", "net_blob_99999999999999999999", "other_blob_500", "net_blob_1x"},
                                    {"net_blob_137", "net/fc"}});
  plait::name_generator names("net", n);
  CHECK(names.next_name() == "net_blob_138");
  CHECK(names.next_name("fc") == "net/fc_2");
  CHECK(names.next_blob("x") == "x_auto_0");
}

TEST_CASE("name_generator: returns no name twice") {
  plait::name_generator names("n");
  std::set<std::string> seen;
  for (int i = 0; i != 20'000; ++i) {
    CHECK(seen.insert(names.next_blob("b")).second);
    CHECK(seen.insert(names.next_blob("b_auto_1")).second);
    CHECK(seen.insert(names.next_name("b")).second);
  }
}
