export {
  createProbeHandler,
  createProbeServer,
  maxProbeConnections,
  type ProbeOptions,
  type ProbeServer,
  type ProbeServerOptions,
} from './probe-server.ts'
export { createWorkerHealth, type EventPropagationReport, type WorkerHealthDeps } from './worker-health.ts'
