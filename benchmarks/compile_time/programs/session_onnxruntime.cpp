#include <onnxruntime_cxx_api.h>

#include <cstdint>
#include <vector>

int main(int, char** argv) {
  Ort::Env env;
  Ort::Session s(env, argv[1], Ort::SessionOptions{});
  std::vector<float> x(6);
  std::vector<std::int64_t> const shape{2, 3};
  auto const memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  auto const value = Ort::Value::CreateTensor<float>(memory, x.data(), x.size(), shape.data(), shape.size());
  char const* const inputs[] = {"x"};
  char const* const outputs[] = {"y"};
  auto y = s.Run(Ort::RunOptions{}, inputs, &value, 1, outputs, 1);
  return y[0].GetTensorMutableData<float>()[0] > 0;
}
