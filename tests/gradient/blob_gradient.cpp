#include <plait/gradient/detail/blob_gradient.hpp>

#include <doctest/doctest.h>

using plait::blob_gradient;

TEST_CASE("blob_gradient: is dense, or sparse with indices") {
  auto const dense = blob_gradient::dense("w_grad");
  CHECK(dense.values == "w_grad");
  CHECK(!dense.is_sparse());
  auto const sparse = blob_gradient::sparse("rows", "w_grad");
  CHECK(sparse.values == "w_grad");
  CHECK(sparse.indices == "rows");
  CHECK(sparse.is_sparse());
  CHECK(dense != sparse);
  CHECK(dense == blob_gradient{"w_grad"});
}
