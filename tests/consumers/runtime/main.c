#include <plait.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  char net[4096], init[4096];
  float const x[] = {5, 7};
  float y = 0;
  int64_t const shape[] = {1, 2};
  plait_session* s = NULL;
  if (argc < 2) return 1;
  snprintf(net, sizeof net, "%s/net.pbtxt", argv[1]);
  snprintf(init, sizeof init, "%s/init.pbtxt", argv[1]);
  if (plait_session_open("absent.pb", NULL, NULL, 0, &s) != PLAIT_INVALID_FILE) return 2;
  if (strstr(plait_last_error(), "absent.pb") == NULL) return 3;
  if (plait_session_open(net, init, NULL, 0, &s) != PLAIT_OK) return 4;
  if (plait_session_feed(s, "x", PLAIT_FLOAT32, x, shape, 2) != PLAIT_OK) return 5;
  if (plait_session_run(s) != PLAIT_OK) return 6;
  if (plait_session_fetch(s, "y", PLAIT_FLOAT32, &y, sizeof y) != PLAIT_OK) return 7;
  plait_session_close(s);
  return y == 35 ? 0 : 8;
}
