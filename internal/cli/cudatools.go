package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/extract"
	"example.org/crosslane/internal/fatbin"
	"example.org/crosslane/ptx"
)

// imageFlag makes the stand-in for ptxas write an ELF file that holds the PTX (fatbin.Image), which the
// tools of clang take for a cubin.
const imageFlag = "--crosslane-image"

// fatbinaryCommand is the command that clang finds as fatbinary in the folder of toolchain: it packs
// the output of the stand-ins for ptxas and nvlink.
func (a *app) fatbinaryCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "fatbinary --create OUT --image3=kind=elf,sm=80,file=FILE",
		Short:              "Stand in for NVIDIA's packer: make a fat binary of PTX",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE:               a.command(func(args []string) error { return a.standIn("fatbinary", a.fatbinary(args)) }),
	}
}

// nvlinkCommand is the command that clang's tools find as nvlink.
func (a *app) nvlinkCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "nvlink [OPTIONS] FILE... -o OUT",
		Short:              "Stand in for NVIDIA's linker: link modules of PTX",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE:               a.command(func(args []string) error { return a.standIn("nvlink", a.nvlink(args)) }),
	}
}

// standIn ends a command as NVIDIA's tools end: the error is one line, and the status 1.
func (a *app) standIn(tool string, err error) error {
	if err == nil {
		return nil
	}
	for _, d := range diag.Of(err) {
		text := d.Message
		if d.Pos.File != "" {
			text = d.Pos.String() + ": " + text
		}
		fmt.Fprintf(a.err, "%s fatal   : %s\n", tool, text)
	}
	a.status = 1
	return nil
}

// toolWords reads a command line of NVIDIA's tools: options with a value, as --name value or --name=value,
// options without one, and files. It reports options that it does not know.
func toolWords(args []string, valued, plain []string, take func(name, value string) error) error {
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		if !strings.HasPrefix(word, "-") {
			if err := take("", word); err != nil {
				return err
			}
			continue
		}
		name, value, joined := strings.Cut(word, "=")
		switch {
		case slices.Contains(valued, name):
			if !joined {
				if len(args) == 0 {
					return fmt.Errorf("argument expected after '%s'", word)
				}
				value, args = args[0], args[1:]
			}
		case slices.Contains(plain, name):
			value = ""
		case len(word) > 2 && slices.Contains([]string{"-L", "-l", "-O"}, word[:2]):
			name, value = word[:2], word[2:]
		default:
			return fmt.Errorf("unknown option '%s': it is none of those of the stand-in of Crosslane", word)
		}
		if err := take(name, value); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) fatbinary(args []string) error {
	output := ""
	var texts [][]byte
	seen := map[string]bool{}
	version := false
	err := toolWords(args,
		[]string{"--create", "-c", "--image", "--image3", "--cmdline", "--ident", "--compress-level", "--compress-mode"},
		[]string{"--cuda", "-64", "-32", "--compress", "--compress-all", "-compress-all", "-g", "--device-c", "--device-link", "--link", "--version", "-V"},
		func(name, value string) error {
			switch name {
			case "--create", "-c":
				output = value
			case "--image", "--image3":
				text, err := packable(value)
				if err != nil {
					return err
				}
				// clang names the PTX of one architecture twice if it is told to include it.
				if !seen[string(text)] {
					seen[string(text)] = true
					texts = append(texts, text)
				}
			case "-32":
				return errors.New("there are no 32-bit programs")
			case "--version", "-V":
				version = true
			case "":
				return fmt.Errorf("unexpected word '%s': images are --image3=kind=KIND,sm=NUMBER,file=FILE", value)
			}
			return nil
		})
	switch {
	case err != nil:
		return err
	case version:
		fmt.Fprintf(a.out, "fatbinary: the stand-in of Crosslane %s\nCuda compilation tools, release %s, V%s.0\n", a.api.Version(), assemblerRelease, assemblerRelease)
		return nil
	case output == "":
		return errors.New("no output file is given: --create FILE")
	case len(texts) == 0:
		return errors.New("no image is given")
	}
	return a.writeResult("", output, fatbin.Write(texts...))
}

