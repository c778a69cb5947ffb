// Source maps that know lines and no columns. A map of every token would be a third of the packed program; what stack
// traces are read for is the file and the line.
import fs from 'node:fs';

/**
 * Rewrites a source map in place.
 * @param {string} file
 */
export async function keepLinesOnly(file) {
  const { decode, encode } = await import('@jridgewell/sourcemap-codec');
  const map = JSON.parse(fs.readFileSync(file, 'utf8'));
  fs.writeFileSync(file, JSON.stringify({ ...map, names: [], mappings: encode(linesOnly(decode(map.mappings))) }));
}

/**
 * Leaves the positions at which the original line changes.
 * @param {import('@jridgewell/sourcemap-codec').SourceMapMappings} mappings
 * @returns {import('@jridgewell/sourcemap-codec').SourceMapMappings}
 */
function linesOnly(mappings) {
  return mappings.map((segments) => {
    /** @type {[source: number | undefined, line: number | undefined] | undefined} */
    let before;
    const changes = segments.filter(([, source, line]) => {
      const isSame = before?.[0] === source && before?.[1] === line;
      before = [source, line];
      return !isSame;
    });
    return changes.map(([column, source, line]) =>
      source === undefined || line === undefined ? [column] : [column, source, line, 0],
    );
  });
}
