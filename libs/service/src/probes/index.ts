export { createMonitorPage, type MonitorPageOptions, type Report } from './monitor-page.ts'
export { workerPort } from './probe-port.ts'
export {
  createProbeHandler,
  createProbeServer,
  maxProbeConnections,
  type ProbeOptions,
  type ProbeServer,
  type ProbeServerOptions,
} from './probe-server.ts'
