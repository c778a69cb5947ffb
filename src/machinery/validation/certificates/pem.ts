/** PEM blocks, found as Go's decoder finds them. */
export interface PemBlock {
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

const BLOCK = /-----BEGIN ([^\n]*?)-----[ \t\r]*\n([\s\S]*?)-----END \1-----[ \t\r]*(?:\n|$)/g;
const HEADER = /^([^:\n]+):[ \t]*(.*)\r?\n/;

export function* pemBlocks(text: string): Generator<PemBlock> {
  for (const match of text.matchAll(BLOCK)) {
    let body = match[2]!;
    const headers: Record<string, string> = {};
    for (let header = HEADER.exec(body); header; header = HEADER.exec(body)) {
      headers[header[1]!.trim()] = header[2]!.trim();
      body = body.slice(header[0].length);
    }
    const base64 = body.replace(/\s/g, '');
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0) continue;
    yield { type: match[1]!, headers, bytes: Buffer.from(base64, 'base64') };
  }
}
