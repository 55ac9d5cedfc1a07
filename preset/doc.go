// Package preset holds the documented systems, each as a pipeline of the same
// passes: a preset's doc comment says what each of the document's parts became.
package preset
