package diag

// checkCodes are about checks themselves: their comments, baselines and sweeps.
func checkCodes() []Code {
	const check = "crosslane check k.ptx --grid 1 --block 32"
	const quiet = "\tret;"
	return []Code{
		{
			Code: "bad-ignore", Class: Input, Severity: Error,
			Doc:     "A comment crosslane:ignore names no code, an unknown one, or gives no reason. A later reader of the source needs to know why the finding does no harm.",
			Remedy:  "Write // crosslane:ignore CODE reason.",
			Example: check + ptxFile("", "\tret; // crosslane:ignore undefined-source"),
		},
		{
			Code: "unused-ignore", Class: Finding, Severity: Note,
			Doc:     "A comment crosslane:ignore excuses a finding that the launches did not show. It is reported only if all launches were made, for a file with one kernel or within the text of the PTX kernel that was launched; other launches may still show it.",
			Remedy:  "Remove the comment, or launch the kernel so that the finding shows.",
			Example: check + ptxFile("", "\tret; // crosslane:ignore undefined-source the lanes above 15 are not used"),
		},
		{
			Code: "bad-baseline", Class: Input, Severity: Error,
			Doc:     "The file that --baseline names is no baseline: it is no JSON of the schema crosslane.baseline/1.",
			Remedy:  "Make it with crosslane check --write-baseline FILE.",
			Example: check + " --baseline b.json" + ptxFile("", quiet) + "-- b.json --\n{}\n",
		},
		{
			Code: "stale-baseline", Class: Finding, Severity: Note,
			Doc:     "The baseline holds findings that the launches did not show: they were repaired, or their source line has changed. It is reported only if the file has one kernel and all launches were made.",
			Remedy:  "Write the baseline anew, with --baseline and --write-baseline.",
			Example: check + " --baseline b.json" + ptxFile("", quiet) + "-- b.json --\n{\"schema\":\"crosslane.baseline/1\",\"findings\":[{\"id\":\"0011223344556677\",\"code\":\"undefined-source\",\"file\":\"k.ptx\",\"line\":7}]}\n",
		},
		{
			Code: "budget-reached", Class: Finding, Severity: Note,
			Doc:     "The time of --budget was over before all launches of a sweep were made. The message says how many were; nothing is known about the rest.",
			Remedy:  "Give more time with --budget, or sweep over fewer values.",
			Example: check + " --sweep schedule=random:1..5 --budget 300ms" + ptxFile("", "a:\n\tbra a;"),
		},
	}
}
