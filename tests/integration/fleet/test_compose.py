"""docker-compose.yml, as far as it goes without an engine: what it says, and what its commands do.

Each service's command runs as a process of this machine, with its environment; only hosts and ports are others.
Values come from ``.env.example``, and of the ways to use a variable only ``${NAME:-default}`` is known here.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
import redis
import yaml
from psycopg import sql
from pydantic import ByteSize, TypeAdapter

from servers.postgresql import PostgreSQL, postgresql_folder
from servers.processes import Daemon, descendants, free_port
from servers.redis import redis_binary
from sudokumill.jobs import JobKind
from sudokumill.settings import Settings

ROOT: Final = Path(__file__).parents[3]
COMPOSE: Final = ROOT / "docker-compose.yml"
EXAMPLE: Final = ROOT / ".env.example"
PASSWORDS: Final = ("REDIS_PASSWORD", "POSTGRES_PASSWORD")
OURS: Final = ("migrate", "worker", "cli")

_PACE: Final = {"SUDOKUMILL_REAPER_SECONDS": "1", "SUDOKUMILL_CHUNK_SECONDS": "0.5"}
_PATIENCE_SECONDS: Final = 60.0
_STEP_SECONDS: Final = 0.2

Service = Mapping[str, Any]


def example_values() -> dict[str, str]:
    lines = [line.split("=", 1) for line in EXAMPLE.read_text().splitlines() if line and not line.startswith("#")]
    return dict(lines)


def substituted(value: Any, values: Mapping[str, str]) -> Any:
    """The same, with every ``${NAME:-default}`` in it replaced."""
    if isinstance(value, dict):
        return {key: substituted(each, values) for key, each in value.items()}
    if isinstance(value, list):
        return [substituted(each, values) for each in value]
    if isinstance(value, str):
        return re.sub(r"\$\{(\w+):-([^}]*)\}", lambda found: values.get(found[1]) or found[2], value)
    return value


def services_with(values: Mapping[str, str]) -> dict[str, Service]:
    found: dict[str, Service] = substituted(yaml.safe_load(COMPOSE.read_text())["services"], values)
    return found


@pytest.fixture(scope="module")
def services() -> dict[str, Service]:
    return services_with(example_values())


# --- what the files say ----------------------------------------------------------------------------------


def test_commands_and_environments_need_no_other_substitution(services: dict[str, Service]) -> None:
    for service in services.values():
        for name in ("command", "entrypoint", "environment", "healthcheck"):
            assert "$" not in json.dumps(service.get(name))


def test_no_port_is_published_and_nothing_stands_in_the_way_of_scaling(services: dict[str, Service]) -> None:
    for service in services.values():
        assert not {"ports", "container_name", "hostname", "network_mode"} & set(service)


def test_redis_keeps_what_it_was_told(services: dict[str, Service]) -> None:
    [server, *arguments] = services["redis"]["command"]
    assert server == "redis-server"
    settings = dict(zip(arguments[::2], arguments[1::2], strict=True))
    assert settings["--appendonly"] == "yes"
    assert settings["--appendfsync"] == "everysec"
    assert settings["--maxmemory-policy"] == "noeviction"
    assert settings["--requirepass"] == example_values()["REDIS_PASSWORD"]


@pytest.mark.parametrize("name", ["redis", "postgres"])
def test_servers_are_pinned_and_keep_their_data(name: str, services: dict[str, Service]) -> None:
    image, _, tag = services[name]["image"].partition(":")
    assert image == name
    assert re.fullmatch(r"\d+(-\w+)?", tag)
    volumes = yaml.safe_load(COMPOSE.read_text())["volumes"]
    [volume] = services[name]["volumes"]
    assert volume.partition(":")[0] in volumes
    assert services[name]["restart"] == "unless-stopped"


@pytest.mark.parametrize("name", OURS)
def test_our_services_may_do_little(name: str, services: dict[str, Service]) -> None:
    service = services[name]
    assert service["read_only"] is True
    assert [each.partition(":")[0] for each in service["tmpfs"]] == ["/tmp"]  # noqa: S108
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    # orphans of a worker that was killed
    assert service["init"] is True


@pytest.mark.parametrize("name", OURS)
def test_our_services_get_settings_that_exist(name: str, services: dict[str, Service]) -> None:
    known = {f"SUDOKUMILL_{field.upper()}" for field in Settings.model_fields}
    assert set(services[name]["environment"]) <= known


def test_workers_start_on_a_database_that_is_ready(services: dict[str, Service]) -> None:
    assert services["migrate"]["restart"] == "no"
    for name in ("worker", "cli"):
        conditions = {other: each["condition"] for other, each in services[name]["depends_on"].items()}
        assert conditions == {
            "redis": "service_healthy",
            "postgres": "service_healthy",
            "migrate": "service_completed_successfully",
        }


def test_a_worker_has_time_and_memory_for_its_chunks(services: dict[str, Service]) -> None:
    worker = services["worker"]
    size = TypeAdapter(ByteSize).validate_python
    chunks = int(worker["environment"]["SUDOKUMILL_PROCESSES"]) * size(
        worker["environment"]["SUDOKUMILL_CHUNK_MEMORY"]
    )
    assert size(f"{worker['mem_limit'].removesuffix('m')}MiB") - chunks >= size("400MiB")
    assert worker["stop_signal"] == "SIGTERM"
    assert float(worker["stop_grace_period"].removesuffix("s")) > Settings().chunk_limit_seconds


def test_queues_can_be_given(services: dict[str, Service]) -> None:
    assert services["worker"]["command"][-2:] == ["--queues", ",".join(JobKind)]
    assert services_with({"WORKER_QUEUES": "dig,solve"})["worker"]["command"][-1] == "dig,solve"


def test_the_example_names_what_can_be_set() -> None:
    used = set(re.findall(r"\$\{(\w+):-", COMPOSE.read_text()))
    required = set(re.findall(r"\$\{(\w+):\?", COMPOSE.read_text()))
    assert required == set(PASSWORDS) == set(example_values())
    defaults = dict(re.findall(r"\$\{(\w+):-([^}]+)\}", COMPOSE.read_text()))
    assert defaults == dict(re.findall(r"^#(\w+)=(.*)$", EXAMPLE.read_text(), re.MULTILINE))
    assert used == required | set(defaults)


@pytest.fixture
def compose(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs ``docker-compose config`` in a folder with the file, after ``.env`` was written there."""
    found = shutil.which("docker-compose")
    if found is None:
        assert not os.environ.get("CI"), "docker-compose must be here: apt-get install docker-compose"
        pytest.skip("docker-compose is not here; to run this: apt-get install docker-compose")
    for file in (COMPOSE, ROOT / "Dockerfile"):
        shutil.copy(file, tmp_path)

    def config(env: str | None) -> subprocess.CompletedProcess[str]:
        (tmp_path / ".env").unlink(missing_ok=True)
        if env is not None:
            (tmp_path / ".env").write_text(env)
        return subprocess.run(
            [found, "--file", COMPOSE.name, "--profile", "cli", "config"],
            cwd=tmp_path,
            env=_environment({}),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return config


def test_docker_compose_takes_the_file(compose: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = compose(EXAMPLE.read_text())
    assert done.returncode == 0, done.stderr
    read = yaml.safe_load(done.stdout)["services"]
    services = services_with(example_values())
    assert set(read) == set(services)
    for name, service in services.items():
        assert read[name]["command"] == service["command"]
        assert read[name]["environment"] == service["environment"]


@pytest.mark.parametrize("missing", PASSWORDS)
@pytest.mark.parametrize("how", ["no file", "no line", "empty"])
def test_without_a_password_it_says_what_to_do(
    missing: str, how: str, compose: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    lines = [line for line in EXAMPLE.read_text().splitlines() if not line.startswith(missing)]
    env = "\n".join([*lines, f"{missing}=\n" if how == "empty" else ""])
    done = compose(None if how == "no file" else env)
    assert done.returncode != 0
    said = "Copy .env.example to .env and set"
    assert said in done.stderr
    assert how == "no file" or f"{said} {missing} in it" in done.stderr


def test_the_image_runs_without_a_compiler_and_not_as_root() -> None:
    lines = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE))
    build, run = re.split(r"^FROM ", lines, flags=re.MULTILINE)[1:]
    assert "pip wheel" in build
    assert build.partition(" AS ")[0] == run.splitlines()[0]
    assert re.fullmatch(r"python:3\.\d+-slim-\w+", run.splitlines()[0])
    assert not re.search(r"apt-get|g\+\+|pip ", run)
    assert re.findall(r"^COPY (.*)$", run, re.MULTILINE) == ["--from=build /opt/sudokumill /opt/sudokumill"]
    [user] = re.findall(r"^USER (\d+):\d+$", run, re.MULTILINE)
    assert int(user) > 0
    assert run.index("\nUSER ") > run.index("\nRUN ")
    assert "PYTHONDONTWRITEBYTECODE=1" in run
    assert not re.search(r"password|secret|token", lines, re.IGNORECASE)


def test_the_context_of_the_image_is_what_the_wheel_needs() -> None:
    patterns = [
        line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")
    ]
    assert patterns[0] == "*"
    taken = {line.removeprefix("!") for line in patterns if line.startswith("!")}
    # the wheel's packages are named there with their folders
    text = (ROOT / "pyproject.toml").read_text()
    [packages] = re.findall(r"^wheel\.packages = \[(.*)\]$", text, re.MULTILINE)
    needed = {package.removesuffix("/sudokumill") for package in re.findall(r'"(.*?)"', packages)}
    assert taken == needed | {"pyproject.toml", "README.md", "LICENSE"}
    assert all((ROOT / each).exists() for each in taken)
    assert {"**/.env", "**/*.so", "**/*.db"} <= set(patterns)


# --- what the commands do --------------------------------------------------------------------------------


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("SUDOKUMILL_", "PG", "COMPOSE_"))
    }
    return {**kept, **more}


