export {
  type BlockMeta,
  bytes,
  choice,
  cidrs,
  durationMs,
  flag,
  integer,
  list,
  minutes,
  port,
  printBytes,
  type Range,
  ratio,
  seconds,
  secret,
  text,
  url,
} from './config/blocks.ts'
export { envHelp, envTable } from './config/env-table.ts'
export { type Environment, type LoadedConfig, type LoadOptions, loadConfig, unknownVariables } from './config/load-config.ts'
export { createEventLoopLag, type EventLoopLag } from './health/event-loop-lag.ts'
export {
  type CheckResult,
  createHealth,
  type Health,
  type HealthCheck,
  type HealthOptions,
  type HealthReport,
  healthy,
  type Probe,
  unhealthy,
} from './health/health.ts'
export { createPatientRefresh } from './health/patient-refresh.ts'
export { createProgressTracker, type ProgressOptions, type ProgressTracker } from './health/progress.ts'
export { createStoreWatch, type StoreWatch, type StoreWatchOptions } from './health/store-watch.ts'
export { type ClientAddresses, createClientAddresses, parseCidr } from './http/client-address.ts'
export {
  type ConnectionLimits,
  connectionsWithin,
  createConnectionLimits,
  descriptorLimit,
  limitConnections,
} from './http/connection-limits.ts'
export { closeServer, type ListenOptions, listen, requireFree } from './http/listen.ts'
export {
  createProbeHandler,
  createProbeServer,
  maxProbeConnections,
  type ProbeOptions,
  type ProbeServer,
  type ProbeServerOptions,
} from './http/probe-server.ts'
export { createHttpServer, type Handler, type HttpServerOptions, parseTarget, type Target } from './http/server.ts'
export { createWorkerHealth, type EventPropagationReport, type WorkerHealthDeps } from './http/worker-health.ts'
export { type NamedService, type ProcessHost, type RunOptions, runUntilSignal, type Service } from './lifecycle.ts'
export { createLogger, type Logger, type LoggerOptions, type LogLevel, logLevels } from './log/logger.ts'
export { type SerializedError, serializeError } from './log/serialize-error.ts'
export { metricTable } from './metrics/catalogue-table.ts'
export {
  ageBuckets,
  anyValue,
  defineMetrics,
  durationBuckets,
  type MetricCatalogue,
  type MetricDefinition,
  sizeBuckets,
} from './metrics/definition.ts'
export type { CounterInstrument, GaugeInstrument, HistogramInstrument, Instrument, LabelValues } from './metrics/instruments.ts'
export { createMetricRegistry, createMetrics, type MetricRegistry, type MetricRegistryOptions, type Metrics } from './metrics/registry.ts'
export { ensurePrivateDirectory, makeFilesPrivate, tighten } from './private-files.ts'
export { type ProcessContext, type ProcessEnvironment, type ProcessOptions, processVariables, runProcess } from './process.ts'
export { isSecretName, redactText } from './secrets.ts'
