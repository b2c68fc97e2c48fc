// Checks a score before it is queued. The server checks the rest.
import { type CreateScoreRequest, generateUUID, getEnv } from '@svc/core'

/** Returns undefined if the score can be sent. */
export function problemOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null) return 'It is not an object.'
  const { name, value } = data as { readonly name?: unknown; readonly value?: unknown }
  if (typeof name !== 'string' || name === '') return 'Its name is not a text of at least one character.'
  if (typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))) return undefined
  return `Its value is ${typeof value === 'number' ? value : typeof value}, not a finite number or a text.`
}

/**
 * Returns a copy of the score. If the caller changes the score later, the copy stays unchanged. Throws if the score cannot be written as
 * JSON.
 */
export function queuedScore(data: CreateScoreRequest, now: Date = new Date()): CreateScoreRequest {
  const score = {
    ...data,
    id: data.id ?? generateUUID(),
    environment: data.environment ?? getEnv('SVC_TRACING_ENVIRONMENT'),
    timestamp: data.timestamp ?? now.toISOString(),
  }
  return JSON.parse(JSON.stringify(score)) as CreateScoreRequest
}
