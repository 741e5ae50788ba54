#include <Eigen/Dense>

int main() {
  Eigen::MatrixXf const w = Eigen::MatrixXf::Random(64, 64);
  Eigen::MatrixXf const x = Eigen::MatrixXf::Random(8, 64);
  Eigen::MatrixXf const y = ((x * w).rowwise() + w.row(0)).cwiseMax(0);
  return y(0, 0) > 0;
}
