//go:build conformance

package mcp

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// openPort lets the suite in, which cannot show a token.
const openPort = true

// What the suite wants to see, byte for byte.
const (
	// A picture of one red pixel, and a sound of no samples.
	fixturePNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	fixtureWAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
	// fixtureBeat is the pause that the suite asks for between notifications.
	fixtureBeat = 50 * time.Millisecond
)

// fixtureLevels are the log levels that sessions before 2026-07-28 have set.
var fixtureLevels sync.Map

// SetLogLevel makes exchange what mcp-go wants of a session that is logged to. The shipped program logs to no client.
func (e *exchange) SetLogLevel(level mcp.LoggingLevel) { fixtureLevels.Store(e.session, level) }

// GetLogLevel is the level that was set.
func (e *exchange) GetLogLevel() mcp.LoggingLevel {
	level, ok := fixtureLevels.Load(e.session)
	if !ok {
		return mcp.LoggingLevelInfo
	}
	return level.(mcp.LoggingLevel)
}

func (s *Server) addFixtures() {
	server.WithLogging()(s.protocol)
	s.addFixtureTools()
	s.addFixtureInputs()
	s.addFixtureResources()
	s.addFixturePrompts()
	s.ownMethods[string(mcp.MethodToolsCall)] = ownMethod{run: missingCapability}
}

type fixtureTool = func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error)

func (s *Server) fixture(name string, run fixtureTool) {
	s.protocol.AddTool(mcp.NewTool(name, mcp.WithDescription("A fixture of the conformance suite.")), run)
}

func saying(content ...mcp.Content) fixtureTool {
	return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: content}, nil
	}
}

