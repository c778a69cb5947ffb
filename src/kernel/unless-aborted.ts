/**
 * Gives what `work` gives, and rejects when the signal aborts first: for what waits for others that end with the signal
 * without a word. The work itself is left to itself then.
 */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
  });
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  // Whichever comes second is nobody's concern.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
