package storetest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers "pgx"
)

// server is the throwaway PostgreSQL of this test process.
var server = &cluster{}

type cluster struct {
	once  sync.Once
	err   error
	skip  string // why there is no server
	admin string // URL of its postgres database
	count atomic.Int64

	mu sync.Mutex // one CREATE DATABASE from the template at a time
}

// database makes a database for one test.
func (c *cluster) database(t testing.TB, withTables bool) (string, error) {
	wanted := os.Getenv("FLUXWAY_TEST_POSTGRES") // require: no server is a failure; off: do not start one
	if wanted == "off" {
		t.Skip("PostgreSQL half skipped: FLUXWAY_TEST_POSTGRES=off")
	}
	c.once.Do(func() { c.err = c.start() })
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
		create = "CREATE DATABASE " + name + " TEMPLATE " + c.template()
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

func (c *cluster) template() string { return fmt.Sprintf("template_%d", os.Getpid()) }

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

// start makes a cluster in a folder of its own, listening on a socket only.
func (c *cluster) start() error {
	bin := binaries()
	if bin == "" {
		c.skip = "no PostgreSQL server binaries found (Debian: apt-get install postgresql)"
		return nil
	}
	removeStale()
	dir, err := os.MkdirTemp("", fmt.Sprintf("fluxway-pg-%d-", os.Getpid()))
	if err != nil {
		return err
	}
	cred, err := credential(dir)
	if err != nil {
		return err
	}
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "fluxway", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	initdb.Dir = dir
	initdb.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if err := run(filepath.Join(bin, "postgres"), dir, data, cred); err != nil {
		return err
	}
	c.admin = "postgres://fluxway@/postgres?host=" + url.QueryEscape(dir)
	if err := c.ready(); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		return fmt.Errorf("%w\n%s", err, log)
	}
	if err := c.exec("CREATE DATABASE " + c.template() + " TEMPLATE template0"); err != nil {
		return err
	}
	return migrated(c.url(c.template()))
}

// run starts the server so that it dies with this process: the death signal is
// tied to the thread that forks, so that thread is kept.
func run(postgres, dir, data string, cred *syscall.Credential) error {
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return err
	}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		cmd := exec.Command(postgres, "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "full_page_writes=off",
			"-c", "synchronous_commit=off", "-c", "max_connections=400", "-c", "shared_buffers=32MB", "-c", "unix_socket_permissions=0777")
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred, Pdeathsig: syscall.SIGQUIT}
		started <- cmd.Start()
		select {}
	}()
	return <-started
}

func (c *cluster) ready() error {
	deadline := time.Now().Add(30 * time.Second)
	for {
		db, err := sql.Open("pgx", c.admin)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		err = db.PingContext(ctx)
		cancel()
		db.Close()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("PostgreSQL did not come up: %w", err)
		}
		time.Sleep(50 * time.Millisecond) // the server gives no signal of readiness
	}
}

// binaries finds the folder of the newest installed server.
func binaries() string {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err == nil && len(found) > 0 {
		return filepath.Dir(found[len(found)-1])
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path)
	}
	return ""
}

// credential is the user the server runs as: it refuses root.
func credential(dir string) (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
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

// removeStale deletes the folders of test processes that are gone.
func removeStale() {
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), "fluxway-pg-*"))
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