func (s *Server) addFixtureTools() {
	picture := mcp.NewImageContent(fixturePNG, "image/png")
	s.fixture("test_simple_text", saying(mcp.NewTextContent("This is a simple text response for testing.")))
	s.fixture("test_image_content", saying(picture))
	s.fixture("test_audio_content", saying(mcp.NewAudioContent(fixtureWAV, "audio/wav")))
	s.fixture("test_embedded_resource", saying(mcp.NewEmbeddedResource(mcp.TextResourceContents{
		URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content.",
	})))
	s.fixture("test_multiple_content_types", saying(mcp.NewTextContent("Multiple content types test:"), picture, mcp.NewEmbeddedResource(mcp.TextResourceContents{
		URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`,
	})))
	s.fixture("test_error_handling", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("This tool intentionally returns an error for testing"), nil
	})
	s.fixture("test_tool_with_logging", s.logging("Tool execution started", "Tool processing data", "Tool execution completed"))
	s.fixture("test_logging_tool", s.logging("one line"))
	s.fixture("test_tool_with_progress", progressing)
	s.protocol.AddTool(mcp.NewToolWithRawSchema("json_schema_2020_12_tool", "A fixture of the conformance suite.", json.RawMessage(fixtureSchema)), saying(mcp.NewTextContent("done")))
}

const fixtureSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
"additionalProperties":false}`

// logging goes mcp-go's way on purpose: it is the one that loses notifications elsewhere.
func (s *Server) logging(lines ...string) fixtureTool {
	return func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i, line := range lines {
			if i > 0 {
				pause(ctx, fixtureBeat)
			}
			if err := s.protocol.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "fixture", line)); err != nil {
				return nil, err
			}
		}
		return mcp.NewToolResultText("logged"), nil
	}
}

func progressing(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for i, done := range []int{0, 50, 100} {
		if i > 0 {
			pause(ctx, fixtureBeat)
		}
		if m := r.Params.Meta; m != nil && m.ProgressToken != nil {
			exchangeOf(ctx).send(note("notifications/progress", nil, map[string]any{"progressToken": m.ProgressToken, "progress": done, "total": 100}))
		}
	}
	return mcp.NewToolResultText("progressed"), nil
}

// missingCapability answers the one fixture that is refused as a whole; mcp-go lets no tool do that.
func missingCapability(_ context.Context, _ *exchange, params json.RawMessage) (any, error) {
	var p struct {
		Name string
		Meta *mcp.Meta `json:"_meta"`
	}
	if json.Unmarshal(params, &p) != nil || p.Name != "test_missing_capability" {
		return nil, errElsewhere
	}
	if c := p.Meta.ClientCapabilities(); c != nil && c.Sampling != nil {
		return mcp.NewToolResultText("the client can sample"), nil
	}
	return nil, &fault{
		code: mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, text: "this tool needs a client that can sample",
		data: map[string]any{"requiredCapabilities": map[string]any{"sampling": struct{}{}}},
	}
}

// addFixtureInputs adds the tools that ask their client something, as 2026-07-28 does it: in the result.
func (s *Server) addFixtureInputs() {
	ask := func(property, kind, message string) mcp.ElicitationParams {
		return mcp.ElicitationParams{Message: message, RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{property: map[string]any{"type": kind}}, "required": []string{property},
		}}
	}
	sample := func(text string, tokens int) mcp.CreateMessageParams {
		return mcp.CreateMessageParams{MaxTokens: tokens, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(text)}}}
	}
	s.fixture("test_missing_capability", saying())
	s.fixture("test_input_required_result_elicitation", inputs("", func(r mcp.MultiRoundTripParams) string {
		if name, ok := elicited(r, "user_name", "name"); ok {
			return "Hello, " + name + "!"
		}
		return ""
	}, func(b *server.InputRequestBuilder) {
		b.Elicit("user_name", ask("name", "string", "What is your name?"))
	}))
	s.fixture("test_streaming_elicitation", inputs("", func(mcp.MultiRoundTripParams) string { return "" },
		func(b *server.InputRequestBuilder) { b.Elicit("go_on", ask("yes", "boolean", "Shall it go on?")) }))
	s.fixture("test_input_required_result_sampling", inputs("", func(r mcp.MultiRoundTripParams) string {
		if a := server.SamplingResponse(r.InputResponses, "capital_question"); a != nil {
			return fmt.Sprint(mcp.GetTextFromContent(a.Content))
		}
		return ""
	}, func(b *server.InputRequestBuilder) {
		b.Sample("capital_question", sample("What is the capital of France?", 100))
	}))
	s.fixture("test_input_required_result_list_roots", inputs("", func(r mcp.MultiRoundTripParams) string {
		if a := server.RootsResponse(r.InputResponses, "client_roots"); a != nil {
			return "roots: " + string(encode(a.Roots))
		}
		return ""
	}, func(b *server.InputRequestBuilder) { b.Roots("client_roots") }))
	confirm := func(b *server.InputRequestBuilder) { b.Elicit("confirm", ask("ok", "boolean", "Please confirm")) }
	confirmed := func(r mcp.MultiRoundTripParams) string {
		if _, ok := elicited(r, "confirm", "ok"); ok {
			return "state-ok"
		}
		return ""
	}
	s.fixture("test_input_required_result_request_state", inputs("asked", confirmed, confirm))
	s.fixture("test_input_required_result_tampered_state", inputs("asked", confirmed, confirm))
	s.fixture("test_input_required_result_multiple_inputs", inputs("all", func(r mcp.MultiRoundTripParams) string {
		name, ok := elicited(r, "user_name", "name")
		if ok && server.SamplingResponse(r.InputResponses, "greeting") != nil && server.RootsResponse(r.InputResponses, "client_roots") != nil {
			return "all answered by " + name
		}
		return ""
	}, func(b *server.InputRequestBuilder) {
		b.Elicit("user_name", ask("name", "string", "What is your name?")).Sample("greeting", sample("Generate a greeting", 50)).Roots("client_roots")
	}))
	s.fixture("test_input_required_result_multi_round", func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		step, err := signed(r.Params.RequestState)
		name, one := elicited(r.Params.MultiRoundTripParams, "step1", "name")
		color, two := elicited(r.Params.MultiRoundTripParams, "step2", "color")
		switch {
		case err != nil:
			return nil, err
		case two && strings.HasPrefix(step, "2 "):
			return mcp.NewToolResultText(step[2:] + " likes " + color), nil
		case one && step == "1":
			return server.NewInputRequestBuilder(sign("2 "+name)).Elicit("step2", ask("color", "string", "Step 2: What is your favorite color?")).ToolResult(), nil
		}
		return server.NewInputRequestBuilder(sign("1")).Elicit("step1", ask("name", "string", "Step 1: What is your name?")).ToolResult(), nil
	})
	s.fixture("test_input_required_result_capabilities", func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		can := r.Params.Meta.ClientCapabilities()
		b := server.NewInputRequestBuilder(sign("asked"))
		if can != nil && can.Sampling != nil {
			b.Sample("a_word", sample("Say a word", 10))
		}
		if can != nil && can.Elicitation != nil {
			b.Elicit("a_name", ask("name", "string", "What is your name?"))
		}
		if can != nil && can.Roots != nil {
			b.Roots("client_roots")
		}
		return b.ToolResult(), nil
	})
}

