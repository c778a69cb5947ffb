/**
 * The pseudo-terminal between a client and `runc exec --tty`. runc creates the process's terminal inside the container
 * and copies between the two, so this one is in raw mode.
 *
 * runc switches ONLCR (\n becomes \r\n) off in the process's terminal and leaves it to this one, but it does so after the
 * process has started: a shell that has read its terminal's settings before switches it on again. So this terminal has it
 * off, too, and `newlines` adds the \r where it is missing.
 */
import fs from 'node:fs';
import { Transform, type Duplex } from 'node:stream';
import tty from 'node:tty';
import { checked, systemCalls } from '../linux/system-calls.ts';
import type { TerminalSize } from './remote-command.ts';

const O_RDWR = 2;
const O_NOCTTY = 0o400;
const O_CLOEXEC = 0o2000000;
const TCGETS = 0x5401;
const TCSETS = 0x5402;
const TIOCSWINSZ = 0x5414;

/** Flags of struct termios: four 32-bit words (input, output, control, local), then control characters at 17. */
const INPUT_PROCESSING = 0o1 | 0o2 | 0o10 | 0o40 | 0o100 | 0o200 | 0o400 | 0o2000;
/** OPOST, which runc switches on again, and ONLCR. */
const OUTPUT_PROCESSING = 0o1 | 0o4;
const LOCAL_PROCESSING = 0o1 | 0o2 | 0o10 | 0o100 | 0o100000;
const TERMIOS_BYTES = 64;
const CHARACTERS_AT = 17;
const VTIME = 5;
const VMIN = 6;

export class Terminal {
  /** For the child's stdin, stdout and stderr. */
  readonly slave: number;
  readonly #master: number;
  readonly stream: Duplex;

  constructor() {
    const system = systemCalls();
    this.#master = checked(system.posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), 'posix_openpt');
    checked(system.grantpt(this.#master), 'grantpt');
    checked(system.unlockpt(this.#master), 'unlockpt');
    const name = Buffer.alloc(128);
    if (system.ptsname_r(this.#master, name, name.length) !== 0) throw new Error('the terminal has no name');
    this.slave = fs.openSync(name.toString('latin1', 0, name.indexOf(0)), O_RDWR | O_NOCTTY | O_CLOEXEC);
    this.#setRawMode();
    this.stream = new tty.ReadStream(this.#master);
    // When the last process closes the slave, reads fail with EIO; `close` marks the end.
    this.stream.on('error', () => {});
  }

  resize({ width, height }: TerminalSize): void {
    const size = Buffer.alloc(8);
    size.writeUInt16LE(height, 0);
    size.writeUInt16LE(width, 2);
    checked(systemCalls().ioctl(this.#master, TIOCSWINSZ, size), 'ioctl');
  }

  /** Closes our copy of the slave after the child has started, so that the terminal ends with the child. */
  releaseSlave(): void {
    fs.closeSync(this.slave);
  }

  #setRawMode(): void {
    const termios = Buffer.alloc(TERMIOS_BYTES);
    checked(systemCalls().ioctl(this.slave, TCGETS, termios), 'ioctl');
    const clear = (word: number, bits: number): void =>
      void termios.writeUInt32LE((termios.readUInt32LE(word * 4) & ~bits) >>> 0, word * 4);
    clear(0, INPUT_PROCESSING);
    clear(1, OUTPUT_PROCESSING);
    clear(3, LOCAL_PROCESSING);
    termios[CHARACTERS_AT + VMIN] = 1;
    termios[CHARACTERS_AT + VTIME] = 0;
    checked(systemCalls().ioctl(this.slave, TCSETS, termios), 'ioctl');
  }
}

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

/** Makes \r\n of each \n that no \r precedes. */
export function newlines(): Transform {
  let last = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const pieces: Buffer[] = [];
      let start = 0;
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) {
        if ((at === 0 ? last : chunk[at - 1]) === CARRIAGE_RETURN) continue;
        pieces.push(chunk.subarray(start, at), Buffer.from([CARRIAGE_RETURN]));
        start = at;
      }
      last = chunk.at(-1) ?? last;
      done(null, pieces.length === 0 ? chunk : Buffer.concat([...pieces, chunk.subarray(start)]));
    },
  });
}
