// The calls of WASI (preview 1) that the module makes, answered from memory: a tree of files, a clock, random bytes.
// Nothing here reaches a disk or a network. A file is bytes, or a dropped file that is read piece by piece.
"use strict";

const WASI_OK = 0, WASI_BADF = 8, WASI_EXIST = 20, WASI_INVAL = 28, WASI_ISDIR = 31, WASI_NOENT = 44, WASI_NOSYS = 52;
const WASI_NOTEMPTY = 55, WASI_FOLDER = 3, WASI_FILE = 4, WASI_DEVICE = 2;
const PIECE = 4 << 20;

/** Bytes in memory, which grow as they are written. */
class Held {
  constructor(bytes = new Uint8Array(0)) { this.bytes = bytes; this.size = bytes.length; }
  read(at, into) {
    const part = this.bytes.subarray(at, Math.min(at + into.length, this.size));
    into.set(part);
    return part.length;
  }
  write(at, from) {
    const end = at + from.length;
    if (end > this.bytes.length) {
      const more = new Uint8Array(Math.max(end, 2 * this.bytes.length));
      more.set(this.bytes.subarray(0, this.size));
      this.bytes = more;
    }
    this.bytes.set(from, at);
    this.size = Math.max(this.size, end);
  }
}

/** A file that was dropped on the page: never in memory as a whole. */
class Dropped {
  constructor(file) { this.file = file; this.size = file.size; this.from = 0; this.piece = new Uint8Array(0); }
  read(at, into) {
    if (at < this.from || at >= this.from + this.piece.length) {
      if (at >= this.size) return 0;
      const piece = this.file.slice(at, Math.min(at + PIECE, this.size));
      this.piece = new Uint8Array(new FileReaderSync().readAsArrayBuffer(piece));
      this.from = at;
    }
    const begin = at - this.from;
    const part = this.piece.subarray(begin, begin + into.length);
    into.set(part);
    return part.length;
  }
  write() { throw new Error("a dropped file is not written"); }
}

/** The tree of files that a module sees. Paths have no slash in front; "" is the root. */
class Files {
  constructor(texts = {}) {
    this.files = new Map();
    this.folders = new Map([["", new Set()]]);
    for (const [path, text] of Object.entries(texts)) this.put(path, new Held(new TextEncoder().encode(text)));
    this.folder("tmp");
  }
  folder(path) {
    if (this.folders.has(path)) return;
    this.folders.set(path, new Set());
    const [above, name] = Files.split(path);
    this.folder(above);
    this.folders.get(above).add(name);
  }
  put(path, file) {
    const [above, name] = Files.split(path);
    this.folder(above);
    this.folders.get(above).add(name);
    this.files.set(path, file);
  }
  take(path) {
    const file = this.files.get(path), [above, name] = Files.split(path);
    this.files.delete(path);
    this.folders.get(above)?.delete(name);
    return file;
  }
  static split(path) {
    const at = path.lastIndexOf("/");
    return at < 0 ? ["", path] : [path.slice(0, at), path.slice(at + 1)];
  }
  static plain(path) {
    const words = [];
    for (const word of path.split("/")) {
      if (word === "..") words.pop();
      else if (word !== "" && word !== ".") words.push(word);
    }
    return words.join("/");
  }
}

