/* Lua bounds its C recursion at 200 calls, not the bytes they take: nested string.gsub callbacks
 * can need more than half a megabyte. A thread with less left lends the call a stack of its own. */
#define _GNU_SOURCE
#include "internal.h"

#include <pthread.h>
#include <signal.h>

enum { STACK_NEEDED = 1 << 20, STACK_LENT = 2 << 20 };

typedef struct errand {
  luasandbox *box;
  int (*run)(luasandbox *box);
  int status;
} errand;

static uintptr_t lowest_address(void) {
  static _Thread_local uintptr_t lowest;
  if (lowest != 0) return lowest;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return UINTPTR_MAX;
  void *address = NULL;
  size_t size = 0;
  int failed = pthread_attr_getstack(&attributes, &address, &size);
  pthread_attr_destroy(&attributes);
  if (failed) return UINTPTR_MAX;
  lowest = (uintptr_t)address;
  return lowest;
}

static void *perform(void *argument) {
  errand *task = argument;
  task->status = task->run(task->box);
  return NULL;
}

static bool start(pthread_t *thread, errand *task) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  bool started = pthread_attr_setstacksize(&attributes, STACK_LENT) == 0;
  if (started) {
    /* The helper must not take the signals its owner waits for. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    started = pthread_create(thread, &attributes, perform, task) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
  pthread_attr_destroy(&attributes);
  return started;
}

/* What `run` returned, or -1 when there was neither room nor a thread to be had. */
int luasandbox_run_with_stack(luasandbox *box, int (*run)(luasandbox *box)) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0), lowest = lowest_address();
  if (lowest < here && here - lowest >= STACK_NEEDED) return run(box);
  errand task = {box, run, -1};
  pthread_t thread;
  if (!start(&thread, &task)) return -1;
  pthread_join(thread, NULL);
  return task.status;
}
