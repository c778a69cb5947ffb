/**
 * Glass: answers questions about the state of a cluster. `why` explains why an object is not as its spec asks for, from what
 * the API tells the user who asks, on any cluster; a scheduler of ours adds its decisions. `trace` shows what a write caused,
 * from the spans that our components record.
 */
export {
  accessText,
  type AccessAnswer,
  type AccessQuestion,
  type AuthorizerVerdict,
  type GrantedRule,
  type NearestRule,
} from './access/access-answer.ts';
export { whyDenied, type WhyDeniedOptions } from './access/why-denied.ts';
export { askHistory, askWhy } from './api/ask.ts';
export { glassApi } from './api/glass-api.ts';
export type { Answer, Cause, ConnectionAnswer, ConnectionStep, Explanation, Subject } from './answers.ts';
export { connectionText } from './connection/connection-answer.ts';
export { whyConnection, type WhyConnectionOptions } from './connection/why-connection.ts';
export { clusterRevisionAt, historyOf, revisionAt, type ObjectHistory, type Revision } from './history/history.ts';
export { pastTime } from './history/past-time.ts';
export { PastTransport } from './history/past-transport.ts';
export { historyText } from './history/text.ts';
export type { FieldChange } from './history/changes.ts';
export {
  requestText,
  type AdmissionCallOutcome,
  type PluginOutcome,
  type RequestAnswer,
  type RequestStage,
} from './request/request-answer.ts';
export { whyRequest, type WhyRequestOptions } from './request/why-request.ts';
export type { NodeRules } from './kernel-rules/ruleset.ts';
export { followTrace, type FollowedTrace } from './trace/follow.ts';
export { traceMermaid, traceOtlp, tracesOtlp } from './trace/formats.ts';
export { lastTraceOf, RemoteSpans } from './trace/remote-spans.ts';
export { timeoutReport } from './trace/timeout-report.ts';
export { spanTitle, traceText } from './trace/text.ts';
export { spansOf, traceOf, tracesOf, type Trace, type TraceCounts, type TraceNode } from './trace/trace.ts';
export { why } from './why/explain.ts';
export type { SchedulingDecision } from './why/reader.ts';
export { answerText } from './why/text.ts';
