import { describe, expect, it } from 'vitest';
import { tracingConfigurationFrom } from './index.ts';

const head = (version: string) => `apiVersion: apiserver.config.k8s.io/${version}\nkind: TracingConfiguration\n`;

describe('TracingConfiguration', () => {
  it.each(['v1alpha1', 'v1beta1', 'v1'])('is read in %s', (version) => {
    expect(tracingConfigurationFrom(`${head(version)}samplingRatePerMillion: 100\n`)).toEqual({
      endpoint: 'localhost:4317',
      samplingRatePerMillion: 100,
    });
  });

  it.each([
    ['endpoint: dns:///collector:4317', 'dns:///collector:4317'],
    ['endpoint: unix:///run/otlp.sock', 'unix:///run/otlp.sock'],
    ['endpoint: 192.0.2.1:4317', '192.0.2.1:4317'],
  ])('%s', (line, endpoint) => {
    expect(tracingConfigurationFrom(`${head('v1')}${line}\n`)).toEqual({ endpoint, samplingRatePerMillion: 0 });
  });

  it.each([
    [
      `${head('v1')}samplingRatePerMillion: -1`,
      'samplingRatePerMillion: Invalid value: -1: sampling rate must be positive',
    ],
    [
      `${head('v1')}samplingRatePerMillion: 1000001`,
      'samplingRatePerMillion: Invalid value: 1000001: sampling rate per million must be less than or equal to one million',
    ],
    [`${head('v1')}samplingRatePerMillion: 1.5`, 'samplingRatePerMillion: must be a whole number'],
    [`${head('v1')}endpoint: http://x:4317`, 'endpoint: Invalid value: "http://x:4317": unsupported scheme: http.'],
    [`${head('v1')}endpoint: unix-abstract://x`, 'unix-abstract is not supported'],
    [`${head('v1')}endpint: x`, 'strict decoding error: unknown field "endpint"'],
    [`${head('v2')}endpoint: x`, 'got TracingConfiguration of apiserver.config.k8s.io/v2'],
    ['kind: Pod\napiVersion: v1', 'got Pod of v1'],
    ['[]', 'not an object'],
  ])('refuses %j', (text, message) => {
    expect(() => tracingConfigurationFrom(text)).toThrow(message);
  });
});
