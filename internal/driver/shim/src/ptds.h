/* The forms whose stream 0 is the thread's own stream: names that end in _ptds and _ptsz. The handle 2 names the same
   stream in all functions.

   The server makes the stream of a thread when a call first uses it. Its number is made of the number of the thread,
   so no message is needed. The number of a thread that has ended is used again. */

#define OWN_STREAM ((void *)2)
#define OWN(s) ((s) ? (s) : OWN_STREAM)

static __thread uint64_t thread_number; /* 0: none yet */
static uint64_t thread_count, *free_threads;
static size_t free_thread_count, free_thread_room;
static pthread_key_t thread_key;

/* thread_ended gives the number of a thread back. */
static void thread_ended(void *number)
{
	pthread_mutex_lock(&lock);
	if (free_thread_count == free_thread_room) {
		size_t room = free_thread_room * 2 + 16;
		uint64_t *grown = realloc(free_threads, room * sizeof *grown);
		if (grown)
			free_threads = grown, free_thread_room = room;
	}
	if (free_thread_count < free_thread_room)
		free_threads[free_thread_count++] = (uint64_t)number;
	pthread_mutex_unlock(&lock);
}

/* own_stream_id returns the number of the thread's own stream for the server, under the lock. */
static uint64_t own_stream_id(void)
{
	if (!thread_number) {
		if (!thread_count)
			pthread_key_create(&thread_key, thread_ended);
		thread_number = free_thread_count ? free_threads[--free_thread_count] : ++thread_count;
		pthread_setspecific(thread_key, (void *)thread_number);
	}
	return (thread_number - 1) << 4 | 2;
}

#include "ptds_forms.h"
