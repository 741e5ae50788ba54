#include <plait/interop/dlpack.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>
#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/kernels/convert.hpp>
#include <support/emulated_device.hpp>

namespace {

// The structs of dlpack.h.
enum device_kind { cpu = 1, gpu = 2 };
struct managed_tensor {
  struct {
    void* data;
    struct {
      device_kind device_type;
      std::int32_t device_id;
    } device;
    std::int32_t ndim;
    struct {
      std::uint8_t code;
      std::uint8_t bits;
      std::uint16_t lanes;
    } dtype;
    std::int64_t* shape;
    std::int64_t* strides;
    std::uint64_t byte_offset;
  } dl_tensor;
  void* manager_ctx;
  void (*deleter)(managed_tensor*);
};

using tensor = plait::tensor<plait::serial>;

TEST_CASE("dlpack: an exported tensor is imported with the same memory and strides") {
  auto const whole = tensor::from(std::vector<double>{1, 2, 3, 4, 5, 6}, {2, 3});
  auto const turned = whole.transpose(std::vector<std::size_t>{1, 0}).slice(0, 1, 3);
  managed_tensor* const out = plait::to_dlpack<managed_tensor>(turned);
  CHECK(out->dl_tensor.ndim == 2);
  CHECK(out->dl_tensor.strides[0] == 1);
  CHECK(out->dl_tensor.strides[1] == 3);
  CHECK_FALSE(whole.is_unique());
  {
    auto const back = plait::from_dlpack<plait::serial>(out);
    CHECK(back.raw() == turned.raw());
    CHECK(back.spec() == turned.spec());
    CHECK(back.values<double>() == std::vector<double>{2, 5, 3, 6});
  }  // the deleter has run: only `turned` shares with `whole`
  CHECK(turned.owner().use_count() == 2);
}

TEST_CASE("dlpack: an imported tensor aliases the memory, and is deleted once, by the last handle") {
  static int deleted = 0;
  float elements[] = {0, 1, 2, 3};
  std::int64_t shape[] = {3};
  managed_tensor given{
      {elements, {cpu, 0}, 1, {2, 32, 1}, shape, nullptr, sizeof(float)}, nullptr, [](managed_tensor*) { ++deleted; }};
  {
    tensor copy;
    {
      auto const t = plait::from_dlpack<plait::serial>(&given);
      copy = t;
      elements[1] = 10;
      CHECK(t.values<float>() == std::vector<float>{10, 2, 3});
    }
    CHECK(deleted == 0);
  }
  CHECK(deleted == 1);

  given.dl_tensor.device.device_type = gpu;
  CHECK_THROWS_AS(static_cast<void>(plait::from_dlpack<plait::serial>(&given)), plait::shape_error);
  given.dl_tensor.device.device_type = cpu;
  given.dl_tensor.dtype.code = 5;  // complex
  CHECK_THROWS_AS(static_cast<void>(plait::from_dlpack<plait::serial>(&given)), plait::shape_error);
  CHECK(deleted == 1);
}

struct versioned_tensor {
  struct {
    std::uint32_t major;
    std::uint32_t minor;
  } version;
  void* manager_ctx;
  void (*deleter)(versioned_tensor*);
  std::uint64_t flags;
  decltype(managed_tensor::dl_tensor) dl_tensor;
};

TEST_CASE("dlpack: a versioned struct must have a supported version and writable memory") {
  auto const t = tensor::from(std::vector<float>{1, 2}, {2});
  versioned_tensor* const out = plait::to_dlpack<versioned_tensor>(t);
  CHECK(out->version.major == 1);
  CHECK(out->flags == 0);
  out->flags = 1;
  CHECK_THROWS_WITH_AS(static_cast<void>(plait::from_dlpack<plait::serial>(out)), doctest::Contains("read-only"),
                       plait::shape_error);
  out->flags = 0;
  out->version.major = 2;
  CHECK_THROWS_WITH_AS(static_cast<void>(plait::from_dlpack<plait::serial>(out)), doctest::Contains("version 2"),
                       plait::shape_error);
  out->version.major = 1;
  CHECK(plait::from_dlpack<plait::serial>(out).raw() == t.raw());
}

// A device of which there are several.
struct third_device : test::emulated_device {
  static int device_of(void const*) { return 3; }
};

TEST_CASE("dlpack: a tensor on a device has its device id") {
  auto const t = plait::tensor<third_device>::from(std::vector<float>{1, 2}, {2});
  managed_tensor* const out = plait::to_dlpack<managed_tensor>(t);
  CHECK(out->dl_tensor.device.device_type == gpu);
  CHECK(out->dl_tensor.device.device_id == 3);
  CHECK(plait::from_dlpack<third_device>(out).values<float>() == std::vector<float>{1, 2});
  managed_tensor* const here = plait::to_dlpack<managed_tensor>(tensor::from(std::vector<float>{1}, {1}));
  CHECK(here->dl_tensor.device.device_type == cpu);
  CHECK(here->dl_tensor.device.device_id == 0);
  here->deleter(here);
}

TEST_CASE_TEMPLATE("dlpack: 16-bit floats round-trip", T, plait::float16, plait::bfloat16) {
  std::vector<T> const elements = {plait::convert<T>(1.5f), plait::convert<T>(-2.0f)};
  managed_tensor* const out = plait::to_dlpack<managed_tensor>(tensor::from(elements, {2}));
  CHECK(out->dl_tensor.dtype.bits == 16);
  CHECK(out->dl_tensor.dtype.code == (std::is_same_v<T, plait::float16> ? 2 : 4));
  auto const back = plait::from_dlpack<plait::serial>(out);
  CHECK((back.template values<T>() == elements));
}

TEST_CASE_TEMPLATE("dlpack: every element type round-trips", T, float, double, std::int32_t, std::int64_t, bool,
                   std::uint8_t) {
  auto const t = tensor::from(std::vector<T>{1, 0, 1}, {3});
  auto const back = plait::from_dlpack<plait::serial>(plait::to_dlpack<managed_tensor>(t));
  CHECK(back.template values<T>() == std::vector<T>{1, 0, 1});
}

}  // namespace
