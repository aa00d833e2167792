package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// The files that GitHub and pre-commit read are YAML with the members that they need.
func TestActionAndHook(t *testing.T) {
	t.Parallel()
	read := func(name string, to any) {
		t.Helper()
		data, err := os.ReadFile(filepath.Join("..", "..", name))
		if err == nil {
			err = yaml.Unmarshal(data, to)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	var action struct {
		Name, Description string
		Inputs            map[string]struct{ Description, Default string }
		Runs              struct {
			Using string
			Steps []struct {
				Uses, Run string
				Env       map[string]string
			}
		}
	}
	read("action.yml", &action)
	if action.Name == "" || action.Description == "" || action.Runs.Using != "composite" || len(action.Runs.Steps) != 3 {
		t.Errorf("action.yml: %+v", action)
	}
	for _, s := range action.Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("action.yml: an input is pasted into a command: %s", s.Run)
		}
		for _, v := range s.Env {
			if name, ok := strings.CutPrefix(v, "${{ inputs."); ok {
				if name = strings.TrimSuffix(name, " }}"); action.Inputs[name].Description == "" {
					t.Errorf("action.yml: there is no input %s", name)
				}
			}
		}
	}
	var hooks []struct{ ID, Name, Entry, Language, Files string }
	read(".pre-commit-hooks.yaml", &hooks)
	if len(hooks) != 1 || hooks[0].ID != "crosslane-check" || hooks[0].Language != "golang" || !strings.Contains(hooks[0].Entry, "crosslane check") {
		t.Errorf("hooks: %+v", hooks)
	}
}
