package driver

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"

	"example.org/crosslane/api"
)

// ServeFile serves one client, which has the other end of a connected socket, until it ends the connection. It closes
// f. The messages of the server go to log.
func ServeFile(f *os.File, target string, o api.DeviceOptions, log io.Writer) error {
	conn, err := net.FileConn(f)
	f.Close()
	if err != nil {
		return err
	}
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		conn.Close()
		return fmt.Errorf("%s is no socket of this machine", f.Name())
	}
	s, err := NewServer(Options{Target: target, Device: o, Log: log})
	if err != nil {
		conn.Close()
		return err
	}
	defer s.Close()
	c := &client{server: s, conn: unix}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.serve()
	return nil
}
