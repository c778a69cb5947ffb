/** Unescapes the key of a user's extra field from a header name; a key that is not percent-encoded stays as it is. */
export function unescapeExtraKey(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
