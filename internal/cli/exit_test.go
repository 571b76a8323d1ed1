package cli

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/fluxway/fluxway/client"
	"github.com/fluxway/fluxway/internal/kit/fault"
)

func TestExitCode(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err  error
		want int
	}{
		"nothing wrong":        {nil, 0},
		"any error":            {errors.New("x"), 1},
		"a mistyped flag":      {usageError{errors.New("x")}, 2},
		"a refusal by a fault": {fault.New(fault.Forbidden, "no", "No."), 3},
		"a refusal by HTTP":    {&client.Error{Status: 401}, 3},
		"not there":            {fmt.Errorf("reading: %w", fault.New(fault.NotFound, "no", "No.")), 4},
		"there already":        {fault.New(fault.Conflict, "no", "No."), 5},
		"database down":        {fault.New(fault.Unavailable, "no", "No."), 6},
		"problems found":       {problemsError{3}, 7},
		"Ctrl+C":               {context.Canceled, 130},
	} {
		if got := exitCode(tt.err); got != tt.want {
			t.Errorf("%s: exitCode = %d, want %d", name, got, tt.want)
		}
	}
}
