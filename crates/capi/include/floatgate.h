/* Floatgate: a NAND flash drive that a program steps. `floatgate.h` is made by cbindgen from crates/capi. */

#ifndef FLOATGATE_H
#define FLOATGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 Constant: number of stages (parts such as waits, channel, array, host link) into which the latency of a request is
 divided.
 */
#define FLOATGATE_STAGES 13

/*
 Value for the latest simulated time in a call (`until_ns`): no limit, as a time that never comes.
 */
#define FLOATGATE_FOREVER UINT64_MAX

/*
 Bit of a request's `flags`: forced unit access, for a write whose data must be on durable storage before it is
 answered.
 */
#define FLOATGATE_FUA 1

/*
 Bit of a request's `flags`: the request (a write or a handle update) has a placement identifier (as in NVMe Flexible
 Data Placement), which is in the field `placement`.
 */
#define FLOATGATE_PLACED 2

/*
 Value of a request's `op` for a read: the host reads bytes from the drive.
 */
#define FLOATGATE_READ 0

/*
 Value of `op` in a request of the C interface for a write: the host writes bytes to the drive.
 */
#define FLOATGATE_WRITE 1

/*
 Value of `op` in a request of the C interface for a trim: the host no longer needs the data in these bytes.
 */
#define FLOATGATE_TRIM 2

/*
 Value of a request's `op` for a flush: all data acknowledged before must be on durable storage before the flush is
 answered; offset and length are 0.
 */
#define FLOATGATE_FLUSH 3

/*
 Value of a request's `op` for a zone append: a write at the write pointer of the zone at the offset, on a drive with
 zones.
 */
#define FLOATGATE_APPEND 9

/*
 Value of a request's `op` for a zone open, on a drive with zones: opens the zone at the offset; the length is 0.
 */
#define FLOATGATE_ZONE_OPEN 4

/*
 Value of a request's `op` for a zone close, on a drive with zones: closes the zone at the offset, which no longer
 counts as open; the length is 0.
 */
#define FLOATGATE_ZONE_CLOSE 12

/*
 Value of a request's `op` for a zone finish, on a drive with zones: makes the zone at the offset full; the length is
 0.
 */
#define FLOATGATE_ZONE_FINISH 20

/*
 Value of a request's `op` for a zone reset, on a drive with zones: makes the zone at the offset empty; the length is
 0.
 */
#define FLOATGATE_ZONE_RESET 28

/*
 Value of a request's `op` for a reclaim unit handle update, on a drive with placement handles: data that are written
 through the request's placement identifier from then on begin another reclaim unit; the length is 0.
 */
#define FLOATGATE_HANDLE_UPDATE 36

/*
 Kind of outcome of a call of the C interface: success, nothing to return, or a kind of error.
 */
enum FloatgateCode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Outcome of a call of the C interface: the call succeeded.
   */
  FLOATGATE_CODE_OK = 0,
  /*
   Outcome of a call of the C interface: there is nothing to return. For `floatgate_next`, no request is completed
   by the given time; for `floatgate_next_event`, no event is to come.
   */
  FLOATGATE_CODE_NONE = 1,
  /*
   Outcome of a call of the C interface: an argument, or a file or key that it names, is wrong, or the drive cannot
   go on. A call that submits requests has then changed nothing.
   */
  FLOATGATE_CODE_INPUT = 2,
  /*
   Outcome of a call of the C interface: the given time is before the drive's present, the simulated time that it
   has reached; the call has changed nothing.
   */
  FLOATGATE_CODE_PAST = 3,
  /*
   Outcome of a call of the C interface: the drive was finished and accepts no more requests.
   */
  FLOATGATE_CODE_OVER = 4,
  /*
   Outcome of a call of the C interface: the call met a bug in Floatgate itself; the drive can only be closed.
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
 Kind of status of a request's completion in the C interface: whether the drive did what the request asked.
 */
enum FloatgateStatus
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Status of a request's completion in the C interface: the drive did what the request asked.
   */
  FLOATGATE_STATUS_SUCCESS = 0,
  /*
   Status of a request's completion in the C interface: the drive answered the request with an error.
   */
  FLOATGATE_STATUS_FAILED = 1,
  /*
   Status of a request's completion in the C interface: data that the request read could not be corrected and are
   lost.
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
 Type of the C interface for a simulated drive that the caller advances step by step, by the calls that take a
 pointer to it.
 */
typedef struct FloatgateDrive FloatgateDrive;

/*
 Record that describes a drive to be opened, with its settings and options. `floatgate_setup` makes one with the
 usual values; the caller then changes fields.
 */
