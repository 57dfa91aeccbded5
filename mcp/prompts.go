package mcp

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// prompt is a conversation that a person starts and a model carries on with the tools.
type prompt struct {
	name, title, about string
	params             []param // strings
	text               func(values) string
}

func prompts() []prompt {
	return []prompt{
		{
			name: "answer_with_citations", title: "Answer from the library", text: answerText,
			about: "Answers a question from the documents alone, each claim with the lines it stands on.",
			params: []param{
				{name: "question", kind: aString, required: true, min: 1, max: maxArgument, about: "What you want to know."},
				{name: "folder", kind: aString, max: maxArgument, about: "Look only below this shelf or folder."},
			},
		},
		{
			name: "summarise_document", title: "Summarise one document", text: summariseText,
			about:  "Reads a document section by section and saves a summary of it and of its sections.",
			params: []param{docPath()},
		},
	}
}

// definition is the prompt as prompts/list shows it.
func (p prompt) definition() mcp.Prompt {
	d := mcp.Prompt{Name: p.name, Title: p.title, Description: p.about}
	for _, arg := range p.params {
		d.Arguments = append(d.Arguments, mcp.PromptArgument{Name: arg.name, Description: arg.about, Required: arg.required})
	}
	return d
}

// answerer checks the arguments as those of tools are.
func (p prompt) answerer() server.PromptHandlerFunc {
	return func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		fields := make(map[string]any, len(r.Params.Arguments))
		for name, value := range r.Params.Arguments {
			fields[name] = value
		}
		args, err := check(p.params, fields)
		if err != nil {
			return nil, fmt.Errorf("prompt %s: %w", p.name, err)
		}
		return mcp.NewGetPromptResult(p.about, []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(p.text(args)))}), nil
	}
}

func answerText(args values) string {
	place := "browse_documents() shows the shelves; go down where a name or description fits"
	if folder := args.text("folder"); folder != "" {
		place = fmt.Sprintf("look only in %s: %s, and pass the same folder to search_documents", whole(folder), callText("browse_documents", "folder", whole(folder)))
	}
	return fmt.Sprintf(`Answer this question from the library of this server and from nothing else:

%s

1. Find candidates: %s. If that stalls, search_documents with the distinctive words of the question, then with synonyms and in the other language of the library.
2. Before a document with read_structure_first, call get_document_structure and choose the leaves that fit. related_sections and summaries show the way; they are no evidence.
3. Read what you rely on with get_node_content.
4. Answer in the language of the question. Behind each claim put [doc_path, L<start>-<end>] with the numbers printed before the lines, as narrow as the claim.
5. Where documents contradict each other, say so and cite both. Where the library has no answer, say what you looked through; add nothing from general knowledge.`, args.text("question"), place)
}

func summariseText(args values) string {
	path := whole(args.text("doc_path"))
	return fmt.Sprintf(`Summarise one document of this library, so that others find the right section without reading all of it.

1. %s. Keep its content_hash: it names the text that you are about to read.
2. %s, each part of it, and the subtrees of nodes with child_count, until you know every section.
3. get_node_content for the leaves, in order, a few at a time, each part of long ones. Summarise only what you have read.
4. Write, in the language of the document:
   - summary: what the whole is about, what it holds and for whom, 20-2,000 characters;
   - for each section that a reader may look for: what stands there, 10-800 characters, with figures, names and conditions rather than "this section describes". Leave out sections whose title says it all; a summary that only repeats a title is refused;
   - key_facts: up to 10 a section, single facts as they stand in the text.
   Invent nothing and judge nothing.
5. save_outline(doc_path=%s, summary, sections, source_hash = the content_hash of step 1).
6. If it is refused, correct every entry of details.rejected and send the whole outline again. If source_hash was refused the document has changed: begin again at step 1.`,
		callText("get_document", "doc_path", path), callText("get_document_structure", "doc_path", path, "depth", "10"), path)
}

// whole is a string as an argument in callText, however long: it is the caller's own and short.
func whole(s string) string { return string(encode(s)) }

// addPrompts offers the prompts to clients.
func addPrompts(s *server.MCPServer) {
	for _, p := range prompts() {
		s.AddPrompt(p.definition(), p.answerer())
	}
}
