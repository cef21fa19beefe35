"""What a Dask worker is asked to do: to have a post for a command, and to hand work to it."""

import asyncio
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, TimeoutError as NotYet
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from floatgate.workers import identity as identities
from floatgate.workers.cache import Cache
from floatgate.workers.post import Begin, Done
from floatgate.workers.stop import POLLED_EVERY_S

if TYPE_CHECKING:
    from distributed import Worker

_POST = "from floatgate.workers.post import main; main()"
GRACE_S = 20.0  # for a post that is told to end


@dataclass(frozen=True)
class Job:
    """A command, as the workers know it."""

    key: str
    identity: str  # of the Floatgate that its results come from
    directory: str  # in which its user stands
    inputs: tuple[tuple[str, str], ...]  # files by the names that the user gave them, and their hashes
    memory_bytes: int | None
    setup: bytes


@dataclass(frozen=True)
class Unready:
    """Why a worker did not do what it was handed: it is another Floatgate, or has not all inputs."""

    worker: str
    identity: str | None = None
    lacks: tuple[str, ...] = ()


class Lost(Exception):
    """A process that was at work is no more."""


class Post:
    """The process at work for a command on this worker."""

    def __init__(self, job: Job, worker: "Worker", cache: Cache) -> None:
        own = Path(os.path.realpath(worker.local_directory))
        self._root = own / f"floatgate-{job.key}-{uuid4().hex[:8]}"
        start = cache.lay_out(dict(job.inputs), job.directory, self._root)
        here, there = socket.socketpair()
        with there:
            # Without -P its working directory, the user's, would come before installed packages. Its module
            # is imported, not run: what it sends has then the same names on both ends.
            words = (sys.executable, "-P", "-c", _POST, str(there.fileno()))
            self._process = subprocess.Popen(
                words, cwd=start, pass_fds=[there.fileno()], stdin=subprocess.DEVNULL, start_new_session=True
            )
        self._socket = here
        self._line: Connection[Any, Any] = Connection(os.dup(here.fileno()))
        limits = [one for one in (job.memory_bytes, worker.memory_manager.memory_limit) if one]
        self._line.send(Begin(worker.state.nthreads, min(limits, default=None), self._root, job.setup))
        self._numbers, self._asked, self._lock = count(), dict[int, Future[Done]](), threading.Lock()
        self.lost = False
        threading.Thread(target=self._listen, daemon=True).start()

    def do(self, what: bytes) -> "Future[Done]":
        """Hand over a piece of work."""
        future: Future[Done] = Future()
        with self._lock:
            number = next(self._numbers)
            if self.lost:
                future.set_exception(Lost())
                return future
            self._asked[number] = future
            self._say("do", number, what)
        return future

    def stop(self) -> None:
        """Tell running tasks to stop."""
        with self._lock:
            self._say("stop")

    def end(self) -> None:
        """Hang up: the post stops its work and ends."""
        with self._lock:
            self.lost = True
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def _say(self, *words: Any) -> None:
        with suppress(OSError):  # it hung up: its listener says so
            self._line.send(words)

    def _listen(self) -> None:
        with suppress(Exception):
            while True:
                _word, number, done = self._line.recv()
                with self._lock:
                    future = self._asked.pop(number)
                future.set_result(done)
        with self._lock:
            self.lost = True
            asked, self._asked = self._asked, {}
        for future in asked.values():
            future.set_exception(Lost())
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._clear_up()

    def _clear_up(self) -> None:
        try:
            self._process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._line.close()
        self._socket.close()
        Cache.remove(self._root)


_posts: dict[str, Post] = {}  # by the keys of their commands
_stopped: set[str] = set()  # the keys of commands that were told to stop
_lock = threading.Lock()


def _post(job: Job, worker: "Worker") -> Post | Unready:
    """Return the command's post on this worker, made at its first work."""
    with _lock:
        post = _posts.get(job.key)
        if post is not None and not post.lost:
            return post
        mine = identities.identity()
        if mine != job.identity:
            return Unready(worker.address, identity=mine)
        cache = Cache.of_worker(Path(worker.local_directory))
        lacks = cache.lacking(content for _, content in job.inputs)
        if lacks:
            return Unready(worker.address, lacks=tuple(lacks))
        post = _posts[job.key] = Post(job, worker, cache)
        return post


def work(job: Job, batch: list[bytes], stopped: bool) -> list[Done | None] | Unready:
    """Do some pieces of work in turn: a task of the cluster. None stands for one that was lost."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def unwanted() -> bool:
        """Whether no command waits for this task: it is over, or was killed."""
        task = worker.state.tasks.get(key)
        return task is None or task.state != "executing"

    post = _post(job, worker)
    if isinstance(post, Unready):
        return post
    if stopped or job.key in _stopped:
        post.stop()
    return [_one(post, what, unwanted, job) for what in batch]


def _one(post: Post, what: bytes, unwanted: Callable[[], bool], job: Job) -> Done | None:
    future = post.do(what)
    while True:
        try:
            return future.result(timeout=POLLED_EVERY_S)
        except NotYet:
            if unwanted():
                _end(job.key)
        except Lost:
            return None


async def look(job: Job, dask_worker: "Worker") -> tuple[str, str, list[str]]:
    """Tell which Floatgate this worker has, the name of its cache, and what that lacks of the inputs."""
    return await asyncio.to_thread(_look, job, dask_worker)


def _look(job: Job, worker: "Worker") -> tuple[str, str, list[str]]:
    cache = Cache.of_worker(Path(worker.local_directory))
    return identities.identity(), cache.name, cache.lacking(content for _, content in job.inputs)


async def receive(content: str, letter: str, part: bytes, last: bool, dask_worker: "Worker") -> None:
    """Take a part of a file into the cache."""
    cache = Cache.of_worker(Path(dask_worker.local_directory))
    await asyncio.to_thread(cache.receive, content, letter, part, last=last)


async def stop(key: str) -> None:
    """Tell the command's work on this worker to stop."""
    _stopped.add(key)
    await asyncio.to_thread(_stop, key)


def _stop(key: str) -> None:
    with _lock:
        post = _posts.get(key)
    if post is not None:
        post.stop()


async def end(key: str) -> None:
    """End the command's post on this worker."""
    _stopped.discard(key)
    await asyncio.to_thread(_end, key)


def _end(key: str) -> None:
    with _lock:
        post = _posts.pop(key, None)
    if post is not None:
        post.end()
