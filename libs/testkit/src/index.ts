export {
  freePort,
  preparedDirectory,
  type TcpProxy,
  type TemporaryDirectory,
  temporaryDirectory,
  waitFor,
} from '@svc-server/dev-servers'
export { makeCertificate, type TestCertificate } from './certificates.ts'
export { type ColumnStoreFault, type ColumnStoreProxy, createColumnStoreProxy, type ProxiedRequest } from './column-store-proxy.ts'
export { type CommitFaults, crash, fateAfter } from './commit-faults.ts'
export { inNightly, isAlone, isAsked, sized, slackMs } from './config.ts'
export { type ConservationLedger, createConservationLedger } from './conservation-ledger.ts'
export { ingestionFixtures } from './ingestion-fixtures.ts'
export { traceRequestJson } from './json.ts'
export { createKeptThreads } from './kept-threads.ts'
export { createKiller, type Kills } from './killing.ts'
export { type ManualClock, manualClock } from './manual-clock.ts'
export { withTables } from './markdown-tables.ts'
export { partsOf, untilMerged } from './merged-parts.ts'
export { metricSum } from './metric-sum.ts'
export { fixtureHeader, type OtlpFixture, otlpFixtures, plainBody, recordedProtobufs, recordedRequest } from './otlp-fixtures.ts'
export {
  type AnyValue,
  attributes,
  type KeyValue,
  type ScopeSpans,
  type Span,
  type SpanEvent,
  type TraceRequest,
} from './otlp-types.ts'
export { anonymousMB, processCpuMs, threadCpuMs } from './process-cpu.ts'
export { decodeTraceRequest, decodeTraceResponse, encodeTraceRequest, referenceCodec } from './protobuf.ts'
export { quantile } from './quantile.ts'
export { createRandom, type Random } from './random.ts'
export { type Address, exchangeRaw } from './raw-exchange.ts'
export {
  createSpanGenerator,
  type GeneratedRequest,
} from './span-generator.ts'
export { v3Store } from './v3-store.ts'
