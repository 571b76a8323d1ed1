package sqlite

import (
	"strings"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// frames gathers what the writer's connection writes to its write-ahead log: the library writes each page with two calls, and most
// commits have many pages, one behind the other. It stands in for the file's methods and hands everything on with the frame
// that ends a transaction, before the log is read or made durable, and when it is full. So it only holds something inside of a
// transaction; what one leaves that is rolled back is nobody's and is forgotten.
type frames struct {
	file  uintptr
	under uintptr // the file's own methods
	over  uintptr // those that stand in for them
	buf   uintptr
	n     int   // bytes in buf
	at    int64 // where in the file they go
	next  int64 // where the write before this one ended
	ends  bool  // what was written last is the head of a frame that ends a transaction

	// What the library calls, kept because it has only their addresses.
	write, read func(tls *libc.TLS, file, bytes uintptr, n int32, at int64) int32
	truncate    func(tls *libc.TLS, file uintptr, size int64) int32
	sync        func(tls *libc.TLS, file uintptr, flags int32) int32
	size        func(tls *libc.TLS, file, to uintptr) int32
}

const (
	framesRoom = 128 << 10
	frameHead  = 24
)

// gather has the log of the connection gathered. It is called when a transaction has just begun: then the log is open, and nothing is
// in it that is not committed. Where the connection has no log, it stays as it is.
func (c *statements) gather() {
	place := libc.Xcalloc(c.tls, 1, libc.Tsize_t(unsafe.Sizeof(uintptr(0))))
	if place == 0 {
		return
	}
	defer libc.Xfree(c.tls, place)
	if rc := lib.Xsqlite3_file_control(c.tls, c.db, 0, lib.SQLITE_FCNTL_JOURNAL_POINTER, place); rc != lib.SQLITE_OK {
		return
	}
	file := *(*uintptr)(memory(place))
	if file == 0 || methodsOf(file) == 0 || !isLog(file) {
		return
	}
	f := &frames{file: file, under: methodsOf(file)}
	f.over = libc.Xmalloc(c.tls, libc.Tsize_t(unsafe.Sizeof(lib.Tsqlite3_io_methods{})))
	f.buf = libc.Xmalloc(c.tls, framesRoom)
	if f.over == 0 || f.buf == 0 {
		f.free(c.tls)
		return
	}
	f.standIn()
	c.log = f
}

func methodsOf(file uintptr) uintptr { return (*lib.Tsqlite3_file)(memory(file)).FpMethods }

// isLog says whether an open file is a write-ahead log.
func isLog(file uintptr) bool {
	name := (*lib.TunixFile)(memory(file)).FzPath
	return name != 0 && strings.HasSuffix(libc.GoString(name), "-wal")
}

// standIn puts its own methods in the place of the file's.
func (f *frames) standIn() {
	own := (*lib.Tsqlite3_io_methods)(memory(f.under))
	read, truncate, sync, size := own.FxRead, own.FxTruncate, own.FxSync, own.FxFileSize
	f.write = f.add
	f.read = func(tls *libc.TLS, file, to uintptr, n int32, at int64) int32 {
		if rc := f.pass(tls); rc != lib.SQLITE_OK {
			return rc
		}
		return (*(*func(*libc.TLS, uintptr, uintptr, int32, int64) int32)(unsafe.Pointer(&read)))(tls, file, to, n, at)
	}
	f.truncate = func(tls *libc.TLS, file uintptr, to int64) int32 {
		if rc := f.pass(tls); rc != lib.SQLITE_OK {
			return rc
		}
		return (*(*func(*libc.TLS, uintptr, int64) int32)(unsafe.Pointer(&truncate)))(tls, file, to)
	}
	f.sync = func(tls *libc.TLS, file uintptr, flags int32) int32 {
		if rc := f.pass(tls); rc != lib.SQLITE_OK {
			return rc
		}
		return (*(*func(*libc.TLS, uintptr, int32) int32)(unsafe.Pointer(&sync)))(tls, file, flags)
	}
	f.size = func(tls *libc.TLS, file, to uintptr) int32 {
		if rc := f.pass(tls); rc != lib.SQLITE_OK {
			return rc
		}
		return (*(*func(*libc.TLS, uintptr, uintptr) int32)(unsafe.Pointer(&size)))(tls, file, to)
	}
	over := (*lib.Tsqlite3_io_methods)(memory(f.over))
	*over = *own
	over.FxWrite, over.FxRead = *(*uintptr)(unsafe.Pointer(&f.write)), *(*uintptr)(unsafe.Pointer(&f.read))
	over.FxTruncate, over.FxSync, over.FxFileSize = *(*uintptr)(unsafe.Pointer(&f.truncate)), *(*uintptr)(unsafe.Pointer(&f.sync)), *(*uintptr)(unsafe.Pointer(&f.size))
	(*lib.Tsqlite3_file)(memory(f.file)).FpMethods = f.over
}

// settle forgets what a transaction left that is over.
func (c *statements) settle() {
	if c.log != nil && c.log.n > 0 && lib.Xsqlite3_get_autocommit(c.tls, c.db) != 0 {
		c.log.n, c.log.ends = 0, false
	}
}

// leave gives the file its own methods back.
func (f *frames) leave(tls *libc.TLS) {
	(*lib.Tsqlite3_file)(memory(f.file)).FpMethods = f.under
	f.free(tls)
}

func (f *frames) free(tls *libc.TLS) {
	libc.Xfree(tls, f.over)
	libc.Xfree(tls, f.buf)
}

// pass hands on what is there. What cannot be written stays: a transaction whose frames are not in the log must not end well.
func (f *frames) pass(tls *libc.TLS) int32 {
	if f.n == 0 {
		return lib.SQLITE_OK
	}
	rc := f.put(tls, f.buf, int32(f.n), f.at)
	if rc == lib.SQLITE_OK {
		f.n = 0
	}
	return rc
}

// put writes to the file.
func (f *frames) put(tls *libc.TLS, from uintptr, n int32, at int64) int32 {
	write := (*lib.Tsqlite3_io_methods)(memory(f.under)).FxWrite
	return (*(*func(*libc.TLS, uintptr, uintptr, int32, int64) int32)(unsafe.Pointer(&write)))(tls, f.file, from, n, at)
}

// add gathers what continues the write before it. What begins elsewhere is written at once: the library goes back to frames
// it has written, and when it does so last, nothing comes after that would hand them on.
func (f *frames) add(tls *libc.TLS, _, from uintptr, n int32, at int64) int32 {
	bytes := unsafe.Slice((*byte)(memory(from)), int(n))
	ended, on := f.ends, at == f.next
	f.next = at + int64(n)
	f.ends = n == frameHead && bytes[4]|bytes[5]|bytes[6]|bytes[7] != 0 // how large the database is then
	if f.n > 0 && (!on || f.n+int(n) > framesRoom) {
		if rc := f.pass(tls); rc != lib.SQLITE_OK {
			return rc
		}
	}
	if !on || int(n) > framesRoom {
		return f.put(tls, from, n, at)
	}
	if f.n == 0 {
		f.at = at
	}
	copy(unsafe.Slice((*byte)(memory(f.buf+uintptr(f.n))), int(n)), bytes)
	f.n += int(n)
	if ended {
		return f.pass(tls)
	}
	return lib.SQLITE_OK
}