/** The calls over `files`; `memory` gives the module's memory, `say` takes what it writes to its standard error. */
function wasiCalls(files, memory, say) {
  const open = new Map([[3, { path: "", folder: true }]]);
  let next = 4;
  const view = () => new DataView(memory().buffer);
  const bytes = (at, length) => new Uint8Array(memory().buffer, at, length);
  const text = (at, length) => new TextDecoder().decode(bytes(at, length).slice());
  const path = (fd, at, length) => {
    const root = open.get(fd)?.path ?? "";
    return Files.plain(`${root}/${text(at, length)}`);
  };
  const u64 = (at, value) => view().setBigUint64(at, BigInt(value), true);
  const u32 = (at, value) => view().setUint32(at, value, true);
  const about = (at, kind, size, path) => {
    bytes(at, 64).fill(0);
    let number = 1;
    for (const letter of path) number = (number * 31 + letter.codePointAt(0)) % 2147483647;
    u64(at + 8, number); view().setUint8(at + 16, kind); u64(at + 24, 1); u64(at + 32, size);
    return WASI_OK;
  };
  const parts = (at, count) => Array.from({ length: count }, (_, i) => {
    const v = view();
    return bytes(v.getUint32(at + 8 * i, true), v.getUint32(at + 8 * i + 4, true));
  });
  const read = (handle, at, list, count, told) => {
    let sum = 0;
    for (const part of parts(list, count)) {
      let done = 0;
      while (done < part.length) {
        const got = handle.file.read(at + sum + done, part.subarray(done));
        if (!got) break;
        done += got;
      }
      sum += done;
      if (done < part.length) break;
    }
    u32(told, sum);
    return sum;
  };
  return {
    args_get: () => WASI_OK,
    args_sizes_get: (count, size) => { u32(count, 0); u32(size, 0); return WASI_OK; },
    environ_get: () => WASI_OK,
    environ_sizes_get: (count, size) => { u32(count, 0); u32(size, 0); return WASI_OK; },
    clock_time_get: (_id, _precision, at) => {
      u64(at, Math.round((performance.timeOrigin + performance.now()) * 1e6));
      return WASI_OK;
    },
    random_get: (at, length) => {
      for (let i = 0; i < length; i += 65536) crypto.getRandomValues(bytes(at + i, Math.min(65536, length - i)));
      return WASI_OK;
    },
    sched_yield: () => WASI_OK,
    proc_exit: (code) => { throw new Error(`the module ended itself (${code})`); },
    fd_prestat_get: (fd, at) => {
      if (fd !== 3) return WASI_BADF;
      u32(at, 0); u32(at + 4, 1);
      return WASI_OK;
    },
    fd_prestat_dir_name: (fd, at) => { bytes(at, 1)[0] = 47; return fd === 3 ? WASI_OK : WASI_BADF; },
    fd_fdstat_get: (fd, at) => {
      const handle = open.get(fd);
      if (!handle && fd > 2) return WASI_BADF;
      bytes(at, 24).fill(0);
      view().setUint8(at, fd < 3 ? WASI_DEVICE : handle.folder ? WASI_FOLDER : WASI_FILE);
      u64(at + 8, 0xffffffffffffffffn); u64(at + 16, 0xffffffffffffffffn);
      return WASI_OK;
    },
    fd_filestat_get: (fd, at) => {
      const handle = open.get(fd);
      if (!handle) return fd < 3 ? about(at, WASI_DEVICE, 0, "") : WASI_BADF;
      return about(at, handle.folder ? WASI_FOLDER : WASI_FILE, handle.folder ? 0 : handle.file.size, handle.path);
    },
    fd_filestat_set_size: (fd, size) => {
      const file = open.get(fd)?.file;
      if (!(file instanceof Held)) return WASI_BADF;
      const held = Number(size);
      if (held > file.size) file.write(held - 1, new Uint8Array(1));
      file.size = held;
      return WASI_OK;
    },
    fd_read: (fd, list, count, told) => {
      const handle = open.get(fd);
      if (!handle?.file) return fd === 0 ? (u32(told, 0), WASI_OK) : WASI_BADF;
      handle.at += read(handle, handle.at, list, count, told);
      return WASI_OK;
    },
    fd_pread: (fd, list, count, at, told) => {
      const handle = open.get(fd);
      if (!handle?.file) return WASI_BADF;
      read(handle, Number(at), list, count, told);
      return WASI_OK;
    },
    fd_write: (fd, list, count, told) => {
      let sum = 0;
      const handle = open.get(fd);
      for (const part of parts(list, count)) {
        if (fd === 1 || fd === 2) say(new TextDecoder().decode(part.slice()));
        else if (!(handle?.file instanceof Held)) return WASI_BADF;
        else { handle.file.write(handle.at, part); handle.at += part.length; }
        sum += part.length;
      }
      u32(told, sum);
      return WASI_OK;
    },
    fd_seek: (fd, offset, whence, told) => {
      const handle = open.get(fd);
      if (!handle?.file) return WASI_BADF;
      handle.at = [0, handle.at, handle.file.size][whence] + Number(offset);
      u64(told, handle.at);
      return WASI_OK;
    },
    fd_tell: (fd, told) => { u64(told, open.get(fd)?.at ?? 0); return WASI_OK; },
    fd_sync: () => WASI_OK,
    fd_datasync: () => WASI_OK,
    fd_advise: () => WASI_OK,
    fd_fdstat_set_flags: () => WASI_OK,
    fd_close: (fd) => (open.delete(fd) ? WASI_OK : WASI_BADF),
    fd_readdir: (fd, at, room, cookie, told) => {
      const handle = open.get(fd);
      if (!handle?.folder) return WASI_BADF;
      const names = [...files.folders.get(handle.path)].sort();
      let used = 0;
      for (let i = Number(cookie); i < names.length && used < room; i += 1) {
        const name = new TextEncoder().encode(names[i]), entry = new Uint8Array(24 + name.length);
        const head = new DataView(entry.buffer);
        head.setBigUint64(0, BigInt(i + 1), true);
        head.setUint32(16, name.length, true);
        const below = handle.path ? `${handle.path}/${names[i]}` : names[i];
        head.setUint8(20, files.folders.has(below) ? WASI_FOLDER : WASI_FILE);
        entry.set(name, 24);
        const part = entry.subarray(0, room - used);
        bytes(at + used, part.length).set(part);
        used += part.length;
      }
      u32(told, used);
      return WASI_OK;
    },
    path_open: (fd, _follow, at, length, flags, _rights, _below, append, told) => {
      const where = path(fd, at, length);
      const [create, folder, exclusive, empty] = [1, 2, 4, 8].map((flag) => (flags & flag) !== 0);
      if (files.folders.has(where)) {
        open.set(next, { path: where, folder: true });
      } else {
        if (folder) return WASI_NOENT;
        let file = files.files.get(where);
        if (file && create && exclusive) return WASI_EXIST;
        if (!file && !create) return WASI_NOENT;
        if (!file || empty) files.put(where, file = new Held());
        open.set(next, { path: where, file, at: append & 1 ? file.size : 0 });
      }
      u32(told, next);
      next += 1;
      return WASI_OK;
    },
    path_filestat_get: (fd, _follow, at, length, into) => {
      const where = path(fd, at, length);
      if (files.folders.has(where)) return about(into, WASI_FOLDER, 0, where);
      const file = files.files.get(where);
      return file ? about(into, WASI_FILE, file.size, where) : WASI_NOENT;
    },
    path_unlink_file: (fd, at, length) => {
      const where = path(fd, at, length);
      if (files.folders.has(where)) return WASI_ISDIR;
      return files.take(where) ? WASI_OK : WASI_NOENT;
    },
    path_rename: (fd, at, length, to, toAt, toLength) => {
      const file = files.take(path(fd, at, length));
      if (!file) return WASI_NOENT;
      files.put(path(to, toAt, toLength), file);
      return WASI_OK;
    },
    path_create_directory: (fd, at, length) => { files.folder(path(fd, at, length)); return WASI_OK; },
    path_remove_directory: (fd, at, length) => {
      const where = path(fd, at, length);
      if (!files.folders.has(where)) return WASI_NOENT;
      if (files.folders.get(where).size) return WASI_NOTEMPTY;
      files.folders.delete(where);
      const [above, name] = Files.split(where);
      files.folders.get(above)?.delete(name);
      return WASI_OK;
    },
    path_readlink: () => WASI_INVAL,
  };
}
