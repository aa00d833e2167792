//go:build !js

package codeobject

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// readYAML reads one document; an error comes with its line.
func readYAML(text []byte) (any, int, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		msg := strings.TrimPrefix(err.Error(), "yaml: ")
		line := 1
		if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(msg); m != nil {
			line, _ = strconv.Atoi(m[1])
			msg = msg[len(m[0]):]
		}
		return nil, line, errors.New(msg)
	}
	if len(doc.Content) != 1 {
		return nil, 1, errors.New("found nothing, expected a YAML map")
	}
	return yamlTree(doc.Content[0], 0)
}

// yamlTree converts nodes to a tree; an error comes with its line.
func yamlTree(n *yaml.Node, depth int) (any, int, error) {
	if depth > maxDepth {
		return nil, n.Line, fmt.Errorf("nested more than %d deep", maxDepth)
	}
	switch n.Kind {
	case yaml.ScalarNode:
		v, err := yamlScalar(n.Value, n.Tag, n.Style&yaml.TaggedStyle != 0)
		return v, n.Line, err
	case yaml.SequenceNode:
		l := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			v, line, err := yamlTree(c, depth+1)
			if err != nil {
				return nil, line, err
			}
			l = append(l, v)
		}
		return l, 0, nil
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			if k.Kind != yaml.ScalarNode {
				return nil, k.Line, fmt.Errorf("found a list or map as a key, expected a string")
			}
			if _, dup := m[k.Value]; dup {
				return nil, k.Line, fmt.Errorf("key %.40q twice in one map", k.Value)
			}
			v, line, err := yamlTree(n.Content[i+1], depth+1)
			if err != nil {
				return nil, line, err
			}
			m[k.Value] = v
		}
		return m, 0, nil
	}
	return nil, n.Line, fmt.Errorf("anchors and aliases are not used in metadata")
}
