// Loaded into a watched process with `node --require` (see turn-watchdog.ts), and by Node into each of its worker threads.
// It measures every turn of the thread's event loop in processor time, and tells of it through files:
//   TMPDIR/k8ts-turns-PID/THREAD.turns   one line per turn of at least MIN_TURN_MS: its processor time in milliseconds
//   TMPDIR/k8ts-turns-PID/THREAD.beat    a number that grows while the thread's event loop turns
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { isMainThread, threadId } = require('node:worker_threads');

const MIN_TURN_MS = 1;
const BEAT_MS = 10;
const SCHEDSTAT = '/proc/thread-self/schedstat';

// A worker learns the file of its program after this one has run.
if (fs.existsSync(SCHEDSTAT)) {
  if (isMainThread) watch();
  else setImmediate(watch);
}

function watch() {
  const directory = path.join(os.tmpdir(), `k8ts-turns-${process.pid}`);
  if (isMainThread) fs.rmSync(directory, { recursive: true, force: true });
  fs.mkdirSync(directory, { recursive: true });
  const program = path.basename(process.argv[1] ?? '').replace(/\.\w+$/, '');
  const name = isMainThread ? 'main' : /^[\w-]+$/.test(program) ? `${program}-${threadId}` : `worker-${threadId}`;
  const turns = fs.openSync(path.join(directory, `${name}.turns`), 'w');
  const beat = fs.openSync(path.join(directory, `${name}.beat`), 'w');
  const schedstat = fs.openSync(SCHEDSTAT, 'r');
  const text = Buffer.alloc(64);

  /** The thread's time on a processor, in nanoseconds: the first of three numbers. */
  const onProcessor = () => {
    const length = fs.readSync(schedstat, text, 0, text.length, 0);
    return Number(text.toString('latin1', 0, length).split(' ', 1)[0]);
  };

  let before = onProcessor();
  const endOfTurn = () => {
    const now = onProcessor();
    const milliseconds = (now - before) / 1e6;
    before = now;
    if (milliseconds >= MIN_TURN_MS) fs.writeSync(turns, `${milliseconds.toFixed(2)}\n`);
    arm();
  };
  // An immediate without a reference runs once in every turn and does not keep the event loop from waiting.
  const arm = () => setImmediate(endOfTurn).unref();
  arm();

  let beats = 0;
  setInterval(() => fs.writeSync(beat, `${++beats}\n`, 0), BEAT_MS).unref();
}