typedef struct {
  /*
   Setting of the C interface: name of the drive, or path of its file; with `toml`, only the drive's name in messages.
   */
  const char *drive;
  /*
   Text of a drive file, or null if `drive` names one.
   */
  const char *toml;
  /*
   List of settings `key=value` that override keys of the drive file, ended by a null pointer; or null for none.
   */
  const char *const *set;
  /*
   Folder that contains the folders `drives` and `chips`; if null, the folder that the environment variable
   FLOATGATE_SHARE names, else the folder where the library was installed.
   */
  const char *share;
  /*
   Setting of the C interface: seed of all random numbers of the simulation; usually 1.
   */
  uint64_t seed;
  /*
   Setting of the C interface: preconditioning of the drive before simulated time begins: `fill`, `steady` or
   `instant`; null for none.
   */
  const char *precondition;
  /*
   Setting of the C interface: fraction of the drive that preconditioning fills with data, from 0 to 1; usually 1.
   */
  double precondition_fill;
  /*
   Path of a saved state of the drive to start from, or null.
   */
  const char *load;
  /*
   Greatest memory in bytes that the simulation of the drive may take; 0 for 95 % of the machine's available
   memory.
   */
  uint64_t memory_limit;
  /*
   Setting of the C interface: true if an independent checker is to check the simulated drive in all that it does.
   */
  bool check;
} FloatgateSetup;

/*
 Record of a host request to the drive, as a caller of the C interface fills it in. A field that is zero asks for
 nothing special.
 */
typedef struct {
  /*
   Simulated time at which the host issues the request, in ns.
   */
  uint64_t time_ns;
  /*
   Offset of the request's first byte in its namespace, in bytes; a multiple of 512.
   */
  uint64_t offset;
  /*
   Length of the request in bytes, a multiple of 512.
   */
  uint32_t bytes;
  /*
   Number of the namespace that the request of the C interface addresses, from 1; 0 if the drive is a single
   namespace.
   */
  uint32_t nsid;
  /*
   Placement identifier of a write or a handle update (a placement handle in a reclaim group); used only with the
   flag `FLOATGATE_PLACED`.
   */
  uint16_t placement;
  /*
   Operation of the request: `FLOATGATE_READ`, `FLOATGATE_WRITE`, and so on.
   */
  uint8_t op;
  /*
   Flags of the request: `FLOATGATE_FUA`, `FLOATGATE_PLACED`, both, or 0.
   */
  uint8_t flags;
} FloatgateRequest;

/*
 Record of the completion of a request: what the drive answered, and when.
 */
typedef struct {
  /*
   Number of the request, as the call that submitted it gave it.
   */
  uint64_t id;
  /*
   Simulated time at which the host issued the completed request, in ns.
   */
  uint64_t submitted_ns;
  /*
   Simulated time at which the host received the completion, in ns.
   */
  uint64_t completed_ns;
  /*
   Offset in bytes of the request's first byte on the whole drive; for a zone append, where the drive put the data.
   */
  uint64_t offset;
  /*
   Time in ns that the request spent in each stage (part of the latency); their sum is the latency.
   `floatgate_stage_name` gives the names.
   */
  uint64_t stages_ns[FLOATGATE_STAGES];
  /*
   Length of the completed request in bytes.
   */
  uint32_t bytes;
  /*
   Operation of the request, as it was submitted: `FLOATGATE_READ` and so on.
   */
  uint8_t op;
  /*
   Status of this completion in the C interface: whether the drive did what the request asked.
   */
  FloatgateStatus status;
  /*
   Index in `stages_ns` of the stage (part of the latency) that took longest.
   */
  uint8_t cause;
  /*
   Greatest number of read attempts beyond the first (read retries) that one flash read of the request needed.
   */
  uint8_t retries;
} FloatgateCompletion;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Returns the error message, in one line, of the last call of this thread that did not succeed; the text stays valid
 until the thread's next call.
 */
const char *floatgate_error(void);

/*
 Opens a drive as `setup` describes it and writes a pointer to it to `drive`; its simulated time is 0.

 # Safety
 Pointers are null or what their comments say.
 */
FloatgateCode floatgate_open(const FloatgateSetup *setup,
                             FloatgateDrive **drive);

/*
 Closes a drive and frees its memory; a null pointer is ignored.

 # Safety
 `drive` is null, or was opened and not closed.
 */
void floatgate_close(FloatgateDrive *drive);

/*
 Submits a request and writes the number that its completion will have, counted from 0, to `id`, which may be null.

 # Safety
 Pointers are null or what their names say.
 */
