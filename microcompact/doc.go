// Package microcompact frees window space without a model, one message at a
// time: it empties what can be had again.
//
// [ToolResults] is the pass; [ClearStaleToolResults] the plain function of the
// window-budget document.
package microcompact
