/** Records of a pax extended header: `<length> <key>=<value>\n`, with the decimal length of the whole record. */
import { TarError } from './tar-entry.ts';

const ATTRIBUTE_PREFIX = 'SCHILY.xattr.';

export interface PaxRecords {
  readonly values: ReadonlyMap<string, string>;
  readonly attributes: ReadonlyMap<string, Buffer>;
}

export function decodePax(content: Buffer): PaxRecords {
  const values = new Map<string, string>();
  const attributes = new Map<string, Buffer>();
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(0x20, at);
    const digits = space === -1 ? '' : content.toString('latin1', at, space);
    if (!/^[1-9][0-9]{0,9}$/.test(digits)) throw new TarError('the archive has a pax record without a length');
    const end = at + Number(digits);
    const equals = content.indexOf(0x3d, space);
    if (end > content.length || equals === -1 || equals >= end || content[end - 1] !== 0x0a) {
      throw new TarError('the archive has a malformed pax record');
    }
    const key = content.toString('utf8', space + 1, equals);
    const value = content.subarray(equals + 1, end - 1);
    if (key.startsWith(ATTRIBUTE_PREFIX)) attributes.set(key.slice(ATTRIBUTE_PREFIX.length), Buffer.from(value));
    else values.set(key, value.toString('utf8'));
    at = end;
  }
  return { values, attributes };
}

export function encodePax(
  values: ReadonlyMap<string, string>,
  attributes: ReadonlyMap<string, Buffer> = new Map(),
): Buffer {
  const records = [...values].map(([key, value]) => encodeRecord(key, Buffer.from(value)));
  for (const [name, value] of attributes) records.push(encodeRecord(ATTRIBUTE_PREFIX + name, value));
  return Buffer.concat(records);
}

function encodeRecord(key: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from('\n')]);
  // The length counts its own digits, which may add one.
  let length = rest.length + 1;
  while (`${length}`.length + rest.length !== length) length = `${length}`.length + rest.length;
  return Buffer.concat([Buffer.from(`${length}`), rest]);
}
