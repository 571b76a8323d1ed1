package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/client"
	"github.com/fluxway/fluxway/internal/app"
	"github.com/fluxway/fluxway/internal/costs"
	"github.com/fluxway/fluxway/internal/kit/fault"
	"github.com/fluxway/fluxway/internal/kit/page"
)

// api is a client of the server that runs on this machine's data.
func (e *env) api() (*client.Client, error) {
	loaded, _, err := e.load(nil)
	if err != nil {
		return nil, err
	}
	data := app.Data{Dir: loaded.Config.Data}
	if !data.Serving() {
		return nil, fault.New(fault.Unavailable, "not_running", "No server runs on %s.", data.Dir).WithHint("Start it with fluxway up.")
	}
	return client.New(client.Options{Socket: data.Socket()})
}

func (e *env) costsCommand() *cobra.Command {
	return group("costs", "Show what was spent, and keep budgets", e.costsSummary(), e.costsRecords(), e.costsExport(), e.costsBudgets())
}

func (e *env) costsSummary() *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use:   "summary",
		Short: "What was spent this month, by model, agent, user or key",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			var burn costs.Burn
			if err := c.Do(cmd.Context(), "GET", "/api/v1/costs/burn", nil, &burn); err != nil {
				return err
			}
			var shares page.Page[costs.Share]
			query := url.Values{"by": {by}, "since": {burn.Month.Start.Format(time.RFC3339)}}
			if err := c.Do(cmd.Context(), "GET", "/api/v1/costs/breakdown?"+query.Encode(), nil, &shares); err != nil {
				return err
			}
			p := e.printer()
			return p.value(map[string]any{"burn": burn, "by": by, "shares": shares.Data}, func() {
				p.line("This month %s, projected %s; last 24 hours %s.", burn.MonthSpent, burn.MonthProjected, burn.LastDay)
				if burn.Unpriced > 0 {
					p.line("%s %d calls of the last week have no known price and are not counted.", p.paint(yellow, "!"), burn.Unpriced)
				}
				var rows [][]string
				for _, s := range shares.Data {
					rows = append(rows, []string{s.Name, fmt.Sprint(s.Calls), fmt.Sprint(s.Input), fmt.Sprint(s.Output), priceOf(s)})
				}
				if len(rows) > 0 {
					p.line("")
					p.table([]string{by, "calls", "tokens in", "tokens out", "price"}, rows)
				}
			})
		},
	}
	cmd.Flags().StringVar(&by, "by", "model", "model, provider, agent, user, key, door or outcome")
	return cmd
}

// priceOf never shows an unknown price as nothing.
func priceOf(s costs.Share) string {
	switch {
	case s.Unpriced == s.Calls && s.Calls > 0:
		return "no price"
	case s.Unpriced > 0:
		return fmt.Sprintf("%s + %d without price", s.Price, s.Unpriced)
	}
	return s.Price.String()
}

func (e *env) costsRecords() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "records",
		Short: "List single calls, newest first",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			var records page.Page[costs.Record]
			if err := c.Do(cmd.Context(), "GET", fmt.Sprintf("/api/v1/costs/records?limit=%d", limit), nil, &records); err != nil {
				return err
			}
			p := e.printer()
			return p.value(records, func() {
				var rows [][]string
				for _, r := range records.Data {
					price := "no price"
					if r.Price != nil {
						price = r.Price.String()
					}
					rows = append(rows, []string{when(r.At, ""), r.Provider + "/" + r.Model, string(r.Outcome), fmt.Sprint(r.Tokens.Input), fmt.Sprint(r.Tokens.Output), price})
				}
				if len(rows) == 0 {
					p.line("Nothing was spent yet.")
					return
				}
				p.table([]string{"at", "model", "outcome", "in", "out", "price"}, rows)
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "how many, at most 500")
	return cmd
}

func (e *env) costsExport() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "export [file]",
		Short: "Write all records as CSV or JSON lines",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "csv" && format != "jsonl" {
				return usageError{errors.New("--format is csv or jsonl")}
			}
			c, err := e.api()
			if err != nil {
				return err
			}
			return e.download(cmd.Context(), c, "/api/v1/costs/export?format="+format, strings.Join(args, ""))
		},
	}
	cmd.Flags().StringVar(&format, "format", "csv", "csv or jsonl")
	return cmd
}

