/**
 * Finds code of a world that uses the machine: a file, a process, a socket, a thread, a timer of the machine. When such work
 * ends depends on the machine, so the world would take other steps in another run.
 */
import { createHook } from 'node:async_hooks';

/** What Node calls work that ends in the turn of the event loop in which it is due, whatever the machine does. */
const REPEATS = new Set(['PROMISE', 'Immediate', 'TickObject', 'Microtask']);

/** A frame of the language, of Node, or of a package that is not this one or a build of it: a test runner's work is not the world's. */
const FOREIGN_FRAME = /\(<anonymous>\)|\(?node:|\bnode_modules\/(?!k8ts\/|\.cache\/)/;
const MAX_FRAMES = 12;

/** Tells of each use with its stack until the result is called. It costs a tenth of a world's time. */
export function watchMachineUse(onUse: (use: string) => void): () => void {
  const hook = createHook({
    init(_id, type) {
      if (REPEATS.has(type)) return;
      const frames = stackFrames();
      if (!frames.every((frame) => FOREIGN_FRAME.test(frame))) onUse([type, ...frames].join('\n'));
    },
  });
  hook.enable();
  return () => void hook.disable();
}

function stackFrames(): readonly string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MAX_FRAMES + 2;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  // Without the message, this function and the hook.
  return stack.split('\n').slice(3);
}
