// References, exceptions and lambdas: pointers that go away, landing pads, names that need quotes. See README.md.
int c(int);
int through_reference(int x) { int y = 0; int& r = y; while (c(r)) r += x; int const& q = r; return q + y; }
int in_loop(int n) { int y = 0; for (int i = 0; i < n; ++i) { int& r = y; r += i; if (c(r)) { int&& k = static_cast<int&&>(r); k++; } } return y; }
struct guard { ~guard(); int v; };
int cleanup(int n) {
  guard a;
  int s = 0;
  for (int i = 0; i < n; ++i) {
    guard b;
    try { s += c(i); if (s > 100) throw s; } catch (int& e) { s = e; } catch (guard const& z) { s += z.v; }
    if (s == 4) break;
  }
  return s;
}
template <class F> int repeat(int n, F f) { int s = 0; while (n--) s = f(s); return s; }
int lambdas(int k, int n) { int m = 0; return repeat(n, [&](int z) { if (z > k) m = z; else m++; return z + m; }); }
