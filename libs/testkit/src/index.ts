export {
  createTcpProxy,
  freePort,
  type TcpProxy,
  type TemporaryDirectory,
  temporaryDirectory,
  type WaitOptions,
  waitFor,
} from '@svc-server/dev-servers'
export { type ColumnStoreFault, type ColumnStoreProxy, createColumnStoreProxy, type ProxiedRequest } from './column-store-proxy.ts'
export { type ConservationLedger, type ConservationProof, createConservationLedger, type StoredSpans } from './conservation-ledger.ts'
export { traceRequestJson } from './json.ts'
export { type ManualClock, manualClock } from './manual-clock.ts'
export { fixtureHeader, type OtlpFixture, otlpFixtures } from './otlp-fixtures.ts'
export {
  type AnyValue,
  anyValue,
  attributes,
  type Id,
  type Integer64,
  type KeyValue,
  type ResourceSpans,
  type ScopeSpans,
  type Span,
  type SpanEvent,
  type SpanLink,
  type TraceRequest,
} from './otlp-types.ts'
export { processCpuMs } from './process-cpu.ts'
export { decodeTraceRequest, decodeTraceResponse, encodeTraceRequest, referenceCodec, type TraceResponse } from './protobuf.ts'
export { createRandom, type Random } from './random.ts'
export { type Address, exchangeRaw, type RawAnswer } from './raw-exchange.ts'
export {
  createSpanGenerator,
  type GeneratedRequest,
  type SpanGenerator,
  type SpanGeneratorOptions,
  type SpanIdentity,
} from './span-generator.ts'
export { prose } from './vocabulary.ts'
