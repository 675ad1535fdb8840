# SPDX-License-Identifier: Apache-2.0
"""A Slurm cluster of one node, of this user's own: munged, slurmctld and slurmd with key, ports and state in a
temporary directory. Nothing of the system's Slurm is read or written, and nothing outlives the `with`."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel"]
SBIN = ["/usr/sbin", "/usr/local/sbin", "/sbin"]
START_SECONDS = 60


def search_path():
    return os.pathsep.join([os.environ.get("PATH", ""), *SBIN])


def user_name():
    return pwd.getpwuid(os.getuid()).pw_name


def missing_programs():
    return [name for name in PROGRAMS if shutil.which(name, path=search_path()) is None]


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Slurm:
    """The running cluster: `run` calls one of Slurm's programs on it."""

    def __init__(self, directory, cpus):
        self.directory = directory
        self.cpus = cpus
        self.environment = {**os.environ, "PATH": search_path(), "SLURM_CONF": str(directory / "slurm.conf")}
        self.daemons = []

    def run(self, *command, check=True):
        return subprocess.run(command, env=self.environment, cwd=self.directory, text=True, capture_output=True,
                              check=check, timeout=START_SECONDS)

    def configure(self):
        here = self.directory
        for name in ["munge", "state", "spool"]:
            (here / name).mkdir(mode=0o700)
        key = here / "munge" / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        controller_port, node_port = free_ports(2)
        (here / "slurm.conf").write_text(f"""\
ClusterName=private
SlurmctldHost=localhost(127.0.0.1)
SlurmUser={user_name()}
SlurmdUser={user_name()}
SlurmctldPort={controller_port}
SlurmdPort={node_port}
AuthType=auth/munge
AuthInfo=socket={here}/munge/socket
CredType=cred/munge
StateSaveLocation={here}/state
SlurmdSpoolDir={here}/spool
SlurmctldPidFile={here}/slurmctld.pid
SlurmdPidFile={here}/slurmd.pid
SlurmctldLogFile={here}/slurmctld.log
SlurmdLogFile={here}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=localhost NodeAddr=127.0.0.1 Port={node_port} CPUs={self.cpus} State=UNKNOWN
PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE State=UP
""")
        (here / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")

    def start(self):
        munge = self.directory / "munge"
        self.daemon("munged", "--foreground", "--force", f"--socket={munge}/socket", f"--key-file={munge}/key",
                    f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        self.wait_for("munged", (munge / "socket").exists)
        self.daemon("slurmctld", "-D", "-i")
        self.daemon("slurmd", "-D", "-N", "localhost")
        self.wait_for("the node", lambda: "State=IDLE" in self.run("scontrol", "show", "node", check=False).stdout)

    def daemon(self, *command):
        log = open(self.directory / f"{command[0]}.out", "w", encoding="utf-8")
        with log:
            self.daemons.append(subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                                                 stderr=subprocess.STDOUT, start_new_session=True))

    def wait_for(self, what, is_there, seconds=START_SECONDS):
        end = time.monotonic() + seconds
        while not is_there():
            dead = [daemon.args[0] for daemon in self.daemons if daemon.poll() is not None]
            if dead or time.monotonic() > end:
                raise RuntimeError(f"{what} did not come: {dead or 'no time left'}\n{self.logs()}")
            time.sleep(0.2)

    def logs(self):
        text = ""
        for log in sorted([*self.directory.glob("*.out"), *self.directory.glob("slurm*.log")]):
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
            text += f"{log.name}:\n" + "\n".join(lines[-15:]) + "\n"
        return text

    def stop(self):
        with contextlib.suppress(subprocess.SubprocessError, OSError):
            self.run("scancel", "--user", user_name(), check=False)
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


@contextlib.contextmanager
def private_slurm(cpus):
    # A short path: sockets have at most 108 characters.
    with tempfile.TemporaryDirectory(prefix="a2a3slurm-", dir="/tmp") as name:
        slurm = Slurm(Path(name), cpus)
        try:
            slurm.configure()
            slurm.start()
            yield slurm
        finally:
            slurm.stop()