class Stage:
    """The services as processes of this machine."""

    def __init__(self, services: dict[str, Service], folder: Path, stack: ExitStack) -> None:
        self.services = services
        self.folder = folder
        self.workers: list[Daemon] = []
        self._stack = stack
        self.redis_port = free_port()
        self.redis_log = folder / "redis.log"
        self._start_redis()
        self._start_postgres()

    def run(
        self, service: str, *arguments: str, code: int | None = 0, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Runs a service to its end, with its own command or with another one."""
        about = self.services[service]
        command = [*about.get("entrypoint", ()), *(arguments or about["command"])]
        return self._run(command, {**self.environment(service), **(env or {})}, code)

    def start_worker(self) -> Daemon:
        """Starts a worker and waits until it takes chunks."""
        log = self.folder / f"worker{len(self.workers)}.log"
        worker = Daemon("worker", log)
        self._stack.callback(worker.end, signal.SIGTERM)
        self.workers.append(worker)
        # each container has a name of its own
        command = [*_here(self.services["worker"]["command"]), f"--hostname=w{len(self.workers)}@%h"]
        worker.start(command, lambda: " ready." in log.read_text(), _environment(self.environment("worker")))
        return worker

    def health(self, service: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """Runs a service's health check; the exit code may be any."""
        kind, *command = self.services[service]["healthcheck"]["test"]
        assert kind == "CMD"
        environment = {**self.environment(service), **(env or {})}
        if command[0] == "psql":
            # the image trusts clients of its own container, the server here does not
            environment["PGPASSWORD"] = environment["POSTGRES_PASSWORD"]
            command[1:1] = [f"--port={self.postgres.port}"]
        elif command[0] == "redis-cli":
            command[1:1] = ["-p", str(self.redis_port)]
        return self._run(command, environment, None)

    def environment(self, service: str) -> dict[str, str]:
        """A service's environment, with hosts that are here, and everything at a quicker pace."""
        found: dict[str, str] = self.services[service].get("environment", {})
        places = {
            "@postgres:5432/": f"@127.0.0.1:{self.postgres.port}/",
            "@redis:6379/": f"@127.0.0.1:{self.redis_port}/",
        }
        made = dict(_PACE) if service in OURS else {}
        for name, value in found.items():
            made[name] = value
            for there, here in places.items():
                made[name] = made[name].replace(there, here)
        return made

    def redis(self) -> redis.Redis:
        password = self.services["redis"]["environment"]["REDISCLI_AUTH"]
        return redis.Redis(port=self.redis_port, password=password, socket_timeout=5)

    def _run(
        self, command: list[str], environment: Mapping[str, str], code: int | None
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            _here(command),
            cwd=self.folder,
            env=_environment(environment),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert code is None or done.returncode == code, (
            f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        )
        return done

    def _start_redis(self) -> None:
        server = Daemon("redis-server", self.redis_log)
        self._stack.callback(server.end, signal.SIGTERM)
        more = ["--port", str(self.redis_port), "--bind", "127.0.0.1", "--dir", str(self.folder)]
        server.start([*_here(self.services["redis"]["command"]), *more], self._redis_answers)

    def _redis_answers(self) -> bool:
        try:
            with self.redis() as client:
                return bool(client.ping())
        except (redis.ConnectionError, redis.TimeoutError):
            return False

    def _start_postgres(self) -> None:
        about = self.services["postgres"]
        [server, *settings] = about["command"]
        assert server == "postgres"
        assert set(settings[::2]) == {"-c"}
        values = dict(setting.split("=") for setting in settings[1::2])
        connections = int(values.pop("max_connections"))
        self.postgres = PostgreSQL(max_connections=connections, **values)
        self._stack.enter_context(self.postgres)
        # what the image does when it makes its volume
        environment = about["environment"]
        user = sql.Identifier(environment["POSTGRES_USER"])
        password = sql.Literal(environment["POSTGRES_PASSWORD"])
        self.postgres.execute(sql.SQL("CREATE ROLE {} LOGIN SUPERUSER PASSWORD {}").format(user, password))
        name = sql.Identifier(environment["POSTGRES_DB"])
        self.postgres.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(name, user))


def _here(command: list[str]) -> list[str]:
    """A command with the program as it is called here."""
    programs = {
        "sudokumill": Path(sys.executable).with_name("sudokumill"),
        "redis-server": redis_binary,
        "psql": lambda: postgresql_folder() / "psql",
    }
    program: Any = programs.get(command[0], command[0])
    return [str(program() if callable(program) else program), *command[1:]]


def _part(worker: Daemon, words: str) -> int:
    """The first process of a worker that has these words in its command."""
    for pid in descendants(worker.pid):
        if words in Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " "):
            return pid
    raise AssertionError(f"worker {worker.pid} has no process {words}")


