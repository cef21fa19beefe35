/* What the interface says to calls that are wrong: a code and a text, and never the end of the program. */

#include <floatgate.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(FloatgateRequest) == 32, "requests in arrays");
_Static_assert(sizeof(FloatgateCompletion) == 144, "completions in arrays");
_Static_assert(sizeof(FloatgateCode) == 4 && sizeof(FloatgateStatus) == 1, "codes");

static int wrong = 0;

static void expect(const char *what, FloatgateCode found, FloatgateCode expected, const char *text) {
    const char *said = floatgate_error();
    int is_right = found == expected;
    if (text != NULL && (strstr(said, text) == NULL || strchr(said, '\n') != NULL)) {
        is_right = 0;
    }
    if (!is_right) {
        printf("%s: code %d instead of %d, text \"%s\", expected \"%s\"\n", what, (int)found, (int)expected, said,
               text == NULL ? "" : text);
        wrong += 1;
    }
}

static FloatgateCode opened(const char *name, const char *key, const char *toml, const char *precondition) {
    const char *set[] = {key, NULL};
    FloatgateSetup setup = floatgate_setup(name);
    setup.set = set;
    setup.toml = toml;
    setup.precondition = precondition;
    FloatgateDrive *drive = NULL;
    FloatgateCode code = floatgate_open(&setup, &drive);
    floatgate_close(drive);
    return code;
}

int main(int count, char **words) {
    FloatgateDrive *drive = NULL;
    FloatgateSetup setup = floatgate_setup("small-tlc");
    FloatgateCompletion found;
    char *json = NULL;
    uint64_t id = 77, next = 0;
    uint32_t nsid = 0;
    size_t taken = 0;

    expect("a drive that is none", opened("small-tlx", NULL, NULL, NULL), FLOATGATE_CODE_INPUT, "did you mean \"small-tlc\"?");
    expect("a key", opened("small-tlc", "ftl.op_rato=1", NULL, NULL), FLOATGATE_CODE_INPUT, "did you mean \"ftl.op_ratio\"?");
    expect("a text", opened("mine", NULL, "base = \"tlcc\"", NULL), FLOATGATE_CODE_INPUT, "mine:1: base: tlcc");
    expect("no UTF-8", opened("\xff", NULL, NULL, NULL), FLOATGATE_CODE_INPUT, "drive: no UTF-8");
    expect("a state", opened("small-tlc", NULL, NULL, "stedy"), FLOATGATE_CODE_INPUT, "stedy");
    expect("no name", opened(NULL, NULL, NULL, NULL), FLOATGATE_CODE_INPUT, "drive: a null pointer");
    expect("no setup", floatgate_open(NULL, &drive), FLOATGATE_CODE_INPUT, "setup: a null pointer");
    expect("no place", floatgate_open(&setup, NULL), FLOATGATE_CODE_INPUT, "drive: a null pointer");
    expect("no drive", floatgate_run_until(NULL, 5), FLOATGATE_CODE_INPUT, "drive: a null pointer");
    expect("open", floatgate_open(&setup, &drive), FLOATGATE_CODE_OK, NULL);
    expect("run", floatgate_run_until(drive, 1000), FLOATGATE_CODE_OK, NULL);

    FloatgateRequest request = {.time_ns = 1000, .bytes = 4096, .op = FLOATGATE_WRITE};
    FloatgateRequest past = request, unknown = request, flags = request, far = request;
    past.time_ns = 999;
    unknown.op = 77;
    flags.flags = 4;
    far.offset = 1ull << 60;
    expect("past", floatgate_submit(drive, &past, &id), FLOATGATE_CODE_PAST, "time_ns = 999: before the drive's present");
    expect("run back", floatgate_run_until(drive, 999), FLOATGATE_CODE_PAST, "time_ns = 999");
    expect("unknown", floatgate_submit(drive, &unknown, &id), FLOATGATE_CODE_INPUT, "op = 77: expected 0 read");
    expect("flags", floatgate_submit(drive, &flags, &id), FLOATGATE_CODE_INPUT, "flags = 4");
    expect("far", floatgate_submit(drive, &far, &id), FLOATGATE_CODE_INPUT, "within the drive's");
    FloatgateRequest several[] = {request, request, past};
    expect("several", floatgate_submit_all(drive, several, 3, &id), FLOATGATE_CODE_PAST, "request 2: time_ns = 999");
    expect("no request", floatgate_submit(drive, NULL, &id), FLOATGATE_CODE_INPUT, "a null pointer");
    expect("none yet", floatgate_next(drive, FLOATGATE_FOREVER, &found), FLOATGATE_CODE_NONE, NULL);
    expect("a name", floatgate_namespace(drive, "log", &nsid), FLOATGATE_CODE_INPUT, "the drive is one namespace");
    if (id != 77 || floatgate_outstanding(drive) != 0 || floatgate_now(drive) != 1000) {
        printf("what was refused has changed something\n");
        wrong += 1;
    }
    expect("submit", floatgate_submit(drive, &request, &id), FLOATGATE_CODE_OK, NULL);
    expect("event", floatgate_next_event(drive, &next), FLOATGATE_CODE_OK, NULL);
    expect("nowhere", floatgate_next(drive, FLOATGATE_FOREVER, NULL), FLOATGATE_CODE_INPUT, "completion: a null pointer");
    expect("next", floatgate_next(drive, FLOATGATE_FOREVER, &found), FLOATGATE_CODE_OK, NULL);
    if (id != 0 || found.id != 0 || next != 1000 || strcmp(floatgate_stage_name(found.cause), "command") != 0 ||
        strcmp(floatgate_op_name(found.op), "write") != 0 || floatgate_op_name(77) != NULL ||
        floatgate_stage_name(FLOATGATE_STAGES) != NULL || floatgate_capacity(drive) != 9999998976ull) {
        printf("a completion that is none: id %d, cause %d\n", (int)found.id, (int)found.cause);
        wrong += 1;
    }
    expect("nowhere", floatgate_take(drive, NULL, 3, &taken), FLOATGATE_CODE_INPUT, "a null pointer");
    expect("statistics", floatgate_statistics(drive, &json), FLOATGATE_CODE_OK, NULL);
    if (json == NULL || strstr(json, "\"drive\":\"small-tlc\"") == NULL) {
        printf("statistics that are none\n");
        wrong += 1;
    }
    floatgate_free(json);
    floatgate_free(NULL);
    expect("no file", floatgate_save(drive, "/no/where"), FLOATGATE_CODE_INPUT, "/no/where");
    expect("over", floatgate_submit(drive, &request, &id), FLOATGATE_CODE_OVER, "the drive was finished");
    expect("save", floatgate_save(drive, count > 1 ? words[1] : NULL), FLOATGATE_CODE_OK, NULL);
    floatgate_close(drive);
    floatgate_close(NULL);
    setup.load = words[1];
    expect("load", floatgate_open(&setup, &drive), FLOATGATE_CODE_OK, NULL);
    floatgate_close(drive);
    printf("%s: %d wrong\n", floatgate_version(), wrong);
    return wrong;
}
