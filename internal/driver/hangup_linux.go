package driver

import (
	"sync"
	"syscall"
)

// hangups watches connections while kernels run: a client that ends must not leave a kernel that never ends.
type hangups struct {
	epoll int
	mu    sync.Mutex
	calls map[int32]func()
}

// newHangups starts the watch.
func newHangups() (*hangups, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	h := &hangups{epoll: fd, calls: map[int32]func(){}}
	go h.watch()
	return h, nil
}

// add calls f when the other end of a connection is closed. It returns a function that ends that.
func (h *hangups) add(conn syscall.RawConn, f func()) (remove func(), err error) {
	const readHangup, oneShot = 0x2000, 1 << 30 // EPOLLRDHUP, EPOLLONESHOT
	failed := conn.Control(func(fd uintptr) {
		h.mu.Lock()
		h.calls[int32(fd)] = f
		h.mu.Unlock()
		err = syscall.EpollCtl(h.epoll, syscall.EPOLL_CTL_ADD, int(fd), &syscall.EpollEvent{Events: readHangup | oneShot, Fd: int32(fd)})
		remove = func() {
			h.mu.Lock()
			delete(h.calls, int32(fd))
			h.mu.Unlock()
		}
	})
	if err == nil {
		err = failed
	}
	return remove, err
}

// watch waits for connections that end. A file leaves the watch when it is closed.
func (h *hangups) watch() {
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
			h.mu.Lock()
			f := h.calls[e.Fd]
			h.mu.Unlock()
			if f != nil {
				f()
			}
		}
	}
}

// close ends the watch.
func (h *hangups) close() { syscall.Close(h.epoll) }
