"""Worker processes end with the process that started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from ros_processes import wait_until

PARENT = """
import os, time
from quadruped_control.worker_processes import open_pool
if __name__ == '__main__':
    pool = open_pool(1)
    print(pool.submit(os.getpid).result(), flush=True)
    time.sleep(1000)
"""


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_killed_parent_leaves_no_worker(tmp_path: object) -> None:
    script = f'{tmp_path}/parent.py'
    with open(script, 'w', encoding='utf-8') as file:
        file.write(PARENT)
    parent = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    assert is_running(worker)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    wait_until(lambda: not is_running(worker), 'the end of the worker')
