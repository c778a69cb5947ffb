const MAX_NAME = 253;

/** `<object>.<time in nanoseconds, hexadecimal>`; the object's name is cut so that the whole is a valid name. */
export function eventName(objectName: string, at: number): string {
  const suffix = `.${(BigInt(Math.round(at * 1000)) * 1000n).toString(16)}`;
  return objectName.slice(0, MAX_NAME - suffix.length) + suffix;
}
