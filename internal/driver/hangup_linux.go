package driver

import (
	"sync"
	"syscall"
)

// hangups watches connections while kernels run: a client that ends must not leave a kernel that never ends.
type hangups struct {
	epoll, stop int // stop is an eventfd that ends the watch
	ended       chan struct{}
	once        sync.Once
	mu          sync.Mutex
	last        uint64
	calls       map[uint64]func() // by the number of the connection: the system uses descriptors again
}

// stopNumber is the number of the eventfd in events.
const stopNumber = 0

// newHangups starts the watch.
func newHangups() (*hangups, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	const closeOnExec = 0x80000 // EFD_CLOEXEC
	stop, _, e := syscall.Syscall(syscall.SYS_EVENTFD2, 0, closeOnExec, 0)
	if e != 0 {
		syscall.Close(fd)
		return nil, e
	}
	h := &hangups{epoll: fd, stop: int(stop), ended: make(chan struct{}), calls: map[uint64]func(){}}
	if err := syscall.EpollCtl(fd, syscall.EPOLL_CTL_ADD, h.stop, event(syscall.EPOLLIN, stopNumber)); err != nil {
		syscall.Close(h.stop)
		syscall.Close(fd)
		return nil, err
	}
	go h.watch()
	return h, nil
}

// event is a request for events that come with a number.
func event(events uint32, n uint64) *syscall.EpollEvent {
	return &syscall.EpollEvent{Events: events, Fd: int32(n), Pad: int32(n >> 32)}
}

// add calls f when the other end of a connection is closed. It returns a function that ends that.
func (h *hangups) add(conn syscall.RawConn, f func()) (remove func(), err error) {
	const readHangup, oneShot = 0x2000, 1 << 30 // EPOLLRDHUP, EPOLLONESHOT
	h.mu.Lock()
	h.last++
	n := h.last
	h.calls[n] = f
	h.mu.Unlock()
	remove = func() {
		h.mu.Lock()
		delete(h.calls, n)
		h.mu.Unlock()
		// The connection may be closed: then it has left the watch.
		_ = conn.Control(func(fd uintptr) { _ = syscall.EpollCtl(h.epoll, syscall.EPOLL_CTL_DEL, int(fd), nil) })
	}
	failed := conn.Control(func(fd uintptr) {
		err = syscall.EpollCtl(h.epoll, syscall.EPOLL_CTL_ADD, int(fd), event(readHangup|oneShot, n))
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		remove()
	}
	return remove, err
}

// watch waits for connections that end, until stop is written.
func (h *hangups) watch() {
	defer close(h.ended)
	events := make([]syscall.EpollEvent, 64)
	for {
		n, err := syscall.EpollWait(h.epoll, events, -1)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return
		}
		for _, e := range events[:n] {
			number := uint64(uint32(e.Fd)) | uint64(uint32(e.Pad))<<32
			if number == stopNumber {
				return
			}
			h.mu.Lock()
			f := h.calls[number]
			h.mu.Unlock()
			if f != nil {
				f()
			}
		}
	}
}

// close ends the watch, and returns when it has ended.
func (h *hangups) close() {
	h.once.Do(func() {
		one := [8]byte{1}
		if _, err := syscall.Write(h.stop, one[:]); err == nil {
			<-h.ended
		}
		syscall.Close(h.epoll)
		syscall.Close(h.stop)
	})
}
