package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

const (
	bashTime   = 5 * time.Minute
	bashOutput = 40_000 // bytes that are shown of one output
)

type bashInput struct {
	Command string `json:"command"`
}

// bash runs a shell command in the workspace and prints its output and errors
// as they came. If it fails, a last line tells the exit status.
func bash(command string) *call {
	in := bashInput{command}
	return &call{tool: "bash", input: in, run: in.run}
}

func (in bashInput) run(w *workspace) answer {
	out, code, err := w.shell(in.Command)
	if err != nil {
		return refuse("bash: %v", err)
	}
	if len(out) > bashOutput {
		cut := strings.LastIndexByte(out[:bashOutput], '\n') + 1
		out = fmt.Sprintf("%s[%d of %d bytes shown]\n", out[:cut], cut, len(out))
	}
	if code == 0 {
		return answer{text: out}
	}
	if out != "" && !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	return answer{text: fmt.Sprintf("%sexit status %d", out, code), failed: true}
}

// shell runs a command and returns all it printed, without the folders of the
// machine, and its exit status.
func (w *workspace) shell(command string) (out string, code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), bashTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir = w.dir
	cmd.Env = append(w.machine.env, "PWD="+w.dir)
	printed, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil {
		code, err = exit.ExitCode(), nil
	}
	return w.machine.scrub.clean(strings.ToValidUTF8(string(printed), "\uFFFD")), code, err
}
