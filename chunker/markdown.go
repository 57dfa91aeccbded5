package chunker

import (
	"fmt"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown is CommonMark with the parts of GFM that change what a document says: tables and strikethrough. Bare URLs
// always have a scheme and would be left out of the links anyway; footnotes would be moved to the end of the tree.
// It is built once, like a regular expression, and keeps no state between documents: that is in the meter.
var markdown = parser.NewParser(
	parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(shallow{parser.NewListParser(), true}, 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(shallow{parser.NewBlockquoteParser(), false}, 800),
		util.Prioritized(htmlBlocks{parser.NewHTMLBlockParser()}, 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	),
	parser.WithInlineParsers(
		util.Prioritized(codeSpans{parser.NewCodeSpanParser()}, 100),
		util.Prioritized(wikiParser{}, 150),
		util.Prioritized(links{parser.NewLinkParser()}, 200),
		util.Prioritized(fileLinkParser{}, 250),
		util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(metered{parser.NewRawHTMLParser(), chargeTag}, 400),
		util.Prioritized(metered{parser.NewEmphasisParser(), chargeDelimiter}, 500),
		util.Prioritized(metered{extension.NewStrikethroughParser(), chargeDelimiter}, 510),
		util.Prioritized(tagParser{}, 600),
	),
	parser.WithParagraphTransformers(
		util.Prioritized(definitions{parser.LinkReferenceParagraphTransformer}, 100),
		util.Prioritized(tables{extension.NewTableParagraphTransformer()}, 200),
	),
)

// parseMarkdown returns the tree of src, and the meter that says what was left unread to end in time.
func parseMarkdown(src []byte) (root ast.Node, m *meter, err error) {
	m = &meter{left: maxSteps}
	pc := parser.NewContext()
	pc.Set(meterKey, m)
	err = survive(func() { root = markdown.Parse(gmtext.NewReader(src), parser.WithContext(pc)) })
	return root, m, err
}

// survive runs a library over a stranger's bytes: a panic in it spoils one document, not the daemon.
func survive(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("parser fault: %v", r)
		}
	}()
	f()
	return nil
}
