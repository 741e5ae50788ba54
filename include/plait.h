/* C interface of the runtime: sessions on models, with status codes. Link the library plait::runtime.
 *
 *   plait_session* s;
 *   if (plait_session_open("predict.pb", "init.pb", "tbb", 0, &s) != PLAIT_OK) puts(plait_last_error());
 *   int64_t const shape[] = {1, 3};
 *   plait_session_feed(s, "x", PLAIT_FLOAT32, x, shape, 2);
 *   plait_session_run(s);
 *   plait_session_fetch(s, "y", PLAIT_FLOAT32, y, sizeof y);
 *   plait_session_close(s);
 */
#ifndef PLAIT_H
#define PLAIT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PLAIT_API __attribute__((visibility("default")))
#else
#define PLAIT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Model with its parameters on a backend. One thread uses a session at a time. */
typedef struct plait_session plait_session;

typedef enum plait_status {
  PLAIT_OK = 0,
  PLAIT_INVALID_ARGUMENT = 1, /* a null pointer, an unknown backend, optimiser or element type */
  PLAIT_INVALID_FILE = 2,     /* a file that cannot be read or parsed */
  PLAIT_INVALID_MODEL = 3,    /* a model that the runtime refuses, or a blob that it does not have */
  PLAIT_INVALID_SHAPE = 4,    /* elements, types or shapes that do not fit */
  PLAIT_RUN_FAILED = 5,       /* an op failed; outputs have their values from before it */
  PLAIT_OUT_OF_MEMORY = 6,
  PLAIT_FAILED = 7
} plait_status;

/* Numbers as in plait::element_type. */
typedef enum plait_element_type {
  PLAIT_FLOAT32 = 0,
  PLAIT_FLOAT64 = 1,
  PLAIT_INT8 = 2,
  PLAIT_INT16 = 3,
  PLAIT_INT32 = 4,
  PLAIT_INT64 = 5,
  PLAIT_UINT8 = 6,
  PLAIT_UINT16 = 7,
  PLAIT_BOOL = 8,      /* a byte each */
  PLAIT_FLOAT16 = 10,  /* IEEE 754 binary16 */
  PLAIT_BFLOAT16 = 11, /* the upper half of a float */
  PLAIT_NONE = 13,     /* unset */
  PLAIT_UINT32 = 14,
  PLAIT_UINT64 = 15
} plait_element_type;

/* Returns the message of the last failure in this thread; empty if there was none. Valid until the next call. */
PLAIT_API char const* plait_last_error(void);

/* Loads a model: a NetDef in any format, or ONNX (*.onnx). `init` is the file of the net that sets the parameters, or
 * NULL; `backend` "serial", "omp", "tbb" or "cuda", as built, NULL for serial; `threads` limits those of tbb,
 * 0 does not. */
PLAIT_API plait_status plait_session_open(char const* path, char const* init, char const* backend, unsigned threads,
                                          plait_session** session);
/* Does nothing for NULL. */
PLAIT_API void plait_session_close(plait_session* session);

/* Gives the names of the blobs that must be fed before a run, or that a run sets. They are valid until the next of these
 * calls, or until the session is closed. */
PLAIT_API plait_status plait_session_inputs(plait_session* session, char const* const** names, size_t* count);
PLAIT_API plait_status plait_session_outputs(plait_session* session, char const* const** names, size_t* count);

/* Copies the elements of a row-major tensor into a blob. */
PLAIT_API plait_status plait_session_feed(plait_session* session, char const* name, plait_element_type type,
                                          void const* elements, int64_t const* shape, size_t rank);
PLAIT_API plait_status plait_session_run(plait_session* session);
/* Sets type and rank of a blob, and up to `most` extents. PLAIT_NONE for a blob that is not set. */
PLAIT_API plait_status plait_session_info(plait_session const* session, char const* name, plait_element_type* type,
                                          int64_t* shape, size_t most, size_t* rank);
/* Copies the elements of a blob of this type, `bytes` in all, to `elements`. */
PLAIT_API plait_status plait_session_fetch(plait_session const* session, char const* name, plait_element_type type,
                                           void* elements, size_t bytes);

/* Makes plait_session_train run the model, the backward pass of the loss, a blob with one element, and an optimiser:
 * "sgd", "momentum" (0.9), "adagrad", "adam" or "rmsprop". Parameters are all that the loss depends on. */
PLAIT_API plait_status plait_session_add_training(plait_session* session, char const* loss, char const* optimizer,
                                                  float rate);
PLAIT_API plait_status plait_session_train(plait_session* session);
/* Writes the parameters as an init net in binary, to be used as `init` of plait_session_open. */
PLAIT_API plait_status plait_session_save_parameters(plait_session const* session, char const* path);

#ifdef __cplusplus
}
#endif

#endif
