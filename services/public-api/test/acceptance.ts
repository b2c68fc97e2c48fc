import { timeWindow } from '@svc-server/otlp/time-window'
import type { Terms } from '../src/events/acceptance.ts'
import type { EventOutcome } from '../src/events/event.ts'
import { workOn } from '../src/work/preparations.ts'

export const now = Date.now()
const acceptance = {
  projectId: 'p',
  apiKey: 'pk',
  sdkName: '',
  sdkVersion: '',
  receivedAtMs: now,
  ingestId: 'i',
  writeMode: 'dual',
} as const
export const terms: Terms = { acceptance, scoresOnly: false, window: timeWindow(now, 36) }

export const planned = (operationId: string, body: Uint8Array) =>
  workOn({ kind: 'body', operationId, body, terms }) as readonly EventOutcome[]