func (e *env) costsBudgets() *cobra.Command {
	cmd := group("budgets", "List, make and remove budgets", e.budgetsList(), e.budgetsCreate(), e.budgetsRemove())
	return cmd
}

func (e *env) budgetsList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List budgets and where each stands",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			var budgets page.Page[costs.BudgetStatus]
			if err := c.Do(cmd.Context(), "GET", "/api/v1/costs/budgets", nil, &budgets); err != nil {
				return err
			}
			p := e.printer()
			return p.value(budgets, func() {
				var rows [][]string
				for _, b := range budgets.Data {
					rows = append(rows, []string{string(b.ID), b.Name, b.Unit.Show(b.Spent), b.Unit.Show(b.Limit), fmt.Sprintf("%d %%", b.Percent), string(b.AtLimit)})
				}
				if len(rows) == 0 {
					p.line("No budgets yet. fluxway costs budgets create --amount 5 makes one.")
					return
				}
				p.table([]string{"id", "name", "spent", "limit", "used", "at limit"}, rows)
			})
		},
	}
}

func (e *env) budgetsCreate() *cobra.Command {
	var amount string
	body := map[string]any{}
	var name, scope, scopeID, period, zone, atLimit string
	cmd := &cobra.Command{
		Use:     "create",
		Short:   "Limit spending for a scope and a period",
		Example: "  fluxway costs budgets create --amount 5 --period daily\n  fluxway costs budgets create --amount 20 --scope agent --scope-id assistant --at-limit alert",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dollars, err := costs.ParseMicros(amount)
			if err != nil {
				return usageError{fmt.Errorf("--amount is in dollars, such as 5 or 0.50: %w", err)}
			}
			body["amount"] = int64(dollars)
			for field, value := range map[string]string{"name": name, "scope": scope, "scope_id": scopeID, "period": period, "zone": zone, "at_limit": atLimit} {
				if value != "" {
					body[field] = value
				}
			}
			c, err := e.api()
			if err != nil {
				return err
			}
			var made costs.BudgetStatus
			if err := c.Do(cmd.Context(), "POST", "/api/v1/costs/budgets", body, &made); err != nil {
				return err
			}
			p := e.printer()
			return p.value(made, func() {
				p.line("%s %s: %s of %s are spent.", p.paint(green, "✓"), made.Name, made.Unit.Show(made.Spent), made.Unit.Show(made.Limit))
			})
		},
	}
	cmd.Flags().StringVar(&amount, "amount", "", "dollars")
	cmd.Flags().StringVar(&name, "name", "", "what to call it")
	cmd.Flags().StringVar(&scope, "scope", "", "workspace, user, key, agent, model, project or workflow (default: workspace)")
	cmd.Flags().StringVar(&scopeID, "scope-id", "", "which user, key, agent, …")
	cmd.Flags().StringVar(&period, "period", "", "daily, weekly, monthly or total (default: monthly)")
	cmd.Flags().StringVar(&zone, "zone", "", "the time zone whose days count (default: UTC)")
	cmd.Flags().StringVar(&atLimit, "at-limit", "", "alert, throttle, ask or block (default: block)")
	return cmd
}

func (e *env) budgetsRemove() *cobra.Command {
	return &cobra.Command{
		Use:   "remove BUDGET-ID",
		Short: "Remove a budget; records stay",
		Args:  oneArg("the budget's id, as fluxway costs budgets list shows it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			return e.remove(cmd.Context(), c, "/api/v1/costs/budgets/"+url.PathEscape(args[0]), args[0])
		},
	}
}

func (e *env) remove(ctx context.Context, c *client.Client, path, id string) error {
	if err := c.Do(ctx, "DELETE", path, nil, nil); err != nil {
		return err
	}
	p := e.printer()
	return p.value(map[string]string{"removed": id}, func() { p.line("%s %s is removed.", p.paint(green, "✓"), id) })
}
