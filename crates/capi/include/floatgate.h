/* Floatgate: a NAND flash drive that a program steps. `floatgate.h` is made by cbindgen from crates/capi. */

#ifndef FLOATGATE_H
#define FLOATGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 Stages of a latency.
 */
#define FLOATGATE_STAGES 13

/*
 A time that never comes.
 */
#define FLOATGATE_FOREVER UINT64_MAX

/*
 Flag of a request: a write that is on durable storage when it is answered.
 */
#define FLOATGATE_FUA 1

/*
 Flag of a request: a write that carries `placement`.
 */
#define FLOATGATE_PLACED 2

/*
 Bytes from the drive.
 */
#define FLOATGATE_READ 0

/*
 Bytes to the drive.
 */
#define FLOATGATE_WRITE 1

/*
 The host no longer needs these bytes.
 */
#define FLOATGATE_TRIM 2

/*
 Everything acknowledged before must be on flash; without offset and length.
 */
#define FLOATGATE_FLUSH 3

/*
 On a drive of zones: a write at the pointer of the zone that the offset names.
 */
#define FLOATGATE_APPEND 9

/*
 On a drive of zones: opens the zone that the offset names, without length, like the next three.
 */
#define FLOATGATE_ZONE_OPEN 4

/*
 The zone no longer counts as open.
 */
#define FLOATGATE_ZONE_CLOSE 12

/*
 The zone counts as full.
 */
#define FLOATGATE_ZONE_FINISH 20

/*
 The zone is empty.
 */
#define FLOATGATE_ZONE_RESET 28

/*
 How a call ended.
 */
enum FloatgateCode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   As asked.
   */
  FLOATGATE_CODE_OK = 0,
  /*
   There is none: no completion until then, no event to come.
   */
  FLOATGATE_CODE_NONE = 1,
  /*
   The input is not right; nothing has changed.
   */
  FLOATGATE_CODE_INPUT = 2,
  /*
   A time lies before the drive's present; nothing has changed.
   */
  FLOATGATE_CODE_PAST = 3,
  /*
   The drive was finished.
   */
  FLOATGATE_CODE_OVER = 4,
  /*
   Floatgate contradicted itself: a bug. The drive can only be closed.
   */
  FLOATGATE_CODE_BROKEN = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FloatgateCode FloatgateCode;
#else
typedef int32_t FloatgateCode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 Status of a completion.
 */
enum FloatgateStatus
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   As asked.
   */
  FLOATGATE_STATUS_SUCCESS = 0,
  /*
   The drive answered with an error.
   */
  FLOATGATE_STATUS_FAILED = 1,
  /*
   Data that were to be read are lost.
   */
  FLOATGATE_STATUS_UNCORRECTABLE = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FloatgateStatus FloatgateStatus;
#else
typedef uint8_t FloatgateStatus;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 A drive that the caller steps.
 */
typedef struct FloatgateDrive FloatgateDrive;

/*
 A drive, and how it begins. `floatgate_setup` fills it with what is usual; then change what is to be otherwise.
 */
typedef struct {
  /*
   The drive's name or file; with `toml`, its name in messages.
   */
  const char *drive;
  /*
   The text of a drive file, or null.
   */
  const char *toml;
  /*
   `key=value` on top, ended by a null pointer; or null.
   */
  const char *const *set;
  /*
   The folder that has `drives` and `chips` in it; null: what the variable FLOATGATE_SHARE names, or else where the
   library was installed.
   */
  const char *share;
  /*
   Everything random follows from it; usually 1.
   */
  uint64_t seed;
  /*
   What is done to the drive before: `fill`, `steady`, `instant`; null: nothing.
   */
  const char *precondition;
  /*
   How much of it that fills; usually 1.
   */
  double precondition_fill;
  /*
   A saved state to begin from, or null.
   */
  const char *load;
  /*
   Bytes of memory that the drive may take; 0: what the machine has.
   */
  uint64_t memory_limit;
  /*
   An independent account checks the drive throughout.
   */
  bool check;
} FloatgateSetup;

/*
 A request of the host's. All that is zero asks for nothing special.
 */
typedef struct {
  /*
   Simulated time at which the host issues it, in ns.
   */
  uint64_t time_ns;
  /*
   First byte in the namespace, a multiple of 512.
   */
  uint64_t offset;
  /*
   Length in bytes, a multiple of 512.
   */
  uint32_t bytes;
  /*
   Number of the namespace, from 1; 0 on a drive that is one.
   */
  uint32_t nsid;
  /*
   Placement identifier, with `FLOATGATE_PLACED`.
   */
  uint16_t placement;
  /*
   What is asked: `FLOATGATE_READ`, ...
   */
  uint8_t op;
  /*
   `FLOATGATE_FUA`, `FLOATGATE_PLACED`, or both.
   */
  uint8_t flags;
} FloatgateRequest;

/*
 A request that the drive has answered.
 */
