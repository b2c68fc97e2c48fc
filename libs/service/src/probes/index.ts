export { createMonitorPage, type MonitorPageOptions } from './monitor-page.ts'
export { createProbeConnections } from './probe-connections.ts'
export { workerPort } from './probe-port.ts'
export { createProbeHandler, createProbeServer, isProbe } from './probe-server.ts'
