/* What the ordinary calls need to know of captures (capture.h). While no stream is being captured they test one number. */

static int captures; /* being made */
static __thread int trusted; /* above 0: a call of the library itself, which captures do not forbid */

struct participant; /* a stream that is being captured */
struct copy2d;
struct copy3d;

static struct participant *capturing(void *stream, int *e);
static int capture_copy(struct participant *q, uint64_t to, int to_host, uint64_t from, int from_host, uint64_t n);
static int capture_copy_2d(struct participant *q, const struct copy2d *c);
static int capture_copy_3d(struct participant *q, const struct copy3d *c);
static int capture_fill(struct participant *q, uint64_t p, uint64_t pitch, const void *pattern, uint32_t size, uint64_t width, uint64_t height);
static int capture_launch(struct participant *q, struct function *f, const uint32_t grid[3], const uint32_t block[3], uint32_t shared, uint32_t mode, void **params, void **extra);
static int capture_allocation(struct participant *q, void *out, uint64_t size);
static int capture_free(struct participant *q, uint64_t p);
static int capture_host(struct participant *q, void *function, void *data);
static int capture_refuse(struct participant *q);
static int capture_record(struct participant *q, void *event, uint32_t flags);
static int capture_wait(void *stream, void *event, uint32_t flags, int *done);
static int capture_status(void *stream, uint32_t *status);
static int unsafe_call(int legacy);
static int wait_in_capture(void *stream);
static int wait_for_all(void);
static int captured_event(void *event);
static void recorded_outside(void *event);
static int free_graph_memory(uint64_t p, int *done);

enum { CAPTURE_UNSUPPORTED = 900, CAPTURE_INVALIDATED, CAPTURE_MERGE, CAPTURE_UNMATCHED, CAPTURE_UNJOINED, CAPTURE_ISOLATION, CAPTURE_IMPLICIT, CAPTURED_EVENT, CAPTURE_WRONG_THREAD };

/* refuse_captured reports what a capture forbids, once: when the capture becomes invalid. */
static int refuse_captured(int status)
{
	static const char *const reasons[] = { "a stream is being captured, and this call cannot be a node of a graph", NULL,
		"the call would join two captures", "the stream did not begin the capture", "streams that joined the capture are not joined again",
		"an event from outside would make the capture wait", "a call in the default stream would wait for a stream that is being captured",
		"the event was recorded in a capture, and has no state outside", "another thread began the capture" };
	return status >= CAPTURE_UNSUPPORTED && status <= CAPTURE_WRONG_THREAD && reasons[status - CAPTURE_UNSUPPORTED] ? refuse(status, reasons[status - CAPTURE_UNSUPPORTED]) : status;
}

/* CAPTURE(stream, call) makes a node of a call if its stream is being captured; the call uses q. */
#define CAPTURE(stream, call) do { \
	if (captures) { \
		int e_ = SUCCESS; \
		struct participant *q = capturing(stream, &e_); \
		if (e_) return refuse_captured(e_); \
		if (q) return refuse_captured(call); \
	} } while (0)

/* WHILE_CAPTURING(call) returns the error of a call that forbids something while any stream is being captured. */
#define WHILE_CAPTURING(call) do { int w_; if (captures && (w_ = (call))) return refuse_captured(w_); } while (0)

/* UNSAFE is for calls that would break a capture: they wait, or they free memory that a graph may use. */
#define UNSAFE(legacy) do { int u_; if (captures && !trusted && (u_ = unsafe_call(legacy))) return refuse_captured(u_); } while (0)
