package main

import (
	"fmt"
	"strings"
)

type todoItem struct {
	Content string `json:"content"`
	Status  string `json:"status"`
}

type todoInput struct {
	Todos []todoItem `json:"todos"`
}

var todoMarks = map[string]string{"[x] ": "completed", "[~] ": "in_progress", "[ ] ": "pending"}

// todo sets the list of what is to be done. An item begins with "[x] ", "[~] "
// (being done) or "[ ] ".
func todo(items ...string) *call {
	in := todoInput{Todos: []todoItem{}}
	for _, s := range items {
		in.Todos = append(in.Todos, todoItem{Content: s[4:], Status: todoMarks[s[:4]]})
	}
	return &call{tool: "todo", input: in, run: in.run}
}

func (in todoInput) run(*workspace) answer {
	counts := map[string]int{}
	for _, t := range in.Todos {
		counts[t.Status]++
	}
	var parts []string
	for _, status := range []string{"completed", "in_progress", "pending"} {
		if n := counts[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(status, "_", " ")))
		}
	}
	return answer{text: "todo list: " + strings.Join(parts, ", ")}
}
