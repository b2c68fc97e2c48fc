export { tlsMetrics } from './metrics.ts'
export { serverTlsOf } from './server-tls.ts'
export { type TlsConfig, tlsProblems, tlsSettings } from './settings.ts'
