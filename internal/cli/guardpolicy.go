package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/internal/guard"
)

const policyURL = "/api/v1/guard/policy"

func (e *env) guardPolicy() *cobra.Command {
	var mode, two, unattended string
	var reset bool
	cmd := &cobra.Command{
		Use:     "policy",
		Short:   "Show what agents of the workspace may do, or change it",
		Example: "  fluxway guard policy\n  fluxway guard policy --two-person off\n  fluxway guard policy --mode careful --unattended wait",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			var policy guard.Policy
			if reset {
				err = c.Do(cmd.Context(), "DELETE", policyURL, nil, &policy)
			} else {
				err = c.Do(cmd.Context(), "GET", policyURL, nil, &policy)
			}
			if err != nil {
				return err
			}
			changed, err := changePolicy(&policy, mode, two, unattended)
			if err != nil {
				return err
			}
			if changed {
				if err := c.Do(cmd.Context(), "PUT", policyURL, policy, &policy); err != nil {
					return err
				}
			}
			p := e.printer()
			return p.value(policy, func() { printPolicy(p, policy) })
		},
	}
	cmd.Flags().StringVar(&mode, "mode", "", "standard, careful or locked")
	cmd.Flags().StringVar(&two, "two-person", "", "on or off: what is critical needs a person other than the one who asked for the work")
	cmd.Flags().StringVar(&unattended, "unattended", "", "refuse, wait or allowed: runs that nobody watches")
	cmd.Flags().BoolVar(&reset, "reset", false, "go back to the policy of the settings first")
	return cmd
}

// changePolicy puts what the flags say into the policy.
func changePolicy(p *guard.Policy, mode, two, unattended string) (changed bool, err error) {
	if mode != "" {
		p.Mode = guard.Mode(mode)
	}
	if unattended != "" {
		p.Unattended = guard.Unattended(unattended)
	}
	switch two {
	case "":
	case "on", "off":
		p.TwoPerson = two == "on"
	default:
		return false, usageError{fmt.Errorf("--two-person is on or off, not %q", two)}
	}
	return mode+two+unattended != "", nil
}

func printPolicy(p printer, policy guard.Policy) {
	two := "off"
	if policy.TwoPerson {
		two = "on"
	}
	rows := [][]string{
		{"mode", string(policy.Mode)}, {"two persons for what is critical", two}, {"when nobody watches", string(policy.Unattended)},
		{"time to answer", policy.Deadline.Std().String()}, {"time to answer when nobody watches", policy.UnattendedDeadline.Std().String()},
		{"public tools", string(policy.Levels.Public)}, {"restricted tools", string(policy.Levels.Restricted)}, {"dangerous tools", string(policy.Levels.Dangerous)},
		{"files outside the project", string(policy.Paths.Outside)}, {"other hosts", string(policy.Hosts.Others)}, {"what looks like a secret and would leave", string(policy.Secrets)},
	}
	for _, r := range policy.Tools {
		rows = append(rows, []string{"the tools " + r.Tool, string(r.Action)})
	}
	for _, r := range policy.Rates {
		rows = append(rows, []string{"calls per " + strings.TrimSpace(string(r.Per)+" "+r.Tool), fmt.Sprintf("%d in %s", r.Limit, r.Every.Std())})
	}
	p.table([]string{"rule", "is"}, rows)
}
