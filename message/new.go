package message

// NewSystem returns a *System of one text block.
func NewSystem(text string) *System { return &System{Content: []Block{Text(text)}} }

// NewUser returns a *User of one text block.
func NewUser(text string) *User { return &User{Content: []Block{Text(text)}} }

// NewAssistant returns an *Assistant of the given blocks.
func NewAssistant(blocks ...Block) *Assistant { return &Assistant{Content: blocks} }

// NewToolCall returns a call whose arguments are the given JSON text.
func NewToolCall(id, name, input string) *ToolCall {
	return &ToolCall{ID: id, Name: name, Input: []byte(input)}
}

// NewToolResult returns the answer to call, of one text block.
func NewToolResult(call *ToolCall, text string) *ToolResult {
	r := &ToolResult{Content: []Block{Text(text)}}
	if call != nil {
		r.CallID, r.ToolName = call.ID, call.Name
	}
	return r
}

// NewBashExecution returns a command that ended with the given exit code.
func NewBashExecution(command, output string, exitCode int) *BashExecution {
	return &BashExecution{Command: command, Output: output, ExitCode: &exitCode}
}

// NewCustom returns a *Custom of one text block.
func NewCustom(customType, text string) *Custom {
	return &Custom{CustomType: customType, Content: []Block{Text(text)}}
}
