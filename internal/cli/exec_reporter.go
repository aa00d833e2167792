package cli

import (
	"github.com/spf13/pflag"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/driver/host"
	"example.org/crosslane/internal/report"
	"example.org/crosslane/internal/results"
)

// reporterFlag registers the hidden flag --reporter: another program, such as the plugin of pytest, reports the
// findings. It reads them from the file of --jsonl. Nothing is shown, each occurrence has a line, and findings do not
// decide the exit status.
func (f *hostFlags) reporterFlag(fl *pflag.FlagSet) {
	fl.BoolVar(&f.reporter, "reporter", false, "write findings to --jsonl only, each time that they occur")
	_ = fl.MarkHidden("reporter") // the flag exists
}

// handedOver holds the members that a line of --jsonl has for a reporter, besides the diagnostic.
type handedOver struct {
	ID      string `json:"id"`
	PID     int    `json:"pid"`
	Program string `json:"program"`
	Text    string `json:"text"`
}

// handOver writes a finding to the file of --jsonl.
func (r *hostRun) handOver(c host.Client, d *diag.Diagnostic) {
	if r.lines == nil {
		return
	}
	x := report.New(diag.List{d}, r.atLeast())[0]
	line, err := results.JoinedJSON(d, handedOver{x.ID, c.PID, c.Program, readableOne(d).Text(diag.TextOptions{Line: r.a.line})})
	if err == nil {
		_, _ = r.lines.Write(append(line, '\n')) // the reader sees what is missing
	}
}
