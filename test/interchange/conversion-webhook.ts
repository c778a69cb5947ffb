/** Serves the conversion of things.example.com: v1 has spec.size, v2 has spec.length. */
import { readFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ControlPlane } from './control-plane.ts';

interface Thing {
  readonly apiVersion: string;
  readonly spec?: { readonly size?: number; readonly length?: number };
}

interface ConversionReview {
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Thing[] };
}

export interface ConversionWebhook {
  readonly url: string;
  close(): void;
}

export async function startConversionWebhook(plane: ControlPlane): Promise<ConversionWebhook> {
  const tls = { cert: readFileSync(plane.file('apiserver.crt')), key: readFileSync(plane.file('apiserver.key')) };
  const server = https.createServer(tls, (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const { request: asked } = JSON.parse(text) as ConversionReview;
      const convertedObjects = asked.objects.map((thing) => convert(thing, asked.desiredAPIVersion));
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'ConversionReview',
          response: { uid: asked.uid, result: { status: 'Success' }, convertedObjects },
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/convert`,
    close: () => server.close(),
  };
}

function convert({ spec = {}, ...thing }: Thing, apiVersion: string): Thing {
  const size = spec.size ?? spec.length;
  return { ...thing, apiVersion, spec: apiVersion.endsWith('/v1') ? { size: size! } : { length: size! } };
}

/** The definition of things in two versions, of which v1 is stored. */
export function thingDefinition(url: string, ca: string): object {
  const version = (name: string, field: string): object => ({
    name,
    served: true,
    storage: name === 'v1',
    subresources: { status: {} },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { [field]: { type: 'integer', format: 'int64' } } },
          status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    },
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [version('v1', 'size'), version('v2', 'length')],
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { url, caBundle: Buffer.from(ca).toString('base64') },
        },
      },
    },
  };
}
