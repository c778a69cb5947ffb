// Generated from trace-service.proto by `npm run generate`. Do not edit.

export interface TraceService {
  export(request: ExportTraceServiceRequest, options?: { signal?: AbortSignal }): Promise<ExportTraceServiceResponse>;
}

export interface ExportTraceServiceRequest {
  readonly resourceSpans?: readonly ResourceSpans[];
}

export interface ExportTraceServiceResponse {
  readonly partialSuccess?: ExportTracePartialSuccess;
}

export interface ExportTracePartialSuccess {
  readonly rejectedSpans?: number;
  readonly errorMessage?: string;
}

export interface ResourceSpans {
  readonly resource?: Resource;
  readonly scopeSpans?: readonly ScopeSpans[];
}

export interface Resource {
  readonly attributes?: readonly KeyValue[];
}

export interface ScopeSpans {
  readonly scope?: InstrumentationScope;
  readonly spans?: readonly OtlpSpan[];
}

export interface InstrumentationScope {
  readonly name?: string;
  readonly version?: string;
}

export interface OtlpSpan {
  readonly traceId?: Uint8Array;
  readonly spanId?: Uint8Array;
  readonly parentSpanId?: Uint8Array;
  readonly name?: string;
  readonly kind?: number;
  readonly startTimeUnixNano?: number;
  readonly endTimeUnixNano?: number;
  readonly attributes?: readonly KeyValue[];
  readonly links?: readonly Link[];
  readonly status?: Status;
  readonly flags?: number;
}

export interface Link {
  readonly traceId?: Uint8Array;
  readonly spanId?: Uint8Array;
}

export interface Status {
  readonly message?: string;
  readonly code?: number;
}

export interface KeyValue {
  readonly key?: string;
  readonly value?: AnyValue;
}

export interface AnyValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: number;
  readonly doubleValue?: number;
}

export const PACKAGE = 'opentelemetry.proto.collector.trace.v1';

export const descriptor = {"nested":{"opentelemetry":{"nested":{"proto":{"nested":{"collector":{"nested":{"trace":{"nested":{"v1":{"nested":{"TraceService":{"methods":{"Export":{"requestType":"ExportTraceServiceRequest","responseType":"ExportTraceServiceResponse"}}},"ExportTraceServiceRequest":{"fields":{"resourceSpans":{"rule":"repeated","type":"ResourceSpans","id":1}}},"ExportTraceServiceResponse":{"fields":{"partialSuccess":{"type":"ExportTracePartialSuccess","id":1}}},"ExportTracePartialSuccess":{"fields":{"rejectedSpans":{"type":"int64","id":1},"errorMessage":{"type":"string","id":2}}},"ResourceSpans":{"fields":{"resource":{"type":"Resource","id":1},"scopeSpans":{"rule":"repeated","type":"ScopeSpans","id":2}}},"Resource":{"fields":{"attributes":{"rule":"repeated","type":"KeyValue","id":1}}},"ScopeSpans":{"fields":{"scope":{"type":"InstrumentationScope","id":1},"spans":{"rule":"repeated","type":"OtlpSpan","id":2}}},"InstrumentationScope":{"fields":{"name":{"type":"string","id":1},"version":{"type":"string","id":2}}},"OtlpSpan":{"fields":{"traceId":{"type":"bytes","id":1},"spanId":{"type":"bytes","id":2},"parentSpanId":{"type":"bytes","id":4},"name":{"type":"string","id":5},"kind":{"type":"int32","id":6},"startTimeUnixNano":{"type":"fixed64","id":7},"endTimeUnixNano":{"type":"fixed64","id":8},"attributes":{"rule":"repeated","type":"KeyValue","id":9},"links":{"rule":"repeated","type":"Link","id":13},"status":{"type":"Status","id":15},"flags":{"type":"fixed32","id":16}}},"Link":{"fields":{"traceId":{"type":"bytes","id":1},"spanId":{"type":"bytes","id":2}}},"Status":{"fields":{"message":{"type":"string","id":2},"code":{"type":"int32","id":3}}},"KeyValue":{"fields":{"key":{"type":"string","id":1},"value":{"type":"AnyValue","id":2}}},"AnyValue":{"oneofs":{"value":{"oneof":["stringValue","boolValue","intValue","doubleValue"]}},"fields":{"stringValue":{"type":"string","id":1},"boolValue":{"type":"bool","id":2},"intValue":{"type":"int64","id":3},"doubleValue":{"type":"double","id":4}}}}}}}}}}}}}}} as const;
