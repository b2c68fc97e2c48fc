// The port of probes and metrics of whatever is no gateway.
import { setting } from '../configuration/setting.ts'

export const workerPort = setting.port({ env: 'SVC_WORKER_PORT', default: 3030, says: 'Port of the worker’s health, probes and metrics.' })