// packable reads the file of an image, kind=elf,sm=80,file=FILE, which holds PTX.
func packable(image string) ([]byte, error) {
	// The file is the last member, and its name may contain commas.
	_, file, ok := strings.Cut(","+image, ",file=")
	if !ok {
		return nil, fmt.Errorf("the image '%s' names no file", image)
	}
	data, err := readFile(file, maxInput)
	if err != nil {
		return nil, err
	}
	if text, ok := fatbin.ImageText(data); ok {
		return text, nil
	}
	if text := data[:ptx.TextEnd(data)]; bytes.Contains(text, []byte(".version")) && bytes.IndexByte(text, 0) < 0 {
		return text, nil
	}
	return nil, fmt.Errorf("%s holds machine code or LLVM bitcode, and no PTX of Crosslane's ptxas", file)
}

// undefined returns an error if a linked module cannot be loaded, or calls functions that are in none of its parts.
func undefined(name, text string) error {
	m, list := ptx.Load(name, text)
	if list.Err() != nil || m.Large() { // large modules do not keep the bodies of their functions
		return list.Err()
	}
	list = slices.DeleteFunc(ptx.Check(m), func(d *diag.Diagnostic) bool { return !strings.Contains(d.Message, "declares and does not define") })
	return list.Err()
}

func (a *app) nvlink(args []string) error {
	output := "a.out"
	var parts []ptx.LinkPart
	var folders, libraries []string
	version := false
	add := func(file string) error {
		_, err := extract.File(file, func(i *extract.Item, data []byte) error {
			switch {
			case i.Problem != nil:
				return i.Problem
			case i.Kind == extract.PTX:
				parts = append(parts, ptx.LinkPart{File: i.File + i.Entry, Text: string(data)})
				return nil
			case i.Kind == extract.Cubin && strings.HasPrefix(filepath.Base(i.File), "libcuda"):
				return nil // the functions of libcudadevrt.a are builtins
			}
			return fmt.Errorf("%s%s is %s, and Crosslane links PTX", i.File, i.Entry, i.Kind)
		})
		return err
	}
	err := toolWords(args,
		[]string{"-o", "--output-file", "-arch", "--arch", "-L", "--library-path", "-l", "--library", "-maxrregcount", "--maxrregcount", "-Xptxas", "-Xnvvm", "-O", "--suppress-stack-size-warning", "--host-ccbin", "--register-link-binaries", "--nvvmpath"},
		[]string{"-m64", "-64", "--machine=64", "-g", "-v", "--verbose", "-w", "--disable-warnings", "--preserve-relocs", "-lto", "--version", "-V", "--suppress-arch-warning", "--debug", "--generate-line-info", "-lineinfo"},
		func(name, value string) error {
			switch name {
			case "":
				return add(value)
			case "-o", "--output-file":
				output = value
			case "-L", "--library-path":
				folders = append(folders, value)
			case "-l", "--library":
				libraries = append(libraries, value)
			case "--version", "-V":
				version = true
			}
			return nil
		})
	if err != nil {
		return err
	}
	if version {
		fmt.Fprintf(a.out, "nvlink: the stand-in of Crosslane %s\nCuda compilation tools, release %s, V%s.0\n", a.api.Version(), assemblerRelease, assemblerRelease)
		return nil
	}
	for _, l := range libraries {
		i := slices.IndexFunc(folders, func(f string) bool { return exists(filepath.Join(f, "lib"+l+".a")) })
		switch {
		case i >= 0:
			if err := add(filepath.Join(folders[i], "lib"+l+".a")); err != nil {
				return err
			}
		case l != "cudadevrt":
			return fmt.Errorf("lib%s.a is in none of the folders of -L", l)
		}
	}
	if len(parts) == 0 {
		return errors.New("no input file is given")
	}
	text := parts[0].Text
	if len(parts) > 1 {
		linked, err := ptx.Link(parts)
		if err != nil {
			return err
		}
		text = linked.Text
	}
	if err := undefined(filepath.Base(output), text); err != nil {
		return err
	}
	return writeFile(output, true, func(w io.Writer) error {
		_, err := w.Write(fatbin.Image([]byte(text)))
		return err
	})
}
