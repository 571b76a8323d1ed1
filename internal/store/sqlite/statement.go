package sqlite

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"

	"github.com/fluxway/fluxway/internal/store"
)

// keptRoom is how much memory for values is kept between statements.
const keptRoom = 64 << 10

// statements prepares statements on a connection of the driver. The driver's own look for each value among all of them and
// allocate every text by itself: that costs more than the row that is written.
type statements struct {
	tls   *libc.TLS
	db    uintptr
	texts uintptr // memory that values lie in while a statement runs
	room  int
	log   *frames // nil: none yet
}

var errHandle = errors.New("sqlite: the driver's connection does not have its handle where it was")

// openStatements finds what the library calls the connection, which the driver keeps to itself.
func openStatements(conn any) (store.Statements, error) {
	v := reflect.ValueOf(conn)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil, errHandle
	}
	db, tls := v.Elem().FieldByName("db"), v.Elem().FieldByName("tls")
	if !db.IsValid() || db.Kind() != reflect.Uintptr || !tls.IsValid() || tls.Type() != reflect.TypeFor[*libc.TLS]() {
		return nil, errHandle
	}
	c := &statements{db: uintptr(db.Uint()), tls: (*libc.TLS)(tls.UnsafePointer())}
	c.alone()
	return c, c.steady()
}

// mutexAt is where the library's connection has its mutex.
const mutexAt = 3 * unsafe.Sizeof(uintptr(0))

// alone makes the connection one that is opened for a single user at a time (SQLITE_OPEN_NOMUTEX), which the driver's connections are but does not
// open them for: each value of a statement would enter and leave a mutex that nobody else wants. Where the mutex is elsewhere it stays.
func (c *statements) alone() bool {
	mutex := lib.Xsqlite3_db_mutex(c.tls, c.db)
	place := (*uintptr)(memory(c.db + mutexAt))
	if mutex == 0 || *place != mutex {
		return mutex == 0
	}
	*place = 0
	if lib.Xsqlite3_db_mutex(c.tls, c.db) != 0 {
		*place = mutex
		return false
	}
	lib.Xsqlite3_mutex_free(c.tls, mutex)
	return true
}

// steady has plans not depend on values. Otherwise every new value of a LIMIT has its statement prepared anew, which takes longer than
// most of them run.
func (c *statements) steady() error {
	list := libc.NewVaList(int32(1), uintptr(0))
	defer libc.Xfree(c.tls, list)
	if rc := lib.Xsqlite3_db_config(c.tls, c.db, lib.SQLITE_DBCONFIG_ENABLE_QPSG, list); rc != lib.SQLITE_OK {
		return c.fail(rc)
	}
	return nil
}

// Prepare makes a statement that stays.
func (c *statements) Prepare(query string) (store.Statement, error) {
	text, err := libc.CString(query)
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(c.tls, text)
	made := libc.Xcalloc(c.tls, 1, libc.Tsize_t(unsafe.Sizeof(uintptr(0))))
	if made == 0 {
		return nil, errMemory
	}
	defer libc.Xfree(c.tls, made)
	if rc := lib.Xsqlite3_prepare_v3(c.tls, c.db, text, int32(len(query)+1), lib.SQLITE_PREPARE_PERSISTENT, made, 0); rc != lib.SQLITE_OK {
		return nil, c.fail(rc)
	}
	s := &statement{c: c, stmt: *(*uintptr)(memory(made)), begins: strings.HasPrefix(query, "BEGIN")}
	s.params = int(lib.Xsqlite3_bind_parameter_count(c.tls, s.stmt))
	return s, nil
}

// Close gives the connection back as it was.
func (c *statements) Close() {
	if c.log != nil {
		c.log.leave(c.tls)
		c.log = nil
	}
	c.free()
}

// free gives the memory of values back.
func (c *statements) free() {
	libc.Xfree(c.tls, c.texts)
	c.texts, c.room = 0, 0
}

var errMemory = errors.New("sqlite: out of memory")

// reserve makes room for the values of a statement.
func (c *statements) reserve(need int) error {
	need++ // an empty text has an address too
	if need <= c.room {
		return nil
	}
	c.free()
	room := max(need, 4<<10)
	if c.texts = libc.Xmalloc(c.tls, libc.Tsize_t(room)); c.texts == 0 {
		return errMemory
	}
	c.room = room
	return nil
}

