package text

import "regexp"

// packageNames finds the names of this program's packages where an error says which of them it went through: at its
// beginning, behind the verb of another, or in brackets; never in what is quoted. Names that mean something to a person
// (config, service) are none of them.
var packageNames = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|((?m:^)|: |\()(?:(?:access|bridge|chunker|client|correlate|embed|indexer|latent|mapview|mcp|semantic|store|vector|watcher): )+`)

// Plainly is an error as it is told to a person: what failed and why, without the packages it went through.
func Plainly(message string) string {
	return packageNames.ReplaceAllStringFunc(message, func(found string) string {
		if found[0] == '"' {
			return found
		}
		return packageNames.ReplaceAllString(found, "$1")
	})
}
