/** Spans for an OpenTelemetry collector: TracingConfiguration, and the exporter that it configures. */
export { exportSpans } from './export-spans.ts';
export { keyValues, SPAN_KINDS, STATUS_ERROR } from './otlp-span.ts';
export {
  tracingConfigurationFrom,
  tracingOf,
  tracingProblems,
  type TracingConfiguration,
} from './tracing-configuration.ts';