// inputs is a tool that asks until done has something to say. state, when there is one, goes along signed.
func inputs(state string, done func(mcp.MultiRoundTripParams) string, ask func(*server.InputRequestBuilder)) fixtureTool {
	return func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if state != "" && r.Params.RequestState != "" {
			said, err := signed(r.Params.RequestState)
			if err == nil && said != state {
				err = errors.New("it is another tool's")
			}
			if err != nil {
				return nil, fmt.Errorf("the request state is none of this call's: %w", err)
			}
		}
		if text := done(r.Params.MultiRoundTripParams); text != "" && (state == "" || r.Params.RequestState != "") {
			return mcp.NewToolResultText(text), nil
		}
		b := server.NewInputRequestBuilder("")
		if state != "" {
			b.RequestState(sign(state))
		}
		ask(b)
		return b.ToolResult(), nil
	}
}

func elicited(r mcp.MultiRoundTripParams, id, property string) (string, bool) {
	a := server.ElicitationResponse(r.InputResponses, id)
	if a == nil {
		return "", false
	}
	fields, _ := a.Content.(map[string]any)
	value, ok := fields[property]
	return fmt.Sprint(value), ok
}

func sign(text string) string {
	mac := hmac.New(sha256.New, []byte("fixture"))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil)) + "." + base64.RawURLEncoding.EncodeToString([]byte(text))
}

// signed is the text of a state, "" without one.
func signed(state string) (string, error) {
	if state == "" {
		return "", nil
	}
	_, encoded, _ := strings.Cut(state, ".")
	text, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || !hmac.Equal([]byte(sign(string(text))), []byte(state)) {
		return "", fmt.Errorf("a state that was changed on the way")
	}
	return string(text), nil
}

func (s *Server) addFixtureResources() {
	text := mcp.NewResource("test://static-text", "static text", mcp.WithResourceDescription("A fixture."), mcp.WithMIMEType("text/plain"))
	s.protocol.AddResource(text, func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."}}, nil
	})
	binary := mcp.NewResource("test://static-binary", "static binary", mcp.WithResourceDescription("A fixture."), mcp.WithMIMEType("image/png"))
	s.protocol.AddResource(binary, func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.BlobResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: fixturePNG}}, nil
	})
	template := mcp.NewResourceTemplate("test://template/{id}/data", "template", mcp.WithTemplateDescription("A fixture."), mcp.WithTemplateMIMEType("application/json"))
	s.protocol.AddResourceTemplate(template, func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
		body := encode(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "application/json", Text: string(body)}}, nil
	})
}

func (s *Server) addFixturePrompts() {
	user := func(c mcp.Content) mcp.PromptMessage { return mcp.NewPromptMessage(mcp.RoleUser, c) }
	add := func(name string, messages func(args map[string]string) []mcp.PromptMessage, args ...string) {
		options := []mcp.PromptOption{mcp.WithPromptDescription("A fixture of the conformance suite.")}
		for _, a := range args {
			options = append(options, mcp.WithArgument(a, mcp.ArgumentDescription("An argument."), mcp.RequiredArgument()))
		}
		s.protocol.AddPrompt(mcp.NewPrompt(name, options...), func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return mcp.NewGetPromptResult("A fixture.", messages(r.Params.Arguments)), nil
		})
	}
	add("test_simple_prompt", func(map[string]string) []mcp.PromptMessage {
		return []mcp.PromptMessage{user(mcp.NewTextContent("This is a simple prompt for testing."))}
	})
	add("test_prompt_with_arguments", func(a map[string]string) []mcp.PromptMessage {
		return []mcp.PromptMessage{user(mcp.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])))}
	}, "arg1", "arg2")
	add("test_prompt_with_embedded_resource", func(a map[string]string) []mcp.PromptMessage {
		return []mcp.PromptMessage{
			user(mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: a["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."})),
			user(mcp.NewTextContent("Please process the embedded resource above.")),
		}
	}, "resourceUri")
	add("test_prompt_with_image", func(map[string]string) []mcp.PromptMessage {
		return []mcp.PromptMessage{user(mcp.NewImageContent(fixturePNG, "image/png")), user(mcp.NewTextContent("Please analyze the image above."))}
	})
	s.protocol.AddPrompt(mcp.NewPrompt("test_input_required_result_prompt", mcp.WithPromptDescription("A fixture of the conformance suite.")),
		func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if context, ok := elicited(r.Params.MultiRoundTripParams, "user_context", "context"); ok {
				return mcp.NewGetPromptResult("A fixture.", []mcp.PromptMessage{user(mcp.NewTextContent("In the context of " + context))}), nil
			}
			return server.NewInputRequestBuilder("").Elicit("user_context", mcp.ElicitationParams{
				Message: "What context should the prompt use?",
				RequestedSchema: map[string]any{
					"type": "object", "properties": map[string]any{"context": map[string]any{"type": "string"}}, "required": []string{"context"},
				},
			}).PromptResult(), nil
		})
}
