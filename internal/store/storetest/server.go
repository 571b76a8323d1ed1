package storetest

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // registers "pgx"

	"github.com/fluxway/fluxway/internal/store/postgres"
)

// server is the throwaway PostgreSQL of this test process.
var server = &cluster{}

type cluster struct {
	once  sync.Once
	err   error
	skip  string         // why there is no server
	admin string         // URL of its postgres database
	leash io.WriteCloser // open as long as this process lives
	count atomic.Int64

	mu sync.Mutex // one CREATE DATABASE from the template at a time
}

// database makes a database for one test.
func (c *cluster) database(t testing.TB, withTables bool) (string, error) {
	wanted := os.Getenv("FLUXWAY_TEST_POSTGRES") // require: no server is a failure; off: do not start one
	if wanted == "off" {
		t.Skip("PostgreSQL half skipped: FLUXWAY_TEST_POSTGRES=off")
	}
	c.once.Do(c.find)
	if c.skip != "" {
		if wanted == "require" {
			return "", errors.New(c.skip)
		}
		t.Skip("PostgreSQL half skipped: " + c.skip)
	}
	if c.err != nil {
		return "", c.err
	}
	name := fmt.Sprintf("t_%d_%d", os.Getpid(), c.count.Add(1))
	create := "CREATE DATABASE " + name + " TEMPLATE template0"
	if withTables {
		create = "CREATE DATABASE " + name + " TEMPLATE migrated"
	}
	c.mu.Lock()
	err := c.exec(create)
	c.mu.Unlock()
	if err != nil {
		return "", err
	}
	t.Cleanup(func() {
		if err := c.exec("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Errorf("dropping %s: %v", name, err)
		}
	})
	return c.url(name), nil
}

func (c *cluster) url(database string) string {
	u, err := url.Parse(c.admin)
	if err != nil {
		panic(err)
	}
	u.Path = "/" + database
	return u.String()
}

func (c *cluster) exec(statement string) error {
	db, err := sql.Open("pgx", c.admin)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// Lend starts a server for the test processes of a command and gives what their environment needs to find it. The
// server ends with this process.
func Lend() (env string, err error) {
	if server.once.Do(server.find); server.err == nil && server.skip == "" {
		return lent + "=" + server.admin, nil
	}
	return "", server.err
}

// lent names a server that another process started.
const lent = "FLUXWAY_TEST_POSTGRES_SERVER"

// find takes the server that was lent, or starts one.
func (c *cluster) find() {
	if c.admin = os.Getenv(lent); c.admin == "" {
		c.err = c.start()
	}
}

// start makes a cluster in a folder of its own, listening on a socket only.
func (c *cluster) start() error {
	bin := binaries()
	if bin == "" {
		c.skip = "no PostgreSQL server binaries found (Debian: apt-get install postgresql)"
		return nil
	}
	root := home()
	removeStale(root)
	dir, err := os.MkdirTemp(root, fmt.Sprintf("fluxway-pg-%d-", os.Getpid()))
	if err != nil {
		return err
	}
	cred, err := credential(dir)
	if err != nil {
		return err
	}
	as := &syscall.SysProcAttr{Credential: cred, Setsid: true}
	if c.leash, err = watch(bin, dir, as); err != nil {
		return fmt.Errorf("starting the watcher of PostgreSQL: %w", err)
	}
	data := filepath.Join(dir, "data")
	if err := run(dir, as, filepath.Join(bin, "initdb"), "-D", data, "-U", "fluxway", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"); err != nil {
		return err
	}
	// pg_ctl returns once the server accepts connections.
	options := "-k " + dir + " -c listen_addresses='' -c fsync=off -c full_page_writes=off -c synchronous_commit=off" +
		" -c max_connections=400 -c shared_buffers=32MB -c unix_socket_permissions=0777 -c autovacuum=off"
	if err := run(dir, as, filepath.Join(bin, "pg_ctl"), "start", "-w", "-t", "60", "-D", data, "-l", filepath.Join(dir, "log"), "-o", options); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		return fmt.Errorf("%w\n%s", err, log)
	}
	c.admin = "postgres://fluxway@/postgres?host=" + url.QueryEscape(dir)
	if err := c.exec("CREATE DATABASE migrated TEMPLATE template0"); err != nil {
		return err
	}
	engine, err := postgres.Open(c.url("migrated"))
	if err != nil {
		return err
	}
	return migrated(engine)
}

// watch starts a shell that outlives this process, however it ends: when the
// pipe closes it stops the server and removes the folder.
func watch(bin, dir string, as *syscall.SysProcAttr) (io.WriteCloser, error) {
	const script = `read -r _; "$1"/pg_ctl stop -D "$2"/data -m immediate; cd /; rm -rf "$2"`
	cmd := exec.Command("/bin/sh", "-c", script, "sh", bin, dir)
	cmd.Dir, cmd.SysProcAttr = dir, as
	leash, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return leash, cmd.Start()
}

// run writes what the command says to a file and not to a pipe, which the
// server would inherit and keep open.
func run(dir string, as *syscall.SysProcAttr, name string, args ...string) error {
	out, err := os.Create(filepath.Join(dir, filepath.Base(name)+".out"))
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.SysProcAttr, cmd.Stdout, cmd.Stderr = dir, as, out, out
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		return fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, said)
	}
	return nil
}

// home is where clusters live. A socket's path must be short and plain, and the
// server's own user must get there, which $TMPDIR does not promise.
func home() string {
	dir := os.TempDir()
	short := len(dir) <= 40 && !strings.ContainsAny(dir, " ,'\"\\")
	if info, err := os.Stat(dir); short && err == nil && (os.Getuid() != 0 || info.Mode().Perm()&0o001 != 0) {
		return dir
	}
	return "/tmp"
}

// binaries finds the folder of the newest installed server.
func binaries() string {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err == nil && len(found) > 0 {
		return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return major(a) - major(b) }))
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path)
	}
	return ""
}

func major(initdb string) int {
	n, err := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(initdb))))
	if err != nil {
		return 0
	}
	return n
}

// credential is the user the server runs as: it refuses root.
func credential(dir string) (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chown(dir, int(uid), int(gid))
}

// removeStale deletes what a watcher could not, because it was killed too.
func removeStale(root string) {
	dirs, err := filepath.Glob(filepath.Join(root, "fluxway-pg-*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), "fluxway-pg-"), "-")
		if alive(pid) || alive(postmaster(dir)) {
			continue
		}
		os.RemoveAll(dir)
	}
}

func postmaster(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	if err != nil {
		return ""
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return string(line)
}

func alive(pid string) bool {
	if pid == "" {
		return false
	}
	_, err := os.Stat("/proc/" + pid)
	return err == nil
}
