#include <plait/exec/detail/blob.hpp>

#include <memory>
#include <string_view>

#include <doctest/doctest.h>

#include <plait/exec/backends/serial/serial.hpp>

namespace {

struct thing final : plait::blob_object {
  std::string_view kind() const override { return "thing"; }
};

TEST_CASE("blob: holds nothing, a tensor or an object") {
  plait::blob<plait::serial> b;
  CHECK(b.spec().type == plait::element_type::none);

  b.value = plait::tensor<plait::serial>::from(std::vector<float>{1, 2, 3}, {3});
  CHECK(b.spec().type == plait::element_type::none);  // is_set is still false
  b.is_set = true;
  CHECK(b.spec().type == plait::element_type::float32);
  CHECK(b.spec().dims == plait::shape{3});

  auto const shared = std::make_shared<thing>();
  b.object = shared;
  CHECK(b.spec().type == plait::element_type::object);
  CHECK(b.object->kind() == "thing");

  b.clear();
  CHECK(b.spec().type == plait::element_type::none);
  CHECK(b.object == nullptr);
  CHECK(shared.use_count() == 1);
  b.clear();
}

}  // namespace
