/**
 * Resolves as `work` does, or rejects when the signal aborts first: for waiting on others that stop with the signal without
 * settling. The work itself is not cancelled.
 */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
  });
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  // A rejection after the abort is ignored.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
