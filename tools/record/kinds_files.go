package main

// The module of the session kinds, and what the agent writes into it.

const histSource = `// Package chart draws histograms.
package chart

import "slices"

// Bins sorts values into n bins of equal width between the smallest and the
// largest, and returns how many are in each. Without values all are 0.
func Bins(values []float64, n int) []int {
	counts := make([]int, n)
	if len(values) == 0 {
		return counts
	}
	low, high := slices.Min(values), slices.Max(values)
	width := (high - low) / float64(n)
	if width == 0 {
		counts[0] = len(values)
		return counts
	}
	for _, v := range values {
		counts[int((v-low)/width)]++
	}
	return counts
}
`

const histTest = `package chart

import (
	"slices"
	"testing"
)

func TestBinsEven(t *testing.T) {
	if got, want := Bins(nil, 3), []int{0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("Bins(nil, 3) = %v, want %v", got, want)
	}
	if got, want := Bins([]float64{7, 7}, 3), []int{2, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("Bins of equal values = %v, want %v", got, want)
	}
}
`

const histMaxTest = `func TestBinsMaximum(t *testing.T) {
	if got, want := Bins([]float64{0, 1, 2, 3, 4}, 2), []int{2, 3}; !slices.Equal(got, want) {
		t.Errorf("Bins = %v, want %v", got, want)
	}
}
`

const drawSource = `package chart

import (
	"image"
	"image/color"
	"slices"
)

// Draw returns a picture of counts, a bar each.
func Draw(counts []int, width, height int) *image.Paletted {
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White, color.Gray{0x40}})
	highest := max(1, slices.Max(counts))
	barWidth := width / len(counts)
	for i, c := range counts {
		high := height * c / highest
		bar := image.Rect(i*barWidth+1, 0, (i+1)*barWidth, high)
		for y := bar.Min.Y; y < bar.Max.Y; y++ {
			for x := bar.Min.X; x < bar.Max.X; x++ {
				img.SetColorIndex(x, y, 1)
			}
		}
	}
	return img
}
`

const drawTest = `package chart

import "testing"

func TestDraw(t *testing.T) {
	img := Draw([]int{8, 4}, 20, 100)
	heights := []int{0, 0}
	for i := range heights {
		for y := 99; y >= 0 && img.ColorIndexAt(i*10+5, y) == 1; y-- { // from the lower edge
			heights[i]++
		}
	}
` + drawLinear + `		t.Errorf("the bars are %v pixels high", heights)
	}
}
`

const drawLinear = `	if heights[0] != 100 || heights[1] != 50 {
`

const drawLogarithmic = `	if heights[0] != 100 || heights[1] != 73 { // log 5 is 0.73 of log 9
`

const chartMain = `// Command chart writes chart.png, a histogram of the numbers in a file.
package main

import (
	"fmt"
	"image/png"
	"os"
	"strconv"
	"strings"

	"example.com/chart"
)

` + chartPanics + `
func values(text string) ([]float64, error) {
	var values []float64
	for i, field := range strings.Fields(text) {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return nil, fmt.Errorf("value %d: %w", i+1, err)
		}
		values = append(values, v)
	}
	return values, nil
}
`

const chartPanics = `func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	v, err := values(string(text))
	if err != nil {
		panic(err)
	}
	out, err := os.Create("chart.png")
	if err != nil {
		panic(err)
	}
	if err := png.Encode(out, chart.Draw(chart.Bins(v, 12), 240, 120)); err != nil {
		panic(err)
	}
	fmt.Printf("chart.png: %d values\n", len(v))
}
`

const chartErrors = `func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: chart FILE")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "chart:", err)
		os.Exit(1)
	}
}

func run(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	v, err := values(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	out, err := os.Create("chart.png")
	if err != nil {
		return err
	}
	if err := png.Encode(out, chart.Draw(chart.Bins(v, 12), 240, 120)); err != nil {
		return err
	}
	fmt.Printf("chart.png: %d values\n", len(v))
	return out.Close()
}
`

const latencyData = `3 4 4 5 5 5 6 6 6 6 7 7 7 7 8 8 8 8 8 9 9 9 9 10 10 10 11 11 12 12 13 14 15 16 18 19 22 24 25 27 31 33 38 41 47 52 58 66 71 84 92 97 110 121 138 150 176 199 231 250
`
