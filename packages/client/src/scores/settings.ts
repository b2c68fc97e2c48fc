// Settings for sending queued scores.
import { getEnv, getGlobalLogger } from '@svc/core'

function positive(name: string, fallback: number): number {
  const text = getEnv(name)?.trim()
  if (!text) return fallback
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  getGlobalLogger().warn(`${name} is '${text}', which is not a positive number. Scores use ${fallback}.`)
  return fallback
}

/** Number of queued scores that triggers sending. */
export const flushAt = (): number => positive('SVC_FLUSH_AT', 10)

/** Maximum wait of the oldest queued score. */
export const flushIntervalMs = (): number => positive('SVC_FLUSH_INTERVAL', 1) * 1000
