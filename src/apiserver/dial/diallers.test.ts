import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { codeOnly, withoutComments } from '../../../scripts/source-text.mjs';

/**
 * Everything in the API server that can open a connection. Whatever dials for somebody asks the dial policy, so it
 * stands in dial/; what is listed here dials addresses that only the operator's own files and flags name.
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'src/apiserver/authn/oidc/provider-keys.ts':
    'the issuer and its discovery URL come from flags or the AuthenticationConfiguration file',
  'src/apiserver/review-webhooks/review-client.ts':
    'authentication, authorization, audit and image policy webhooks come from kubeconfig files',
  'src/apiserver/encryption/kms/kms-client.ts':
    'KMS plugins are Unix sockets that the EncryptionConfiguration file names',
};

const WAYS_TO_DIAL = [
  /\b(?:net|tls|http2)\s*\.\s*(?:connect|createConnection)\b/,
  /\bhttps?\s*\.\s*(?:request|get)\b/,
  /\bnew\s+(?:net|tls)\s*\.\s*(?:Socket|TLSSocket)\b/,
  /\bnew\s+(?:WebSocket|HttpTransport|EventSource)\b/,
  /(?<![.\w#])fetch\s*\(/,
  /\bdgram\s*\.\s*createSocket\b/,
  /\bcreateConnection\b/,
  /\bGrpcClient\b|\bmakeGenericClientConstructor\b|\bloadPackageDefinition\b|\bnew\s+Client\s*\(/,
];

/** The same functions under names of their own. */
const IMPORTED_TO_DIAL =
  /\bimport\s*\{[^}]*\b(?:connect|createConnection|request|get|Socket|TLSSocket)\b[^}]*\}\s*from\s*'(?:node:)?(?:net|tls|https?|http2|undici|ws)'/;

const root = path.resolve(import.meta.dirname, '../../..');

function sources(folder: string): string[] {
  return fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'testing' ? [] : sources(file);
    return file.endsWith('.ts') && !file.endsWith('.test.ts') && entry.name !== 'testing.ts' ? [file] : [];
  });
}

function dials(file: string): boolean {
  const text = fs.readFileSync(path.join(root, file), 'utf8');
  return IMPORTED_TO_DIAL.test(withoutComments(text)) || WAYS_TO_DIAL.some((way) => way.test(codeOnly(text)));
}

it('no file outside dial/ opens connections, except those with a reason', () => {
  const dialling = sources('src/apiserver').filter((file) => !file.startsWith('src/apiserver/dial/') && dials(file));
  expect(
    dialling.sort(),
    'open connections with apiserver/dial, or add the file to EXCEPTIONS with the reason',
  ).toEqual(Object.keys(EXCEPTIONS).sort());
});

it('finds calls that open connections', () => {
  const dial = sources('src/apiserver/dial').filter(dials);
  expect(dial.map((file) => path.basename(file)).sort()).toEqual(['dial-agent.ts', 'dialer.ts', 'forward-request.ts']);
});

it('only the policy creates permits', () => {
  const making = sources('src').filter((file) =>
    /\bnew\s+Permit\b/.test(fs.readFileSync(path.join(root, file), 'utf8')),
  );
  expect(making).toEqual(['src/apiserver/dial/dial-policy.ts']);
});
