// From a command line to a running process, the same for every service: help, configuration, logger, signals (architecture §10).
import { isAppError } from '@svc-server/errors'
import type { z } from 'zod'
import { choice, durationMs, text } from '../configuration/blocks.ts'
import { envHelp } from '../configuration/env-table.ts'
import { type Environment, loadConfig } from '../configuration/load-config.ts'
import { makeFilesPrivate } from '../files/private-files.ts'
import type { Health } from '../health/health.ts'
import { createLogger, type Logger, logLevels } from '../logs/logger.ts'
import { type NamedService, runUntilSignal } from './run-until-signal.ts'

/** What every process has. */
export const processVariables = {
  SVC_BIND: text('an address').prefault('127.0.0.1').describe('Address that every port of this process binds to.'),
  SVC_LOG_LEVEL: choice(logLevels).prefault('info').describe('Lowest level that is logged.'),
  SVC_LOG_FORMAT: choice(['auto', 'json', 'pretty']).prefault('auto').describe('auto: pretty on a terminal, JSON elsewhere.'),
  SVC_DRAIN_GRACE_MS: durationMs({ min: 1000, max: 600_000 })
    .prefault('30s')
    .describe('Time from the stop signal until the process ends, drained or not.'),
}

export type ProcessEnvironment = z.output<z.ZodObject<typeof processVariables>>

export interface ProcessContext<E> {
  readonly env: E
  readonly logger: Logger
  /** Something was thrown that nobody expected: the process ends at once, with its stack in the log. */
  readonly onBug: (error: unknown) => void
  /** The same of a state that others share, while what is in flight can still be finished: the process drains and ends with 1. */
  readonly onBroken: (error: unknown) => void
}

type ProcessSchema = z.ZodObject & { readonly shape: typeof processVariables }

export interface ProcessOptions<S extends ProcessSchema> {
  readonly service: string
  /** First line of --help. */
  readonly summary: string
  readonly schema: S
  /** The process's environment, handed over whole by its entry point. */
  readonly env: Environment
  /** Variables of the processes that this one starts. */
  readonly alsoKnown?: readonly string[]
  /** Wiring; an AppError thrown here is a sentence and exit code 1. */
  readonly create: (context: ProcessContext<z.output<S>>) => {
    readonly services: readonly NamedService[]
    readonly health?: Health
  }
}

/** What an operator must correct is a sentence and exit code 1; anything else is a defect with a stack. */
function orRefuse<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!isAppError(error)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

/** Runs until a stop signal has been obeyed, then exits. */
export async function runProcess<S extends ProcessSchema>(options: ProcessOptions<S>): Promise<void> {
  const { service, summary, schema, create } = options
  makeFilesPrivate()
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    process.stdout.write(`${summary}\n\nSet by environment variables (NAME=default):\n\n${envHelp(schema)}\n`)
    return
  }
  const { config, warnings, redacted } = orRefuse(() => loadConfig(schema, options.env, { service, alsoKnown: options.alsoKnown ?? [] }))
  // The schema contains these variables; the compiler cannot see that through the generic output.
  const common = config as ProcessEnvironment
  const format = common.SVC_LOG_FORMAT
  const pretty = format === 'pretty' || (format === 'auto' && process.stdout.isTTY === true)
  const logger = createLogger({ service, level: common.SVC_LOG_LEVEL, pretty })
  for (const warning of warnings) logger.warn(warning)
  logger.info({ config: redacted }, 'Effective configuration')

  const onBug = (error: unknown) => {
    logger.fatal({ err: error }, 'A defect: the process ends; what was acknowledged is on the log')
    process.exit(1)
  }
  const broken = Promise.withResolvers<void>()
  const onBroken = (error: unknown) => {
    logger.fatal({ err: error }, 'A defect in what requests share: the process drains and ends')
    broken.resolve()
  }
  // Whoever started this process is gone: nobody could stop it by Ctrl-C any more.
  process.once('disconnect', () => process.emit('SIGTERM', 'SIGTERM'))
  const { services, health } = orRefuse(() => create({ env: config, logger, onBug, onBroken }))
  await runUntilSignal({ services, logger, graceMs: common.SVC_DRAIN_GRACE_MS, broken: broken.promise, ...(health && { health }) })
}
