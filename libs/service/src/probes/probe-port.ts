// The setting for the probe port of every service except the gateway.
import { setting } from '../configuration/setting.ts'

export const workerPort = setting.port({ env: 'SVC_WORKER_PORT', default: 3030, says: 'Port of the worker’s health, probes and metrics.' })
