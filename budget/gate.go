package budget

import "github.com/condenser-go/condenser/message"

// Limit returns how many tokens a transcript may have before it is condensed:
// (window − reserve) × ratio, the difference not below 0.
func Limit(c ModelCard, p Policy) float64 {
	return float64(max(0, c.ContextWindow-p.ReserveTokens)) * p.TriggerRatio
}

// IsOver reports whether the estimate of msgs is strictly above the limit.
func IsOver(msgs []message.Message, c ModelCard, p Policy) bool {
	return float64(EstimateTokens(msgs)) > Limit(c, p)
}