// libError is what the library says of a failure.
type libError struct {
	code int
	text string
}

// Error is in the library's words.
func (e *libError) Error() string { return e.text }

// Code is the library's, extended.
func (e *libError) Code() int { return e.code }

func (c *statements) fail(rc int32) error {
	kind, text := libc.GoString(lib.Xsqlite3_errstr(c.tls, rc)), libc.GoString(lib.Xsqlite3_errmsg(c.tls, c.db))
	if kind != text {
		text = kind + ": " + text
	}
	return &libError{code: int(rc), text: fmt.Sprintf("%s (%d)", text, rc)}
}

// statement takes its values in their order.
type statement struct {
	c      *statements
	stmt   uintptr
	params int
	begins bool // a transaction
}

// Exec runs the statement to its end.
func (s *statement) Exec(args []driver.Value, size int) (int64, error) {
	if len(args) != s.params {
		return 0, fmt.Errorf("the statement takes %d arguments, got %d", s.params, len(args))
	}
	if err := s.c.reserve(size); err != nil {
		return 0, err
	}
	s.c.settle()
	next := s.c.texts
	for i, a := range args {
		var err error
		if next, err = s.bind(int32(i+1), a, next); err != nil {
			return 0, err
		}
	}
	rc := lib.Xsqlite3_step(s.c.tls, s.stmt)
	for rc == lib.SQLITE_ROW {
		rc = lib.Xsqlite3_step(s.c.tls, s.stmt)
	}
	var n int64
	var err error
	if rc == lib.SQLITE_DONE {
		n = int64(lib.Xsqlite3_changes(s.c.tls, s.c.db))
	} else {
		err = s.c.fail(rc)
	}
	lib.Xsqlite3_reset(s.c.tls, s.stmt) // its error is that of the step
	s.c.settle()
	if s.begins && err == nil && s.c.log == nil {
		s.c.gather()
	}
	if s.c.room > keptRoom {
		s.c.free() // every value is bound anew before the next step
	}
	return n, err
}

// bind gives the statement a value, whose bytes are copied to next; it says where the next ones go.
func (s *statement) bind(n int32, value driver.Value, next uintptr) (uintptr, error) {
	tls, rc := s.c.tls, int32(0)
	switch v := value.(type) {
	case nil:
		rc = lib.Xsqlite3_bind_null(tls, s.stmt, n)
	case int64:
		rc = lib.Xsqlite3_bind_int64(tls, s.stmt, n, v)
	case *int64:
		rc = lib.Xsqlite3_bind_int64(tls, s.stmt, n, *v)
	case bool:
		yes := int64(0)
		if v {
			yes = 1
		}
		rc = lib.Xsqlite3_bind_int64(tls, s.stmt, n, yes)
	case float64:
		rc = lib.Xsqlite3_bind_double(tls, s.stmt, n, v)
	case string:
		return s.bindText(n, v, next)
	case *string:
		return s.bindText(n, *v, next)
	case []byte:
		if v == nil {
			rc = lib.Xsqlite3_bind_null(tls, s.stmt, n)
			break
		}
		copy(unsafe.Slice((*byte)(memory(next)), len(v)), v)
		rc = lib.Xsqlite3_bind_blob64(tls, s.stmt, n, next, uint64(len(v)), unmanaged)
		next += uintptr(len(v))
	default:
		return next, fmt.Errorf("argument %d is a %T", n, value)
	}
	if rc != lib.SQLITE_OK {
		return next, s.c.fail(rc)
	}
	return next, nil
}

// unmanaged says that the bytes of a value stay where they are until the statement has run.
const unmanaged = 0

func (s *statement) bindText(n int32, text string, next uintptr) (uintptr, error) {
	copy(unsafe.Slice((*byte)(memory(next)), len(text)), text)
	if rc := lib.Xsqlite3_bind_text64(s.c.tls, s.stmt, n, next, uint64(len(text)), unmanaged, lib.SQLITE_UTF8); rc != lib.SQLITE_OK {
		return next, s.c.fail(rc)
	}
	return next + uintptr(len(text)), nil
}

// Close ends the statement; its error is that of the last step.
func (s *statement) Close() { lib.Xsqlite3_finalize(s.c.tls, s.stmt) }

// memory is the library's memory as Go sees it; the collector does not know it.
func memory(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }
