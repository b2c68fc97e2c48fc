// Each setting comes from the processor's options, its environment variable, or its default, in this order. An invalid value causes a
// warning, and the default applies.
import { getEnv, getGlobalLogger } from '@svc/core'

export type Compression = 'gzip' | 'none'

const defaultMaxBatchBytes = 64 * 1024 * 1024

const warn = (text: string): void => getGlobalLogger().warn(text)

/** Undefined if OpenTelemetry decides. */
export function flushAt(option: number | undefined): number | undefined {
  const value = option ?? getEnv('SVC_FLUSH_AT')
  if (value === undefined) return undefined
  const count = Number(value)
  if (Number.isInteger(count) && count >= 1) return count
  warn(`The batch size '${value}' (${option === undefined ? 'SVC_FLUSH_AT' : 'option flushAt'}) is not a positive integer. It is ignored.`)
  return undefined
}

/** Undefined if OpenTelemetry decides. */
export function flushIntervalMs(option: number | undefined): number | undefined {
  const value = option ?? getEnv('SVC_FLUSH_INTERVAL')
  if (value === undefined) return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000
  const name = option === undefined ? 'SVC_FLUSH_INTERVAL' : 'option flushInterval'
  warn(`The interval '${value}' (${name}) is not a number of seconds. It is ignored.`)
  return undefined
}

export function mediaUploadEnabled(option: boolean | undefined): boolean {
  return option ?? !['false', '0'].includes(getEnv('SVC_MEDIA_UPLOAD_ENABLED')?.toLowerCase() ?? '')
}

function compressionOf(text: string | undefined): Compression | undefined {
  const value = text?.trim().toLowerCase()
  return value === 'gzip' || value === 'none' ? value : undefined
}

/** The first setting with a valid value applies (contract §8.1). */
export function compression(option: string | undefined): Compression {
  return (
    compressionOf(option) ??
    compressionOf(getEnv('SVC_OTEL_COMPRESSION')) ??
    compressionOf(getEnv('OTEL_EXPORTER_OTLP_TRACES_COMPRESSION')) ??
    compressionOf(getEnv('OTEL_EXPORTER_OTLP_COMPRESSION')) ??
    'gzip'
  )
}

/** Maximum batch size in bytes. Only the texts of a batch are counted, so the encoded batch can be larger. */
export function maxBatchBytes(): number {
  const text = getEnv('SVC_OTEL_MAX_BATCH_SIZE_BYTES')?.trim()
  if (!text) return defaultMaxBatchBytes
  const bytes = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(bytes) && bytes > 0) return bytes
  warn(`SVC_OTEL_MAX_BATCH_SIZE_BYTES is '${text}', which is not a positive integer. ${defaultMaxBatchBytes} bytes are used.`)
  return defaultMaxBatchBytes
}
