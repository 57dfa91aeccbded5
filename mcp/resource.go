package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"shelfd/store"
)

const (
	uriScheme   = "shelf://"
	uriTemplate = uriScheme + "{shelf}/{+path}"
	// resourcePage is how many documents a page of resources/list holds: some 40 kB.
	resourcePage = 100
	// codeNoResource is what revisions before 2026-07-28 say of a resource that is not there.
	codeNoResource = mcp.RESOURCE_NOT_FOUND
)

// uriOf is the URI of a document. Everything that means something in a URI is escaped, the slashes between folders
// apart.
func uriOf(path string) string {
	steps := strings.Split(path, "/")
	for i, s := range steps {
		// QueryEscape leaves no delimiter as it is: the shelf's name stands where a host and a port would.
		steps[i] = strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
	}
	return uriScheme + strings.Join(steps, "/")
}

// pathOf is the doc_path that a URI names; false when it is the URI of something else. Letters that should be escaped
// and are not are taken as they stand.
func pathOf(uri string) (string, bool) {
	rest, ok := strings.CutPrefix(uri, uriScheme)
	if !ok {
		return "", false
	}
	path, err := url.PathUnescape(rest)
	return path, err == nil && utf8.ValidString(path)
}

// documentParam reads the "uri" of a request.
func documentParam(params json.RawMessage) (uri, path string, err error) {
	var p struct {
		URI string `json:"uri"`
	}
	if params == nil || json.Unmarshal(params, &p) != nil || p.URI == "" {
		return "", "", &fault{code: codeInvalidParams, text: `"uri" must be a string`}
	}
	if !strings.HasPrefix(p.URI, uriScheme) {
		return p.URI, "", errElsewhere
	}
	path, ok := pathOf(p.URI)
	if !ok {
		return "", "", noResource(p.URI)
	}
	return p.URI, path, nil
}

func noResource(uri string) *fault {
	return &fault{code: codeNoResource, text: "no such resource; resources/list shows what there is", data: map[string]string{"uri": clip(uri, 2*clipPath)}}
}

func exists(v *store.View, uri, path string) error {
	_, err := v.Document(path)
	if errors.Is(err, store.ErrNotFound) {
		return noResource(uri)
	}
	return err
}

// documentTemplate is for clients that make URIs from paths they know.
func documentTemplate() (mcp.ResourceTemplate, server.ResourceTemplateHandlerFunc) {
	template := mcp.NewResourceTemplate(uriTemplate, "document",
		mcp.WithTemplateDescription("One Markdown document as it stands in its file; shelf and path are the parts of a doc_path, percent-encoded."),
		mcp.WithTemplateMIMEType("text/markdown"))
	template.Title = "Document"
	never := func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return nil, server.ErrResourceNotFound // readDocument has served it
	}
	return template, never
}

// resource is a document as resources/list shows it.
type resource struct {
	URI         string            `json:"uri"`
	Name        string            `json:"name"`
	Title       string            `json:"title,omitempty"`
	Description string            `json:"description,omitempty"`
	MIMEType    string            `json:"mimeType"`
	Size        int64             `json:"size"`
	Annotations map[string]string `json:"annotations"`
}

type resourceList struct {
	Resources []resource `json:"resources"`
	Next      string     `json:"nextCursor,omitempty"`
	decoration
}

// listDocuments pages through all documents in path order. The cursor is the last path of the page before, so that
// documents that come and go meanwhile shift nothing.
func listDocuments(ctx context.Context, e *exchange, params json.RawMessage) (any, error) {
	var p struct {
		Cursor string `json:"cursor"`
	}
	if params != nil && json.Unmarshal(params, &p) != nil {
		return nil, &fault{code: codeInvalidParams, text: `"cursor" must be a string`}
	}
	after, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	if err != nil || !utf8.Valid(after) {
		return nil, &fault{code: codeInvalidParams, text: "the cursor is none that this server gave; begin again without one"}
	}
	list := &resourceList{Resources: []resource{}}
	err = e.server.view(ctx, func(v *store.View) error {
		documents, err := v.DocumentsAfter(string(after), resourcePage+1)
		if len(documents) > resourcePage {
			documents = documents[:resourcePage]
			list.Next = base64.RawURLEncoding.EncodeToString([]byte(documents[resourcePage-1].Path))
		}
		for _, d := range documents {
			list.Resources = append(list.Resources, resourceOf(d))
		}
		return err
	})
	return list, err
}

func resourceOf(d store.Document) resource {
	return resource{
		URI: uriOf(d.Path), Name: d.Path, Title: clip(d.Title, clipTitle), Description: clip(d.Description, clipTitle),
		MIMEType: "text/markdown", Size: d.Bytes, Annotations: map[string]string{"lastModified": stamp(d.Updated)},
	}
}

type resourceText struct {
	URI      string `json:"uri"`
	MIMEType string `json:"mimeType"`
	Text     string `json:"text"`
}

type resourceContents struct {
	Contents []resourceText `json:"contents"`
	decoration
}

// readDocument gives a whole document: a resource has no parts. Tools are the way to read less.
func readDocument(ctx context.Context, e *exchange, params json.RawMessage) (any, error) {
	uri, path, err := documentParam(params)
	if err != nil {
		return nil, err
	}
	contents := &resourceContents{}
	err = e.server.view(ctx, func(v *store.View) error {
		d, err := v.Document(path)
		if errors.Is(err, store.ErrNotFound) {
			return noResource(uri)
		}
		if err != nil {
			return err
		}
		text, err := v.Content(d.ID)
		contents.Contents = []resourceText{{uri, "text/markdown", text}}
		return err
	})
	return contents, err
}
