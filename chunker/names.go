package chunker

// String is the word for a stage in status, check and dump.
func (s Stage) String() string {
	switch s {
	case StageRead:
		return "read"
	case StageSize:
		return "size"
	case StageDecode:
		return "decode"
	case StageFrontMatter:
		return "frontmatter"
	case StageParse:
		return "parse"
	case StageName:
		return "name"
	case StageBlocks:
		return "blocks"
	}
	return "unknown"
}

// String is the word for a kind of link.
func (k LinkKind) String() string {
	switch k {
	case LinkInline:
		return "inline"
	case LinkReference:
		return "reference"
	case LinkAuto:
		return "auto"
	case LinkWiki:
		return "wiki"
	case LinkEmbed:
		return "embed"
	}
	return "unknown"
}