typedef struct {
  /*
   Number of the request, as its submission gave it.
   */
  uint64_t id;
  /*
   Simulated time at which the host issued it, in ns.
   */
  uint64_t submitted_ns;
  /*
   Simulated time at which the host had the answer, in ns.
   */
  uint64_t completed_ns;
  /*
   First byte on the drive; of an append, the first byte where the drive put the data.
   */
  uint64_t offset;
  /*
   Where the time went, in ns; together they are the latency. `floatgate_stage_name` has their names.
   */
  uint64_t stages_ns[FLOATGATE_STAGES];
  /*
   Length in bytes.
   */
  uint32_t bytes;
  /*
   What was asked.
   */
  uint8_t op;
  /*
   Status with which the drive answered the request.
   */
  FloatgateStatus status;
  /*
   The longest stage.
   */
  uint8_t cause;
  /*
   Attempts of a read beyond the first.
   */
  uint8_t retries;
} FloatgateCompletion;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Text of the last call of this thread that did not succeed, in one line; it stays until the thread's next call.
 */
const char *floatgate_error(void);

/*
 Opens a drive; its time is 0.

 # Safety
 Pointers are null or what their comments say.
 */
FloatgateCode floatgate_open(const FloatgateSetup *setup, FloatgateDrive **drive);

/*
 Closes a drive, which is then no more; null is none.

 # Safety
 `drive` is null, or was opened and not closed.
 */
void floatgate_close(FloatgateDrive *drive);

/*
 Submits a request; `id` is the number that its completion will have, from 0. `id` may be null.

 # Safety
 Pointers are null or what their names say.
 */
FloatgateCode floatgate_submit(FloatgateDrive *drive, const FloatgateRequest *asked, uint64_t *id);

/*
 Submits `count` requests one behind the other; `first` is the number of the first, which the others follow. All are
 taken, or none. `first` may be null.

 # Safety
 Pointers are null or what their names say.
 */
FloatgateCode floatgate_submit_all(FloatgateDrive *drive,
                                   const FloatgateRequest *asked,
                                   size_t count,
                                   uint64_t *first);

/*
 Brings the drive to `time_ns`: all that happens up to then, that moment included, has happened.

 # Safety
 `drive` is null, or open.
 */
FloatgateCode floatgate_run_until(FloatgateDrive *drive, uint64_t time_ns);

/*
 Takes the next completion; without one that waits, brings the drive to the moment of it, and at the latest to
 `until_ns` (`FLOATGATE_FOREVER`: without end). `FLOATGATE_CODE_NONE` where no request is outstanding, or none is answered
 until then.

 # Safety
 Pointers are null or what their names say.
 */
FloatgateCode floatgate_next(FloatgateDrive *drive,
                             uint64_t until_ns,
                             FloatgateCompletion *completion);

/*
 Takes the completions that wait, at most `most`; `count` is how many. Time stays where it is.

 # Safety
 `completions` has room for `most`; pointers are null or what their names say.
 */
FloatgateCode floatgate_take(FloatgateDrive *drive,
                             FloatgateCompletion *completions,
                             size_t most,
                             size_t *count);

/*
 No request follows: brings the drive to the moment of its last completion. What was answered can still be taken.

 # Safety
 `drive` is null, or open.
 */
FloatgateCode floatgate_finish(FloatgateDrive *drive);

/*
 Everything measured, in JSON, as `run.json` has it: so far or, after `floatgate_finish`, to the last completion.
 `floatgate_free` takes the text back.

 # Safety
 Pointers are null or what their names say.
 */
FloatgateCode floatgate_statistics(FloatgateDrive *drive,
                                   char **json);

/*
 Takes back a text of `floatgate_statistics`; null is none.

 # Safety
 `text` is null, or was given and not taken back.
 */
void floatgate_free(char *text);

/*
 Finishes the drive, lets it come to rest and saves its state for `load`; a file that is there is replaced.

 # Safety
 Pointers are null or what their names say.
 */
FloatgateCode floatgate_save(FloatgateDrive *drive,
                             const char *path);

/*
 When something happens next in the drive: `FLOATGATE_CODE_NONE` where nothing will.

 # Safety
 Pointers are null or what their names say.
 */
FloatgateCode floatgate_next_event(FloatgateDrive *drive, uint64_t *time_ns);

/*
 Number of the namespace that a host calls `name`.

 # Safety
 Pointers are null or what their names say.
 */
FloatgateCode floatgate_namespace(FloatgateDrive *drive, const char *name, uint32_t *nsid);

/*
 The drive's present, in ns: all up to it has happened.

 # Safety
 `drive` is null, or open.
 */
uint64_t floatgate_now(const FloatgateDrive *drive);

/*
 Requests submitted whose completions were not taken.

 # Safety
 `drive` is null, or open.
 */
uint64_t floatgate_outstanding(const FloatgateDrive *drive);

/*
 Bytes the host sees.

 # Safety
 `drive` is null, or open.
 */
uint64_t floatgate_capacity(const FloatgateDrive *drive);

/*
 The drive of this name or file as it usually begins.
 */
FloatgateSetup floatgate_setup(const char *drive);

/*
 Name of a stage of `stages_ns`, from 0; null where there is none.
 */
const char *floatgate_stage_name(uint8_t stage);

/*
 Name of an operation; null where there is none.
 */
const char *floatgate_op_name(uint8_t op);

/*
 Version of the library, such as `0.1.0`.
 */
const char *floatgate_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FLOATGATE_H */
