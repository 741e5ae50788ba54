// Control flow and variables that are rare in ordinary code. See README.md.
int c(int);
void use(int*);
void die(void) __attribute__((noreturn));

int one_block(int x) { return x + 1; }
int endless(int x) { for (;;) x = c(x); }
int two_endless(int x) {
  if (x) for (;;) { x = c(x); if (x == 3) x++; }
  else while (1) { if (c(1)) c(2); }
}
int endless_within(int x) { while (x--) { if (c(x) == 7) for (;;) c(3); } return x; }
int self_loop(int x) { l: goto l; }
int nested_endless(int x) { for (;;) { while (c(x)) if (c(2)) break; do x++; while (c(x)); } }
void no_return(int x) { if (x) die(); die(); }
int many_ends(int x) {
  switch (x) { case 1: return 1; case 2: for (;;); case 3: die(); default: while (1) if (c(1)) die(); }
}
int irreducible(int x, int y) {
  if (x) goto b;
a: y = c(y); if (y == 4) return y;
b: y = c(y + 1); if (y == 5) goto a;
  return x + y;
}
int duff(int n) {
  int i = 0;
  switch (n & 3) {
    case 0: do { i = c(i);
    case 1: i = c(i + 1);
    case 2: i = c(i + 2); while (c(i)) { i++; if (i == 9) goto out; }
    case 3: i = c(i + 3); } while (--n > 0);
  }
out: return i;
}
int natural_in_irreducible(int n) {
  int i = n;
h: i = c(i); if (i == 1) goto in;
l: if (c(i)) goto h;
  if (c(2)) goto done;
in: i += 2; if (c(i) == 3) goto l;
  goto h;
done: return i;
}
int two_kinds_of_latches(int n) {
  int i = n;
  if (c(0)) goto in;
h: i = c(i); if (i == 1) goto h;
  if (c(i)) goto done;
in: i += 2; goto h;
done: return i;
}
int computed(int n) {
  static void* t[] = {&&a, &&b, &&d};
  int r = 0;
  goto *t[n % 3];
a: r += 1; if (c(r)) goto *t[r % 3];
b: r += 2; goto *t[r % 3];
d: return r;
}
int assembly(int x) {
  asm goto("nop ; label %%x" : : "r"(x) : : l1, l2);
  x = 1;
l1: x++;
l2: return x;
}
int undefined_uses(int x) {
  int y, z;
  if (x) y = 3;
  for (int i = 0; i < x; i++) { int w; if (i) w = c(w); z = w; }
  return y + z;
}
int same_constant(int x) { int y; if (x) y = 3; else y = 3; return y; }
int same_value(int a) { int x = a, y; if (c(1)) y = x; else y = x; return y; }
int address(int x) { int y; if (x) y = 3; else y = 4; use(&y); return y; }
int is_volatile(int x) { volatile int y; if (x) y = 3; else y = 4; return y; }
int through_pointer(int x) { int y = 0; int* p = &y; while (c(*p)) *p += x; return y; }
int through_two(int x) { int y = 0, z = 1; int* p; if (x) p = &y; else p = &z; *p = 4; return y + z; }
int three_deep(int x) { int y = 0; int* p = &y; int** q = &p; while (c(**q)) { **q += x; *p -= 1; } return y; }
typedef struct { int a, b; } pair;
long whole(long s, int n) { long t = s; while (n--) { t += n; s = t; } return s; }
int members(pair s, int n) { pair t = s; while (n--) { t.a += n; s = t; } return s.a; }
int variable_length(int n) { int a[n]; int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
int conditions(int a, int b) { int r = (a && b) || c(1) ? a : b; r = r ? (a ? 1 : 2) : 3; return r; }
int swap_in_loop(int a, int b, int n) { while (n--) { int t = a; a = b; b = t; } return a - b; }
