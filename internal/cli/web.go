package cli

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/page"
	"example.org/crosslane/internal/page/assist"
	"example.org/crosslane/internal/page/serve"
	"example.org/crosslane/internal/page/site"
	"example.org/crosslane/internal/recfile"
	"example.org/crosslane/internal/value"
)

// webFlags are the flags of web as written.
type webFlags struct {
	recordFlags
	listen string
	open   bool
}

func (a *app) webCommand() *cobra.Command {
	var f webFlags
	cmd := &cobra.Command{
		Use:   "web [FILE [the arguments of run]]",
		Short: "Show a launch in the browser, lane by lane",
		Long: `Serve a page that shows programs and launches in the browser: the steps of a launch, who
reads whom, registers, findings, and why a value is what it is. The address of the page is
printed. With FILE the page shows this program, and the launch of the flags or of
the launch file beside it. FILE can also
be a recording, or a trace of exec: --launch N is then a launch of it.

Programs run in this process, on this machine. The page listens on 127.0.0.1 unless
--listen gives another address; its address has a secret part. An interrupt ends it.`,
		Example: `  crosslane web examples/ptx/mistakes.ptx --kernel partial_reduce --grid 1 --block 32 \
    --arg in:s32[32]=fill:1 --arg out:s32[1] --arg 20`,
		Args: cobra.MaximumNArgs(1),
	}
	fl := cmd.Flags()
	f.registerRecorded(a, cmd)
	fl.StringVar(&f.listen, "listen", "127.0.0.1:0", "serve at `HOST:PORT`; port 0: a free one")
	fl.BoolVar(&f.open, "open", true, "open the page in the browser, if this is a terminal")
	cmd.RunE = a.command(func(args []string) error {
		file := ""
		if len(args) > 0 {
			file = args[0]
		}
		return web(a, &f, fl.Changed, file)
	})
	return cmd
}

// web is the command's body.
func web(a *app, f *webFlags, changed func(string) bool, file string) error {
	o := page.Options{Limits: page.DefaultLimits(), Native: true}
	var err error
	if o.Engine, err = nativeOf(); err != nil {
		return err
	}
	var open func(*page.Page)
	if file != "" {
		if open, err = webFile(a, f, changed, file, &o); err != nil {
			return err
		}
	}
	p := page.New(o)
	assist.Add(p.Desk)
	if open != nil {
		open(p)
	}
	return serveWeb(a, f, p)
}

// webFile reads the file that the page shows first. The function that it returns, if any, gives the page a recording.
func webFile(a *app, f *webFlags, changed func(string) bool, file string, o *page.Options) (func(*page.Page), error) {
	if start := startOf(file); recfile.Is(start) || isTrace(file) {
		r, err := a.anyRecording(&f.recordFlags, changed, file)
		if err != nil {
			return nil, err
		}
		info := r.Info()
		o.Program = &page.Program{Name: info.File}
		if text := a.source(info.File).text; utf8.Valid(text) {
			o.Program.Text = string(text)
		}
		return func(p *page.Page) { p.Open(r) }, nil
	}
	data, shown, err := a.readProgram(program(file))
	if err != nil {
		return nil, err
	}
	o.Program = &page.Program{Name: filepath.ToSlash(shown)}
	if utf8.Valid(data) && !strings.Contains(string(data[:min(len(data), 512)]), "\x00") {
		o.Program.Text = string(data)
	} else {
		o.Program.Base64 = base64.StdEncoding.EncodeToString(data)
	}
	o.Launch, err = webLaunch(f, changed, file)
	return nil, err
}

// webLaunch is the launch that the page shows first: that of the flags, or of the launch file beside the program; nil: none.
func webLaunch(f *webFlags, changed func(string) bool, file string) (*page.Launch, error) {
	if !slices.ContainsFunc(append([]string{"block", "kernel", "buffer"}, ofLaunch...), changed) {
		if f.launch = launchBeside(file); f.launch == "" {
			return nil, nil
		}
	}
	l, err := f.spec(changed)
	if err != nil {
		return nil, err
	}
	out := &page.Launch{Files: map[string]string{}}
	var bad error
	l.Files(func(name string, read value.ReadFile) {
		data, size, err := read(name, maxInput)
		if err == nil && size > maxInput {
			err = fmt.Errorf("%s: larger than %s, the limit of the page", name, input.BytesText(maxInput))
		}
		if err != nil {
			bad = usage("%s", err)
		}
		out.Files[name] = base64.StdEncoding.EncodeToString(data)
	})
	words := l.Words()
	for i, w := range words {
		words[i] = page.Quote(w)
	}
	out.Line = strings.Join(words, " ")
	return out, bad
}

// serveWeb serves the page until an interrupt.
func serveWeb(a *app, f *webFlags, p *page.Page) error {
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return usage("--listen must be HOST:PORT, found %s", input.Quoted(f.listen))
	}
	var config net.ListenConfig
	ln, err := config.Listen(a.ctx, "tcp", f.listen)
	if err != nil {
		return ioError(diag.Pos{}, "cannot listen at %s: %s", f.listen, reasonOfNet(err))
	}
	files, err := fs.Sub(site.Files, ".")
	if err != nil {
		return err
	}
	var names []string
	if _, err := netip.ParseAddr(host); err != nil && host != "" {
		names = append(names, host)
	}
	token := serve.Token()
	ctx, cancel := context.WithCancel(a.ctx)
	defer cancel()
	server := &http.Server{
		Handler: serve.Handler(p.Desk, files, token, names...), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	at := ln.Addr().(*net.TCPAddr)
	if !at.IP.IsLoopback() {
		fmt.Fprintf(a.err, "warning: the page listens at %s, which other machines may reach; whoever has its address can run programs in it\n", at)
	}
	shown := *at
	if at.IP.IsUnspecified() {
		shown.IP = net.IPv4(127, 0, 0, 1)
	}
	url := "http://" + shown.String() + "/" + token + "/"
	fmt.Fprintf(a.out, "%s\n", url)
	a.out.Flush()
	if f.open && isTerminal(a.err) {
		openBrowser(url)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(ln) }()
	select {
	case err := <-done:
		return ioError(diag.Pos{}, "the page cannot be served any longer: %s", reasonOfNet(err))
	case <-a.ctx.Done():
	}
	cancel() // the requests that are being answered end
	end, stop := context.WithTimeout(context.WithoutCancel(a.ctx), time.Second)
	defer stop()
	if err := server.Shutdown(end); err != nil {
		_ = server.Close()
	}
	return nil
}

// reasonOfNet is the part of a network error that does not repeat the address.
func reasonOfNet(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		return op.Err.Error()
	}
	return err.Error()
}

// openBrowser asks the desktop to open a page. If it cannot, the address was printed.
func openBrowser(url string) {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	cmd := exec.Command(name, args...)
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}
