import process from 'node:process';

const LOOK_EVERY_MS = 500;

/** npm that is told to end does so at once, and does not pass it on: what it has started would go on without anybody. */
export function endWithNpm() {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const npm = process.ppid;
  setInterval(() => {
    if (process.ppid !== npm) process.kill(process.pid, 'SIGTERM');
  }, LOOK_EVERY_MS).unref();
}
