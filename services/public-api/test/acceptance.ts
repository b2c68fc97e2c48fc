// Who sends, and when, where bodies are planned without a server.
import { timeWindow } from '@svc-server/otlp/time-window'

export const now = Date.now()
export const window = timeWindow(now, 36)
export const acceptance = {
  projectId: 'p',
  apiKey: 'pk',
  sdkName: '',
  sdkVersion: '',
  receivedAtMs: now,
  ingestId: 'i',
  writeMode: 'dual',
} as const
