package crosslane

import "crosslane/diag"

func loadObject(data []byte, file string) (*Module, error) {
	return nil, diag.List{diag.Errorf(diag.Pos{File: file}, diag.Unsupported, "unsupported", "code objects are not supported yet")}
}

func loadAssembly(data []byte, file string) (*Module, error) {
	return nil, diag.List{diag.Errorf(diag.Pos{File: file}, diag.Unsupported, "unsupported", "assembly is not supported yet")}
}
