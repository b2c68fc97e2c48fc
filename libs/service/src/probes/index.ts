export { createMonitorPage, type MonitorPageOptions } from './monitor-page.ts'
export { workerPort } from './probe-port.ts'
export {
  createProbeHandler,
  createProbeServer,
  maxProbeConnections,
} from './probe-server.ts'
