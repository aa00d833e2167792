package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// IncludeFrom makes an Include that looks for relative names in the folders, in their order. It
// reads only regular files, because these end.
func IncludeFrom(folders ...string) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if filepath.IsAbs(name) {
			return readRegular(name)
		}
		if len(folders) == 0 {
			return nil, errors.New("there is no folder to look for it in")
		}
		for _, dir := range folders {
			if path := filepath.Join(dir, name); exists(path) {
				return readRegular(path)
			}
		}
		return nil, fmt.Errorf("there is no such file in %s", folderNames(folders))
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func folderNames(folders []string) string {
	if len(folders) == 1 {
		return "folder " + folders[0]
	}
	s := "the folders "
	for i, f := range folders {
		if i > 0 {
			s += ", "
		}
		s += f
	}
	return s
}

// readRegular reads a file, unless it is a folder, pipe or device.
func readRegular(path string) ([]byte, error) {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, reasonOf(err)
	case st.IsDir():
		return nil, fmt.Errorf("%s is a directory", path)
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", path)
	case st.Size() > maxInput:
		return nil, fmt.Errorf("%s has %d bytes; at most %d are accepted", path, st.Size(), maxInput)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, reasonOf(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxInput))
	if err != nil {
		return nil, reasonOf(err)
	}
	return b, nil
}

// reasonOf is an error that begins with the file's name, without the name of a system call.
func reasonOf(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}
