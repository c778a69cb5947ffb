/** Rewrites absolute links of a proxied page to go through the proxy. */
const LINK_ATTRIBUTES =
  /(\s(?:action|background|cite|classid|codebase|data|formaction|href|icon|longdesc|manifest|poster|profile|src|usemap)\s*=\s*)(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/gi;

export function rewriteLinks(page: Buffer, base: string): Buffer {
  const text = page
    .toString('utf8')
    .replace(LINK_ATTRIBUTES, (whole: string, name: string, double?: string, single?: string, bare?: string) => {
      const url = double ?? single ?? bare ?? '';
      // `//host/` is on another host.
      if (!url.startsWith('/') || url.startsWith('//') || url.startsWith(`${base}/`)) return whole;
      const quoteMark = single === undefined ? '"' : "'";
      return `${name}${quoteMark}${base}${url}${quoteMark}`;
    });
  return Buffer.from(text);
}
