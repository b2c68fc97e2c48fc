// Writes redacted JSON lines to stdout.
import type { Writable } from 'node:stream'
import { logFields } from '@svc-server/tracing'
import { type LevelWithSilent, type Logger, pino, stdTimeFunctions } from 'pino'
import { redactLine } from '../text/secrets.ts'
import { createLogDestination } from './destination.ts'
import { formatPretty } from './pretty.ts'
import { serializeError } from './serialize-error.ts'

export type { Logger } from 'pino'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = LevelWithSilent

export interface LoggerOptions {
  /** Name of the service, which every line contains. */
  readonly service: string
  readonly level?: LogLevel
  /** True if lines are formatted for people instead of as JSON. */
  readonly pretty?: boolean
  readonly destination?: Writable
  /** Maximum bytes that the logger buffers while the destination is blocked. Further lines are dropped and counted. */
  readonly maxBufferedBytes?: number
}

/**
 * A pino logger whose lines have `time` (ISO 8601), `level`, `service` and `msg`. The logger masks secrets at any depth. It recognizes a
 * secret by the name of its field or by the form of the text. If the destination is blocked, lines are dropped, and their number is logged
 * later: the logger never throws and never waits (F39).
 */
export const createLogger = (options: LoggerOptions): Logger => {
  const { service, level = 'info', pretty = false, destination = process.stdout, maxBufferedBytes } = options
  const color = pretty && 'hasColors' in destination && typeof destination.hasColors === 'function' && destination.hasColors() === true
  const format = (line: string) => (pretty ? formatPretty(redactLine(line), color) : redactLine(line))
  const droppedLine = (lines: number) => {
    const entry = {
      level: 'warn',
      time: new Date().toISOString(),
      service,
      lines,
      msg: 'Log lines were dropped: the log output was blocked',
    }
    return format(`${JSON.stringify(entry)}\n`)
  }
  const out = createLogDestination(destination, { droppedLine, ...(maxBufferedBytes === undefined ? {} : { maxBufferedBytes }) })

  return pino(
    {
      level,
      base: { service },
      mixin: logFields,
      timestamp: stdTimeFunctions.isoTime,
      serializers: { err: serializeError, error: serializeError },
      formatters: { level: label => ({ level: label }) },
    },
    { write: (line: string) => out.write(format(line)) },
  )
}