FloatgateCode floatgate_submit(FloatgateDrive *drive,
                               const FloatgateRequest *asked,
                               uint64_t *id);

/*
 Submits `count` requests in order, either all or, if one is wrong, none. Writes the number of the first to `first`,
 which may be null; the numbers of further requests follow.

 # Safety
 Pointers are null or what their names say.
 */
FloatgateCode floatgate_submit_all(FloatgateDrive *drive,
                                   const FloatgateRequest *asked,
                                   size_t count,
                                   uint64_t *first);

/*
 Advances the drive to `time_ns`: all events up to and including this simulated time have then happened.

 # Safety
 `drive` is null, or open.
 */
FloatgateCode floatgate_run_until(FloatgateDrive *drive,
                                  uint64_t time_ns);

/*
 Takes the next completion and writes it to `completion`. If none waits, advances the drive to its next completion,
 but at most to `until_ns` (no limit with `FLOATGATE_FOREVER`). Returns `FLOATGATE_CODE_NONE` if no request is
 outstanding or none is completed by then.

 # Safety
 Pointers are null or what their names say.
 */
FloatgateCode floatgate_next(FloatgateDrive *drive,
                             uint64_t until_ns,
                             FloatgateCompletion *completion);

/*
 Takes at most `most` waiting completions, writes them to `completions`, and writes their number to `count`.
 Simulated time does not advance.

 # Safety
 `completions` has room for `most`; pointers are null or what their names say.
 */
FloatgateCode floatgate_take(FloatgateDrive *drive,
                             FloatgateCompletion *completions,
                             size_t most,
                             size_t *count);

/*
 Finishes the drive: no request may follow, and simulated time advances to the last completion. Completions that wait
 can still be taken.

 # Safety
 `drive` is null, or open.
 */
FloatgateCode floatgate_finish(FloatgateDrive *drive);

/*
 Writes to `json` a text with everything measured, as in `run.json`: so far or, after `floatgate_finish`, to the last
 completion. The caller frees the text with `floatgate_free`.

 # Safety
 Pointers are null or what their names say.
 */
FloatgateCode floatgate_statistics(FloatgateDrive *drive,
                                   char **json);

/*
 Frees a text that `floatgate_statistics` gave; a null pointer is ignored.

 # Safety
 `text` is null, or was given and not taken back.
 */
void floatgate_free(char *text);

/*
 Finishes the drive, waits until its internal work has ended, and saves its state to the file `path`, for `load` of a
 setup; an existing file is replaced.

 # Safety
 Pointers are null or what their names say.
 */
FloatgateCode floatgate_save(FloatgateDrive *drive,
                             const char *path);

/*
 Writes the simulated time in ns of the next event in the drive, internal work included, to `time_ns`; returns
 `FLOATGATE_CODE_NONE` if no event is to come.

 # Safety
 Pointers are null or what their names say.
 */
FloatgateCode floatgate_next_event(FloatgateDrive *drive,
                                   uint64_t *time_ns);

/*
 Writes the number, from 1, of the namespace that a host calls `name` to `nsid`.

 # Safety
 Pointers are null or what their names say.
 */
FloatgateCode floatgate_namespace(FloatgateDrive *drive, const char *name, uint32_t *nsid);

/*
 Returns the drive's present in ns: the simulated time to which the caller has advanced it.

 # Safety
 `drive` is null, or open.
 */
uint64_t floatgate_now(const FloatgateDrive *drive);

/*
 Returns the number of submitted requests whose completions the caller has not taken yet.

 # Safety
 `drive` is null, or open.
 */
uint64_t floatgate_outstanding(const FloatgateDrive *drive);

/*
 Returns the drive's capacity for the host in bytes.

 # Safety
 `drive` is null, or open.
 */
uint64_t floatgate_capacity(const FloatgateDrive *drive);

/*
 Makes a setup of the C interface for the drive with the name or file `drive`, with the usual values in all other
 fields.
 */
FloatgateSetup floatgate_setup(const char *drive);

/*
 Returns the name of the latency stage (part of a request's latency) with index `stage` in `stages_ns`, from 0; null
 if there is no such stage.
 */
const char *floatgate_stage_name(uint8_t stage);

/*
 Returns the name of the operation with the number `op`, such as `FLOATGATE_READ`; null if there is no such
 operation.
 */
const char *floatgate_op_name(uint8_t op);

/*
 Returns the version of the Floatgate library, such as `0.1.0`, to a caller of the C interface.
 */
const char *floatgate_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FLOATGATE_H */
