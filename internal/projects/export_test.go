package projects

import (
	"context"
	"time"
)

// Prune is what the retention does.
func Prune(ctx context.Context, p *Projects, before time.Time) error {
	_, err := p.prune(ctx, before)
	return err
}
