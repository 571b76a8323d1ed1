package cli

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fluxway/fluxway/internal/kit/page"
	"github.com/fluxway/fluxway/internal/memory"
)

func (e *env) knowledgeCommand() *cobra.Command {
	return group("knowledge", "Give agents documents to look things up in", e.knowledgeAdd(), e.knowledgeList(), e.knowledgeFiles(), e.knowledgeReindex(), e.knowledgeRemove())
}

func (e *env) knowledgeAdd() *cobra.Command {
	var title, scope, agent, project, branch string
	var include, exclude []string
	var watch bool
	cmd := &cobra.Command{
		Use:   "add LOCATION",
		Short: "Have a file, folder, pattern, web page or repository read",
		Example: "  fluxway knowledge add ./docs --watch\n  fluxway knowledge add 'notes/**/*.md'\n  fluxway knowledge add https://example.org/handbook.html\n" +
			"  fluxway knowledge add https://example.org/team/project.git --include '*.md'",
		Args: oneArg("a path, a pattern in quotes, or an address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			at := args[0]
			if !strings.Contains(at, "://") {
				whole, err := filepath.Abs(at)
				if err != nil {
					return usageError{err}
				}
				at = whole
			}
			c, err := e.api()
			if err != nil {
				return err
			}
			in := map[string]any{"location": at, "watch": watch}
			for name, value := range map[string]string{"title": title, "scope": scope, "agent": agent, "project": project, "branch": branch} {
				if value != "" {
					in[name] = value
				}
			}
			for name, list := range map[string][]string{"include": include, "exclude": exclude} {
				if len(list) > 0 {
					in[name] = list
				}
			}
			var s memory.Source
			if err := c.Do(cmd.Context(), "POST", "/api/v1/knowledge/sources", in, &s); err != nil {
				return err
			}
			p := e.printer()
			return p.value(s, func() {
				p.line("%s %s (%s) is being read. fluxway knowledge list says how far it is.", p.paint(green, "✓"), s.Title, s.ID)
			})
		},
	}
	cmd.Flags().StringVar(&title, "title", "", "what to call it (default: its name)")
	cmd.Flags().StringVar(&scope, "scope", "", "user, workspace, agent or project (default: workspace)")
	cmd.Flags().StringVar(&agent, "agent", "", "for this agent")
	cmd.Flags().StringVar(&project, "project", "", "for the project of this id")
	cmd.Flags().StringVar(&branch, "branch", "", "of a repository")
	cmd.Flags().StringSliceVar(&include, "include", nil, "patterns: only these files")
	cmd.Flags().StringSliceVar(&exclude, "exclude", nil, "patterns: not these files")
	cmd.Flags().BoolVar(&watch, "watch", false, "read it again when its files change")
	return cmd
}

func (e *env) knowledgeList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List sources and how far each is read",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			var list page.Page[memory.Source]
			if err := c.Do(cmd.Context(), "GET", "/api/v1/knowledge/sources?limit=500", nil, &list); err != nil {
				return err
			}
			p := e.printer()
			return p.value(list, func() {
				var rows [][]string
				for _, s := range list.Data {
					state := s.State
					if s.Error != "" {
						state += ": " + s.Error
					}
					rows = append(rows, []string{string(s.ID), s.Title, string(s.Kind), fmt.Sprint(s.Files), fmt.Sprint(s.Failed), fmt.Sprint(s.Pieces), when(s.IndexedAt, "never"), state})
				}
				if len(rows) == 0 {
					p.line("No sources yet. fluxway knowledge add ./docs makes one.")
					return
				}
				p.table([]string{"id", "title", "kind", "files", "failed", "pieces", "read", "state"}, rows)
			})
		},
	}
}

func (e *env) knowledgeFiles() *cobra.Command {
	var failed bool
	cmd := &cobra.Command{
		Use:   "files SOURCE-ID",
		Short: "List the documents of a source, and what was wrong with those that could not be read",
		Args:  oneArg("the source's id, as fluxway knowledge list shows it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			query := url.Values{"limit": {"500"}}
			if failed {
				query.Set("state", "failed")
			}
			var list page.Page[memory.File]
			if err := c.Do(cmd.Context(), "GET", "/api/v1/knowledge/sources/"+url.PathEscape(args[0])+"/files?"+query.Encode(), nil, &list); err != nil {
				return err
			}
			p := e.printer()
			return p.value(list, func() {
				var rows [][]string
				for _, f := range list.Data {
					rows = append(rows, []string{f.Path, f.Format, fmt.Sprint(f.Pieces), f.State, strings.TrimSpace(f.Error + " " + f.Hint)})
				}
				p.table([]string{"path", "format", "pieces", "state", ""}, rows)
				if list.HasMore {
					p.line("… and more; --json and the API page through them.")
				}
			})
		},
	}
	cmd.Flags().BoolVar(&failed, "failed", false, "only those that could not be read")
	return cmd
}

func (e *env) knowledgeReindex() *cobra.Command {
	var everything bool
	cmd := &cobra.Command{
		Use:   "reindex SOURCE-ID",
		Short: "Read what changed again",
		Args:  oneArg("the source's id, as fluxway knowledge list shows it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			var s memory.Source
			if err := c.Do(cmd.Context(), "POST", "/api/v1/knowledge/sources/"+url.PathEscape(args[0])+"/reindex", map[string]bool{"everything": everything}, &s); err != nil {
				return err
			}
			p := e.printer()
			return p.value(s, func() { p.line("%s %s is being read.", p.paint(green, "✓"), s.Title) })
		},
	}
	cmd.Flags().BoolVar(&everything, "everything", false, "also what has not changed")
	return cmd
}

func (e *env) knowledgeRemove() *cobra.Command {
	return &cobra.Command{
		Use:   "remove SOURCE-ID",
		Short: "Forget a source and what was read of it; the files stay",
		Args:  oneArg("the source's id, as fluxway knowledge list shows it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := e.api()
			if err != nil {
				return err
			}
			return e.remove(cmd.Context(), c, "/api/v1/knowledge/sources/"+url.PathEscape(args[0]), args[0])
		},
	}
}