def _until(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not what():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(_STEP_SECONDS)


@pytest.fixture(scope="module")
def stage(services: dict[str, Service], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Both servers, the migration done, and two workers."""
    with ExitStack() as stack:
        made = Stage(services, tmp_path_factory.mktemp("compose"), stack)
        made.run("migrate")
        made.start_worker()
        made.start_worker()
        yield made


@pytest.mark.slow
def test_a_job_is_done_by_the_services(stage: Stage) -> None:
    stage.run("migrate")  # again, as at every start
    ordered = json.loads(stage.run("cli", "enqueue", "levels", "--count", "2000", "--json").stdout)
    assert not ordered["warnings"]
    stage.run("cli", "jobs", "watch", str(ordered["job"]))
    levels = stage.run("cli", "export", "--job", str(ordered["job"])).stdout.split()
    assert len(set(levels)) == 2000
    stage.run("cli")  # nothing is wrong


@pytest.mark.slow
def test_the_servers_are_healthy_when_they_can_write(stage: Stage) -> None:
    flushed = "SELECT pg_current_wal_flush_lsn()"
    [before] = stage.postgres.execute(flushed)
    done = stage.health("postgres")
    assert done.returncode == 0, done.stderr
    [after] = stage.postgres.execute(flushed)
    assert after != before
    _, client, option, *check = stage.services["redis"]["healthcheck"]["test"]
    # redis-cli ends with 1 if the server answers with an error, which it does to option -e alone
    assert (client, option) == ("redis-cli", "-e")
    with stage.redis() as connection:
        assert connection.execute_command(*check)
        connection.config_set("maxmemory", 1)
        with pytest.raises(redis.ResponseError):
            connection.execute_command(*check)
        assert connection.ping()
        if shutil.which("redis-cli"):
            assert stage.health("redis").returncode != 0
        connection.config_set("maxmemory", "256mb")
    if shutil.which("redis-cli"):
        assert stage.health("redis").returncode == 0


@pytest.mark.slow
def test_a_worker_that_does_not_beat_is_unhealthy(stage: Stage) -> None:
    done = stage.health("worker")
    assert (done.returncode, done.stdout.count("\n")) == (0, 1), done.stdout + done.stderr
    reaper = _part(stage.workers[0], "sudokumill.queue.reaper")
    os.kill(reaper, signal.SIGSTOP)
    try:
        _until(lambda: stage.health("worker").returncode == 1)
        assert re.match(r"unhealthy: w1@\S+ has not beaten for \d+ s", stage.health("worker").stdout)
    finally:
        os.kill(reaper, signal.SIGCONT)
    _until(lambda: stage.health("worker").returncode == 0)


@pytest.mark.slow
def test_a_worker_that_lets_chunks_wait_is_unhealthy(stage: Stage) -> None:
    # a chunk may take some seconds here, not two minutes
    impatient = {"SUDOKUMILL_CHUNK_LIMIT_SECONDS": "4", "SUDOKUMILL_LEASE_SECONDS": "2"}
    celery = _part(stage.workers[0], "celery -A")
    os.kill(celery, signal.SIGSTOP)
    try:
        ordered = json.loads(stage.run("cli", "enqueue", "levels", "--count", "10000000", "--json").stdout)
        # its reaper goes on to beat, and a ping of Redis would be answered
        _until(lambda: stage.health("worker", impatient).returncode == 1)
        said = stage.health("worker", impatient).stdout
        assert re.match(r"unhealthy: w1@\S+ has neither taken up nor ended a chunk for \d+ s", said)
        assert f"job {ordered['job']} " in said
        assert "w2@" not in said
    finally:
        os.kill(celery, signal.SIGCONT)
    _until(lambda: stage.health("worker", impatient).returncode == 0)
    stage.run("cli", "jobs", "cancel", str(ordered["job"]))


@pytest.mark.slow
def test_workers_that_ended_are_unhealthy(stage: Stage) -> None:
    for worker in stage.workers:
        os.kill(worker.pid, signal.SIGTERM)
    for worker in stage.workers:
        worker.end(signal.SIGTERM)
    done = stage.health("worker")
    assert done.returncode == 1
    assert done.stdout == "unhealthy: no worker runs on this machine\n"
    with psycopg.connect(stage.postgres.url("sudokumill")) as connection:
        [row] = connection.execute("SELECT count(*) FROM chunk WHERE state = 'running'").fetchall()
    assert row == (0,)
