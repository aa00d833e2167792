/* A lock that a program takes with and without Python's own lock. */
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

int cuMemAlloc_v2(uint64_t *, size_t);
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static volatile int waiting;

/* allocate waits for another thread that waits for the lock, and makes a wrong call while it has the lock. */
int allocate(void)
{
	uint64_t p;
	int e;
	pthread_mutex_lock(&own);
	while (!waiting)
		usleep(100);
	usleep(2000);
	e = cuMemAlloc_v2(&p, 0);
	pthread_mutex_unlock(&own);
	return e;
}

int wait_for_it(void)
{
	waiting = 1;
	pthread_mutex_lock(&own);
	pthread_mutex_unlock(&own);
	return 0;
}
